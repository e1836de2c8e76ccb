// Rows of contacts: frictionless, pyramidal and elliptic, condim 1, 3, 4 and 6.
//
// An entry of a contact row is a 6D product: with f an axis of the contact frame, c = (w, v) the motion
// of a dof at the center of mass of its tree, and r from there to the contact,
//    f . (v + w x r) = g . c   with   g = (r x f, f),      rotation rows: g = (f, 0).
// The edges of the pyramid are sums n +- mu_k t_k of such vectors, so each row of the Jacobian is one g
// times all dofs of the two bodies: no intermediate Jacobians, all rows of a dof in one go.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/flexcontact.h"
#include "constraint/rows.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "model/flags.h"

// rows of a contact, padded to whole vectors of four
enum { CF_CONTACT_ROWS = 12 };

// g of every row, one column of six per row; rows side by side for vector code
typedef struct {
  mjtNum g[6][CF_CONTACT_ROWS];
} cfRowMotion;


static int contactType(const mjModel* m, const mjContact* con) {
  if (con->dim == 1) {
    return mjCNSTR_CONTACT_FRICTIONLESS;
  }
  return mj_isPyramidal(m) ? mjCNSTR_CONTACT_PYRAMIDAL : mjCNSTR_CONTACT_ELLIPTIC;
}


// a flex whose contacts act as passive forces has no rows
static bool isPassive(const mjModel* m, const mjContact* con) {
  return (con->flex[0] >= 0 && m->flex_passive[con->flex[0]]) ||
         (con->flex[1] >= 0 && m->flex_passive[con->flex[1]]);
}


// sparse: number of dofs that move the contact
static int contactNnz(cfRowPlan* plan, const mjContact* con) {
  const mjModel* m = plan->m;
  if (!plan->is_sparse) {
    return m->nv;
  }
  int body[2];
  if (!cfi_contactBodies(m, con, body)) {
    return cfi_flexContactDofs(plan, con);
  }
  cfi_pairChain(m, body[0], body[1], &plan->chain);
  return plan->chain.count;
}


void cfi_planContacts(cfRowPlan* plan) {
  const mjModel* m = plan->m;
  mjData* d = plan->d;
  if (cfi_disabled(m, mjDSBL_CONTACT) || m->nv == 0) {
    return;
  }

  for (int i = 0; i < d->ncon; i++) {
    mjContact* con = d->contact + i;
    if (isPassive(m, con)) {
      con->efc_address = -1;
      con->exclude = 4;
    }
    if (con->exclude) {
      continue;
    }

    int type = contactType(m, con);
    int nrow = type == mjCNSTR_CONTACT_PYRAMIDAL ? 2 * (con->dim - 1) : con->dim;
    if (!cfi_planRows(plan, type, i, nrow, contactNnz(plan, con))) {
      con->efc_address = -1;
      con->exclude = 3;
    }
  }
}


// g vectors of the contact axes: three translations at offset r, then three rotations
static void axisMotions(mjtNum axis[6][6], const mjContact* con, const mjtNum r[3]) {
  for (int k = 0; k < con->dim; k++) {
    const mjtNum* f = con->frame + 3 * (k % 3);
    if (k < 3) {
      cfi_cross(axis[k], r, f);
      cfi_copy3(axis[k] + 3, f);
    } else {
      cfi_copy3(axis[k], f);
      cfi_zero3(axis[k] + 3);
    }
  }
}


// g vectors of the rows: axes themselves, or pairs of opposing pyramid edges
static void rowMotions(cfRowMotion* motion, const mjContact* con, int type, const mjtNum r[3]) {
  mjtNum axis[6][6];
  axisMotions(axis, con, r);
  for (int c = 0; c < 6; c++) {
    mjtNum* g = motion->g[c];
    for (int k = 0; k < CF_CONTACT_ROWS; k++) {
      g[k] = 0;
    }
    if (type != mjCNSTR_CONTACT_PYRAMIDAL) {
      for (int k = 0; k < con->dim; k++) {
        g[k] = axis[k][c];
      }
      continue;
    }
    for (int k = 1; k < con->dim; k++) {
      mjtNum tangent = axis[k][c] * con->friction[k - 1];
      g[2 * k - 2] = axis[0][c] + tangent;
      g[2 * k - 1] = axis[0][c] - tangent;
    }
  }
}


// entries of four rows for one dof; g points at the first of the four
static inline cfLane dofRows(const mjtNum* g, const mjtNum cdof[6]) {
  cfLane sum = cfi_laneMul(cfi_laneLoad(g), cfi_laneSpread(cdof[0]));
  for (int c = 1; c < 6; c++) {
    sum = cfi_laneAddMul(sum, cfi_laneLoad(g + c * CF_CONTACT_ROWS), cfi_laneSpread(cdof[c]));
  }
  return sum;
}


// write up to four rows, starting at row first
static void writeQuad(const cfRowPlan* plan, cfRowSlots slots, const cfRowMotion motion[2], int first,
                      int count) {
  const cfPairChain* chain = &plan->chain;
  mjtNum* J = slots.J + (size_t)first * slots.stride;
  for (int j = 0; j < chain->count; j++) {
    mjtNum value[4] = {0, 0, 0, 0};
    int moves = chain->moves[j];
    if (moves != CF_MOVES_BOTH) {
      const mjtNum* g = motion[moves == CF_MOVES_SECOND].g[0] + first;
      cfi_laneStore(value, dofRows(g, plan->d->cdof + 6 * chain->dof[j]));
    }
    mjtNum* entry = J + (slots.col ? slots.col[j] : j);
    for (int r = 0; r < count; r++) {
      entry[(size_t)r * slots.stride] = value[r];
    }
  }
}


// rows of a contact between two bodies; motion of body 2 minus motion of body 1
static void writeBodies(cfRowPlan* plan, const cfRowBlock* block, cfRowSlots slots,
                        const mjContact* con, const int body[2]) {
  cfRowMotion motion[2];
  for (int side = 0; side < 2; side++) {
    mjtNum offset[3];
    cfi_pointOffset(offset, plan->m, plan->d, con->pos, body[side]);
    rowMotions(motion + side, con, block->type, offset);
  }
  for (int c = 0; c < 6; c++) {
    for (int r = 0; r < CF_CONTACT_ROWS; r++) {
      motion[0].g[c][r] = -motion[0].g[c][r];
    }
  }

  for (int first = 0; first < block->nrow; first += 4) {
    int left = block->nrow - first;
    writeQuad(plan, slots, motion, first, left < 4 ? left : 4);
  }
}


void cfi_fillContact(cfRowPlan* plan, cfRowBlock* block) {
  mjData* d = plan->d;
  mjContact* con = d->contact + block->id;
  con->efc_address = d->nefc;

  int body[2];
  if (cfi_contactBodies(plan->m, con, body)) {
    cfi_pairChain(plan->m, body[0], body[1], &plan->chain);
    cfRowSlots slots = cfi_openRows(plan, block, plan->chain.dof);
    writeBodies(plan, block, slots, con, body);
  } else {
    cfi_fillFlexContact(plan, block, con);
  }

  // elliptic: distance in the normal row only
  int nnormal = block->type == mjCNSTR_CONTACT_ELLIPTIC ? 1 : block->nrow;
  for (int r = block->row; r < block->row + nnormal; r++) {
    d->efc_pos[r] = con->dist;
    d->efc_margin[r] = con->includemargin;
  }
}
