// Threads: what arena and solver need to know of a thread pool.
#ifndef CF_BASE_THREADS_H
#define CF_BASE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

// 0 on threads that belong to no pool, 1.. on a pool's workers
size_t cfi_workerId(void);

// number of running workers
size_t cfi_poolSize(const mjThreadPool* pool);

// what each of them and the caller may have of something, in units of 2^-32; not more than a whole
// divided by their number
uint64_t cfi_poolPart(const mjThreadPool* pool);

// Rounds 0 to njob - 1 of a loop, taken in this order by the caller and by workers that have
// nothing else to do: as many threads together as the pool has workers, but not more than `most`.
// Returns when all are done.  While the loop of another caller runs the caller does them alone.
typedef void (*cfLoopJob)(void* context, int k);
void cfi_poolLoop(mjThreadPool* pool, int most, int njob, cfLoopJob job, void* context);

// The same with rounds dealt to threads: those from first[k] to first[k+1] - 1 to thread k, of
// which there are nthread, not more than the pool has workers; 0 is the caller, and a number is the
// same thread in every loop.  Who has done his own takes those of others, from the last on
void cfi_poolDeal(mjThreadPool* pool, int nthread, const int* first, cfLoopJob job, void* context);

// The same behind something that the caller has to do itself while others have begun
typedef void (*cfLoopLead)(void* context);
void cfi_poolDealBehind(mjThreadPool* pool, int nthread, const int* first, cfLoopJob job,
                        void* context, cfLoopLead lead);

// from on to off, as in a step, loops follow each other: workers look out for them longer than they
// would otherwise before they sleep
void cfi_poolWatch(mjThreadPool* pool, bool is_on);

// Before an error is raised: true if this thread is a worker in a loop, whose caller will raise it
// when all rounds are done, so that the round goes on as if a handler had come back.  Otherwise
// loops of which this thread is the caller are over when it returns: a handler may jump out of them
bool cfi_loopKeepsError(const char* text);

// does a task wait or run, or is a loop open
bool cfi_poolIsOpen(const mjThreadPool* pool);

// Guard of the arena's front end while workers run.  False, and nothing to unlock, while the pool
// is not open
bool cfi_poolLock(mjThreadPool* pool);
void cfi_poolUnlock(mjThreadPool* pool);

#endif  // CF_BASE_THREADS_H
