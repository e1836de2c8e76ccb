# files of assets, read through a whole compilation: one program per format
foreach(format obj stl msh skn png hfield)
  cf_add_fuzz(fuzz_${format} ${format} tests/fuzz/asset/fuzz_asset.c)
  target_compile_definitions(fuzz_${format} PRIVATE CF_FUZZ_FORMAT="${format}")
endforeach()
