list(APPEND CF_SOURCES
  src/team/accept.c
  src/team/pairs.c
)

# the stages, once per precision; they include the other files of the folder
set(CF_PRECISIONS src/team/double.c src/team/single.c)
list(APPEND CF_SOURCES ${CF_PRECISIONS})
