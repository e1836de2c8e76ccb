cf_add_test(test_determinism tests/determinism/test_determinism.c)
cf_add_test(test_parallel tests/determinism/test_parallel.c)

# hashes of the scenes; compared with the committed ones and between compilers by tools/determinism.sh
add_executable(hash_scenes tests/determinism/hash_scenes.c)
target_link_libraries(hash_scenes PRIVATE cf_core)
target_compile_definitions(hash_scenes PRIVATE CF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
set_target_properties(hash_scenes PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# the same from the engine as one translation unit: quick to build in many ways (compilers, levels, processors)
add_executable(hash_unity EXCLUDE_FROM_ALL tests/determinism/hash_scenes.c $<TARGET_OBJECTS:cf_engine_objects>)
target_link_libraries(hash_unity PRIVATE ${CF_LINK})
target_compile_definitions(hash_unity PRIVATE ${cf_inside_definitions})
target_include_directories(hash_unity PRIVATE ${CF_HEADERS} ${CF_HOUSES} ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(hash_unity PRIVATE CF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
set_target_properties(hash_unity PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# golden hashes change only in a commit that says so: tools/determinism.sh --update
if(NOT CF_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  add_test(NAME golden_hashes COMMAND ${CMAKE_SOURCE_DIR}/tests/determinism/check_golden.sh
    $<TARGET_FILE:hash_scenes> ${CMAKE_SOURCE_DIR}/tests/data/determinism/golden.txt)
  set_tests_properties(golden_hashes PROPERTIES LABELS slow TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

# long runs, by hand: build/tests/soak MODEL STEPS
add_executable(soak EXCLUDE_FROM_ALL bench/soak.c)
target_link_libraries(soak PRIVATE cf_core)
set_target_properties(soak PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# hashes of compiled models, for comparisons between systems
add_executable(hash_models EXCLUDE_FROM_ALL tests/determinism/hash_models.c)
target_link_libraries(hash_models PRIVATE cf_core)
set_target_properties(hash_models PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
