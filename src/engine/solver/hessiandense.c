// Dense Hessian: rows of a contact share their nonzero columns, so they are added four at a time,
// and only to the rows of H where one of them is not zero.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/arena.h"
#include "math/dense.h"
#include "solver/hessian.h"
#include "solver/rowgroup.h"
#include "solver/treeldl.h"

// up to this many changed rows the factor is changed instead of being computed again
enum { CF_CHANGES = 6 };

// what was collected goes into H
static void flushGroup(cfTarget target, cfRowGroup* group) {
  cfi_addRowGroup(target, group);
  group->count = 0;
}


static void pushRow(cfTarget target, cfRowGroup* group, const mjtNum* J, const mjtNum* w,
                    mjtNum scale) {
  if (group->count == CF_ROW_GROUP) {
    flushGroup(target, group);
  }
  group->J[group->count] = J;
  group->w[group->count] = w;
  group->scale[group->count++] = scale;
}


// rows that are likely to have the same columns: of one constraint, or contacts of one pair of
// bodies
static bool sameColumns(const cfPrimal* p, int r, int s) {
  const cfRowSet* rows = &p->rows;
  CF_ASSERT(r >= 0 && s >= 0);
  if (rows->type[r] != rows->type[s] || rows->id[r] == rows->id[s]) {
    return rows->type[r] == rows->type[s];
  }
  if (rows->type[r] < mjCNSTR_CONTACT_FRICTIONLESS) {
    return false;
  }
  const int *a = rows->contact[rows->id[r]].geom, *b = rows->contact[rows->id[s]].geom;
  const int* body = p->m->geom_bodyid;
  return a[0] >= 0 && a[1] >= 0 && b[0] >= 0 && b[1] >= 0 && body[a[0]] == body[b[0]] &&
         body[a[1]] == body[b[1]];
}


// bring J'DJ in H from old_state to the present state
static void addQuadratic(const cfPrimal* p, cfTarget target, const int* old_state) {
  cfRowGroup group = {.count = 0};
  const cfRowSet* rows = &p->rows;
  for (int r = 0, last = -1; r < rows->nefc; r++) {
    int change = cfi_quadraticChange(p, old_state, r);
    if (change == 0) {
      continue;
    }
    if (last >= 0 && !sameColumns(p, r, last)) {
      flushGroup(target, &group);
    }
    const mjtNum* J = p->J.val + (size_t)r * p->nv;
    pushRow(target, &group, J, J, change * rows->D[r]);
    last = r;
  }
  flushGroup(target, &group);
}


// add contacts in the middle zone of their cone to H
static void addCones(const cfPrimal* p, cfTarget target, mjtNum* W) {
  cfRowGroup group = {.count = 0};
  for (int r = p->rows.ne + p->rows.nf; r < p->rows.nefc; r++) {
    if (p->state[r] != mjCNSTRSTATE_CONE) {
      continue;
    }
    CF_ASSERT(p->rows.type[r] == mjCNSTR_CONTACT_ELLIPTIC);
    const mjContact* con = p->rows.contact + p->rows.id[r];
    const mjtNum* J = p->J.val + (size_t)r * p->nv;
    cfi_mulCone(W, con, J, p->nv, p->nv);
    for (int k = 0; k < con->dim; k++) {
      pushRow(target, &group, J + (size_t)k * p->nv, W + (size_t)k * p->nv, 1);
    }
    flushGroup(target, &group);
    r += con->dim - 1;
  }
}


// inertia into the lower triangle of H
static void loadInertia(const cfPrimal* p, mjtNum* H, int stride) {
  const cfPattern* M = &p->M_pattern;
  for (int i = 0; i < p->nv; i++) {
    mjtNum* row = H + (size_t)i * stride;
    if (p->M_rows) {
      cfi_copyWhole(row, p->M_rows + (size_t)i * stride, cfi_wholeRow(i));
      row[i] = p->M_diagonal[i];
      continue;
    }
    cfi_zeroWhole(row, cfi_wholeRow(i));
    for (int k = M->rowadr[i]; k < M->rowadr[i] + M->rownnz[i]; k++) {
      row[M->colind[k]] = p->M[k];
    }
  }
}


// H = M + J'DJ, in the memory of the factor if it has none of its own
static void buildHessian(const cfPrimal* p, cfDenseHessian* h) {
  mjtNum* H = h->H ? h->H : h->L;
  loadInertia(p, H, h->stride);
  addQuadratic(p, (cfTarget){H, p->nv, h->stride}, NULL);
  cfi_copyInt(h->state, p->state, p->rows.nefc);
}


