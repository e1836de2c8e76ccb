list(APPEND CF_SOURCES
  src/base/arena.c
  src/base/base64.c
  src/base/buffer.c
  src/base/cache.c
  src/base/catalog.c
  src/base/error.c
  src/base/memory.c
  src/base/path.c
  src/base/plugin.c
  src/base/provider.c
  src/base/registry.c
  src/base/resource.c
  src/base/sort.c
  src/base/threads.c
  src/base/version.c
  src/base/vfs.c
)
