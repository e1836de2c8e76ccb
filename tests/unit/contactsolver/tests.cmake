cf_add_test(test_contactsolver tests/unit/contactsolver/test_contactsolver.c)
cf_add_test(test_xpbd tests/unit/contactsolver/test_xpbd.c)
cf_add_test(test_huntcrossley tests/unit/contactsolver/test_huntcrossley.c)
cf_add_test(test_contactsolver_mjcf tests/unit/contactsolver/test_mjcf.c)
cf_add_test(test_contactsolver_together tests/unit/contactsolver/test_together.c)
cf_add_test(test_xpbdlaws tests/unit/contactsolver/test_xpbdlaws.c)

cf_add_test(test_xpbdscenes tests/unit/contactsolver/test_xpbdscenes.c)
cf_slow_test(test_xpbdscenes)

# the same with all chains and stacks for longer, and with many more scenes
foreach(name test_xpbdlaws test_xpbdscenes)
  add_test(NAME ${name}_slow COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  cf_soak_test(${name}_slow)
  set_tests_properties(${name}_slow PROPERTIES ENVIRONMENT CF_LONG=1)
endforeach()
cf_add_test(test_hunt_effective tests/unit/contactsolver/test_effective.c)
cf_add_test(test_patch tests/unit/contactsolver/test_patch.c)
cf_add_test(test_contact_slopes tests/unit/contactsolver/test_slopes.c)
