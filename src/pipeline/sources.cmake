list(APPEND CF_SOURCES
  src/pipeline/sleep.c
)
