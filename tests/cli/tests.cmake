if(TARGET cf_cli)
  add_test(NAME cli COMMAND bash ${CMAKE_SOURCE_DIR}/tests/cli/test_cli.sh $<TARGET_FILE:cf_cli> ${CMAKE_SOURCE_DIR})
  set_tests_properties(cli PROPERTIES LABELS slow TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()
