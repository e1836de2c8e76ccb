// No heap call inside a step, on every model of models/ under many options, and on the shared
// models where CF_SHARED_DIR names their folder.  The allocator of the process is counted as well
// as the hooks of the library.
#include <dirent.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>

#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_reference.h"
#include "cf_test.h"
#include "cf_threads.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define CF_NO_COUNT
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || \
    __has_feature(thread_sanitizer)
#define CF_NO_COUNT
#endif
#endif

static atomic_int heap_calls;
static atomic_bool counting;


static void countCall(void) {
  if (counting) {
    heap_calls++;
  }
}

#ifndef CF_NO_COUNT

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* p, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* p);


void* malloc(size_t size) {
  countCall();
  return __libc_malloc(size);
}


void* calloc(size_t count, size_t size) {
  countCall();
  return __libc_calloc(count, size);
}


void* realloc(void* p, size_t size) {
  countCall();
  return __libc_realloc(p, size);
}


void* aligned_alloc(size_t alignment, size_t size) {
  countCall();
  return __libc_memalign(alignment, size);
}


int posix_memalign(void** p, size_t alignment, size_t size) {
  countCall();
  *p = __libc_memalign(alignment, size);
  return *p ? 0 : 12;
}


void free(void* p) {
  countCall();
  __libc_free(p);
}

#endif


// the library's own hooks
static void* hookMalloc(size_t size) {
  countCall();
  void* p = NULL;
  return posix_memalign(&p, 64, size) ? NULL : p;
}


static void hookFree(void* p) {
  countCall();
  free(p);
}


static void stepTimes(void* argument) {
  void** pair = argument;
  mjData* d = pair[1];
  for (int k = 0; k < 4; k++) {
    mj_step(pair[0], d);
    mj_step1(pair[0], d);
    mj_step2(pair[0], d);
  }
}


// heap calls of some steps, which must not raise an error: what is not run has no calls to count
static int callsOfSteps(const mjModel* m, mjData* d) {
  void* pair[2] = {(void*)(uintptr_t)m, d};
  for (int i = 0; i < m->nu; i++) {
    d->ctrl[i] = 0.3;
  }
  heap_calls = 0;
  counting = true;
  const int raised = cf_tryCall(stepTimes, pair);
  counting = false;
  if (raised) {
    CF_FAIL("a step raised: %s\n", cf_error_text);
  }
  return heap_calls;
}


static void expectNoCalls(const char* path, const mjModel* m) {
  mjData* d = mj_makeData(m);
  if (m->nkey) {
    mj_resetDataKeyframe(m, d, 0);
  }
  const int calls = callsOfSteps(m, d);
  if (calls) {
    CF_FAIL("%s, integrator %d, solver %d, cone %d, jacobian %d: %d heap calls\n", path,
            m->opt.integrator, m->opt.solver, m->opt.cone, m->opt.jacobian, calls);
  }
  mj_deleteData(d);
}


// every integrator, solver, cone and Jacobian; where a sanitizer slows steps down, every fifth of
// their combinations, with another start for each model so that all of them meet some model
static void tryOptions(const char* path, mjModel* m) {
#ifdef CF_NO_COUNT
  enum { STRIDE = 5 };
#else
  enum { STRIDE = 1 };
#endif
  static int visited;
  for (int k = visited++ % STRIDE; k < 4 * 3 * 2 * 2; k += STRIDE) {
    m->opt.integrator = k % 4;
    m->opt.solver = k / 4 % 3;
    m->opt.cone = k / 12 % 2;
    m->opt.jacobian = k / 24;
    m->opt.noslip_iterations = k % 5 == 0 ? 3 : 0;
    m->opt.enableflags ^= mjENBL_ENERGY | mjENBL_FWDINV;
    m->opt.disableflags ^= k % 3 ? 0 : mjDSBL_NATIVECCD;
    expectNoCalls(path, m);
  }
}


static void visitOnce(const char* path, mjModel* m) {
  expectNoCalls(path, m);
}


static bool endsWith(const char* text, const char* end) {
  const size_t n = strlen(text), k = strlen(end);
  return n >= k && !strcmp(text + n - k, end);
}


// models of a folder, and of the folders in it where asked
static int visitFolder(const char* folder, bool deep, void (*visit)(const char*, mjModel*)) {
  DIR* dir = opendir(folder);
  int count = 0;
  if (!dir) {
    return 0;
  }
  for (struct dirent* entry; (entry = readdir(dir));) {
    char path[2000], error[500];
    struct stat info;
    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] == '.' || stat(path, &info)) {
      continue;
    }
    if (S_ISDIR(info.st_mode) && deep) {
      count += visitFolder(path, deep, visit);
    } else if (endsWith(path, ".xml")) {
      mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
      if (m) {
        visit(path, m);
        mj_deleteModel(m);
        count++;
      }
    }
  }
  closedir(dir);
  return count;
}


CF_TEST(counter__calls_outside_and_inside__only_inside_counted) {
#ifdef CF_NO_COUNT
  skip();
#endif
  char* volatile text = strdup("not counted");
  heap_calls = 0;
  counting = true;
  free(text);
  text = strdup("counted");
  counting = false;
  free(text);
  CF_EQ_INT(heap_calls, 2);
}


CF_TEST(step__own_models__no_heap_call) {
#ifdef CF_NO_COUNT
  printf("skipped: the sanitizer owns the allocator\n");
  skip();
#endif
  cf_guardClear();
  CF_TRUE(visitFolder(CF_SOURCE_DIR "/models", false, visitOnce) >= 10);
}


// calls of the hooks count, and what they or others ask of the allocator does
CF_TEST(step__own_models_all_options_with_hooks__no_heap_call) {
  cf_guardClear();
  mju_user_malloc = hookMalloc;
  mju_user_free = hookFree;
  CF_TRUE(visitFolder(CF_SOURCE_DIR "/models", false, tryOptions) >= 10);
  mju_user_malloc = NULL;
  mju_user_free = NULL;
}


CF_TEST(step__islands_on_two_threads__no_heap_call) {
#ifdef CF_NO_COUNT
  printf("skipped: the sanitizer owns the allocator\n");
  skip();
#endif
  char error[500];
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/models/terrain.xml", NULL, error, sizeof(error));
  mjData* d = mj_makeData(m);
  mjThreadPool* pool = mju_threadPoolCreate(2);
  mju_bindThreadPool(d, pool);
  cf_keepThreads(d);
  for (int k = 0; k < 100; k++) {
    mj_step(m, d);
  }
  CF_TRUE(d->nisland > 1);
  CF_EQ_INT(callsOfSteps(m, d), 0);
  mj_deleteData(d);
  mj_deleteModel(m);
  mju_threadPoolDestroy(pool);
}


CF_TEST(step__shared_models__no_heap_call) {
#ifdef CF_NO_COUNT
  printf("skipped: the sanitizer owns the allocator\n");
  skip();
#endif
  CF_NEED_SHARED();
  char models[1000];
  snprintf(models, sizeof(models), "%s/models", cf_sharedFolder());
  cf_guardClear();
  const int visited = visitFolder(models, true, visitOnce);
  mju_user_warning = NULL;
  printf("%d shared models\n", visited);
  CF_TRUE(visited > 100);
}

CF_TEST_MAIN("robust/heap_models")
