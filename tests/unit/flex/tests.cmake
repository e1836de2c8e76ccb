cf_add_test(test_flex tests/unit/flex/test_flex.c)
cf_add_test(test_flex_edges tests/unit/flex/test_edges.c)
cf_add_test(test_flex_models tests/unit/flex/test_models.c)
cf_add_test(test_flex_selfcollision tests/unit/flex/test_selfcollision.c)
