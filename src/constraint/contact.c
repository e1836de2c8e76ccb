// Rows of contacts: frictionless, pyramidal and elliptic, condim 1, 3, 4 and 6.
//
// An entry of a contact row is a 6D product: with f an axis of the contact frame, c = (w, v) the
// motion of a dof at the center of mass of its tree, and r from there to the contact,
//    f . (v + w x r) = g . c   with   g = (r x f, f),      rotation rows: g = (f, 0).
// The edges of the pyramid are sums n +- mu_k t_k of such vectors, so each row of the Jacobian is
// one g times all dofs of the two bodies: no intermediate Jacobians, four rows of a dof in one go.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/flexcontact.h"
#include "constraint/rows.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "model/flags.h"

// g of four rows of a contact, rows side by side; one for each body
typedef struct {
  cfLane g[6];
} cfQuadMotion;


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

    CF_ASSERT(con->dim == 1 || con->dim == 3 || con->dim == 4 || con->dim == 6);
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


// g vectors of four rows times sign: pairs of opposing pyramid edges, or axes themselves
static void quadMotion(cfQuadMotion* motion, const mjtNum axis[6][6], const mjContact* con,
                       int type, int first, mjtNum sign) {
  static const mjtNum none[6] = {0};
  const mjtNum* t[4];
  mjtNum scale[4], base = 0;
  for (int r = 0; r < 4; r++) {
    int row = first + r, k = type == mjCNSTR_CONTACT_PYRAMIDAL ? row / 2 + 1 : row;
    t[r] = k < con->dim ? axis[k] : none;
    scale[r] = sign;
    if (type == mjCNSTR_CONTACT_PYRAMIDAL && k < con->dim) {
      base = sign;
      scale[r] = row % 2 ? -sign * con->friction[k - 1] : sign * con->friction[k - 1];
    }
  }
  const cfLane lane = cfi_laneLoad(scale);
  for (int c = 0; c < 6; c++) {
    const cfLane tangent = cfi_laneMul(lane, cfi_laneSet(t[0][c], t[1][c], t[2][c], t[3][c]));
    motion->g[c] = cfi_laneAdd(cfi_laneSpread(base * axis[0][c]), tangent);
  }
}


// entries of four rows for one dof
static inline cfLane dofRows(const cfQuadMotion* motion, const mjtNum cdof[6]) {
  cfLane sum = cfi_laneMul(motion->g[0], cfi_laneSpread(cdof[0]));
  for (int c = 1; c < 6; c++) {
    sum = cfi_laneAddMul(sum, motion->g[c], cfi_laneSpread(cdof[c]));
  }
  return sum;
}


// entries of four rows for dof j of the chain
static inline cfLane chainRows(const cfRowPlan* plan, const cfQuadMotion motion[2], int j) {
  int moves = plan->chain.moves[j];
  if (moves == CF_MOVES_BOTH) {
    return cfi_laneSpread(0);
  }
  return dofRows(motion + (moves == CF_MOVES_SECOND), plan->d->cdof + 6 * plan->chain.dof[j]);
}


// write count <= 4 rows for dofs from..to, entry by entry
static void writeEntries(const cfRowPlan* plan, cfRowSlots slots, const cfQuadMotion motion[2],
                         int count, int from, int to) {
  for (int j = from; j < to; j++) {
    mjtNum value[4];
    cfi_laneStore(value, chainRows(plan, motion, j));
    mjtNum* entry = slots.J + (slots.col ? slots.col[j] : j);
    for (int r = 0; r < count; r++) {
      entry[(size_t)r * slots.stride] = value[r];
    }
  }
}


// write count <= 4 rows; compact rows take four dofs at a time
static void writeQuad(const cfRowPlan* plan, cfRowSlots slots, const cfQuadMotion motion[2],
                      int count) {
  int n = plan->chain.count, j = 0;
  CF_ASSERT(count >= 1 && count <= 4);
  for (; !slots.col && j + 4 <= n; j += 4) {
    cfLane block[4];
    for (int k = 0; k < 4; k++) {
      block[k] = chainRows(plan, motion, j + k);
    }
    cfi_laneTranspose(block);
    for (int r = 0; r < count; r++) {
      cfi_laneStore(slots.J + (size_t)r * slots.stride + j, block[r]);
    }
  }
  writeEntries(plan, slots, motion, count, j, n);
}


// rows of a contact between two bodies; motion of body 2 minus motion of body 1
static void writeBodies(cfRowPlan* plan, const cfRowBlock* block, cfRowSlots slots,
                        const mjContact* con, const int body[2]) {
  mjtNum axis[2][6][6];
  bool is_moving[2];
  for (int side = 0; side < 2; side++) {
    is_moving[side] = cfi_lastDof(plan->m, body[side]) >= 0;
    if (is_moving[side]) {
      mjtNum offset[3];
      cfi_pointOffset(offset, plan->m, plan->d, con->pos, body[side]);
      axisMotions(axis[side], con, offset);
    }
  }

  for (int first = 0; first < block->nrow; first += 4, slots.J += 4 * (size_t)slots.stride) {
    cfQuadMotion motion[2];
    for (int side = 0; side < 2; side++) {
      if (is_moving[side]) {
        const mjtNum(*g)[6] = (const mjtNum(*)[6])axis[side];
        quadMotion(motion + side, g, con, block->type, first, side ? 1 : -1);
      }
    }
    int left = block->nrow - first;
    writeQuad(plan, slots, motion, left < 4 ? left : 4);
  }
}


void cfi_fillContact(cfRowPlan* plan, cfRowBlock* block) {
  mjData* d = plan->d;
  CF_ASSERT(block->id >= 0 && block->id < d->ncon);
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
