// Laws of position-based dynamics: what a pass wants of each block.
//
//   rigid       J*dx + C = 0
//   compliant   lambda = -s*(C + J*dx) - r*J*dx,  s = h^2*k, r = h*b for a spring k, a damper b
//
// The second is J*dx + s/(s + r)*C + lambda/(s + r) = 0, so both are J*dx + bias + give*lambda = 0.
// Compliance that is not given is that of MuJoCo's rows at rest: force = (K*I*r + B*v)/R.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "contactsolver/xpbdlocal.h"
#include "math/inline.h"
#include "model/flags.h"

// of the speed of things at rest: less does not count
static const mjtNum small_part = 0.25;

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


// spring and damper of an axis: given, or those of its row
static void compliantAxis(xpbdAxis* axis, const xpbdWork* work, const cfContactBlock* block, int k,
                          const mjtNum* value) {
  const mjtNum h = work->h;
  mjtNum stiffness, damping;
  CF_ASSERT(k >= 0 && k < block->dim);
  if (value[XPBD_COMPLIANCE] >= 0) {
    stiffness = 1 / value[XPBD_COMPLIANCE];
    damping = stiffness * value[XPBD_DAMPING];
  } else {
    const mjData* d = work->p->d;
    const bool is_contact = block->contact >= 0;
    const size_t row = (size_t)(block->row + (is_contact ? 0 : k));
    const mjtNum* KBIP = d->efc_KBIP + 4 * row;
    const mjtNum R = is_contact ? normalR(d, block) : d->efc_R[row];
    stiffness = KBIP[0] * KBIP[2] / R;
    damping = KBIP[1] / R;
  }
  const mjtNum s = h * h * stiffness, r = h * damping;
  axis->soft = 1 / cfi_max(mjMINVAL * mjMINVAL, s + r);
  axis->spring = s * axis->soft;
  axis->damper = r;
}


// negative: 30 mean sizes of the model's bodies in a second, but no more than 3 m/s
static mjtNum pushSpeed(const cfContactProblem* p, const mjtNum* value) {
  static const mjtNum fastest = 3, sizes = 30;
  return value[XPBD_SPEED] >= 0 ? value[XPBD_SPEED] : cfi_min(fastest, sizes * p->m->stat.meansize);
}


// What a joint has gone beyond a rigid limit, a step's way, is given back over the step and not in
// a substep: that would be the faster the shorter they are.
static mjtNum limitPush(const xpbdWork* work, const cfContactBlock* block, mjtNum depth) {
  const mjData* d = work->p->d;
  const mjtNum beyond = d->efc_margin[block->row] - d->efc_pos[block->row] - depth;
  return cfi_max(beyond, depth) / work->nsubstep;
}


static void fillLaw(xpbdWork* work, const cfContactBlock* block, xpbdLaw* law) {
  const cfContactProblem* p = work->p;
  const bool is_contact = block->contact >= 0;
  const mjtNum* value = is_contact ? p->contact + (size_t)block->contact * NXPBD : p->parameter;
  law->push = law->cap = mjMAXVAL;
  if (block->type == mjCNSTR_FRICTION_DOF || block->type == mjCNSTR_FRICTION_TENDON) {
    law->bound = p->d->efc_frictionloss[block->row] * work->h * work->h;
    return;
  }
  law->is_rigid = value[XPBD_COMPLIANCE] >= 0 && value[XPBD_COMPLIANCE] < mjMINVAL;
  for (int k = 0; k < (is_contact ? 1 : block->dim) && !law->is_rigid; k++) {
    compliantAxis(law->axis + k, work, block, k, value);
  }
  law->depth = law->is_rigid && block->type != mjCNSTR_EQUALITY ? value[XPBD_DEPTH] : 0;
  if (is_contact) {
    law->mu = p->d->contact[block->contact].friction;
    law->restitution = value[XPBD_RESTITUTION];
    law->push = pushSpeed(p, value) * work->h;
  } else if (law->is_rigid && block->type >= mjCNSTR_LIMIT_JOINT) {
    law->push = limitPush(work, block, law->depth);
  }
}


