cf_add_test(test_ray tests/unit/ray/test_ray.c)
target_include_directories(test_ray PRIVATE ${CMAKE_SOURCE_DIR}/tests/unit/collision)
