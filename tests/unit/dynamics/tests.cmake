cf_add_test(test_history tests/unit/dynamics/test_history.c)
cf_add_test(test_inertia tests/unit/dynamics/test_inertia.c)
cf_add_test(test_fluid tests/unit/dynamics/test_fluid.c)
cf_add_test(test_callbacks tests/unit/dynamics/test_callbacks.c)
