cf_add_test(test_inverse_fd tests/unit/finitediff/test_inverse.c)
cf_add_test(test_transition_fd tests/unit/finitediff/test_transition.c)
