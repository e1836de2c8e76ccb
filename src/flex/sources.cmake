list(APPEND CF_SOURCES
  src/flex/boxes.c
  src/flex/bridson.c
  src/flex/choice.c
  src/flex/cotangent.c
  src/flex/edges.c
  src/flex/flex.c
  src/flex/forces.c
  src/flex/grid.c
  src/flex/gridimplicit.c
  src/flex/hyperelastic.c
  src/flex/interpolation.c
  src/flex/linear.c
  src/flex/neohookean.c
  src/flex/stableneohookean.c
  src/flex/strain.c
  src/flex/vertices.c
)
