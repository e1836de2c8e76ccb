// Contacts that involve flexes.
#include "constraint/flexcontact.h"

#include <string.h>

#include <mujoco/mujoco.h>

#include "math/inline.h"

// list the dofs of some bodies in plan->dof, increasing; a dof that is there came with its parents
static int listDofs(cfRowPlan* plan, const cfContactBodies* bodies) {
  const mjModel* m = plan->m;
  int* dof = plan->dof;
  int count = 0;
  for (int k = 0; k < bodies->count; k++) {
    for (int at = cfi_lastDof(m, bodies->body[k]); at >= 0; at = m->dof_parentid[at]) {
      int place = count;
      while (place > 0 && dof[place - 1] > at) {
        place--;
      }
      if (place > 0 && dof[place - 1] == at) {
        break;
      }
      memmove(dof + place + 1, dof + place, sizeof(int) * (size_t)(count++ - place));
      dof[place] = at;
    }
  }
  return count;
}


int cfi_flexContactDofs(cfRowPlan* plan, const mjContact* con) {
  cfContactBodies bodies;
  cfi_signedContactBodies(plan->m, plan->d, con, &bodies);
  return listDofs(plan, &bodies);
}


// weighted sum of point Jacobians, six numbers per dof: translation, rotation
static void sumMotion(cfRowPlan* plan, const mjContact* con, const cfContactBodies* bodies,
                      int count) {
  const mjModel* m = plan->m;
  for (int j = 0; j < count; j++) {
    cfi_zero6(plan->jac + 6 * plan->dof[j]);
  }
  for (int k = 0; k < bodies->count; k++) {
    mjtNum offset[3], column[3];
    cfi_pointOffset(offset, m, plan->d, con->pos, bodies->body[k]);
    for (int at = cfi_lastDof(m, bodies->body[k]); at >= 0; at = m->dof_parentid[at]) {
      const mjtNum* cdof = plan->d->cdof + 6 * at;
      cfi_pointColumn(column, cdof, offset);
      cfi_addToScl3(plan->jac + 6 * at, column, bodies->weight[k]);
      cfi_addToScl3(plan->jac + 6 * at + 3, cdof, bodies->weight[k]);
    }
  }
}


// entries of one dof in all rows of the contact, from its translation and rotation
static void writeColumn(mjtNum* entry, int stride, const mjContact* con, int type,
                        const mjtNum motion[6]) {
  mjtNum axis[6];
  for (int k = 0; k < con->dim; k++) {
    axis[k] = cfi_dot3(con->frame + 3 * (k % 3), motion + 3 * (k / 3));
  }
  for (int k = 0; k < con->dim && type != mjCNSTR_CONTACT_PYRAMIDAL; k++) {
    entry[(size_t)k * stride] = axis[k];
  }
  for (int k = 1; k < con->dim && type == mjCNSTR_CONTACT_PYRAMIDAL; k++) {
    entry[(size_t)(2 * k - 2) * stride] = axis[0] + axis[k] * con->friction[k - 1];
    entry[(size_t)(2 * k - 1) * stride] = axis[0] - axis[k] * con->friction[k - 1];
  }
}


void cfi_fillFlexContact(cfRowPlan* plan, cfRowBlock* block, const mjContact* con) {
  cfContactBodies bodies;
  cfi_signedContactBodies(plan->m, plan->d, con, &bodies);
  const int count = listDofs(plan, &bodies);
  sumMotion(plan, con, &bodies, count);
  const cfRowSlots slots = cfi_openRows(plan, block, plan->dof);
  for (int j = 0; j < count; j++) {
    mjtNum* entry = slots.J + (slots.col ? slots.col[j] : j);
    writeColumn(entry, slots.stride, con, block->type, plan->jac + 6 * plan->dof[j]);
  }
}
