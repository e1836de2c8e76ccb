// Broad phase: which pairs of bodies (and flexes) may touch.
//
// Bodies and flexes share one numbering: body b is b, flex f is nbody + f ("mover").  The result is the set that
// MuJoCo's sweep-and-prune gives, in its order: by the lower id, then by the higher.
#ifndef CF_COLLISION_BROAD_BROAD_H
#define CF_COLLISION_BROAD_BROAD_H

#include <stdint.h>

#include <mujoco/mujoco.h>

// a growing list on the stack of d; the caller marks and frees the stack around its life
typedef struct {
  mjData* d;
  uint64_t* key;  // first id in the high word, second id in the low word
  int n, capacity;
} cfPairList;

static inline uint64_t cfi_pairKey(int first, int second) {
  return (uint64_t)(uint32_t)first << 32 | (uint32_t)second;
}


static inline int cfi_pairFirst(uint64_t key) {
  return (int)(key >> 32);
}


static inline int cfi_pairSecond(uint64_t key) {
  return (int)(key & 0xffffffffu);
}


// double the capacity, keeping the content
void cfi_growPairs(cfPairList* list);

static inline void cfi_addPair(cfPairList* list, int first, int second) {
  if (list->n == list->capacity) {
    cfi_growPairs(list);
  }
  list->key[list->n++] = cfi_pairKey(first, second);
}


// ascending: keys of any kind by merging, or pairs of ids below nid by counting
void cfi_sortKeys(mjData* d, uint64_t* key, int n);
void cfi_sortPairs(cfPairList* list, int nid);

// boxes around all movers that can collide, aligned with a common frame; axis 0 comes in single precision too,
// since that is what the sweep compares
typedef struct {
  int n;
  int* id;  // mover, ascending
  int *contype, *conaffinity;  // union over the mover's geoms
  mjtNum *low[3], *high[3];    // by axis
  float *flow, *fhigh;         // axis 0
} cfBounds;

// fill bounds on the stack of d; n is 0 when nothing moves
cfBounds cfi_boundMovers(const mjModel* m, mjData* d);

// all pairs of boxes that overlap, as indices i < j into the table
void cfi_sweepBounds(cfPairList* list, const cfBounds* b);

// the stage: sorted pairs of movers without repetition that pass the weld, sleep, bitmask and exclude filters
cfPairList cfi_broadphase(const mjModel* m, mjData* d);

#endif  // CF_COLLISION_BROAD_BROAD_H
