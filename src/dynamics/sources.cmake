list(APPEND CF_SOURCES
  src/dynamics/acceleration.c
  src/dynamics/activation.c
  src/dynamics/applied.c
  src/dynamics/comvel.c
  src/dynamics/crb.c
  src/dynamics/energy.c
  src/dynamics/factor.c
  src/dynamics/history.c
  src/dynamics/inertia.c
  src/dynamics/rne.c
  src/dynamics/actuation.c
  src/dynamics/fluid.c
  src/dynamics/passive.c
)
