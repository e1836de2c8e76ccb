// Where a search for the farthest vertex of a mesh may start: for 26 directions a vertex of the
// hull that is far along them.  Made with every mjData, shared by its copies; a start is a hint and
// never decides a result.
#ifndef CF_MODEL_HULLSTART_H
#define CF_MODEL_HULLSTART_H

#include <math.h>

#include <mujoco/mujoco.h>

#include "math/libm.h"
#include "model/extension.h"

enum { CF_HULL_DIRECTIONS = 27 };  // -1, 0, 1 along each axis; the middle one has no direction

// which of the directions is near to this one
static inline int cfi_hullDirection(mjtNum x, mjtNum y, mjtNum z) {
  const mjtNum longest = cfi_fmax(cfi_fmax(fabs(x), fabs(y)), fabs(z)), level = 0.414 * longest;
  return 9 * (1 + (x > level) - (x < -level)) + 3 * (1 + (y > level) - (y < -level)) + 1 +
         (z > level) - (z < -level);
}


// the same for the 26 directions of one mesh that has a hull
void cfi_findHullStarts(const mjModel* m, int mesh, int start[CF_HULL_DIRECTIONS]);

// hull vertex to start from, by direction, of one mesh; NULL: not known
const int* cfi_hullStarts(const mjData* d, int mesh);

// fill the slot of the collision stage; leaves it empty where there is no hull or no memory
void cfi_prepareHullStarts(const mjModel* m, mjData* d);

#endif  // CF_MODEL_HULLSTART_H
