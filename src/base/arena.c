// The two-ended arena of mjData: step results from the front, scratch from the back.
#include "base/arena.h"

#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "base/sanitize.h"
#include "base/threads.h"

// what a mark keeps: the stack as it was
typedef struct {
  uintptr_t top, frame;
} Mark;

// Where the stack overflows, an error is raised.  If the user's handler comes back, the step goes
// on with a block of the heap, so that nobody has to look at every address: it hangs in the list of
// frames, told apart by an odd address, and goes with the frame that it belongs to.
typedef struct {
  Mark before;
  bool is_mark;  // stands for a mark that did not fit, otherwise for scratch
} Spill;

enum { SHARD_ALIGNMENT = 128, SPILLED = 1 };

// the rare branches stay out of the way of the common ones, which then need no stack frame
#define RARE static __attribute__((noinline, cold))

// with a pool every use of a stack comes here: out of the way as well, but not cold
#define SHARED static __attribute__((noinline))


static inline mjThreadPool* poolOf(const mjData* d) {
  return (mjThreadPool*)d->threadpool;
}


// bytes of one thread's stack when a pool is bound, its cfStack record included
static inline size_t shardBytes(const mjData* d) {
  // half of the arena in equal parts, without a division: asked for by every use of a stack
  const uint64_t units = (uint64_t)d->narena / (2 * SHARD_ALIGNMENT);
  return SHARD_ALIGNMENT *
         (size_t)((units < UINT32_MAX ? units : UINT32_MAX) * cfi_poolPart(poolOf(d)) >> 32);
}


// bytes at the back of the arena that step results may not touch
static inline size_t reservedBytes(const mjData* d) {
  if (!d->threadpool) {
    return d->pstack;
  }
  return shardBytes(d) * (cfi_poolSize(poolOf(d)) + 1) + SHARD_ALIGNMENT;
}


// the record of a thread's stack sits at the low end of its shard
static cfStack* shardOf(const mjData* d, size_t worker) {
  uintptr_t end = (uintptr_t)d->arena + (uintptr_t)d->narena;
  end -= end % SHARD_ALIGNMENT;
  return (cfStack*)(end - (worker + 1) * shardBytes(d));
}


// the main stack as addresses.  A value of its own, so that its fields can live in registers
static inline cfStack ownStack(const mjData* d) {
  const uintptr_t arena = (uintptr_t)d->arena, bottom = arena + (uintptr_t)d->narena;
  return (cfStack){bottom, bottom - d->pstack, arena + d->parena, d->pbase};
}


static inline void raiseTo(mjtSize* record, size_t bytes) {
  if (*record < (mjtSize)bytes) {
    *record = (mjtSize)bytes;
  }
}


static inline void storeOwn(mjData* d, cfStack s) {
  d->pstack = s.bottom - s.top;
  d->pbase = s.frame;
}


// the records of use are raised by blocks; a mark alone is not worth them
static inline void countOwnUse(mjData* d) {
  raiseTo(&d->maxuse_stack, d->pstack);
  raiseTo(&d->maxuse_arena, d->pstack + d->parena);
}


static inline cfStack* workerStack(const mjData* d) {
  return shardOf(d, cfi_workerId());
}


static inline void countShardUse(mjData* d, size_t worker, const cfStack* s) {
  raiseTo(&d->maxuse_threadstack[worker], s->bottom - s->top);
}


RARE void raiseOverflow(const mjData* d, cfStack s, size_t bytes) {
  mju_error(
      "mj_stackAlloc: out of memory, stack overflow\n"
      "  max = %" PRIuPTR ", available = %" PRIuPTR ", requested = %zu\n nefc = %d, ncon = %d",
      s.bottom - s.limit, s.top - s.limit, bytes, d->nefc, d->ncon);
}


// distance of an address from the aligned address below it
static inline size_t skew(uintptr_t address, size_t alignment) {
  CF_ASSERT(alignment > 0);
  const bool is_power = (alignment & (alignment - 1)) == 0;
  return is_power ? address & (alignment - 1) : address % alignment;
}


// a block of the heap for what did not fit in a stack; NULL where no frame would ever give it back
RARE void* spill(cfStack* s, size_t bytes, size_t alignment, bool is_mark) {
  if (bytes > SIZE_MAX / 2 || (!s->frame && !is_mark)) {
    return NULL;
  }
  Spill* block = cfi_tryMalloc(sizeof(Spill) + bytes + alignment);
  if (!block) {
    return NULL;
  }
  *block = (Spill){{s->top, s->frame}, is_mark};
  s->frame = (uintptr_t)block | SPILLED;
  const uintptr_t start = (uintptr_t)(block + 1) + alignment - 1;
  return (void*)(start - skew(start, alignment));
}


