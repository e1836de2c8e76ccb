# models/ loads, runs and survives saving; models/soft is skipped (77) as long as the compiler refuses flexes
add_executable(test_corpus tests/corpus/corpus.c)
target_link_libraries(test_corpus PRIVATE cf_core cf_plugin_objects)
target_include_directories(test_corpus PRIVATE ${CF_HOUSES} ${CMAKE_SOURCE_DIR}/tests/support)
target_compile_options(test_corpus PRIVATE -UNDEBUG)
set_target_properties(test_corpus PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME corpus_rigid COMMAND test_corpus models soft WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
add_test(NAME corpus_soft COMMAND test_corpus models/soft WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(corpus_rigid corpus_soft PROPERTIES LABELS quick TIMEOUT 300 SKIP_RETURN_CODE 77)

# every attribute and keyword of the grammar stands in a model
if(TARGET cf_cli)
  add_test(NAME corpus_coverage
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/corpus/coverage.py $<TARGET_FILE:cf_cli> ${CMAKE_SOURCE_DIR})
  set_tests_properties(corpus_coverage PROPERTIES LABELS quick TIMEOUT 60)
endif()

# docs/models.md lists what is there
add_test(NAME corpus_list COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/list_models.py --check)
set_tests_properties(corpus_list PROPERTIES LABELS quick TIMEOUT 60)
