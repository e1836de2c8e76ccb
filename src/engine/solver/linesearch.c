// Exact line search: along the direction the cost is piecewise quadratic (with a square root inside
// elliptic cones), so its derivative is evaluated from a few numbers per row and its root is
// bracketed.
//
// Equality rows are quadratic everywhere and are summed once.  Limits and pyramid edges count while
// their residual x = jar + alpha*Jv is negative.  Cones are kept apart, one record each.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "law/number_one.h"

#include "law/cones.h"
#include "law/search.h"
#include "math/dense.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "solver/primal.h"

// the whole line
typedef struct {
  const cfPrimal* p;
  lawParabola base;   // Gauss cost and equality rows
  mjtNum *c, *b, *a;  // nefc each: quadratics of single rows, zero in cones
  lawConeLine* cone;
  int ncone;
} cfLine;

size_t cfi_lineConeBytes(int nefc) {
  return sizeof(lawConeLine) * (nefc / 3 + 1);
}


// record of one elliptic contact; the dimension is a constant where this is inlined
static inline __attribute__((always_inline)) lawConeLine coneLineOf(
    const mjContact* con, const mjtNum* x, const mjtNum* v, const mjtNum* D, const int dim) {
  lawConeLine line;
  lawOpenConeLine(&line, x, v, D, con->mu, con->friction, dim);
  line.Dm = lawConeWeight(D[0], con->mu);
  return line;
}


static inline lawConeLine coneLine(const mjContact* con, const mjtNum* x, const mjtNum* v,
                                   const mjtNum* D) {
  return con->dim == 3 ? coneLineOf(con, x, v, D, 3) : coneLineOf(con, x, v, D, con->dim);
}


// rows as if all of them were quadratic
static void prepareQuadratics(const cfLine* line) {
  const mjtNum *jar = line->p->jar, *Jv = line->p->Jv, *weight = line->p->rows.D;
  const cfLane half = cfi_laneSpread(0.5);
  const int n = line->p->rows.nefc;
  int r = 0;
  for (; r + 4 <= n; r += 4) {
    const cfLane x = cfi_laneLoad(jar + r), v = cfi_laneLoad(Jv + r), D = cfi_laneLoad(weight + r);
    const cfLane Dx = cfi_laneMul(D, x);
    cfi_laneStore(line->c + r, cfi_laneMul(half, cfi_laneMul(x, Dx)));
    cfi_laneStore(line->b + r, cfi_laneMul(v, Dx));
    cfi_laneStore(line->a + r, cfi_laneMul(half, cfi_laneMul(cfi_laneMul(v, D), v)));
  }
  for (; r < n; r++) {
    const mjtNum x = jar[r], v = Jv[r], D = weight[r], Dx = D * x;
    line->c[r] = 0.5 * (x * Dx);
    line->b[r] = v * Dx;
    line->a[r] = 0.5 * (v * D * v);
  }
}


// quadratics of all rows
static void prepareRows(cfLine* line) {
  const cfPrimal* p = line->p;
  const cfRowSet* rows = &p->rows;
  prepareQuadratics(line);
  for (int r = 0; r < rows->ne; r++) {
    lawAddParabola(&line->base, line->c[r], line->b[r], line->a[r]);
  }
  if (p->m->opt.cone != mjCONE_ELLIPTIC) {
    return;
  }
  for (int r = rows->ne + rows->nf; r < rows->nefc; r++) {
    if (rows->type[r] == mjCNSTR_CONTACT_ELLIPTIC) {
      const mjContact* con = rows->contact + rows->id[r];
      CF_ASSERT(con->dim >= 3 && r + con->dim <= rows->nefc);
      line->cone[line->ncone++] = coneLine(con, p->jar + r, p->Jv + r, rows->D + r);
      for (int last = r + con->dim; r < last; r++) {
        line->c[r] = line->b[r] = line->a[r] = 0;
      }
      r--;
    }
  }
}


static void prepareLine(cfLine* line, const cfPrimal* p) {
  const int nefc = p->rows.nefc;
  line->p = p;
  line->c = p->line;
  line->b = line->c + nefc;
  line->a = line->b + nefc;
  line->cone = p->cones;
  line->ncone = 0;
  line->base = (lawParabola){
      p->gauss_cost, cfi_dot(p->search, p->Ma, p->nv) - cfi_dot(p->frc_smooth, p->search, p->nv),
      0.5 * cfi_dot(p->search, p->Mv, p->nv)};
  prepareRows(line);
}


