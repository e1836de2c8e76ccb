// A small pool of worker threads with one bounded queue, and loops that caller and workers share.
//
// A loop stands in the pool itself: its rounds are taken from a counter by the caller and by as
// many workers as come in time.  The caller never waits for a worker that has not begun, so a loop
// is worth its rounds alone.  Workers look out for work for a moment before they sleep: waking a
// thread takes longer than many a loop.
//
// Errors inside of rounds are raised by the caller, whose handler may jump out of the loop: those
// of workers are kept until the loop is over, and before one of its own the caller ends the loop.
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/assert.h"

// PATIENCE: looks at the pool before a worker sleeps, some 30 microseconds
enum { QUEUE_SIZE = 640, PATIENCE = 1000, ERROR_MAX = 1024 };

// the public struct comes first: its address is the pool's
typedef struct cfPool_ {
  mjThreadPool head;
  pthread_t thread[mjMAXTHREAD];
  size_t nthread;
  pthread_mutex_t alloc_mutex;
  int nopen;  // tasks that wait or run, and the loop

  // ring of waiting tasks
  pthread_mutex_t queue_mutex;
  pthread_cond_t has_task, has_room;
  mjTask* queue[QUEUE_SIZE];
  size_t first, count;
  bool is_closing;

  // the loop that runs, if any.  Changed under the lock of the queue, but for left and inside,
  // which go down without it
  cfLoopJob job;
  void* context;
  int njob;
  int left;     // rounds that nobody has taken; may fall below zero
  int inside;   // workers that take rounds
  int helpers;  // how many there may be
  bool has_loop;
  bool has_error;         // a worker raised an error in a round
  char error[ERROR_MAX];  // the first one
  int patience;           // 0 where threads share processors
  struct cfWorker_ {      // what a worker is told when it starts
    struct cfPool_* pool;
    size_t id;
  } worker[mjMAXTHREAD];
} Pool;

// a loop in which a thread takes rounds, as caller or as worker; loops of other pools may nest
typedef struct cfLoopPart_ {
  struct cfLoopPart_* outer;
  Pool* pool;
  bool is_worker;
  bool has_ended;  // by an error of the caller; `rest` rounds were not taken
  int rest;
} loopPart;

// asked for by every use of a stack with a pool: found without a call
static _Thread_local size_t worker_id __attribute__((tls_model("initial-exec")));
static _Thread_local loopPart* innermost;


// task status is shared between threads; the public struct has a plain volatile int for it
static int exchangeStatus(mjTask* task, int status) {
  return __atomic_exchange_n(&task->status, status, __ATOMIC_ACQ_REL);
}


size_t cfi_workerId(void) {
  return worker_id;
}


size_t cfi_poolSize(const mjThreadPool* pool) {
  return ((const Pool*)pool)->nthread;
}


bool cfi_poolLock(mjThreadPool* thread_pool) {
  Pool* pool = (Pool*)thread_pool;
  if (__atomic_load_n(&pool->nopen, __ATOMIC_ACQUIRE) == 0) {
    return false;
  }
  pthread_mutex_lock(&pool->alloc_mutex);
  return true;
}


void cfi_poolUnlock(mjThreadPool* pool) {
  pthread_mutex_unlock(&((Pool*)pool)->alloc_mutex);
}


// leave the processor to its other thread for a moment
static inline void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}


// what is looked at without the lock
static inline bool seesWork(const Pool* pool) {
  return __atomic_load_n(&pool->count, __ATOMIC_RELAXED) > 0 ||
         __atomic_load_n(&pool->left, __ATOMIC_RELAXED) > 0;
}


static void lookOut(const Pool* pool) {
  for (int k = 0; k < pool->patience && !seesWork(pool); k++) {
    breathe();
  }
}


// rounds of the loop, until none is left or an error has ended it
static void takeRounds(loopPart* part) {
  Pool* pool = part->pool;
  part->outer = innermost;
  innermost = part;
  while (!part->has_ended) {
    const int left = __atomic_fetch_sub(&pool->left, 1, __ATOMIC_RELAXED);
    if (left <= 0) {
      break;
    }
    CF_ASSERT(left <= pool->njob);
    pool->job(pool->context, pool->njob - left);
  }
  innermost = part->outer;
}


// is there a loop with rounds for one more worker
static bool wantsHelp(const Pool* pool) {
  return pool->has_loop && __atomic_load_n(&pool->left, __ATOMIC_RELAXED) > 0 &&
         __atomic_load_n(&pool->inside, __ATOMIC_RELAXED) < pool->helpers;
}


