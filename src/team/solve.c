// Newton's method on the primal cost
//   cost(a) = (a - a_smooth)' M (a - a_smooth) / 2  +  s(J*a - aref),
// by the engine's rules: start from the better of warm start and smooth acceleration, Hessian
// M + J' s'' J factored as L'DL from the last dof up, exact line search, the same tests for the
// end.
//
// Trees that rows couple are an island and are solved on their own.  Directions are zero outside of
// their island, so rows and dofs of others take no part; only sums look at who belongs to it.
#include "team/team.h"

// one island; the same in all threads
typedef struct {
  int island;      // its number
  int n;           // dofs
  int nefc, nblk;  // of all islands
  bool is_alone;   // it holds every dof and row
  cfReal scale;    // makes improvement and gradient independent of units
  cfReal cost;     // at the present point
  cfReal gauss;    // its first part
} CF_TEAM_NAME(teamProblem);
#define teamProblem CF_TEAM_NAME(teamProblem)

// a point on the line that is searched
typedef struct {
  cfReal alpha, cost, slope, curvature;
} CF_TEAM_NAME(teamPoint);
#define teamPoint CF_TEAM_NAME(teamPoint)


CF_TEAM_FN bool hasBlock(const teamProblem* p, const teamBlock* block) {
  return p->is_alone || block->island == p->island;
}


// place of a dof in the Hessian of its island; -1: it belongs to another
CF_TEAM_FN int placeOfDof(const cfTeam* t, const teamProblem* p, int dof) {
  return p->is_alone ? dof : CF_WORLD(t, dof_place)[dof];
}


CF_TEAM_FN int dofAtPlace(const cfTeam* t, const teamProblem* p, int place) {
  return p->is_alone ? place : CF_WORLD(t, place_dof)[place];
}


// number (i, j), j <= i, of a lower triangle by rows
CF_TEAM_FN int teamTriangle(int i, int j) {
  return i * (i + 1) / 2 + j;
}

// ---------------------------------------- cost of rows

// dry friction: quadratic within +-bound, linear outside
CF_TEAM_FN cfReal lossCost(cfReal x, cfReal D, cfReal loss, cfReal* force) {
  const cfReal bound = loss / D;
  if (x <= -bound || x >= bound) {
    *force = x <= -bound ? loss : -loss;
    return loss * (teamAbs(x) - bound / 2);
  }
  *force = -D * x;
  return D * x * x / 2;
}


// an elliptic contact in the space where its cone is circular
typedef struct {
  cfReal mu, N, T, Dm;
  int zone;  // 0: no force, 1: all rows quadratic, 2: on the cone
} CF_TEAM_NAME(teamCone);
#define teamCone CF_TEAM_NAME(teamCone)


CF_TEAM_FN teamCone coneOf(const cfTeam* t, const teamBlock* block, const cfReal* x) {
  const cfReal* friction = t->m->pair_friction + 5 * block->id;
  teamCone c = {.mu = friction[0] * t->m->mu_scale};
  cfReal square = 0;
  for (int k = 1; k < block->dim; k++) {
    const cfReal u = x[block->row + k] * friction[k - 1];
    square += u * u;
  }
  c.N = x[block->row] * c.mu;
  c.T = teamSqrt(square);
  c.Dm = CF_WORLD(t, efc_D)[block->row] / (c.mu * c.mu * (1 + c.mu * c.mu));
  if (c.N >= c.mu * c.T || (c.T <= 0 && c.N >= 0)) {
    c.zone = 0;
  } else {
    c.zone = c.mu * c.N + c.T <= 0 || (c.T <= 0 && c.N < 0) ? 1 : 2;
  }
  return c;
}


CF_TEAM_FN cfReal coneCost(const cfTeam* t, const teamBlock* block, const cfReal* x,
                           cfReal* force) {
  const teamCone c = coneOf(t, block, x);
  const cfReal* friction = t->m->pair_friction + 5 * block->id;
  const cfReal *D = CF_WORLD(t, efc_D), gap = c.N - c.mu * c.T, normal = -c.Dm * gap * c.mu;
  cfReal cost = c.zone == 2 ? c.Dm * gap * gap / 2 : 0;
  for (int k = 0; k < block->dim; k++) {
    const int r = block->row + k;
    cfReal f = 0;
    if (c.zone == 1) {
      f = -D[r] * x[r];
      cost += D[r] * x[r] * x[r] / 2;
    } else if (c.zone == 2) {
      f = k ? -normal / c.T * x[r] * friction[k - 1] * friction[k - 1] : normal;
    }
    force[r] = f;
  }
  return cost;
}


