cf_add_test(test_heap tests/unit/pipeline/test_heap.c)
cf_add_test(test_recorded tests/unit/pipeline/test_recorded.c)
cf_add_test(test_step tests/unit/pipeline/test_step.c)
cf_add_test(test_inverse tests/unit/pipeline/test_inverse.c)
