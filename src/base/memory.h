// Heap memory: 64-byte aligned blocks through the user's allocator, if there is one.
#ifndef CF_BASE_MEMORY_H
#define CF_BASE_MEMORY_H

#include <stddef.h>

// like mju_malloc, but returns NULL when memory is short and raises nothing
void* cfi_tryMalloc(size_t size);

// copy of a block, NULL when memory is short
void* cfi_tryCopy(const void* block, size_t size);

#endif  // CF_BASE_MEMORY_H
