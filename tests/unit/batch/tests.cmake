cf_add_test(test_batch tests/unit/batch/test_batch.c)
cf_add_test(test_batch_calls tests/unit/batch/test_calls.c)
cf_add_test(test_batch_models tests/unit/batch/test_models.c)
cf_add_test(test_batch_alone tests/unit/batch/test_alone.c)
cf_add_test(test_batch_lanes tests/unit/batch/test_lanes.c)
cf_add_test(test_batch_lanes_own tests/unit/batch/test_lanes_own.c)
cf_add_test(test_batch_lanes_narrow tests/unit/batch/test_lanes_narrow.c)
cf_add_test(test_batch_forms tests/unit/batch/test_forms.c)
cf_add_test(test_batch_generated tests/unit/batch/test_generated.c)
cf_add_test(test_batch_extensions tests/unit/batch/test_extensions.c)
cf_add_test(test_batch_rollout tests/unit/batch/test_rollout.c)
cf_add_test(test_batch_tensor tests/unit/batch/test_tensor.c)
cf_add_test(test_batch_leftovers tests/unit/batch/test_leftovers.c)
cf_add_test(test_batch_simulations tests/unit/batch/test_simulations.c)

# random batches beside lone worlds: many more of them
add_test(NAME test_batch_generated_slow COMMAND test_batch_generated WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
cf_soak_test(test_batch_generated_slow)
set_tests_properties(test_batch_generated_slow PROPERTIES ENVIRONMENT CF_TRIALS=20000)

# all models with all extensions, 400 steps
add_test(NAME test_batch_extensions_slow COMMAND test_batch_extensions WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
cf_soak_test(test_batch_extensions_slow)
set_tests_properties(test_batch_extensions_slow PROPERTIES ENVIRONMENT CF_TRIALS=40)

# the examples; Python loads no library of a sanitizer
if(NOT CF_SANITIZE)
  add_executable(example_batch examples/batch.c)
  target_link_libraries(example_batch PRIVATE cortenforge m)
  target_include_directories(example_batch PRIVATE ${CMAKE_SOURCE_DIR}/include)
  set_target_properties(example_batch PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples OUTPUT_NAME batch)
  add_test(NAME example_batch COMMAND bash ${CMAKE_SOURCE_DIR}/tests/unit/batch/examples.sh $<TARGET_FILE:cortenforge>
    $<TARGET_FILE:example_batch> WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(example_batch PROPERTIES LABELS quick TIMEOUT 120 SKIP_RETURN_CODE 77)
endif()
