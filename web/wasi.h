// What wasm32-wasi lacks and the sources of the engine use, included before each of them.
#ifndef CF_WASI_H
#define CF_WASI_H

#include <dlfcn.h>
#include <pthread.h>

// one thread: no lock is ever taken
#ifndef PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP PTHREAD_MUTEX_INITIALIZER
#endif

typedef struct {
  const char* dli_fname;
  void* dli_fbase;
  const char* dli_sname;
  void* dli_saddr;
} Dl_info;

// no library can be loaded, so none holds the address
static inline int dladdr(const void* address, Dl_info* info) {
  (void)address;
  (void)info;
  return 0;
}

#endif  // CF_WASI_H
