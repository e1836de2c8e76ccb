// The problem of one island and the cost of its rows, for the solver (solve.c).
#include "team/team.h"

#include "law/number_team.h"
#include "law/search.h"

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
  const cfReal* friction = CF_OWN(t, pair_friction) + 5 * block->id;
  teamCone c = {.mu = friction[0] * CF_VALUE(t, mu_scale)};
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
  const cfReal* friction = CF_OWN(t, pair_friction) + 5 * block->id;
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
  if (isCone(block)) {
    return k == 0 ? coneCost(t, block, x, force) : 0;
  }
  cfReal f, cost;
  if (block->kind == CF_BLOCK_LOSS) {
    cost = lossCost(x[r], D, CF_OWN(t, loss_force)[block->id], &f);
  } else {
    // pushes where its residual is negative; NaN goes on into force and cost, where it is seen
    const cfReal violation = x[r] >= 0 && !isEquality(block) ? 0 : x[r];
    f = -D * violation;
    cost = D * violation * violation / 2;
  }
  force[r] = f;
  return cost;
}


// this thread's share of the cost of rows at residuals x, and their forces
CF_TEAM_FN cfReal rowsCost(const cfTeam* t, const teamProblem* p, const cfReal* x, cfReal* force) {
  cfReal cost = 0;
  for (int r = t->thread; r < p->nefc; r += CF_TEAM_WIDTH) {
    const int name = CF_WORLD(t, efc_block)[r];
    const teamBlock block = readBlock(t, name & 0xffff);
    if (hasBlock(p, &block)) {
      cost += rowCost(t, &block, r, name >> 16, x, force);
    }
  }
  return cost;
}


// M*vec where M is there as a lower triangle
CF_TEAM_FN void mulTriangle(const cfTeam* t, cfReal* res, const cfReal* vec) {
  const cfReal* M = CF_WORLD(t, dense_M);
  const int n = t->m->nv;
  for (int i = t->thread; i < n; i += CF_TEAM_WIDTH) {
    cfReal sum = 0;
    for (int j = 0, at = teamTriangle(i, 0); j < n; j++) {
      sum += M[at] * vec[j];
      at += j < i ? 1 : j + 1;
    }
    res[i] = sum;
  }
}


// res = M*vec
CF_TEAM_FN void mulInertia(const cfTeam* t, cfReal* res, const cfReal* vec) {
  const cfTeamModel* m = t->m;
  const cfReal* M = CF_WORLD(t, M);
  if (CF_TEAM_DENSE(t)) {
    mulTriangle(t, res, vec);
    return;
  }
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    cfReal sum = 0;
    for (int k = m->sym_adr[i]; k < m->sym_adr[i + 1]; k++) {
      sum += M[m->sym_M[k]] * vec[m->sym_dof[k]];
    }
    res[i] = sum;
  }
}
