add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/check_layers.py
  ${CMAKE_BINARY_DIR}/CMakeFiles/cf_objects.dir/src)
set_tests_properties(layers PROPERTIES LABELS quick TIMEOUT 60)

# every C file as clang-format 14 writes it; skipped where that version is not installed
add_test(NAME format COMMAND bash ${CMAKE_SOURCE_DIR}/tools/format.sh --check)
set_tests_properties(format PROPERTIES LABELS quick TIMEOUT 120 SKIP_RETURN_CODE 77)
