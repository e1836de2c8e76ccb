// Making constraint rows: plan, take memory, write.
//
//   plan   walk over equalities, friction loss, limits, contacts; one cfRowBlock each
//   take   all efc_ arrays from the arena, their sizes now being known
//   write  each block writes its Jacobian straight into efc_J, dense rows of nv numbers or sparse
//          rows over the dof chain of the constraint
//   weigh  impedance, block by block
#include "constraint/rows.h"

#include <string.h>

#include <mujoco/mujoco.h>
#include <mujoco/mjxmacro.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/likely.h"
#include "math/scan.h"
#include "model/awake.h"
#include "model/data.h"
#include "model/flags.h"

// write the rows of a block
void cfi_fillBlock(cfRowPlan* plan, cfRowBlock* block) {
  switch (block->type) {
    case mjCNSTR_EQUALITY:
      cfi_fillEquality(plan, block);
      break;
    case mjCNSTR_FRICTION_DOF:
      cfi_fillDofFriction(plan, block);
      break;
    case mjCNSTR_FRICTION_TENDON:
      cfi_fillTendonFriction(plan, block);
      break;
    case mjCNSTR_LIMIT_JOINT:
      cfi_fillJointLimit(plan, block);
      break;
    case mjCNSTR_LIMIT_TENDON:
      cfi_fillTendonLimit(plan, block);
      break;
    default:
      cfi_fillContact(plan, block);
      break;
  }
}


// upper bound of the number of blocks
static int maxBlocks(const mjModel* m, const mjData* d) {
  int count = m->neq + m->nv + 3 * m->ntendon + 2 * m->njnt + d->ncon;
  for (int i = 0; i < m->neq; i++) {
    int flex = m->eq_obj1id[i];
    if (m->eq_type[i] == mjEQ_FLEX) {
      count += m->flex_edgenum[flex];
    } else if (m->eq_type[i] == mjEQ_FLEXVERT) {
      count += 2 * m->flex_vertnum[flex];
    }
  }
  return count;
}


// scratch is one piece: blocks, then numbers, then indices
size_t cfi_planBytes(const mjModel* m, const mjData* d) {
  return sizeof(cfRowBlock) * (size_t)maxBlocks(m, d) +
         (size_t)m->nv * (6 * sizeof(mjtNum) + 3 * sizeof(int));
}


// a plan without blocks
static cfRowPlan planIn(const mjModel* m, mjData* d, char* scratch) {
  const size_t nv = (size_t)m->nv, blocks = sizeof(cfRowBlock) * (size_t)maxBlocks(m, d);
  _Static_assert(sizeof(cfRowBlock) % _Alignof(mjtNum) == 0, "numbers follow blocks");
  mjtNum* jac = (mjtNum*)(scratch + blocks);
  int* index = (int*)(jac + 6 * nv);
  return (cfRowPlan){
      .m = m,
      .d = d,
      .is_sparse = mj_isSparse(m),
      .skip_asleep = cfi_someAsleep(m, d),
      .block = (cfRowBlock*)scratch,
      .chain = cfi_makePairChain(index, index + nv),
      .dof = index + 2 * nv,
      .jac = jac,
  };
}


// the same on the stack, without scratch where that does not fit
static cfRowPlan beginPlan(const mjModel* m, mjData* d) {
  const size_t bytes = cfi_planBytes(m, d);
  if (!cfi_stackFits(d, bytes, _Alignof(mjtNum))) {
    return (cfRowPlan){.block = NULL};
  }
  return planIn(m, d, mj_stackAllocByte(d, bytes, _Alignof(mjtNum)));
}


cfRowBlock* cfi_planRows(cfRowPlan* plan, int type, int id, int nrow, int nnz) {
  if (plan->m->nv == 0 || (plan->is_sparse && nnz == 0)) {
    return NULL;
  }
  CF_ASSERT(nrow >= 1 && nnz >= 0 && nnz <= plan->m->nv);
  cfRowBlock* block = plan->block + plan->nblock++;
  *block = (cfRowBlock){type, id, 0, nrow, plan->is_sparse ? nnz : plan->m->nv, -1, 0, -1, 0};
  return block;
}


