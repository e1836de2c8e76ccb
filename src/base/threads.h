// Threads: what arena and solver need to know of a thread pool.
#ifndef CF_BASE_THREADS_H
#define CF_BASE_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

// 0 on threads that belong to no pool, 1.. on a pool's workers
size_t cfi_workerId(void);

// number of running workers
size_t cfi_poolSize(const mjThreadPool* pool);

// Rounds 0 to njob - 1 of a loop, taken in this order by the caller and by workers that have
// nothing else to do: as many threads together as the pool has workers, but not more than `most`.
// Returns when all are done.  While the loop of another caller runs the caller does them alone.
typedef void (*cfLoopJob)(void* context, int k);
void cfi_poolLoop(mjThreadPool* pool, int most, int njob, cfLoopJob job, void* context);

// Before an error is raised: true if this thread is a worker in a loop, whose caller will raise it
// when all rounds are done, so that the round goes on as if a handler had come back.  Otherwise
// loops of which this thread is the caller are over when it returns: a handler may jump out of them
bool cfi_loopKeepsError(const char* text);

// Guard of the arena's front end while workers run.  False, and nothing to unlock, while no task
// waits or runs and no loop is open
bool cfi_poolLock(mjThreadPool* pool);
void cfi_poolUnlock(mjThreadPool* pool);

#endif  // CF_BASE_THREADS_H
