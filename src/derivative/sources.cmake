list(APPEND CF_SOURCES
  src/derivative/biasvel.c
  src/derivative/fluidvel.c
  src/derivative/forcevel.c
  src/derivative/velocity.c
)
