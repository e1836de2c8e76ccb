// Box-constrained quadratic program by projected Newton steps (Tassa, Mansard, Todorov 2014):
//   minimize x'*H*x/2 + x'*g  subject to  lower <= x <= upper
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/scalar.h"

enum { CF_BOX_ITERATIONS = 100 };
static const mjtNum box_min_gradient = 1e-16;  // squared norm over the free variables
static const mjtNum box_min_step = 1e-22;
static const mjtNum box_backtrack = 0.5;
static const mjtNum box_armijo = 0.1;

// the problem and its working vectors, which live behind the n*n numbers of R
typedef struct {
  int n, nfree;
  const mjtNum *H, *g, *lower, *upper;
  mjtNum *R, *gradient, *search, *candidate, *work;
  int *clamped, *was_clamped, *free;
} cfBox;


static mjtNum clampToBox(const cfBox* q, int i, mjtNum x) {
  CF_ASSERT_INDEX(i, q->n);
  if (q->lower && x < q->lower[i]) {
    return q->lower[i];
  }
  return q->upper && x > q->upper[i] ? q->upper[i] : x;
}


static mjtNum objective(const cfBox* q, const mjtNum* x) {
  return 0.5 * cfi_mulVecSymVec(x, q->H, q->n) + cfi_dot(x, q->g, q->n);
}


// res = H*x + g
static void affine(mjtNum* res, const cfBox* q, const mjtNum* x) {
  cfi_dotRows(res, q->H, q->n, q->n, x, q->n);
  cfi_addToScl(res, q->g, 1, q->n);
}


// variables at a bound that the gradient pushes out are clamped, the others are listed as free;
// returns 1 when the set differs from the last one
static int findFree(cfBox* q, const mjtNum* x) {
  int changed = 0;
  q->nfree = 0;
  for (int i = 0; i < q->n; i++) {
    const mjtNum slope = q->gradient[i];
    const int clamped = (q->lower && x[i] == q->lower[i] && slope > 0) ||
                        (q->upper && x[i] == q->upper[i] && slope < 0);
    changed |= clamped != q->was_clamped[i];
    q->clamped[i] = q->was_clamped[i] = clamped;
    if (!clamped) {
      q->free[q->nfree++] = i;
    }
  }
  return changed;
}


// Cholesky factor of the free part of H; 0 when it is not positive definite
static int factorFree(cfBox* q) {
  const int n = q->nfree;
  for (int r = 0; r < n; r++) {
    const mjtNum* row = q->H + (size_t)q->free[r] * q->n;
    cfi_gather(q->R + (size_t)r * n, row, q->free, r + 1);
  }
  return cfi_cholFactor(q->R, n, mjMINVAL) == n;
}


// Newton step of the free variables, given the clamped ones
static void newtonStep(cfBox* q, const mjtNum* x) {
  for (int i = 0; i < q->n; i++) {
    q->work[i] = q->clamped[i] ? x[i] : 0;
  }
  affine(q->search, q, q->work);
  cfi_gather(q->work, q->search, q->free, q->nfree);
  cfi_cholSolve(q->work, q->R, q->nfree);
  cfi_zero(q->search, q->n);
  for (int k = 0; k < q->nfree; k++) {
    const int i = q->free[k];
    q->search[i] = -q->work[k] - x[i];
  }
}


// squared norm of the gradient over the free variables
static mjtNum freeGradient(const cfBox* q) {
  mjtNum sum = 0;
  for (int k = 0; k < q->nfree; k++) {
    sum += cfi_square(q->gradient[q->free[k]]);
  }
  return sum;
}


// candidate on the projected search line that improves enough; 0 when the step became too small
static int searchBoxLine(cfBox* q, const mjtNum* x, mjtNum slope) {
  const mjtNum start = objective(q, x);
  mjtNum step = 1, gain;
  do {
    for (int i = 0; i < q->n; i++) {
      q->candidate[i] = clampToBox(q, i, q->search[i] * step + x[i]);
    }
    const mjtNum value = objective(q, q->candidate);
    step *= box_backtrack;
    if (step < box_min_step) {
      return 0;
    }
    gain = (value - start) / (step * slope);
  } while (gain < box_armijo);
  return 1;
}


// one iteration: 1 to go on, 0 when x is the answer, -1 on failure
static int improve(cfBox* q, mjtNum* x, int is_first) {
  affine(q->gradient, q, x);
  const int changed = findFree(q, x);
  if (q->nfree == 0) {
    return 0;
  }
  if ((changed || is_first) && !factorFree(q)) {
    return -1;
  }
  newtonStep(q, x);
  if (freeGradient(q) < box_min_gradient) {
    return 0;
  }
  const mjtNum slope = cfi_dot(q->search, q->gradient, q->n);
  if (slope >= 0) {
    return -1;
  }
  const int found = searchBoxLine(q, x, slope);
  cfi_copy(x, q->candidate, q->n);
  return found;
}


// unconstrained minimum
static int freeMinimum(cfBox* q, mjtNum* x) {
  for (int i = 0; i < q->n; i++) {
    q->free[i] = i;
  }
  q->nfree = q->n;
  if (!factorFree(q)) {
    return -1;
  }
  cfi_copy(x, q->g, q->n);
  cfi_cholSolve(x, q->R, q->n);
  mju_scl(x, x, -1, q->n);
  return q->n;
}


int mju_boxQP(mjtNum* res, mjtNum* R, int* index, const mjtNum* H, const mjtNum* g, int n,
              const mjtNum* lower, const mjtNum* upper) {
  if (n <= 0) {
    mju_error("mju_boxQP: problem size n must be positive");
    return -1;
  }
  for (int i = 0; lower && upper && i < n; i++) {
    if (lower[i] >= upper[i]) {
      mju_error("mju_boxQP: lower bound %d is not below its upper bound", i);
      return -1;
    }
  }

  mjtNum* scratch = R + (size_t)n * n;
  cfBox q = {.n = n,
             .H = H,
             .g = g,
             .lower = lower,
             .upper = upper,
             .R = R,
             .gradient = scratch,
             .search = scratch + n,
             .candidate = scratch + 2 * n,
             .work = scratch + 3 * n,
             .clamped = (int*)(scratch + 4 * n),
             .was_clamped = (int*)(scratch + 5 * n),
             .free = index ? index : (int*)(scratch + 6 * n)};
  if (!lower && !upper) {
    return freeMinimum(&q, res);
  }

  for (int i = 0; i < n; i++) {
    res[i] = lower ? cfi_max(res[i], lower[i]) : res[i];
    res[i] = upper ? cfi_min(res[i], upper[i]) : res[i];
    q.was_clamped[i] = 0;
  }
  int state = 1;
  for (int k = 0; state > 0 && k < CF_BOX_ITERATIONS; k++) {
    state = improve(&q, res, k == 0);
  }
  return state < 0 ? -1 : q.nfree;
}


void mju_boxQPmalloc(mjtNum** res, mjtNum** R, int** index, mjtNum** H, mjtNum** g, int n,
                     mjtNum** lower, mjtNum** upper) {
  mjtNum** const vectors[] = {res, g, lower, upper};
  for (int k = 0; k < 4; k++) {
    if (vectors[k]) {
      *vectors[k] = mju_malloc(sizeof(mjtNum) * (size_t)n);
    }
  }
  *R = mju_malloc(sizeof(mjtNum) * (size_t)n * (n + 7));
  *H = mju_malloc(sizeof(mjtNum) * (size_t)n * n);
  if (index) {
    *index = mju_malloc(sizeof(int) * (size_t)n);
  }
}
