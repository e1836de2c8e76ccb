list(APPEND CF_SOURCES
  src/constraint/choice.c
)
