list(APPEND CF_SOURCES
  src/engine/ray/flexray.c
  src/engine/ray/hfieldray.c
  src/engine/ray/meshray.c
  src/engine/ray/ray.c
  src/engine/ray/shapes.c
  src/engine/ray/triangle.c
)
