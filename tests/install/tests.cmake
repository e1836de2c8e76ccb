# build an outside program against an installed tree; a sanitizer build is not meant for installation
if(NOT CF_SANITIZE)
  add_test(NAME install COMMAND bash ${CMAKE_SOURCE_DIR}/tests/install/test_install.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(install PROPERTIES LABELS slow TIMEOUT 300)
endif()