// cost of one row at residual x; a cone is counted by its first row
CF_TEAM_FN cfReal rowCost(const cfTeam* t, const teamBlock* block, int r, int k, const cfReal* x,
                          cfReal* force) {
  const cfReal D = CF_WORLD(t, efc_D)[r];
  if (block->kind == CF_BLOCK_CONE) {
    return k == 0 ? coneCost(t, block, x, force) : 0;
  }
  cfReal f, cost;
  if (block->kind == CF_BLOCK_LOSS) {
    cost = lossCost(x[r], D, t->m->loss_force[block->id], &f);
  } else {
    // pushes where its residual is negative; NaN goes on into force and cost, where it is seen
    const cfReal violation = x[r] >= 0 && block->kind != CF_BLOCK_EQUALITY ? 0 : x[r];
    f = -D * violation;
    cost = D * violation * violation / 2;
  }
  force[r] = f;
  return cost;
}


// this thread's share of the cost of rows at residuals x, and their forces
CF_TEAM_FN cfReal rowsCost(const cfTeam* t, const teamProblem* p, const cfReal* x, cfReal* force) {
  cfReal cost = 0;
  for (int r = t->lane; r < p->nefc; r += CF_TEAM_WIDTH) {
    const int name = CF_WORLD(t, efc_block)[r];
    const teamBlock block = readBlock(t, name & 0xffff);
    if (hasBlock(p, &block)) {
      cost += rowCost(t, &block, r, name >> 16, x, force);
    }
  }
  return cost;
}


// res = M*vec
CF_TEAM_FN void mulInertia(const cfTeam* t, cfReal* res, const cfReal* vec) {
  const cfTeamModel* m = t->m;
  const cfReal* M = CF_WORLD(t, M);
  for (int i = t->lane; i < m->nv; i += CF_TEAM_WIDTH) {
    cfReal sum = 0;
    for (int k = m->sym_adr[i]; k < m->sym_adr[i + 1]; k++) {
      sum += M[m->sym_M[k]] * vec[m->sym_dof[k]];
    }
    res[i] = sum;
  }
}

// ---------------------------------------- gradient and Hessian

// force of a block along its lines; g has room for 6
CF_TEAM_FN void lineForces(const cfTeam* t, const teamBlock* block, const cfReal* force,
                           cfReal g[6]) {
  const cfReal *f = force + block->row, *mu = t->m->pair_friction + 5 * block->id;
  const bool is_pyramid = block->kind == CF_BLOCK_PYRAMID;
  cfReal normal = 0;
  CF_TEAM_UNROLL
  for (int k = 1; k < 6; k++) {
    g[k] = 0;
    if (k < block->dim) {
      const cfReal plus = is_pyramid ? f[2 * k - 2] : 0, minus = is_pyramid ? f[2 * k - 1] : 0;
      normal += plus + minus;
      g[k] = is_pyramid ? mu[k - 1] * (plus - minus) : f[k];
    }
  }
  g[0] = is_pyramid ? normal : f[0];
}


// qfrc_constraint = J'*force of an island
CF_TEAM_FN void sumForces(const cfTeam* t, const teamProblem* p) {
  cfReal* qfrc = CF_WORLD(t, qfrc_constraint);
  for (int i = t->lane; i < p->n; i += CF_TEAM_WIDTH) {
    qfrc[dofAtPlace(t, p, i)] = 0;
  }
  for (int b = 0; b < p->nblk; b++) {
    const teamBlock block = readBlock(t, b);
    if (!hasBlock(p, &block)) {
      continue;
    }
    teamSync(t);
    cfReal g[6];
    lineForces(t, &block, CF_WORLD(t, efc_force), g);
    for (int j = t->lane; j < block.num; j += CF_TEAM_WIDTH) {
      const cfReal* J = CF_WORLD(t, J) + block.J + j;
      cfReal sum = 0;
      CF_TEAM_UNROLL
      for (int k = 0; k < 6; k++) {
        sum += k < block.dim ? g[k] * J[k * block.stride] : 0;
      }
      qfrc[t->m->chain_dof[block.chain + j]] += sum;
    }
  }
  teamSync(t);
}


// gradient, and the cost of moving away from the smooth acceleration; returns |gradient|^2
CF_TEAM_FN cfReal setGradient(const cfTeam* t, teamProblem* p) {
  sumForces(t, p);
  const cfReal *Ma = CF_WORLD(t, Ma), *smooth = CF_WORLD(t, qfrc_smooth);
  const cfReal *qacc = CF_WORLD(t, qacc), *qacc_smooth = CF_WORLD(t, qacc_smooth);
  cfReal square = 0, gauss = 0;
  for (int k = t->lane; k < p->n; k += CF_TEAM_WIDTH) {
    const int i = dofAtPlace(t, p, k);
    const cfReal away = Ma[i] - smooth[i], grad = away - CF_WORLD(t, qfrc_constraint)[i];
    CF_WORLD(t, grad)[k] = grad;
    gauss += away * (qacc[i] - qacc_smooth[i]) / 2;
    square += grad * grad;
  }
  p->gauss = teamSum(t, gauss);
  return teamSum(t, square);
}


