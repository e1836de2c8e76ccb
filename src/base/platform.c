// What is the same on all systems.
#include "base/platform.h"

#include <stdlib.h>

#include "base/assert.h"

// its address is another one in each thread
static _Thread_local char own_address;

#if defined(CF_NO_THREADS)
#define LOAD_OWNER(pointer) (*(pointer))
#define STORE_OWNER(pointer, value) (*(pointer) = (value))
#else
#define LOAD_OWNER(pointer) __atomic_load_n(pointer, __ATOMIC_RELAXED)
#define STORE_OWNER(pointer, value) __atomic_store_n(pointer, value, __ATOMIC_RELAXED)
#endif


void cfi_lockAgain(cfRecursiveMutex* mutex) {
  // only this thread writes its own address
  const void* self = &own_address;
  if (LOAD_OWNER(&mutex->owner) != self) {
    cfi_lock(&mutex->mutex);
    STORE_OWNER(&mutex->owner, self);
  }
  mutex->depth++;
}


void cfi_unlockAgain(cfRecursiveMutex* mutex) {
  CF_ASSERT(mutex->owner == &own_address && mutex->depth > 0);
  if (!--mutex->depth) {
    STORE_OWNER(&mutex->owner, NULL);
    cfi_unlock(&mutex->mutex);
  }
}


void cfi_folderFree(char** names, int count) {
  for (int k = 0; k < count; k++) {
    free(names[k]);
  }
  free(names);
}
