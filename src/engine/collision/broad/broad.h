// Broad phase: which pairs of bodies (and flexes) may touch.
//
// Bodies and flexes share one numbering: body b is b, flex f is nbody + f ("mover").  The result is
// the set that MuJoCo's sweep-and-prune gives, in its order: by the lower id, then by the higher;
// pairs of single geoms whose bounding spheres are apart are left out, since they yield nothing.
#ifndef CF_COLLISION_BROAD_BROAD_H
#define CF_COLLISION_BROAD_BROAD_H

#include <stdbool.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

// a growing list; beyond its first block it lives on the stack of d, between the caller's mark and
// free
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

static inline void cfi_addKey(cfPairList* list, uint64_t key) {
  if (list->n == list->capacity) {
    cfi_growPairs(list);
  }
  list->key[list->n++] = key;
}


static inline void cfi_addPair(cfPairList* list, int first, int second) {
  cfi_addKey(list, cfi_pairKey(first, second));
}


// ascending; ids are below nid
void cfi_sortPairs(cfPairList* list, int nid);

// n keys ascending by their high words, all below `base`; out has room for n keys, start for base +
// 1 numbers
void cfi_sortHighWords(uint64_t* out, const uint64_t* key, int n, int* start, int base);

// what the filters need to know about a mover
typedef struct {
  int id;
  int geom;                  // the only geom of a body, or -1
  int weld, weld_parent;     // welded bodies count as one; -1 for flexes
  int contype, conaffinity;  // union over the geoms as they are now
  bool is_asleep;
  bool has_new_bits;  // masks hold bits that the compiler did not see
} cfMover;

// box around a mover, aligned with the axes of the sweep; a fourth lane fills the vector
typedef struct {
  mjtNum low[4], high[4];
} cfSweepBox;

// exact test of a pair, a before b; the first axis as MuJoCo sees it, in single precision
static inline bool cfi_boxesOverlap(const cfSweepBox* a, const cfSweepBox* b) {
  return (float)a->low[0] <= (float)b->high[0] && (float)b->low[0] < (float)a->high[0] &&
         !(a->low[1] > b->high[1]) && !(b->low[1] > a->high[1]) && !(a->low[2] > b->high[2]) &&
         !(b->low[2] > a->high[2]);
}


// movers that can collide, ascending by id
typedef struct {
  int n;
  bool some_asleep;
  cfMover* mover;
  cfSweepBox* box;
} cfMoverTable;

// a body as a mover, awake
cfMover cfi_describeBody(const mjModel* m, int body);

// list the movers on the stack of d; boxes are not filled
cfMoverTable cfi_listMovers(const mjModel* m, mjData* d);

// fill the boxes; false when nothing moves
bool cfi_boundMovers(cfMoverTable* t, const mjModel* m, const mjData* d);

// append the pairs of movers whose boxes overlap and that pass all filters but that of excluded
// pairs
void cfi_sweepMovers(cfPairList* list, const cfMoverTable* t, const mjModel* m);

// the same where movers and the geoms of theirs that collide are few, without boxes yet: they are
// filled where a pair asks for them
enum { CF_FEW_MOVERS = 64 };
bool cfi_isFew(const mjModel* m, const cfMoverTable* t);
void cfi_pairFew(cfPairList* list, cfMoverTable* t, const mjModel* m, mjData* d);

// the stage: sorted pairs of movers without repetition that pass the weld, sleep, bitmask and
// exclude filters
cfPairList cfi_broadphase(const mjModel* m, mjData* d);

#endif  // CF_COLLISION_BROAD_BROAD_H
