list(APPEND CF_SOURCES
  src/worlds/backend/features.c
)
