// What the dual solvers share.
#include "solver/dual.h"

#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "math/sparse.h"
#include "solver/stats.h"

// position of the diagonal entry of a row
static const mjtNum* diagonalOf(const cfDual* dual, int row) {
  CF_ASSERT_INDEX(row, dual->d->nefc);
  const mjData* d = dual->d;
  if (!dual->is_sparse) {
    return d->efc_AR + (size_t)row * (d->nefc + 1);
  }
  int adr = d->efc_AR_rowadr[row];
  while (d->efc_AR_colind[adr] != row) {
    adr++;
  }
  return d->efc_AR + adr;
}


cfDual cfi_beginDual(const mjModel* m, mjData* d, bool without_R) {
  cfDual dual = {.m = m, .d = d, .is_sparse = mj_isSparse(m), .without_R = without_R};
  dual.diag_inverse = mj_stackAllocNum(d, d->nefc);
  dual.gathered = dual.is_sparse ? mj_stackAllocNum(d, d->nefc) : NULL;
  for (int r = 0; r < d->nefc; r++) {
    const mjtNum diagonal = *diagonalOf(&dual, r);
    dual.diag_inverse[r] = 1 / (without_R ? cfi_max(mjMINVAL, diagonal - d->efc_R[r]) : diagonal);
  }
  return dual;
}


// dot products of three rows with one vector
static void dotThree(mjtNum res[3], const mjtNum* mat, int stride, const mjtNum* vec, int n) {
  CF_ASSERT(n >= 0 && stride >= n);
  const mjtNum *a = mat, *b = a + stride, *c = b + stride;
  cfLane sa = cfi_laneSpread(0), sb = sa, sc = sa;
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    const cfLane v = cfi_laneLoad(vec + k);
    sa = cfi_laneAddMul(sa, cfi_laneLoad(a + k), v);
    sb = cfi_laneAddMul(sb, cfi_laneLoad(b + k), v);
    sc = cfi_laneAddMul(sc, cfi_laneLoad(c + k), v);
  }
  res[0] = cfi_laneSum(sa);
  res[1] = cfi_laneSum(sb);
  res[2] = cfi_laneSum(sc);
  for (; k < n; k++) {
    res[0] += a[k] * vec[k];
    res[1] += b[k] * vec[k];
    res[2] += c[k] * vec[k];
  }
}


// forces at increasing columns: rows of a contact make runs, which are copied as vectors
static void gatherForces(mjtNum* res, const mjtNum* force, const int* col, int n) {
  CF_ASSERT(n >= 0);
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    if (col[k + 3] - col[k] == 3) {
      cfi_laneStore(res + k, cfi_laneLoad(force + col[k]));
    } else {
      cfi_gather(res + k, force, col + k, 4);
    }
  }
  cfi_gather(res + k, force, col + k, n - k);
}


// forces at the columns of a row: where these follow one another, in place
static inline const mjtNum* forcesAt(const cfDual* dual, const int* col, int n) {
  const mjtNum* force = dual->d->efc_force;
  if (col[n - 1] - col[0] == n - 1) {
    return force + col[0];
  }
  gatherForces(dual->gathered, force, col, n);
  return dual->gathered;
}


void cfi_dualResidual(const cfDual* dual, int row, int n, mjtNum* res) {
  const mjData* d = dual->d;
  const size_t adr = dual->is_sparse ? (size_t)d->efc_AR_rowadr[row] : (size_t)row * d->nefc;
  const int width = dual->is_sparse ? d->efc_AR_rownnz[row] : d->nefc;
  const mjtNum *AR = d->efc_AR + adr, *force = d->efc_force;
  CF_ASSERT(!dual->is_sparse || d->efc_AR_rownnz[row + n - 1] == width);
  if (dual->is_sparse && n == 1) {
    res[0] = cfi_dotSparse(AR, force, width, d->efc_AR_colind + adr);
  } else {
    if (dual->is_sparse) {
      force = forcesAt(dual, d->efc_AR_colind + adr, width);
    }
    if (n == 3) {
      dotThree(res, AR, width, force, width);
    } else {
      cfi_dotRows(res, AR, width, n, force, width);
    }
  }
  for (int k = 0, r = row; k < n; k++, r++) {
    res[k] += d->efc_b[r];
    if (dual->without_R) {
      res[k] -= d->efc_R[r] * d->efc_force[r];
    }
  }
}


void cfi_dualBlock(const cfDual* dual, int row, int n, mjtNum* block) {
  const mjData* d = dual->d;

  CF_ASSERT(n >= 1 && n <= CF_BLOCK_MAX && row + n <= d->nefc);
  // rows of one constraint are coupled with each other, so the block is contiguous in every row
  for (int k = 0; k < n; k++) {
    cfi_copy(block + k * n, diagonalOf(dual, row + k) - k, n);
    if (dual->without_R) {
      block[k * (n + 1)] = cfi_max(1e-10, block[k * (n + 1)] - d->efc_R[row + k]);
    }
  }
}


