# random poses of all pairs of geom types against the reference; skips without MUJOCO_REFERENCE_LIB
cf_add_test(conformance_pairs tests/conformance/collision/pairs.c)
add_test(NAME conformance_pairs_slow COMMAND conformance_pairs 10000 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
cf_soak_test(conformance_pairs_slow)

# random scenes: filters, order, parameters and flags of the whole stage
cf_add_test(conformance_scenes tests/conformance/collision/scenes.c)
add_test(NAME conformance_scenes_slow COMMAND conformance_scenes 5000 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
cf_soak_test(conformance_scenes_slow)