// give blocks of the heap back, up to and including a mark; true when one was found
RARE bool releaseSpilled(cfStack* s) {
  bool is_mark = false;
  while (!is_mark && (s->frame & SPILLED)) {
    Spill* block = (Spill*)(s->frame - SPILLED);
    is_mark = block->is_mark;
    s->frame = block->before.frame;
    if (is_mark) {
      CF_POISON(s->top, block->before.top - s->top);
      s->top = block->before.top;
    }
    mju_free(block);
  }
  return is_mark;
}


// lower the top by an aligned block and its red zones; NULL after the error handler returned
static inline void* carve(mjData* d, cfStack* s, size_t wanted, size_t alignment) {
  const size_t bytes = cfi_placeBytes(wanted);
  const size_t room = s->top - s->limit;
  uintptr_t start = s->top - CF_RED_ZONE - bytes;
  const size_t slack = skew(start, alignment);
  if (bytes > room || room - bytes < slack + 2 * CF_RED_ZONE) {
    raiseOverflow(d, *s, bytes);
    return NULL;
  }

  start -= slack;
  CF_ASSERT(start >= s->limit && start + bytes <= s->top);
  s->top = start - CF_RED_ZONE;
  CF_UNPOISON(start, bytes);
  return (void*)start;
}


// debug builds make use of unwritten memory visible: NaN as a number, -1 as an index
static inline void* spoil(void* block, size_t bytes) {
#ifndef NDEBUG
  if (block) {
    memset(block, 0xFF, bytes);
  }
#endif
  (void)bytes;
  return block;
}


// false when there is no room
static inline bool mark(mjData* d, cfStack* s) {
  Mark before = {s->top, s->frame};
  Mark* place = carve(d, s, sizeof(Mark), _Alignof(Mark));
  if (!place) {
    return false;
  }
  *place = before;
  s->frame = (uintptr_t)place;
  return true;
}


// the same for the main stack, whose copy then stays in registers where all is well
RARE void* spillOwn(mjData* d, size_t bytes, size_t alignment, bool is_mark) {
  cfStack own = ownStack(d);
  void* block = spill(&own, bytes, alignment, is_mark);
  storeOwn(d, own);
  countOwnUse(d);
  return block;
}


RARE bool releaseOwnSpilled(mjData* d) {
  cfStack own = ownStack(d);
  const bool is_mark = releaseSpilled(&own);
  storeOwn(d, own);
  return is_mark;
}


SHARED void markShard(mjData* d) {
  cfStack* s = workerStack(d);
  if (!mark(d, s)) {
    spill(s, 0, 1, /*is_mark=*/true);
  }
}


void mj_markStack(mjData* d) {
  if (d->threadpool) {
    markShard(d);
    return;
  }
  CF_ASSERT(d->arena && d->parena + d->pstack <= (size_t)d->narena);
  cfStack own = ownStack(d);
  if (!mark(d, &own)) {
    spillOwn(d, 0, 1, /*is_mark=*/true);
    return;
  }
  storeOwn(d, own);
}


static inline void release(cfStack* s) {
  if (s->frame) {
    Mark before = *(const Mark*)s->frame;
    CF_ASSERT(before.top >= s->top && before.top <= s->bottom);
    CF_POISON(s->top, before.top - s->top);
    s->top = before.top;
    s->frame = before.frame;
  }
}


SHARED void releaseShard(mjData* d) {
  cfStack* s = workerStack(d);
  if (!(s->frame & SPILLED) || !releaseSpilled(s)) {
    release(s);
  }
}


void mj_freeStack(mjData* d) {
  if (d->threadpool) {
    releaseShard(d);
    return;
  }
  if ((d->pbase & SPILLED) && releaseOwnSpilled(d)) {
    return;
  }
  cfStack own = ownStack(d);
  release(&own);
  storeOwn(d, own);
}


// no bytes have an address as well, so that offsets and copies of nothing are defined
static inline void* emptyBlock(cfStack s, size_t alignment) {
  return (void*)(s.top - skew(s.top, alignment));
}


SHARED void* allocShard(mjData* d, size_t bytes, size_t alignment) {
  const size_t worker = cfi_workerId();
  cfStack* s = shardOf(d, worker);
  if (!bytes) {
    return emptyBlock(*s, alignment);
  }
  void* block = carve(d, s, bytes, alignment);
  block = block ? block : spill(s, bytes, alignment, /*is_mark=*/false);
  countShardUse(d, worker, s);
  return spoil(block, bytes);
}