// one column of s''*J for a block: w_k = sum over l of s''_kl J_lj
CF_TEAM_FN void curveCone(const cfTeam* t, const teamBlock* block, const cfReal* J, cfReal* w) {
  const cfReal *x = CF_WORLD(t, efc_jar), *D = CF_WORLD(t, efc_D);
  const cfReal* friction = t->m->pair_friction + 5 * block->id;
  const teamCone c = coneOf(t, block, x);
  if (c.zone < 2) {
    for (int k = 0; k < block->dim; k++) {
      w[k * block->stride] = c.zone ? D[block->row + k] * J[k * block->stride] : 0;
    }
    return;
  }
  const cfReal normal = c.mu * J[0];
  cfReal along = 0;  // tangents: residual times column, both scaled
  for (int k = 1; k < block->dim; k++) {
    const cfReal scale = friction[k - 1];
    along += x[block->row + k] * scale * scale * J[k * block->stride];
  }
  const cfReal ratio = c.mu / c.T, across = c.mu * c.mu - ratio * c.N;
  const cfReal tilt = ratio * c.N / (c.T * c.T) * along - ratio * normal;
  w[0] = c.Dm * c.mu * (normal - ratio * along);
  for (int k = 1; k < block->dim; k++) {
    const cfReal scale = friction[k - 1];
    w[k * block->stride] =
        c.Dm * scale * scale * (tilt * x[block->row + k] + across * J[k * block->stride]);
  }
}


CF_TEAM_FN void curvePyramid(const cfTeam* t, const teamBlock* block, const cfReal* J, cfReal* w) {
  const cfReal *x = CF_WORLD(t, efc_jar) + block->row, D = CF_WORLD(t, efc_D)[block->row];
  const cfReal* friction = t->m->pair_friction + 5 * block->id;
  cfReal normal = 0;
  for (int k = 1; k < block->dim; k++) {
    const cfReal mu = friction[k - 1], slope = mu * J[k * block->stride];
    const cfReal plus = x[2 * k - 2] >= 0 ? 0 : J[0] + slope;
    const cfReal minus = x[2 * k - 1] >= 0 ? 0 : J[0] - slope;
    normal += plus + minus;
    w[k * block->stride] = D * mu * (plus - minus);
  }
  w[0] = D * normal;
}


// curvature of the first line of a block that is not a contact with friction; the others are rows
// of an equality
CF_TEAM_FN cfReal curveOf(const cfTeam* t, const teamBlock* block) {
  const cfReal x = CF_WORLD(t, efc_jar)[block->row], D = CF_WORLD(t, efc_D)[block->row];
  if (block->kind == CF_BLOCK_LOSS) {
    return teamAbs(x) < t->m->loss_force[block->id] / D ? D : 0;
  }
  return x >= 0 && block->kind != CF_BLOCK_EQUALITY ? 0 : D;
}


// W = s''*J, lines as those of J
CF_TEAM_FN void curveBlock(const cfTeam* t, const teamBlock* block) {
  for (int j = t->lane; j < block->num; j += CF_TEAM_WIDTH) {
    const cfReal* J = CF_WORLD(t, J) + block->J + j;
    cfReal* w = CF_WORLD(t, W) + j;
    if (block->kind == CF_BLOCK_CONE) {
      curveCone(t, block, J, w);
    } else if (block->kind == CF_BLOCK_PYRAMID) {
      curvePyramid(t, block, J, w);
    } else {
      w[0] = curveOf(t, block) * J[0];
      for (int k = 1; k < block->dim; k++) {
        w[k * block->stride] = CF_WORLD(t, efc_D)[block->row + k] * J[k * block->stride];
      }
    }
  }
}


// threads of the team as a rectangle: rows and columns of a matrix
enum {
  CF_TEAM_COLUMNS = CF_TEAM_WIDTH >= 16  ? 4
                    : CF_TEAM_WIDTH >= 4 ? 2
                                         : 1,
  CF_TEAM_LINES = CF_TEAM_WIDTH / CF_TEAM_COLUMNS
};


