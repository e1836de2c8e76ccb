cf_add_fuzz(fuzz_flex flex tests/fuzz/flex/fuzz_flex.c tests/fuzz/flex/mutate_gmsh.c
  tests/fuzz/mjcf/limited.c tests/fuzz/mjcf/mutate_mjcf.c)
target_include_directories(fuzz_flex PRIVATE ${CMAKE_SOURCE_DIR}/tests/fuzz)
