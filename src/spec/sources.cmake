list(APPEND CF_SOURCES
  src/spec/access.c
  src/spec/add.c
  src/spec/classes.c
  src/spec/defaults.c
  src/spec/element.c
  src/spec/list.c
  src/spec/shortcuts.c
  src/spec/specification.c
  src/spec/tree.c
  src/spec/values.c
  src/spec/vector.c
)
