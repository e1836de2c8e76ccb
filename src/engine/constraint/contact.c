// Rows of contacts: frictionless, pyramidal and elliptic, condim 1, 3, 4 and 6.
//
// With c = (w, v) the motion of a dof at the center of mass of its tree, r from there to the
// contact and f an axis of the contact frame, an entry is f . (v + w x r), for rotations f . w, and
// the edges of a pyramid are n +- mu_k t_k of these.  Four dofs are taken at a time; operations and
// their order are MuJoCo's, so that symmetric scenes stay as symmetric as they are there.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/flexcontact.h"
#include "constraint/rows.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "model/flags.h"

// kinds of contacts that are constants have to be inlined to be
#ifdef __GNUC__
#define CF_QUAD_INLINE static inline __attribute__((always_inline))
#else
#define CF_QUAD_INLINE static inline
#endif

// most rows of a contact: five pairs of pyramid edges.  CONTACTS_AHEAD: contacts that another
// thread has found take long to come, so they are asked for this many before their turn
enum { CF_ROWS_MAX = 10, CONTACTS_AHEAD = 6 };

// four dofs: motions (w, v), lever arms r, +1 where the dof moves body 2, -1 body 1, 0 both
typedef struct {
  cfLane w[3], v[3], r[3], sign;
  bool is_second;  // all move body 2 alone; sign is not set
} cfQuad;


static int contactType(const mjModel* m, const mjContact* con) {
  CF_ASSERT(con->dim >= 1 && con->dim <= 6);
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
  return cfi_pairChainCount(m, body[0], body[1]);
}


void cfi_planContacts(cfRowPlan* plan) {
  const mjModel* m = plan->m;
  mjData* d = plan->d;
  if (cfi_disabled(m, mjDSBL_CONTACT) || m->nv == 0) {
    return;
  }

  for (int i = 0; i < d->ncon; i++) {
    mjContact* con = d->contact + i;
    __builtin_prefetch(&con[CONTACTS_AHEAD].dim);
    if (isPassive(m, con)) {
      con->efc_address = -1;
      con->exclude = 4;
    }
    if (con->exclude) {
      continue;
    }

    CF_ASSERT(con->dim == 1 || con->dim == 3 || con->dim == 4 || con->dim == 6);
    const int type = contactType(m, con);
    const int nrow = type == mjCNSTR_CONTACT_PYRAMIDAL ? 2 * (con->dim - 1) : con->dim;
    if (!cfi_planRows(plan, type, i, nrow, contactNnz(plan, con))) {
      con->efc_address = -1;
      con->exclude = 3;
    }
  }
}


// moves of dofs j, j+1, ... as four lanes; fewer than four: the last is repeated
CF_QUAD_INLINE cfQuad quadOf(const cfRowPlan* plan, const mjtNum offset[2][3], int j, int count) {
  const cfPairChain* chain = &plan->chain;
  cfLane head[4], tail[4];
  int moves[4];
  for (int k = 0; k < 4; k++) {
    const int at = j + (k < count ? k : count - 1);
    const mjtNum* cdof = plan->d->cdof + 6 * (size_t)chain->dof[at];
    head[k] = cfi_laneLoad(cdof);
    tail[k] = cfi_laneLoad(cdof + 2);
    moves[k] = chain->moves[at];
  }
  cfi_laneTranspose(head);
  cfi_laneTranspose(tail);
  cfQuad quad = {.w = {head[0], head[1], head[2]}, .v = {tail[1], tail[2], tail[3]}};

  quad.is_second = (moves[0] | moves[1] | moves[2] | moves[3]) == CF_MOVES_SECOND;
  if (quad.is_second) {
    for (int c = 0; c < 3; c++) {
      quad.r[c] = cfi_laneSpread(offset[1][c]);
    }
    return quad;
  }
  static const mjtNum sign_of[4] = {0, -1, 1, 0};
  const mjtNum *r0 = offset[moves[0] >> 1], *r1 = offset[moves[1] >> 1];
  const mjtNum *r2 = offset[moves[2] >> 1], *r3 = offset[moves[3] >> 1];
  for (int c = 0; c < 3; c++) {
    quad.r[c] = cfi_laneSet(r0[c], r1[c], r2[c], r3[c]);
  }
  quad.sign =
      cfi_laneSet(sign_of[moves[0]], sign_of[moves[1]], sign_of[moves[2]], sign_of[moves[3]]);
  return quad;
}


// motion of body 2 minus motion of body 1 at the contact, in world coordinates
CF_QUAD_INLINE void relativeMotion(cfLane motion[6], const cfQuad* quad, const int dim) {
  for (int c = 0; c < 3; c++) {
    const int next = (c + 1) % 3, after = (c + 2) % 3;
    const cfLane turn = cfi_laneSub(cfi_laneMul(quad->w[next], quad->r[after]),
                                    cfi_laneMul(quad->w[after], quad->r[next]));
    motion[c] = cfi_laneAdd(quad->v[c], turn);
    motion[c + 3] = quad->w[c];
  }
  for (int c = 0; !quad->is_second && c < (dim > 3 ? 6 : 3); c++) {
    motion[c] = cfi_laneMul(motion[c], quad->sign);
  }
}


// what all quads of a contact have in common; a constant where it is inlined
typedef struct {
  int dim, nrow;
  bool is_pyramid;
} cfContactKind;


