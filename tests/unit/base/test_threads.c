// Thread pool and stacks per thread.
#include "cf_guard.h"
#include "cf_models.h"
#include "cf_test.h"
#include "cf_threads.h"

#include <stdatomic.h>
#include <time.h>

#include "base/sanitize.h"
#include "base/arena.h"
#include "base/threads.h"

typedef struct {
  mjData* d;
  atomic_int* sum;
  int value;
  size_t worker;
} Job;


static void* addValue(void* argument) {
  Job* job = argument;
  job->worker = cfi_workerId();
  atomic_fetch_add(job->sum, job->value);
  return argument;
}


CF_TEST(pool__more_tasks_than_queue__all_done) {
  enum { NTASK = 2000 };
  static mjTask tasks[NTASK];
  static Job jobs[NTASK];
  atomic_int sum = 0;
  mjThreadPool* pool = mju_threadPoolCreate(4);
  CF_EQ_INT(pool->nworker, 4);
  CF_EQ_INT(cfi_poolSize(pool), 4);
  for (int k = 0; k < NTASK; k++) {
    mju_defaultTask(tasks + k);
    jobs[k] = (Job){NULL, &sum, k, 0};
    tasks[k].func = addValue;
    tasks[k].args = jobs + k;
    mju_threadPoolEnqueue(pool, tasks + k);
  }
  for (int k = 0; k < NTASK; k++) {
    mju_taskJoin(tasks + k);
    CF_TRUE(jobs[k].worker >= 1 && jobs[k].worker <= 4);
    CF_TRUE(tasks[k].args == jobs + k);
  }
  CF_EQ_INT(sum, NTASK * (NTASK - 1) / 2);
  CF_EQ_INT(cfi_workerId(), 0);
  CF_RAISES(mju_threadPoolEnqueue(pool, tasks), "mjTASK_NEW");
  mju_threadPoolDestroy(pool);
  mju_threadPoolDestroy(NULL);
}


// rounds of a loop: how often each was done, and by whom
enum { NROUND = 300 };
typedef struct {
  atomic_int done[NROUND], helped;
} Rounds;


static void countRound(void* context, int k) {
  Rounds* rounds = context;
  atomic_fetch_add(&rounds->done[k], 1);
  atomic_fetch_add(&rounds->helped, cfi_workerId() > 0);
}


static void runRounds(mjThreadPool* pool, Rounds* rounds, int n) {
  cfi_poolLoop(pool, mjMAXTHREAD, n, countRound, rounds);
  for (int k = 0; k < NROUND; k++) {
    CF_EQ_INT(atomic_exchange(&rounds->done[k], 0), k < n);
  }
}


CF_TEST(loop__many_times_in_pools_of_any_size__every_round_once) {
  static Rounds rounds;
  for (size_t nthread = 1; nthread <= 8; nthread++) {
    mjThreadPool* pool = mju_threadPoolCreate(nthread);
    for (int repeat = 0; repeat < 200; repeat++) {
      runRounds(pool, &rounds, repeat % NROUND);
    }
    mju_threadPoolDestroy(pool);
  }
}


CF_TEST(loop__one_worker__caller_does_it_alone) {
  static Rounds rounds;
  mjThreadPool* pool = mju_threadPoolCreate(1);
  runRounds(pool, &rounds, NROUND);
  CF_EQ_INT(rounds.helped, 0);
  mju_threadPoolDestroy(pool);
}


// a round that does not end before another thread has done one
static void waitForOther(void* context, int k) {
  atomic_int* seen = context;
  (void)k;
  atomic_fetch_add(seen, 1);
  while (atomic_load(seen) < 2) {
  }
}


CF_TEST(loop__two_workers__caller_has_help) {
  atomic_int seen = 0;
  mjThreadPool* pool = mju_threadPoolCreate(2);
  cfi_poolLoop(pool, 2, 2, waitForOther, &seen);
  CF_EQ_INT(seen, 2);
  mju_threadPoolDestroy(pool);
}


typedef struct {
  atomic_int now, most;
} Crowd;

