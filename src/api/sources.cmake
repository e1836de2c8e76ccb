list(APPEND CF_SOURCES
  src/api/compat.c
  src/api/extensions.c
  src/api/hash.c
  src/api/printarrays.c
  src/api/printdata.c
  src/api/printmatrices.c
  src/api/printrows.c
  src/api/printsummary.c
)
