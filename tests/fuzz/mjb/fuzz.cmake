cf_add_fuzz(fuzz_mjb mjb tests/fuzz/mjb/fuzz_mjb.c tests/fuzz/mjb/mutate.c)
