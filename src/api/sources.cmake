list(APPEND CF_SOURCES
  src/api/compat.c
  src/api/fields.c
  src/api/globals.c
  src/api/hash.c
  src/api/messages.c
  src/api/version.c
)
