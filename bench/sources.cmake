# benchmark programs, build/bench/NAME; built with everything else so that they keep compiling, run by hand
function(cf_add_bench name file)
  add_executable(bench_${name} ${file})
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_include_directories(bench_${name} BEFORE PRIVATE ${CF_HEADERS})
  target_include_directories(bench_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(bench_${name} PRIVATE ${ARGN} m ${CMAKE_DL_LIBS})
endfunction()

cf_add_bench(collision bench/collision.c)
cf_add_bench(load bench/load.c)
cf_add_bench(soak bench/soak.c cortenforge)
cf_add_bench(kernels bench/kernels/kernels.c cf_core)
cf_add_bench(solvers bench/solvers.c cortenforge)
