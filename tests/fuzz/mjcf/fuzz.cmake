set(cf_text tests/fuzz/mjcf)
cf_add_fuzz(fuzz_mjcf mjcf ${cf_text}/fuzz_mjcf.c ${cf_text}/limited.c ${cf_text}/mutate_mjcf.c)
cf_add_fuzz(fuzz_urdf urdf ${cf_text}/fuzz_urdf.c ${cf_text}/limited.c ${cf_text}/mutate_urdf.c)
cf_add_fuzz(fuzz_xml xml ${cf_text}/fuzz_xml.c)
