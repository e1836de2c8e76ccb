// Device code: one thread per world, no locks.
#pragma once
#define PTHREAD_MUTEX_INITIALIZER 0
typedef int pthread_mutex_t;
#define pthread_mutex_lock(m) ((void)(m))
#define pthread_mutex_unlock(m) ((void)(m))
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP 0