// 1 or 2 where a block acts on that many runs of six dofs and on nothing else, else 0
static int countSixes(const cfContactBlock* b) {
  const int n = b->ndof / 6;
  if (b->ndof % 6 || n < 1 || n > 2 || b->dof[5] != b->dof[0] + 5 ||
      b->dof[6 * n - 1] != b->dof[6 * n - 6] + 5) {
    return 0;
  }
  return n;
}


void cfi_xpbdLaws(xpbdWork* work) {
  xpbdAxis* axis = work->axis;
  mjtNum* A = (mjtNum*)(work->axis + work->p->d->nefc);
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    CF_ASSERT(block->dim >= 1 && block->dim <= XPBD_AXES_MAX);
    work->law[k] = (xpbdLaw){.axis = axis, .A = A, .nsix = countSixes(block)};
    memset(axis, 0, sizeof(xpbdAxis) * (size_t)block->dim);
    fillLaw(work, block, work->law + k);
    axis += block->dim;
    A += block->dim * block->dim;
  }
}


// inverse in place of a symmetric matrix; axes that others already determine, or that nothing can
// move, get zeros (Gauss-Jordan)
static void invertRows(mjtNum* A, int n) {
  static const mjtNum dependent = 1e-9;
  mjtNum least[XPBD_AXES_MAX];
  CF_ASSERT(n >= 1 && n <= XPBD_AXES_MAX);
  for (int k = 0; k < n; k++) {
    least[k] = cfi_max(mjMINVAL, dependent * A[k * n + k]);
  }
  for (int k = 0; k < n; k++) {
    const bool is_free = A[k * n + k] > least[k];
    const mjtNum inverse = is_free ? 1 / A[k * n + k] : 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; i != k && j < n; j++) {
        A[i * n + j] -= j == k ? 0 : A[i * n + k] * A[k * n + j] * inverse;
      }
    }
    for (int i = 0; i < n; i++) {
      A[i * n + k] *= i == k ? 0 : -inverse;
      A[k * n + i] *= i == k ? 0 : inverse;
    }
    A[k * n + k] = inverse;
  }
}


// Rigid contacts and limits give way a little, as far as `depth`, in proportion to their force: so
// the depth at which bodies rest tells the forces that carry them, the first guess of a step is
// right, and a stack stands still instead of creeping by what few passes leave over.  In units of
// A: a quarter with ten passes, more where there are fewer
static void giveWay(const xpbdWork* work, xpbdLaw* law) {
  if (law->is_rigid && law->depth > 0) {
    law->axis->soft = law->A[0] * cfi_min(1, 2.5 / work->p->parameter[XPBD_ITERATIONS]);
    law->most = law->depth;
  }
}


// b^2 > 4*k/w, in units of a substep: r^2 > 4*s/w
static bool isOverdamped(const xpbdLaw* law) {
  const mjtNum r = law->axis->damper, s = law->axis->spring / cfi_max(mjMINVAL, law->axis->soft);
  return !law->is_rigid && r * r * law->A[0] > 4 * s;
}


// A = J B', and what a visit divides by
static void fillMatrix(const xpbdWork* work, const cfContactBlock* b, xpbdLaw* law) {
  mjtNum* A = law->A;
  for (int j = 0; j < b->dim; j++) {
    mjtNum column[XPBD_AXES_MAX + 2];
    cfi_xpbdDots(column, b, b->B + (size_t)j * (size_t)b->stride);
    for (int i = j; i < b->dim; i++) {
      A[i * b->dim + j] = A[j * b->dim + i] = column[i];
    }
    law->axis[j].weight = column[j];
  }
  if (b->type <= mjCNSTR_FRICTION_TENDON) {
    for (int i = 0; i < b->dim; i++) {
      A[i * b->dim + i] += law->axis[i].soft;
    }
    invertRows(A, b->dim);
  } else {
    A[0] = cfi_max(mjMINVAL, A[0]);
    law->is_overdamped = isOverdamped(law);
    giveWay(work, law);
    law->inverse = 1 / A[0];
    law->soft_inverse = 1 / (A[0] + law->axis->soft);
    if (b->dim == 3) {
      cfi_xpbdInvertTangents(law->tangent, A + 4, 3);
    }
  }
}


