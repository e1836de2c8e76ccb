// Inverse weights at qpos0: how strongly a unit force accelerates a body, dof, tendon or actuator.
//
// Every weight is a diagonal entry of J inv(M) J'.  With M = L' D L that is the squared length of
// sqrt(inv(D)) inv(L') J', half the work of a full solve and never negative.  A row of a body's
// Jacobian lives on the chain of dofs that move the body, and inv(L') does not leave that chain:
// the cost depends on its length alone.
#include "base/assert.h"
#include "compile/constants.h"

#include <math.h>
#include <stdbool.h>

#include "kinematics/tendon.h"
#include "math/inline.h"

// scratch shared by the weights
typedef struct {
  mjtNum* rows;       // up to six rows of J, 6 x nv; all zero between uses
  mjtNum* solved;     // inv(M) J' or half of it, 6 x nv
  mjtNum* sqrt_dinv;  // nv
  bool is_singular;   // M cannot be inverted
} weightScratch;


void cfi_setInertia0(mjModel* m, mjData* d) {
  mju_copy(d->crb, d->cinert, 10 * m->nbody);
  for (int b = m->nbody - 1; b > 0; b--) {
    const int parent = m->body_parentid[b];
    if (parent) {
      mju_addTo(d->crb + 10 * parent, d->crb + 10 * b, 10);
    }
  }

  // M0_ii = armature + s' I s with the composite inertia of everything the dof carries
  for (int i = 0; i < m->nv; i++) {
    mjtNum force[6];
    const mjtNum* s = d->cdof + 6 * i;
    cfi_mulInertVec(force, d->crb + 10 * m->dof_bodyid[i], s);
    m->dof_M0[i] = m->dof_armature[i] + mju_dot(s, force, 6);
  }
}


// diag[k] = (J inv(M) J')_kk for the first `count` rows in the scratch, which are cleared
static void inverseDiagonal(const mjModel* m, mjData* d, const weightScratch* w, int count,
                            mjtNum* diag) {
  CF_ASSERT(count > 0);
  const int nv = m->nv;

  // half a solve would hide some of the infinities of a singular matrix
  if (w->is_singular) {
    mj_solveM(m, d, w->solved, w->rows, count);
  } else {
    mj_solveM2(m, d, w->solved, w->rows, w->sqrt_dinv, count);
  }
  for (int k = 0; k < count; k++) {
    const mjtNum* solved = w->solved + k * nv;
    diag[k] = mju_dot(w->is_singular ? w->rows + k * nv : solved, solved, nv);
  }
  mju_zero(w->rows, count * nv);
}


// the same for one row that is zero outside the chain of ancestors of dof `last`
static mjtNum chainDiagonal(const mjModel* m, const mjData* d, mjtNum* row, int last) {
  CF_ASSERT_INDEX(last, m->nv);
  mjtNum sum = 0;
  for (int i = last; i >= 0; i = m->dof_parentid[i]) {
    const mjtNum x = row[i];
    const int adr = m->M_rowadr[i], above = m->M_rownnz[i] - 1;
    for (int k = adr; k < adr + above; k++) {
      row[m->M_colind[k]] -= d->qLD[k] * x;
    }
    sum += x * x * d->qLDiagInv[i];
    row[i] = 0;
  }
  return sum;
}


// rows on one chain; a singular matrix needs the full solve
static void chainDiagonals(const mjModel* m, mjData* d, const weightScratch* w, int count, int last,
                           mjtNum* diag) {
  if (w->is_singular) {
    inverseDiagonal(m, d, w, count, diag);
    return;
  }
  for (int k = 0; k < count; k++) {
    diag[k] = chainDiagonal(m, d, w->rows + k * m->nv, last);
  }
}


// inverse mass of a body that only translates
static mjtNum inverseMass(const mjModel* m, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  if (m->body_mass[body] == 0) {
    mju_error("mj_setConst: moving body %d has 0 mass", body);
  }
  return 1 / mju_max(mjMINVAL, m->body_mass[body]);
}


// mean of three
static mjtNum meanOf(const mjtNum v[3]) {
  return (v[0] + v[1] + v[2]) / 3;
}


