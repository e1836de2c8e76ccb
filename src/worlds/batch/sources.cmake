list(APPEND CF_SOURCES
  src/worlds/batch/batch.c
  src/worlds/batch/course.c
  src/worlds/batch/live.c
  src/worlds/batch/cuda.c
  src/worlds/batch/cudadriver.c
  src/worlds/batch/cudamemory.c
  src/worlds/batch/cudateam.c
  src/worlds/batch/fields.c
  src/worlds/batch/parameters.c
  src/worlds/batch/records.c
  src/worlds/batch/rollout.c
  src/worlds/batch/simulationcalls.c
  src/worlds/batch/simulationfields.c
  src/worlds/batch/simulations.c
  src/worlds/batch/simulationsteps.c
  src/worlds/batch/tensor.c
  src/worlds/batch/values.c
  src/worlds/batch/step.c
  src/worlds/batch/workers.c
)

# lanes: one source per width, with the instructions that the width needs; chosen at run time
list(APPEND CF_SOURCES
  src/worlds/lanes/candidates.c
  src/worlds/lanes/group.c
  src/worlds/lanes/order.c
  src/worlds/lanes/own.c
  src/worlds/lanes/rest.c
  src/worlds/lanes/solve.c
  src/worlds/lanes/task.c
)
set(CF_WIDTHS src/worlds/lanes/width1.c src/worlds/lanes/width4.c src/worlds/lanes/width8.c src/worlds/lanes/own4.c
  src/worlds/lanes/own8.c)
list(APPEND CF_SOURCES ${CF_WIDTHS})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # lanes clear and copy some hundred bytes at a time: calls of memset and memcpy take longer than loops
  set(cf_lane_options "-funroll-loops")
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND cf_lane_options "-fno-tree-loop-distribute-patterns")
  endif()
  set_source_files_properties(src/worlds/lanes/width4.c src/worlds/lanes/own4.c PROPERTIES COMPILE_OPTIONS "-mavx2;${cf_lane_options}")
  set_source_files_properties(src/worlds/lanes/width8.c src/worlds/lanes/own8.c PROPERTIES
    COMPILE_OPTIONS "-mavx512f;-mprefer-vector-width=512;${cf_lane_options}")
endif()