void cfi_xpbdMatrices(xpbdWork* work, bool is_all) {
  const cfPartition* blocks = &work->parts.blocks;
  for (int group = 0; group < work->parts.count; group++) {
    for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
      if (is_all || work->group[group].is_moving) {
        const int k = blocks->list[n];
        fillMatrix(work, work->blocks.block + k, work->law + k);
      }
    }
    if (is_all || work->group[group].is_moving) {
      cfi_xpbdFactorChain(work, group);
    }
  }
}


// ---------------------------------------- passes

// what a constraint is off by, now
static void measureBlock(const xpbdWork* work, const cfContactBlock* block, xpbdLaw* law) {
  const mjData* d = work->p->d;
  if (block->contact >= 0) {
    const mjContact* con = d->contact + block->contact;
    law->axis->C = work->witness[block->contact].dist - con->includemargin + law->depth;
    return;
  }
  for (int k = 0; k < block->dim; k++) {
    law->axis[k].C = d->efc_pos[block->row + k] - d->efc_margin[block->row + k] + law->depth;
  }
}


// velocities below this one are those of things at rest
static mjtNum slowSpeed(const xpbdWork* work) {
  return 2 * mju_norm3(work->p->m->opt.gravity) * work->h;
}


// Where the passes of a substep begin, for one block.  Blocks of groups at rest know how far off
// they are.
static void beginBlock(const xpbdWork* work, const cfContactBlock* block, xpbdLaw* law,
                       bool is_first, bool is_moving) {
  const bool is_one_sided = block->type >= mjCNSTR_LIMIT_JOINT;
  if (is_moving) {
    measureBlock(work, block, law);
  }
  law->is_active = true;
  law->bounces = false;
  law->cap = law->push;
  law->part = 1;
  if (is_one_sided) {
    law->speed = cfi_xpbdNormalDot(work, block, law, work->v);
  }
  const bool has_hit = law->speed < -slowSpeed(work);
  const bool is_new = is_first || has_hit || !is_one_sided;
  for (int j = 0; j < block->dim; j++) {
    xpbdAxis* axis = law->axis + j;
    const mjtNum C = law->is_rigid ? cfi_max(axis->C, -law->push) : axis->spring * axis->C;
    const bool has_law = law->bound == 0 && (block->contact < 0 || j == 0);
    axis->bias = has_law ? C : 0;
    axis->give = axis->soft;
    axis->lambda = is_new ? 0 : axis->lambda * work->h;
  }
}


// lambda to begin with, in the first substep: what laws with any compliance say of where things are
// and go with the accelerations of the last step
static void guessBlock(const xpbdWork* work, const cfContactBlock* block, xpbdLaw* law,
                       const mjtNum* dx) {
  const bool is_one_sided = block->type >= mjCNSTR_LIMIT_JOINT;
  const int n = is_one_sided ? 1 : block->dim;
  const bool is_deep = law->is_rigid && law->axis->C < -law->most;
  mjtNum r[XPBD_AXES_MAX + 2] = {0};
  if (is_one_sided && !law->is_rigid) {
    r[0] = cfi_xpbdNormalDot(work, block, law, dx);
  } else if (!law->is_rigid) {
    cfi_xpbdAllDots(work, r, block, law, dx);
  }
  for (int j = 0; j < n && law->bound == 0 && !is_deep; j++) {
    xpbdAxis* axis = law->axis + j;
    if (axis->give > 0) {
      axis->lambda = -(axis->bias + r[j]) / axis->give;
      axis->lambda = is_one_sided ? cfi_max(0, axis->lambda) : axis->lambda;
    }
  }
}