// Jacobian of a body's center of mass into the scratch rows, translation first; returns the last
// dof of the chain
static int bodyRows(const mjModel* m, const mjData* d, const weightScratch* w, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  const int weld = m->body_weldid[body], last = m->body_dofadr[weld] + m->body_dofnum[weld] - 1;
  mjtNum arm[3], turned[3];
  cfi_sub3(arm, d->xipos + 3 * body, d->subtree_com + 3 * m->body_rootid[body]);
  for (int i = last; i >= 0; i = m->dof_parentid[i]) {
    const mjtNum* s = d->cdof + 6 * i;
    cfi_cross(turned, s, arm);
    for (int k = 0; k < 3; k++) {
      w->rows[k * m->nv + i] = s[3 + k] + turned[k];
      w->rows[(3 + k) * m->nv + i] = s[k];
    }
  }
  return last;
}


// translational and rotational weight of one moving body
static void bodyWeight(const mjModel* m, mjData* d, const weightScratch* w, int body,
                       mjtNum res[2]) {
  if (m->body_simple[body] == 2) {
    res[0] = inverseMass(m, body);
    res[1] = 0;
    return;
  }
  mjtNum diag[6];
  chainDiagonals(m, d, w, 6, bodyRows(m, d, w, body), diag);
  res[0] = meanOf(diag);
  res[1] = meanOf(diag + 3);

  // a body that cannot move in one sense takes the other's weight, so constraints stay well posed
  if (res[0] < mjMINVAL && res[1] > mjMINVAL) {
    res[0] = res[1];
  } else if (res[1] < mjMINVAL && res[0] > mjMINVAL) {
    res[1] = res[0];
  }
}


// weights of the dofs of one joint; the dofs of a ball, or of either half of a free joint, share
// their mean
static void jointWeight(const mjModel* m, mjData* d, const weightScratch* w, int joint,
                        mjtNum* res) {
  CF_ASSERT_INDEX(joint, m->njnt);
  static const int dofs_of[] = {
      [mjJNT_FREE] = 6, [mjJNT_BALL] = 3, [mjJNT_SLIDE] = 1, [mjJNT_HINGE] = 1};
  const int body = m->jnt_bodyid[joint];
  if (m->body_simple[body] == 2) {
    res[0] = inverseMass(m, body);
    return;
  }

  const int dofs = dofs_of[m->jnt_type[joint]], adr = m->jnt_dofadr[joint];
  mjtNum diag[6];
  for (int k = 0; k < dofs; k++) {
    w->rows[k * m->nv + adr + k] = 1;
  }
  chainDiagonals(m, d, w, dofs, adr + dofs - 1, diag);
  if (dofs == 1) {
    res[0] = diag[0];
  }
  for (int k = 0; k + 2 < dofs; k += 3) {
    res[k] = res[k + 1] = res[k + 2] = meanOf(diag + k);
  }
}


// scatter a sparse row into the first scratch row
static void expandRow(const weightScratch* w, int nv, const mjtNum* value, const int* col,
                      int nnz) {
  CF_ASSERT(nnz >= 0 && nnz <= nv);
  mju_zero(w->rows, nv);
  for (int k = 0; k < nnz; k++) {
    w->rows[col[k]] = value[k];
  }
}


// weight of one tendon from its Jacobian at qpos0
static mjtNum tendonWeight(const mjModel* m, mjData* d, const weightScratch* w, int tendon) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  mjtNum diag[6];
  const cfDofRow row = cfi_tendonRow(m, d, tendon, mj_isSparse(m));
  if (row.dof) {
    expandRow(w, m->nv, row.J, row.dof, row.nnz);
  } else {
    mju_copy(w->rows, row.J, row.nnz);
  }
  inverseDiagonal(m, d, w, 1, diag);
  return diag[0];
}


// weight of one flex edge; body[] are its ends
static mjtNum edgeWeight(const mjModel* m, mjData* d, const weightScratch* w, int edge,
                         const int body[2]) {
  CF_ASSERT_INDEX(edge, m->nflexedge);
  if (m->flexedge_rigid[edge]) {
    return 0;
  }
  if (m->body_simple[body[0]] == 2 && m->body_simple[body[1]] == 2) {
    return (1 / m->body_mass[body[0]] + 1 / m->body_mass[body[1]]) / 2;
  }
  mjtNum diag[6];
  const int adr = m->flexedge_J_rowadr[edge];
  expandRow(w, m->nv, d->flexedge_J + adr, m->flexedge_J_colind + adr, m->flexedge_J_rownnz[edge]);
  inverseDiagonal(m, d, w, 1, diag);
  return diag[0];
}


