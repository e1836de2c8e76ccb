list(APPEND CF_SOURCES
  src/tables/fields.c
  src/tables/globals.c
  src/tables/messages.c
)
