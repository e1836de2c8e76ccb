list(APPEND CF_SOURCES
  src/base/error.c
)