// a round that lasts until others could have joined
static void joinCrowd(void* context, int k) {
  Crowd* crowd = context;
  const int now = atomic_fetch_add(&crowd->now, 1) + 1;
  int most = atomic_load(&crowd->most);
  while (now > most && !atomic_compare_exchange_weak(&crowd->most, &most, now)) {
  }
  const struct timespec pause = {.tv_nsec = 1000000 + k % 2};
  nanosleep(&pause, NULL);
  atomic_fetch_sub(&crowd->now, 1);
}


CF_TEST(loop__fewer_threads_wanted_than_workers__no_more_work_together) {
  mjThreadPool* pool = mju_threadPoolCreate(6);
  for (int most = 1; most <= 3; most++) {
    Crowd crowd = {0, 0};
    cfi_poolLoop(pool, most, 20, joinCrowd, &crowd);
    CF_TRUE(crowd.most >= 1 && crowd.most <= most);
  }
  mju_threadPoolDestroy(pool);
}


// rounds dealt to three threads, a third of which gets none
static void dealRounds(mjThreadPool* pool, int nthread, Rounds* rounds, int n) {
  int first[8] = {0};
  for (int t = 1; t < nthread; t++) {
    first[t] = n * t / (2 * nthread);
  }
  first[nthread] = n;
  cfi_poolDeal(pool, nthread, first, countRound, rounds);
  for (int k = 0; k < NROUND; k++) {
    CF_EQ_INT(atomic_exchange(&rounds->done[k], 0), k < n);
  }
}


CF_TEST(deal__many_times_to_any_number_of_threads__every_round_once) {
  static Rounds rounds;
  for (int nthread = 1; nthread <= 7; nthread++) {
    mjThreadPool* pool = mju_threadPoolCreate((size_t)nthread);
    for (int repeat = 0; repeat < 200; repeat++) {
      dealRounds(pool, nthread, &rounds, repeat % NROUND);
    }
    mju_threadPoolDestroy(pool);
  }
}


// who did rounds 0 and 1, both of which begin before one ends; what came first
typedef struct {
  atomic_int begun;
  size_t by[2];
  bool has_led;
} Dealt;


static void noteThread(void* context, int k) {
  Dealt* dealt = context;
  dealt->by[k] = cfi_workerId();
  atomic_fetch_add(&dealt->begun, 1);
  while (atomic_load(&dealt->begun) < 2) {
  }
}


static void noteLead(void* context) {
  Dealt* dealt = context;
  CF_EQ_INT(cfi_workerId(), 0);
  dealt->has_led = true;
}


CF_TEST(deal__two_rounds_to_two_threads__each_does_its_own) {
  static const int first[] = {0, 1, 2};
  mjThreadPool* pool = mju_threadPoolCreate(2);
  cfi_poolWatch(pool, true);
  int own = 0;
  for (int repeat = 0; repeat < 200; repeat++) {
    Dealt dealt = {0};
    cfi_poolDealBehind(pool, 2, first, noteThread, &dealt, noteLead);
    CF_TRUE(dealt.has_led && dealt.by[0] + dealt.by[1] == 1);
    own += dealt.by[1] == 1;
  }
  // who comes late finds his round taken
  CF_TRUE(own > 0);
  cfi_poolWatch(pool, false);
  mju_threadPoolDestroy(pool);
}


// a loop inside a round, and a task of the queue beside it
static void nestLoop(void* context, int k) {
  void** both = context;
  if (k == 0) {
    cfi_poolLoop(both[0], 4, NROUND, countRound, both[1]);
  }
}


CF_TEST(loop__in_a_loop_and_beside_tasks__all_done) {
  static Rounds rounds;
  atomic_int sum = 0;
  mjThreadPool* pool = mju_threadPoolCreate(3);
  void* both[2] = {pool, &rounds};
  Job job = {NULL, &sum, 5, 0};
  mjTask task;
  mju_defaultTask(&task);
  task.func = addValue;
  task.args = &job;
  mju_threadPoolEnqueue(pool, &task);
  cfi_poolLoop(pool, 4, 4, nestLoop, both);
  mju_taskJoin(&task);
  CF_EQ_INT(sum, 5);
  for (int k = 0; k < NROUND; k++) {
    CF_EQ_INT(rounds.done[k], 1);
  }
  mju_threadPoolDestroy(pool);
}