// H += J'*W
CF_TEAM_FN void addBlock(const cfTeam* t, const teamProblem* p, const teamBlock* block) {
  const int* dof = t->m->chain_dof + block->chain;
  const cfReal *J = CF_WORLD(t, J) + block->J, *W = CF_WORLD(t, W);
  for (int i = t->lane / CF_TEAM_COLUMNS; i < block->num; i += CF_TEAM_LINES) {
    cfReal* H = CF_WORLD(t, H) + teamTriangle(placeOfDof(t, p, dof[i]), 0);
    for (int j = t->lane % CF_TEAM_COLUMNS; j <= i; j += CF_TEAM_COLUMNS) {
      cfReal sum = 0;
      for (int k = 0; k < block->dim; k++) {
        sum += J[k * block->stride + i] * W[k * block->stride + j];
      }
      H[placeOfDof(t, p, dof[j])] += sum;
    }
  }
}


// H = M + J' s'' J, lower triangle
CF_TEAM_FN void buildHessian(const cfTeam* t, const teamProblem* p) {
  const cfTeamModel* m = t->m;
  cfReal *H = CF_WORLD(t, H), *M = CF_WORLD(t, M);
  const int size = p->n * (p->n + 1) / 2;
  for (int k = t->lane; k < size; k += CF_TEAM_WIDTH) {
    H[k] = 0;
  }
  teamSync(t);
  for (int k = t->lane; k < m->nC; k += CF_TEAM_WIDTH) {
    const int i = placeOfDof(t, p, m->M_rowind[k]);
    if (i >= 0) {
      H[teamTriangle(i, placeOfDof(t, p, m->M_colind[k]))] = M[k];
    }
  }
  for (int b = 0; b < p->nblk; b++) {
    const teamBlock block = readBlock(t, b);
    if (hasBlock(p, &block)) {
      teamSync(t);
      curveBlock(t, &block);
      teamSync(t);
      addBlock(t, p, &block);
    }
  }
  teamSync(t);
}


// H = L'DL from the last row up, with L'^-1 applied to `vec` on the way.  Rows of L are left
// multiplied by their pivot; H_inv gets the inverse pivots
CF_TEAM_FN void factorHessian(const cfTeam* t, const teamProblem* p, cfReal* vec) {
  cfReal *H = CF_WORLD(t, H), *inverse = CF_WORLD(t, H_inv);
  for (int k = p->n - 1; k >= 0; k--) {
    const cfReal *row = H + teamTriangle(k, 0), pivot = row[k];
    const cfReal inv = 1 / (pivot < CF_TEAM_MIN ? CF_TEAM_MIN : pivot), last = vec[k];
    if (t->lane == 0) {
      inverse[k] = inv;
    }
    for (int i = t->lane / CF_TEAM_COLUMNS; i < k; i += CF_TEAM_LINES) {
      const cfReal factor = row[i] * inv;
      if (factor == 0) {
        continue;
      }
      cfReal* other = H + teamTriangle(i, 0);
      for (int j = t->lane % CF_TEAM_COLUMNS; j <= i; j += CF_TEAM_COLUMNS) {
        other[j] -= factor * row[j];
      }
      if (t->lane % CF_TEAM_COLUMNS == 0) {
        vec[i] -= factor * last;
      }
    }
    teamSync(t);
  }
}


// vec = L^-1 D^-1 vec
CF_TEAM_FN void solveFactor(const cfTeam* t, const teamProblem* p, cfReal* vec) {
  const cfReal *H = CF_WORLD(t, H), *inverse = CF_WORLD(t, H_inv);
  for (int i = t->lane; i < p->n; i += CF_TEAM_WIDTH) {
    vec[i] *= inverse[i];
  }
  teamSync(t);
  for (int k = 0; k < p->n; k++) {
    const cfReal known = vec[k];
    for (int i = k + 1 + t->lane; i < p->n; i += CF_TEAM_WIDTH) {
      vec[i] -= H[teamTriangle(i, k)] * inverse[i] * known;
    }
    teamSync(t);
  }
}


// search = -H^-1 grad; returns |search|^2
CF_TEAM_FN cfReal findDirection(const cfTeam* t, const teamProblem* p) {
  cfReal *grad = CF_WORLD(t, grad), *search = CF_WORLD(t, search);
  buildHessian(t, p);
  factorHessian(t, p, grad);
  solveFactor(t, p, grad);
  cfReal square = 0;
  for (int i = t->lane; i < p->n; i += CF_TEAM_WIDTH) {
    search[dofAtPlace(t, p, i)] = -grad[i];
    square += grad[i] * grad[i];
  }
  teamSync(t);
  return teamSum(t, square);
}

// ---------------------------------------- line search

// the line as far as it is the same for all of its points
typedef struct {
  cfReal c, b, a;  // cost of the smooth part: c + alpha*b + alpha^2*a
  int neval;
} CF_TEAM_NAME(teamLine);
#define teamLine CF_TEAM_NAME(teamLine)