// zone of the elliptic cone that a contact force lies in; n is its dimension, a constant where this
// is inlined
static inline int zoneOfCone(const mjContact* con, const mjtNum* force, const int n) {
  mjtNum normal = force[0] / con->mu, tangent = 0;
  for (int k = 1; k < n; k++) {
    const mjtNum f = force[k] / con->friction[k - 1];
    tangent += f * f;
  }
  tangent = sqrt(tangent);
  const int outside = normal + con->mu * tangent <= 0 ? mjCNSTRSTATE_QUADRATIC : mjCNSTRSTATE_CONE;
  return con->mu * normal >= tangent ? mjCNSTRSTATE_SATISFIED : outside;
}


// friction loss saturates on the side opposite to the primal state
static int frictionState(mjtNum force, mjtNum loss) {
  if (force <= -loss) {
    return mjCNSTRSTATE_LINEARPOS;
  }
  return force >= loss ? mjCNSTRSTATE_LINEARNEG : mjCNSTRSTATE_QUADRATIC;
}


// set the states of n rows; adds to the numbers of changed and, where that is asked for, of active
// rows
static inline void setState(int* state, int next, int n, mjSolverStat* stat, int may_rest) {
  CF_ASSERT(n >= 1);
  stat->nchange += n * (state[0] != next);
  stat->nactive += n * (may_rest && next != mjCNSTRSTATE_SATISFIED);
  for (int k = 0; k < n; k++) {
    state[k] = next;
  }
}


// limits and contacts, cones included: rows of a contact have one state
static void unilateralStates(const mjData* d, int* state, mjSolverStat* stat) {
  for (int r = d->ne + d->nf; r < d->nefc;) {
    const mjtNum* force = d->efc_force + r;
    if (d->efc_type[r] != mjCNSTR_CONTACT_ELLIPTIC) {
      setState(state + r, force[0] <= 0 ? mjCNSTRSTATE_SATISFIED : mjCNSTRSTATE_QUADRATIC, 1, stat,
               /*may_rest=*/1);
      r++;
      continue;
    }
    const mjContact* con = d->contact + d->efc_id[r];
    if (con->dim == 3) {
      setState(state + r, zoneOfCone(con, force, 3), 3, stat, /*may_rest=*/1);
    } else {
      setState(state + r, zoneOfCone(con, force, con->dim), con->dim, stat, /*may_rest=*/1);
    }
    r += con->dim;
  }
}


// without cones
static void pushStates(const mjData* d, int* restrict state, mjSolverStat* stat) {
  const mjtNum* restrict force = d->efc_force;
  int nchange = 0, nactive = 0;
  CF_ASSERT(d->ne + d->nf <= d->nefc);
  for (int r = d->ne + d->nf; r < d->nefc; r++) {
    const int next = force[r] <= 0 ? mjCNSTRSTATE_SATISFIED : mjCNSTRSTATE_QUADRATIC;
    nchange += state[r] != next;
    nactive += next != mjCNSTRSTATE_SATISFIED;
    state[r] = next;
  }
  stat->nchange += nchange;
  stat->nactive += nactive;
}


// states of all rows; changed and active ones are counted
static void dualStates(const cfDual* dual, mjSolverStat* stat) {
  mjData* d = dual->d;
  int* state = d->efc_state;
  stat->nactive += d->ne + d->nf;
  for (int r = 0; r < d->ne; r++) {
    setState(state + r, mjCNSTRSTATE_QUADRATIC, 1, stat, /*may_rest=*/0);
  }
  for (int r = d->ne; r < d->ne + d->nf; r++) {
    setState(state + r, frictionState(d->efc_force[r], d->efc_frictionloss[r]), 1, stat,
             /*may_rest=*/0);
  }
  if (dual->m->opt.cone == mjCONE_ELLIPTIC) {
    unilateralStates(d, state, stat);
  } else {
    pushStates(d, state, stat);
  }
}


void cfi_dualState(cfDual* dual) {
  mjSolverStat unread = {0};
  dualStates(dual, &unread);
}


void cfi_dualStats(cfDual* dual, int iteration, mjtNum improvement) {
  CF_ASSERT(iteration >= 0);
  mjSolverStat stat = {.improvement = improvement};
  dualStates(dual, &stat);
  cfi_saveStat(dual->d, 0, iteration, &stat);
}


mjtNum cfi_dualScale(const mjModel* m) {
  return 1 / (m->stat.meaninertia * cfi_maxInt(1, (int)m->nv));
}


void cfi_finishDual(const mjModel* m, mjData* d) {
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
  mj_solveM(m, d, d->qacc, d->qfrc_constraint, 1);
  for (int i = 0; i < m->nv; i++) {
    d->qacc[i] += d->qacc_smooth[i];
  }
}
