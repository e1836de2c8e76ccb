// Passes of position-based dynamics over all blocks: each in turn is brought to its law while the
// others stay (Gauss-Seidel), over displacements and over velocities in the same way.
#include <math.h>

#include "base/assert.h"
#include "contactsolver/xpbd.h"
#include "math/inline.h"

enum { AXES_MAX = 6 };

// The functions for one block see its part of u, dof after dof.

// residual of every axis but for bias and give
static inline void blockResidual(mjtNum* r, const cfContactBlock* b, const mjtNum* u) {
  const mjtNum* J = b->J;
  for (int k = 0; k < b->dim; k++, J += b->ndof) {
    mjtNum sum = 0;
    for (int i = 0; i < b->ndof; i++) {
      sum += J[i] * u[i];
    }
    r[k] = sum;
  }
}


// u += B'*change
static inline void blockPush(const cfContactBlock* b, const mjtNum* change, mjtNum* restrict u) {
  const mjtNum* B = b->B;
  for (int k = 0; k < b->dim; k++, B += b->ndof) {
    if (change[k] != 0) {
      for (int i = 0; i < b->ndof; i++) {
        u[i] += B[i] * change[k];
      }
    }
  }
}


// rows of an equality together: A is the inverse
static mjtNum visitEquality(const cfContactBlock* b, const xpbdLaw* law, mjtNum* u) {
  mjtNum r[AXES_MAX], change[AXES_MAX], most = 0;
  CF_ASSERT(b->dim <= AXES_MAX && b->contact < 0);
  blockResidual(r, b, u);
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
  blockPush(b, change, u);
  return most;
}


// dry friction of a dof or tendon: A is the inverse
static mjtNum visitLoss(const cfContactBlock* b, const xpbdLaw* law, mjtNum* u) {
  mjtNum r;
  CF_ASSERT(b->dim == 1);
  blockResidual(&r, b, u);
  const mjtNum lambda = cfi_clip(law->axis->lambda - r * law->A[0], -law->bound, law->bound);
  const mjtNum change = lambda - law->axis->lambda;
  law->axis->lambda = lambda;
  blockPush(b, &change, u);
  return fabs(change) / cfi_max(mjMINVAL, law->A[0]);
}


// lambda of the normal of a contact, or of a limit
static inline mjtNum normalLambda(const xpbdLaw* law, mjtNum r) {
  const xpbdAxis* axis = law->axis;
  const mjtNum w = law->A[0];
  const mjtNum residual = r + axis->bias + axis->give * axis->lambda;
  mjtNum lambda = axis->lambda - residual / (w + axis->give);
  if (law->is_rigid && axis->give * lambda > law->most) {
    lambda = axis->lambda - (r + axis->bias + law->most) / w;
  }
  return cfi_max(0, cfi_min(lambda, axis->lambda - (r - law->cap) / w));
}


static mjtNum visitContact(const xpbdWork* work, const cfContactBlock* b, const xpbdLaw* law,
                           mjtNum* u) {
  mjtNum r[AXES_MAX], change[AXES_MAX];
  xpbdAxis* axis = law->axis;
  CF_ASSERT(b->dim <= AXES_MAX);
  blockResidual(r, b, u);
  const mjtNum normal = normalLambda(law, r[0]);
  change[0] = normal - axis->lambda;
  axis->lambda = normal;
  mjtNum most = fabs(change[0]) * law->A[0];
  if (b->dim > 1) {
    mjtNum friction[AXES_MAX];
    for (int k = 1; k < b->dim; k++) {
      r[k] += law->A[k * b->dim] * change[0];
      friction[k] = axis[k].lambda;
    }
    cfi_xpbdFriction(friction + 1, r + 1, law->A + b->dim + 1, b->dim,
                     work->p->d->contact[b->contact].friction, normal, b->dim - 1);
    for (int k = 1; k < b->dim; k++) {
      change[k] = friction[k] - axis[k].lambda;
      axis[k].lambda = friction[k];
      most = cfi_max(most, fabs(change[k]) * law->A[k * (b->dim + 1)]);
    }
  }
  blockPush(b, change, u);
  return most;
}


static mjtNum visitBlock(const xpbdWork* work, const cfContactBlock* block, const xpbdLaw* law,
                         mjtNum* u) {
  if (block->type == mjCNSTR_EQUALITY) {
    return visitEquality(block, law, u);
  }
  return block->type <= mjCNSTR_FRICTION_TENDON ? visitLoss(block, law, u)
                                                : visitContact(work, block, law, u);
}


mjtNum cfi_xpbdSweep(xpbdWork* work, int group, mjtNum* u, bool forward) {
  enum { FEW_DOFS = 16 };
  const int from = work->parts.blocks.adr[group], end = work->parts.blocks.adr[group + 1];
  mjtNum most = 0, few[FEW_DOFS];
  for (int n = from; n < end; n++) {
    const int k = work->parts.blocks.list[forward ? n : from + end - 1 - n];
    const cfContactBlock* block = work->blocks.block + k;
    if (!work->law[k].is_active) {
      continue;
    }
    mjtNum* part = block->ndof <= FEW_DOFS ? few : work->scratch;
    for (int i = 0; i < block->ndof; i++) {
      part[i] = u[block->dof[i]];
    }
    most = cfi_max(most, visitBlock(work, block, work->law + k, part));
    for (int i = 0; i < block->ndof; i++) {
      u[block->dof[i]] = part[i];
    }
  }
  return most;
}