// a loop whose rounds wait for each other on two threads, and raise an error on one of them or both
typedef struct {
  mjThreadPool* pool;
  atomic_int begun, ended;
  bool caller_fails, worker_fails;
} Failing;


static void failRound(void* context, int k) {
  Failing* f = context;
  (void)k;
  atomic_fetch_add(&f->begun, 1);
  while (atomic_load(&f->begun) < 2) {
  }
  if (cfi_workerId() ? f->worker_fails : f->caller_fails) {
    mju_error("%s failed", cfi_workerId() ? "worker" : "caller");
  }
  atomic_fetch_add(&f->ended, 1);
}


static void runFailing(Failing* f) {
  f->begun = f->ended = 0;
  cfi_poolLoop(f->pool, 2, 5, failRound, f);
}


// the loop before it must be over: this one never ends without help
static void expectHelp(mjThreadPool* pool) {
  atomic_int seen = 0;
  cfi_poolLoop(pool, 2, 2, waitForOther, &seen);
  CF_EQ_INT(seen, 2);
}


CF_TEST(loop__handler_jumps_out_of_the_callers_round__pool_is_free_again) {
  Failing f = {.pool = mju_threadPoolCreate(2), .caller_fails = true};
  for (int repeat = 0; repeat < 50; repeat++) {
    CF_RAISES(runFailing(&f), "caller failed");
    const int ended = f.ended;
    CF_TRUE(ended < 5);
    expectHelp(f.pool);
    CF_EQ_INT(f.ended, ended);
  }
  mju_threadPoolDestroy(f.pool);
}


static void failLead(void* context) {
  (void)context;
  mju_error("lead failed");
}


CF_TEST(deal__lead_of_the_caller_fails__pool_is_free_again) {
  static const int first[] = {0, 3, 5};
  Failing f = {.pool = mju_threadPoolCreate(2)};
  for (int repeat = 0; repeat < 50; repeat++) {
    f.begun = 2;
    f.ended = 0;
    CF_RAISES(cfi_poolDealBehind(f.pool, 2, first, failRound, &f, failLead), "lead failed");
    CF_TRUE(f.ended <= 5);
    expectHelp(f.pool);
  }
  mju_threadPoolDestroy(f.pool);
}


CF_TEST(loop__error_on_a_worker__raised_by_the_caller_when_all_is_done) {
  Failing f = {.pool = mju_threadPoolCreate(2), .worker_fails = true};
  for (int repeat = 0; repeat < 50; repeat++) {
    CF_RAISES(runFailing(&f), "worker failed");
    CF_EQ_INT(f.ended, 5);
    expectHelp(f.pool);
  }

  // one error is enough, and nothing of it is left for the next loop
  f.caller_fails = true;
  CF_RAISES(runFailing(&f), "caller failed");
  f.caller_fails = f.worker_fails = false;
  runFailing(&f);
  CF_EQ_INT(f.ended, 5);
  mju_threadPoolDestroy(f.pool);
}


static int nreturned;

static void returnFromError(const char* text) {
  CF_HAS_STR(text, "failed");
  CF_EQ_INT(cfi_workerId(), 0);
  nreturned++;
}


CF_TEST(loop__handler_comes_back__every_round_is_done) {
  Failing f = {.pool = mju_threadPoolCreate(2), .caller_fails = true, .worker_fails = true};
  mju_user_error = returnFromError;
  runFailing(&f);
  CF_TRUE(nreturned > 0 && nreturned <= 5);
  CF_EQ_INT(f.ended, 5);
  mju_user_error = NULL;
  expectHelp(f.pool);
  mju_threadPoolDestroy(f.pool);
}


