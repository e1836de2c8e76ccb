# native twin of tests/web/bits.mjs, with the plugins inside as in the module; tests/web/run.sh runs both
add_executable(web_sweep tests/web/sweep.c $<TARGET_OBJECTS:cf_plugin_objects>)
target_link_libraries(web_sweep PRIVATE cf_core)
target_compile_definitions(web_sweep PRIVATE CF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
set_target_properties(web_sweep PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