// friction loss: quadratic between its bounds, linear outside
static void sumFriction(const cfLine* line, mjtNum alpha, lawParabola* sum) {
  const cfPrimal* p = line->p;
  const cfRowSet* rows = &p->rows;
  for (int r = rows->ne; r < rows->ne + rows->nf; r++) {
    const mjtNum loss = rows->frictionloss[r];
    const lawParabola inside = {line->c[r], line->b[r], line->a[r]};
    lawSumLoss(sum, &inside, p->jar[r], p->Jv[r], alpha, rows->R[r] * loss, loss);
  }
}


// limits and contacts without cones: a row counts where its residual is negative
static void sumUnilateral(const cfLine* line, mjtNum alpha, lawParabola* sum) {
  const mjtNum *x = line->p->jar, *v = line->p->Jv;
  const cfLane step = cfi_laneSpread(alpha);
  cfLane sc = cfi_laneSpread(0), sb = sc, sa = sc;
  int r = line->p->rows.ne + line->p->rows.nf, n = line->p->rows.nefc;
  for (; r + 4 <= n; r += 4) {
    const cfLane at = cfi_laneAddMul(cfi_laneLoad(x + r), step, cfi_laneLoad(v + r));
    sc = cfi_laneAdd(sc, cfi_laneWhereNegative(at, cfi_laneLoad(line->c + r)));
    sb = cfi_laneAdd(sb, cfi_laneWhereNegative(at, cfi_laneLoad(line->b + r)));
    sa = cfi_laneAdd(sa, cfi_laneWhereNegative(at, cfi_laneLoad(line->a + r)));
  }
  for (; r < n; r++) {
    if (x[r] + alpha * v[r] < 0) {
      lawAddParabola(sum, line->c[r], line->b[r], line->a[r]);
    }
  }
  lawAddParabola(sum, cfi_laneSum(sc), cfi_laneSum(sb), cfi_laneSum(sa));
}


static void sumCones(const cfLine* line, mjtNum alpha, lawParabola* sum, lawPoint* point) {
  for (const lawConeLine* k = line->cone; k < line->cone + line->ncone; k++) {
    lawSumCone(k, alpha, true, sum, &point->cost, &point->slope, &point->curvature);
  }
}


static lawPoint evaluateLine(cfLine* line, mjtNum alpha) {
  lawPoint point = {alpha, 0, 0, 0};
  lawParabola sum = line->base;
  sumFriction(line, alpha, &sum);
  sumUnilateral(line, alpha, &sum);
  if (line->ncone) {
    sumCones(line, alpha, &sum, &point);
  }
  point.cost += alpha * alpha * sum.a + alpha * sum.b + sum.c;
  point.slope += 2 * alpha * sum.a + sum.b;
  point.curvature += 2 * sum.a;
  if (point.curvature <= 0) {
    mju_warning("Linesearch objective is not convex");
    point.curvature = mjMINVAL;
  }
  return point;
}


mjtNum cfi_lineSearch(cfPrimal* p) {
  const mjOption* opt = &p->m->opt;
  const mjtNum norm = sqrt(cfi_dot(p->search, p->search, p->nv));
  p->nline = 0;
  p->line_slope = 1;
  if (norm < mjMINVAL) {
    return 0;
  }

  cfi_mulInertia(p);
  cfi_mulJacobian(p->Jv, &p->J, p->search);
  cfLine line;
  prepareLine(&line, p);
  const mjtNum tolerance = opt->tolerance * opt->ls_tolerance * norm / p->scale;
  lawSearch s;
  lawPoint point;
  lawBeginSearch(&s, tolerance, opt->ls_iterations);
  do {
    point = evaluateLine(&line, s.alpha);
  } while (lawContinueSearch(&s, &point));
  p->nline = s.neval;
  p->line_slope = isinf(s.best.slope) ? 1 : fabs(s.best.slope) * p->scale / norm;
  return s.best.alpha;
}
