list(APPEND CF_SOURCES
  src/solver/blockldl.c
  src/solver/blockstructure.c
  src/solver/cg.c
  src/solver/constrain.c
  src/solver/dual.c
  src/solver/fillcount.c
  src/solver/hessianblock.c
  src/solver/hessiandense.c
  src/solver/hessiansparse.c
  src/solver/linesearch.c
  src/solver/newton.c
  src/solver/noslip.c
  src/solver/pgs.c
  src/solver/primal.c
  src/solver/conefriction.c
  src/solver/treeldl.c
)
