// The reference library, when the tests are told where it is, and the shared model folder.
//
// Tests that need one of them print why and return when it is absent:
//
//   if (!cf_referenceOpen()) { return; }
#ifndef CF_REFERENCE_H
#define CF_REFERENCE_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void* cf_reference;

// open the library that MUJOCO_REFERENCE_LIB names; 0 when there is none
static inline int cf_referenceOpen(void) {
  const char* path = getenv("MUJOCO_REFERENCE_LIB");
  if (!cf_reference && path) {
    cf_reference = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!cf_reference) {
      printf("skipped: %s\n", dlerror());
    }
  } else if (!path) {
    printf("skipped: MUJOCO_REFERENCE_LIB is not set\n");
  }
  return cf_reference != NULL;
}

// function or variable of the reference library
static inline void* cf_referenceSymbol(const char* name) {
  void* symbol = cf_reference ? dlsym(cf_reference, name) : NULL;
  if (cf_reference && !symbol) {
    printf("reference has no %s\n", name);
    exit(1);
  }
  return symbol;
}

// call through the right type: CF_REF(mj_forward)(m, d)
#define CF_REF(name) ((__typeof__(&name))(uintptr_t)cf_referenceSymbol(#name))

// folder with models/ in it: CF_SHARED_DIR, or ../shared beside the source tree; NULL when absent
static inline const char* cf_sharedFolder(void) {
  const char* folder = getenv("CF_SHARED_DIR");
  folder = folder ? folder : CF_SOURCE_DIR "/../shared";
  if (access(folder, R_OK)) {
    printf("skipped: no shared folder (CF_SHARED_DIR)\n");
    return NULL;
  }
  return folder;
}

#endif  // CF_REFERENCE_H
