list(APPEND CF_SOURCES
  src/kinematics/chain.c
)
