// Extended position-based dynamics (Macklin, Müller, Chentanez 2016) in generalized coordinates.
//
// A step of length H is cut into substeps of length h.  Unknown is the displacement dx of the dofs
// in a substep; it starts as h*(v + h*qacc_smooth), and constraint after constraint, in the order
// of the rows, moves it by M^-1 J' dlambda so that C = C0 + J*(x + dx) is what its law says:
//
//   rigid       C = 0, contacts -g*lambda               dlambda = -(C + g*lambda) / (w + g)
//   compliant   lambda = -s*C - r*J*dx                  dlambda = -(lambda + s*C + r*J*dx)
//                                                                 / (1 + (s + r)*w)
//
// with w = J M^-1 J', s = h^2*k and r = h*b for a spring k = 1/compliance and a damper b; that is
// the paper's formula times s, so that k = 0 needs no infinity.  Limits and normals keep lambda >=
// 0; friction moves J*dx to zero within the cone that the present lambda of the normal allows;
// friction loss is bounded by itself.  Compliance that is not given is that of MuJoCo's rows at
// rest: force = (K*I*r + B*v)/R, so k = K*I/R and b = B/R.
//
// The new velocity is dx/h.  What moves a rigid constraint back to where it should be must not stay
// in the velocity, and contacts with restitution leave with another one.  So these get a second
// pass that changes velocities alone: that of an equality becomes zero, that of a normal -e times
// what it was (if it was faster than what gravity makes in two substeps) or zero, with impulses
// that are not negative, and friction within the cone (Müller et al. 2020, sec. 3.6, with the total
// impulse in the place of the last one).
//
// Results: impulses over the step become efc_force, by which qacc carries velocities from v to
// their last value; positions are moved by the sum of the displacements, of which qvel explains
// h*qvel, and the rest is handed out as drift.  Rows are linear in the step: frames, normals and
// Jacobians are those of its start.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "contactsolver/blocks.h"
#include "contactsolver/contactsolver.h"
#include "math/inline.h"
#include "model/flags.h"

enum {
  XPBD_SUBSTEPS,
  XPBD_ITERATIONS,
  XPBD_COMPLIANCE,
  XPBD_DAMPING,
  XPBD_RESTITUTION,
  XPBD_DEPTH,
  NXPBD
};

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
};

// one axis of a block
typedef struct {
  mjtNum w;        // J M^-1 J'
  mjtNum lambda;   // of this substep, force times h^2
  mjtNum impulse;  // of the step so far
} xpbdAxis;

// law of a block in units of a substep
typedef struct {
  mjtNum C0;    // at the start of the step
  mjtNum C;     // at the start of the substep
  mjtNum s, r;  // spring and damper; unused where rigid
  bool is_rigid;
  mjtNum give, most;  // of rigid contacts: displacement per lambda, and at most
  mjtNum restitution;
  mjtNum bound;       // friction loss times h^2
  mjtNum speed;       // normal velocity before the substep
  bool has_acted;     // has pushed or pulled in this step
  bool has_velocity;  // takes part in the pass over velocities
} xpbdLaw;

typedef struct {
  const cfContactProblem* p;
  mjtNum h;  // substep
  cfContactBlocks blocks;
  xpbdLaw* law;    // by block
  xpbdAxis* axis;  // by axis
  mjtNum *x, *dx, *v, *push;
} xpbdWork;


// ---------------------------------------- laws

// R of the normal of a contact, whose pyramid has it in all its edges, see setPyramid
static mjtNum normalR(const mjData* d, const cfContactBlock* block) {
  const mjtNum R = d->efc_R[block->row];
  if (block->type != mjCNSTR_CONTACT_PYRAMIDAL) {
    return R;
  }
  const mjContact* con = d->contact + block->contact;
  const mjtNum slope = con->friction[0];
  return R / cfi_max(mjMINVAL, 2 * con->mu * con->mu * (1 + slope * slope));
}


