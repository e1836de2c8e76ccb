list(APPEND CF_SOURCES
  src/finitediff/closed.c
  src/finitediff/differ.c
  src/finitediff/finishstep.c
  src/finitediff/frozenrows.c
  src/finitediff/hybrid.c
  src/finitediff/inverse.c
  src/finitediff/response.c
  src/finitediff/transition.c
  src/finitediff/translation.c
  src/finitediff/treegroups.c
  src/finitediff/validate.c
)
