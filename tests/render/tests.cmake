# pictures against the reference with the same driver; skipped without a driver or without the reference
add_executable(pictures tests/render/pictures.c cli/offscreen.c)
target_link_libraries(pictures PRIVATE cf_core)
target_include_directories(pictures PRIVATE ${CMAKE_SOURCE_DIR}/tests/support ${CMAKE_SOURCE_DIR}/cli)
target_compile_definitions(pictures PRIVATE CF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
set_target_properties(pictures PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

cf_add_test(test_render tests/render/test_render.c cli/offscreen.c)
target_include_directories(test_render PRIVATE ${CMAKE_SOURCE_DIR}/cli)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_definitions(test_render PRIVATE CF_LIBRARY_HAS_ASSERTS)
endif()

set(cf_pictured assets/hfield_files assets/materials assets/mesh_files assets/skins assets/textures composites/skinned_cable
  contacts/on_box contacts/on_mesh humanoid robots/ant sensors/rangefinders soft/direct_flex soft/flag soft/jelly soft/rope
  tendons/wrap_cylinder terrain visual/cameras visual/everything visual/lights visual/orthographic)
list(TRANSFORM cf_pictured PREPEND ${CMAKE_SOURCE_DIR}/models/)
list(TRANSFORM cf_pictured APPEND .xml)
add_test(NAME pictures COMMAND pictures ${cf_pictured})
cf_slow_test(pictures)

# the viewer without a window
set(cf_viewer cli/framing.c cli/load.c cli/offscreen.c cli/png.c cli/report.c cli/scene.c cli/stream.c cli/studio.c ${CF_SYSTEM} ${CF_VIEW_SOURCES} ${CF_EMBEDDED})
cf_add_test(test_viewer tests/render/test_viewer.c ${cf_viewer})
target_include_directories(test_viewer PRIVATE ${CMAKE_SOURCE_DIR}/cli)

# letters are what the generator draws; skipped without FreeType for Python or the font
set(cf_fonts_python ${Python3_EXECUTABLE})
if(EXISTS ${CMAKE_SOURCE_DIR}/build/pyenv/bin/python)
  set(cf_fonts_python ${CMAKE_SOURCE_DIR}/build/pyenv/bin/python)
endif()
add_test(NAME fonts_table COMMAND ${cf_fonts_python} ${CMAKE_SOURCE_DIR}/tools/gen_fonts.py --check)
set_tests_properties(fonts_table PROPERTIES LABELS quick TIMEOUT 60 SKIP_RETURN_CODE 77)

# how models look in pictures of the command line
cf_add_test(test_looks tests/render/test_looks.c cli/canvas.c cli/framing.c cli/load.c cli/offscreen.c cli/png.c cli/report.c
  cli/scene.c cli/stream.c cli/studio.c ${CF_SYSTEM} ${CF_EMBEDDED})
target_include_directories(test_looks PRIVATE ${CMAKE_SOURCE_DIR}/cli)
target_link_libraries(test_looks PRIVATE ${CF_SPNG})
cf_slow_test(test_looks)

cf_add_test(test_ui_reference tests/render/test_ui_reference.c cli/offscreen.c)
target_include_directories(test_ui_reference PRIVATE ${CMAKE_SOURCE_DIR}/cli)

add_test(NAME python_renderer COMMAND bash ${CMAKE_SOURCE_DIR}/tests/render/python_renderer.sh $<TARGET_FILE:cf_mujoco>
  ${CMAKE_SOURCE_DIR}/models/humanoid.xml ${CMAKE_SOURCE_DIR}/models/assets/textures.xml ${CMAKE_SOURCE_DIR}/models/soft/jelly.xml)
cf_slow_test(python_renderer)

# viewers in windows on a virtual display; skipped without Xvfb, GLFW, the X libraries or (official) the mujoco package
find_library(CF_X11 X11)
find_library(CF_XTST Xtst)
set(cf_windows ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/render/windows.py)
if(CF_X11 AND CF_XTST)
  add_executable(windowdriver tests/render/windowdriver.c)
  target_link_libraries(windowdriver PRIVATE ${CF_XTST} ${CF_X11})
  set_target_properties(windowdriver PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endif()
add_test(NAME window_view COMMAND ${cf_windows} view ${CMAKE_BINARY_DIR}/tests/windowdriver $<TARGET_FILE:cf_cli>
  ${CMAKE_SOURCE_DIR}/models/humanoid.xml)
cf_slow_test(window_view)
add_test(NAME window_official COMMAND ${cf_windows} official ${CMAKE_BINARY_DIR}/tests/windowdriver $<TARGET_FILE:cf_mujoco>
  ${CMAKE_SOURCE_DIR}/models/humanoid.xml)
cf_slow_test(window_official)
