// Extended position-based dynamics in generalized coordinates, in small steps (Macklin, Müller,
// Chentanez 2016; Macklin et al. 2019; Müller et al. 2020).
//
// A step of length H is cut into substeps of length h.  In each of them
//
//   1. velocities take up the smooth forces and predict a displacement of the dofs, dx
//   2. positions: constraint after constraint moves dx by M^-1 J' lambda until its law holds
//   3. q is moved by dx, the velocity is dx/h; everything that depends on q is made anew
//   4. velocities: what moves a rigid constraint back to where it should be must not stay in the
//      velocity, and contacts with restitution leave with another one.  That of a rigid equality
//      becomes zero, that of a normal -e times what it was, or what it would have been without a
//      push; impulses of normals are not negative in all, friction stays within its cone
//
// The first pass is SHAKE, the second RATTLE.  Passes go forward and backward in turn, and lambda
// of equalities starts at zero: what few passes leave over is then what implicit Euler makes of a
// stiffness that is not infinite, which takes energy out and never puts any in.
//
// Results: impulses over the step become efc_force.  Where the step ends follows from all substeps
// and not from these means alone: gain and drift say it.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "contactsolver/contactsolver.h"
#include "contactsolver/xpbd.h"
#include "math/inline.h"

static const cfContactParameter xpbd_parameter[NXPBD] = {
    {"substeps", 4, 1, 1000, CF_CONTACT_MODEL, "-", "parts that a step is cut into"},
    {"iterations", 10, 1, 10000, CF_CONTACT_MODEL, "-", "passes over all constraints per substep"},
    {"compliance", -1, -1, 1e10, CF_CONTACT_MAX, "m/N",
     "inverse stiffness, 0 rigid; negative: from solref and solimp"},
    {"damping", 0, 0, 1e10, CF_CONTACT_MAX, "s",
     "damping divided by stiffness, where compliance is given and positive"},
    {"restitution", 0, 0, 1, CF_CONTACT_MAX, "-", "part of the normal velocity that comes back"},
    {"depth", 1e-4, 0, 1, CF_CONTACT_MAX, "m",
     "penetration that rigid contacts keep, so that they stay in touch"},
    {"speed", -1, -1, 1e10, CF_CONTACT_MIN, "m/s",
     "most at which an overlap is pushed apart; negative: 3, or 30 mean sizes if that is less"},
    {"tolerance", 1e-2, 0, 1, CF_CONTACT_MODEL, "-",
     "passes end that could change less than this part of what gravity does in a substep"},
};


static size_t numberCount(const cfContactProblem* p) {
  const size_t nv = (size_t)p->m->nv, nC = (size_t)p->m->nC;
  return 18 * nv + 4 + 3 * nC + 2 * (size_t)p->d->nefc;
}


// groups have at least one block each
static size_t groupBytes(const cfContactProblem* p) {
  const size_t nv = (size_t)p->m->nv;
  return sizeof(xpbdGroup) * (size_t)p->d->nefc + nv * (sizeof(int) + 3 * sizeof(mjtByte));
}


// what follows starts where numbers may be
static size_t wholeNumbers(size_t bytes) {
  return (bytes + sizeof(mjtNum) - 1) / sizeof(mjtNum) * sizeof(mjtNum);
}


// all blocks have at least one axis and one row, and at most as many axes as rows
static size_t xpbdFixedBytes(const cfContactProblem* p) {
  const size_t nefc = (size_t)p->d->nefc, ncon = (size_t)p->d->ncon;
  return sizeof(xpbdWork) + sizeof(mjtNum) * numberCount(p) + sizeof(xpbdWitness) * ncon +
         sizeof(xpbdMotor) * (size_t)p->m->nu +
         nefc * (sizeof(xpbdLaw) + sizeof(xpbdAxis) + 6 * sizeof(mjtNum)) +
         wholeNumbers(cfi_xpbdSavedBytes(p)) + cfi_xpbdChainBytes(p) + wholeNumbers(groupBytes(p));
}


