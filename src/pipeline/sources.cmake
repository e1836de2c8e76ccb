list(APPEND CF_SOURCES
  src/pipeline/advance.c
  src/pipeline/check.c
  src/pipeline/euler.c
  src/pipeline/forward.c
  src/pipeline/implicit.c
  src/pipeline/implicitflex.c
  src/pipeline/integrate.c
  src/pipeline/inverse.c
  src/pipeline/largestrain.c
  src/pipeline/rungekutta.c
  src/pipeline/springdamper.c
  src/pipeline/stiffgains.c
  src/pipeline/together.c
)
