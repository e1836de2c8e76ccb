# Plugin libraries beside the library: build/plugin/*.so, found there without being told (docs/plugins.md).
# They name no library they need: their functions come from the one that loads them, whatever it is called.
set(CF_PLUGIN_FLAGS -fvisibility=hidden -fno-semantic-interposition)
set(cf_plugin_files)
add_custom_target(cf_plugins)
foreach(pair actuator:plugin/actuator/pid.c
             elasticity:plugin/elasticity/cable.c
             sdf_plugin:plugin/sdf/field.c,plugin/sdf/bolt.c,plugin/sdf/bowl.c,plugin/sdf/gear.c,plugin/sdf/nut.c,plugin/sdf/torus.c
             sensor:plugin/sensor/touch_grid.c)
  string(REPLACE ":" ";" parts ${pair})
  list(GET parts 0 name)
  list(GET parts 1 files)
  string(REPLACE "," ";" files ${files})
  list(APPEND cf_plugin_files ${files})
  list(APPEND files plugin/libm.c)
  add_library(cf_plugin_${name} MODULE ${files})
  target_include_directories(cf_plugin_${name} BEFORE PRIVATE ${CF_HEADERS} ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(cf_plugin_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(cf_plugin_${name} PRIVATE ${CF_PLUGIN_FLAGS})
  target_link_libraries(cf_plugin_${name} PRIVATE ${CF_MATH})
  set_target_properties(cf_plugin_${name} PROPERTIES OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugin)
  install(TARGETS cf_plugin_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/cortenforge/plugin OPTIONAL)
  add_dependencies(cf_plugins cf_plugin_${name})
endforeach()

# the same for programs that hold the library themselves: nothing they load can see its functions
add_library(cf_plugin_objects OBJECT EXCLUDE_FROM_ALL ${cf_plugin_files} plugin/libm.c)
target_include_directories(cf_plugin_objects BEFORE PRIVATE ${CF_HEADERS} ${PROJECT_SOURCE_DIR}/include)
target_include_directories(cf_plugin_objects PRIVATE ${PROJECT_SOURCE_DIR}/src)
