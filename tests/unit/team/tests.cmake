cf_add_test(test_team tests/unit/team/test_team.c)
cf_add_test(test_team_constraints tests/unit/team/test_constraints.c)
cf_add_test(test_team_race tests/unit/team/test_race.c)