// scratch of one worker, filled and checked, beside arena blocks of all
static void* useStack(void* argument) {
  Job* job = argument;
  mjData* d = job->d;
  for (int round = 0; round < 100; round++) {
    mj_markStack(d);
    int* block = mj_stackAllocInt(d, 200);
    int* front = cfi_arenaAlloc(d, 10 * sizeof(int), sizeof(int));
    for (int k = 0; k < 200; k++) {
      block[k] = job->value + k;
    }
    for (int k = 0; k < 10; k++) {
      front[k] = job->value;
    }
    for (int k = 0; k < 200; k++) {
      if (block[k] != job->value + k) {
        atomic_fetch_add(job->sum, 1);
      }
    }
    mj_freeStack(d);
  }
  return NULL;
}


// the record of a shard lies below its scratch: what is handed out never reaches it
CF_TEST(shard__all_its_bytes_taken_and_wiped__marks_still_nest) {
  mjModel* m = cf_loadTestModel("rig");
  mjData* d = mj_makeData(m);
  mjThreadPool* pool = mju_threadPoolCreate(3);
  mju_bindThreadPool(d, pool);
  cf_keepThreads(d);
  const size_t before = cfi_stackAvailable(d);
  mj_markStack(d);

  // all that is left but for the red zones of a sanitizer
  const size_t left = cfi_stackAvailable(d) - 2 * CF_RED_ZONE;
  memset(mj_stackAllocByte(d, left, 1), 0, left);
  CF_EQ_INT(cfi_stackAvailable(d), 0);
  CF_RAISES(mj_stackAllocByte(d, 1, 1), "stack");
  mj_freeStack(d);
  CF_EQ_INT(cfi_stackAvailable(d), before);
  mj_deleteData(d);
  mju_threadPoolDestroy(pool);
  mj_deleteModel(m);
}


CF_TEST(pool__bound_to_data__stacks_do_not_overlap) {
  enum { NTASK = 16 };
  mjModel* m = cf_loadTestModel("rig");
  mjData* d = mj_makeData(m);
  mjThreadPool* pool = mju_threadPoolCreate(3);
  mju_bindThreadPool(d, pool);
  cf_keepThreads(d);
  CF_RAISES(mju_bindThreadPool(d, pool), "already");
  mjTask tasks[NTASK];
  Job jobs[NTASK];
  atomic_int wrong = 0;
  for (int k = 0; k < NTASK; k++) {
    mju_defaultTask(tasks + k);
    jobs[k] = (Job){d, &wrong, 1000 * k, 0};
    tasks[k].func = useStack;
    tasks[k].args = jobs + k;
    mju_threadPoolEnqueue(pool, tasks + k);
  }

  // the main thread has a stack of its own
  Job own = {d, &wrong, -1, 0};
  useStack(&own);
  for (int k = 0; k < NTASK; k++) {
    mju_taskJoin(tasks + k);
  }
  CF_EQ_INT(wrong, 0);
  CF_EQ_INT(d->parena, (NTASK + 1) * 100 * 10 * sizeof(int));
  CF_TRUE(d->maxuse_threadstack[0] > 0);

  // a reset keeps the pool
  mj_resetData(m, d);
  CF_EQ_INT(d->parena, 0);
  useStack(&own);
  mjData* copy = mj_copyData(NULL, m, d);
  own.d = copy;
  useStack(&own);
  CF_EQ_INT(wrong, 0);
  mj_deleteData(copy);
  mj_deleteData(d);
  mju_threadPoolDestroy(pool);
  mj_deleteModel(m);
}


CF_TEST(pool__tiny_arena__refused) {
  mjModel* m = cf_loadTestModel("empty");
  m->narena = 500;
  mjData* d = mj_makeData(m);
  mjThreadPool* pool = mju_threadPoolCreate(4);
  CF_RAISES(mju_bindThreadPool(d, pool), "too small");
  CF_EQ_INT(d->threadpool, 0);
  mj_deleteData(d);
  mju_threadPoolDestroy(pool);
  mj_deleteModel(m);
}

CF_TEST_MAIN("base/threads")
