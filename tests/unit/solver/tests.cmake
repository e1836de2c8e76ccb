cf_add_test(test_scene tests/unit/solver/test_scene.c)
cf_add_test(test_noslip tests/unit/solver/test_noslip.c)
cf_add_test(test_solvers tests/unit/solver/test_solvers.c)
cf_add_test(test_conefriction tests/unit/solver/test_conefriction.c)
