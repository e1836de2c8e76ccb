// The reference library, when the tests are told where it is, and the shared model folder.
//
// A comparison that cannot happen is a skipped test, never a passed one: CF_NEED_REFERENCE() inside
// a test, `if (!cf_referenceOpen()) { return cf_skipCode(); }` in a program of its own.  With
// CI=true it is a failure.
#ifndef CF_REFERENCE_H
#define CF_REFERENCE_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* cf_reference;

// where everything has to be there, what is missing fails
static inline int cf_mayNotSkip(void) {
  const char* value = getenv("CI");
  return value && !strcmp(value, "true");
}

// what main returns when it could not compare: 77 is skipped for ctest
static inline int cf_skipCode(void) {
  return cf_mayNotSkip() ? 1 : 77;
}

// leave the test unless the condition holds
#define CF_NEED(condition, what)           \
  do {                                     \
    if (!(condition)) {                    \
      if (cf_mayNotSkip()) {               \
        CF_FAIL("missing: %s\n", what);    \
      }                                    \
      print_message("needs %s\n", (what)); \
      skip();                              \
    }                                      \
  } while (0)

#define CF_NEED_REFERENCE() CF_NEED(cf_referenceOpen(), "the reference, MUJOCO_REFERENCE_LIB")

// the shared models are a cross-check that a clone does not have: skipped wherever they are missing
#define CF_NEED_SHARED()                                         \
  do {                                                           \
    if (!cf_sharedFolder()) {                                    \
      print_message("needs the shared folder, CF_SHARED_DIR\n"); \
      skip();                                                    \
    }                                                            \
  } while (0)

// open the library that MUJOCO_REFERENCE_LIB names; 0 when there is none
static inline int cf_referenceOpen(void) {
  const char* path = getenv("MUJOCO_REFERENCE_LIB");
  if (!cf_reference && path) {
    cf_reference = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!cf_reference) {
      printf("no reference: %s\n", dlerror());
    }
  } else if (!path) {
    printf("no reference: MUJOCO_REFERENCE_LIB is not set\n");
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
    return NULL;
  }
  return folder;
}

#endif  // CF_REFERENCE_H