// factor H with cones; false when it is not safely positive definite
static bool factorHessian(const cfPrimal* p, cfDenseHessian* h) {
  for (int i = 0; h->H && i < p->nv; i++) {
    cfi_copyWhole(h->L + (size_t)i * h->stride, h->H + (size_t)i * h->stride, cfi_wholeRow(i));
  }
  if (p->ncone) {
    addCones(p, (cfTarget){h->L, p->nv, h->stride}, h->W);
  }
  return cfi_factorTreeLDL(h->L, h->diag_inv, p->nv, h->stride, mjMINVAL) == p->nv;
}


void cfi_beginDense(cfPrimal* p, cfDenseHessian* h) {
  const int nv = p->nv, stride = h->stride = cfi_treeStride(nv);
  const size_t size = (size_t)nv * stride, nefc = (size_t)p->rows.nefc;
  h->L = cfi_stackVectors(p->d, size + nv + 6 * (size_t)stride + (nefc + 1) / 2);
  h->W = h->L + size;
  h->diag_inv = h->W + 6 * stride;
  h->state = (int*)(h->diag_inv + nv);

  // copies that save time are made where memory is plenty; data whose arena is smaller than its
  // model's decides as if it were not, and is given more when it fails (worlds on a GPU)
  const size_t missing = (size_t)(p->m->narena - p->d->narena);
  const bool is_plenty = cfi_stackAvailable(p->d) + missing > 4 * size * sizeof(mjtNum);
  h->H = is_plenty ? cfi_stackVectors(p->d, 2 * size + nv) : NULL;
  if (is_plenty) {
    cfi_expandInertia(p, h->H + size, h->H + 2 * size);
  }
  buildHessian(p, h);
  factorHessian(p, h);
}


// a row as the factor is changed by it
static void loadChange(mjtNum* v, const cfPrimal* p, int row, int stride) {
  const mjtNum scale = sqrt(p->rows.D[row]);
  const mjtNum* J = p->J.val + (size_t)row * p->nv;
  for (int k = 0; k < p->nv; k++) {
    v[k] = scale * J[k];
  }
  for (int k = p->nv; k < stride; k++) {
    v[k] = 0;
  }
}


// change the factor alone, two rows at a time; false when it was spoiled
static bool changeRows(cfPrimal* p, cfDenseHessian* h) {
  mjtNum *v[2] = {h->W, h->W + h->stride}, sign[2];
  int waiting = 0;
  for (int r = 0; r < p->rows.nefc; r++) {
    const int change = cfi_quadraticChange(p, p->old_state, r);
    if (change == 0) {
      continue;
    }
    loadChange(v[waiting], p, r, h->stride);
    sign[waiting++] = change;
    if (waiting == 2) {
      waiting = 0;
      if (!cfi_updateTwiceTreeLDL(h->L, h->diag_inv, v, sign, p->nv, h->stride)) {
        return false;
      }
    }
  }
  return !waiting || cfi_updateTreeLDL(h->L, h->diag_inv, v[0], sign[0], p->nv, h->stride);
}


// bring H from the state that it was built for to the present one.  Taking rows out loses digits
// where their D is large: with cones, whose iterates are to be kept, H is built anew
static void updateHessian(cfPrimal* p, cfDenseHessian* h, bool has_removed) {
  if (!h->H || (has_removed && p->m->opt.cone == mjCONE_ELLIPTIC)) {
    buildHessian(p, h);
    return;
  }
  addQuadratic(p, (cfTarget){h->H, p->nv, h->stride}, h->state);
  cfi_copyInt(h->state, p->state, p->rows.nefc);
}


// few changes go into the factor, more into H which is factored again
void cfi_updateDense(cfPrimal* p, cfDenseHessian* h) {
  const cfRowChanges changes = cfi_quadraticChanges(p);
  const int count = changes.added + changes.removed;
  if (p->m->opt.cone != mjCONE_ELLIPTIC && count <= CF_CHANGES && changeRows(p, h)) {
    return;
  }
  if (count || !h->H) {
    updateHessian(p, h, changes.removed > 0);
  }
  if (!factorHessian(p, h)) {
    buildHessian(p, h);
    factorHessian(p, h);
  }
}
