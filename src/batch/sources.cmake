list(APPEND CF_SOURCES
  src/batch/batch.c
  src/batch/fields.c
  src/batch/parameters.c
  src/batch/records.c
  src/batch/step.c
  src/batch/workers.c
)
