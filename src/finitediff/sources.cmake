list(APPEND CF_SOURCES
  src/finitediff/inverse.c
  src/finitediff/transition.c
)
