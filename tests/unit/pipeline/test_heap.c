// No heap call inside a step: the allocator of the process is counted while mj_step runs.
#include "cf_test.h"

#include <stdbool.h>

#include "cf_smooth.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define CF_NO_COUNT
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define CF_NO_COUNT
#endif
#endif

static int heap_calls;
static bool counting;

#ifndef CF_NO_COUNT

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* p, size_t size);
void* __libc_memalign(size_t alignment, size_t size);


void* malloc(size_t size) {
  heap_calls += counting;
  return __libc_malloc(size);
}


void* calloc(size_t count, size_t size) {
  heap_calls += counting;
  return __libc_calloc(count, size);
}


void* realloc(void* p, size_t size) {
  heap_calls += counting;
  return __libc_realloc(p, size);
}


void* aligned_alloc(size_t alignment, size_t size) {
  heap_calls += counting;
  return __libc_memalign(alignment, size);
}

#endif


CF_TEST(step__every_integrator__no_heap_call) {
  const char* const name[] = {"zoo", "pendulum", "delay", "wrap_sphere_inside",
                              "wrap_cylinder_inside"};
  for (int k = 0; k < 5; k++) {
    for (int integrator = 0; integrator <= mjINT_IMPLICITFAST; integrator++) {
      for (int jacobian = 0; jacobian < 2; jacobian++) {
        cfCase c = cf_openCase(name[k]);
        c.m->opt.integrator = integrator;
        c.m->opt.jacobian = jacobian;
        c.m->opt.enableflags |= mjENBL_ENERGY | mjENBL_FWDINV;
        cf_randomState(c, 1);
        heap_calls = 0;
        counting = true;
        for (int step = 0; step < 5; step++) {
          mj_step(c.m, c.d);
        }
        counting = false;
        CF_EQ_INT(heap_calls, 0);
        CF_EQ_INT(c.d->pstack, 0);
        cf_closeCase(c);
      }
    }
  }
}


CF_TEST_MAIN("pipeline/heap")
