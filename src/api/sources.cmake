list(APPEND CF_SOURCES
  src/api/compat.c
  src/api/extensions.c
  src/api/hash.c
  src/api/printdata.c
)