// inline, so that a constant alignment costs nothing
static inline void* allocScratch(mjData* d, size_t bytes, size_t alignment) {
  CF_ASSERT(alignment > 0 && (alignment & (alignment - 1)) == 0);
  if (d->threadpool) {
    return allocShard(d, bytes, alignment);
  }
  cfStack own = ownStack(d);
  if (!bytes) {
    return emptyBlock(own, alignment);
  }
  void* block = carve(d, &own, bytes, alignment);
  if (!block) {
    return spoil(spillOwn(d, bytes, alignment, /*is_mark=*/false), bytes);
  }
  d->pstack = own.bottom - own.top;
  countOwnUse(d);
  return spoil(block, bytes);
}


void* mj_stackAllocByte(mjData* d, size_t bytes, size_t alignment) {
  return allocScratch(d, bytes, alignment);
}


// an array on the stack, with its byte count checked
static inline void* allocArray(mjData* d, size_t count, size_t size) {
  if (count >= SIZE_MAX / size) {
    mju_error("mj_stackAlloc: requested size is too large (more than 2^64 bytes)");
    return NULL;
  }
  return allocScratch(d, count * size, size);
}


mjtNum* mj_stackAllocNum(mjData* d, size_t size) {
  return allocArray(d, size, sizeof(mjtNum));
}


int* mj_stackAllocInt(mjData* d, size_t size) {
  return allocArray(d, size, sizeof(int));
}


size_t cfi_stackAvailable(mjData* d) {
  const cfStack s = d->threadpool ? *workerStack(d) : ownStack(d);
  CF_ASSERT(s.top >= s.limit && s.top <= s.bottom);
  return s.top - s.limit;
}


bool cfi_stackFits(mjData* d, size_t bytes, size_t alignment) {
  const size_t room = cfi_stackAvailable(d), extra = alignment + 2 * CF_RED_ZONE;
  return room >= extra && bytes <= room - extra;
}


// take bytes from the front; the caller holds the pool's lock where others may do the same
static void* extendArena(mjData* d, size_t bytes, size_t alignment) {
  const size_t past = skew(d->parena, alignment);
  const size_t start = d->parena + (past ? alignment - past : 0);
  const size_t end = (size_t)d->narena - reservedBytes(d);
  if (start > end || bytes > end - start) {
    return NULL;
  }
  CF_ASSERT(start >= d->parena && start + bytes + d->pstack <= (size_t)d->narena);
  d->parena = start + bytes;
  raiseTo(&d->maxuse_arena, d->parena + d->pstack);
  char* block = (char*)d->arena + start;
  CF_UNPOISON(block, bytes);
  return spoil(block, bytes);
}


size_t cfi_shardedBytes(const mjData* d) {
  CF_ASSERT(d->threadpool);
  return reservedBytes(d);
}


size_t cfi_sharedEnd(const mjData* d) {
  CF_ASSERT(d->threadpool);
  return cfi_poolIsOpen(poolOf(d)) ? 0 : (size_t)d->narena - reservedBytes(d);
}


void* cfi_arenaAlloc(mjData* d, size_t bytes, size_t alignment) {
  CF_ASSERT(alignment > 0 && (alignment & (alignment - 1)) == 0);
  if (!d->threadpool) {
    return extendArena(d, bytes, alignment);
  }
  const bool is_locked = cfi_poolLock(poolOf(d));
  void* block = extendArena(d, bytes, alignment);
  if (is_locked) {
    cfi_poolUnlock(poolOf(d));
  }
  return block;
}


void cfi_arenaReset(mjData* d) {
  CF_ASSERT((mjtSize)d->parena <= d->narena);
  d->parena = 0;
  d->pstack = 0;
  d->pbase = 0;
  CF_POISON(d->arena, (size_t)d->narena);
  if (d->threadpool) {
    cfi_shardStack(d);
  }
}


bool cfi_shardStack(mjData* d) {
  const size_t nshard = cfi_poolSize(poolOf(d)) + 1, bytes = shardBytes(d);
  if (bytes < 2 * SHARD_ALIGNMENT || d->parena + reservedBytes(d) > (size_t)d->narena) {
    return false;
  }

  // scratch of the main thread that is in use stays where it is
  const uintptr_t used = (uintptr_t)d->arena + (uintptr_t)d->narena - d->pstack;
  for (size_t k = 0; k < nshard; k++) {
    cfStack* s = shardOf(d, k);
    const uintptr_t limit = (uintptr_t)(s + 1), bottom = (uintptr_t)s + bytes;
    if (k == 0 && used < limit) {
      return false;
    }
    CF_UNPOISON(s, sizeof(*s));
    *s = (cfStack){bottom, bottom, limit, 0};
  }
  if (d->pstack) {
    cfStack* main_stack = shardOf(d, 0);
    main_stack->top = used < main_stack->bottom ? used : main_stack->bottom;
    main_stack->frame = d->pbase;
  }
  return true;
}
