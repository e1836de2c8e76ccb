cf_add_test(test_ball_limit tests/unit/constraint/test_ball_limit.c)
cf_add_test(test_rows tests/unit/constraint/test_rows.c)
cf_add_test(test_rnepost tests/unit/constraint/test_rnepost.c)
cf_add_test(test_island tests/unit/constraint/test_island.c)
