cf_add_test(test_flex tests/unit/flex/test_flex.c)
