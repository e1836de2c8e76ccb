// The step along a direction at which the cost is least, for the solver (solve.c).
#include "team/team.h"

// the line as far as it is the same for all of its points
typedef struct {
  cfReal c, b, a;  // cost of the smooth part: c + alpha*b + alpha^2*a
} CF_TEAM_NAME(teamLine);
#define teamLine CF_TEAM_NAME(teamLine)


// derivatives of a cone along the line, added to a point
CF_TEAM_FN void addConeAt(const cfTeam* t, const teamBlock* block, lawPoint* at) {
  const cfReal *jar = CF_WORLD(t, efc_jar) + block->row, *Jv = CF_WORLD(t, efc_Jv) + block->row;
  const cfReal* D = CF_WORLD(t, efc_D) + block->row;
  const cfReal* friction = CF_OWN(t, pair_friction) + 5 * block->id;
  const cfReal mu = friction[0] * CF_VALUE(t, mu_scale), alpha = at->alpha;
  cfReal TT = 0, Tv = 0, vv = 0, cost = 0, slope = 0, curvature = 0;
  for (int k = 0; k < block->dim; k++) {
    const cfReal x = jar[k] + alpha * Jv[k], v = Jv[k], scale = k ? friction[k - 1] : 0;
    TT += scale * x * scale * x;
    Tv += scale * x * scale * v;
    vv += scale * v * scale * v;
    cost += D[k] * x * x / 2;
    slope += D[k] * x * v;
    curvature += D[k] * v * v;
  }
  const cfReal N = mu * (jar[0] + alpha * Jv[0]), v0 = mu * Jv[0];
  const bool is_axis = TT <= 0;
  const cfReal T = is_axis ? 0 : teamSqrt(TT);
  if (is_axis ? !(N < 0) : N >= mu * T) {
    return;
  }
  if (!is_axis && mu * N + T > 0) {
    const cfReal Dm = D[0] / (mu * mu * (1 + mu * mu)), T1 = Tv / T;
    const cfReal gap = N - mu * T, gap1 = v0 - mu * T1;
    cost = Dm * gap * gap / 2;
    slope = Dm * gap * gap1;
    curvature = Dm * (gap1 * gap1 - gap * mu * (vv / T - Tv * T1 / (T * T)));
  }
  at->cost += cost;
  at->slope += slope;
  at->curvature += curvature;
}


// one row at a point of the line
CF_TEAM_FN void addRowAt(const cfTeam* t, const teamBlock* block, int r, lawPoint* at) {
  const cfReal v = CF_WORLD(t, efc_Jv)[r], x = CF_WORLD(t, efc_jar)[r] + at->alpha * v;
  const cfReal D = CF_WORLD(t, efc_D)[r];
  if (block->kind == CF_BLOCK_LOSS) {
    const cfReal loss = CF_OWN(t, loss_force)[block->id], bound = loss / D;
    if (!(-bound < x && x < bound)) {
      at->cost += loss * (teamAbs(x) - bound / 2);
      at->slope += x <= -bound ? -loss * v : loss * v;
      return;
    }
  } else if (!isEquality(block) && !(x < 0)) {
    return;
  }
  at->cost += D * x * x / 2;
  at->slope += D * x * v;
  at->curvature += D * v * v;
}


CF_TEAM_FN lawPoint pointAt(const cfTeam* t, const teamProblem* p, const teamLine* line,
                            cfReal alpha) {
  lawPoint at = {alpha, 0, 0, 0};
  for (int r = t->thread; r < p->nefc; r += CF_TEAM_WIDTH) {
    const int name = CF_WORLD(t, efc_block)[r];
    const teamBlock block = readBlock(t, name & 0xffff);
    if (!hasBlock(p, &block)) {
      continue;
    }
    if (!isCone(&block)) {
      addRowAt(t, &block, r, &at);
    } else if (name >> 16 == 0) {
      addConeAt(t, &block, &at);
    }
  }
  at.cost = teamSum(t, at.cost) + line->c + alpha * (line->b + alpha * line->a);
  at.slope = teamSum(t, at.slope) + line->b + 2 * alpha * line->a;
  at.curvature = teamSum(t, at.curvature) + 2 * line->a;
  at.curvature = at.curvature <= 0 ? CF_TEAM_MIN : at.curvature;
  return at;
}


// a test may look at how many points were needed
#ifndef CF_TEAM_WATCH
#define CF_TEAM_WATCH(neval)
#endif

// the slope that counts as none.  Single precision cannot tell less than the rounding of the parts
// that cancel in it, nor does the cost change by a hundred thousandth of the first slope
CF_TEAM_FN cfReal smallSlope(const lawPoint* start, const teamLine* line, cfReal tolerance) {
#ifdef CF_TEAM_SINGLE
  const cfReal parts = teamAbs(line->b) + teamAbs(start->slope - line->b);
  return teamLarger(tolerance, teamLarger(6e-7f * parts, 1e-5f * teamAbs(start->slope)));
#else
  (void)start, (void)line;
  return tolerance;
#endif
}


// the root of the slope: a point is evaluated at one place of the program
CF_TEAM_FN cfReal searchLine(const cfTeam* t, const teamProblem* p, const teamLine* line,
                             cfReal tolerance) {
  lawSearch s;
  lawPoint at;
  lawBeginSearch(&s, tolerance, t->m->ls_iterations);
  do {
    at = pointAt(t, p, line, s.alpha);
    if (s.next == LAW_START) {
      s.tolerance = smallSlope(&at, line, tolerance);
    }
  } while (lawContinueSearch(&s, &at));
  CF_TEAM_WATCH(s.neval);
  return s.best.alpha;
}


// Jv, Mv and the smooth part of the line, then the step along it; 0: none
CF_TEAM_FN cfReal findStep(const cfTeam* t, const teamProblem* p, cfReal square) {
  const cfReal norm = teamSqrt(square), *search = CF_WORLD(t, search), *Mv = CF_WORLD(t, Mv);
  if (norm < CF_TEAM_MIN) {
    return 0;
  }
  mulInertia(t, CF_WORLD(t, Mv), search);
  for (int r = t->thread; r < p->nefc; r += CF_TEAM_WIDTH) {
    CF_WORLD(t, efc_Jv)[r] = mulRow(t, r, search);
  }
  teamSync(t);
  cfReal b = 0, a = 0;
  for (int i = t->thread; i < t->m->nv; i += CF_TEAM_WIDTH) {
    b += search[i] * (CF_WORLD(t, Ma)[i] - CF_WORLD(t, qfrc_smooth)[i]);
    a += search[i] * Mv[i];
  }
  teamLine line = {.c = p->gauss, .b = teamSum(t, b), .a = teamSum(t, a) / 2};
  const cfReal tolerance = CF_VALUE(t, tolerance) * CF_VALUE(t, ls_tolerance) * norm / p->scale;
  return searchLine(t, p, &line, tolerance);
}
