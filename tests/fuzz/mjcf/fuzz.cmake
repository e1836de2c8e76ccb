cf_add_fuzz(fuzz_mjcf mjcf ${CMAKE_CURRENT_LIST_DIR}/fuzz_mjcf.c ${CMAKE_CURRENT_LIST_DIR}/mutate.c)
cf_add_fuzz(fuzz_urdf urdf ${CMAKE_CURRENT_LIST_DIR}/fuzz_urdf.c)