// derivatives of a cone along the line, added to a point
CF_TEAM_FN void addConeAt(const cfTeam* t, const teamBlock* block, teamPoint* at) {
  const cfReal *jar = CF_WORLD(t, efc_jar) + block->row, *Jv = CF_WORLD(t, efc_Jv) + block->row;
  const cfReal* D = CF_WORLD(t, efc_D) + block->row;
  const cfReal* friction = t->m->pair_friction + 5 * block->id;
  const cfReal mu = friction[0] * t->m->mu_scale, alpha = at->alpha;
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
CF_TEAM_FN void addRowAt(const cfTeam* t, const teamBlock* block, int r, teamPoint* at) {
  const cfReal v = CF_WORLD(t, efc_Jv)[r], x = CF_WORLD(t, efc_jar)[r] + at->alpha * v;
  const cfReal D = CF_WORLD(t, efc_D)[r];
  if (block->kind == CF_BLOCK_LOSS) {
    const cfReal loss = t->m->loss_force[block->id], bound = loss / D;
    if (!(-bound < x && x < bound)) {
      at->cost += loss * (teamAbs(x) - bound / 2);
      at->slope += x <= -bound ? -loss * v : loss * v;
      return;
    }
  } else if (block->kind != CF_BLOCK_EQUALITY && !(x < 0)) {
    return;
  }
  at->cost += D * x * x / 2;
  at->slope += D * x * v;
  at->curvature += D * v * v;
}


CF_TEAM_FN teamPoint pointAt(const cfTeam* t, const teamProblem* p, teamLine* line, cfReal alpha) {
  teamPoint at = {alpha, 0, 0, 0};
  for (int r = t->lane; r < p->nefc; r += CF_TEAM_WIDTH) {
    const int name = CF_WORLD(t, efc_block)[r];
    const teamBlock block = readBlock(t, name & 0xffff);
    if (!hasBlock(p, &block)) {
      continue;
    }
    if (block.kind != CF_BLOCK_CONE) {
      addRowAt(t, &block, r, &at);
    } else if (name >> 16 == 0) {
      addConeAt(t, &block, &at);
    }
  }
  line->neval++;
  at.cost = teamSum(t, at.cost) + line->c + alpha * (line->b + alpha * line->a);
  at.slope = teamSum(t, at.slope) + line->b + 2 * alpha * line->a;
  at.curvature = teamSum(t, at.curvature) + 2 * line->a;
  at.curvature = at.curvature <= 0 ? CF_TEAM_MIN : at.curvature;
  return at;
}


// what the point that comes next is
typedef enum { LINE_START, LINE_WALK, LINE_AHEAD, LINE_MIDDLE, LINE_LOW, LINE_HIGH } cftTeamLine;

// a search: the slope changes its sign between low and high; ahead: where it would vanish if the
// curvature stayed
typedef struct {
  teamPoint low, high, ahead_low, ahead_high;
  cfReal start_cost, tolerance, side;
  bool moved_high;
  cftTeamLine next;
  cfReal alpha;  // of the next point, or the result
} CF_TEAM_NAME(teamSearch);
#define teamSearch CF_TEAM_NAME(teamSearch)


// look ahead from a point
CF_TEAM_FN bool aimAt(teamSearch* s, cftTeamLine next, cfReal alpha) {
  s->next = next;
  s->alpha = alpha;
  return false;
}


CF_TEAM_FN bool endSearch(teamSearch* s, cfReal alpha) {
  s->alpha = alpha;
  return true;
}


CF_TEAM_FN cfReal aheadOf(const teamPoint* from) {
  return from->alpha - from->slope / from->curvature;
}


// move an end of the bracket to a candidate that is nearer to the root on its side
CF_TEAM_FN bool tightenEnd(teamPoint* end, const teamPoint* candidate) {
  const bool is_same_side =
      (end->slope < 0 && candidate->slope < 0) || (end->slope > 0 && candidate->slope > 0);
  if (is_same_side && teamAbs(candidate->slope) < teamAbs(end->slope)) {
    *end = *candidate;
    return true;
  }
  return false;
}


CF_TEAM_FN bool tightenBy(teamPoint* end, const teamSearch* s, const teamPoint* middle) {
  const bool one = tightenEnd(end, &s->ahead_low), two = tightenEnd(end, &s->ahead_high);
  const bool three = tightenEnd(end, middle);
  return one || two || three;
}


// keep the candidate of the least cost among those whose slope is small
CF_TEAM_FN void keepConverged(teamPoint* best, bool* is_found, const teamPoint* candidate,
                              cfReal tolerance) {
  if (teamAbs(candidate->slope) < tolerance && (!*is_found || candidate->cost < best->cost)) {
    *best = *candidate;
    *is_found = true;
  }
}


// halve the bracket, or end where evaluations are used up
CF_TEAM_FN bool halveBracket(const cfTeam* t, teamSearch* s, int neval) {
  if (neval < t->m->ls_iterations) {
    return aimAt(s, LINE_MIDDLE, (s->low.alpha + s->high.alpha) / 2);
  }
  const bool is_low = s->low.cost <= s->high.cost;
  const cfReal cost = is_low ? s->low.cost : s->high.cost;
  const cfReal alpha = is_low ? s->low.alpha : s->high.alpha;
  return endSearch(s, cost < s->start_cost ? alpha : 0);
}


// the middle of the bracket is known
CF_TEAM_FN bool useMiddle(teamSearch* s, const teamPoint* middle) {
  teamPoint best = *middle;
  bool is_found = false;
  keepConverged(&best, &is_found, &s->ahead_low, s->tolerance);
  keepConverged(&best, &is_found, &s->ahead_high, s->tolerance);
  keepConverged(&best, &is_found, middle, s->tolerance);
  if (is_found) {
    return endSearch(s, best.alpha);
  }
  const bool moved_low = tightenBy(&s->low, s, middle);
  s->moved_high = tightenBy(&s->high, s, middle);
  if (!moved_low && !s->moved_high) {
    return endSearch(s, middle->alpha);
  }
  if (moved_low) {
    return aimAt(s, LINE_LOW, aheadOf(&s->low));
  }
  return aimAt(s, LINE_HIGH, aheadOf(&s->high));
}


// Newton steps to one side until the slope changes its sign
CF_TEAM_FN bool useWalk(const cfTeam* t, teamSearch* s, const teamPoint* at, int neval) {
  s->high = s->low;
  s->low = *at;
  if (teamAbs(at->slope) < s->tolerance) {
    return endSearch(s, at->alpha);
  }
  s->side = s->side == 0 ? (at->slope < 0 ? 1 : -1) : s->side;
  if (neval >= t->m->ls_iterations) {
    return endSearch(s, at->alpha);
  }
  return aimAt(s, at->slope * s->side <= -s->tolerance ? LINE_WALK : LINE_AHEAD, aheadOf(at));
}


// the root of the slope: a point is evaluated at one place of the program, and what it is for
// decides what comes next
CF_TEAM_FN cfReal searchLine(const cfTeam* t, const teamProblem* p, teamLine* line,
                             cfReal tolerance) {
  teamSearch s = {.tolerance = tolerance, .next = LINE_START};
  bool is_done = false;
  while (!is_done) {
    const teamPoint at = pointAt(t, p, line, s.alpha);
    switch (s.next) {
      case LINE_START:
        s.low = at;
        s.start_cost = at.cost;
        is_done = aimAt(&s, LINE_WALK, aheadOf(&at));
        break;
      case LINE_WALK:
        is_done = useWalk(t, &s, &at, line->neval);
        break;
      case LINE_AHEAD:
        s.ahead_low = at;
        s.ahead_high = s.low;
        is_done = halveBracket(t, &s, line->neval);
        break;
      case LINE_MIDDLE:
        is_done = useMiddle(&s, &at);
        break;
      case LINE_LOW:
        s.ahead_low = at;
        is_done = s.moved_high ? aimAt(&s, LINE_HIGH, aheadOf(&s.high))
                               : halveBracket(t, &s, line->neval);
        break;
      default:
        s.ahead_high = at;
        is_done = halveBracket(t, &s, line->neval);
    }
  }
  return s.alpha;
}


// Jv, Mv and the smooth part of the line, then the step along it; 0: none
CF_TEAM_FN cfReal findStep(const cfTeam* t, const teamProblem* p, cfReal square) {
  const cfReal norm = teamSqrt(square), *search = CF_WORLD(t, search), *Mv = CF_WORLD(t, Mv);
  if (norm < CF_TEAM_MIN) {
    return 0;
  }
  mulInertia(t, CF_WORLD(t, Mv), search);
  for (int r = t->lane; r < p->nefc; r += CF_TEAM_WIDTH) {
    CF_WORLD(t, efc_Jv)[r] = mulRow(t, r, search);
  }
  teamSync(t);
  cfReal b = 0, a = 0;
  for (int i = t->lane; i < t->m->nv; i += CF_TEAM_WIDTH) {
    b += search[i] * (CF_WORLD(t, Ma)[i] - CF_WORLD(t, qfrc_smooth)[i]);
    a += search[i] * Mv[i];
  }
  teamLine line = {.c = p->gauss, .b = teamSum(t, b), .a = teamSum(t, a) / 2};
  const cfReal tolerance = t->m->tolerance * t->m->ls_tolerance * norm / p->scale;
  return searchLine(t, p, &line, tolerance);
}

// ---------------------------------------- the solver

// cost, forces and gradient at the present point; returns |gradient|^2
CF_TEAM_FN cfReal evaluatePoint(const cfTeam* t, teamProblem* p) {
  const cfReal cost = teamSum(t, rowsCost(t, p, CF_WORLD(t, efc_jar), CF_WORLD(t, efc_force)));
  teamSync(t);
  const cfReal square = setGradient(t, p);
  p->cost = cost + p->gauss;
  return square;
}


CF_TEAM_FN void movePoint(const cfTeam* t, const teamProblem* p, cfReal step) {
  for (int i = t->lane; i < t->m->nv; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, qacc)[i] += step * CF_WORLD(t, search)[i];
    CF_WORLD(t, Ma)[i] += step * CF_WORLD(t, Mv)[i];
  }
  for (int r = t->lane; r < p->nefc; r += CF_TEAM_WIDTH) {
    CF_WORLD(t, efc_jar)[r] += step * CF_WORLD(t, efc_Jv)[r];
  }
  teamSync(t);
}


