cf_add_test(test_fields tests/unit/tables/test_fields.c)
cf_add_test(test_messages tests/unit/tables/test_messages.c)
cf_add_test(test_stage_writes tests/unit/tables/test_stage_writes.c)

# generated headers: committed as the tables say, complete, and laid out as in MuJoCo 3.5.0
add_test(NAME headers_match_tables COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_headers.py --check)
add_test(NAME docs_match_tables COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gen_docs.py --check)
add_test(NAME headers_compile_alone
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/unit/tables/check_headers.py ${CMAKE_SOURCE_DIR}/include)
add_test(NAME layout_as_reference
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/unit/tables/check_layout.py ${CMAKE_C_COMPILER}
          ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/layout)
add_test(NAME api_is_exported
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/coverage.py $<TARGET_FILE:cortenforge>)
add_test(NAME attribute_functions_exist
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/unit/tables/check_attributes.py ${CMAKE_SOURCE_DIR})
set_tests_properties(headers_match_tables docs_match_tables attribute_functions_exist layout_as_reference api_is_exported
  PROPERTIES LABELS "quick;static" TIMEOUT 120)
set_tests_properties(headers_compile_alone PROPERTIES LABELS slow TIMEOUT 300)

# the reference Python package runs on our library; skipped where it is not installed
add_test(NAME python_package_imports
  COMMAND ${CMAKE_SOURCE_DIR}/tools/check_python_import.sh "" $<TARGET_FILE:cf_mujoco>)
set_tests_properties(python_package_imports PROPERTIES LABELS slow TIMEOUT 300 SKIP_RETURN_CODE 77)
