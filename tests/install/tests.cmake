# build an outside program against an installed tree; a sanitizer build is not meant for installation
if(NOT CF_SANITIZE)
  add_test(NAME install COMMAND bash ${CMAKE_SOURCE_DIR}/tests/install/test_install.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(install PROPERTIES LABELS slow TIMEOUT 300)

  # CMake as others use it; compiled as a part of another project in the long run
  set(cf_matrix bash ${CMAKE_SOURCE_DIR}/tests/install/test_matrix.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  add_test(NAME install_matrix COMMAND ${cf_matrix})
  set_tests_properties(install_matrix PROPERTIES LABELS slow TIMEOUT 300)
  add_test(NAME install_matrix_built COMMAND ${cf_matrix} build)
  cf_soak_test(install_matrix_built)
endif()

# targets of make, what setup says without root, what make run shows
if(NOT CF_SANITIZE)
  add_test(NAME first_minutes COMMAND bash ${CMAKE_SOURCE_DIR}/tests/install/first_minutes.sh ${CMAKE_SOURCE_DIR} $<TARGET_FILE:cf_cli>)
  set_tests_properties(first_minutes PROPERTIES LABELS slow TIMEOUT 120)
endif()

# several copies in one process: room for thread-local memory is scarce
if(NOT CF_SANITIZE)
  add_executable(test_copies tests/install/copies.c)
  target_include_directories(test_copies PRIVATE ${CF_HEADERS} ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(test_copies PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(test_copies PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME copies COMMAND test_copies $<TARGET_FILE:cortenforge>)
  set_tests_properties(copies PROPERTIES LABELS quick)
endif()

# headers as Microsoft's compiler reads them
add_test(NAME msvc_headers COMMAND bash ${CMAKE_SOURCE_DIR}/tests/install/check_msvc.sh ${CMAKE_SOURCE_DIR})
set_tests_properties(msvc_headers PROPERTIES LABELS "quick;static" TIMEOUT 60 SKIP_RETURN_CODE 77)
