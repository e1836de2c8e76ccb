cf_add_test(test_inverse_fd tests/unit/finitediff/test_inverse.c)
cf_add_test(test_transition_fd tests/unit/finitediff/test_transition.c)
cf_add_test(test_hybrid tests/unit/finitediff/test_hybrid.c)

# the same on our models and on random ones, always the same: a short choice, and 300 with all states
add_executable(transitions tests/unit/finitediff/transitions.c)
target_link_libraries(transitions PRIVATE cortenforge m)
target_include_directories(transitions PRIVATE ${CMAKE_SOURCE_DIR}/include)
set_target_properties(transitions PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
set(cf_transitions bash ${CMAKE_SOURCE_DIR}/tests/unit/finitediff/transitions.sh $<TARGET_FILE:transitions> ${CMAKE_SOURCE_DIR})
add_test(NAME transitions COMMAND ${cf_transitions} 40 14 1)
set_tests_properties(transitions PROPERTIES LABELS quick TIMEOUT ${cf_test_limit})
add_test(NAME transitions_long COMMAND ${cf_transitions} 300 60 3)
cf_soak_test(transitions_long)