// what the guess of one block adds to slope and curvature of the cost, and to push
static void addGuess(xpbdWork* work, int k, mjtNum* push, mjtNum* slope, mjtNum* curvature) {
  const cfContactBlock* block = work->blocks.block + k;
  xpbdLaw* law = work->law + k;
  mjtNum r[XPBD_AXES_MAX + 2], lambda[XPBD_AXES_MAX];
  bool is_guessed = false;
  cfi_xpbdAllDots(work, r, block, law, work->dx);
  law->free = block->type >= mjCNSTR_LIMIT_JOINT ? r[0] / work->h : 0;
  for (int j = 0; j < block->dim; j++) {
    const xpbdAxis* axis = law->axis + j;
    lambda[j] = axis->lambda;
    *slope += lambda[j] * (r[j] + axis->bias);
    // never zero where there is a guess, so that the caller sees it
    *curvature += lambda[j] * lambda[j] * (axis->give + mjMINVAL);
    is_guessed |= lambda[j] != 0;
  }
  if (is_guessed) {
    cfi_xpbdPushAll(work, push, block, law, lambda);
  }
}


// Apply the part of a group's guess that is best: lambda solves (A + give)*lambda + b = 0 but for
// bounds, so that its cost is least at -b'lambda / lambda'(A + give)lambda; push: zeros.  Also the
// normal velocities that nothing would change
static void applyGuess(xpbdWork* work, int group, mjtNum* push) {
  const cfPartition *blocks = &work->parts.blocks, *dofs = &work->parts.dofs;
  const int from = blocks->adr[group], end = blocks->adr[group + 1];
  mjtNum slope = 0, curvature = 0;
  for (int n = from; n < end; n++) {
    addGuess(work, blocks->list[n], push, &slope, &curvature);
  }
  for (int n = from; n < end && curvature > 0; n++) {
    const int k = blocks->list[n];
    mjtNum r[XPBD_AXES_MAX + 2];
    cfi_xpbdAllDots(work, r, work->blocks.block + k, work->law + k, push);
    for (int j = 0; j < work->blocks.block[k].dim; j++) {
      curvature += work->law[k].axis[j].lambda * r[j];
    }
  }
  const mjtNum part = curvature > 0 ? cfi_clip(-slope / curvature, 0, 1) : 0;
  for (int n = from; n < end && part < 1; n++) {
    const int k = blocks->list[n];
    for (int j = 0; j < work->blocks.block[k].dim; j++) {
      work->law[k].axis[j].lambda *= part;
    }
  }
  for (int n = dofs->adr[group]; n < dofs->adr[group + 1]; n++) {
    work->dx[dofs->list[n]] += part * push[dofs->list[n]];
  }
}


static void beginGroup(xpbdWork* work, int group, bool is_first) {
  const cfPartition* blocks = &work->parts.blocks;
  const bool is_steady = work->group[group].is_steady;
  for (int n = blocks->adr[group]; n < blocks->adr[group + 1] && !is_steady; n++) {
    const int k = blocks->list[n];
    beginBlock(work, work->blocks.block + k, work->law + k, is_first, work->group[group].is_moving);
  }
}


void cfi_xpbdBeginPositions(xpbdWork* work, bool is_first) {
  const cfContactProblem* p = work->p;
  const int nv = (int)p->m->nv;
  for (int group = 0; group < work->parts.count; group++) {
    beginGroup(work, group, is_first);
  }
  if (is_first && !cfi_disabled(p->m, mjDSBL_WARMSTART)) {
    mjtNum* dx = work->scratch;
    for (int i = 0; i < nv; i++) {
      dx[i] = work->h * (work->v[i] + work->h * p->d->qacc_warmstart[i]);
    }
    for (int k = 0; k < work->blocks.count; k++) {
      guessBlock(work, work->blocks.block + k, work->law + k, dx);
    }
  }
  mju_zero(work->scratch, nv);
  for (int group = 0; group < work->parts.count; group++) {
    if (!work->group[group].is_steady) {
      applyGuess(work, group, work->scratch);
    }
  }
}


