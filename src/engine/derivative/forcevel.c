// Velocity derivatives of actuators and dampers: rank-one terms along their Jacobian rows.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "derivative/velocity.h"
#include "dynamics/activation.h"
#include "dynamics/gain.h"
#include "kinematics/tendon.h"
#include "math/inline.h"
#include "math/muscle.h"
#include "model/awake.h"
#include "model/flags.h"
#include "model/indexset.h"


// what the gain multiplies, as the actuation stage does (undelayed, unclamped control)
static mjtNum gainInput(const mjModel* m, const mjData* d, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  if (m->actuator_dyntype[u] == mjDYN_NONE) {
    return d->ctrl[u];
  }
  const int last = m->actuator_actadr[u] + m->actuator_actnum[u] - 1;
  return m->actuator_actearly[u] ? cfi_nextActivation(m, d, u, last, d->act_dot[last])
                                 : d->act[last];
}


static bool isSaturated(const mjModel* m, const mjData* d, int u) {
  const mjtNum *range = m->actuator_forcerange + 2 * u, force = d->actuator_force[u];
  return m->actuator_forcelimited[u] && (force <= range[0] || force >= range[1]);
}


// slope of gain*input, or of the force of a model
static mjtNum gainForceSlope(const mjModel* m, mjData* d, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  const mjtNum* prm = m->actuator_gainprm + mjNGAIN * u;
  mjtNum slope = 0;
  switch (m->actuator_gaintype[u]) {
    case mjGAIN_AFFINE:
      slope = prm[2];
      break;
    case mjGAIN_MUSCLE:
      slope = cfi_muscleGainSlope(d->actuator_length[u], d->actuator_velocity[u],
                                  m->actuator_lengthrange + 2 * u, m->actuator_acc0[u], prm);
      break;
    case mjGAIN_USER:
      return cfi_gainForceSlope(m, d, u);
    default:
      return 0;
  }
  return slope != 0 ? slope * gainInput(m, d, u) : 0;
}


static mjtNum forceSlope(const mjModel* m, mjData* d, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  const mjtNum gain = gainForceSlope(m, d, u);
  return m->actuator_biastype[u] == mjBIAS_AFFINE ? m->actuator_biasprm[mjNBIAS * u + 2] + gain
                                                  : gain;
}


void cfi_addActuatorVelocity(const mjModel* m, mjData* d) {
  if (cfi_disabled(m, mjDSBL_ACTUATION)) {
    return;
  }
  const bool skips = cfi_someAsleep(m, d);
  for (int u = 0; u < m->nu; u++) {
    if (cfi_actuatorDisabled(m, u) || isSaturated(m, d, u) ||
        (skips && cfi_sleepState(m, d, mjOBJ_ACTUATOR, u) == mjS_ASLEEP)) {
      continue;
    }
    const mjtNum slope = forceSlope(m, d, u);
    if (slope != 0) {
      const int adr = d->moment_rowadr[u];
      const cfSparseRows J = {1, d->moment_rownnz[u], d->moment_colind + adr,
                              d->actuator_moment + adr};
      cfi_addOuterProduct(m, d, J, slope);
    }
  }
}


// ---------------------------------------- dampers

// all trees of the tendon asleep?  tendons over more than two trees never are
static bool isTendonAsleep(const mjModel* m, const mjData* d, int t) {
  CF_ASSERT_INDEX(t, m->ntendon);
  const int trees = m->tendon_treenum[t];
  const int* tree = m->tendon_treeid + 2 * t;
  return (trees == 1 && !d->tree_awake[tree[0]]) ||
         (trees == 2 && !d->tree_awake[tree[0]] && !d->tree_awake[tree[1]]);
}


// nonzeros of a tendon's Jacobian row, whatever its storage
static cfSparseRows tendonRow(const mjModel* m, const mjData* d, int t, int* column,
                              mjtNum* value) {
  CF_ASSERT_INDEX(t, m->ntendon);
  const cfDofRow stored = cfi_tendonRow(m, d, t, mj_isSparse(m));
  if (stored.dof) {
    return (cfSparseRows){1, stored.nnz, stored.dof, stored.J};
  }
  const mjtNum* row = stored.J;
  int count = 0;
  for (int k = 0; k < m->nv; k++) {
    if (row[k] != 0) {
      column[count] = k;
      value[count++] = row[k];
    }
  }
  return (cfSparseRows){1, count, column, value};
}


static void tendonDampers(const mjModel* m, mjData* d) {
  const bool skips = cfi_someAsleep(m, d);
  mj_markStack(d);
  int* column = mj_stackAllocInt(d, (size_t)m->nv + 1);
  mjtNum* value = mj_stackAllocNum(d, (size_t)m->nv + 1);
  for (int t = 0; t < m->ntendon; t++) {
    const mjtNum slope = -m->tendon_damping[t];
    if (slope != 0 && !(skips && isTendonAsleep(m, d, t))) {
      cfi_addOuterProduct(m, d, tendonRow(m, d, t, column, value), slope);
    }
  }
  mj_freeStack(d);
}


// bodies of vertices that slide in three directions have a block of three rows to themselves
static inline bool isSlideBlock(const mjModel* m, const int column[3]) {
  for (int k = 0; k < 3; k++) {
    if (column[k] != column[0] + k || m->D_rownnz[column[k]] != 3 ||
        m->D_colind[m->D_rowadr[column[k]]] != column[0]) {
      return false;
    }
  }
  return true;
}


static inline void addSlideBlock(const mjModel* m, mjData* d, const int column[3],
                                 const mjtNum J[3], mjtNum scale) {
  for (int k = 0; k < 3; k++) {
    mjtNum* row = d->qDeriv + m->D_rowadr[column[k]];
    cfi_addToScl3(row, J, scale * J[k]);
  }
}


// qDeriv += scale*J'*J for the row of an edge: trees apart have no entries in common
static void addEdgeProduct(const mjModel* m, mjData* d, cfSparseRows J, mjtNum scale) {
  if (J.count == 6 && isSlideBlock(m, J.column) && isSlideBlock(m, J.column + 3)) {
    addSlideBlock(m, d, J.column, J.value, scale);
    addSlideBlock(m, d, J.column + 3, J.value + 3, scale);
  } else {
    cfi_addOuterProduct(m, d, J, scale);
  }
}


// dampers along the edges of flexes
static void edgeDampers(const mjModel* m, mjData* d) {
  for (int f = 0; f < m->nflex; f++) {
    const mjtNum slope = -m->flex_edgedamping[f];
    if (m->flex_rigid[f] || slope == 0) {
      continue;
    }
    for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
      if (!m->flexedge_rigid[e]) {
        const int adr = m->flexedge_J_rowadr[e];
        const cfSparseRows J = {1, m->flexedge_J_rownnz[e], m->flexedge_J_colind + adr,
                                d->flexedge_J + adr};
        addEdgeProduct(m, d, J, slope);
      }
    }
  }
}


void cfi_addDamperVelocity(const mjModel* m, mjData* d) {
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  for (int k = 0; k < dofs.count; k++) {
    const int dof = cfi_at(dofs, k);
    d->qDeriv[m->D_rowadr[dof] + m->D_diag[dof]] -= m->dof_damping[dof];
  }
  edgeDampers(m, d);
  if (m->ntendon) {
    tendonDampers(m, d);
  }
}
