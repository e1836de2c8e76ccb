// d(forces)/d(velocity) with everything that the matrix of the implicit integrators leaves out:
// terms that couple branches of a tree or several trees, limits of joint forces, constraint rows.
//
//   bias: within the pattern of D.  Damping of dofs: diagonal.  Tendons and actuators: rank one.
//   rows: f = -s'(J*a - aref), aref = -B*J*v - ..., so that d(J'*f)/dv = -J'*s''*B*J
#include "finitediff/closed.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/product.h"
#include "derivative/velocity.h"
#include "dynamics/activation.h"
#include "dynamics/gain.h"
#include "kinematics/tendon.h"
#include "math/dense.h"
#include "math/muscle.h"
#include "model/flags.h"
#include "solver/hessian.h"

// the matrix in the making
typedef struct {
  const mjModel* m;
  mjData* d;
  mjtNum* F;
  size_t stride;
} velocityMatrix;

// nonzeros of a row of a Jacobian
typedef struct {
  const mjtNum* value;
  const int* column;  // NULL: all in order
  int count;
} closedRow;


// ---------------------------------------- where closed forms hold

// MuJoCo's gains and biases, driven by a control or by one activation with its dynamics
static bool hasClosedActuator(const mjModel* m, int u) {
  const int type = m->actuator_dyntype[u], count = m->actuator_actnum[u];
  return m->actuator_gaintype[u] <= mjGAIN_MUSCLE && m->actuator_biastype[u] <= mjBIAS_MUSCLE &&
         (count == 0 ? type == mjDYN_NONE
                     : count == 1 && type >= mjDYN_INTEGRATOR && type <= mjDYN_MUSCLE);
}


// a spatial tendon with armature has a bias force; one with limited forces couples its actuators
static bool hasClosedTendon(const mjModel* m, int t) {
  const bool is_fixed = m->wrap_type[m->tendon_adr[t]] == mjWRAP_JOINT;
  return (is_fixed || m->tendon_armature[t] == 0) && !m->tendon_actfrclimited[t];
}


// does the matrix of an implicit integrator stay the same when velocities change?
static bool hasConstantMatrix(const mjModel* m) {
  bool is_constant = m->opt.integrator != mjINT_IMPLICIT && m->opt.integrator <= mjINT_IMPLICITFAST;
  for (int u = 0; u < m->nu && m->opt.integrator == mjINT_IMPLICITFAST; u++) {
    is_constant = is_constant && m->actuator_gaintype[u] == mjGAIN_FIXED;
  }
  return is_constant;
}


bool cfi_hasClosedInput(const mjModel* m, int u) {
  const bool has_tendon = m->actuator_trntype[u] == mjTRN_TENDON;
  return hasClosedActuator(m, u) && !cfi_disabled(m, mjDSBL_ACTUATION) &&
         !(has_tendon && m->tendon_actfrclimited[m->actuator_trnid[2 * u]]);
}


bool cfi_hasClosedVelocity(const mjModel* m) {
  bool is_closed =
      m->nflex == 0 && m->opt.density == 0 && m->opt.viscosity == 0 && hasConstantMatrix(m);
  for (int u = 0; u < m->nu; u++) {
    is_closed = is_closed && hasClosedActuator(m, u);
  }
  for (int t = 0; t < m->ntendon; t++) {
    is_closed = is_closed && hasClosedTendon(m, t);
  }
  return is_closed;
}


// ---------------------------------------- smooth forces

static inline mjtNum* rowOf(const velocityMatrix* v, int i) {
  return v->F + (size_t)i * v->stride;
}


static inline int columnOfEntry(const closedRow* J, int k) {
  return J->column ? J->column[k] : k;
}


