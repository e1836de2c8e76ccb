// When the driver of a GPU is called and how long each call takes, for the time to a first step.
//
//   cc -O2 -shared -fPIC tools/gpu/timeline.c -o timeline.so -ldl
//   CORTENFORGE_CUDA_DRIVER=$PWD/timeline.so check speed models/humanoid.xml 32768 10 1
//
// It stands between a batch and the driver and writes to stderr: milliseconds since the first call,
// milliseconds that it took, name.  What lies between two calls is our own.  Calls of less than 0.2
// ms in a row are told as one.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ARGUMENTS = 11, CALLS_TOLD = 400 };

#define CF_EXPORT __attribute__((visibility("default")))


static double milliseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}


// the driver's own function, whatever its arguments are: they are whole numbers and pointers
typedef int (*anyFunction)(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                           intptr_t, intptr_t, intptr_t, intptr_t);

static anyFunction driverFunction(const char* name) {
  static void* driver;
  driver = driver ? driver : dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void* function = driver ? dlsym(driver, name) : NULL;
  if (!function) {
    fprintf(stderr, "timeline: the driver has no %s\n", name);
    exit(1);
  }
  return (anyFunction)(intptr_t)function;
}


static void tell(const char* name, double begin, double end) {
  static double start, short_time, last_end;
  static int calls, short_calls;
  start = start > 0 ? start : begin;
  if (calls >= CALLS_TOLD) {
    return;
  }
  if (end - begin < 0.2 && (last_end <= 0 || begin - last_end < 0.2)) {
    short_calls++;
    short_time += end - begin;
    last_end = end;
    return;
  }
  if (short_calls) {
    fprintf(stderr, "timeline %20s %8.2f  %d short calls\n", "", short_time, short_calls);
    short_calls = 0, short_time = 0;
  }
  fprintf(stderr, "timeline at %8.2f (%6.2f ours) %8.2f  %s\n", begin - start,
          last_end > 0 ? begin - last_end : 0, end - begin, name);
  last_end = end;
  calls++;
}


#define TIMED(name)                                                                            \
  CF_EXPORT int name(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f,   \
                     intptr_t g, intptr_t h, intptr_t i, intptr_t j, intptr_t k);              \
  int name(intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f, intptr_t g, \
           intptr_t h, intptr_t i, intptr_t j, intptr_t k) {                                   \
    static anyFunction function;                                                               \
    const double begin = milliseconds();                                                       \
    function = function ? function : driverFunction(#name);                                    \
    const int result = function(a, b, c, d, e, f, g, h, i, j, k);                              \
    tell(#name, begin, milliseconds());                                                        \
    return result;                                                                             \
  }

#define CF_CUDA_FUNCTION(name, arguments) TIMED(name)
#include "../../src/worlds/batch/cudadriver.def"
#undef CF_CUDA_FUNCTION
