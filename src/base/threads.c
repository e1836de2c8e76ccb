// A small pool of worker threads with one bounded queue, and loops that caller and workers share.
//
// A loop stands in the pool itself: caller and workers take its rounds, each thread those dealt to
// it from the front, then those of others from the back, so that what a thread has worked on is
// worked on by it again.  The caller never waits for a worker that has not begun, so a loop is
// worth its rounds alone.  Workers look out for work for a moment before they sleep: waking a
// thread takes longer than many a loop.  Thread 0 is the caller, thread k is worker k; the last
// worker of a pool helps in no loop, since caller and workers together are as many as the pool has.
//
// Errors inside of rounds are raised by the caller, whose handler may jump out of the loop: those
// of workers are kept until the loop is over, and before one of its own the caller ends the loop.
#include "base/threads.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/platform.h"

// PATIENCE: looks at the pool before a worker sleeps, some 30 microseconds; LONG_PATIENCE: times
// that, in the middle of a step
enum { QUEUE_SIZE = 640, PATIENCE = 1500, LONG_PATIENCE = 100, ERROR_MAX = 1024, LINE = 128 };

// rounds that nobody has taken: the first in the low half, the end in the high half
typedef struct {
  uint64_t span;
  char apart[LINE - sizeof(uint64_t)];  // threads take from their own without disturbing others
} Share;

// what a worker is told when it starts
typedef struct {
  struct cfPool_* pool;
  size_t id;
  cfCondition wake;
  bool is_asleep;
} Worker;

// the public struct comes first: its address is the pool's
typedef struct cfPool_ {
  mjThreadPool head;
  cfThread thread[mjMAXTHREAD];
  size_t nthread;
  uint64_t part;  // 2^32 divided by the number of threads, caller included
  cfMutex alloc_mutex;
  int nopen;  // tasks that wait or run, and the loop

  // ring of waiting tasks
  cfMutex queue_mutex;
  cfCondition has_room;
  mjTask* queue[QUEUE_SIZE];
  size_t first, count;
  bool is_closing;

  // the loop that runs, if any; written while the gate is shut and nobody is inside
  bool is_taken;  // a caller has it
  cfLoopJob job;
  void* context;
  int nhelper;            // workers 1 to nhelper may come in
  int nshare;             // shares of rounds
  bool has_error;         // a worker raised an error in a round
  char error[ERROR_MAX];  // the first one
  int patience;           // 0 where threads share processors
  bool is_watched;        // a loop will come soon

  char apart[LINE];
  int gate;  // 1 while it is open, 2 for each worker inside
  int left;  // rounds that nobody has taken
  Share share[mjMAXTHREAD];
  Worker worker[mjMAXTHREAD];
} Pool;

// a loop in which a thread takes rounds, as caller or as worker; loops of other pools may nest
typedef struct cfLoopPart_ {
  struct cfLoopPart_* outer;
  Pool* pool;
  int thread;
  bool has_ended;  // by an error of the caller, with these rounds not taken
  int nrest;
  struct {
    int first, end;
  } rest[mjMAXTHREAD];
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


uint64_t cfi_poolPart(const mjThreadPool* pool) {
  return ((const Pool*)pool)->part;
}


bool cfi_poolIsOpen(const mjThreadPool* pool) {
  return __atomic_load_n(&((const Pool*)pool)->nopen, __ATOMIC_ACQUIRE) != 0;
}


bool cfi_poolLock(mjThreadPool* thread_pool) {
  Pool* pool = (Pool*)thread_pool;
  if (!cfi_poolIsOpen(thread_pool)) {
    return false;
  }
  cfi_lock(&pool->alloc_mutex);
  return true;
}


void cfi_poolUnlock(mjThreadPool* pool) {
  cfi_unlock(&((Pool*)pool)->alloc_mutex);
}


// leave the processor to its other thread for a moment
static inline void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}


// is there a round for a worker
static inline bool seesRound(const Worker* worker) {
  const Pool* pool = worker->pool;
  return __atomic_load_n(&pool->left, __ATOMIC_SEQ_CST) > 0 &&
         (int)worker->id <= __atomic_load_n(&pool->nhelper, __ATOMIC_RELAXED);
}


// false when it is time to sleep or there is a task
static bool lookOut(const Worker* worker) {
  const Pool* pool = worker->pool;
  int patience = pool->patience;
  for (int k = 0; k < patience; k++) {
    if (seesRound(worker)) {
      return true;
    }
    if (__atomic_load_n(&pool->count, __ATOMIC_RELAXED)) {
      return false;
    }
    // in the middle of a step the next loop is not far
    if (k + 1 == patience && __atomic_load_n(&pool->is_watched, __ATOMIC_RELAXED) &&
        patience < LONG_PATIENCE * pool->patience) {
      patience += pool->patience;
    }
    breathe();
  }
  return false;
}