// F += scale * left'*right; both have the same columns
static void addProduct(const velocityMatrix* v, closedRow left, const mjtNum* right, mjtNum scale) {
  CF_ASSERT(left.count >= 0 && left.count <= v->m->nv);
  for (int i = 0; i < left.count; i++) {
    const mjtNum x = scale * left.value[i];
    mjtNum* row = rowOf(v, columnOfEntry(&left, i));
    if (x == 0) {
      continue;
    }
    if (!left.column) {
      mju_addToScl(row, right, x, left.count);
      continue;
    }
    for (int k = 0; k < left.count; k++) {
      row[left.column[k]] += x * right[k];
    }
  }
}


static void addBias(const velocityMatrix* v) {
  const mjModel* m = v->m;
  cfi_zero(v->d->qDeriv, (int)m->nD);
  cfi_addBiasVelocity(m, v->d);
  for (int i = 0; i < m->nv; i++) {
    for (int k = m->D_rowadr[i]; k < m->D_rowadr[i] + m->D_rownnz[i]; k++) {
      rowOf(v, i)[m->D_colind[k]] += v->d->qDeriv[k];
    }
  }
}


static void addDampers(const velocityMatrix* v) {
  const mjModel* m = v->m;
  if (cfi_disabled(m, mjDSBL_DAMPER)) {
    return;
  }
  for (int i = 0; i < m->nv; i++) {
    rowOf(v, i)[i] -= m->dof_damping[i];
  }
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_damping[t] != 0) {
      const cfDofRow J = cfi_tendonRow(m, v->d, t, mj_isSparse(m));
      addProduct(v, (closedRow){J.J, J.dof, J.nnz}, J.J, -m->tendon_damping[t]);
    }
  }
}


cfDrive cfi_closedDrive(const mjModel* m, const mjData* d, int u) {
  const mjtNum ctrl = cfi_actuatorControl(m, d, u);
  const int act = m->actuator_actadr[u];
  if (act < 0) {
    return (cfDrive){ctrl, 0};
  }
  const bool acts = !cfi_actuatorDisabled(m, u);
  const mjtNum rate = cfi_activationRate(m, u, ctrl, d->act[act]);
  const mjtNum ahead = cfi_nextActivation(m, d, u, act, acts ? rate : 0);
  return (cfDrive){m->actuator_actearly[u] ? ahead : d->act[act], ahead};
}


// slope of the gain by velocity
static mjtNum gainSlope(const mjModel* m, const mjData* d, int u) {
  const mjtNum* prm = m->actuator_gainprm + mjNGAIN * u;
  switch (m->actuator_gaintype[u]) {
    case mjGAIN_AFFINE:
      return prm[2];
    case mjGAIN_MUSCLE:
      return cfi_muscleGainSlope(d->actuator_length[u], d->actuator_velocity[u],
                                 m->actuator_lengthrange + 2 * u, m->actuator_acc0[u], prm);
    default:
      return 0;
  }
}


// does the force of an actuator follow what it is asked for?
static bool isActuatorFree(const mjModel* m, const mjData* d, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  const mjtNum *range = m->actuator_forcerange + 2 * u, force = d->actuator_force[u];
  return !cfi_actuatorDisabled(m, u) &&
         !(m->actuator_forcelimited[u] && (force <= range[0] || force >= range[1]));
}


// slope of the force that an actuator applies by velocity
static mjtNum slopeOf(const mjModel* m, const mjData* d, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  if (!isActuatorFree(m, d, u)) {
    return 0;
  }
  const mjtNum slope =
      m->actuator_biastype[u] == mjBIAS_AFFINE ? m->actuator_biasprm[mjNBIAS * u + 2] : 0;
  const mjtNum gain = gainSlope(m, d, u);
  return gain == 0 ? slope : slope + gain * cfi_closedDrive(m, d, u).input;
}


// joints whose actuators reach the limit of their force feel no change of it.  reads:
// qfrc_actuator.
static bool isForceLimited(const mjModel* m, const mjData* d, int dof) {
  CF_ASSERT_INDEX(dof, m->nv);
  const int j = m->dof_jntid[dof];
  const mjtNum *range = m->jnt_actfrcrange + 2 * j, force = d->qfrc_actuator[dof];
  return m->jnt_actfrclimited[j] && dof == m->jnt_dofadr[j] &&
         (force <= range[0] || force >= range[1]);
}


