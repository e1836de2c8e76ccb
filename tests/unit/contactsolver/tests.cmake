cf_add_test(test_contactsolver tests/unit/contactsolver/test_contactsolver.c)
cf_add_test(test_xpbd tests/unit/contactsolver/test_xpbd.c)
cf_add_test(test_huntcrossley tests/unit/contactsolver/test_huntcrossley.c)
cf_add_test(test_contactsolver_mjcf tests/unit/contactsolver/test_mjcf.c)
