// Columns of positions and velocities: forces at nudged states and the answer of the step to them.
//
// Where other constraint rows than those of the center are there at a nudged state, the answer is
// of no use; the step goes on from the stages that are done, and its result is compared.
#include <cortenforge/derivative.h>
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "finitediff/difference.h"
#include "finitediff/linearization.h"
#include "math/dense.h"

// trees whose n-th dofs are moved together
typedef struct {
  const int* tree;
  int count, n;
} treeList;

// what became of a nudge: forces, or the state after a step
typedef struct {
  cftNudged kind;
  mjtNum h;              // signed
  cfStepForces* forces;  // CF_NUDGED_SAME
  mjtNum* state;         // otherwise, once the step is made: mjSTATE_PHYSICS
} nudgedSide;


static inline int listedDof(const cfLinearization* s, const treeList* list, int k) {
  CF_ASSERT(list->n < s->m->tree_dofnum[list->tree[k]]);
  return s->m->tree_dofadr[list->tree[k]] + list->n;
}


static inline void comeBack(cfLinearization* s) {
  mj_setState(s->m, s->d, s->saved, s->saved_bits);
}


// forces at a nudged state, which d is left in
static cftNudged forcesNudged(cfLinearization* s, cftDifferInput input, const treeList* list,
                              mjtNum h, cfStepForces* forces) {
  const mjModel* m = s->m;
  mj_markStack(s->d);
  mjtNum* direction = mj_stackAllocNum(s->d, (size_t)s->nv);
  mju_zero(direction, s->nv);
  for (int k = 0; k < list->count; k++) {
    direction[listedDof(s, list, k)] = 1;
  }
  if (input == CF_DIFFER_POSITION) {
    mj_integratePos(m, s->d->qpos, direction, h);
  } else {
    mju_addToScl(s->d->qvel, direction, h, s->nv);
  }
  mj_freeStack(s->d);
  return cfi_stepForces(&s->response, input == CF_DIFFER_POSITION ? mjSTAGE_NONE : mjSTAGE_POS,
                        forces);
}


// ---------------------------------------- both sides have the rows of the center

// res += rows of a tree of (plus - minus)/h
static void takeTree(const cfLinearization* s, cfStepForces* res, const cfStepForces* minus,
                     int tree, mjtNum h) {
  const int adr = s->m->tree_dofadr[tree], n = s->m->tree_dofnum[tree];
  const cfStepForces* plus = &s->plus;
  cfi_difference(res->force + adr, minus->force + adr, plus->force + adr, h, n);
  cfi_difference(res->inertial + adr, minus->inertial + adr, plus->inertial + adr, h, n);
  cfi_difference(res->step + adr, minus->step + adr, plus->step + adr, h, n);
}


// what belongs to one of the trees that were moved together
static void takeChange(const cfLinearization* s, cfStepForces* res, const cfStepForces* minus,
                       int tree, mjtNum h) {
  const cfTreeGroups* g = &s->groups;
  if (g->is_coupled) {
    for (int t = 0; t < g->ntree; t++) {
      takeTree(s, res, minus, t, h);
    }
    return;
  }
  mju_zero(res->force, s->nv);
  mju_zero(res->inertial, s->nv);
  mju_zero(res->step, s->nv);
  takeTree(s, res, minus, tree, h);
  for (int k = 0; k < g->count[tree]; k++) {
    takeTree(s, res, minus, g->neighbor[g->adr[tree] + k], h);
  }
}


// dv and dq of a change of the forces by an input
static void fillColumn(cfLinearization* s, cftDifferInput input, int dof) {
  cfi_respond(&s->response, &s->change, s->dv);
  if (input == CF_DIFFER_VELOCITY) {
    s->dv[dof] += 1;
  }
  cfi_integrateColumn(s);
  if (input == CF_DIFFER_POSITION) {
    cfi_addOwnMotion(s, dof);
  }
}


static inline int columnOf(const cfLinearization* s, cftDifferInput input, int dof) {
  return input == CF_DIFFER_POSITION ? dof : s->nv + dof;
}


// columns of trees that were moved together
static void putChanges(cfLinearization* s, cftDifferInput input, const treeList* list) {
  const mjtNum h = s->is_centered ? 2 * s->eps : s->eps;
  const bool is_beside = s->is_centered || input == CF_DIFFER_VELOCITY;
  const cfStepForces* minus = is_beside ? &s->minus : &s->center;
  for (int k = 0; k < list->count; k++) {
    const int dof = listedDof(s, list, k), column = columnOf(s, input, dof);
    takeChange(s, &s->change, minus, list->tree[k], h);
    fillColumn(s, input, dof);
    cfi_putColumn(s, s->A, s->nx, column);
    cfi_markColumn(s, column, CF_COLUMN_STAGE);
  }
}


// ---------------------------------------- a side has other rows

