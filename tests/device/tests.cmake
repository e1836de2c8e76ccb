# the twin: device code on the CPU, under the name of a CUDA driver; once, in the plain build
if(CF_SANITIZE OR CMAKE_CROSSCOMPILING)
  return()
endif()
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gpu/sources.py list
  OUTPUT_VARIABLE cf_twin_list OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" cf_twin_sources "${cf_twin_list}")
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/gpu/sources.py headers
  ${CMAKE_BINARY_DIR}/generated/device COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/worlds/device/sources.txt
  ${CMAKE_SOURCE_DIR}/include/mujoco/mjmodel.h)
add_library(cf_twin MODULE ${cf_twin_sources} src/worlds/backend/features.c ${CF_TEAM_SOURCES} tests/device/driver.c)
target_include_directories(cf_twin BEFORE PRIVATE ${CMAKE_BINARY_DIR}/generated/device)
target_include_directories(cf_twin PRIVATE ${CF_HOUSES} include tests/device)
target_compile_options(cf_twin PRIVATE -fvisibility=hidden -w -Wno-psabi -O1 -include device/device.h)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(cf_twin PRIVATE -mno-avx)  # devices have no AVX either
endif()
target_compile_definitions(cf_twin PRIVATE CF_DEVICE)
target_link_options(cf_twin PRIVATE -Wl,-Bsymbolic -Wl,--no-undefined)
target_link_libraries(cf_twin PRIVATE m)

# sixteen files at a time: headers take longer to read than their code to compile.  The precisions are the same text again
set_target_properties(cf_twin PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
set_source_files_properties(${CF_PRECISIONS} tests/device/driver.c PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

cf_add_test(test_device tests/device/test_device.c)
add_dependencies(test_device cf_twin)
target_compile_definitions(test_device PRIVATE CF_TWIN_FILE="$<TARGET_FILE:cf_twin>")

cf_add_test(test_device_team tests/device/test_team.c)
add_dependencies(test_device_team cf_twin)
target_compile_definitions(test_device_team PRIVATE CF_TWIN_FILE="$<TARGET_FILE:cf_twin>")

cf_add_test(test_device_pieces tests/device/test_pieces.c)

add_test(NAME device_keepcalls COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/device/keepcalls_test.py)
set_tests_properties(device_keepcalls PROPERTIES LABELS "quick;static" TIMEOUT 60)
