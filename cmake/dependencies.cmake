# libraries from their sources in the folder CF_DEPENDENCIES (tools/dependencies.sh), part of ours: for systems whose
# packages we do not use, and where convex hulls must not depend on the system's qsort
set(cf_qhull ${CF_DEPENDENCIES}/qhull-2020.2/src)
set(cf_ccd ${CF_DEPENDENCIES}/libccd-2.1/src)
set(cf_spng ${CF_DEPENDENCIES}/libspng-0.7.3/spng)
set(cf_zlib ${CF_DEPENDENCIES}/zlib-1.2.13.dfsg)

function(cf_add_dependency name folder)
  list(TRANSFORM ARGN PREPEND ${folder}/)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} SYSTEM PRIVATE ${cf_qhull} ${cf_ccd} ${cf_spng} ${cf_zlib})
  target_compile_definitions(${name} PRIVATE SPNG_STATIC CCD_STATIC_DEFINE)
  target_compile_options(${name} PRIVATE -w -fvisibility=hidden)
endfunction()

cf_add_dependency(cf_zlib ${cf_zlib} adler32.c compress.c crc32.c deflate.c inffast.c inflate.c inftrees.c trees.c zutil.c)
cf_add_dependency(cf_spng ${cf_spng} spng.c)
target_link_libraries(cf_spng PUBLIC cf_zlib)
cf_add_dependency(cf_ccd ${cf_ccd} ccd.c mpr.c polytope.c support.c vec3.c)
cf_add_dependency(cf_qhull ${cf_qhull}/libqhull_r geom2_r.c geom_r.c global_r.c io_r.c libqhull_r.c mem_r.c merge_r.c
  poly2_r.c poly_r.c qset_r.c random_r.c rboxlib_r.c stat_r.c user_r.c usermem_r.c userprintf_r.c userprintf_rbox_r.c)
target_include_directories(cf_qhull PRIVATE src)
target_compile_options(cf_qhull PRIVATE "SHELL:-include ${PROJECT_SOURCE_DIR}/src/base/sort_names.h")

# for tests
cf_add_dependency(cf_cmocka ${CF_DEPENDENCIES}/cmocka-1.1.5/src cmocka.c)
target_include_directories(cf_cmocka SYSTEM PUBLIC ${CF_DEPENDENCIES}/cmocka-1.1.5/include)
target_compile_definitions(cf_cmocka PUBLIC CMOCKA_STATIC _UINTPTR_T PRIVATE HAVE_CLOCK_GETTIME_REALTIME=1 HAVE_STRUCT_TIMESPEC=1
  HAVE_SIGNAL_H=1 HAVE_SETJMP_H=1 HAVE_INTTYPES_H=1 HAVE_STDINT_H=1 HAVE_STRINGS_H=1)
set_target_properties(cf_cmocka PROPERTIES EXCLUDE_FROM_ALL ON)

set(CF_CMOCKA cf_cmocka)
set(CF_SPNG cf_spng)
set(CF_QHULL cf_qhull)
set(CF_CCD cf_ccd)
add_compile_definitions(SPNG_STATIC CCD_STATIC_DEFINE)
include_directories(SYSTEM ${cf_qhull} ${cf_ccd} ${cf_spng} ${cf_zlib})
set(cf_dependency_objects)
foreach(name cf_zlib cf_spng cf_ccd cf_qhull)
  list(APPEND cf_dependency_objects $<TARGET_OBJECTS:${name}>)
endforeach()
