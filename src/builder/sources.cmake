list(APPEND CF_SOURCES
  src/builder/build.c
  src/builder/builder.c
)
