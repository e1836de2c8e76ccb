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
#include "law/number_one.h"

#include "law/cones.h"
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


// dry friction
static mjtNum updateFriction(mjtNum x, mjtNum D, mjtNum R, mjtNum loss, int* state, mjtNum* force) {
  bool is_low, is_high;
  const mjtNum cost = lawLossCost(x, D, R * loss, loss, force, &is_low, &is_high);
  *state = is_low    ? mjCNSTRSTATE_LINEARNEG
           : is_high ? mjCNSTRSTATE_LINEARPOS
                     : mjCNSTRSTATE_QUADRATIC;
  return cost;
}


// one elliptic contact; state is the same in all its rows
static inline __attribute__((always_inline)) mjtNum updateConeOf(mjContact* con, const mjtNum* x,
                                                                 const mjtNum* D, int* state,
                                                                 mjtNum* force, bool with_hessian,
                                                                 const int dim) {
  lawCone c = {.mu = con->mu, .Dm = lawConeWeight(D[0], con->mu)};
  bool is_top, is_low;
  lawPlaceCone(&c, x, con->friction, dim);
  const mjtNum cost = lawUpdateCone(&c, x, D, con->friction, dim, force, false, &is_top, &is_low);
  const int zone = is_top   ? mjCNSTRSTATE_SATISFIED
                   : is_low ? mjCNSTRSTATE_QUADRATIC
                            : mjCNSTRSTATE_CONE;
  if (with_hessian && zone == mjCNSTRSTATE_CONE) {
    lawConeHessian(con->H, dim, &c, x, con->friction, dim);
  }
  for (int k = 0; k < dim; k++) {
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


// a limit or a contact of one row
static inline mjtNum updatePush(mjtNum x, mjtNum D, int* state, mjtNum* force) {
  bool is_met;
  const mjtNum cost = lawPushCost(x, D, force, &is_met);
  *state = is_met ? mjCNSTRSTATE_SATISFIED : mjCNSTRSTATE_QUADRATIC;
  return cost;
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
