# the stages, once per precision; they include the other files of the folder
set(CF_PRECISIONS src/team/double.c src/team/single.c)
set(CF_TEAM_SOURCES
  src/team/accept.c
  src/team/drives.c
  src/team/hulls.c
  src/team/lists.c
  src/team/overlap.c
  src/team/pairs.c
  src/team/sensors.c
  ${CF_PRECISIONS}
)
list(APPEND CF_SOURCES ${CF_TEAM_SOURCES})
# arrays of different types share memory
set_source_files_properties(${CF_PRECISIONS} PROPERTIES COMPILE_OPTIONS "-fno-strict-aliasing")
