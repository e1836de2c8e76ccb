cf_add_test(test_history tests/unit/dynamics/test_history.c)
cf_add_test(test_inertia tests/unit/dynamics/test_inertia.c)
