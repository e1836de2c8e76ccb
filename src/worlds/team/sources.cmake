# the stages, once per precision; they include the other files of the folder
set(CF_PRECISIONS src/worlds/team/double.c src/worlds/team/single.c)
set(CF_TEAM_SOURCES
  src/worlds/team/accept.c
  src/worlds/team/drives.c
  src/worlds/team/hulls.c
  src/worlds/team/lists.c
  src/worlds/team/overlap.c
  src/worlds/team/pairs.c
  src/worlds/team/sensors.c
  ${CF_PRECISIONS}
)
list(APPEND CF_SOURCES ${CF_TEAM_SOURCES})
# arrays of different types share memory
set_source_files_properties(${CF_PRECISIONS} PROPERTIES COMPILE_OPTIONS "-fno-strict-aliasing")