void cfi_countRows(mjData* d, int type, int nrow) {
  CF_ASSERT(nrow > 0);
  d->nefc += nrow;
  switch (type) {
    case mjCNSTR_EQUALITY:
      d->ne += nrow;
      break;
    case mjCNSTR_FRICTION_DOF:
    case mjCNSTR_FRICTION_TENDON:
      d->nf += nrow;
      break;
    case mjCNSTR_LIMIT_JOINT:
    case mjCNSTR_LIMIT_TENDON:
      d->nl += nrow;
      break;
    default:
      break;
  }
}


// structure of new sparse rows; returns the address of the first
static int openSparse(const cfRowPlan* plan, const cfRowBlock* block, const int* dof) {
  mjData* d = plan->d;
  const int row = block->row, nnz = block->nnz;
  const int start = plan->is_placed ? block->adr
                    : row           ? d->efc_J_rowadr[row - 1] + d->efc_J_rownnz[row - 1]
                                    : 0;
  CF_ASSERT(start + nnz * block->nrow <= d->nJ);
  for (int r = 0, adr = start; r < block->nrow; r++, adr += nnz) {
    d->efc_J_rownnz[row + r] = nnz;
    d->efc_J_rowadr[row + r] = adr;
    memcpy(d->efc_J_colind + adr, dof, sizeof(int) * nnz);
  }
  return start;
}


cfRowSlots cfi_openRows(cfRowPlan* plan, cfRowBlock* block, const int* dof) {
  mjData* d = plan->d;
  const int row = block->row = cfi_nextRow(plan, block), nrow = block->nrow;
  CF_ASSERT(nrow >= 1 && block->type <= mjCNSTR_CONTACT_ELLIPTIC);
  for (int r = row; r < row + nrow; r++) {
    d->efc_type[r] = block->type;
    d->efc_id[r] = block->id;
    d->efc_pos[r] = d->efc_margin[r] = d->efc_frictionloss[r] = 0;
  }
  if (!plan->is_placed) {
    cfi_countRows(d, block->type, nrow);
  }

  if (plan->is_sparse) {
    return (cfRowSlots){d->efc_J + openSparse(plan, block, dof), block->nnz, NULL};
  }
  int nv = plan->m->nv;
  mjtNum* J = d->efc_J + (size_t)row * nv;
  memset(J, 0, sizeof(mjtNum) * nrow * nv);
  return (cfRowSlots){J, nv, dof};
}


static bool allZero(const mjtNum* vec, int n) {
  for (int k = 0; k < n; k++) {
    if (vec[k] != 0) {
      return false;
    }
  }
  return true;
}


bool cfi_putRows(cfRowPlan* plan, cfRowBlock* block, const mjtNum* jac, const int* dof) {
  // dense blocks were planned with nv numbers per row but may come over fewer dofs
  int n = dof && !plan->is_sparse ? plan->chain.count : block->nnz;
  CF_ASSERT(n >= 0 && n <= plan->m->nv);
  if (!plan->is_sparse && allZero(jac, block->nrow * n)) {
    return false;
  }

  cfRowSlots slots = cfi_openRows(plan, block, dof);
  for (int r = 0; r < block->nrow; r++) {
    mjtNum* row = slots.J + (size_t)r * slots.stride;
    if (!slots.col) {
      memcpy(row, jac + r * n, sizeof(mjtNum) * n);
      continue;
    }
    for (int k = 0; k < n; k++) {
      row[slots.col[k]] = jac[r * n + k];
    }
  }
  return true;
}


void cfi_outOfRows(mjData* d) {
  mj_warning(d, mjWARN_CNSTRFULL, (int)d->narena);
  cfi_clearArenaArrays(d, /*keep_contacts=*/1);
}


bool cfi_takeLaid(mjData* d, size_t used) {
  CF_ASSERT(used >= d->parena);
  if (!cfi_arenaAlloc(d, used - d->parena, 1)) {
    cfi_outOfRows(d);
    return false;
  }
  return true;
}


