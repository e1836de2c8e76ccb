list(APPEND CF_SOURCES
  src/model/awake.c
  src/model/check.c
  src/model/data.c
  src/model/defaults.c
  src/model/extension.c
  src/model/layout.c
  src/model/mjb.c
  src/model/model.c
  src/model/names.c
  src/model/reset.c
  src/model/state.c
  src/model/warning.c
)
