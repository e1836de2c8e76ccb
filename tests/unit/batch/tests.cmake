cf_add_test(test_batch tests/unit/batch/test_batch.c)
cf_add_test(test_batch_models tests/unit/batch/test_models.c)
cf_add_test(test_batch_lanes tests/unit/batch/test_lanes.c)
cf_add_test(test_batch_rollout tests/unit/batch/test_rollout.c)