// one island; returns the number of iterations
CF_TEAM_FN int solveProblem(const cfTeam* t, teamProblem* p) {
  const cfTeamModel* m = t->m;
  for (int i = t->lane; !p->is_alone && i < m->nv; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, search)[i] = 0;
  }
  for (int iteration = 0;; iteration++) {
    const cfReal before = p->cost, gradient = p->scale * teamSqrt(evaluatePoint(t, p));
    const bool is_done =
        iteration > 0 && (p->scale * (before - p->cost) < m->tolerance || gradient < m->tolerance);
    teamSync(t);
    if (is_done || iteration >= m->iterations) {
      return iteration;
    }
    const cfReal step = findStep(t, p, findDirection(t, p));
    if (step == 0) {
      return iteration;
    }
    movePoint(t, p, step);
  }
}


// residuals and costs at the smooth and at the warm acceleration; the better one is taken
CF_TEAM_FN void chooseStart(const cfTeam* t, const teamProblem* all) {
  const cfReal *warm = CF_WORLD(t, qacc_warmstart), *smooth = CF_WORLD(t, qacc_smooth);
  cfReal *jar = CF_WORLD(t, efc_jar), *other = CF_WORLD(t, efc_Jv), *Ma = CF_WORLD(t, Ma);
  mulInertia(t, Ma, warm);
  cfReal less = 0;
  for (int start = 0; start < 2; start++) {
    cfReal *x = start ? jar : other, cost = 0;
    for (int r = t->lane; r < all->nefc; r += CF_TEAM_WIDTH) {
      x[r] = mulRow(t, r, start ? warm : smooth) - CF_WORLD(t, efc_aref)[r];
    }
    teamSync(t);
    cost = rowsCost(t, all, x, CF_WORLD(t, efc_force));
    for (int i = t->lane; start && i < t->m->nv; i += CF_TEAM_WIDTH) {
      cost += (Ma[i] - CF_WORLD(t, qfrc_smooth)[i]) * (warm[i] - smooth[i]) / 2;
    }
    less = teamSum(t, cost) - less;
  }
  const bool is_smooth = less > 0;
  teamSync(t);
  for (int r = t->lane; is_smooth && r < all->nefc; r += CF_TEAM_WIDTH) {
    jar[r] = other[r];
  }
  for (int i = t->lane; i < t->m->nv; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, qacc)[i] = is_smooth ? smooth[i] : warm[i];
    Ma[i] = is_smooth ? CF_WORLD(t, qfrc_smooth)[i] : Ma[i];
    CF_WORLD(t, qfrc_constraint)[i] = 0;
  }
  teamSync(t);
}


