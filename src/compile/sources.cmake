list(APPEND CF_SOURCES
  src/compile/flexconst.c
  src/compile/lengthrange.c
  src/compile/references0.c
  src/compile/setconst.c
  src/compile/statistics.c
  src/compile/treeconst.c
  src/compile/weights0.c
)
