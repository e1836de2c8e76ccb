cf_add_test(test_builder tests/unit/builder/test_builder.c)

# what the library is made of can be looked at where the code is not instrumented
if(NOT CF_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # the library, or the same functions in the program of training, where fewer are merged and keep their names
  set(cf_checked cortenforge)
  if(TARGET cf_train)
    set(cf_checked cf_train)
  endif()
  target_compile_definitions(test_builder PRIVATE CF_LIBRARY="$<TARGET_FILE:${cf_checked}>" CF_PYTHON="${Python3_EXECUTABLE}")
  add_dependencies(test_builder cortenforge)
endif()

# the example runs, and the same seed gives the same bits
add_executable(example_randomize examples/randomize.c)
target_link_libraries(example_randomize PRIVATE cortenforge m)
target_include_directories(example_randomize PRIVATE ${CMAKE_SOURCE_DIR}/include)
set_target_properties(example_randomize PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples OUTPUT_NAME randomize)
add_test(NAME example_randomize COMMAND bash ${CMAKE_SOURCE_DIR}/tests/unit/builder/randomize.sh $<TARGET_FILE:example_randomize>)
set_tests_properties(example_randomize PROPERTIES LABELS quick TIMEOUT 120)
