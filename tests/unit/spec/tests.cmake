cf_add_test(spec_vector ${CMAKE_CURRENT_LIST_DIR}/test_vector.c)
cf_add_test(spec_elements ${CMAKE_CURRENT_LIST_DIR}/test_elements.c)
cf_add_test(spec_attach ${CMAKE_CURRENT_LIST_DIR}/test_attach.c)
cf_add_test(spec_defaults ${CMAKE_CURRENT_LIST_DIR}/test_defaults.c)
