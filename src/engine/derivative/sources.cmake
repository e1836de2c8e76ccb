list(APPEND CF_SOURCES
  src/engine/derivative/biasvel.c
  src/engine/derivative/fluidvel.c
  src/engine/derivative/forcevel.c
  src/engine/derivative/velocity.c
)
