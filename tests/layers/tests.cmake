set(cf_layers)
if(NOT CF_OWN_LIBM)
  set(cf_layers --system-libm)
endif()
add_test(NAME layers COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/check_layers.py ${cf_layers}
  ${CMAKE_BINARY_DIR}/CMakeFiles/cf_objects.dir/src)
set_tests_properties(layers PROPERTIES LABELS "quick;static" TIMEOUT 60)

# every C file as clang-format 14 writes it; skipped where that version is not installed
add_test(NAME format COMMAND bash ${CMAKE_SOURCE_DIR}/tools/format.sh --check)
set_tests_properties(format PROPERTIES LABELS "quick;static" TIMEOUT 300 SKIP_RETURN_CODE 77)

# all sources as one translation unit (see cf_unity): only the front end, which takes seconds
if(NOT CF_SANITIZE)
  add_test(NAME unity COMMAND bash ${CMAKE_SOURCE_DIR}/tools/check_unity.sh ${CMAKE_C_COMPILER}
    ${CMAKE_BINARY_DIR}/generated/unity.c ${CF_ARCH})
  set_tests_properties(unity PROPERTIES LABELS "quick;static" TIMEOUT 300)
endif()

# training counts the same every time, so that builds can be repeated (training/training.cmake)
if(TARGET cf_train)
  add_test(NAME training COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/training/train.py $<TARGET_FILE:cf_train>
    ${CMAKE_SOURCE_DIR}/models ${CMAKE_BINARY_DIR}/training/CMakeFiles/cf_counted.dir/__ ${CMAKE_BINARY_DIR}/CMakeFiles/cf_objects.dir)
  set_tests_properties(training PROPERTIES LABELS "quick;static" TIMEOUT 300)
endif()

# what is done to its counts; skipped where gcc writes them in another form
add_test(NAME ways COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/layers/test_ways.py ${CMAKE_C_COMPILER})
set_tests_properties(ways PROPERTIES LABELS "quick;static" TIMEOUT 60 SKIP_RETURN_CODE 77)

# functions of libm, where the build takes the system's, are called with clean registers; skipped where the library cannot
# be looked at
if(NOT CF_SANITIZE AND NOT CF_OWN_LIBM)
  add_test(NAME uppers COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/check_uppers.py $<TARGET_FILE:cortenforge>)
  set_tests_properties(uppers PROPERTIES LABELS "quick;static" TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

# headers of operating systems in one place
add_test(NAME platform_headers COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/layers/check_platform.py)
set_tests_properties(platform_headers PROPERTIES LABELS "quick;static" TIMEOUT 60)
