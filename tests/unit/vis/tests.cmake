cf_add_test(test_view tests/unit/vis/test_view.c)
cf_add_test(test_view_reference tests/unit/vis/test_view_reference.c)
cf_add_test(test_scene_reference tests/unit/vis/test_scene_reference.c)
cf_slow_test(test_scene_reference)