// weights of the edges of one flex
static void flexWeights(mjModel* m, mjData* d, const weightScratch* w, int flex) {
  CF_ASSERT_INDEX(flex, m->nflex);
  const int* of_vertex = m->flex_vertbodyid + m->flex_vertadr[flex];
  const int end = m->flex_edgeadr[flex] + m->flex_edgenum[flex];
  for (int e = m->flex_edgeadr[flex]; e < end; e++) {
    const int* vertex = m->flex_edge + 2 * e;
    const int body[2] = {of_vertex[vertex[0]], of_vertex[vertex[1]]};
    m->flexedge_invweight0[e] = edgeWeight(m, d, w, e, body);
  }
}


// joint-space acceleration under unit actuator force
static mjtNum actuatorAcceleration(const mjModel* m, mjData* d, const weightScratch* w,
                                   int actuator) {
  CF_ASSERT_INDEX(actuator, m->nu);
  const int adr = d->moment_rowadr[actuator];
  expandRow(w, m->nv, d->actuator_moment + adr, d->moment_colind + adr, d->moment_rownnz[actuator]);
  mj_solveM(m, d, w->solved, w->rows, 1);
  return mju_norm(w->solved, m->nv);
}


// weights of everything that reaches the dofs through a Jacobian row of its own
static void pathWeights(mjModel* m, mjData* d, const weightScratch* w) {
  for (int f = 0; f < m->nflex; f++) {
    if (!m->flex_interp[f]) {
      flexWeights(m, d, w, f);
    }
  }
  for (int t = 0; t < m->ntendon; t++) {
    m->tendon_invweight0[t] = tendonWeight(m, d, w, t);
  }
  for (int u = 0; u < m->nu; u++) {
    m->actuator_acc0[u] = actuatorAcceleration(m, d, w, u);
  }
}


void cfi_setWeights0(mjModel* m, mjData* d) {
  const int nv = m->nv;
  if (!nv) {
    mju_zero(m->body_invweight0, 2 * m->nbody);
    mju_zero(m->tendon_invweight0, m->ntendon);
    mju_zero(m->actuator_acc0, m->nu);
    return;
  }

  mj_markStack(d);
  weightScratch w = {mj_stackAllocNum(d, 6 * nv), mj_stackAllocNum(d, 6 * nv),
                     mj_stackAllocNum(d, nv), false};
  mju_zero(w.rows, 6 * nv);
  for (int i = 0; i < nv; i++) {
    w.sqrt_dinv[i] = sqrt(d->qLDiagInv[i]);
    w.is_singular |= !isfinite(w.sqrt_dinv[i]);
  }
  for (int b = 0; b < m->nbody; b++) {
    mjtNum* weight = m->body_invweight0 + 2 * b;
    if (m->body_weldid[b]) {
      bodyWeight(m, d, &w, b, weight);
    } else {
      weight[0] = weight[1] = 0;
    }
  }
  for (int j = 0; j < m->njnt; j++) {
    jointWeight(m, d, &w, j, m->dof_invweight0 + m->jnt_dofadr[j]);
  }
  pathWeights(m, d, &w);
  mj_freeStack(d);
}


// inertia that an actuator feels at its own coordinate: M0 / moment^2 summed over the dofs it
// drives
static mjtNum reflectedInertia(const mjModel* m, const mjData* d, int actuator) {
  CF_ASSERT_INDEX(actuator, m->nu);
  const int adr = d->moment_rowadr[actuator];
  mjtNum inertia = 0;
  for (int k = adr; k < adr + d->moment_rownnz[actuator]; k++) {
    const mjtNum square = d->actuator_moment[k] * d->actuator_moment[k];
    if (square > mjMINVAL) {
      inertia += m->dof_M0[d->moment_colind[k]] / square;
    }
  }
  return inertia;
}


void cfi_setActuatorDamping(mjModel* m, const mjData* d) {
  for (int u = 0; u < m->nu; u++) {
    const mjtNum kp = m->actuator_gainprm[mjNGAIN * u];
    mjtNum* bias = m->actuator_biasprm + mjNBIAS * u;

    // position-like: gain and stiffness cancel; a positive third parameter is still a ratio
    if (kp == -bias[1] && bias[2] > 0) {
      bias[2] = -(bias[2] * 2 * sqrt(kp * reflectedInertia(m, d, u)));
    }
  }
}
