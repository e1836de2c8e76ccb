cf_add_test(test_model_data tests/unit/model/test_data.c)
cf_add_test(test_model_mjb tests/unit/model/test_mjb.c)
cf_add_test(test_model_reference_data tests/unit/model/test_reference_data.c)
cf_slow_test(test_model_reference_data)
