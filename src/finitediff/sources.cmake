list(APPEND CF_SOURCES
  src/finitediff/hybrid.c
  src/finitediff/inverse.c
  src/finitediff/transition.c
)
