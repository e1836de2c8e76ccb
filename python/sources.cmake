# The Python package: the extension _core beside the Python files, under build/python, as it is imported by the tests.
# Needs Python 3.11 or later with its headers; without them there is no target.
option(CF_PYTHON "build the Python package" ON)
option(CF_PYTHON_FREE "build the extension for free-threaded Python" OFF)
set(CF_PYTHON_HEADERS "" CACHE PATH "folder with Python.h, where it is not that of the Python that runs here")
set(CF_PYTHON_OUT ${CMAKE_BINARY_DIR}/python/cortenforge)
execute_process(COMMAND ${Python3_EXECUTABLE} -c
  "import sys, sysconfig; print(sysconfig.get_paths()['include'] if sys.version_info >= (3, 11) else '')"
  OUTPUT_VARIABLE CF_PYTHON_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE)
if(CF_PYTHON_HEADERS)
  set(CF_PYTHON_INCLUDE ${CF_PYTHON_HEADERS})
endif()
if(CF_PYTHON AND NOT CF_FUZZ AND NOT CF_SANITIZE MATCHES "memory" AND EXISTS "${CF_PYTHON_INCLUDE}/Python.h")
  set(cf_python_tables ${CMAKE_BINARY_DIR}/generated/python_tables.h ${CMAKE_BINARY_DIR}/generated/python_functions.h)
  file(GLOB cf_table_files ${CMAKE_SOURCE_DIR}/src/tables/*.def)
  file(MAKE_DIRECTORY ${CF_PYTHON_OUT})
  add_custom_command(OUTPUT ${cf_python_tables} ${CF_PYTHON_OUT}/_views.py
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_python.py ${CMAKE_BINARY_DIR}/generated ${CF_PYTHON_OUT}
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/gen_python.py ${CMAKE_SOURCE_DIR}/tools/tables.py ${cf_table_files})
  add_library(cf_python MODULE ${cf_python_tables} ${CF_PYTHON_OUT}/_views.py)
  if(NOT CF_TESTS)
    set_target_properties(cf_python PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  foreach(file module guard arguments arrays structs model data spec functions batch callbacks glcontext rows simulations window)
    target_sources(cf_python PRIVATE ${CMAKE_SOURCE_DIR}/python/core/${file}.c)
  endforeach()
  # contexts without a screen and the viewer, as the command line has them
  set(cf_python_cli ${CF_SYSTEM} cli/offscreen.c cli/png.c cli/framing.c cli/studio.c cli/view/glfwwindow.c ${CF_VIEW_SOURCES})
  list(TRANSFORM cf_python_cli PREPEND ${CMAKE_SOURCE_DIR}/)
  target_sources(cf_python PRIVATE ${cf_python_cli} $<TARGET_OBJECTS:cf_platform>)
  target_include_directories(cf_python PRIVATE ${CMAKE_SOURCE_DIR}/cli ${CMAKE_SOURCE_DIR}/src ${CF_HEADERS} ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/generated)
  target_include_directories(cf_python SYSTEM PRIVATE ${CF_PYTHON_INCLUDE})
  # slots hold functions as void*, and calls that may jump back keep nothing in registers that they change
  target_compile_options(cf_python PRIVATE -fvisibility=hidden -Wno-pedantic -Wno-clobbered -Wno-cast-qual -Wno-missing-prototypes -Wno-discarded-qualifiers -Wno-missing-field-initializers)
  target_link_libraries(cf_python PRIVATE cortenforge ${CF_SPNG} ${CF_MATH} ${CMAKE_DL_LIBS})
  # free-threaded Python has no limited API, and takes the plain suffix
  set(cf_python_suffix .abi3.so)
  if(CF_PYTHON_FREE)
    set(cf_python_suffix .so)
    target_compile_definitions(cf_python PRIVATE CF_FULL_API Py_GIL_DISABLED=1)
  endif()
  set_target_properties(cf_python PROPERTIES PREFIX "" OUTPUT_NAME _core SUFFIX ${cf_python_suffix} LIBRARY_OUTPUT_DIRECTORY ${CF_PYTHON_OUT}
    C_STANDARD 11 C_EXTENSIONS ON)
  # stubs for type checkers
  add_custom_command(TARGET cf_python POST_BUILD
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_stubs.py ${CF_PYTHON_OUT})
  # the Python files are used where they are
  file(GLOB_RECURSE cf_python_files RELATIVE ${CMAKE_SOURCE_DIR}/python/cortenforge ${CMAKE_SOURCE_DIR}/python/cortenforge/*.py
    ${CMAKE_SOURCE_DIR}/python/cortenforge/py.typed)
  foreach(file ${cf_python_files})
    get_filename_component(folder ${CF_PYTHON_OUT}/${file} DIRECTORY)
    # a folder that was a link itself would lead the links into the sources
    if(IS_SYMLINK ${folder})
      file(REMOVE ${folder})
    endif()
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/python/cortenforge/${file} ${CF_PYTHON_OUT}/${file} SYMBOLIC)
  endforeach()
  # models of the tasks of cortenforge.envs
  file(GLOB cf_task_models ${CMAKE_SOURCE_DIR}/models/tasks/*.xml)
  file(MAKE_DIRECTORY ${CF_PYTHON_OUT}/envs/models)
  foreach(file ${cf_task_models})
    get_filename_component(name ${file} NAME)
    file(CREATE_LINK ${file} ${CF_PYTHON_OUT}/envs/models/${name} SYMBOLIC)
  endforeach()
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/python/cortenforge_alias.py ${CF_PYTHON_OUT}/../cortenforge_alias.py SYMBOLIC)
  # plugins that MuJoCo's package brings; the library finds them beside itself
  set(cf_python_plugins)
  foreach(name actuator elasticity sensor sdf_plugin)
    add_dependencies(cf_python cf_plugin_${name})
    list(APPEND cf_python_plugins cf_plugin_${name})
  endforeach()
  if(SKBUILD)
    include(python/wheel.cmake)
  endif()
endif()
