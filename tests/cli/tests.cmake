if(TARGET cf_cli)
  add_test(NAME cli COMMAND bash ${CMAKE_SOURCE_DIR}/tests/cli/test_cli.sh $<TARGET_FILE:cf_cli> ${CMAKE_SOURCE_DIR} $<TARGET_FILE:cli_motor>)
  set_tests_properties(cli PROPERTIES LABELS slow TIMEOUT 300 SKIP_RETURN_CODE 77)
  add_test(NAME conform_own COMMAND bash ${CMAKE_SOURCE_DIR}/tests/cli/conform.sh $<TARGET_FILE:cf_cli> ${CMAKE_SOURCE_DIR})
  set_tests_properties(conform_own PROPERTIES LABELS slow TIMEOUT 900 SKIP_RETURN_CODE 77)
  add_test(NAME adopt COMMAND bash ${CMAKE_SOURCE_DIR}/tests/cli/test_adopt.sh $<TARGET_FILE:cf_cli> ${CMAKE_BINARY_DIR})
  set_tests_properties(adopt PROPERTIES LABELS slow TIMEOUT 300 SKIP_RETURN_CODE 77)

  # what is said about broken inputs, word for word
  add_test(NAME cli_messages COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/cli/messages.py $<TARGET_FILE:cf_cli> ${CMAKE_SOURCE_DIR}/tests/data/messages.txt)
  set_tests_properties(cli_messages PROPERTIES LABELS quick TIMEOUT 300)

  # models that ask for all of the machine
  add_test(NAME cli_bombs COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/cli/bombs.py $<TARGET_FILE:cf_cli>)
  set_tests_properties(cli_bombs PROPERTIES LABELS quick TIMEOUT 600)
  # an allocation that cannot be had ends in NULL there, too
  set_property(TEST cli_bombs APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=allocator_may_return_null=1)

  # every command, option and odd value; numbers of `run` against a program of its own
  add_executable(cli_stepper tests/cli/stepper.c)
  target_include_directories(cli_stepper PRIVATE ${CF_HEADERS} ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(cli_stepper PRIVATE cortenforge m)
  set_target_properties(cli_stepper PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_library(cli_motor MODULE tests/cli/motor.c)
  target_include_directories(cli_motor PRIVATE ${CF_HEADERS} ${CMAKE_SOURCE_DIR}/include)
  set_target_properties(cli_motor PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  set(cf_sweep ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/cli/sweep.py $<TARGET_FILE:cf_cli> $<TARGET_FILE:cli_stepper> ${CMAKE_SOURCE_DIR} $<TARGET_FILE:cli_motor>)
  add_test(NAME cli_sweep COMMAND ${cf_sweep})
  set_tests_properties(cli_sweep PROPERTIES LABELS slow TIMEOUT 600 SKIP_RETURN_CODE 77)
  add_test(NAME cli_sweep_random COMMAND ${cf_sweep} --soak)
  cf_soak_test(cli_sweep_random)
endif()
