cf_add_test(test_robust_bad_numbers tests/unit/robust/test_bad_numbers.c)
cf_add_test(test_robust_arena_sweep tests/unit/robust/test_arena_sweep.c)
cf_add_test(test_robust_heap_models tests/unit/robust/test_heap_models.c)
cf_add_test(test_robust_bad_model tests/unit/robust/test_bad_model.c)
