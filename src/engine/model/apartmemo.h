// What kept convex geoms apart when they were last compared: a direction and two hull vertices.
//
// Made with every mjData, one table of fixed size.  An entry is a guess where to look for a
// separating plane and never decides a result; a pair that falls on the place of another replaces
// it.
#ifndef CF_MODEL_APARTMEMO_H
#define CF_MODEL_APARTMEMO_H

#include <stdint.h>

#include <mujoco/mujoco.h>

typedef struct {
  uint64_t pair;   // of geoms, 0: nothing kept
  int vertex[2];   // of the hulls, where the search for the farthest vertex goes on
  mjtNum axis[3];  // unit direction from geom 2 to geom 1, in the frame of geom 1
} cfApart;

// a number for a pair of geoms, never 0
static inline uint64_t cfi_apartPair(int g1, int g2) {
  return ((uint64_t)(unsigned)g1 << 32 | (unsigned)g2) + 1;
}


// place of a pair in the table; NULL: there is no table
cfApart* cfi_apartPlace(const mjData* d, uint64_t pair);

// fill the slot of d; leaves it empty where no two geoms are compared so, or without memory
void cfi_prepareApartMemo(const mjModel* m, mjData* d);

#endif  // CF_MODEL_APARTMEMO_H
