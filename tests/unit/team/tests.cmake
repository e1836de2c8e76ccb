cf_add_test(test_team tests/unit/team/test_team.c)