// spring and damper of a block: given, or those of the row
static void compliantLaw(xpbdLaw* law, const xpbdWork* work, const cfContactBlock* block,
                         const mjtNum* value) {
  const mjtNum h = work->h;
  mjtNum stiffness, damping;
  if (value[XPBD_COMPLIANCE] >= 0) {
    law->is_rigid = value[XPBD_COMPLIANCE] < mjMINVAL;
    stiffness = law->is_rigid ? 0 : 1 / value[XPBD_COMPLIANCE];
    damping = stiffness * value[XPBD_DAMPING];
  } else {
    const mjtNum* KBIP = work->p->d->efc_KBIP + 4 * (size_t)block->row;
    const mjtNum R = normalR(work->p->d, block);
    stiffness = KBIP[0] * KBIP[2] / R;
    damping = KBIP[1] / R;
  }
  law->s = h * h * stiffness;
  law->r = h * damping;
}


static xpbdLaw lawOf(const xpbdWork* work, const cfContactBlock* block) {
  const cfContactProblem* p = work->p;
  const mjData* d = p->d;
  const mjtNum* value =
      block->contact < 0 ? p->parameter : p->contact + (size_t)block->contact * NXPBD;
  xpbdLaw law = {.C0 = d->efc_pos[block->row] - d->efc_margin[block->row]};
  if (block->type == mjCNSTR_FRICTION_DOF || block->type == mjCNSTR_FRICTION_TENDON) {
    law.bound = d->efc_frictionloss[block->row] * work->h * work->h;
    return law;
  }
  compliantLaw(&law, work, block, value);
  law.restitution = block->contact < 0 ? 0 : value[XPBD_RESTITUTION];
  law.C0 += block->contact >= 0 && law.is_rigid ? value[XPBD_DEPTH] : 0;
  return law;
}


static size_t numberBytes(const cfContactProblem* p) {
  return sizeof(mjtNum) * 4 * (size_t)p->m->nv;
}


// all blocks have at least one axis and one row, and at most as many axes as rows
static size_t xpbdWorkspace(const cfContactProblem* p) {
  const size_t nefc = (size_t)p->d->nefc;
  return sizeof(xpbdWork) + numberBytes(p) + nefc * (sizeof(xpbdLaw) + sizeof(xpbdAxis)) +
         cfi_blocksBytes(p, true);
}


// Rigid contacts give way a little, as far as `depth`, in proportion to their force: so the depth
// at which bodies rest tells the forces that carry them, the first guess of a step is right, and a
// stack stands still instead of creeping by what few iterations leave over.  In units of w: a
// quarter with ten iterations, more where there are fewer
static void giveWay(xpbdLaw* law, const cfContactProblem* p, const cfContactBlock* block,
                    mjtNum w) {
  if (law->is_rigid && block->contact >= 0) {
    law->give = w * cfi_min(1, 2.5 / p->parameter[XPBD_ITERATIONS]);
    law->most = p->contact[(size_t)block->contact * NXPBD + XPBD_DEPTH];
  }
}


static void prepareXpbd(const cfContactProblem* p, void* workspace) {
  const size_t nefc = (size_t)p->d->nefc;
  xpbdWork* work = workspace;
  work->p = p;
  work->h = p->m->opt.timestep / (int)p->parameter[XPBD_SUBSTEPS];
  work->x = (mjtNum*)(work + 1);
  work->dx = work->x + p->m->nv;
  work->v = work->dx + p->m->nv;
  work->push = work->v + p->m->nv;
  work->law = (xpbdLaw*)(work->push + p->m->nv);
  work->axis = (xpbdAxis*)(work->law + nefc);
  work->blocks = cfi_fillBlocks(p, true, work->axis + nefc);
  CF_ASSERT(work->blocks.count <= (int)nefc && work->blocks.naxis <= (int)nefc);

  xpbdAxis* axis = work->axis;
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    work->law[k] = lawOf(work, block);
    for (int j = 0; j < block->dim; j++, axis++) {
      const size_t at = (size_t)j * (size_t)block->ndof;
      *axis = (xpbdAxis){.w = mjMINVAL};
      for (int i = 0; i < block->ndof; i++) {
        axis->w += block->J[at + (size_t)i] * block->B[at + (size_t)i];
      }
    }
    giveWay(work->law + k, p, block, axis[-block->dim].w);
  }
}


