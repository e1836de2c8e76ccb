// Newton's method on the primal cost
//   cost(a) = (a - a_smooth)' M (a - a_smooth) / 2  +  s(J*a - aref),
// by the engine's rules: start from the better of warm start and smooth acceleration, Hessian
// M + J' s'' J factored as L'DL from the last dof up, exact line search, the same tests for the
// end.
//
// Trees that rows couple are an island and are solved on their own.  Directions are zero outside of
// their island, so rows and dofs of others take no part; only sums look at who belongs to it.
#include "team/team.h"

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
  for (int i = t->thread; i < t->m->nv; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, qacc)[i] += step * CF_WORLD(t, search)[i];
    CF_WORLD(t, Ma)[i] += step * CF_WORLD(t, Mv)[i];
  }
  for (int r = t->thread; r < p->nefc; r += CF_TEAM_WIDTH) {
    CF_WORLD(t, efc_jar)[r] += step * CF_WORLD(t, efc_Jv)[r];
  }
  teamSync(t);
}


// one iteration for an island; false: it was at its end before
CF_TEAM_FN bool improveProblem(const cfTeam* t, teamProblem* p, int iteration) {
  const cfTeamModel* m = t->m;
  const cfReal before = p->cost, gradient = p->scale * teamSqrt(evaluatePoint(t, p));
  const bool is_done = iteration > 0 && (p->scale * (before - p->cost) < CF_VALUE(t, tolerance) ||
                                         gradient < CF_VALUE(t, tolerance));
  teamSync(t);
  if (is_done || iteration >= m->iterations) {
    return false;
  }
  const cfReal step = findStep(t, p, findDirection(t, p));
  if (step != 0) {
    movePoint(t, p, step);
  }
  return step != 0;
}


// residuals and costs at the smooth and at the warm acceleration; the better one is taken
CF_TEAM_FN void chooseStart(const cfTeam* t, const teamProblem* all) {
  const cfReal *warm = CF_WORLD(t, qacc_warmstart), *smooth = CF_WORLD(t, qacc_smooth);
  cfReal *jar = CF_WORLD(t, efc_jar), *other = CF_WORLD(t, efc_Jv), *Ma = CF_WORLD(t, Ma);
  mulInertia(t, Ma, warm);
  cfReal less = 0;
  for (int start = 0; start < 2; start++) {
    cfReal *x = start ? jar : other, cost = 0;
    for (int r = t->thread; r < all->nefc; r += CF_TEAM_WIDTH) {
      x[r] = mulRow(t, r, start ? warm : smooth) - CF_WORLD(t, efc_aref)[r];
    }
    teamSync(t);
    cost = rowsCost(t, all, x, CF_WORLD(t, efc_force));
    for (int i = t->thread; start && i < t->m->nv; i += CF_TEAM_WIDTH) {
      cost += (Ma[i] - CF_WORLD(t, qfrc_smooth)[i]) * (warm[i] - smooth[i]) / 2;
    }
    less = teamSum(t, cost) - less;
  }
  const bool is_smooth = less > 0;
  teamSync(t);
  for (int r = t->thread; is_smooth && r < all->nefc; r += CF_TEAM_WIDTH) {
    jar[r] = other[r];
  }
  for (int i = t->thread; i < t->m->nv; i += CF_TEAM_WIDTH) {
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
    return 1 / (CF_VALUE(t, meaninertia) * (m->nv > 1 ? m->nv : 1));
  }
  cfReal total = 0;
  for (int k = t->thread; k < p->n; k += CF_TEAM_WIDTH) {
    const int i = dofAtPlace(t, p, k);
    total += CF_TEAM_DENSE(t) ? CF_WORLD(t, dense_M)[teamTriangle(i, i)]
                              : CF_WORLD(t, M)[m->M_rowadr[i] + m->M_rownnz[i] - 1];
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
  const int count = teamFromInt(t, t->thread ? 0 : labelTrees(t, all->nblk), 0);
  teamSync(t);
  for (int b = t->thread; b < all->nblk; b += CF_TEAM_WIDTH) {
    const int dof = m->chain_dof[CF_WORLD(t, blk_chain)[b]];
    CF_WORLD(t, blk_row)[b] |= island[m->dof_treeid[dof]] << 16;
  }
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    if (island[m->dof_treeid[i]] < 0) {
      CF_WORLD(t, qacc)[i] = CF_WORLD(t, qacc_smooth)[i];
    }
  }
  return count;
}


// ---------------------------------------- the stage

// where the solver is: which island of how many, iterations for it, most of them so far
typedef struct {
  teamProblem problem;
  int island, count, iteration, most;
} CF_TEAM_NAME(teamProgress);
#define teamProgress CF_TEAM_NAME(teamProgress)


// the starting point; false: there are no rows
CF_TEAM_FN bool beginSolve(const cfTeam* t, teamProgress* s) {
  const cfTeamModel* m = t->m;
  const teamProblem all = {
      .n = m->nv, .nefc = CF_WORLD(t, nefc)[0], .nblk = CF_WORLD(t, nblk)[0], .is_alone = true};
  *s = (teamProgress){.problem = all, .count = 1};
  if (all.nefc == 0) {
    for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
      CF_WORLD(t, qacc)[i] = CF_WORLD(t, qacc_smooth)[i];
      CF_WORLD(t, qfrc_constraint)[i] = 0;
    }
    return false;
  }
  chooseStart(t, &all);
  s->count = CF_TEAM_RARE(m->has_islands) ? findIslands(t, &all) : 1;
  return s->count > 0;
}


CF_TEAM_FN void beginIsland(const cfTeam* t, teamProgress* s) {
  const cfTeamModel* m = t->m;
  teamProblem* p = &s->problem;
  teamSync(t);
  p->island = s->island;
  if (CF_TEAM_RARE(m->has_islands)) {
    p->n = teamFromInt(t, t->thread ? 0 : placeDofs(t, s->island), 0);
    p->is_alone = s->count == 1 && p->n == m->nv;
    teamSync(t);
  }
  p->scale = problemScale(t, p);
  p->cost = 0;
  for (int i = t->thread; !p->is_alone && i < m->nv; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, search)[i] = 0;
  }
}


// the next iteration; false: all islands are solved
CF_TEAM_FN bool goOnSolving(const cfTeam* t, teamProgress* s) {
  if (s->iteration == 0) {
    beginIsland(t, s);
  }
  if (improveProblem(t, &s->problem, s->iteration)) {
    s->iteration++;
    return true;
  }
  s->most = s->iteration > s->most ? s->iteration : s->most;
  s->iteration = 0;
  return ++s->island < s->count;
}


// stage SOLVE.  reads: M, qfrc_smooth, qacc_smooth, qacc_warmstart, rows.  writes: qacc,
// qfrc_constraint, efc_force, niter.  The teams of a block begin each iteration together
CF_TEAM_FN void cfi_teamSolve(const cfTeam* t, bool is_active) {
  teamProgress s = {.count = 0};
  bool is_going = is_active && beginSolve(t, &s);
  while (teamAny(t, is_going)) {
    is_going = is_going && goOnSolving(t, &s);
  }
  if (is_active && t->thread == 0) {
    CF_WORLD(t, niter)[0] = s.most;
  }
  teamSync(t);
}
