// Pool of a compilation: blocks of growing memory, freed together.
//
// Under the address sanitizer only what was handed out can be touched, with unreadable bytes
// between one piece and the next; blocks are small there, for poisoning takes time.
#include "compile/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/sanitize.h"

enum {
  BLOCK_BYTES = CF_ASAN ? 1 << 12 : 1 << 16,
  LARGE_BYTES = BLOCK_BYTES / 4,
  ALIGNMENT = 16,
};

struct cfPoolBlock {
  _Alignas(ALIGNMENT) cfPoolBlock* next;
  void (*release)(void* memory);  // of memory that was adopted, NULL for memory behind the block
};
_Static_assert(sizeof(cfPoolBlock) % ALIGNMENT == 0, "memory behind a block is aligned");


static cfPoolBlock* newBlock(size_t bytes) {
  CF_ASSERT(bytes > 0);
  cfPoolBlock* block = (cfPoolBlock*)calloc(1, sizeof(cfPoolBlock) + bytes);
  if (!block) {
    mju_error("could not allocate memory for compilation");
    abort();
  }
  return block;
}


// a block behind the newest, from which memory is taken
static void linkSecond(cfPool* pool, cfPoolBlock* block) {
  cfPoolBlock** link = pool->blocks ? &pool->blocks->next : &pool->blocks;
  block->next = *link;
  *link = block;
}


// a block of its own for something large; what is left of the newest block stays in use
static void* allocLarge(cfPool* pool, size_t bytes) {
  cfPoolBlock* block = newBlock(bytes);
  linkSecond(pool, block);
  return block + 1;
}


static void startBlock(cfPool* pool) {
  cfPoolBlock* block = newBlock(BLOCK_BYTES);
  CF_POISON(block + 1, BLOCK_BYTES);
  block->next = pool->blocks;
  pool->blocks = block;
  pool->used = 0;
  pool->room = BLOCK_BYTES;
}


void* cfi_poolAlloc(cfPool* pool, size_t count, size_t size) {
  CF_ASSERT(size > 0);
  if (count > (SIZE_MAX / 2 - CF_RED_ZONE - ALIGNMENT) / size) {
    mju_error("model element too large");
    abort();
  }
  const size_t bytes = (count * size + CF_RED_ZONE + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes > LARGE_BYTES) {
    return allocLarge(pool, count * size);
  }
  if (!pool->blocks || pool->room - pool->used < bytes) {
    startBlock(pool);
  }
  char* memory = (char*)(pool->blocks + 1) + pool->used;
  pool->used += bytes;
  CF_UNPOISON(memory, count * size);
  return memory;
}


void* cfi_poolCopy(cfPool* pool, const void* array, size_t count, size_t size) {
  CF_ASSERT(array || !count);
  void* copy = cfi_poolAlloc(pool, count, size);
  if (count) {
    memcpy(copy, array, count * size);
  }
  return copy;
}


char* cfi_poolText(cfPool* pool, const char* text) {
  return (char*)cfi_poolCopy(pool, text, strlen(text) + 1, 1);
}


void* cfi_poolScratch(cfPool* pool, size_t bytes, int slot) {
  CF_ASSERT(slot == 0 || slot == 1);
  if (pool->scratch[slot].room < bytes) {
    free(pool->scratch[slot].memory);
    pool->scratch[slot].memory = malloc(bytes);
    pool->scratch[slot].room = pool->scratch[slot].memory ? bytes : 0;
    if (!pool->scratch[slot].memory) {
      mju_error("could not allocate memory for compilation");
      abort();
    }
  }
  return pool->scratch[slot].memory;
}


static void dropScratch(cfPool* pool) {
  for (int slot = 0; slot < 2; slot++) {
    free(pool->scratch[slot].memory);
    pool->scratch[slot].memory = NULL;
    pool->scratch[slot].room = 0;
  }
}


bool cfi_poolAdopt(cfPool* pool, void* memory, void (*release)(void* memory)) {
  cfPoolBlock* block = (cfPoolBlock*)malloc(sizeof(cfPoolBlock) + sizeof(void*));
  if (!block) {
    return false;
  }
  memcpy(block + 1, &memory, sizeof(memory));
  block->release = release;
  linkSecond(pool, block);
  return true;
}


void cfi_poolJoin(cfPool* pool, cfPool* other) {
  CF_ASSERT(pool != other);
  cfPoolBlock** link = &pool->blocks;
  while (*link) {
    link = &(*link)->next;
  }
  *link = other->blocks;
  other->blocks = NULL;
  cfi_poolFree(other);
}


static void freeBlock(cfPoolBlock* block) {
  if (block->release) {
    void* memory;
    memcpy(&memory, block + 1, sizeof(memory));
    block->release(memory);
  }
  free(block);
}


void cfi_poolFree(cfPool* pool) {
  while (pool->blocks) {
    cfPoolBlock* next = pool->blocks->next;
    freeBlock(pool->blocks);
    pool->blocks = next;
  }
  pool->used = pool->room = 0;
  dropScratch(pool);
}
