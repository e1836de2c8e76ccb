// Pool of a compilation: blocks of growing memory, freed together.
#include "compile/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"

enum { BLOCK_BYTES = 1 << 16, ALIGNMENT = 16 };

struct cfPoolBlock {
  cfPoolBlock* next;
  size_t pad;  // keeps the memory behind the block aligned
};


// a block for at least `bytes`, in front of the list
static void addBlock(cfPool* pool, size_t bytes) {
  size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
  cfPoolBlock* block = (cfPoolBlock*)calloc(1, sizeof(cfPoolBlock) + room);
  if (!block) {
    mju_error("could not allocate memory for compilation");
    abort();
  }
  block->next = pool->blocks;
  pool->blocks = block;
  pool->used = 0;
  pool->room = room;
}


void* cfi_poolAlloc(cfPool* pool, size_t count, size_t size) {
  CF_ASSERT(size > 0);
  if (count > (SIZE_MAX / 2 - ALIGNMENT) / size) {
    mju_error("model element too large");
    abort();
  }
  size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (!pool->blocks || pool->room - pool->used < bytes) {
    addBlock(pool, bytes);
  }
  char* memory = (char*)(pool->blocks + 1) + pool->used;
  pool->used += bytes;
  return memory;
}


void* cfi_poolCopy(cfPool* pool, const void* array, size_t count, size_t size) {
  void* copy = cfi_poolAlloc(pool, count, size);
  if (count) {
    memcpy(copy, array, count * size);
  }
  return copy;
}


char* cfi_poolText(cfPool* pool, const char* text) {
  return (char*)cfi_poolCopy(pool, text, strlen(text) + 1, 1);
}


void cfi_poolFree(cfPool* pool) {
  while (pool->blocks) {
    cfPoolBlock* next = pool->blocks->next;
    free(pool->blocks);
    pool->blocks = next;
  }
  pool->used = pool->room = 0;
}
