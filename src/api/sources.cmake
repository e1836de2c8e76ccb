list(APPEND CF_SOURCES
  src/api/compat.c
  src/api/hash.c
)
