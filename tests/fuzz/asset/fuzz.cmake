# files of assets, one program per format; meshes and images are read directly, skins and height fields through a
# whole compilation
set(cf_asset tests/fuzz/asset)
foreach(format obj stl msh)
  cf_add_fuzz(fuzz_${format} ${format} ${cf_asset}/fuzz_mesh.c ${cf_asset}/whole.c ${cf_asset}/mutate_obj.c
              ${cf_asset}/mutate_binary.c)
endforeach()
find_package(ZLIB REQUIRED)
cf_add_fuzz(fuzz_png png ${cf_asset}/fuzz_png.c ${cf_asset}/whole.c ${cf_asset}/mutate_png.c)
target_link_libraries(fuzz_png PRIVATE ZLIB::ZLIB)
foreach(format skn hfield)
  cf_add_fuzz(fuzz_${format} ${format} ${cf_asset}/fuzz_asset.c ${cf_asset}/whole.c ${cf_asset}/mutate_skin.c)
endforeach()
foreach(format obj stl msh png skn hfield)
  target_compile_definitions(fuzz_${format} PRIVATE CF_FUZZ_FORMAT="${format}")
endforeach()
