// Joint-space inertia matrix by the composite rigid body algorithm, plus what tendons add to it.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "dynamics/inertia.h"
#include "math/inline.h"
#include "model/awake.h"
#include "model/indexset.h"
#include "pipeline/timer.h"

// reads: cinert.  writes: crb, the inertia of each body with everything that hangs on it.
static void compositeInertias(const mjModel* m, mjData* d) {
  const cfIndexSet bodies = cfi_awakeBodies(m, d), children = cfi_awakeParents(m, d);
  if (!bodies.index) {
    memcpy(d->crb, d->cinert, sizeof(mjtNum) * 10 * m->nbody);
  } else {
    for (int b = 0; b < bodies.count; b++) {
      const int i = cfi_at(bodies, b);
      memcpy(d->crb + 10 * i, d->cinert + 10 * i, sizeof(mjtNum) * 10);
    }
  }

  for (int c = children.count - 1; c >= 0; c--) {
    const int i = cfi_at(children, c), parent = m->body_parentid[i];
    if (parent > 0) {
      mjtNum *up = d->crb + 10 * parent, *down = d->crb + 10 * i;
      for (int k = 0; k < 10; k++) {
        up[k] += down[k];
      }
    }
  }
}


// row i of M: cdof_j * (crb * cdof_i) for all ancestors j, the dof itself last
static void inertiaRow(const mjModel* m, mjData* d, int i) {
  const int adr = m->M_rowadr[i], last = m->M_rownnz[i] - 1;
  const int* ancestor = m->M_colind + adr;
  mjtNum* row = d->M + adr;

  // a simple dof has a constant inertia and no relatives
  if (m->dof_simplenum[i]) {
    row[0] = m->dof_M0[i];
    return;
  }

  mjtNum momentum[6];
  cfi_mulInertVec(momentum, d->crb + 10 * m->dof_bodyid[i], d->cdof + 6 * i);
  for (int a = 0; a <= last; a++) {
    row[a] = cfi_dot6(d->cdof + 6 * ancestor[a], momentum);
  }
  row[last] += m->dof_armature[i];
}


// stage CRB.  reads: cinert, cdof.  writes: crb, M.
void mj_crb(const mjModel* m, mjData* d) {
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  compositeInertias(m, d);
  for (int v = 0; v < dofs.count; v++) {
    inertiaRow(m, d, cfi_at(dofs, v));
  }
}


// the Jacobian row of a tendon as columns and values
typedef struct {
  const int* colind;  // NULL: dense
  const mjtNum* value;
  int nnz;
} cfTendonRow;


static cfTendonRow tendonRow(const mjModel* m, const mjData* d, int tendon, bool is_sparse) {
  if (!is_sparse) {
    return (cfTendonRow){NULL, d->ten_J + (size_t)tendon * m->nv, (int)m->nv};
  }
  const int adr = d->ten_J_rowadr[tendon];
  return (cfTendonRow){d->ten_J_colind + adr, d->ten_J + adr, d->ten_J_rownnz[tendon]};
}


// M(i,:) += scale * row at the columns that row i of M has; both are in increasing order
static void addOuterRow(const mjModel* m, mjData* d, int i, cfTendonRow row, mjtNum scale) {
  const int adr = m->M_rowadr[i];
  int r = 0;
  for (int k = adr; k < adr + m->M_rownnz[i]; k++) {
    const int column = m->M_colind[k];
    if (!row.colind) {
      d->M[k] += scale * row.value[column];
      continue;
    }
    while (r < row.nnz && row.colind[r] < column) {
      r++;
    }
    if (r < row.nnz && row.colind[r] == column) {
      d->M[k] += scale * row.value[r];
    }
  }
}


// M += armature * J'J for every tendon, on the tree pattern of M
static void addTendonArmature(const mjModel* m, mjData* d) {
  const bool some_rest = cfi_someAsleep(m, d), is_sparse = mj_isSparse(m);
  for (int t = 0; t < m->ntendon; t++) {
    const mjtNum armature = m->tendon_armature[t];
    if (armature == 0 || (some_rest && cfi_sleepState(m, d, mjOBJ_TENDON, t) == mjS_ASLEEP)) {
      continue;
    }
    const cfTendonRow row = tendonRow(m, d, t, is_sparse);
    for (int k = 0; k < row.nnz; k++) {
      if (row.value[k] != 0) {
        addOuterRow(m, d, row.colind ? row.colind[k] : k, row, armature * row.value[k]);
      }
    }
  }
}


// stage MAKEM.  reads: cinert, cdof, ten_J.  writes: crb, M, qM (M in the order of mj_fullM).
void mj_makeM(const mjModel* m, mjData* d) {
  const mjtNum start = cfi_now();
  mj_crb(m, d);
  addTendonArmature(m, d);
  for (int k = 0; k < m->nC; k++) {
    d->qM[m->mapM2M[k]] = d->M[k];
  }
  cfi_addTime(d, mjTIMER_POS_INERTIA, start, 1);
}
