// Constraint forces near a solution, with the zones that the rows are in there.
//
//   f = f0 * D/D0 - s''*(x - x0),  x = J*a - aref
//
// is exact to first order: in each zone the force is D times a function of the residual x.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "finitediff/response.h"
#include "math/dense.h"
#include "math/inline.h"

// a contact that moves by this many times eps has jumped: other points of the geoms touch
static const mjtNum jump = 1000;


void cfi_freezeContacts(cfStepResponse* r) {
  const mjData* d = r->d;
  r->rows.ncon = d->ncon;
  r->rows.contact =
      mj_stackAllocByte(r->d, sizeof(mjContact) * (size_t)(d->ncon + 1), _Alignof(mjContact));
  memcpy(r->rows.contact, d->contact, sizeof(mjContact) * (size_t)d->ncon);
}


void cfi_freezeRows(cfStepResponse* r, const mjtNum* jar) {
  mjData* d = r->d;
  const int n = d->nefc;
  cfFrozenRows* rows = &r->rows;
  CF_ASSERT(n > 0 && rows->ncon == d->ncon);
  rows->nefc = n;
  rows->type = mj_stackAllocInt(d, 2 * (size_t)n);
  rows->id = rows->type + n;
  rows->weight = mj_stackAllocNum(d, 4 * (size_t)n);
  rows->jar = rows->weight + n;
  rows->force = rows->jar + n;
  rows->D = rows->force + n;
  cfi_copyInt(rows->type, d->efc_type, n);
  cfi_copyInt(rows->id, d->efc_id, n);
  mju_copy(rows->jar, jar, n);
  mju_copy(rows->force, d->efc_force, n);
  mju_copy(rows->D, d->efc_D, n);
  for (int k = 0; k < n; k++) {
    const int state = d->efc_state[k];
    rows->weight[k] = state == mjCNSTRSTATE_QUADRATIC ? d->efc_D[k] : 0;
  }
  for (int k = 0; k < n; k++) {
    if (d->efc_state[k] == mjCNSTRSTATE_CONE) {
      rows->weight[k] = -1;
      k += d->contact[d->efc_id[k]].dim - 1;
    }
  }
  for (int k = 0; k < d->ncon; k++) {
    mju_copy(rows->contact[k].H, d->contact[k].H, 36);
  }
}


// is the contact the one that it was, a little aside?  The axes of its rows may jump where the
// contact does not
static bool isSameContact(const mjContact* a, const mjContact* b, mjtNum far) {
  bool is_near = fabs(a->dist - b->dist) <= far;
  for (int k = 0; k < 3; k++) {
    is_near = is_near && fabs(a->pos[k] - b->pos[k]) <= far;
  }
  for (int k = 0; k < 9; k++) {
    is_near = is_near && fabs(a->frame[k] - b->frame[k]) <= far;
  }
  return is_near && a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1] && a->dim == b->dim;
}


bool cfi_areSameContacts(const cfStepResponse* r) {
  const mjData* d = r->d;
  const cfFrozenRows* rows = &r->rows;
  if (d->ncon != rows->ncon) {
    return false;
  }
  for (int k = 0; k < rows->ncon; k++) {
    if (!isSameContact(d->contact + k, rows->contact + k, jump * r->eps)) {
      return false;
    }
  }
  return true;
}


bool cfi_areSameRows(const cfStepResponse* r) {
  const mjData* d = r->d;
  const cfFrozenRows* rows = &r->rows;
  if (d->nefc != rows->nefc) {
    return false;
  }
  for (int k = 0; k < rows->nefc; k++) {
    if (d->efc_type[k] != rows->type[k] || d->efc_id[k] != rows->id[k]) {
      return false;
    }
  }
  return true;
}


// force of the rows of a cone from their residuals
static void coneForces(const cfFrozenRows* rows, int first, const mjtNum* jar, const mjtNum* D,
                       mjtNum* force) {
  CF_ASSERT_INDEX(first, rows->nefc);
  const mjContact* con = rows->contact + rows->id[first];
  for (int a = 0; a < con->dim; a++) {
    mjtNum x = rows->force[first + a] * D[first] / rows->D[first];
    for (int b = 0; b < con->dim; b++) {
      x -= con->H[con->dim * a + b] * (jar[first + b] - rows->jar[first + b]);
    }
    force[first + a] = x;
  }
}


void cfi_addRowForces(const cfStepResponse* r, mjtNum* force) {
  mjData* d = r->d;
  const cfFrozenRows* rows = &r->rows;
  const int n = rows->nefc;
  CF_ASSERT(d->nefc == n);
  if (n == 0) {
    return;
  }
  mj_markStack(d);
  mjtNum* jar = mj_stackAllocNum(d, 2 * (size_t)n);
  mjtNum* f = jar + n;
  mjtNum* joint = mj_stackAllocNum(d, (size_t)r->nv);
  mj_mulJacVec(r->m, d, jar, r->a);
  mju_subFrom(jar, d->efc_aref, n);
  for (int k = 0; k < n; k++) {
    const mjtNum w = rows->weight[k];
    if (w < 0) {
      coneForces(rows, k, jar, d->efc_D, f);
      k += rows->contact[rows->id[k]].dim - 1;
    } else if (w > 0) {
      f[k] = rows->force[k] * d->efc_D[k] / rows->D[k] - w * (jar[k] - rows->jar[k]);
    } else {
      f[k] = rows->force[k];
    }
  }
  mj_mulJacTVec(r->m, d, joint, f);
  mju_addTo(force, joint, r->nv);
  mj_freeStack(d);
}
