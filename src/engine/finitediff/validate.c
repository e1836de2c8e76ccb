// Tools to check derivatives: they say what they compared, and fail where that is nothing.
#include <math.h>
#include <stdbool.h>

#include <cortenforge/derivative.h>

#include "base/assert.h"
#include "math/inline.h"


// |a - b| / max(1, |a|, |b|), infinite where a number is none
static mjtNum relativeError(mjtNum a, mjtNum b) {
  const mjtNum error = fabs(a - b) / cfi_max(1, cfi_max(fabs(a), fabs(b)));
  return isnan(error) ? INFINITY : error;
}


mjtNum cf_maxRelativeError(const mjtNum* a, const mjtNum* b, int n) {
  mjtNum worst = n > 0 ? 0 : INFINITY;
  for (int k = 0; k < n; k++) {
    worst = cfi_max(worst, relativeError(a[k], b[k]));
  }
  return worst;
}


// two linearizations of the same step, A and B behind each other
typedef struct {
  int nx, nu;
  mjtNum *one, *two;
} transitionPair;


static transitionPair linearizeTwice(const mjModel* m, mjData* d, const cfTransitionOptions* first,
                                     const cfTransitionOptions* second, mjtByte* column) {
  transitionPair p = {.nx = (int)(2 * m->nv + m->na), .nu = (int)m->nu};
  const size_t nx = (size_t)p.nx, size = nx * (nx + (size_t)p.nu);
  p.one = mj_stackAllocNum(d, 2 * size + 1);
  p.two = p.one + size;
  cf_transitionColumns(m, d, first, p.one, p.one + nx * nx, column);
  cf_transition(m, d, second, p.two, p.two + nx * nx);
  return p;
}


// compare the columns of which kinds has a nonzero entry
static void compareColumns(const transitionPair* p, const mjtByte* column, bool compares_all,
                           cfTransitionCheck* check) {
  const size_t nx = (size_t)p->nx;
  CF_ASSERT(p->nx >= 0 && p->nu >= 0);
  *check = (cfTransitionCheck){.ncolumn = p->nx + p->nu, .row = -1, .column = -1};
  for (int c = 0; c < p->nx + p->nu; c++) {
    if (!compares_all && column[c] == CF_COLUMN_STEP) {
      continue;
    }
    check->ncompared++;
    const size_t width = c < p->nx ? nx : (size_t)p->nu;
    const size_t first = c < p->nx ? (size_t)c : nx * nx + (size_t)(c - p->nx);
    for (int r = 0; r < p->nx; r++) {
      const size_t at = first + (size_t)r * width;
      const mjtNum error = relativeError(p->one[at], p->two[at]);
      if (error > check->error) {
        check->error = error;
        check->row = r;
        check->column = c;
      }
    }
  }
  if (check->ncompared == 0 || p->nx == 0) {
    check->error = INFINITY;
  }
}


static cfTransitionCheck checkTransition(const mjModel* m, mjData* d, const cfTransitionOptions* o,
                                         const cfTransitionOptions* other, bool compares_all,
                                         mjtByte* column) {
  cfTransitionCheck check;
  mj_markStack(d);
  mjtByte* kept =
      column ? column : mj_stackAllocByte(d, (size_t)(2 * m->nv + m->na + m->nu) + 1, 1);
  const transitionPair pair = linearizeTwice(m, d, o, other, kept);
  compareColumns(&pair, kept, compares_all, &check);
  mj_freeStack(d);
  return check;
}


cfTransitionCheck cf_checkTransition(const mjModel* m, mjData* d, mjtNum eps, mjtByte* column) {
  const cfTransitionOptions analytic = {.eps = eps}, differences = {.eps = eps, .no_analytic = 1};
  return checkTransition(m, d, &analytic, &differences, false, column);
}


mjtNum cf_validateTransition(const mjModel* m, mjData* d, mjtNum eps) {
  return cf_checkTransition(m, d, eps, NULL).error;
}


mjtNum cf_transitionConvergence(const mjModel* m, mjData* d, mjtNum eps) {
  const mjtNum step = eps > 0 ? eps : 1e-6;
  const cfTransitionOptions coarse = {.eps = step, .no_analytic = 1},
                            fine = {.eps = step / 10, .no_analytic = 1};
  return checkTransition(m, d, &coarse, &fine, true, NULL).error;
}
