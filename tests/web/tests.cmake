# native twin of tests/web/bits.mjs, with the plugins inside and with our own elementary functions in them, too, as in the
# module; tests/web/run.sh runs both
file(GLOB cf_web_plugins ${CMAKE_SOURCE_DIR}/plugin/*/*.c)
add_executable(web_sweep tests/web/sweep.c ${cf_web_plugins})
target_link_libraries(web_sweep PRIVATE cf_core)
target_compile_definitions(web_sweep PRIVATE CF_SOURCE_DIR="${CMAKE_SOURCE_DIR}" $<$<BOOL:${CF_OWN_LIBM}>:CF_OWN_LIBM>)
if(CF_OWN_LIBM)
  target_compile_options(web_sweep PRIVATE "SHELL:-include ${CMAKE_SOURCE_DIR}/src/math/libm_names.h")
endif()
set_target_properties(web_sweep PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
