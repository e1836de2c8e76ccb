# programs of docs/extending.md: taken from the page, compiled as a user would and run
set(cf_page ${CMAKE_SOURCE_DIR}/docs/extending.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${cf_page})
file(STRINGS ${cf_page} cf_programs REGEX "^<!-- program: [a-z0-9_]+ -->$")
foreach(line ${cf_programs})
  string(REGEX REPLACE "^<!-- program: ([a-z0-9_]+) -->$" "\\1" name ${line})
  set(cf_program ${CMAKE_BINARY_DIR}/generated/doc_${name}.c)
  add_custom_command(OUTPUT ${cf_program}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/docs/extract.py ${cf_page} ${name} ${cf_program}
    DEPENDS ${cf_page} ${CMAKE_SOURCE_DIR}/tests/docs/extract.py)
  add_executable(doc_${name} ${cf_program})
  target_link_libraries(doc_${name} PRIVATE cortenforge m)
  target_include_directories(doc_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_compile_options(doc_${name} PRIVATE -Wall -Wextra -Werror)
  set_target_properties(doc_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME doc_${name} COMMAND doc_${name})
  set_tests_properties(doc_${name} PROPERTIES LABELS quick TIMEOUT 60)
endforeach()

# README and guides as somebody reads them for the first time: what needs no installation; all of it in a bare Debian in the long run
if(TARGET cf_cli AND NOT CF_SANITIZE)
  add_test(NAME newcomer COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/docs/newcomer.py --build ${CMAKE_BINARY_DIR} --least 140
    README.md docs/tour.md)
  set_tests_properties(newcomer PROPERTIES LABELS slow TIMEOUT 600 SKIP_RETURN_CODE 77)
  add_test(NAME newcomer_bare COMMAND bash ${CMAKE_SOURCE_DIR}/tools/newcomer.sh)
  cf_soak_test(newcomer_bare)
  set_tests_properties(newcomer_bare PROPERTIES TIMEOUT 7200)
endif()

# links of all pages
add_test(NAME doc_links COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/docs/links.py)
set_tests_properties(doc_links PROPERTIES LABELS quick TIMEOUT 60 SKIP_RETURN_CODE 77)