// sum of the inertia of the dofs of an island, or of all where islands are off
CF_TEAM_FN cfReal problemScale(const cfTeam* t, const teamProblem* p) {
  const cfTeamModel* m = t->m;
  if (!m->by_island) {
    return 1 / (m->meaninertia * (m->nv > 1 ? m->nv : 1));
  }
  cfReal total = 0;
  for (int k = t->lane; k < p->n; k += CF_TEAM_WIDTH) {
    const int i = dofAtPlace(t, p, k);
    total += CF_WORLD(t, M)[m->M_rowadr[i] + m->M_rownnz[i] - 1];
  }
  return 1 / teamSum(t, total);
}


// ---------------------------------------- islands

// the first tree of the set that a tree belongs to
CF_TEAM_FN int firstTree(const int* above, int tree) {
  while (above[tree] != tree) {
    tree = above[tree];
  }
  return tree;
}


// join the trees of all blocks and number their sets; -1: a tree without rows.  By one thread
CF_TEAM_FN int labelTrees(const cfTeam* t, int nblk) {
  const cfTeamModel* m = t->m;
  int *above = CF_WORLD(t, tree_above), *island = CF_WORLD(t, tree_island), count = 0;
  for (int tree = 0; tree < m->ntree; tree++) {
    above[tree] = tree;
    island[tree] = -1;
  }
  for (int b = 0; b < nblk; b++) {
    const teamBlock block = readBlock(t, b);
    const int* dof = m->chain_dof + block.chain;
    // a contact moves two trees at most, those of its first and last dof
    for (int j = block.kind == CF_BLOCK_LIMIT ? 0 : block.num - 1; j < block.num; j++) {
      const int one = firstTree(above, m->dof_treeid[dof[0]]);
      const int two = firstTree(above, m->dof_treeid[dof[j]]);
      above[one > two ? one : two] = one < two ? one : two;
      island[one < two ? one : two] = 0;
    }
  }
  for (int tree = 0; tree < m->ntree; tree++) {
    const int first = firstTree(above, tree);
    if (island[tree] == 0 && first != tree) {
      island[first] = 0;
    }
  }
  for (int tree = 0; tree < m->ntree; tree++) {
    const int first = firstTree(above, tree);
    island[tree] = first < tree ? island[first] : island[tree] == 0 ? count++ : -1;
  }
  return count;
}


