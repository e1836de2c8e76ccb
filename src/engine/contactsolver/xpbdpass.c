// Passes of position-based dynamics over all blocks: each in turn is brought to its law while the
// others stay (Gauss-Seidel), over displacements and over velocities in the same way.
#include <math.h>

#include "base/assert.h"
#include "contactsolver/xpbdlocal.h"
#include "math/inline.h"

// The functions for one block see its part of u, dof after dof.

// rows of an equality together: A is the inverse
static mjtNum visitEquality(const cfContactBlock* b, const xpbdLaw* law, mjtNum* u) {
  mjtNum r[XPBD_AXES_MAX + 2], change[XPBD_AXES_MAX], most = 0;
  CF_ASSERT(b->dim <= XPBD_AXES_MAX && b->contact < 0);
  cfi_xpbdDots(r, b, u);
  for (int k = 0; k < b->dim; k++) {
    r[k] += law->axis[k].bias + law->axis[k].give * law->axis[k].lambda;
    most = cfi_max(most, fabs(r[k]));
  }
  for (int k = 0; k < b->dim; k++) {
    change[k] = 0;
    for (int j = 0; j < b->dim; j++) {
      change[k] -= law->A[k * b->dim + j] * r[j];
    }
    law->axis[k].lambda += change[k];
  }
  cfi_xpbdPush(u, b, change);
  return most;
}


// dry friction of a dof or tendon: A is the inverse
static mjtNum visitLoss(const cfContactBlock* b, const xpbdLaw* law, mjtNum* u) {
  CF_ASSERT(b->dim == 1);
  const mjtNum r = cfi_xpbdDot(b, 0, u);
  const mjtNum lambda = cfi_clip(law->axis->lambda - r * law->A[0], -law->bound, law->bound);
  const mjtNum change[XPBD_AXES_MAX] = {lambda - law->axis->lambda};
  law->axis->lambda = lambda;
  cfi_xpbdPush(u, b, change);
  return fabs(change[0]) / cfi_max(mjMINVAL, law->A[0]);
}


// lambda of the normal of a contact, or of a limit
static inline mjtNum normalLambda(const xpbdLaw* law, mjtNum r) {
  const xpbdAxis* axis = law->axis;
  const mjtNum inverse = axis->give > 0 ? law->soft_inverse : law->inverse;
  const mjtNum residual = r + axis->bias + axis->give * axis->lambda;
  mjtNum lambda = axis->lambda - residual * inverse;
  if (law->is_rigid && axis->give * lambda > law->most) {
    lambda = axis->lambda - (r + axis->bias + law->most) * law->inverse;
  }
  return cfi_max(0, cfi_min(lambda, axis->lambda - (r - law->cap) * law->inverse));
}


// Contact with two tangents: the changes of its impulses, given what it sees; returns the largest
// in displacements.
static inline mjtNum solveContact3(const xpbdLaw* law, const mjtNum r[4], mjtNum change[3]) {
  xpbdAxis* axis = law->axis;
  const mjtNum* A = law->A;
  const mjtNum normal = normalLambda(law, r[0]);
  change[0] = normal - axis->lambda;
  const mjtNum slip[2] = {r[1] + A[3] * change[0], r[2] + A[6] * change[0]};
  mjtNum friction[2] = {axis[1].lambda, axis[2].lambda};
  cfi_xpbdTwoTangents(friction, slip, law, normal);
  change[1] = friction[0] - axis[1].lambda;
  change[2] = friction[1] - axis[2].lambda;
  axis[0].lambda = normal;
  axis[1].lambda = friction[0];
  axis[2].lambda = friction[1];
  const mjtNum most = cfi_max(fabs(change[1]) * A[4], fabs(change[2]) * A[8]);
  return cfi_max(most, fabs(change[0]) * A[0]);
}


