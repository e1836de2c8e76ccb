// Dense Hessian: rows of a contact share their nonzero columns, so they are added four at a time, and
// only to the rows of H where one of them is not zero.
#include <mujoco/mujoco.h>

#include "math/dense.h"
#include "math/simd/lane.h"
#include "solver/hessian.h"
#include "solver/treeldl.h"

// rows J_r to be added as sum of (scale*w_r)' J_r; w is J itself, or a cone Hessian times J
enum { CF_GROUP = 4 };
typedef struct {
  const mjtNum *J[CF_GROUP], *w[CF_GROUP];
  mjtNum scale[CF_GROUP];
  int count;
} cfRowGroup;

// the matrix that rows are added to
typedef struct {
  mjtNum* H;
  int nv, stride;
} cfTarget;


// h += sum of weight[k]*row[k] over n numbers
static inline void addFour(mjtNum* h, const mjtNum* const row[CF_GROUP],
                           const mjtNum weight[CF_GROUP], int n) {
  const mjtNum *a = row[0], *b = row[1], *c = row[2], *e = row[3];
  const cfLane wa = cfi_laneSpread(weight[0]), wb = cfi_laneSpread(weight[1]);
  const cfLane wc = cfi_laneSpread(weight[2]), we = cfi_laneSpread(weight[3]);
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    cfLane sum = cfi_laneAddMul(cfi_laneLoad(h + k), wa, cfi_laneLoad(a + k));
    sum = cfi_laneAddMul(sum, wb, cfi_laneLoad(b + k));
    sum = cfi_laneAddMul(sum, wc, cfi_laneLoad(c + k));
    cfi_laneStore(h + k, cfi_laneAddMul(sum, we, cfi_laneLoad(e + k)));
  }
  for (; k < n; k++) {
    h[k] = h[k] + weight[0] * a[k] + weight[1] * b[k] + weight[2] * c[k] + weight[3] * e[k];
  }
}


// lower triangle of H += group; entries above the diagonal are not kept clean
static void addGroup(cfTarget target, cfRowGroup* group) {
  if (group->count == 0) {
    return;
  }
  for (int k = group->count; k < CF_GROUP; k++) {
    group->J[k] = group->J[0];
    group->w[k] = group->w[0];
    group->scale[k] = 0;
  }
  int nv = target.nv;
  const mjtNum *w0 = group->w[0], *w1 = group->w[1], *w2 = group->w[2], *w3 = group->w[3];
  const cfLane scale = cfi_laneLoad(group->scale);
  for (int i = 0; i < nv; i++) {
    cfLane lane = cfi_laneMul(scale, cfi_laneSet(w0[i], w1[i], w2[i], w3[i]));
    if (cfi_laneAny(lane)) {
      mjtNum weight[CF_GROUP];
      cfi_laneStore(weight, lane);
      int whole = (i + 4) & ~3;
      addFour(target.H + (size_t)i * target.stride, group->J, weight, whole < nv ? whole : nv);
    }
  }
  group->count = 0;
}


static void pushRow(cfTarget target, cfRowGroup* group, const mjtNum* J, const mjtNum* w,
                    mjtNum scale) {
  if (group->count == CF_GROUP) {
    addGroup(target, group);
  }
  group->J[group->count] = J;
  group->w[group->count] = w;
  group->scale[group->count++] = scale;
}


// +1 where a row has to be added to H, -1 where it has to be taken out; old_state NULL: H is empty
static int changeOf(const cfPrimal* p, const int* old_state, int row) {
  int is = p->state[row] == mjCNSTRSTATE_QUADRATIC;
  return old_state ? is - (old_state[row] == mjCNSTRSTATE_QUADRATIC) : is;
}


// bring J'DJ in H from old_state to the present state
static void addQuadratic(const cfPrimal* p, cfTarget target, const int* old_state) {
  cfRowGroup group = {.count = 0};
  const cfRowSet* rows = &p->rows;
  for (int r = 0, last = -1; r < rows->nefc; r++) {
    int change = changeOf(p, old_state, r);
    if (change == 0) {
      continue;
    }
    if (last >= 0 && (rows->id[r] != rows->id[last] || rows->type[r] != rows->type[last])) {
      addGroup(target, &group);
    }
    const mjtNum* J = p->J.val + (size_t)r * p->nv;
    pushRow(target, &group, J, J, change * rows->D[r]);
    last = r;
  }
  addGroup(target, &group);
}


// add contacts in the middle zone of their cone to H
static void addCones(const cfPrimal* p, cfTarget target, mjtNum* W) {
  cfRowGroup group = {.count = 0};
  for (int r = p->rows.ne + p->rows.nf; r < p->rows.nefc; r++) {
    if (p->state[r] != mjCNSTRSTATE_CONE) {
      continue;
    }
    const mjContact* con = p->rows.contact + p->rows.id[r];
    const mjtNum* J = p->J.val + (size_t)r * p->nv;
    cfi_mulCone(W, con, J, p->nv, p->nv);
    for (int k = 0; k < con->dim; k++) {
      pushRow(target, &group, J + (size_t)k * p->nv, W + (size_t)k * p->nv, 1);
    }
    addGroup(target, &group);
    r += con->dim - 1;
  }
}


// H = M + J'DJ
static void buildHessian(const cfPrimal* p, cfDenseHessian* h) {
  const cfPattern* M = &p->M_pattern;
  cfi_zero(h->H, p->nv * h->stride);
  for (int i = 0; i < p->nv; i++) {
    for (int k = M->rowadr[i]; k < M->rowadr[i] + M->rownnz[i]; k++) {
      h->H[(size_t)i * h->stride + M->colind[k]] = p->M[k];
    }
  }
  addQuadratic(p, (cfTarget){h->H, p->nv, h->stride}, NULL);
}


// factor H with cones; false when it is not safely positive definite
static bool factorHessian(const cfPrimal* p, cfDenseHessian* h) {
  cfi_copy(h->L, h->H, p->nv * h->stride);
  if (p->ncone) {
    addCones(p, (cfTarget){h->L, p->nv, h->stride}, h->W);
  }
  return cfi_factorTreeLDL(h->L, h->diag_inv, p->nv, h->stride, mjMINVAL) == p->nv;
}


void cfi_beginDense(cfPrimal* p, cfDenseHessian* h) {
  h->stride = cfi_treeStride(p->nv);
  h->H = mj_stackAllocNum(p->d, (size_t)p->nv * h->stride);
  h->L = mj_stackAllocNum(p->d, (size_t)p->nv * h->stride);
  h->diag_inv = mj_stackAllocNum(p->d, p->nv);
  h->W = p->m->opt.cone == mjCONE_ELLIPTIC ? mj_stackAllocNum(p->d, 6 * p->nv) : NULL;
  buildHessian(p, h);
  factorHessian(p, h);
}


// rows come and go in place.  Taking a row out loses digits where its D is large: with cones, whose
// iterates are to be kept, and where the factor fails, H is built anew
void cfi_updateDense(cfPrimal* p, cfDenseHessian* h) {
  cfRowChanges changes = cfi_quadraticChanges(p);
  if (changes.added + changes.removed == 0 && p->m->opt.cone != mjCONE_ELLIPTIC) {
    return;
  }
  if (changes.removed && p->m->opt.cone == mjCONE_ELLIPTIC) {
    buildHessian(p, h);
  } else {
    addQuadratic(p, (cfTarget){h->H, p->nv, h->stride}, p->old_state);
  }
  if (!factorHessian(p, h)) {
    buildHessian(p, h);
    factorHessian(p, h);
  }
}
