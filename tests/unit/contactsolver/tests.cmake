cf_add_test(test_contactsolver tests/unit/contactsolver/test_contactsolver.c)
