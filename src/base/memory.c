// Heap memory: 64-byte aligned blocks through the user's allocator, if there is one.
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/platform.h"

enum { BLOCK_ALIGNMENT = 64 };

void* (*mju_user_malloc)(size_t);
void (*mju_user_free)(void*);


void* cfi_tryMalloc(size_t size) {
  if (mju_user_malloc) {
    return mju_user_malloc(size);
  }
  if (size > SIZE_MAX - BLOCK_ALIGNMENT) {
    return NULL;
  }

  // systems want a multiple of the alignment; an empty request still gets a block
  const size_t blocks = size / BLOCK_ALIGNMENT + (size % BLOCK_ALIGNMENT || !size);
  return cfi_alignedAlloc(BLOCK_ALIGNMENT, blocks * BLOCK_ALIGNMENT);
}


void* cfi_tryCopy(const void* block, size_t size) {
  void* copy = cfi_tryMalloc(size);
  if (copy) {
    memcpy(copy, block, size);
  }
  return copy;
}


void* mju_malloc(size_t size) {
  void* block = cfi_tryMalloc(size);
  if (!block) {
    mju_error("Could not allocate memory");
  }
  return block;
}


void mju_free(void* ptr) {
  if (ptr && mju_user_free) {
    mju_user_free(ptr);
  } else {
    cfi_alignedFree(ptr);
  }
}
