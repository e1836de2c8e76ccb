list(APPEND CF_SOURCES
  src/sensor/camera.c
  src/sensor/contacts.c
  src/sensor/frames.c
  src/sensor/geometry.c
  src/sensor/scalars.c
  src/sensor/sensor.c
  src/sensor/sharedsensors.c
  src/sensor/tactile.c
)
