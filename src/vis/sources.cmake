list(APPEND CF_SOURCES
  src/vis/camera.c
  src/vis/defaults.c
  src/vis/mouse.c
  src/vis/perturb.c
  src/vis/scene.c
  src/vis/select.c
  src/vis/shape.c
  src/vis/skin.c
  src/vis/space.c
)
