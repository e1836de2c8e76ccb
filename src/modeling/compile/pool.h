// Memory of one compilation: taken piece by piece, zeroed, given back all at once.
#ifndef CF_COMPILE_POOL_H
#define CF_COMPILE_POOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cfPoolBlock cfPoolBlock;

// all zero: an empty pool
typedef struct {
  cfPoolBlock* blocks;  // newest first
  size_t used, room;    // bytes of the newest block
  struct {
    void* memory;
    size_t room;
  } scratch[2];
} cfPool;

// zeroed memory for `count` items of `size` bytes, aligned for any type; mju_error when there is
// none
void* cfi_poolAlloc(cfPool* pool, size_t count, size_t size);

// copy of an array or a text
void* cfi_poolCopy(cfPool* pool, const void* array, size_t count, size_t size);
char* cfi_poolText(cfPool* pool, const char* text);

// memory for a moment, not zeroed: valid until the next call with the same slot, 0 or 1
void* cfi_poolScratch(cfPool* pool, size_t bytes, int slot);

// take over memory of somebody else; `release` gives it back with the rest. False when memory is
// short
bool cfi_poolAdopt(cfPool* pool, void* memory, void (*release)(void* memory));

// take over all memory of another pool, which is empty afterwards
void cfi_poolJoin(cfPool* pool, cfPool* other);

// give everything back
void cfi_poolFree(cfPool* pool);

#endif  // CF_COMPILE_POOL_H
