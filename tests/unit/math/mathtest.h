// Helpers of the mathematics tests: random numbers, relative comparison, the reference library.
#ifndef CF_MATHTEST_H
#define CF_MATHTEST_H

#include <dlfcn.h>

#include <mujoco/mujoco.h>

#include "cf_reference.h"
#include "cf_test.h"

//------------------------------ random numbers
//------------------------------------------------------

static uint64_t random_state = 88172645463325252u;

static inline uint64_t randomBits(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}


// uniform in (-1, 1)
static inline double randomNumber(void) {
  return (double)(int64_t)randomBits() / 9223372036854775808.0;
}


// uniform in 0..n-1
static inline int randomInt(int n) {
  return (int)(randomBits() >> 33) % n;
}


static inline void randomFill(mjtNum* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = randomNumber();
  }
}


// random numbers, a share of them exactly zero
static inline void randomSparse(mjtNum* x, int n, double zeros) {
  for (int i = 0; i < n; i++) {
    x[i] = 0.5 * (randomNumber() + 1) < zeros ? 0 : randomNumber();
  }
}


static inline void randomQuat(mjtNum q[4]) {
  randomFill(q, 4);
  mju_normalize4(q);
}


// n x n, positive definite, entries of size one
static inline void randomSpd(mjtNum* A, int n) {
  mjtNum* B = malloc(sizeof(mjtNum) * (size_t)(n * n + 1));
  randomFill(B, n * n);
  for (int r = 0; r < n; r++) {
    for (int c = 0; c < n; c++) {
      A[r * n + c] = r == c ? 0.5 : 0;
      for (int k = 0; k < n; k++) {
        A[r * n + c] += B[r * n + k] * B[c * n + k];
      }
    }
  }
  free(B);
}

//------------------------------ scratch memory
//------------------------------------------------------

// mjData with nothing but an arena, enough for functions that only need its stack
static inline mjData* newScratch(void) {
  mjData* d = calloc(1, sizeof(mjData));
  d->narena = 1 << 22;
  d->arena = malloc((size_t)d->narena);
  return d;
}


static inline void deleteScratch(mjData* d) {
  free(d->arena);
  free(d);
}

//------------------------------ comparison
//----------------------------------------------------------

static inline double largest(const mjtNum* x, int n) {
  double size = 0;
  for (int i = 0; i < n; i++) {
    size = fabs(x[i]) > size ? fabs(x[i]) : size;
  }
  return size;
}


// arrays agree to the tolerance relative to the largest number expected
#define CF_CLOSE(actual, expected, n, tolerance)                                              \
  do {                                                                                        \
    const double cf_size = largest((expected), (n));                                          \
    CF_NEAR_ARRAY((actual), (expected), (n), (tolerance) * (cf_size > 0 ? cf_size : 1e-300)); \
  } while (0)

//------------------------------ reference library
//---------------------------------------------------

// a function of the reference library; NULL, after one message, where there is no such library
static inline void* referenceSymbol(const char* name) {
  static void* library;
  static int tried;
  if (!tried) {
    tried = 1;
    const char* path = getenv("MUJOCO_REFERENCE_LIB");
    int mode = RTLD_NOW | RTLD_LOCAL;
#if defined(RTLD_DEEPBIND) && !defined(__SANITIZE_ADDRESS__)
    mode |= RTLD_DEEPBIND;
#endif
    library = path && path[0] ? dlopen(path, mode) : NULL;
    if (!library) {
      print_message("comparison with the reference skipped: MUJOCO_REFERENCE_LIB %s\n",
                    path && path[0] ? dlerror() : "is not set");
    }
  }
  return library ? dlsym(library, name) : NULL;
}


// declare ref_NAME, the reference's NAME of the given type; the test is skipped where it is absent
#define CF_REFERENCE_AS(type, name)                            \
  __typeof__(type) ref_##name;                                 \
  do {                                                         \
    void* cf_symbol = referenceSymbol(#name);                  \
    CF_NEED(cf_symbol, "the reference, MUJOCO_REFERENCE_LIB"); \
    memcpy(&ref_##name, &cf_symbol, sizeof(cf_symbol));        \
  } while (0)

#define CF_REFERENCE(name) CF_REFERENCE_AS(__typeof__(name)*, name)

#endif  // CF_MATHTEST_H
