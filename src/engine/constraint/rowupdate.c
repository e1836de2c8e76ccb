// State and force of constraints.
//
// Each row or cone has a convex cost s(x) of its residual x = J*qacc - aref; force = -ds/dx.
//   equality        quadratic D/2 x^2
//   friction loss   Huber: quadratic within +-R*loss, linear outside
//   limit, contact  quadratic for x < 0, else nothing
//   elliptic cone   top: nothing, bottom: quadratic in all rows, middle: D_m/2 (N - mu*T)^2
#include "constraint/rowupdate.h"

#include <math.h>
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/simd/lane.h"

cfRowSet cfi_allRows(const mjModel* m, const mjData* d) {
  return (cfRowSet){d->ne,
                    d->nf,
                    d->nefc,
                    d->efc_D,
                    d->efc_R,
                    d->efc_frictionloss,
                    d->efc_aref,
                    d->efc_type,
                    d->efc_id,
                    d->contact,
                    m->opt.cone == mjCONE_ELLIPTIC};
}


// Huber cost of dry friction
static mjtNum updateFriction(mjtNum x, mjtNum D, mjtNum R, mjtNum loss, int* state, mjtNum* force) {
  const mjtNum bound = R * loss;
  if (x <= -bound) {
    *state = mjCNSTRSTATE_LINEARNEG;
    *force = loss;
    return -0.5 * R * loss * loss - loss * x;
  }
  if (x >= bound) {
    *state = mjCNSTRSTATE_LINEARPOS;
    *force = -loss;
    return -0.5 * R * loss * loss + loss * x;
  }
  *state = mjCNSTRSTATE_QUADRATIC;
  *force = -D * x;
  return 0.5 * D * x * x;
}


// residual of an elliptic contact in the space where its cone is circular with slope mu
typedef struct {
  mjtNum u[6];  // scaled residual: normal, tangents
  mjtNum scale[6];
  mjtNum N, T, mu, Dm;
  int dim;
} cfConePoint;


// the dimension is a constant where this and what follows is inlined, and the numbers have names
static inline __attribute__((always_inline)) cfConePoint conePoint(const mjContact* con,
                                                                   const mjtNum* x, mjtNum D,
                                                                   const int dim) {
  cfConePoint p;
  p.mu = con->mu;
  p.dim = dim;
  mjtNum sum = 0;
  for (int k = 0; k < p.dim; k++) {
    p.scale[k] = k ? con->friction[k - 1] : con->mu;
    p.u[k] = x[k] * p.scale[k];
    sum += k ? p.u[k] * p.u[k] : 0;
  }
  p.N = p.u[0];
  p.T = sqrt(sum);
  p.Dm = D / (p.mu * p.mu * (1 + p.mu * p.mu));
  return p;
}


// second derivative of the middle-zone cost, dim x dim
static inline __attribute__((always_inline)) void coneHessian(mjtNum* H, const cfConePoint* p) {
  const mjtNum along = p->mu * p->N / (p->T * p->T * p->T);
  const mjtNum across = p->mu * p->mu - p->mu * p->N / p->T;
  const int n = p->dim;
  for (int i = 0; i < n; i++) {
    for (int j = i; j < n; j++) {
      mjtNum h = i == 0 ? (j == 0 ? 1 : -p->mu / p->T * p->u[j]) : along * p->u[i] * p->u[j];
      h += i == j && i > 0 ? across : 0;
      H[i * n + j] = H[j * n + i] = p->Dm * p->scale[i] * p->scale[j] * h;
    }
  }
}


// one elliptic contact; state is the same in all its rows
static inline __attribute__((always_inline)) mjtNum updateConeOf(mjContact* con, const mjtNum* x,
                                                                 const mjtNum* D, int* state,
                                                                 mjtNum* force, bool with_hessian,
                                                                 const int dim) {
  const cfConePoint p = conePoint(con, x, D[0], dim);
  mjtNum cost = 0;
  int zone;
  if (p.N >= p.mu * p.T || (p.T <= 0 && p.N >= 0)) {
    zone = mjCNSTRSTATE_SATISFIED;
    for (int k = 0; k < p.dim; k++) {
      force[k] = 0;
    }
  } else if (p.mu * p.N + p.T <= 0 || (p.T <= 0 && p.N < 0)) {
    zone = mjCNSTRSTATE_QUADRATIC;
    for (int k = 0; k < p.dim; k++) {
      force[k] = -D[k] * x[k];
      cost += 0.5 * D[k] * x[k] * x[k];
    }
  } else {
    zone = mjCNSTRSTATE_CONE;
    const mjtNum gap = p.N - p.mu * p.T;
    cost = 0.5 * p.Dm * gap * gap;
    force[0] = -p.Dm * gap * p.mu;
    for (int k = 1; k < p.dim; k++) {
      force[k] = -force[0] / p.T * p.u[k] * p.scale[k];
    }
    if (with_hessian) {
      coneHessian(con->H, &p);
    }
  }
  for (int k = 0; k < p.dim; k++) {
    state[k] = zone;
  }
  return cost;
}