static size_t xpbdWorkspace(const cfContactProblem* p) {
  return xpbdFixedBytes(p) + cfi_xpbdMotionBytes(p) + cfi_blocksBytes(p, true);
}


static void prepareXpbd(const cfContactProblem* p, void* workspace) {
  const size_t nefc = (size_t)p->d->nefc, nv = (size_t)p->m->nv, nC = (size_t)p->m->nC;
  xpbdWork* work = workspace;
  *work = (xpbdWork){.p = p, .nsubstep = (int)p->parameter[XPBD_SUBSTEPS]};
  work->h = p->m->opt.timestep / work->nsubstep;
  work->dx = (mjtNum*)(work + 1);
  work->v = work->dx + nv;
  work->start = work->v + nv;
  work->before = work->start + nv;
  work->held = work->before + nv;
  work->scratch = work->held + nv;
  work->diaginv = work->scratch + nv;
  work->stiff = work->diaginv + nv;
  work->spring = work->stiff + nv;
  work->moved = work->spring + nv;
  work->free_held = work->moved + nv;
  work->spring_force = work->free_held + nv;
  work->damping = work->spring_force + nv;
  work->free_damping = work->damping + nC;
  work->LD = work->free_damping + nC;
  work->search = work->LD + nC;
  work->pending = work->search + 2 * nv + 2 * nefc;
  work->acc = work->pending + nv;
  work->free_v = work->acc + nv;
  work->wide = work->free_v + nv;
  work->law = (xpbdLaw*)(work->wide + nv + 4);
  work->axis = (xpbdAxis*)(work->law + nefc);
  work->witness = (xpbdWitness*)((mjtNum*)(work->axis + nefc) + 6 * nefc);
  work->motor = (xpbdMotor*)(work->witness + p->d->ncon);
  work->saved = (char*)(work->motor + p->m->nu);
  char* chains = work->saved + wholeNumbers(cfi_xpbdSavedBytes(p));
  work->group = (xpbdGroup*)(chains + cfi_xpbdChainBytes(p));
  work->moving = (int*)(work->group + nefc);
  work->is_moving = (mjtByte*)(work->moving + nv);
  work->was_moved = work->is_moving + nv;
  work->is_steady = work->was_moved + nv;
  char* plan = (char*)work->group + wholeNumbers(groupBytes(p));
  work->blocks = cfi_fillBlocks(p, true, plan + cfi_xpbdMotionBytes(p));
  CF_ASSERT(work->blocks.count <= (int)nefc && work->blocks.naxis <= (int)nefc);
  const cfEffective trees = {.m = p->m, .d = p->d};
  work->parts = cfi_components(&trees, &work->blocks);
  cfi_xpbdBeginMotion(work, plan);
  cfi_xpbdListGroups(work);
  cfi_xpbdListChains(work, chains);
  cfi_xpbdRenewBlocks(work, /*is_all=*/true);
  cfi_xpbdLaws(work);
  cfi_xpbdMatrices(work, /*is_all=*/true);
}


static void handOut(const xpbdWork* work) {
  const cfContactProblem* p = work->p;
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    mjtNum force[6];
    for (int j = 0; j < block->dim; j++) {
      force[j] = work->law[k].axis[j].impulse / p->m->opt.timestep;
    }
    cfi_rowsOfAxes(p->force + block->row, p->d, block, force);
  }
  mju_sub(p->gain, work->v, work->start, (int)p->m->nv);
}


// what accelerated passes remember: lambda and u before the present one, the direction of the
// search
typedef struct {
  mjtNum *lambda, *u, *along_lambda, *along_u;
  mjtNum norm;
} passSearch;


// axes of block number n of a group
static inline xpbdAxis* groupAxes(const xpbdWork* work, int n, int* dim) {
  const int k = work->parts.blocks.list[n];
  *dim = work->blocks.block[k].dim;
  return work->law[k].axis;
}