// one pass over all blocks, in the order of the rows or against it: going both ways in turn, no
// side of a symmetric scene is always the first
static void sweepBlocks(xpbdWork* work, bool forward,
                        void (*visit)(xpbdWork*, const cfContactBlock*, const xpbdLaw*,
                                      xpbdAxis*)) {
  xpbdAxis* axis = forward ? work->axis : work->axis + work->blocks.naxis;
  for (int n = 0; n < work->blocks.count; n++) {
    const int k = forward ? n : work->blocks.count - 1 - n;
    const cfContactBlock* block = work->blocks.block + k;
    axis -= forward ? 0 : block->dim;
    visit(work, block, work->law + k, axis);
    axis += forward ? block->dim : 0;
  }
}


// ---------------------------------------- positions

// change lambda of an axis and what it does
static inline void moveLambda(xpbdWork* work, const cfContactBlock* block, int k, xpbdAxis* axis,
                              mjtNum lambda) {
  const mjtNum change = lambda - axis->lambda;
  if (change != 0) {
    cfi_blockPush(block, k, change, work->dx);
    axis->lambda = lambda;
  }
}


// lambda of equality, limit or normal after one more projection
static inline mjtNum projectedLambda(const xpbdWork* work, const cfContactBlock* block,
                                     const xpbdLaw* law, const xpbdAxis* axis) {
  const mjtNum Jdx = cfi_blockDot(block, 0, work->dx), C = law->C + Jdx;
  if (law->is_rigid) {
    const mjtNum lambda = axis->lambda - (C + law->give * axis->lambda) / (axis->w + law->give);
    return law->give * lambda > law->most ? axis->lambda - (C + law->most) / axis->w : lambda;
  }
  const mjtNum residual = axis->lambda + law->s * C + law->r * Jdx;
  return axis->lambda - residual / (1 + (law->s + law->r) * axis->w);
}


// factor that brings friction into the cone |(f_k/mu_k)| <= normal
static mjtNum coneFactor(const mjContact* con, const mjtNum* friction, mjtNum normal) {
  mjtNum sum = 0;
  for (int k = 1; k < con->dim; k++) {
    const mjtNum part = friction[k] / con->friction[k - 1];
    sum += part * part;
  }
  return sum > normal * normal ? normal / sqrt(sum) : 1;
}


// tangents, spin and roll: no displacement within the cone
static void projectFriction(xpbdWork* work, const cfContactBlock* block, xpbdAxis* axis) {
  const mjContact* con = work->p->d->contact + block->contact;
  mjtNum lambda[6] = {0};
  CF_ASSERT(block->dim <= 6);
  for (int k = 1; k < block->dim; k++) {
    if (axis[0].lambda > 0) {
      moveLambda(work, block, k, axis + k,
                 axis[k].lambda - cfi_blockDot(block, k, work->dx) / axis[k].w);
    }
    lambda[k] = axis[k].lambda;
  }
  const mjtNum factor = coneFactor(con, lambda, axis[0].lambda);
  for (int k = 1; k < block->dim && factor < 1; k++) {
    moveLambda(work, block, k, axis + k, factor * lambda[k]);
  }
}


static void projectBlock(xpbdWork* work, const cfContactBlock* block, const xpbdLaw* law,
                         xpbdAxis* axis) {
  switch (block->type) {
    case mjCNSTR_EQUALITY:
      moveLambda(work, block, 0, axis, projectedLambda(work, block, law, axis));
      break;
    case mjCNSTR_FRICTION_DOF:
    case mjCNSTR_FRICTION_TENDON: {
      const mjtNum still = axis->lambda - cfi_blockDot(block, 0, work->dx) / axis->w;
      moveLambda(work, block, 0, axis, cfi_clip(still, -law->bound, law->bound));
      break;
    }
    default:
      moveLambda(work, block, 0, axis, cfi_max(0, projectedLambda(work, block, law, axis)));
      if (block->dim > 1) {
        projectFriction(work, block, axis);
      }
  }
}


