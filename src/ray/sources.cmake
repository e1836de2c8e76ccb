list(APPEND CF_SOURCES
  src/ray/hfieldray.c
  src/ray/meshray.c
  src/ray/ray.c
  src/ray/shapes.c
  src/ray/triangle.c
)
