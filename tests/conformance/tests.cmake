# constraint stages one by one against the reference; skips without MUJOCO_REFERENCE_LIB
cf_add_test(stages tests/conformance/stages.c)

# steps without contacts against the reference; skips without MUJOCO_REFERENCE_LIB
cf_add_test(conform_smooth tests/conformance/smooth.c)

# soft bodies against the reference; skips without MUJOCO_REFERENCE_LIB
cf_add_test(conform_flex tests/conformance/flex.c)

# sixty random scenes of soft bodies, always the same; tools/random_flexes.py makes others
if(TARGET cf_cli)
  add_test(NAME conform_random_flexes
    COMMAND bash ${CMAKE_SOURCE_DIR}/tests/conformance/random_flexes.sh $<TARGET_FILE:cf_cli> ${CMAKE_SOURCE_DIR})
  set_tests_properties(conform_random_flexes PROPERTIES LABELS slow TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()
# specifications edited at random in both libraries; skips without MUJOCO_REFERENCE_LIB
cf_add_test(conform_specedit tests/conformance/specedit.c)

# calls that Python programs do not survive an error in; skips without MUJOCO_REFERENCE_LIB
cf_add_test(conform_uncaught tests/conformance/uncaught.c)
# attributes with legal and illegal values in both libraries; skips without MUJOCO_REFERENCE_LIB
cf_add_test(conform_attributes tests/conformance/attributes.c)
add_test(NAME conform_attributes_long COMMAND conform_attributes 60000 1000000)
cf_soak_test(conform_attributes_long)
add_test(NAME conform_specedit_long COMMAND conform_specedit 20000 1000000)
cf_soak_test(conform_specedit_long)

# editing scripts through the official Python package, on both libraries
if(TARGET cf_mujoco)
  set(cf_pyscripts ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/conformance/pyscripts.py $<TARGET_FILE:cf_mujoco>)
  add_test(NAME conform_pyscripts COMMAND ${cf_pyscripts})
  set_tests_properties(conform_pyscripts PROPERTIES LABELS quick TIMEOUT 300 SKIP_RETURN_CODE 77)
  add_test(NAME conform_pyscripts_long COMMAND ${cf_pyscripts} 2500 1000000)
  cf_soak_test(conform_pyscripts_long)
endif()