// ---------------------------------------- start of a substep

// displacement by forces alone, or with the accelerations that the last step had
static void freeDisplacement(xpbdWork* work, const mjtNum* qacc) {
  const mjtNum h = work->h;
  for (int i = 0; i < work->p->m->nv; i++) {
    work->dx[i] = h * (work->v[i] + h * qacc[i]);
  }
}


// lambda to begin with: in the first substep what laws with any compliance say to the accelerations
// of the last step, later that of the substep before.  But an impact does not happen twice, and in
// long chains of rigid equalities, which few iterations do not close, the guess feeds on itself
static void guessLambda(xpbdWork* work, bool is_first) {
  xpbdAxis* axis = work->axis;
  const bool has_guess = is_first && !cfi_disabled(work->p->m, mjDSBL_WARMSTART);
  freeDisplacement(work, work->p->d->qacc_warmstart);
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    const xpbdLaw* law = work->law + k;
    const bool is_new = is_first || law->speed < 0 || (law->is_rigid && block->contact < 0);
    for (int j = 0; j < block->dim; j++) {
      axis[j].lambda *= is_new ? 0 : work->h;
    }
    if (has_guess && law->give > 0) {
      const mjtNum C = law->C + cfi_blockDot(block, 0, work->dx);
      axis->lambda = cfi_clip(-C / law->give, 0, law->most / law->give);
    }
    if (has_guess && !law->is_rigid && law->bound == 0) {
      const mjtNum Jdx = cfi_blockDot(block, 0, work->dx);
      const mjtNum lambda = -law->s * (law->C + Jdx) - law->r * Jdx;
      axis->lambda = block->type == mjCNSTR_EQUALITY ? lambda : cfi_max(0, lambda);
    }
    axis += block->dim;
  }
}


// apply the part of the guess that is best: lambda solves (A + c)*lambda + b = 0 but for bounds,
// with c = 1/(s + r) and b = J*dx + s*C*c, so that cost is least at -b'lambda / lambda'(A +
// c)lambda
static void applyGuess(xpbdWork* work) {
  const int nv = (int)work->p->m->nv;
  mjtNum slope = 0, curvature = 0, *push = work->push;
  mju_zero(push, nv);
  xpbdAxis* axis = work->axis;
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    const xpbdLaw* law = work->law + k;
    const bool is_soft = !law->is_rigid && law->bound == 0;
    const mjtNum c = is_soft ? 1 / cfi_max(mjMINVAL, law->s + law->r) : law->give;
    for (int j = 0; j < block->dim; j++, axis++) {
      const mjtNum C = j > 0 || law->bound > 0 ? 0 : is_soft ? law->s * law->C * c : law->C;
      if (axis->lambda != 0) {
        slope += axis->lambda * (cfi_blockDot(block, j, work->dx) + C);
        curvature += j == 0 ? axis->lambda * axis->lambda * c : 0;
        cfi_blockPush(block, j, axis->lambda, push);
      }
    }
  }
  axis = work->axis;
  for (int k = 0; k < work->blocks.count; k++) {
    for (int j = 0; j < work->blocks.block[k].dim; j++, axis++) {
      curvature +=
          axis->lambda != 0 ? axis->lambda * cfi_blockDot(work->blocks.block + k, j, push) : 0;
    }
  }
  const mjtNum part = curvature > 0 ? cfi_clip(-slope / curvature, 0, 1) : 0;
  for (int k = 0; k < work->blocks.naxis; k++) {
    work->axis[k].lambda *= part;
  }
  for (int i = 0; i < nv; i++) {
    work->dx[i] += part * push[i];
  }
}


