list(APPEND CF_SOURCES
  src/modeling/builder/build.c
  src/modeling/builder/builder.c
)
