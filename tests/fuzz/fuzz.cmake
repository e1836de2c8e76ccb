# Fuzz targets, built with clang:
#
#   cmake -S . -B build-fuzz -G Ninja -DCMAKE_C_COMPILER=clang -DCF_FUZZ=ON -DCF_SANITIZE=address,undefined
#   ninja -C build-fuzz fuzz_mjb
#   build-fuzz/fuzz/fuzz_mjb -runs=1000000 NEW_CORPUS_FOLDER tests/fuzz/corpus/mjb
#
# Results of long runs are in LEDGER.md.
if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "CF_FUZZ needs clang")
endif()
if(NOT CF_SANITIZE)
  message(FATAL_ERROR "CF_FUZZ needs -DCF_SANITIZE=address,undefined")
endif()
# coverage alone, without traced comparisons: the mutators know the formats, and runs are twice as fast
target_compile_options(cf_engine_objects PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table)

# what a build of fuzz targets alone makes
add_custom_target(fuzz_targets)

# cf_add_fuzz(NAME file...): one program that sees internal functions; ctest replays the committed corpus
function(cf_add_fuzz name corpus)
  add_executable(${name} ${ARGN} tests/fuzz/support/options.c $<TARGET_OBJECTS:cf_engine_objects>)
  target_link_libraries(${name} PRIVATE ${CF_LINK})
  target_include_directories(${name} PRIVATE ${CF_HEADERS} ${CF_HOUSES} ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/tests/fuzz/support)
  target_compile_definitions(${name} PRIVATE CF_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE -UNDEBUG)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  add_dependencies(fuzz_targets ${name})
  add_test(NAME ${name} COMMAND ${name} -runs=0 ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${corpus})
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 300)
endfunction()

# every target lists itself
file(GLOB cf_fuzz_lists ${CMAKE_SOURCE_DIR}/tests/fuzz/*/fuzz.cmake)
foreach(list_file ${cf_fuzz_lists})
  include(${list_file})
endforeach()