// all efc_ arrays behind the contacts; false when the arena is full
static bool takeRows(const mjModel* m, mjData* d) {
  d->parena = cfi_placeBytes(d->ncon * sizeof(mjContact));
  char* end = (char*)d->arena + d->parena;
#undef MJ_M
#undef MJ_D
#define MJ_M(n) m->n
#define MJ_D(n) d->n
#define X(type, name, nr, nc) \
  d->name = cfi_arenaLay(&end, (uint64_t)sizeof(type) * (nr) * (nc), _Alignof(type));
  MJDATA_ARENA_POINTERS_SOLVER
#undef X
#undef MJ_M
#undef MJ_D
  return cfi_takeLaid(d, (size_t)(end - (char*)d->arena));
}


// has the row behind a block the same columns
bool cfi_nextIsAlike(const mjData* d, const cfRowBlock* block) {
  const int last = block->row + block->nrow - 1, nnz = block->nnz;
  CF_ASSERT(block->row >= 0 && last < d->nefc && d->efc_J_rownnz[last] == nnz);
  return last + 1 < d->nefc && nnz == d->efc_J_rownnz[last + 1] &&
         !memcmp(d->efc_J_colind + d->efc_J_rowadr[last],
                 d->efc_J_colind + d->efc_J_rowadr[last + 1], sizeof(int) * nnz);
}


// rowsuper: how many following rows have the same columns; those of a block have
static void markSupernodes(const cfRowPlan* plan) {
  mjData* d = plan->d;
  int* super = d->efc_J_rowsuper;
  for (int k = plan->nblock - 1; k >= 0; k--) {
    const cfRowBlock* block = plan->block + k;
    const int last = block->row + block->nrow - 1;
    const bool same = block->alike < 0 ? cfi_nextIsAlike(d, block) : block->alike;
    super[last] = same ? super[last + 1] + 1 : 0;
    for (int r = last - 1; r >= block->row; r--) {
      super[r] = super[r + 1] + 1;
    }
  }
}


// write all planned blocks
static void fillRows(cfRowPlan* plan) {
  mjData* d = plan->d;
  int planned = d->nefc;
  d->nefc = 0;
  for (int k = 0; k < plan->nblock; k++) {
    cfi_fillBlock(plan, plan->block + k);
  }
  CF_ASSERT(plan->is_sparse ? d->nefc == planned : d->nefc <= planned);
  (void)planned;
}


// every constraint that is there plans its blocks
static void planRows(cfRowPlan* plan, bool with_contacts) {
  cfi_planEquality(plan);
  cfi_planFriction(plan);
  cfi_planLimits(plan);
  if (with_contacts) {
    cfi_planContacts(plan);
  }
  for (int k = 0; k < plan->nblock; k++) {
    plan->d->nefc += plan->block[k].nrow;
    plan->d->nJ += plan->block[k].nrow * plan->block[k].nnz;
  }
}


// give the blocks of a list the rows before those of contacts; dense rows that were empty are not
static bool placeListed(cfRowPlan* plan) {
  const mjData* d = plan->d;
  int row = 0;
  CF_ASSERT(plan->is_placed && plan->nblock >= 0);
  for (int k = 0; k < plan->nblock; k++) {
    cfRowBlock* block = plan->block + k;
    if (row + block->nrow <= d->nefc && d->efc_type[row] == block->type &&
        d->efc_id[row] == block->id) {
      block->row = row;
      block->adr = plan->is_sparse ? d->efc_J_rowadr[row] : 0;
      row += block->nrow;
    } else if (plan->is_sparse) {
      return false;
    }
  }
  return row == d->ne + d->nf + d->nl;
}


