// A small pool of worker threads with one bounded queue.
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/assert.h"

enum { QUEUE_SIZE = 640 };

// the public struct comes first: its address is the pool's
typedef struct cfPool_ {
  mjThreadPool head;
  pthread_t thread[mjMAXTHREAD];
  size_t nthread;
  pthread_mutex_t alloc_mutex;

  // ring of waiting tasks
  pthread_mutex_t queue_mutex;
  pthread_cond_t has_task, has_room;
  mjTask* queue[QUEUE_SIZE];
  size_t first, count;
  bool is_closing;
  struct cfWorker_ {  // what a worker is told when it starts
    struct cfPool_* pool;
    size_t id;
  } worker[mjMAXTHREAD];
} Pool;

static _Thread_local size_t worker_id;


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


void cfi_poolLock(mjThreadPool* pool) {
  pthread_mutex_lock(&((Pool*)pool)->alloc_mutex);
}


void cfi_poolUnlock(mjThreadPool* pool) {
  pthread_mutex_unlock(&((Pool*)pool)->alloc_mutex);
}


// the oldest waiting task; NULL when the pool closes and nothing is left
static mjTask* takeTask(Pool* pool) {
  mjTask* task = NULL;
  pthread_mutex_lock(&pool->queue_mutex);
  while (!pool->count && !pool->is_closing) {
    pthread_cond_wait(&pool->has_task, &pool->queue_mutex);
  }
  if (pool->count) {
    CF_ASSERT(pool->count <= QUEUE_SIZE && pool->first < QUEUE_SIZE);
    task = pool->queue[pool->first];
    pool->first = (pool->first + 1) % QUEUE_SIZE;
    pool->count--;
    pthread_cond_signal(&pool->has_room);
  }
  pthread_mutex_unlock(&pool->queue_mutex);
  return task;
}


static void* workerMain(void* argument) {
  const struct cfWorker_* worker = argument;
  worker_id = worker->id;
  for (mjTask* task = takeTask(worker->pool); task; task = takeTask(worker->pool)) {
    task->args = task->func(task->args);
    exchangeStatus(task, mjTASK_COMPLETED);
  }
  return NULL;
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

  pthread_mutex_lock(&pool->queue_mutex);
  while (pool->count == QUEUE_SIZE) {
    pthread_cond_wait(&pool->has_room, &pool->queue_mutex);
  }
  pool->queue[(pool->first + pool->count) % QUEUE_SIZE] = task;
  pool->count++;
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
