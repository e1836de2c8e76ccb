cf_add_test(test_flags_forces tests/unit/flags/test_forces.c)
cf_add_test(test_flags_checks tests/unit/flags/test_checks.c)
cf_add_test(test_flags_table tests/unit/flags/test_table.c)
cf_add_test(test_flags_contact_criteria tests/unit/flags/test_contact_criteria.c)
