# plugins of ours, linked into the test: what they compute
cf_add_test(test_plugin_shapes tests/plugin/test_shapes.c)
cf_add_test(test_plugin_forces tests/plugin/test_forces.c)
foreach(name shapes forces)
  target_link_libraries(test_plugin_${name} PRIVATE cf_plugin_objects)
endforeach()

# as libraries: found, loaded, refused
add_library(cf_example_wind MODULE examples/plugin/wind.c)
target_include_directories(cf_example_wind BEFORE PRIVATE ${CF_HEADERS} ${CMAKE_SOURCE_DIR}/include)
set_target_properties(cf_example_wind PROPERTIES OUTPUT_NAME wind LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_executable(test_plugin_host tests/plugin/host.c)
target_include_directories(test_plugin_host BEFORE PRIVATE ${CF_HEADERS} ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(test_plugin_host PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(test_plugin_host PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_dependencies(test_plugin_host cf_example_wind cf_plugin_actuator cf_plugin_elasticity cf_plugin_sdf_plugin
                 cf_plugin_sensor)
if(NOT CF_SANITIZE)
  add_test(NAME plugin_libraries
    COMMAND bash ${CMAKE_SOURCE_DIR}/tests/plugin/test_libraries.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}
            $<TARGET_FILE:test_plugin_host> $<TARGET_FILE:cf_example_wind>)
  set_tests_properties(plugin_libraries PROPERTIES LABELS quick TIMEOUT 300)
endif()