// rows of the contact for four dofs: along the axes of its frame, or along the pyramid's edges
CF_QUAD_INLINE void quadRows(cfLane row[CF_ROWS_MAX], const cfQuad* quad, const mjContact* con,
                             const cfContactKind kind) {
  cfLane motion[6], axis[6];
  relativeMotion(motion, quad, kind.dim);
  for (int k = 0; k < kind.dim; k++) {
    const mjtNum* f = con->frame + 3 * (k % 3);
    const cfLane* u = motion + 3 * (k / 3);
    axis[k] = cfi_laneMul(cfi_laneSpread(f[0]), u[0]);
    axis[k] = cfi_laneAddMul(axis[k], cfi_laneSpread(f[1]), u[1]);
    axis[k] = cfi_laneAddMul(axis[k], cfi_laneSpread(f[2]), u[2]);
  }
  for (int k = 0; !kind.is_pyramid && k < kind.dim; k++) {
    row[k] = axis[k];
  }
  for (int k = 1; kind.is_pyramid && k < kind.dim; k++) {
    const cfLane slope = cfi_laneMul(cfi_laneSpread(con->friction[k - 1]), axis[k]);
    row[2 * k - 2] = cfi_laneAdd(axis[0], slope);
    row[2 * k - 1] = cfi_laneSub(axis[0], slope);
  }
}


// write four dofs, whole vectors where they stand side by side
CF_QUAD_INLINE void writeQuad(cfRowSlots slots, const cfLane* row, const int nrow, int j,
                              int count) {
  const int* col = slots.col ? slots.col + j : NULL;
  if (count == 4 && (!col || col[3] - col[0] == 3)) {
    mjtNum* entry = slots.J + (col ? col[0] : j);
    for (int r = 0; r < nrow; r++, entry += slots.stride) {
      cfi_laneStore(entry, row[r]);
    }
    return;
  }
  for (int r = 0; r < nrow; r++) {
    mjtNum value[4], *entry = slots.J + (size_t)r * slots.stride;
    cfi_laneStore(value, row[r]);
    for (int k = 0; k < count; k++) {
      entry[col ? col[k] : j + k] = value[k];
    }
  }
}


// rows over the chain of two bodies; the last four dofs may be taken twice
CF_QUAD_INLINE void writeChain(const cfRowPlan* plan, cfRowSlots slots, const mjContact* con,
                               const mjtNum offset[2][3], const cfContactKind kind) {
  const int n = plan->chain.count, width = n < 4 ? n : 4;
  for (int j = 0; j < n; j += 4) {
    const int first = j + width <= n ? j : n - width;
    cfLane row[CF_ROWS_MAX];
    const cfQuad quad = quadOf(plan, offset, first, width);
    quadRows(row, &quad, con, kind);
    writeQuad(slots, row, kind.nrow, first, width);
  }
}


// rows of a contact between two bodies; the common kinds have code of their own
static void writeBodies(const cfRowPlan* plan, const cfRowBlock* block, cfRowSlots slots,
                        const mjContact* con, const int body[2]) {
  mjtNum offset[2][3];
  for (int side = 0; side < 2; side++) {
    cfi_pointOffset(offset[side], plan->m, plan->d, con->pos, body[side]);
  }
  CF_ASSERT(block->nrow <= CF_ROWS_MAX);
  const mjtNum(*r)[3] = (const mjtNum(*)[3])offset;
  const bool is_pyramid = block->type == mjCNSTR_CONTACT_PYRAMIDAL;
  if (is_pyramid && con->dim == 3) {
    writeChain(plan, slots, con, r, (cfContactKind){3, 4, true});
  } else if (con->dim == 3) {
    writeChain(plan, slots, con, r, (cfContactKind){3, 3, false});
  } else if (con->dim == 1) {
    writeChain(plan, slots, con, r, (cfContactKind){1, 1, false});
  } else {
    writeChain(plan, slots, con, r, (cfContactKind){con->dim, block->nrow, is_pyramid});
  }
}


void cfi_fillContactAxes(cfRowPlan* plan, const mjContact* con, const int body[2], mjtNum* J,
                         int stride, const int* col) {
  const cfRowSlots slots = {J, stride, col};
  mjtNum offset[2][3];
  for (int side = 0; side < 2; side++) {
    cfi_pointOffset(offset[side], plan->m, plan->d, con->pos, body[side]);
  }
  CF_ASSERT(plan->chain.body[0] == body[0] && plan->chain.body[1] == body[1]);
  const mjtNum(*r)[3] = (const mjtNum(*)[3])offset;
  if (con->dim == 3) {
    writeChain(plan, slots, con, r, (cfContactKind){3, 3, false});
  } else {
    writeChain(plan, slots, con, r, (cfContactKind){con->dim, con->dim, false});
  }
}


void cfi_fillContact(cfRowPlan* plan, cfRowBlock* block) {
  mjData* d = plan->d;
  CF_ASSERT(block->id >= 0 && block->id < d->ncon);
  mjContact* con = d->contact + block->id;
  con->efc_address = cfi_nextRow(plan, block);

  int body[2];
  if (cfi_contactBodies(plan->m, con, body)) {
    cfi_pairChain(plan->m, body[0], body[1], &plan->chain);
    const cfRowSlots slots = cfi_openRows(plan, block, plan->chain.dof);
    writeBodies(plan, block, slots, con, body);
  } else {
    cfi_fillFlexContact(plan, block, con);
  }

  // elliptic: distance in the normal row only
  const int nnormal = block->type == mjCNSTR_CONTACT_ELLIPTIC ? 1 : block->nrow;
  for (int r = block->row; r < block->row + nnormal; r++) {
    d->efc_pos[r] = con->dist;
    d->efc_margin[r] = con->includemargin;
  }
}
