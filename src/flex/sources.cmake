list(APPEND CF_SOURCES
  src/flex/flex.c
)