// places of the dofs of an island; returns how many.  By one thread
CF_TEAM_FN int placeDofs(const cfTeam* t, int wanted) {
  const cfTeamModel* m = t->m;
  const int* island = CF_WORLD(t, tree_island);
  int n = 0;
  for (int i = 0; i < m->nv; i++) {
    const bool is_mine = island[m->dof_treeid[i]] == wanted;
    CF_WORLD(t, dof_place)[i] = is_mine ? n : -1;
    if (is_mine) {
      CF_WORLD(t, place_dof)[n++] = i;
    }
  }
  return n;
}


// islands of the rows, and what belongs to them; returns how many
CF_TEAM_FN int findIslands(const cfTeam* t, const teamProblem* all) {
  const cfTeamModel* m = t->m;
  const int* island = CF_WORLD(t, tree_island);
  const int count = teamFromInt(t, t->lane ? 0 : labelTrees(t, all->nblk), 0);
  teamSync(t);
  for (int b = t->lane; b < all->nblk; b += CF_TEAM_WIDTH) {
    const int dof = m->chain_dof[CF_WORLD(t, blk_chain)[b]];
    CF_WORLD(t, blk_row)[b] |= island[m->dof_treeid[dof]] << 16;
  }
  for (int i = t->lane; i < m->nv; i += CF_TEAM_WIDTH) {
    if (island[m->dof_treeid[i]] < 0) {
      CF_WORLD(t, qacc)[i] = CF_WORLD(t, qacc_smooth)[i];
    }
  }
  return count;
}


// all islands, one after the other; returns the largest number of iterations
CF_TEAM_FN int solveIslands(const cfTeam* t, teamProblem* all) {
  const cfTeamModel* m = t->m;
  const int count = m->has_islands ? findIslands(t, all) : 1;
  int most = 0;
  for (int k = 0; k < count; k++) {
    teamSync(t);
    teamProblem one = *all;
    one.island = k;
    if (m->has_islands) {
      one.n = teamFromInt(t, t->lane ? 0 : placeDofs(t, k), 0);
      one.is_alone = count == 1 && one.n == m->nv;
      teamSync(t);
    }
    one.scale = problemScale(t, &one);
    const int iterations = solveProblem(t, &one);
    most = iterations > most ? iterations : most;
  }
  return most;
}


// stage SOLVE.  reads: M, qfrc_smooth, qacc_smooth, qacc_warmstart, rows.  writes: qacc,
// qfrc_constraint, efc_force, niter
CF_TEAM_FN void cfi_teamSolve(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  teamProblem all = {
      .n = m->nv, .nefc = CF_WORLD(t, nefc)[0], .nblk = CF_WORLD(t, nblk)[0], .is_alone = true};
  int iterations = 0;
  if (all.nefc == 0) {
    for (int i = t->lane; i < m->nv; i += CF_TEAM_WIDTH) {
      CF_WORLD(t, qacc)[i] = CF_WORLD(t, qacc_smooth)[i];
      CF_WORLD(t, qfrc_constraint)[i] = 0;
    }
  } else {
    chooseStart(t, &all);
    iterations = solveIslands(t, &all);
  }
  if (t->lane == 0) {
    CF_WORLD(t, niter)[0] = iterations;
  }
  teamSync(t);
}
