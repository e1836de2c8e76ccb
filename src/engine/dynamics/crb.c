// Joint-space inertia matrix by the composite rigid body algorithm, plus what tendons add to it.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "dynamics/inertia.h"
#include "dynamics/runs.h"
#include "kinematics/tendon.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "model/awake.h"
#include "model/indexset.h"
#include "model/timer.h"

static inline void copyInertia(mjtNum res[10], const mjtNum inert[10]) {
  cfi_laneStore(res, cfi_laneLoad(inert));
  cfi_laneStore(res + 4, cfi_laneLoad(inert + 4));
  cfi_halfStore(res + 8, cfi_halfLoad(inert + 8));
}


static inline void addInertia(mjtNum sum[10], const mjtNum inert[10]) {
  cfi_laneStore(sum, cfi_laneAdd(cfi_laneLoad(sum), cfi_laneLoad(inert)));
  cfi_laneStore(sum + 4, cfi_laneAdd(cfi_laneLoad(sum + 4), cfi_laneLoad(inert + 4)));
  cfi_halfStore(sum + 8, cfi_halfAdd(cfi_halfLoad(sum + 8), cfi_halfLoad(inert + 8)));
}


// reads: cinert.  writes: crb, the inertia of each body with everything that hangs on it.
static inline __attribute__((always_inline)) void compositeInertias(const mjModel* m, mjData* d,
                                                                    cfIndexSet bodies,
                                                                    cfIndexSet children) {
  for (int b = 0; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b);
    copyInertia(d->crb + 10 * i, d->cinert + 10 * i);
  }

  for (int c = children.count - 1; c >= 0; c--) {
    const int i = cfi_at(children, c), parent = m->body_parentid[i];
    if (parent > 0) {
      addInertia(d->crb + 10 * parent, d->crb + 10 * i);
    }
  }
}


// a motion axis and a force as two overlapping lanes: 0..3, and 2..5 of which only 4 and 5 count
typedef struct {
  cfLane low, high;
} cfSpatialLane;


// An inertia as it multiplies motion axes: cfi_mulInertVec with the sums of the first four numbers
// side by side, and those of the last two.  Where a sum has one term less the product is -0, which
// changes nothing.
typedef struct {
  cfLane a, b, c, uv, vw;  // what meets the numbers of an axis (a, b, c, u, v, w)
  cfHalfLane last_a, last_bc, last_vw;
} cfInertiaColumns;


static inline cfInertiaColumns inertiaColumns(const mjtNum inert[10]) {
  const mjtNum xy = inert[3], xz = inert[4], yz = inert[5];
  const mjtNum hx = inert[6], hy = inert[7], hz = inert[8], mass = inert[9];
  return (cfInertiaColumns){cfi_laneSet(inert[0], xy, xz, -0.0),
                            cfi_laneSet(xy, inert[1], yz, hz),
                            cfi_laneSet(xz, yz, inert[2], -hy),
                            cfi_laneSet(-hz, hz, -hy, mass),
                            cfi_laneSet(hy, -hx, hx, -0.0),
                            cfi_halfSet(-hz, hy),
                            cfi_halfSet(hx, -hx),
                            cfi_halfSet(mass, mass)};
}


// inertia*axis
static inline cfSpatialLane axisMomentum(const cfInertiaColumns* k, const mjtNum axis[6]) {
  const mjtNum a = axis[0], b = axis[1], c = axis[2], u = axis[3], v = axis[4], w = axis[5];
  cfLane low = cfi_laneMul(k->a, cfi_laneSet(a, a, a, 1));
  low = cfi_laneAddMul(low, k->b, cfi_laneSpread(b));
  low = cfi_laneAddMul(low, k->c, cfi_laneSpread(c));
  low = cfi_laneAddMul(low, k->uv, cfi_laneSet(v, u, u, u));
  low = cfi_laneAddMul(low, k->vw, cfi_laneSet(w, w, v, 1));
  cfHalfLane last = cfi_halfMul(k->last_a, cfi_halfSet(a, a));
  last = cfi_halfAddMul(last, k->last_bc, cfi_halfSet(c, b));
  last = cfi_halfAddMul(last, k->last_vw, cfi_halfSet(v, w));
  return (cfSpatialLane){low, cfi_laneSet(0, 0, cfi_halfAt(last, 0), cfi_halfAt(last, 1))};
}


static inline cfLane laneProducts(cfSpatialLane force, const mjtNum cdof[6]) {
  return cfi_laneAdd(cfi_laneMul(force.low, cfi_laneLoad(cdof)),
                     cfi_laneMul(force.high, cfi_laneLoad(cdof + 2)));
}


static inline const mjtNum* motionAxis(const mjtNum* cdof, int dof) {
  return cdof + 6 * (size_t)dof;
}


