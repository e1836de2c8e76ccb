list(APPEND CF_SOURCES
  src/model/awake.c
)
