cf_add_test(test_backend_features tests/unit/backend/test_features.c)
