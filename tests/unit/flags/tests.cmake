cf_add_test(test_flags_forces tests/unit/flags/test_forces.c)
cf_add_test(test_flags_checks tests/unit/flags/test_checks.c)
cf_add_test(test_flags_table tests/unit/flags/test_table.c)
cf_add_test(test_flags_contact_criteria tests/unit/flags/test_contact_criteria.c)
cf_add_test(test_flags_constraints tests/unit/flags/test_constraints.c)

# every acceptance criterion of the source documents has a test that carries its number
add_test(NAME criteria COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/criteria.py)
set_tests_properties(criteria PROPERTIES LABELS "quick;static" TIMEOUT 60)
