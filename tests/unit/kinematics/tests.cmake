cf_add_test(test_jacobian tests/unit/kinematics/test_jacobian.c)
cf_add_test(test_tendon tests/unit/kinematics/test_tendon.c)
cf_add_test(test_wrap tests/unit/kinematics/test_wrap.c)
cf_add_test(test_transmission tests/unit/kinematics/test_transmission.c)
