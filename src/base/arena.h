// The two-ended arena of mjData.
//
//   arena                parena                        narena - pstack          narena
//     | contacts, rows ... |  free ->            <- free  | ... frames of scratch |
//
// Step results grow from the front and live until the next step; scratch grows from the back and
// lives between mj_markStack and mj_freeStack in one function.
#ifndef CF_BASE_ARENA_H
#define CF_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

// a stack of scratch as addresses; it grows downward from bottom to limit
typedef struct {
  uintptr_t bottom;  // first address behind the stack
  uintptr_t top;     // lowest address in use
  uintptr_t limit;   // lowest address that may be used
  uintptr_t frame;   // latest mark, 0 when there is none
} cfStack;

// bytes of step results, or NULL when the arena is full (the caller counts a warning)
void* cfi_arenaAlloc(mjData* d, size_t bytes, size_t alignment);

// bytes at the back of the arena that hold the stacks of a bound pool
size_t cfi_shardedBytes(const mjData* d);

// where step results have to end while a pool is bound, as an offset; 0 while others may take from
// the arena too
size_t cfi_sharedEnd(const mjData* d);

// Bytes that a block is given.  Sizes that follow from the number of rows and contacts are rounded
// up on a device, so that arrays of worlds with about as many lie in the same places: what threads
// of a warp then read at once are neighbors in memory.
#ifdef CF_DEVICE
static inline size_t cfi_placeBytes(size_t bytes) {
  enum { FEW = 16, SMALL = 256, LARGE = 4096 };
  if (bytes <= FEW || !cfi_deviceRounds()) {
    return bytes;
  }
  return bytes <= SMALL ? SMALL : (bytes + LARGE - 1) / LARGE * LARGE;
}
#else
static inline size_t cfi_placeBytes(size_t bytes) {
  return bytes;
}
#endif

// address of an array that is to lie at *end, which moves behind it.  Lays out many arrays of
// numbers and indices that are then taken with one cfi_arenaAlloc of alignment 1; what begins at an
// index needs no rounding, since all sizes are multiples of one.
static inline void* cfi_arenaLay(char** end, uint64_t bytes, size_t alignment) {
  char* start = *end;
  if (alignment > sizeof(int)) {
    start += -(uintptr_t)start & (alignment - 1);
  }
  // where addresses have 32 bits, what is longer than they reach ends at the last of them, so that
  // it does not fit
  const uintptr_t last = UINTPTR_MAX - 4096;
  if (sizeof(void*) < sizeof(bytes) &&
      ((uintptr_t)start > last || bytes > last - (uintptr_t)start)) {
    *end = (char*)last;
    return start;
  }
  *end = start + cfi_placeBytes((size_t)bytes);
  return start;
}

// scratch for numbers that are read and written as vectors of four: none lies in two cache lines if
// rows are whole vectors
static inline mjtNum* cfi_stackVectors(mjData* d, size_t count) {
  enum { CF_VECTOR_BYTES = 4 * sizeof(mjtNum) };
  return (mjtNum*)mj_stackAllocByte(d, count * sizeof(mjtNum), CF_VECTOR_BYTES);
}

// bytes left for scratch of the calling thread
size_t cfi_stackAvailable(mjData* d);

// would a block of that size be had; asked where a warning is to take the place of the error
bool cfi_stackFits(mjData* d, size_t bytes, size_t alignment);

// forget all step results and scratch; under the address sanitizer the whole arena becomes
// unreadable
void cfi_arenaReset(mjData* d);

// divide the back half of the arena into one stack per thread of the bound pool, main thread first;
// false when the arena is too small
bool cfi_shardStack(mjData* d);

#endif  // CF_BASE_ARENA_H
