list(APPEND CF_SOURCES
  src/batch/batch.c
  src/batch/course.c
  src/batch/live.c
  src/batch/cuda.c
  src/batch/cudadriver.c
  src/batch/cudamemory.c
  src/batch/cudateam.c
  src/batch/fields.c
  src/batch/parameters.c
  src/batch/records.c
  src/batch/rollout.c
  src/batch/simulationcalls.c
  src/batch/simulationfields.c
  src/batch/simulations.c
  src/batch/simulationsteps.c
  src/batch/tensor.c
  src/batch/values.c
  src/batch/step.c
  src/batch/workers.c
)

# lanes: one source per width, with the instructions that the width needs; chosen at run time
list(APPEND CF_SOURCES
  src/batch/lanes/candidates.c
  src/batch/lanes/group.c
  src/batch/lanes/order.c
  src/batch/lanes/own.c
  src/batch/lanes/rest.c
  src/batch/lanes/solve.c
  src/batch/lanes/task.c
)
set(CF_WIDTHS src/batch/lanes/width1.c src/batch/lanes/width4.c src/batch/lanes/width8.c src/batch/lanes/own4.c
  src/batch/lanes/own8.c)
list(APPEND CF_SOURCES ${CF_WIDTHS})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # lanes clear and copy some hundred bytes at a time: calls of memset and memcpy take longer than loops
  set(cf_lane_options "-funroll-loops")
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND cf_lane_options "-fno-tree-loop-distribute-patterns")
  endif()
  set_source_files_properties(src/batch/lanes/width4.c src/batch/lanes/own4.c PROPERTIES COMPILE_OPTIONS "-mavx2;${cf_lane_options}")
  set_source_files_properties(src/batch/lanes/width8.c src/batch/lanes/own8.c PROPERTIES
    COMPILE_OPTIONS "-mavx512f;-mprefer-vector-width=512;${cf_lane_options}")
endif()
