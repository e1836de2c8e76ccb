# Training: the stages of a step are compiled with counts of how often each branch is taken.
#
# A step of a small model runs through more code than the first caches hold, a few instructions at a time: what counts is
# that usual ways lie in a row and rare ones elsewhere.  So the stages are compiled twice: once with counters, into a
# program that steps the models of models/ under several options (tools/train.c), and then with what was counted
# (-fprofile-use).  The steps are always the same, so the counts are too, and so is the library.  Results have the same bits
# either way.
#
# Only code that leads from stage to stage is trained.  Loops over numbers (math, solvers, colliders, rays, sensors) are
# left as they are, since users' models may go other ways in them than ours, and what was never seen is compiled for size.
set(CF_TRAINED ${CF_SOURCES})
list(FILTER CF_TRAINED INCLUDE REGEX "${CF_TRAIN_ROOMS}")

# the rest of the engine as one translation unit: it is neither counted nor timed
set(cf_untrained_text "// generated: what compiles or steps a model and is not trained\n")
foreach(file ${CF_SOURCES})
  if(NOT file IN_LIST CF_TRAINED AND NOT file IN_LIST cf_units AND NOT file MATCHES "^src/(vis|render|ui|team|batch)/")
    string(APPEND cf_untrained_text "#include \"${CMAKE_SOURCE_DIR}/${file}\"\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/untrained.c CONTENT "${cf_untrained_text}" @ONLY)

add_library(cf_counted_objects OBJECT EXCLUDE_FROM_ALL ${CF_TRAINED})
target_compile_options(cf_counted_objects PRIVATE -fprofile-generate -fprofile-update=single)
add_executable(cf_train EXCLUDE_FROM_ALL tools/train.c ${CMAKE_BINARY_DIR}/generated/untrained.c src/math/simd/scalar.c ${CF_MISSING}
  $<TARGET_OBJECTS:cf_counted_objects>)
foreach(target cf_counted_objects cf_train)
  target_include_directories(${target} BEFORE PRIVATE ${CF_HEADERS})
  target_include_directories(${target} PRIVATE src include)
  target_compile_options(${target} PRIVATE -fvisibility=hidden -fno-semantic-interposition -Wno-shadow)
endforeach()
target_compile_options(cf_train PRIVATE -O1 -Wno-stringop-overflow)
target_link_libraries(cf_train PRIVATE ${CF_LINK} gcov)

file(GLOB cf_lessons CONFIGURE_DEPENDS models/*.xml models/*/*.xml)
set(cf_counts ${CMAKE_BINARY_DIR}/CMakeFiles/cf_objects.dir)
set(CF_TRAINING ${CMAKE_BINARY_DIR}/generated/training.txt)
add_custom_command(OUTPUT ${CF_TRAINING}
  COMMAND ${CMAKE_COMMAND} -DCOUNTED=${CMAKE_BINARY_DIR}/CMakeFiles/cf_counted_objects.dir -DPROGRAM=$<TARGET_FILE:cf_train>
          -DCOUNTS=${cf_counts} -DMODELS=${CMAKE_SOURCE_DIR}/models -DDONE=${CF_TRAINING} -P ${CMAKE_SOURCE_DIR}/cmake/train.cmake
  DEPENDS cf_train ${cf_lessons} ${CMAKE_SOURCE_DIR}/cmake/train.cmake VERBATIM
  COMMENT "Counting branches in steps of models/")
set_property(SOURCE ${CF_TRAINED} TARGET_DIRECTORY cf_objects APPEND PROPERTY OBJECT_DEPENDS ${CF_TRAINING})
