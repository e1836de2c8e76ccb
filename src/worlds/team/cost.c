// The problem of one island and the cost of its rows, for the solver (solve.c).
#include "team/team.h"

#include "law/number_team.h"
#include "law/cones.h"
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

// an elliptic contact at residuals x
CF_TEAM_FN lawCone coneOf(const cfTeam* t, const teamBlock* block, const cfReal* x) {
  const cfReal* friction = CF_OWN(t, pair_friction) + 5 * block->id;
  const cfReal mu = friction[0] * CF_VALUE(t, mu_scale);
  lawCone c = {.mu = mu, .Dm = lawConeWeight(CF_WORLD(t, efc_D)[block->row], mu)};
  lawPlaceCone(&c, x + block->row, friction, block->dim);
  return c;
}


// cost of one row at residual x; a cone is counted by its first row
CF_TEAM_FN cfReal rowCost(const cfTeam* t, const teamBlock* block, int r, int k, const cfReal* x,
                          cfReal* force) {
  const cfReal D = CF_WORLD(t, efc_D)[r];
  if (isCone(block)) {
    bool is_top, is_low;
    if (k) {
      return 0;
    }
    const lawCone c = coneOf(t, block, x);
    return lawUpdateCone(&c, x + r, CF_WORLD(t, efc_D) + r,
                         CF_OWN(t, pair_friction) + 5 * block->id, block->dim, force + r, false,
                         &is_top, &is_low);
  }
  if (block->kind == CF_BLOCK_LOSS) {
    const cfReal loss = CF_OWN(t, loss_force)[block->id];
    bool is_low, is_high;
    return lawLossCost(x[r], D, loss / D, loss, force + r, &is_low, &is_high);
  }
  if (isEquality(block)) {
    force[r] = -D * x[r];
    return D * x[r] * x[r] / 2;
  }
  bool is_met;
  return lawPushCost(x[r], D, force + r, &is_met);
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
