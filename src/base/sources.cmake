list(APPEND CF_SOURCES
  src/base/arena.c
  src/base/error.c
  src/base/memory.c
  src/base/threads.c
)