bool cfi_listRows(cfRowPlan* plan, const mjModel* m, mjData* d, void* scratch) {
  const int nefc = d->nefc, nJ = d->nJ, end = d->ne + d->nf + d->nl;
  *plan = planIn(m, d, scratch);
  const int end_J = plan->is_sparse && end < nefc ? d->efc_J_rowadr[end] : nJ;
  d->nefc = d->nJ = 0;
  planRows(plan, /*with_contacts=*/false);
  const bool has_empty = d->nefc != end;
  const bool is_same = !plan->is_sparse || (!has_empty && d->nJ == end_J);
  d->nefc = nefc;
  d->nJ = nJ;
  plan->is_placed = true;
  bool has_flex = false;
  for (int k = 0; k < plan->nblock; k++) {
    const cfRowBlock* block = plan->block + k;
    has_flex = has_flex || (block->type == mjCNSTR_EQUALITY && m->eq_type[block->id] >= mjEQ_FLEX);
  }
  return is_same && !(has_flex && has_empty) && placeListed(plan);
}


void cfi_renewRows(cfRowPlan* plan) {
  CF_ASSERT(plan->is_placed);
  for (int k = 0; k < plan->nblock; k++) {
    cfRowBlock* block = plan->block + k;
    if (block->row < 0 || block->type >= mjCNSTR_CONTACT_FRICTIONLESS) {
      continue;
    }
    if (block->type == mjCNSTR_LIMIT_JOINT || block->type == mjCNSTR_LIMIT_TENDON) {
      block->pos = cfi_limitDistance(plan, block);
    }
    cfi_fillBlock(plan, block);
  }
}


// write and weigh the rows that were planned
static void makeRows(cfRowPlan* plan) {
  mjData* d = plan->d;
  for (int i = 0; i < plan->m->ntendon; i++) {
    d->tendon_efcadr[i] = -1;
  }
  const bool is_shared = CF_SELDOM(d->threadpool) && cfi_shareRows(plan);
  if (!is_shared) {
    fillRows(plan);
  }
  d->maxuse_con = d->ncon > d->maxuse_con ? d->ncon : d->maxuse_con;
  d->maxuse_efc = d->nefc > d->maxuse_efc ? d->nefc : d->maxuse_efc;
  if (d->nefc > 0) {
    if (plan->is_sparse) {
      markSupernodes(plan);
    }
    if (!is_shared) {
      cfi_setImpedance(plan);
    }
  }
}


// no rows: as in MuJoCo all arrays are there, and empty
static void layNoRows(mjData* d) {
  char* const end = (char*)d->arena + (size_t)d->ncon * sizeof(mjContact);
  CF_ASSERT((size_t)d->ncon * sizeof(mjContact) <= (size_t)d->narena);
#define X(type, name, nr, nc) d->name = (type*)(void*)end;
  MJDATA_ARENA_POINTERS_SOLVER
#undef X
  d->maxuse_con = d->ncon > d->maxuse_con ? d->ncon : d->maxuse_con;
}


// is there anything that could have a row
static bool mayHaveRows(const mjModel* m, const mjData* d) {
  if (m->neq || m->ntendon || d->ncon || d->efc_type) {
    return true;
  }
  bool has_limit = false;
  for (int j = 0; j < m->njnt; j++) {
    has_limit |= m->jnt_limited[j];
  }
  return has_limit || cfi_anyNonzero(m->dof_frictionloss, (int)m->nv);
}


// stage MAKE.  reads: xpos, xmat, xquat, site_xpos, cdof, subtree_com, qpos, ten_length, ten_J,
// contact, eq_active.  writes: ne, nf, nl, nefc, nJ, efc_ arrays up to efc_R, tendon_efcadr,
// contact.efc_address, mu, exclude.
void mj_makeConstraint(const mjModel* m, mjData* d) {
  d->ne = d->nf = d->nl = d->nefc = d->nJ = d->nA = 0;
  if (cfi_disabled(m, mjDSBL_CONSTRAINT)) {
    return;
  }
  if (!mayHaveRows(m, d)) {
    layNoRows(d);
    return;
  }

  mj_markStack(d);
  cfRowPlan plan = beginPlan(m, d);
  if (plan.block) {
    planRows(&plan, /*with_contacts=*/true);
    if (d->nefc == 0 && m->ntendon == 0 && !d->efc_type) {
      layNoRows(d);
    } else if (takeRows(m, d)) {
      makeRows(&plan);
    }
  } else {
    cfi_outOfRows(d);
  }
  mj_freeStack(d);
}
