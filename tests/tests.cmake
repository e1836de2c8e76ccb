if(NOT CF_CMOCKA)
  find_library(CF_CMOCKA cmocka REQUIRED)
endif()

# tests spend their time in the library: their own code is compiled for a short build
set(cf_test_level -O1)
set(cf_test_limit 300)  # seconds: the longest takes twenty alone, and ten times that where others use the processors
if(CF_SANITIZE)
  set(cf_test_level -O0)
  set(cf_test_limit 900)
endif()

# cf_add_test(NAME file...): one program, one ctest entry; it sees internal (cfi_) functions because it links the objects
function(cf_add_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE cf_core ${CF_CMOCKA})
  target_include_directories(${name} PRIVATE ${CF_HOUSES} ${CMAKE_SOURCE_DIR}/tests/support)
  target_compile_definitions(${name} PRIVATE CF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE -UNDEBUG ${cf_test_level})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS quick TIMEOUT ${cf_test_limit} SKIP_RETURN_CODE 77)
endfunction()

# cf_slow_test(NAME): more than a few seconds; ctest -L quick leaves it out
function(cf_slow_test name)
  set_tests_properties(${name} PROPERTIES LABELS slow TIMEOUT 900 SKIP_RETURN_CODE 77)
endfunction()

# cf_soak_test(NAME): minutes; only `make soak` runs it
function(cf_soak_test name)
  set_tests_properties(${name} PROPERTIES LABELS soak TIMEOUT 3600 SKIP_RETURN_CODE 77)
endfunction()

# every folder of tests lists its own programs
file(GLOB cf_test_lists ${CMAKE_SOURCE_DIR}/tests/*/tests.cmake ${CMAKE_SOURCE_DIR}/tests/*/*/tests.cmake)
foreach(list_file ${cf_test_lists})
  include(${list_file})
endforeach()

# the Python package, in build/pyenv (tools/setup.sh test)
if(TARGET cf_python)
  # the Python that has the reference, from the place of its library
  set(CF_OFFICIAL_PYTHON ${CMAKE_SOURCE_DIR}/build/refenv/bin/python)
  if(DEFINED ENV{MUJOCO_REFERENCE_LIB})
    string(REGEX REPLACE "/lib/python3.*" "/bin/python" CF_OFFICIAL_PYTHON "$ENV{MUJOCO_REFERENCE_LIB}")
  endif()
  add_test(NAME python COMMAND bash ${CMAKE_SOURCE_DIR}/python/tests/run.sh ${CMAKE_BINARY_DIR} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(python PROPERTIES LABELS slow TIMEOUT 900 SKIP_RETURN_CODE 77)
  if(CF_SANITIZE)
    # arguments, lifetimes and specs under the address sanitizer
    set_tests_properties(python PROPERTIES LABELS quick ENVIRONMENT "CF_PYTHON_ONLY=test_functions.py test_model_data.py test_mujoco.py")
  endif()
  # calls, views and batches of several threads
  if(CF_SANITIZE MATCHES "thread")
    add_test(NAME python_threads COMMAND bash ${CMAKE_SOURCE_DIR}/python/tests/run.sh ${CMAKE_BINARY_DIR} python/tests/test_threads.py
      python/tests/test_memory.py WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(python_threads PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
  endif()
  # all combinations of lanes, threads and autoreset modes over 1,000 steps of the eleven tasks of Gymnasium
  add_test(NAME python_envs_long COMMAND bash ${CMAKE_SOURCE_DIR}/python/tests/run.sh ${CMAKE_BINARY_DIR} python/tests/test_envs_mujoco.py
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  cf_soak_test(python_envs_long)
  set_tests_properties(python_envs_long PROPERTIES ENVIRONMENT "CF_LONG=1")
  # two nodes of Ray in network namespaces, the cable between them pulled
  add_test(NAME ray_namespaces COMMAND bash ${CMAKE_SOURCE_DIR}/python/tests/ray_namespaces.sh ${CMAKE_BINARY_DIR} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  cf_soak_test(ray_namespaces)
  # a million views, 200,000 wrong calls
  add_test(NAME python_soak COMMAND bash ${CMAKE_SOURCE_DIR}/python/tests/soak.sh ${CMAKE_BINARY_DIR} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  cf_soak_test(python_soak)
  # the official package beside ours: names, fields, enumerations, functions
  file(GLOB cf_parity models/*.xml models/robots/*.xml models/joints/*.xml models/sensors/*.xml models/tendons/*.xml)
  add_test(NAME python_parity COMMAND ${Python3_EXECUTABLE} python/tests/parity.py ${CMAKE_BINARY_DIR} ${CF_OFFICIAL_PYTHON} ${cf_parity}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(python_parity PROPERTIES LABELS slow TIMEOUT 900 SKIP_RETURN_CODE 77)
endif()
