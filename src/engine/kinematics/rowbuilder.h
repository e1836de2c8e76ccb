// One row of a sparse matrix over dofs, collected in any order and written out in increasing order.
#ifndef CF_KINEMATICS_ROWBUILDER_H
#define CF_KINEMATICS_ROWBUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

// value[dof] is zero and bit dof clear wherever the row has no entry
typedef struct {
  mjtNum* value;
  uint64_t* used;   // a bit per dof
  int first, last;  // range of words of bits touched so far
} cfRowBuilder;


// an empty row of nv columns on the stack of d; the caller marks and frees
cfRowBuilder cfi_makeRowBuilder(mjData* d, int nv);


static inline void cfi_addToRow(cfRowBuilder* row, int dof, mjtNum value) {
  const int word = dof / 64;
  row->value[dof] += value;
  row->used[word] |= (uint64_t)1 << (dof % 64);
  row->first = word < row->first ? word : row->first;
  row->last = word > row->last ? word : row->last;
}


static inline bool cfi_rowHas(const cfRowBuilder* row, int dof) {
  return row->used[dof / 64] >> (dof % 64) & 1;
}


// two com-based force vectors that act on two bodies
typedef struct {
  int body[2];
  mjtNum force[2][6];
} cfForcePair;

// force vector of a linear force at a world point of a body, for products with cdof
void cfi_forceAtPoint(mjtNum force[6], const mjModel* m, const mjData* d, const mjtNum point[3],
                      int body, const mjtNum linear[3]);

// row += (work of force 1) - (work of force 0) per unit of each dof that moves one of the bodies
// and not the other.  Dofs that move both are left out: pair forces do no work there.  Returns the
// last of these, -1 if there is none.
int cfi_addForcePair(cfRowBuilder* row, const mjModel* m, const mjData* d, const cfForcePair* pair);

// write the entries out and leave the builder empty; returns their number.  keep_zeros: entries
// that turned out zero are part of the pattern
int cfi_flushRow(cfRowBuilder* row, mjtNum* value, int* colind, int keep_zeros);

#endif  // CF_KINEMATICS_ROWBUILDER_H
