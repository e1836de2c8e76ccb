list(APPEND CF_SOURCES
  src/engine/pipeline/advance.c
  src/engine/pipeline/check.c
  src/engine/pipeline/euler.c
  src/engine/pipeline/forward.c
  src/engine/pipeline/implicit.c
  src/engine/pipeline/implicitflex.c
  src/engine/pipeline/integrate.c
  src/engine/pipeline/inverse.c
  src/engine/pipeline/largestrain.c
  src/engine/pipeline/rungekutta.c
  src/engine/pipeline/springdamper.c
  src/engine/pipeline/stiffgains.c
  src/engine/pipeline/together.c
)