// four entries of a row; dofs are in increasing order, and most of them follow each other
static inline cfLane fourEntries(cfSpatialLane force, const mjtNum* cdof, const int dof[4]) {
  if (dof[3] - dof[0] == 3) {
    const mjtNum* first = motionAxis(cdof, dof[0]);
    return cfi_laneSum4(laneProducts(force, first), laneProducts(force, first + 6),
                        laneProducts(force, first + 12), laneProducts(force, first + 18));
  }
  return cfi_laneSum4(
      laneProducts(force, motionAxis(cdof, dof[0])), laneProducts(force, motionAxis(cdof, dof[1])),
      laneProducts(force, motionAxis(cdof, dof[2])), laneProducts(force, motionAxis(cdof, dof[3])));
}


// row i of M: cdof_j * (crb * cdof_i) for all ancestors j, the dof itself last; qM holds the
// same numbers in reverse order.  Four at a time; the last four may overlap those before.
static inline __attribute__((always_inline)) void inertiaRow(const mjModel* m, mjData* d, int i,
                                                             const cfInertiaColumns* inertia) {
  CF_ASSERT_INDEX(i, m->nv);
  const int adr = m->M_rowadr[i], count = m->M_rownnz[i];
  const int* ancestor = m->M_colind + adr;
  const mjtNum* cdof = d->cdof;
  mjtNum *row = d->M + adr, *reversed = d->qM + m->dof_Madr[i] + count;
  const cfSpatialLane force = axisMomentum(inertia, motionAxis(cdof, i));

  ptrdiff_t a = 0;
  while (a + 4 <= count) {
    const cfLane four = fourEntries(force, cdof, ancestor + a);
    cfi_laneStore(row + a, four);
    cfi_laneStore(reversed - 4 - a, cfi_laneReverse(four));
    a += 4;
    if (a + 1 < count && a + 4 > count) {
      a = count - 4;
    }
  }
  for (; a < count; a++) {
    row[a] = reversed[-1 - a] = cfi_laneSum(laneProducts(force, motionAxis(cdof, ancestor[a])));
  }
  reversed[-count] = row[count - 1] += m->dof_armature[i];
}


static inline __attribute__((always_inline)) void inertiaRows(const mjModel* m, mjData* d,
                                                              cfIndexSet dofs) {
  cfInertiaColumns inertia = {0};
  int body = -1;  // whose inertia it is
  for (int v = 0; v < dofs.count; v++) {
    const int i = cfi_at(dofs, v);
    if (m->dof_simplenum[i]) {
      // constant inertia, no relatives
      d->M[m->M_rowadr[i]] = d->qM[m->dof_Madr[i]] = m->dof_M0[i];
      continue;
    }
    if (m->dof_bodyid[i] != body) {
      body = m->dof_bodyid[i];
      inertia = inertiaColumns(d->crb + 10 * body);
    }
    inertiaRow(m, d, i, &inertia);
  }
}


// stage CRB.  reads: cinert, cdof.  writes: crb, M, qM.
void mj_crb(const mjModel* m, mjData* d) {
  compositeInertias(m, d, cfi_awakeBodies(m, d), cfi_awakeParents(m, d));
  inertiaRows(m, d, cfi_awakeDofs(m, d));
}


void cfi_crbRun(const mjModel* m, mjData* d, cfIndexSet bodies, cfIndexSet dofs) {
  CF_ASSERT(bodies.first > 0);
  compositeInertias(m, d, bodies, bodies);
  inertiaRows(m, d, dofs);
}


void cfi_crbWorld(mjData* d) {
  copyInertia(d->crb, d->cinert);
}


// M(i,:) += scale * row at the columns that row i of M has; both are in increasing order
static void addOuterRow(const mjModel* m, mjData* d, int i, cfDofRow row, mjtNum scale) {
  CF_ASSERT_INDEX(i, m->nv);
  const int adr = m->M_rowadr[i];
  int r = 0;
  for (int k = adr; k < adr + m->M_rownnz[i]; k++) {
    const int column = m->M_colind[k];
    while (row.dof && r < row.nnz && row.dof[r] < column) {
      r++;
    }
    const int entry = row.dof ? r : column;
    if (!row.dof || (r < row.nnz && row.dof[r] == column)) {
      d->M[k] += scale * row.J[entry];
      d->qM[m->mapM2M[k]] = d->M[k];
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
    const cfDofRow row = cfi_tendonRow(m, d, t, is_sparse);
    for (int k = 0; k < row.nnz; k++) {
      if (row.J[k] != 0) {
        addOuterRow(m, d, row.dof ? row.dof[k] : k, row, armature * row.J[k]);
      }
    }
  }
}


// stage MAKEM.  reads: cinert, cdof, ten_J.  writes: crb, M, qM (M in the order of mj_fullM).
void mj_makeM(const mjModel* m, mjData* d) {
  const mjtNum start = cfi_now();
  mj_crb(m, d);
  if (CF_SELDOM(m->ntendon)) {
    addTendonArmature(m, d);
  }
  cfi_addTime(d, mjTIMER_POS_INERTIA, start, 1);
}
