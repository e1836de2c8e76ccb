// Threads: what arena and solver need to know of a thread pool.
#ifndef CF_BASE_THREADS_H
#define CF_BASE_THREADS_H

#include <stddef.h>

#include <mujoco/mujoco.h>

// 0 on threads that belong to no pool, 1.. on a pool's workers
size_t cfi_workerId(void);

// number of running workers
size_t cfi_poolSize(const mjThreadPool* pool);

// guard of the arena's front end while workers run
void cfi_poolLock(mjThreadPool* pool);
void cfi_poolUnlock(mjThreadPool* pool);

#endif  // CF_BASE_THREADS_H