static inline uint64_t spanOf(int first, int end) {
  return (uint64_t)(uint32_t)end << 32 | (uint32_t)first;
}


// one round of a share, its first or its last; -1 where none is left
static int takeFrom(Share* share, bool last) {
  uint64_t span = __atomic_load_n(&share->span, __ATOMIC_RELAXED);
  for (;;) {
    const int first = (int)(uint32_t)span, end = (int)(span >> 32);
    if (first >= end) {
      return -1;
    }
    const uint64_t rest = last ? spanOf(first, end - 1) : spanOf(first + 1, end);
    if (__atomic_compare_exchange_n(&share->span, &span, rest, true, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return last ? end - 1 : first;
    }
  }
}


// the next round of a thread: its own, then what others have not come to
static int takeRound(Pool* pool, int thread) {
  const int own = thread < pool->nshare ? thread : 0;
  for (int k = 0; k < pool->nshare; k++) {
    const int other = own + k < pool->nshare ? own + k : own + k - pool->nshare;
    const int round = takeFrom(pool->share + other, /*last=*/k > 0);
    if (round >= 0) {
      __atomic_sub_fetch(&pool->left, 1, __ATOMIC_RELAXED);
      return round;
    }
  }
  return -1;
}


// rounds of the loop, until none is left or an error has ended it; first what the caller has to do
// itself
static void takeRounds(loopPart* part, cfLoopLead lead) {
  Pool* pool = part->pool;
  part->outer = innermost;
  innermost = part;
  if (lead) {
    lead(pool->context);
  }
  while (!part->has_ended && __atomic_load_n(&pool->left, __ATOMIC_RELAXED) > 0) {
    const int round = takeRound(pool, part->thread);
    if (round < 0) {
      break;
    }
    pool->job(pool->context, round);
  }
  innermost = part->outer;
}


static void leaveLoop(Pool* pool) {
  __atomic_sub_fetch(&pool->gate, 2, __ATOMIC_RELEASE);
}


// through the gate, if it is open for this worker
static bool enterLoop(const Worker* worker) {
  Pool* pool = worker->pool;
  int gate = __atomic_load_n(&pool->gate, __ATOMIC_RELAXED);
  do {
    if (!(gate & 1) || !seesRound(worker)) {
      return false;
    }
  } while (!__atomic_compare_exchange_n(&pool->gate, &gate, gate + 2, true, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED));
  if ((int)worker->id > pool->nhelper) {
    leaveLoop(pool);  // it was another loop by now
    return false;
  }
  return true;
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
  cfi_conditionSignal(&pool->has_room);
  return task;
}


// wait for tasks and rounds; true when the pool closes and nothing is left to do
static bool awaitWork(Worker* worker, mjTask** task) {
  Pool* pool = worker->pool;
  cfi_lock(&pool->queue_mutex);
  // who opens a loop looks at is_asleep after he has set the number of rounds
  __atomic_store_n(&worker->is_asleep, true, __ATOMIC_SEQ_CST);
  while (!pool->count && !pool->is_closing && !seesRound(worker)) {
    cfi_conditionWait(&worker->wake, &pool->queue_mutex);
  }
  __atomic_store_n(&worker->is_asleep, false, __ATOMIC_RELAXED);
  *task = popTask(pool);
  const bool is_over = !*task && pool->is_closing;
  cfi_unlock(&pool->queue_mutex);
  return is_over;
}


// wait for work and do it; false when the pool closes and nothing is left
static bool serveOnce(Worker* worker) {
  Pool* pool = worker->pool;
  if (lookOut(worker)) {
    if (enterLoop(worker)) {
      loopPart part;
      part.pool = pool;
      part.thread = (int)worker->id;
      part.has_ended = false;
      takeRounds(&part, NULL);
      leaveLoop(pool);
    }
    return true;
  }
  mjTask* task;
  if (awaitWork(worker, &task)) {
    return false;
  }
  if (task) {
    task->args = task->func(task->args);
    __atomic_sub_fetch(&pool->nopen, 1, __ATOMIC_RELEASE);
    exchangeStatus(task, mjTASK_COMPLETED);
  }
  return true;
}


static void* workerMain(void* argument) {
  Worker* worker = argument;
  worker_id = worker->id;
  while (serveOnce(worker)) {
  }
  return NULL;
}


// wake the workers that may help and sleep
static void wakeHelpers(Pool* pool, int nhelper) {
  for (int k = 0; k < nhelper; k++) {
    Worker* worker = pool->worker + k;
    if (__atomic_load_n(&worker->is_asleep, __ATOMIC_SEQ_CST)) {
      cfi_lock(&pool->queue_mutex);
      cfi_conditionSignal(&worker->wake);
      cfi_unlock(&pool->queue_mutex);
    }
  }
}


// put a loop into the pool; false where there is one already
static bool openLoop(Pool* pool, int nthread, const int* first, int nshare, cfLoopJob job,
                     void* context) {
  if (__atomic_exchange_n(&pool->is_taken, true, __ATOMIC_ACQUIRE)) {
    return false;
  }
  CF_ASSERT(nthread > 1 && nshare >= 1 && nshare <= nthread);
  pool->job = job;
  pool->context = context;
  pool->nshare = nshare;
  for (int k = 0; k < nshare; k++) {
    CF_ASSERT(first[k] <= first[k + 1]);
    __atomic_store_n(&pool->share[k].span, spanOf(first[k], first[k + 1]), __ATOMIC_RELAXED);
  }
  __atomic_add_fetch(&pool->nopen, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&pool->nhelper, nthread - 1, __ATOMIC_RELAXED);
  __atomic_store_n(&pool->gate, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&pool->left, first[nshare] - first[0], __ATOMIC_SEQ_CST);
  wakeHelpers(pool, nthread - 1);
  return true;
}


// Nobody else comes in; wait for those who are.  True if a worker raised an error: its text
static bool closeLoop(Pool* pool, char error[ERROR_MAX]) {
  __atomic_store_n(&pool->left, 0, __ATOMIC_RELAXED);
  __atomic_and_fetch(&pool->gate, ~1, __ATOMIC_RELAXED);
  for (int k = 0; __atomic_load_n(&pool->gate, __ATOMIC_ACQUIRE); k++) {
    if (k < PATIENCE) {
      breathe();
    } else {
      cfi_threadYield();
    }
  }
  const bool has_error = pool->has_error;
  if (has_error) {
    memcpy(error, pool->error, ERROR_MAX);
  }
  pool->has_error = false;
  __atomic_sub_fetch(&pool->nopen, 1, __ATOMIC_RELEASE);
  return has_error;
}


// the pool is free for the next loop
static void giveUpLoop(Pool* pool) {
  __atomic_store_n(&pool->is_taken, false, __ATOMIC_RELEASE);
}


// the caller of a loop is about to raise an error: nobody begins another round, and those who are
// in one end it.  What workers raised is forgotten, one error is enough
static void endLoop(loopPart* part) {
  Pool* pool = part->pool;
  char forgotten[ERROR_MAX];
  part->has_ended = true;
  closeLoop(pool, forgotten);
  for (; part->nrest < pool->nshare; part->nrest++) {
    const uint64_t span = __atomic_load_n(&pool->share[part->nrest].span, __ATOMIC_RELAXED);
    part->rest[part->nrest].first = (int)(uint32_t)span;
    part->rest[part->nrest].end = (int)(span >> 32);
  }
  giveUpLoop(pool);
}


static void keepError(Pool* pool, const char* text) {
  cfi_lock(&pool->queue_mutex);
  if (!pool->has_error) {
    snprintf(pool->error, ERROR_MAX, "%s", text);
    pool->has_error = true;
  }
  cfi_unlock(&pool->queue_mutex);
}


bool cfi_loopKeepsError(const char* text) {
  for (const loopPart* part = innermost; part; part = part->outer) {
    if (part->thread > 0) {
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
static __attribute__((noinline)) void runLoop(Pool* pool, int nthread, const int* first, int nshare,
                                              cfLoopJob job, void* context, cfLoopLead lead) {
  loopPart part;
  part.pool = pool;
  part.thread = part.nrest = 0;
  part.has_ended = false;
  const bool is_shared = nthread > 1 && first[nshare] - first[0] > 1 &&
                         openLoop(pool, nthread, first, nshare, job, context);
  if (is_shared) {
    takeRounds(&part, lead);
    char error[ERROR_MAX];
    if (!part.has_ended) {
      const bool has_error = closeLoop(pool, error);
      giveUpLoop(pool);
      if (has_error) {
        mju_error("%s", error);
      }
    }
  } else {
    if (lead) {
      lead(context);
    }
    part.nrest = 1;
    part.rest[0].first = first[0];
    part.rest[0].end = first[nshare];
  }

  // without a loop, or after an error whose handler came back
  for (int r = 0; r < part.nrest; r++) {
    for (int k = part.rest[r].first; k < part.rest[r].end; k++) {
      job(context, k);
    }
  }
}


void cfi_poolLoop(mjThreadPool* thread_pool, int most, int njob, cfLoopJob job, void* context) {
  CF_ASSERT(njob >= 0 && job);
  Pool* pool = (Pool*)thread_pool;
  const int nthread = most < (int)pool->nthread ? most : (int)pool->nthread;
  runLoop(pool, nthread, (const int[2]){0, njob}, 1, job, context, NULL);
}


void cfi_poolDeal(mjThreadPool* thread_pool, int nthread, const int* first, cfLoopJob job,
                  void* context) {
  Pool* pool = (Pool*)thread_pool;
  CF_ASSERT(nthread > 0 && nthread <= (int)pool->nthread && job);
  runLoop(pool, nthread, first, nthread, job, context, NULL);
}


void cfi_poolDealBehind(mjThreadPool* thread_pool, int nthread, const int* first, cfLoopJob job,
                        void* context, cfLoopLead lead) {
  Pool* pool = (Pool*)thread_pool;
  CF_ASSERT(nthread > 0 && nthread <= (int)pool->nthread && job && lead);
  runLoop(pool, nthread, first, nthread, job, context, lead);
}


void cfi_poolWatch(mjThreadPool* thread_pool, bool is_on) {
  __atomic_store_n(&((Pool*)thread_pool)->is_watched, is_on, __ATOMIC_RELAXED);
}


// start one more worker; false when the system has no room for it
static bool addWorker(Pool* pool) {
  CF_ASSERT(pool->nthread < mjMAXTHREAD);
  Worker* worker = &pool->worker[pool->nthread];
  worker->pool = pool;
  worker->id = pool->nthread + 1;
  if (!cfi_threadStart(&pool->thread[pool->nthread], workerMain, worker, NULL, 0)) {
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
  pool->patience = cfi_processors() >= (int)number_of_threads ? PATIENCE : 0;
  cfi_mutexInit(&pool->alloc_mutex);
  cfi_mutexInit(&pool->queue_mutex);
  for (int k = 0; k < mjMAXTHREAD; k++) {
    cfi_conditionInit(&pool->worker[k].wake);
  }
  cfi_conditionInit(&pool->has_room);

  while (pool->nthread < number_of_threads && pool->nthread < mjMAXTHREAD) {
    if (!addWorker(pool)) {
      mju_threadPoolDestroy(&pool->head);
      mju_error("mju_threadPoolCreate: could not start thread %zu", pool->nthread + 1);
      return NULL;
    }
  }
  pool->part = ((uint64_t)1 << 32) / (pool->nthread + 1);
  return &pool->head;
}


// wake somebody for a task, from the last worker on, which is in no loop; the caller holds the
// lock. Who has been woken may look as if he slept until he gets the lock: all who sleep look again
static void wakeForTask(Pool* pool) {
  size_t to_wake = pool->count;
  for (size_t k = pool->nthread; k > 0 && to_wake > 0; k--) {
    if (__atomic_load_n(&pool->worker[k - 1].is_asleep, __ATOMIC_RELAXED)) {
      cfi_conditionSignal(&pool->worker[k - 1].wake);
      to_wake--;
    }
  }
}


void mju_threadPoolEnqueue(mjThreadPool* thread_pool, mjTask* task) {
  Pool* pool = (Pool*)thread_pool;
  CF_ASSERT(task->func && !pool->is_closing);
  if (exchangeStatus(task, mjTASK_QUEUED) != mjTASK_NEW) {
    mju_error("mju_threadPoolEnqueue: task->status is not mjTASK_NEW");
    return;
  }

  __atomic_add_fetch(&pool->nopen, 1, __ATOMIC_RELAXED);
  cfi_lock(&pool->queue_mutex);
  while (pool->count == QUEUE_SIZE) {
    cfi_conditionWait(&pool->has_room, &pool->queue_mutex);
  }
  pool->queue[(pool->first + pool->count) % QUEUE_SIZE] = task;
  __atomic_store_n(&pool->count, pool->count + 1, __ATOMIC_RELAXED);
  wakeForTask(pool);
  cfi_unlock(&pool->queue_mutex);
}


void mju_threadPoolDestroy(mjThreadPool* thread_pool) {
  Pool* pool = (Pool*)thread_pool;
  if (!pool) {
    return;
  }
  cfi_lock(&pool->queue_mutex);
  pool->is_closing = true;
  for (size_t k = 0; k < pool->nthread; k++) {
    cfi_conditionSignal(&pool->worker[k].wake);
  }
  cfi_unlock(&pool->queue_mutex);
  for (size_t k = 0; k < pool->nthread; k++) {
    cfi_threadJoin(pool->thread[k]);
  }
  cfi_mutexDestroy(&pool->alloc_mutex);
  cfi_mutexDestroy(&pool->queue_mutex);
  for (int k = 0; k < mjMAXTHREAD; k++) {
    cfi_conditionDestroy(&pool->worker[k].wake);
  }
  cfi_conditionDestroy(&pool->has_room);
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
    cfi_threadYield();
  }
}
