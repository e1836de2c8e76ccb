cf_add_fuzz(fuzz_spec spec tests/fuzz/spec/fuzz_spec.c)
