cf_add_fuzz(fuzz_extension extension tests/fuzz/extension/fuzz_extension.c tests/fuzz/mjcf/limited.c
  tests/fuzz/mjcf/mutate_mjcf.c)
target_include_directories(fuzz_extension PRIVATE ${CMAKE_SOURCE_DIR}/tests/fuzz)