static void rememberPass(passSearch* search, const xpbdWork* work, int group, const mjtNum* u) {
  const cfPartition *blocks = &work->parts.blocks, *dofs = &work->parts.dofs;
  for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
    int dim;
    const xpbdAxis* axis = groupAxes(work, n, &dim);
    for (int k = 0; k < dim; k++) {
      search->lambda[axis + k - work->axis] = axis[k].lambda;
    }
  }
  for (int n = dofs->adr[group]; n < dofs->adr[group + 1]; n++) {
    search->u[dofs->list[n]] = u[dofs->list[n]];
  }
}


// weighted square of the change of lambda in a pass
static mjtNum changeOfPass(const passSearch* search, const xpbdWork* work, int group) {
  const cfPartition* blocks = &work->parts.blocks;
  mjtNum norm = 0;
  for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
    int dim;
    const xpbdAxis* axis = groupAxes(work, n, &dim);
    for (int k = 0; k < dim; k++) {
      const mjtNum change = axis[k].lambda - search->lambda[axis + k - work->axis];
      norm += change * change * axis[k].weight;
    }
  }
  return norm;
}


// Passes as the gradient of a conjugate gradient method (Silcowitz-Hansen et al. 2010): go on in
// the direction of the last change where this one is smaller.  with_step: the next pass makes
// lambda feasible again
static void searchOn(passSearch* search, xpbdWork* work, int group, mjtNum* u, bool with_step) {
  const cfPartition *blocks = &work->parts.blocks, *dofs = &work->parts.dofs;
  const mjtNum norm = changeOfPass(search, work, group);
  const mjtNum beta = norm < search->norm ? norm / search->norm : 0;
  for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
    int dim;
    xpbdAxis* axis = groupAxes(work, n, &dim);
    for (int k = 0; k < dim; k++) {
      const ptrdiff_t at = axis + k - work->axis;
      const mjtNum change = axis[k].lambda - search->lambda[at];
      const mjtNum along = beta * search->along_lambda[at];
      axis[k].lambda += with_step ? along : 0;
      search->along_lambda[at] = along + change;
    }
  }
  for (int n = dofs->adr[group]; n < dofs->adr[group + 1]; n++) {
    const int i = dofs->list[n];
    const mjtNum change = u[i] - search->u[i], along = beta * search->along_u[i];
    u[i] += with_step ? along : 0;
    search->along_u[i] = along + change;
  }
  search->norm = norm;
}


// How often the blocks of a group may be visited, and when that may end: bounces that stop halfway
// change the energy, so they may go on for longer, and contacts with restitution are more exact.
typedef struct {
  int most;
  mjtNum tolerance;
} passLimit;

static passLimit limitOfGroup(const xpbdWork* work, int group, mjtNum tolerance) {
  enum { BOUNCE_PASSES = 10 };
  static const mjtNum bounce_tolerance = 0.01;
  const cfPartition* blocks = &work->parts.blocks;
  passLimit limit = {(int)work->p->parameter[XPBD_ITERATIONS], tolerance};
  bool bounces = false, may_bounce = false;
  for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
    bounces |= work->law[blocks->list[n]].bounces;
    may_bounce |= work->law[blocks->list[n]].restitution > 0;
  }
  limit.most *= bounces ? BOUNCE_PASSES : 1;
  limit.tolerance *= may_bounce ? bounce_tolerance : 1;
  return limit;
}


// Visit the blocks of a group, forward and backward in turn, until the visits left could not change
// more than the tolerance if each did what the last one has; returns how often.
static int solveGroup(xpbdWork* work, passSearch* search, int group, mjtNum* u, mjtNum tolerance) {
  const passLimit limit = limitOfGroup(work, group, tolerance);
  const int most = limit.most;
  int n = 0;
  bool goes_on = true;
  work->group[group].has_converged = false;
  search->norm = 0;
  for (; goes_on; n++) {
    if (n % 2 == 0) {
      rememberPass(search, work, group, u);
    }
    const mjtNum change = cfi_xpbdSweep(work, group, u, n % 2 == 0);
    work->group[group].has_converged = change * most <= limit.tolerance;
    goes_on = n + 1 < most && change * (most - n - 1) > limit.tolerance;
    if (n % 2 == 1 && goes_on) {
      searchOn(search, work, group, u, n + 2 < most);
    }
  }
  return n;
}


