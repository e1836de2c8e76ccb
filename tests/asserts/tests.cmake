# assertions: enough of them in every room, compiled in unless this is a release build
add_test(NAME asserts_per_room COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/asserts.py)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(cf_asserts off)
else()
  set(cf_asserts on)
endif()
add_test(NAME asserts_in_library COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/asserts.py
  --library $<TARGET_FILE:cortenforge> ${cf_asserts})
set_tests_properties(asserts_per_room asserts_in_library PROPERTIES LABELS quick TIMEOUT 60)
