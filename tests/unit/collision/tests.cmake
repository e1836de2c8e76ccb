cf_add_test(test_narrow tests/unit/collision/test_narrow.c)
cf_add_test(test_contact_parameters tests/unit/collision/test_parameters.c)
cf_add_test(test_collision_driver tests/unit/collision/test_driver.c)
cf_add_test(test_sweep tests/unit/collision/test_sweep.c)
cf_add_test(test_obb tests/unit/collision/test_obb.c)
cf_add_test(test_query tests/unit/collision/test_query.c)
cf_add_test(test_apart tests/unit/collision/test_apart.c)
cf_add_test(test_hullwalk tests/unit/collision/test_hullwalk.c)
cf_add_test(test_fixnormal tests/unit/collision/test_fixnormal.c)
cf_add_test(test_convexlanes tests/unit/collision/test_convexlanes.c)
cf_add_test(test_collision_properties tests/unit/collision/test_properties.c)

# a million degenerate poses per pair
add_test(NAME test_collision_properties_slow COMMAND test_collision_properties WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
cf_soak_test(test_collision_properties_slow)
set_tests_properties(test_collision_properties_slow PROPERTIES ENVIRONMENT CF_TRIALS=1000000)

# random pairs of all types, three quarters of them degenerate; a million of each: see the head of the file
cf_add_test(collision_soak tests/unit/collision/soak.c)
add_test(NAME collision_soak_slow COMMAND collision_soak 5000 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
cf_soak_test(collision_soak_slow)
cf_add_test(test_flex_collision tests/unit/collision/test_flex_collision.c)
