add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/check_layers.py --strict)
set_tests_properties(layers PROPERTIES LABELS quick TIMEOUT 60)
