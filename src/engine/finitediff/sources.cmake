list(APPEND CF_SOURCES
  src/engine/finitediff/closed.c
  src/engine/finitediff/differ.c
  src/engine/finitediff/finishstep.c
  src/engine/finitediff/frozenrows.c
  src/engine/finitediff/hybrid.c
  src/engine/finitediff/inverse.c
  src/engine/finitediff/response.c
  src/engine/finitediff/transition.c
  src/engine/finitediff/translation.c
  src/engine/finitediff/treegroups.c
  src/engine/finitediff/validate.c
)
