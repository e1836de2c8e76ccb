cf_add_test(test_scene tests/unit/solver/test_scene.c)
cf_add_test(test_solvers tests/unit/solver/test_solvers.c)
cf_add_test(test_qcqp tests/unit/solver/test_qcqp.c)
