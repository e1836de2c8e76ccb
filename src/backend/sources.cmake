list(APPEND CF_SOURCES
  src/backend/features.c
)