static mjtNum visitContact(const cfContactBlock* b, const xpbdLaw* law, mjtNum* u) {
  mjtNum r[XPBD_AXES_MAX + 2], change[XPBD_AXES_MAX];
  xpbdAxis* axis = law->axis;
  CF_ASSERT(b->dim <= XPBD_AXES_MAX);
  cfi_xpbdDots(r, b, u);
  const mjtNum normal = normalLambda(law, r[0]);
  change[0] = normal - axis->lambda;
  axis->lambda = normal;
  mjtNum most = fabs(change[0]) * law->A[0];
  if (b->dim > 1) {
    mjtNum friction[XPBD_AXES_MAX];
    for (int k = 1; k < b->dim; k++) {
      r[k] += law->A[k * b->dim] * change[0];
      friction[k] = axis[k].lambda;
    }
    cfi_xpbdFriction(friction + 1, r + 1, law->A + b->dim + 1, b->dim, law->mu, normal, b->dim - 1);
    for (int k = 1; k < b->dim; k++) {
      change[k] = friction[k] - axis[k].lambda;
      axis[k].lambda = friction[k];
      most = cfi_max(most, fabs(change[k]) * law->A[k * (b->dim + 1)]);
    }
  }
  cfi_xpbdPush(u, b, change);
  return most;
}


static mjtNum visitContact3(const cfContactBlock* b, const xpbdLaw* law, mjtNum* u) {
  mjtNum r[4], change[XPBD_AXES_MAX];
  cfi_xpbdDot3(r, b->J, b->stride, u);
  const mjtNum most = solveContact3(law, r, change);
  cfi_xpbdPush(u, b, change);
  return most;
}


// the same where one or two bodies with six dofs each touch; u: of all dofs
static inline __attribute__((always_inline)) mjtNum visitSixes(const cfContactBlock* b,
                                                               const xpbdLaw* law, mjtNum* u,
                                                               const int nsix) {
  mjtNum r[4], change[3];
  xpbdSixes part = cfi_xpbdLoadSixes(u, b, nsix);
  cfi_xpbdDotsOfSixes(r, b->J, nsix, &part);
  const mjtNum most = solveContact3(law, r, change);
  if (most > 0) {
    cfi_xpbdPushSixes(&part, b->B, nsix, change);
    cfi_xpbdStoreSixes(u, b, nsix, &part);
  }
  return most;
}


static mjtNum visitBlock(const cfContactBlock* block, const xpbdLaw* law, mjtNum* u) {
  if (block->type == mjCNSTR_EQUALITY) {
    return visitEquality(block, law, u);
  }
  if (block->type <= mjCNSTR_FRICTION_TENDON) {
    return visitLoss(block, law, u);
  }
  return block->dim == 3 ? visitContact3(block, law, u) : visitContact(block, law, u);
}


mjtNum cfi_xpbdSweep(xpbdWork* work, int group, mjtNum* u, bool forward) {
  const xpbdChain* chain = &work->group[group].chain;
  const int first = work->parts.blocks.adr[group], end = work->parts.blocks.adr[group + 1];
  const int from = first + chain->nblock;
  const bool has_chain = chain->nblock && work->law[work->parts.blocks.list[first]].is_active;
  mjtNum most = 0, few[XPBD_FEW_DOFS];
  if (has_chain && forward) {
    most = cfi_xpbdVisitChain(work, group, u);
  }
  for (int n = from; n < end; n++) {
    const int k = work->parts.blocks.list[forward ? n : from + end - 1 - n];
    const cfContactBlock* block = work->blocks.block + k;
    const xpbdLaw* law = work->law + k;
    mjtNum change = 0;
    if (!law->is_active) {
      continue;
    }
    if (block->dim == 3 && block->contact >= 0 && law->nsix) {
      change = law->nsix == 1 ? visitSixes(block, law, u, 1) : visitSixes(block, law, u, 2);
    } else {
      mjtNum* part = cfi_xpbdPart(work, block, few);
      cfi_xpbdGather(part, block, u);
      change = visitBlock(block, law, part);
      cfi_xpbdScatter(u, block, part);
    }
    most = cfi_max(most, change);
  }
  return has_chain && !forward ? cfi_max(most, cfi_xpbdVisitChain(work, group, u)) : most;
}
