// Weighted squares of a few dense rows, added to the lower triangle of a dense matrix: what J'DJ
// and the pivots of a factor have in common.
#ifndef CF_SOLVER_ROWGROUP_H
#define CF_SOLVER_ROWGROUP_H

#include <mujoco/mjtnum.h>

// rows J_r to be added as sum of (scale*w_r)' J_r; w is J itself, or a cone Hessian times J
enum { CF_ROW_GROUP = 4 };
typedef struct {
  const mjtNum *J[CF_ROW_GROUP], *w[CF_ROW_GROUP];
  mjtNum scale[CF_ROW_GROUP];
  int count;
} cfRowGroup;

// the matrix that rows are added to
typedef struct {
  mjtNum* H;
  int nv, stride;
} cfTarget;

// numbers of a row up to and including its diagonal, whole vectors
static inline int cfi_wholeRow(int row) {
  return (row + 4) & ~3;
}

// lower triangle of H += group, its rows one after the other; entries above the diagonal are not
// kept clean
void cfi_addRowGroup(cfTarget target, const cfRowGroup* group);

#endif  // CF_SOLVER_ROWGROUP_H