static void addActuators(const velocityMatrix* v) {
  const mjModel* m = v->m;
  mjData* d = v->d;
  if (cfi_disabled(m, mjDSBL_ACTUATION)) {
    return;
  }
  mj_markStack(d);
  mjtNum* left = mj_stackAllocNum(d, (size_t)m->nv + 1);
  for (int u = 0; u < m->nu; u++) {
    const mjtNum slope = slopeOf(m, d, u), *moment = d->actuator_moment + d->moment_rowadr[u];
    const int *column = d->moment_colind + d->moment_rowadr[u], count = d->moment_rownnz[u];
    if (slope == 0) {
      continue;
    }
    for (int k = 0; k < count; k++) {
      left[k] = isForceLimited(m, d, column[k]) ? 0 : moment[k];
    }
    addProduct(v, (closedRow){left, column, count}, moment, slope);
  }
  mj_freeStack(d);
}


void cfi_closedInput(const mjModel* m, const mjData* d, int u, mjtNum change, mjtNum* force) {
  if (!isActuatorFree(m, d, u) || change == 0) {
    return;
  }
  const mjtNum scale = cfi_actuatorGainNow(m, d, u) * change;
  for (int k = d->moment_rowadr[u]; k < d->moment_rowadr[u] + d->moment_rownnz[u]; k++) {
    const int dof = d->moment_colind[k];
    force[dof] += isForceLimited(m, d, dof) ? 0 : scale * d->actuator_moment[k];
  }
}


// ---------------------------------------- constraint rows

static closedRow rowOfJ(const cfJacobian* J, int r) {
  if (!J->colind) {
    return (closedRow){J->val + (size_t)r * (size_t)J->ncol, NULL, J->ncol};
  }
  const int adr = J->rowadr[r];
  return (closedRow){J->val + adr, J->colind + adr, J->rownnz[r]};
}


// -J'*H*B*J of a contact in the middle zone of its cone; all its rows have the same columns
static void addContactCone(const velocityMatrix* v, const cfJacobian* J, int row) {
  CF_ASSERT_INDEX(row, J->nrow);
  mjData* d = v->d;
  const mjContact* con = d->contact + d->efc_id[row];
  const int n = con->dim;
  const closedRow first = rowOfJ(J, row);
  mj_markStack(d);
  mjtNum* sum = mj_stackAllocNum(d, (size_t)first.count + 1);
  for (int a = 0; a < n; a++) {
    mju_zero(sum, first.count);
    for (int b = 0; b < n; b++) {
      const mjtNum damping = d->efc_KBIP[4 * (row + b) + 1];
      mju_addToScl(sum, rowOfJ(J, row + b).value, con->H[n * a + b] * damping, first.count);
    }
    addProduct(v, rowOfJ(J, row + a), sum, -1);
  }
  mj_freeStack(d);
}


static void addRowDamping(const velocityMatrix* v) {
  mjData* d = v->d;
  const cfJacobian J = cfi_jacobian(v->m, d);
  for (int r = 0; r < d->nefc; r++) {
    if (d->efc_state[r] == mjCNSTRSTATE_CONE) {
      addContactCone(v, &J, r);
      r += d->contact[d->efc_id[r]].dim - 1;
    } else if (d->efc_state[r] == mjCNSTRSTATE_QUADRATIC) {
      const closedRow row = rowOfJ(&J, r);
      addProduct(v, row, row.value, -d->efc_D[r] * d->efc_KBIP[4 * r + 1]);
    }
  }
}


void cfi_closedVelocity(const mjModel* m, mjData* d, mjtNum* F, int stride) {
  CF_ASSERT(F && stride >= m->nv);
  const velocityMatrix v = {m, d, F, (size_t)stride};
  for (int i = 0; i < m->nv; i++) {
    cfi_zero(rowOf(&v, i), (int)m->nv);
  }
  addBias(&v);
  addDampers(&v);
  addActuators(&v);
  addRowDamping(&v);
}