// nudge one tree.  The step is finished where its rows are others, or where it has to be
static void keepSide(cfLinearization* s, const treeList* list, bool has_to_step, nudgedSide* side) {
  side->kind = forcesNudged(s, CF_DIFFER_POSITION, list, side->h, side->forces);
  if (side->kind == CF_NUDGED_SAME && has_to_step) {
    side->kind = CF_NUDGED_ROWS;
  }
  if (side->kind != CF_NUDGED_SAME) {
    cfi_finishStep(&s->response, side->kind);
    mj_getState(s->m, s->d, side->state, mjSTATE_PHYSICS);
  }
  comeBack(s);
}


// both sides by forces or both by steps: the error of a prediction from one side is of first order
static void keepSides(cfLinearization* s, const treeList* list, nudgedSide side[2]) {
  keepSide(s, list, false, side);
  if (s->is_centered) {
    keepSide(s, list, side[0].kind != CF_NUDGED_SAME, side + 1);
    if (side[0].kind == CF_NUDGED_SAME && side[1].kind != CF_NUDGED_SAME) {
      keepSide(s, list, true, side);
    }
  }
}


// a column of steps
static void putSides(cfLinearization* s, int dof, const nudgedSide side[2]) {
  const mjModel* m = s->m;
  const int nv = s->nv;
  const mjtNum *to = side[0].state, *from = s->is_centered ? side[1].state : s->response.after;
  const mjtNum h = (s->is_centered ? 2 : 1) * s->eps;
  mj_markStack(s->d);
  mjtNum* column = mj_stackAllocNum(s->d, (size_t)s->nx);
  mj_differentiatePos(m, column, h, from, to);
  cfi_difference(column + nv, from + m->nq, to + m->nq, h, nv + s->na);
  bool is_bad = false;
  for (int k = 0; k < s->nx; k++) {
    is_bad = is_bad || mju_isBad(column[k]);
    s->A[(size_t)k * (size_t)s->nx + (size_t)dof] = column[k];
  }
  if (!is_bad) {
    cfi_markColumn(s, dof, CF_COLUMN_STEP);
  }
  mj_freeStack(s->d);
}


// ---------------------------------------- all dofs

// where rows change under some of the trees, the others are looked for by halves
static void differTrees(cfLinearization* s, cftDifferInput input, const treeList* list) {
  if (list->count == 1 && input == CF_DIFFER_POSITION) {
    mj_markStack(s->d);
    mjtNum* state = mj_stackAllocNum(s->d, 2 * (size_t)(s->m->nq + s->nv + s->na));
    nudgedSide side[2] = {{.h = s->eps, .forces = &s->plus, .state = state},
                          {.h = -s->eps, .forces = &s->minus}};
    side[1].state = state + s->m->nq + s->nv + s->na;
    keepSides(s, list, side);
    if (side[0].kind == CF_NUDGED_SAME) {
      putChanges(s, input, list);
    } else {
      putSides(s, listedDof(s, list, 0), side);
    }
    mj_freeStack(s->d);
    return;
  }
  cftNudged kind = forcesNudged(s, input, list, s->eps, &s->plus);
  comeBack(s);
  if (kind == CF_NUDGED_SAME && s->is_centered) {
    kind = forcesNudged(s, input, list, -s->eps, &s->minus);
    comeBack(s);
  }
  if (kind == CF_NUDGED_SAME) {
    putChanges(s, input, list);
  } else if (list->count > 1) {
    const int half = list->count / 2;
    const treeList first = {list->tree, half, list->n},
                   second = {list->tree + half, list->count - half, list->n};
    differTrees(s, input, &first);
    differTrees(s, input, &second);
  }
}


// the trees of a group that have an n-th dof whose column is not known; false: none has an n-th dof
static bool listTrees(const cfLinearization* s, cftDifferInput input, int group, treeList* list,
                      int* tree) {
  bool has_dof = false;
  list->count = 0;
  for (int t = 0; t < s->groups.ntree; t++) {
    if (s->groups.group[t] != group || list->n >= s->m->tree_dofnum[t]) {
      continue;
    }
    has_dof = true;
    if (!s->known[columnOf(s, input, s->m->tree_dofadr[t] + list->n)]) {
      tree[list->count++] = t;
    }
  }
  return has_dof;
}


void cfi_differColumns(cfLinearization* s, cftDifferInput input) {
  CF_ASSERT(s->A);
  mj_markStack(s->d);
  int* tree = mj_stackAllocInt(s->d, (size_t)s->groups.ntree + 1);
  if (!s->is_centered && input == CF_DIFFER_VELOCITY) {
    cfi_stepForces(&s->response, mjSTAGE_POS, &s->minus);
  }
  for (int group = 0; group < s->groups.ngroup; group++) {
    treeList list = {.tree = tree};
    for (list.n = 0; listTrees(s, input, group, &list, tree); list.n++) {
      if (list.count) {
        differTrees(s, input, &list);
      }
    }
  }
  mj_freeStack(s->d);
}
