list(APPEND CF_SOURCES
  src/engine/sensor/camera.c
  src/engine/sensor/contacts.c
  src/engine/sensor/frames.c
  src/engine/sensor/geometry.c
  src/engine/sensor/scalars.c
  src/engine/sensor/sensor.c
  src/engine/sensor/sharedsensors.c
  src/engine/sensor/tactile.c
)
