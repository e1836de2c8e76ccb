# constraint stages one by one against the reference; skips without MUJOCO_REFERENCE_LIB
cf_add_test(stages tests/conformance/stages.c)

# steps without contacts against the reference; skips without MUJOCO_REFERENCE_LIB
cf_add_test(conform_smooth tests/conformance/smooth.c)

# soft bodies against the reference; skips without MUJOCO_REFERENCE_LIB
cf_add_test(conform_flex tests/conformance/flex.c)
