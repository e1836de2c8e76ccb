cf_add_test(test_derivative tests/unit/derivative/test_derivative.c)