// the oldest waiting task, NULL when there is none; the caller holds the lock
static mjTask* popTask(Pool* pool) {
  if (!pool->count) {
    return NULL;
  }
  CF_ASSERT(pool->count <= QUEUE_SIZE && pool->first < QUEUE_SIZE);
  mjTask* task = pool->queue[pool->first];
  pool->first = (pool->first + 1) % QUEUE_SIZE;
  __atomic_store_n(&pool->count, pool->count - 1, __ATOMIC_RELAXED);
  pthread_cond_signal(&pool->has_room);
  return task;
}


// wait for work and do it; false when the pool closes and nothing is left
static bool serveOnce(Pool* pool) {
  lookOut(pool);
  pthread_mutex_lock(&pool->queue_mutex);
  while (!pool->count && !pool->is_closing && !wantsHelp(pool)) {
    pthread_cond_wait(&pool->has_task, &pool->queue_mutex);
  }
  mjTask* task = popTask(pool);
  const bool helps = !task && wantsHelp(pool);
  if (helps) {
    __atomic_add_fetch(&pool->inside, 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&pool->queue_mutex);

  if (task) {
    task->args = task->func(task->args);
    __atomic_sub_fetch(&pool->nopen, 1, __ATOMIC_RELEASE);
    exchangeStatus(task, mjTASK_COMPLETED);
  } else if (helps) {
    takeRounds(&(loopPart){.pool = pool, .is_worker = true});
    __atomic_sub_fetch(&pool->inside, 1, __ATOMIC_RELEASE);
  }
  return task || helps;
}


static void* workerMain(void* argument) {
  const struct cfWorker_* worker = argument;
  worker_id = worker->id;
  while (serveOnce(worker->pool)) {
  }
  return NULL;
}


// put a loop into the pool; false where there is one already or nobody could help
static bool openLoop(Pool* pool, int most, int njob, cfLoopJob job, void* context) {
  const int nthread = most < (int)pool->nthread ? most : (int)pool->nthread;
  if (njob < 2 || nthread < 2) {
    return false;
  }
  pthread_mutex_lock(&pool->queue_mutex);
  const bool is_free = !pool->has_loop;
  if (is_free) {
    pool->job = job;
    pool->context = context;
    pool->njob = njob;
    pool->helpers = nthread - 1;
    pool->has_loop = true;
    __atomic_add_fetch(&pool->nopen, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&pool->left, njob, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&pool->has_task);
  }
  pthread_mutex_unlock(&pool->queue_mutex);
  return is_free;
}


// Nobody else comes in; wait for those who are.  True if a worker raised an error: its text
static bool closeLoop(Pool* pool, char error[ERROR_MAX]) {
  pthread_mutex_lock(&pool->queue_mutex);
  pthread_mutex_unlock(&pool->queue_mutex);
  for (int k = 0; __atomic_load_n(&pool->inside, __ATOMIC_ACQUIRE) > 0; k++) {
    if (k < PATIENCE) {
      breathe();
    } else {
      sched_yield();
    }
  }
  pthread_mutex_lock(&pool->queue_mutex);
  const bool has_error = pool->has_error;
  if (has_error) {
    memcpy(error, pool->error, ERROR_MAX);
  }
  pool->has_loop = pool->has_error = false;
  __atomic_sub_fetch(&pool->nopen, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&pool->queue_mutex);
  return has_error;
}


// the caller of a loop is about to raise an error: nobody begins another round, and those who are
// in one end it.  What workers raised is forgotten, one error is enough
static void endLoop(loopPart* part) {
  const int left = __atomic_exchange_n(&part->pool->left, 0, __ATOMIC_RELAXED);
  char forgotten[ERROR_MAX];
  part->rest = left > 0 ? left : 0;
  part->has_ended = true;
  closeLoop(part->pool, forgotten);
}


static void keepError(Pool* pool, const char* text) {
  pthread_mutex_lock(&pool->queue_mutex);
  if (!pool->has_error) {
    snprintf(pool->error, ERROR_MAX, "%s", text);
    pool->has_error = true;
  }
  pthread_mutex_unlock(&pool->queue_mutex);
}


bool cfi_loopKeepsError(const char* text) {
  for (const loopPart* part = innermost; part; part = part->outer) {
    if (part->is_worker) {
      keepError(part->pool, text);
      return true;
    }
  }
  for (loopPart* part = innermost; part; part = part->outer) {
    endLoop(part);
  }
  innermost = NULL;
  return false;
}


// kept whole: the call of a round through a pointer stays out of the stages that share their work
__attribute__((noinline)) void cfi_poolLoop(mjThreadPool* thread_pool, int most, int njob,
                                            cfLoopJob job, void* context) {
  CF_ASSERT(njob >= 0 && job);
  loopPart part = {.pool = (Pool*)thread_pool, .rest = njob};
  if (openLoop(part.pool, most, njob, job, context)) {
    part.rest = 0;
    takeRounds(&part);
    char error[ERROR_MAX];
    if (!part.has_ended && closeLoop(part.pool, error)) {
      mju_error("%s", error);
    }
  }

  // without a loop, or after an error whose handler came back
  for (int k = njob - part.rest; k < njob; k++) {
    job(context, k);
  }
}


// start one more worker; false when the system has no room for it
static bool addWorker(Pool* pool) {
  CF_ASSERT(pool->nthread < mjMAXTHREAD);
  struct cfWorker_* worker = &pool->worker[pool->nthread];
  *worker = (struct cfWorker_){pool, pool->nthread + 1};
  if (pthread_create(&pool->thread[pool->nthread], NULL, workerMain, worker)) {
    return false;
  }
  pool->nthread++;
  return true;
}


mjThreadPool* mju_threadPoolCreate(size_t number_of_threads) {
  Pool* pool = mju_malloc(sizeof(Pool));
  if (!pool) {
    return NULL;
  }
  *pool = (Pool){.head = {(int)number_of_threads}};
  pool->patience = sysconf(_SC_NPROCESSORS_ONLN) >= (long)number_of_threads ? PATIENCE : 0;
  pthread_mutex_init(&pool->alloc_mutex, NULL);
  pthread_mutex_init(&pool->queue_mutex, NULL);
  pthread_cond_init(&pool->has_task, NULL);
  pthread_cond_init(&pool->has_room, NULL);

  while (pool->nthread < number_of_threads && pool->nthread < mjMAXTHREAD) {
    if (!addWorker(pool)) {
      mju_threadPoolDestroy(&pool->head);
      mju_error("mju_threadPoolCreate: could not start thread %zu", pool->nthread + 1);
      return NULL;
    }
  }
  return &pool->head;
}


void mju_threadPoolEnqueue(mjThreadPool* thread_pool, mjTask* task) {
  Pool* pool = (Pool*)thread_pool;
  CF_ASSERT(task->func && !pool->is_closing);
  if (exchangeStatus(task, mjTASK_QUEUED) != mjTASK_NEW) {
    mju_error("mju_threadPoolEnqueue: task->status is not mjTASK_NEW");
    return;
  }

  __atomic_add_fetch(&pool->nopen, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&pool->queue_mutex);
  while (pool->count == QUEUE_SIZE) {
    pthread_cond_wait(&pool->has_room, &pool->queue_mutex);
  }
  pool->queue[(pool->first + pool->count) % QUEUE_SIZE] = task;
  __atomic_store_n(&pool->count, pool->count + 1, __ATOMIC_RELAXED);
  pthread_cond_signal(&pool->has_task);
  pthread_mutex_unlock(&pool->queue_mutex);
}


void mju_threadPoolDestroy(mjThreadPool* thread_pool) {
  Pool* pool = (Pool*)thread_pool;
  if (!pool) {
    return;
  }
  pthread_mutex_lock(&pool->queue_mutex);
  pool->is_closing = true;
  pthread_cond_broadcast(&pool->has_task);
  pthread_mutex_unlock(&pool->queue_mutex);
  for (size_t k = 0; k < pool->nthread; k++) {
    pthread_join(pool->thread[k], NULL);
  }
  pthread_mutex_destroy(&pool->alloc_mutex);
  pthread_mutex_destroy(&pool->queue_mutex);
  pthread_cond_destroy(&pool->has_task);
  pthread_cond_destroy(&pool->has_room);
  mju_free(pool);
}


void mju_bindThreadPool(mjData* d, void* thread_pool) {
  if (d->threadpool) {
    mju_error("mju_bindThreadPool: mjData already has a thread pool");
    return;
  }
  d->threadpool = (uintptr_t)thread_pool;
  if (thread_pool && !cfi_shardStack(d)) {
    d->threadpool = 0;
    mju_error("mju_bindThreadPool: arena of %lld bytes is too small for %zu thread stacks",
              (long long)d->narena, cfi_poolSize(thread_pool) + 1);
  }
}


void mju_defaultTask(mjTask* task) {
  *task = (mjTask){.status = mjTASK_NEW};
}


void mju_taskJoin(mjTask* task) {
  while (__atomic_load_n(&task->status, __ATOMIC_ACQUIRE) != mjTASK_COMPLETED) {
    sched_yield();
  }
}
