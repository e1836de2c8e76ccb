cf_add_test(test_flex tests/unit/flex/test_flex.c)
cf_add_test(test_flex_models tests/unit/flex/test_models.c)
