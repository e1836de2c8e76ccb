// Dense Hessian: rows of a contact share their nonzero columns, so they are added four at a time, and
// only to the rows of H where one of them is not zero.
#include <mujoco/mujoco.h>

#include "math/dense.h"
#include "solver/hessian.h"

// rows J_r to be added as sum of (scale*w_r)' J_r; w is J itself, or a cone Hessian times J
enum { CF_GROUP = 4 };
typedef struct {
  const mjtNum *J[CF_GROUP], *w[CF_GROUP];
  mjtNum scale[CF_GROUP];
  int count;
} cfRowGroup;


// h += sum of weight[k]*row[k] over n numbers
static void addFour(mjtNum* restrict h, const mjtNum* const row[CF_GROUP],
                    const mjtNum weight[CF_GROUP], int n) {
  const mjtNum *a = row[0], *b = row[1], *c = row[2], *e = row[3];
  const mjtNum wa = weight[0], wb = weight[1], wc = weight[2], we = weight[3];
  for (int k = 0; k < n; k++) {
    h[k] = h[k] + wa * a[k] + wb * b[k] + wc * c[k] + we * e[k];
  }
}


// lower triangle of H += group; entries above the diagonal are not kept clean
static void addGroup(mjtNum* H, int nv, cfRowGroup* group) {
  if (group->count == 0) {
    return;
  }
  for (int k = group->count; k < CF_GROUP; k++) {
    group->J[k] = group->J[0];
    group->w[k] = group->w[0];
    group->scale[k] = 0;
  }
  for (int i = 0; i < nv; i++) {
    mjtNum weight[CF_GROUP], any = 0;
    for (int k = 0; k < CF_GROUP; k++) {
      weight[k] = group->scale[k] * group->w[k][i];
      any = weight[k] != 0 ? 1 : any;
    }
    if (any != 0) {
      int whole = (i + 4) & ~3;
      addFour(H + (size_t)i * nv, group->J, weight, whole < nv ? whole : nv);
    }
  }
  group->count = 0;
}


static void pushRow(mjtNum* H, int nv, cfRowGroup* group, const mjtNum* J, const mjtNum* w,
                    mjtNum scale) {
  if (group->count == CF_GROUP) {
    addGroup(H, nv, group);
  }
  group->J[group->count] = J;
  group->w[group->count] = w;
  group->scale[group->count++] = scale;
}


// add the rows that are quadratic now (and were not before, if only_new) to H
static void addQuadratic(const cfPrimal* p, mjtNum* H, bool only_new) {
  cfRowGroup group = {.count = 0};
  const cfRowSet* rows = &p->rows;
  for (int r = 0; r < rows->nefc; r++) {
    if (p->state[r] != mjCNSTRSTATE_QUADRATIC ||
        (only_new && p->old_state[r] == mjCNSTRSTATE_QUADRATIC)) {
      continue;
    }
    if (r > 0 && (rows->id[r] != rows->id[r - 1] || rows->type[r] != rows->type[r - 1])) {
      addGroup(H, p->nv, &group);
    }
    const mjtNum* J = p->J.val + (size_t)r * p->nv;
    pushRow(H, p->nv, &group, J, J, rows->D[r]);
  }
  addGroup(H, p->nv, &group);
}


// add contacts in the middle zone of their cone to H
static void addCones(const cfPrimal* p, mjtNum* H, mjtNum* W) {
  cfRowGroup group = {.count = 0};
  for (int r = p->rows.ne + p->rows.nf; r < p->rows.nefc; r++) {
    if (p->state[r] != mjCNSTRSTATE_CONE) {
      continue;
    }
    const mjContact* con = p->rows.contact + p->rows.id[r];
    const mjtNum* J = p->J.val + (size_t)r * p->nv;
    cfi_mulCone(W, con, J, p->nv, p->nv);
    for (int k = 0; k < con->dim; k++) {
      pushRow(H, p->nv, &group, J + (size_t)k * p->nv, W + (size_t)k * p->nv, 1);
    }
    addGroup(H, p->nv, &group);
    r += con->dim - 1;
  }
}


// H = M + J'DJ
static void buildHessian(const cfPrimal* p, mjtNum* H) {
  const cfPattern* M = &p->M_pattern;
  cfi_zero(H, p->nv * p->nv);
  for (int i = 0; i < p->nv; i++) {
    for (int k = M->rowadr[i]; k < M->rowadr[i] + M->rownnz[i]; k++) {
      H[(size_t)i * p->nv + M->colind[k]] = p->M[k];
    }
  }
  addQuadratic(p, H, /*only_new=*/false);
}


static void factorHessian(const cfPrimal* p, cfDenseHessian* h) {
  cfi_copy(h->L, h->H, p->nv * p->nv);
  if (p->ncone) {
    addCones(p, h->L, h->W);
  }
  cfi_cholFactor(h->L, p->nv, mjMINVAL);
}


void cfi_beginDense(cfPrimal* p, cfDenseHessian* h) {
  h->H = mj_stackAllocNum(p->d, (size_t)p->nv * p->nv);
  h->L = mj_stackAllocNum(p->d, (size_t)p->nv * p->nv);
  h->W = p->m->opt.cone == mjCONE_ELLIPTIC ? mj_stackAllocNum(p->d, 6 * p->nv) : NULL;
  buildHessian(p, h->H);
  factorHessian(p, h);
}


// rows that leave are not subtracted, which would lose digits where D is large: H is built anew
void cfi_updateDense(cfPrimal* p, cfDenseHessian* h) {
  cfRowChanges changes = cfi_quadraticChanges(p);
  if (changes.removed) {
    buildHessian(p, h->H);
  } else if (changes.added) {
    addQuadratic(p, h->H, /*only_new=*/true);
  }
  factorHessian(p, h);
}
