list(APPEND CF_SOURCES
  src/math/vector3.c
)
