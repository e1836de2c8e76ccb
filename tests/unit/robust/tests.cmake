cf_add_test(test_robust_bad_numbers tests/unit/robust/test_bad_numbers.c)