// Each group for itself, or those that have gained energy, so that what rests costs one pass and
// groups do not depend on each other; returns how often the blocks of the slowest were visited.
static int solvePass(xpbdWork* work, mjtNum* u, mjtNum tolerance, bool is_repeated) {
  const int nv = (int)work->p->m->nv, naxis = work->blocks.naxis;
  mjtNum* number = work->search;
  passSearch search = {number, number + naxis, number + naxis + nv, number + 2 * naxis + nv, 0};
  int slowest = 0;
  mju_zero(search.along_lambda, naxis + nv);
  for (int group = 0; group < work->parts.count; group++) {
    const xpbdGroup* g = work->group + group;
    const bool is_left_out = is_repeated ? !g->has_gained : g->is_steady;
    const int n = is_left_out ? 0 : solveGroup(work, &search, group, u, tolerance);
    slowest = n > slowest ? n : slowest;
  }
  return slowest;
}


// displacement that counts as none
static mjtNum smallMove(const xpbdWork* work) {
  return work->p->parameter[XPBD_TOLERANCE] * work->h * work->h *
         cfi_max(1, mju_norm3(work->p->m->opt.gravity));
}


// v = dx/h; that of steady dofs stays, bit by bit
static void scaleToVelocities(xpbdWork* work) {
  for (int i = 0; i < work->p->m->nv; i++) {
    work->v[i] = work->is_steady[i] ? work->v[i] : work->dx[i] / work->h;
  }
}


static int solveSubstep(xpbdWork* work, int n) {
  const int nv = (int)work->p->m->nv;
  const bool is_last = n == work->nsubstep - 1;
  const mjtNum small = smallMove(work);
  mju_copy(work->before, work->v, nv);
  cfi_xpbdPredict(work);
  cfi_xpbdBeginPositions(work, n == 0);
  int count = solvePass(work, work->dx, small, /*is_repeated=*/false);
  const bool is_stiffer = cfi_xpbdStiffen(work), is_limited = cfi_xpbdLimitMotors(work);
  if (is_stiffer || is_limited) {
    cfi_xpbdRepeat(work);
    cfi_xpbdBeginPositions(work, /*is_first=*/true);
    count += solvePass(work, work->dx, small, /*is_repeated=*/false);
  }
  scaleToVelocities(work);
  cfi_xpbdKeepFree(work);
  const int nbounce = cfi_xpbdBeginVelocities(work);
  cfi_xpbdMove(work, nbounce >= 0 || !is_last);
  if (nbounce >= 0) {
    cfi_xpbdDropPushes(work);
    count += solvePass(work, work->v, small / work->h, /*is_repeated=*/false);
    if (cfi_xpbdDropGains(work)) {
      count += solvePass(work, work->v, small / work->h, /*is_repeated=*/true);
    }
  }
  cfi_xpbdEndSubstep(work);
  if (!is_last) {
    cfi_xpbdFindSteady(work);
  }
  return count;
}


static cftContactResult solveXpbd(const cfContactProblem* p, void* workspace) {
  xpbdWork* work = workspace;
  int count = 0;
  for (int n = 0; n < work->nsubstep; n++) {
    count += solveSubstep(work, n);
  }
  cfi_xpbdEndMotion(work, p->drift);
  handOut(work);
  p->d->solver_niter[0] = count;
  return CF_CONTACT_FORCES;
}


const cfContactSolver cfi_contactXpbd = {.name = "xpbd",
                                         .nparameter = NXPBD,
                                         .parameter = xpbd_parameter,
                                         .is_positional = 1,
                                         .workspace = xpbdWorkspace,
                                         .prepare = prepareXpbd,
                                         .solve = solveXpbd};
