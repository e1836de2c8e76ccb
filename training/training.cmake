# Training: the stages of a step are compiled with counts of how often each branch is taken.
#
# A step of a small model runs through more code than the first caches hold, and most of it once: what counts is that the
# usual way lies in a row and the rare ones elsewhere.  So the stages are compiled twice: with counters, into a program that
# steps the models of models/ under several options (train.c), and with what was counted (-fprofile-use).  The steps are
# always the same, so the counts are too, and so is the library.  Results have the same bits with and without.
#
# Only what leads from stage to stage is trained.  Loops over numbers (math, solvers, colliders, rays, sensors) are left as
# they are: users' models may have other sizes than ours.  Ways that were never seen count as taken now and then (ways.py),
# and all that count are hot: otherwise gcc compiles them for size.
set(CF_TRAINED ${CF_SOURCES})
list(FILTER CF_TRAINED INCLUDE REGEX
  "^src/(base/arena|engine/(kinematics/|dynamics/|pipeline/|constraint/|contactsolver/|collision/(broad/|driver|collider|parameters)))")
# gcc 12 forgets vzeroupper before calls of libm there, which takes three times as long on a Xeon (tools/check_uppers.py)
list(FILTER CF_TRAINED EXCLUDE REGEX "^src/engine/kinematics/wrap\\.c")
add_subdirectory(training)

file(GLOB cf_lessons CONFIGURE_DEPENDS models/*.xml models/*/*.xml)
set(CF_COUNTS ${CMAKE_BINARY_DIR}/generated/counts.txt)
add_custom_command(OUTPUT ${CF_COUNTS}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/training/train.py $<TARGET_FILE:cf_train> ${CMAKE_SOURCE_DIR}/models
          ${CMAKE_BINARY_DIR}/training/CMakeFiles/cf_counted.dir/__ ${CMAKE_BINARY_DIR}/CMakeFiles/cf_objects.dir ${CF_COUNTS}
  DEPENDS cf_train ${cf_lessons} training/train.py training/ways.py VERBATIM COMMENT "Counting branches in steps of models/")
set_property(SOURCE ${CF_TRAINED} APPEND PROPERTY OBJECT_DEPENDS ${CF_COUNTS})
set_property(SOURCE ${CF_TRAINED} APPEND PROPERTY COMPILE_OPTIONS
  "-fprofile-use;--param=profile-func-internal-id=1;-fprofile-partial-training;-fprofile-correction;-fno-profile-values;-Wno-missing-profile;-Wno-error=coverage-mismatch;--param=hot-bb-count-ws-permille=1000;--param=hot-bb-count-fraction=2147483647")
