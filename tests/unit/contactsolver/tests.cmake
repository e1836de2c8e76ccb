cf_add_test(test_contactsolver tests/unit/contactsolver/test_contactsolver.c)
cf_add_test(test_xpbd tests/unit/contactsolver/test_xpbd.c)
cf_add_test(test_huntcrossley tests/unit/contactsolver/test_huntcrossley.c)
cf_add_test(test_contactsolver_mjcf tests/unit/contactsolver/test_mjcf.c)
cf_add_test(test_contactsolver_together tests/unit/contactsolver/test_together.c)
cf_add_test(test_xpbdlaws tests/unit/contactsolver/test_xpbdlaws.c)

# the same with all chains and stacks for longer
add_test(NAME test_xpbdlaws_slow COMMAND test_xpbdlaws WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
cf_soak_test(test_xpbdlaws_slow)
set_tests_properties(test_xpbdlaws_slow PROPERTIES ENVIRONMENT CF_LONG=1)
cf_add_test(test_hunt_effective tests/unit/contactsolver/test_effective.c)
cf_add_test(test_patch tests/unit/contactsolver/test_patch.c)
cf_add_test(test_contact_slopes tests/unit/contactsolver/test_slopes.c)
