list(APPEND CF_SOURCES
  src/ray/flexray.c
  src/ray/hfieldray.c
  src/ray/meshray.c
  src/ray/ray.c
  src/ray/shapes.c
  src/ray/triangle.c
)