// is a contact to bounce: it has restitution, acts, and was faster than things at rest
static bool isBouncing(const xpbdWork* work, const xpbdLaw* law) {
  return law->restitution > 0 && law->axis->lambda > 0 && law->speed < -slowSpeed(work);
}


// Is a contact or limit pushed apart: overlaps must not become speed, where a spring does not
// oscillate.  part: what of its impulse is no push
static bool isPushedApart(const xpbdWork* work, const cfContactBlock* block, xpbdLaw* law) {
  if (block->type < mjCNSTR_LIMIT_JOINT || law->axis->lambda <= 0 || isBouncing(work, law)) {
    return false;
  }
  const mjtNum speed = cfi_xpbdNormalDot(work, block, law, work->v), gained = speed - law->free;
  const bool is_pushed = speed > cfi_max(0, law->free) + small_part * slowSpeed(work) &&
                         (law->is_rigid || law->restitution > 0 || law->is_overdamped);
  if (is_pushed) {
    law->part = cfi_clip(-law->free / gained, 0, 1);
  }
  return is_pushed;
}


// What the pass over velocities wants of one block.
static void beginVelocity(const xpbdWork* work, const cfContactBlock* block, xpbdLaw* law,
                          bool is_disturbed) {
  const mjtNum target = isBouncing(work, law) ? -law->restitution * law->speed : 0;
  const bool is_one_sided = block->type >= mjCNSTR_LIMIT_JOINT;
  law->is_active = is_one_sided ? is_disturbed && law->axis->lambda > 0
                                : block->type == mjCNSTR_EQUALITY && law->is_rigid;
  law->cap = mjMAXVAL;
  for (int j = 0; j < block->dim; j++) {
    law->axis[j].lambda /= work->h;
    law->axis[j].bias = j == 0 ? -target : 0;
    law->axis[j].give = 0;
  }
}


int cfi_xpbdBeginVelocities(xpbdWork* work) {
  const cfPartition* blocks = &work->parts.blocks;
  bool any = false;
  int nbounce = 0;
  for (int group = 0; group < work->parts.count; group++) {
    bool is_disturbed = false;
    if (work->group[group].is_steady) {
      continue;
    }
    for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
      xpbdLaw* law = work->law + blocks->list[n];
      law->bounces = isBouncing(work, law);
      nbounce += law->bounces;
      is_disturbed |= law->bounces;
      is_disturbed |= isPushedApart(work, work->blocks.block + blocks->list[n], law);
    }
    work->group[group].is_disturbed = is_disturbed;
    for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
      xpbdLaw* law = work->law + blocks->list[n];
      beginVelocity(work, work->blocks.block + blocks->list[n], law, is_disturbed);
      any = any || law->is_active;
    }
  }
  return any ? nbounce : -1;
}


void cfi_xpbdDropPushes(xpbdWork* work) {
  for (int k = 0; k < work->blocks.count; k++) {
    const cfContactBlock* block = work->blocks.block + k;
    const xpbdLaw* law = work->law + k;
    for (int j = 0; j < block->dim && law->is_active && law->part < 1; j++) {
      cfi_blockPush(block, j, (law->part - 1) * law->axis[j].lambda, work->v);
      law->axis[j].lambda *= law->part;
    }
  }
}


void cfi_xpbdEndSubstep(xpbdWork* work) {
  for (int k = 0; k < work->blocks.naxis; k++) {
    work->axis[k].impulse += work->axis[k].lambda;
  }
}