// where constraints stand, and the displacement that projections start from
static void beginSubstep(xpbdWork* work, bool is_first) {
  for (int k = 0; k < work->blocks.count; k++) {
    work->law[k].C = work->law[k].C0 + cfi_blockDot(work->blocks.block + k, 0, work->x);
  }
  guessLambda(work, is_first);
  for (int k = 0; k < work->blocks.count; k++) {
    xpbdLaw* law = work->law + k;
    law->speed = law->restitution > 0 ? cfi_blockDot(work->blocks.block + k, 0, work->v) : 0;
  }
  freeDisplacement(work, work->p->d->qacc_smooth);
  applyGuess(work);
}


// ---------------------------------------- velocities

static inline void moveImpulse(xpbdWork* work, const cfContactBlock* block, int k, xpbdAxis* axis,
                               mjtNum impulse) {
  cfi_blockPush(block, k, impulse - axis->lambda, work->v);
  axis->lambda = impulse;
}


// one contact or limit: lambda are impulses now, those of the positions to begin with
static void correctVelocity(xpbdWork* work, const cfContactBlock* block, const xpbdLaw* law,
                            xpbdAxis* axis) {
  if (!law->has_velocity) {
    return;
  }
  const mjtNum target = -law->restitution * law->speed;
  const mjtNum normal = axis->lambda + (target - cfi_blockDot(block, 0, work->v)) / axis->w;
  const bool can_pull = block->type == mjCNSTR_EQUALITY;
  moveImpulse(work, block, 0, axis, can_pull ? normal : cfi_max(0, normal));
  if (block->dim == 1) {
    return;
  }
  mjtNum impulse[6] = {0};
  for (int k = 1; k < block->dim; k++) {
    moveImpulse(work, block, k, axis + k,
                axis[k].lambda - cfi_blockDot(block, k, work->v) / axis[k].w);
    impulse[k] = axis[k].lambda;
  }
  const mjContact* con = work->p->d->contact + block->contact;
  const mjtNum factor = coneFactor(con, impulse, axis->lambda);
  for (int k = 1; k < block->dim && factor < 1; k++) {
    moveImpulse(work, block, k, axis + k, factor * impulse[k]);
  }
}


// which blocks need it: rigid equalities, rigid limits and contacts that push, and those that
// bounce
static bool markVelocities(xpbdWork* work) {
  const mjtNum slow = 2 * mju_norm3(work->p->m->opt.gravity) * work->h;
  const xpbdAxis* axis = work->axis;
  bool any = false;
  for (int k = 0; k < work->blocks.count; axis += work->blocks.block[k++].dim) {
    xpbdLaw* law = work->law + k;
    const bool is_bouncing = law->speed < -slow;
    law->has_acted = law->has_acted || axis->lambda != 0;
    law->speed = is_bouncing ? law->speed : 0;
    const int type = work->blocks.block[k].type;
    law->has_velocity =
        type == mjCNSTR_EQUALITY
            ? law->is_rigid
            : type >= mjCNSTR_LIMIT_JOINT && axis->lambda > 0 && (law->is_rigid || is_bouncing);
    any = any || law->has_velocity;
  }
  return any;
}


static void endSubstep(xpbdWork* work) {
  const int nv = (int)work->p->m->nv;
  for (int i = 0; i < nv; i++) {
    work->x[i] += work->dx[i];
    work->v[i] = work->dx[i] / work->h;
  }
  const bool any = markVelocities(work);
  for (int k = 0; k < work->blocks.naxis; k++) {
    work->axis[k].lambda /= work->h;
  }
  for (int i = 0; any && i < (int)work->p->parameter[XPBD_ITERATIONS]; i++) {
    sweepBlocks(work, i % 2 == 0, correctVelocity);
  }
  for (int k = 0; k < work->blocks.naxis; k++) {
    work->axis[k].impulse += work->axis[k].lambda;
  }
}


// ---------------------------------------- step