// contacts that slide in two directions are the usual ones
static mjtNum updateCone(mjContact* con, const mjtNum* x, const mjtNum* D, int* state,
                         mjtNum* force, bool with_hessian) {
  CF_ASSERT(con->dim > 1 && con->dim <= 6);
  return con->dim == 3 ? updateConeOf(con, x, D, state, force, with_hessian, 3)
                       : updateConeOf(con, x, D, state, force, with_hessian, con->dim);
}


// one row that pushes where its residual is negative.  NaN is not satisfied: it goes on into force
// and cost, where it is seen
static inline mjtNum updatePush(mjtNum x, mjtNum D, int* state, mjtNum* force) {
  const mjtNum violation = x >= 0 ? 0 : x;
  *state = x >= 0 ? mjCNSTRSTATE_SATISFIED : mjCNSTRSTATE_QUADRATIC;
  *force = 0 - D * violation;
  return 0.5 * D * violation * violation;
}


// limits and contacts, cones included
static mjtNum updateWithCones(const cfRowSet* rows, const mjtNum* jar, int* state, mjtNum* force,
                              bool with_hessian) {
  mjtNum cost = 0;
  for (int r = rows->ne + rows->nf; r < rows->nefc; r++) {
    if (rows->type[r] == mjCNSTR_CONTACT_ELLIPTIC) {
      mjContact* con = rows->contact + rows->id[r];
      cost += updateCone(con, jar + r, rows->D + r, state + r, force + r, with_hessian);
      r += con->dim - 1;
    } else {
      cost += updatePush(jar[r], rows->D[r], state + r, force + r);
    }
  }
  return cost;
}


// limits and contacts without cones, four rows at a time
static mjtNum updatePushes(const cfRowSet* rows, const mjtNum* jar, int* state, mjtNum* force) {
  const cfLane zero = cfi_laneSpread(0), half = cfi_laneSpread(0.5);
  cfLane sum = zero;
  int r = rows->ne + rows->nf;
  for (; r + 4 <= rows->nefc; r += 4) {
    const cfLane D = cfi_laneLoad(rows->D + r);
    const cfLane violation = cfi_laneMin(zero, cfi_laneLoad(jar + r));
    cfi_laneStore(force + r, cfi_laneSub(zero, cfi_laneMul(D, violation)));
    sum = cfi_laneAddMul(sum, cfi_laneMul(cfi_laneMul(half, D), violation), violation);
    for (int k = r; k < r + 4; k++) {
      state[k] = jar[k] >= 0 ? mjCNSTRSTATE_SATISFIED : mjCNSTRSTATE_QUADRATIC;
    }
  }
  mjtNum cost = cfi_laneSum(sum);
  for (; r < rows->nefc; r++) {
    cost += updatePush(jar[r], rows->D[r], state + r, force + r);
  }
  return cost;
}


mjtNum cfi_updateRows(const cfRowSet* rows, const mjtNum* jar, int* state, mjtNum* force,
                      int with_hessian) {
  mjtNum cost = 0;
  const int nbilateral = rows->ne + rows->nf;
  CF_ASSERT(nbilateral <= rows->nefc);
  for (int r = 0; r < rows->ne; r++) {
    state[r] = mjCNSTRSTATE_QUADRATIC;
    force[r] = -rows->D[r] * jar[r];
    cost += 0.5 * rows->D[r] * jar[r] * jar[r];
  }
  for (int r = rows->ne; r < nbilateral; r++) {
    cost +=
        updateFriction(jar[r], rows->D[r], rows->R[r], rows->frictionloss[r], state + r, force + r);
  }
  return cost + (rows->may_have_cones ? updateWithCones(rows, jar, state, force, with_hessian)
                                      : updatePushes(rows, jar, state, force));
}


void mj_constraintUpdate(const mjModel* m, mjData* d, const mjtNum* jar, mjtNum cost[1],
                         int flg_coneHessian) {
  const cfRowSet rows = cfi_allRows(m, d);
  const mjtNum total = cfi_updateRows(&rows, jar, d->efc_state, d->efc_force, flg_coneHessian);
  if (cost) {
    *cost = total;
  }
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
}
