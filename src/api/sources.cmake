list(APPEND CF_SOURCES
  src/api/fields.c
)