// what forces that stay the same all step make of the displacement: with the velocity of the step's
// end, as Euler's method has it, instead of the mean one.  Forces turn with the bodies only from
// step to step; waves in a taut chain would grow if positions did not follow the last velocity.
// Of two measures of the acceleration the smaller one counts, none where they contradict
static void lastVelocity(const xpbdWork* work, mjtNum* move) {
  const cfContactProblem* p = work->p;
  const mjtNum H = p->m->opt.timestep, n = p->parameter[XPBD_SUBSTEPS];
  for (int i = 0; i < p->m->nv; i++) {
    const mjtNum v = p->d->qvel[i], gain = work->v[i] - v;
    const mjtNum mean = 2 * n / (n + 1) * (work->x[i] / H - v);
    const mjtNum least = gain * mean <= 0 ? 0 : fabs(gain) < fabs(mean) ? gain : mean;
    move[i] = 0.5 * (H - work->h) * least;
  }

  // rigid contacts leave velocities that change from step to step: what they touch stays
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    for (int i = 0; i < block->ndof && block->contact >= 0 && work->law[k].is_rigid; i++) {
      move[block->dof[i]] = 0;
    }
  }
}


// take out of a displacement what a block that has acted would see of it
static void keepClosed(xpbdWork* work, const cfContactBlock* block, const xpbdLaw* law,
                       xpbdAxis* axis) {
  for (int k = 0; k < block->dim && law->has_acted && law->bound == 0; k++) {
    cfi_blockPush(block, k, -cfi_blockDot(block, k, work->dx) / axis[k].w, work->dx);
  }
}


// positions go with the last velocity but for what constraints make of them
static void followVelocity(xpbdWork* work) {
  const mjtNum* parameter = work->p->parameter;
  const int nsweep = (int)cfi_max(parameter[XPBD_ITERATIONS], parameter[XPBD_SUBSTEPS]);
  if ((int)parameter[XPBD_SUBSTEPS] == 1) {
    return;
  }
  lastVelocity(work, work->dx);
  for (int n = 0; n < nsweep; n++) {
    sweepBlocks(work, n % 2 == 0, keepClosed);
  }
  for (int i = 0; i < work->p->m->nv; i++) {
    work->x[i] += work->dx[i];
  }
}


static void handOut(const xpbdWork* work) {
  const cfContactProblem* p = work->p;
  const mjtNum H = p->m->opt.timestep;
  const xpbdAxis* axis = work->axis;
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    mjtNum force[6];
    for (int j = 0; j < block->dim; j++, axis++) {
      force[j] = axis->impulse / H;
    }
    cfi_rowsOfAxes(p->force + block->row, p->d, block, force);
  }
  for (int i = 0; i < p->m->nv; i++) {
    p->drift[i] = work->x[i] / H - work->v[i];
  }
}


static cftContactResult solveXpbd(const cfContactProblem* p, void* workspace) {
  xpbdWork* work = workspace;
  const int nsubstep = (int)p->parameter[XPBD_SUBSTEPS];
  const int niteration = (int)p->parameter[XPBD_ITERATIONS];
  memset(work->x, 0, sizeof(mjtNum) * (size_t)p->m->nv);
  memcpy(work->v, p->d->qvel, sizeof(mjtNum) * (size_t)p->m->nv);
  for (int n = 0; n < nsubstep; n++) {
    beginSubstep(work, n == 0);
    for (int i = 0; i < niteration; i++) {
      sweepBlocks(work, i % 2 == 0, projectBlock);
    }
    endSubstep(work);
  }
  followVelocity(work);
  handOut(work);
  p->d->solver_niter[0] = nsubstep * niteration;
  return CF_CONTACT_FORCES;
}


const cfContactSolver cfi_contactXpbd = {.name = "xpbd",
                                         .nparameter = NXPBD,
                                         .parameter = xpbd_parameter,
                                         .is_positional = 1,
                                         .workspace = xpbdWorkspace,
                                         .prepare = prepareXpbd,
                                         .solve = solveXpbd};
