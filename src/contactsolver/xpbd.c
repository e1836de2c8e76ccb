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
};


static size_t numberCount(const cfContactProblem* p) {
  const size_t nv = (size_t)p->m->nv, nC = (size_t)p->m->nC;
  return 10 * nv + 2 * nC + 2 * (size_t)p->d->nefc;
}


// what follows starts where numbers may be
static size_t wholeNumbers(size_t bytes) {
  return (bytes + sizeof(mjtNum) - 1) / sizeof(mjtNum) * sizeof(mjtNum);
}


// all blocks have at least one axis and one row, and at most as many axes as rows
static size_t xpbdFixedBytes(const cfContactProblem* p) {
  const size_t nefc = (size_t)p->d->nefc, ncon = (size_t)p->d->ncon;
  return sizeof(xpbdWork) + sizeof(mjtNum) * numberCount(p) + sizeof(xpbdWitness) * ncon +
         nefc * (sizeof(xpbdLaw) + sizeof(xpbdAxis) + 6 * sizeof(mjtNum)) +
         wholeNumbers(cfi_xpbdSavedBytes(p));
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
  work->damping = work->stiff + nv;
  work->LD = work->damping + nC;
  work->search = work->LD + nC;
  work->law = (xpbdLaw*)(work->search + 2 * nv + 2 * nefc);
  work->axis = (xpbdAxis*)(work->law + nefc);
  work->witness = (xpbdWitness*)((mjtNum*)(work->axis + nefc) + 6 * nefc);
  work->saved = (char*)(work->witness + p->d->ncon);
  char* plan = work->saved + wholeNumbers(cfi_xpbdSavedBytes(p));
  work->blocks = cfi_fillBlocks(p, true, plan + cfi_xpbdMotionBytes(p));
  CF_ASSERT(work->blocks.count <= (int)nefc && work->blocks.naxis <= (int)nefc);
  cfi_xpbdBeginMotion(work, plan);
  if (work->has_damping) {
    cfi_renewBlocks(p, &work->blocks, work->LD, work->diaginv, work->scratch);
  }
  cfi_xpbdLaws(work);
  cfi_xpbdMatrices(work);
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


static void rememberPass(passSearch* search, const xpbdWork* work, const mjtNum* u) {
  for (int k = 0; k < work->blocks.naxis; k++) {
    search->lambda[k] = work->axis[k].lambda;
  }
  mju_copy(search->u, u, (int)work->p->m->nv);
}


// Passes as the gradient of a conjugate gradient method (Silcowitz-Hansen et al. 2010): go on in
// the direction of the last change where this one is smaller.  with_step: the next pass makes
// lambda feasible again
static void searchOn(passSearch* search, xpbdWork* work, mjtNum* u, bool with_step) {
  const int nv = (int)work->p->m->nv;
  mjtNum norm = 0;
  for (int k = 0; k < work->blocks.naxis; k++) {
    const mjtNum change = work->axis[k].lambda - search->lambda[k];
    norm += change * change * work->axis[k].weight;
  }
  const bool is_new = !(norm < search->norm);
  const mjtNum beta = is_new ? 0 : norm / search->norm;
  for (int k = 0; k < work->blocks.naxis; k++) {
    const mjtNum change = work->axis[k].lambda - search->lambda[k],
                 along = beta * search->along_lambda[k];
    work->axis[k].lambda += with_step ? along : 0;
    search->along_lambda[k] = along + change;
  }
  for (int i = 0; i < nv; i++) {
    const mjtNum change = u[i] - search->u[i], along = beta * search->along_u[i];
    u[i] += with_step ? along : 0;
    search->along_u[i] = along + change;
  }
  search->norm = norm;
}


// visit all blocks, forward and backward in turn, until nothing changes any more; returns how often
static int solvePass(xpbdWork* work, mjtNum* u, int most, mjtNum tolerance) {
  const int nv = (int)work->p->m->nv, naxis = work->blocks.naxis;
  mjtNum* number = work->search;
  passSearch search = {number, number + naxis, number + naxis + nv, number + 2 * naxis + nv, 0};
  mju_zero(search.along_lambda, naxis + nv);
  int n = 0;
  for (mjtNum change = INFINITY; n < most && change > tolerance; n++) {
    if (n % 2 == 0) {
      rememberPass(&search, work, u);
    }
    change = cfi_xpbdSweep(work, u, n % 2 == 0);
    if (n % 2 == 1) {
      searchOn(&search, work, u, n + 2 < most && change > tolerance);
    }
  }
  return n;
}


// displacement that counts as none: a hundred-thousandth of what gravity does in a substep
static mjtNum smallMove(const xpbdWork* work) {
  static const mjtNum part = 1e-5;
  return part * work->h * work->h * cfi_max(1, mju_norm3(work->p->m->opt.gravity));
}


static int solveSubstep(xpbdWork* work, int n) {
  enum { BOUNCE_PASSES = 10 };  // bounces that stop halfway change the energy
  const int nv = (int)work->p->m->nv, most = (int)work->p->parameter[XPBD_ITERATIONS];
  const bool is_last = n == work->nsubstep - 1;
  const mjtNum small = smallMove(work);
  mju_copy(work->before, work->v, nv);
  cfi_xpbdPredict(work);
  cfi_xpbdBeginPositions(work, n == 0);
  int count = solvePass(work, work->dx, most, small);
  if (cfi_xpbdStiffen(work)) {
    cfi_xpbdBeginPositions(work, /*is_first=*/true);
    count += solvePass(work, work->dx, most, small);
  }
  mju_scl(work->v, work->dx, 1 / work->h, nv);
  const int nbounce = cfi_xpbdBeginVelocities(work);
  cfi_xpbdMove(work, nbounce >= 0 || !is_last);
  if (nbounce >= 0) {
    cfi_xpbdDropPushes(work);
    count += solvePass(work, work->v, nbounce ? BOUNCE_PASSES * most : most, small / work->h);
  }
  cfi_xpbdEndSubstep(work);
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
