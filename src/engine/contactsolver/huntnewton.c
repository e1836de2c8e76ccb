#include "contactsolver/huntnewton.h"

#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/inline.h"

enum { HUNT_LINE = 30 };


void cfi_mulHunt(const cfHuntPart* part, mjtNum* res, const mjtNum* vec) {
  const mjModel* m = part->e->m;
  for (int i = 0; i < part->n; i++) {
    const int g = part->global[i];
    mjtNum sum = 0;
    for (int k = m->D_rowadr[g]; k < m->D_rowadr[g] + m->D_rownnz[g]; k++) {
      const mjtNum value = part->has_mass_only ? cfi_massInD(m, part->e->d, k) : part->e->S[k];
      sum += value * vec[part->local[m->D_colind[k]]];
    }
    res[i] = sum;
  }
  for (int k = 0; k < part->nclique; k++) {
    const cfClique* clique = part->e->clique + part->clique[k];
    for (int i = 0; i < clique->n; i++) {
      mjtNum sum = 0;
      for (int j = 0; j < clique->n; j++) {
        sum += clique->value[i * clique->n + j] * vec[part->local[clique->dof[j]]];
      }
      res[part->local[clique->dof[i]]] += sum;
    }
  }
}


// forces of a block at y and, unless NULL, minus their slopes
static void huntForces(const cfHuntPart* part, const cfHuntBlock* b, const mjtNum* y, mjtNum* force,
                       mjtNum* W) {
  mjtNum slope;
  if (b->law) {
    cfi_huntContact(b->law, b->block->dim, part->e->m->opt.timestep, y, force, W);
  } else {
    force[0] = cfi_huntRow(part->e->d, b->block, y[0], &slope);
    if (W) {
      W[0] = slope;
    }
  }
}


// axis j of a block times a vector of the component
static mjtNum dotLocal(const cfHuntBlock* b, int j, const mjtNum* vec) {
  const mjtNum* J = b->block->J + (size_t)j * (size_t)b->block->ndof;
  mjtNum sum = 0;
  for (int i = 0; i < b->block->ndof; i++) {
    sum += J[i] * vec[b->dof[i]];
  }
  return sum;
}


void cfi_evaluateHunt(cfHuntPart* part) {
  CF_ASSERT(part->nlinear <= part->nblock);
  for (int i = 0; i < part->n; i++) {
    part->grad[i] = part->Sa[i] - part->force[i];
  }
  for (int k = 0; k < part->nblock; k++) {
    const cfHuntBlock* b = part->block + k;
    huntForces(part, b, b->y, b->f, b->W);
    for (int j = 0; j < b->block->dim; j++) {
      const mjtNum* J = b->block->J + (size_t)j * (size_t)b->block->ndof;
      for (int i = 0; i < b->block->ndof && b->f[j] != 0; i++) {
        part->grad[b->dof[i]] -= b->f[j] * J[i];
      }
    }
  }
}


// ---------------------------------------- line search

// derivative of the cost along the search direction at zero, and its slope, of what is quadratic
typedef struct {
  mjtNum start, curve;
} huntLine;


static huntLine quadraticPart(const cfHuntPart* part) {
  const mjData* d = part->e->d;
  huntLine line = {
      cfi_dot(part->Sa, part->search, part->n) - cfi_dot(part->force, part->search, part->n),
      cfi_dot(part->Ss, part->search, part->n)};
  for (int k = 0; k < part->nlinear; k++) {
    const cfHuntBlock* b = part->block + k;
    line.start -= b->f[0] * b->z[0];
    line.curve += d->efc_D[b->block->row] * b->z[0] * b->z[0];
  }
  return line;
}


static mjtNum lineDerivative(const cfHuntPart* part, huntLine line, mjtNum t, mjtNum* slope) {
  mjtNum derivative = line.start + t * line.curve;
  *slope = line.curve;
  for (int k = part->nlinear; k < part->nblock; k++) {
    const cfHuntBlock* b = part->block + k;
    const int n = b->block->dim;
    mjtNum at[6], force[6], W[36];
    for (int i = 0; i < n; i++) {
      at[i] = b->y[i] + t * b->z[i];
    }
    huntForces(part, b, at, force, W);
    for (int i = 0; i < n; i++) {
      derivative -= force[i] * b->z[i];
      *slope += b->z[i] * cfi_dot(W + i * n, b->z, n);
    }
  }
  return derivative;
}


// length of the step: the derivative, which grows with t, is zero or small there
static mjtNum huntLineSearch(const cfHuntPart* part) {
  const huntLine line = quadraticPart(part);
  mjtNum slope, low = 0, high = -1, t = 1;
  const mjtNum first = lineDerivative(part, line, 0, &slope);
  if (!(first < 0)) {
    return 0;
  }
  for (int k = 0; k < HUNT_LINE; k++) {
    const mjtNum derivative = lineDerivative(part, line, t, &slope);
    if (fabs(derivative) <= 0.01 * -first) {
      break;
    }
    low = derivative < 0 ? t : low;
    high = derivative < 0 ? high : t;
    const mjtNum next = t - derivative / cfi_max(mjMINVAL, slope);
    const bool is_inside = next > low && (high < 0 || next < high);
    t = is_inside ? next : high < 0 ? 2 * t : 0.5 * (low + high);
  }
  return t;
}


// ---------------------------------------- Newton

int cfi_minimizeHunt(cfHuntPart* part, int most, mjtNum tolerance) {
  const int n = part->n;
  int count = 0;
  cfi_evaluateHunt(part);
  while (count < most && mju_norm(part->grad, n) > tolerance) {
    cfi_huntDirection(part);
    cfi_mulHunt(part, part->Ss, part->search);
    for (int k = 0; k < part->nblock; k++) {
      for (int j = 0; j < part->block[k].block->dim; j++) {
        part->block[k].z[j] = dotLocal(part->block + k, j, part->search);
      }
    }
    const mjtNum t = huntLineSearch(part);
    count++;
    if (!(t > 0)) {
      break;
    }
    mju_addToScl(part->a, part->search, t, n);
    mju_addToScl(part->Sa, part->Ss, t, n);
    for (int k = 0; k < part->nblock; k++) {
      mju_addToScl(part->block[k].y, part->block[k].z, t, part->block[k].block->dim);
    }
    cfi_evaluateHunt(part);
  }
  return count;
}
