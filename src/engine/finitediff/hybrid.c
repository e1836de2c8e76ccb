// Linearization of a step: forces in closed form or by differences of the stages that compute them,
// the answer of the step to forces in closed form (response.h), whole steps for the rest.
#include <string.h>

#include <cortenforge/derivative.h>

#include "base/assert.h"
#include "contactsolver/contactsolver.h"
#include "dynamics/activation.h"
#include "dynamics/gain.h"
#include "finitediff/closed.h"
#include "finitediff/difference.h"
#include "finitediff/linearization.h"
#include "flex/models.h"
#include "math/inline.h"
#include "model/flags.h"
#include "model/jointkind.h"

// ---------------------------------------- columns

// dq+ = h * d(integration)/dv * dv+, joint by joint; quaternions turn by the right Jacobian
void cfi_integrateColumn(const cfLinearization* s) {
  const mjModel* m = s->m;
  const mjtNum h = m->opt.timestep, *velocity = s->response.next;
  for (int j = 0; j < m->njnt; j++) {
    const int type = m->jnt_type[j], adr = m->jnt_dofadr[j];
    const int straight = cfi_jointLinear(type);
    for (int k = 0; k < straight; k++) {
      s->dq[adr + k] = h * s->dv[adr + k];
    }
    const mjtNum* turn = s->dv + adr + straight;
    if (!cfi_hasQuat(type)) {
      continue;
    }
    if (turn[0] == 0 && turn[1] == 0 && turn[2] == 0) {
      cfi_set3(s->dq + adr + straight, 0, 0, 0);
      continue;
    }
    mjtNum right[9], turned[3];
    mjd_quatIntegrate(velocity + adr + straight, h, NULL, right, NULL);
    cfi_mulMatVec3(turned, right, turn);
    cfi_scl3(s->dq + adr + straight, turned, h);
  }
}


// a change of the position itself along a dof, as it is after the step
void cfi_addOwnMotion(const cfLinearization* s, int dof) {
  CF_ASSERT_INDEX(dof, s->nv);
  const mjModel* m = s->m;
  const int j = m->dof_jntid[dof], type = m->jnt_type[j], adr = m->jnt_dofadr[j];
  const int straight = cfi_jointLinear(type);
  if (dof < adr + straight) {
    s->dq[dof] += 1;
    return;
  }
  mjtNum turn[9];
  const int first = adr + straight;
  mjd_quatIntegrate(s->response.next + first, m->opt.timestep, turn, NULL, NULL);
  for (int k = 0; k < 3; k++) {
    s->dq[first + k] += turn[3 * k + dof - first];
  }
}


// column of A or B from dv+ and dq+; activations are the caller's
void cfi_putColumn(const cfLinearization* s, mjtNum* matrix, int width, int column) {
  CF_ASSERT_INDEX(column, width);
  mjtNum* to = matrix + column;
  for (int k = 0; k < s->nv; k++, to += width) {
    *to = s->dq[k];
  }
  for (int k = 0; k < s->nv; k++, to += width) {
    *to = s->dv[k];
  }
  for (int k = 0; k < s->na; k++, to += width) {
    *to = 0;
  }
}


// ---------------------------------------- controls and activations

// activation as it is after the step, for the rates that the actuation stage has found
static mjtNum activationAhead(const cfLinearization* s, int u, int act) {
  CF_ASSERT_INDEX(act, s->na);
  const mjData* d = s->d;
  if (cfi_disabled(s->m, mjDSBL_ACTUATION)) {
    return d->act[act];
  }
  return cfi_nextActivation(s->m, d, u, act, cfi_actuatorDisabled(s->m, u) ? 0 : d->act_dot[act]);
}


// joint forces, and activations of one actuator, with an input moved by h
static void actuate(cfLinearization* s, mjtNum* input, mjtNum h, int u, mjtNum* force,
                    mjtNum* ahead) {
  const mjModel* m = s->m;
  const mjtNum before = *input;
  const int first = m->actuator_actadr[u];
  *input += h;
  mj_fwdActuation(m, s->d);
  mju_copy(force, s->d->qfrc_actuator, s->nv);
  for (int k = 0; k < m->actuator_actnum[u]; k++) {
    ahead[k] = activationAhead(s, u, first + k);
  }
  *input = before;
}


// column of an input of actuator u, by differences of the actuation stage
static void inputColumn(cfLinearization* s, mjtNum* matrix, int width, int column, mjtNum* input,
                        int u, bool has_plus, bool has_minus) {
  const int count = s->m->actuator_actnum[u], first = s->m->actuator_actadr[u];
  const mjtNum h = has_plus && has_minus ? 2 * s->eps : s->eps;
  mj_markStack(s->d);
  mjtNum* ahead = mj_stackAllocNum(s->d, 2 * (size_t)count + 1);
  mju_zero(ahead, 2 * count);
  mju_zero(s->change.force, s->nv);
  if (has_plus || has_minus) {
    actuate(s, input, has_plus ? s->eps : 0, u, s->plus.force, ahead);
    actuate(s, input, has_minus ? -s->eps : 0, u, s->minus.force, ahead + count);
    cfi_difference(s->change.force, s->minus.force, s->plus.force, h, s->nv);
  }
  mju_zero(s->change.inertial, s->nv);
  mju_zero(s->change.step, s->nv);
  cfi_respond(&s->response, &s->change, s->dv);
  cfi_integrateColumn(s);
  cfi_putColumn(s, matrix, width, column);
  for (int k = 0; k < count; k++) {
    matrix[(size_t)(2 * s->nv + first + k) * (size_t)width + (size_t)column] =
        (ahead[k] - ahead[count + k]) / h;
  }
  mj_freeStack(s->d);
}


// the same where the force is in closed form: only what drives it is differenced
static void drivenColumn(cfLinearization* s, mjtNum* matrix, int width, int column, mjtNum* input,
                         int u, bool has_plus, bool has_minus) {
  const mjtNum h = has_plus && has_minus ? 2 * s->eps : s->eps, before = *input;
  const int act = s->m->actuator_actadr[u];
  *input = before + (has_plus ? s->eps : 0);
  const cfDrive plus = cfi_closedDrive(s->m, s->d, u);
  *input = before - (has_minus ? s->eps : 0);
  const cfDrive minus = cfi_closedDrive(s->m, s->d, u);
  *input = before;
  mju_zero(s->change.force, 3 * s->nv);
  cfi_closedInput(s->m, s->d, u, (plus.input - minus.input) / h, s->change.force);
  cfi_respond(&s->response, &s->change, s->dv);
  cfi_integrateColumn(s);
  cfi_putColumn(s, matrix, width, column);
  if (act >= 0) {
    matrix[(size_t)(2 * s->nv + act) * (size_t)width + (size_t)column] =
        (plus.ahead - minus.ahead) / h;
  }
}


// columns of the control and the activations of an actuator
static void actuatorColumns(cfLinearization* s, int u, bool is_closed) {
  const bool has_plus = cfi_mayNudgeControl(s->m, s->d, u, s->eps, true);
  const bool has_minus =
      (s->is_centered || !has_plus) && cfi_mayNudgeControl(s->m, s->d, u, -s->eps, true);
  const mjtByte kind = is_closed ? CF_COLUMN_CLOSED : CF_COLUMN_STAGE;
  void (*const put)(cfLinearization*, mjtNum*, int, int, mjtNum*, int, bool, bool) =
      is_closed ? drivenColumn : inputColumn;
  if (s->B) {
    put(s, s->B, s->nu, u, s->d->ctrl + u, u, has_plus, has_minus);
    cfi_markColumn(s, s->nx + u, kind);
  }
  const int first = s->m->actuator_actadr[u];
  for (int act = first; s->A && act < first + s->m->actuator_actnum[u]; act++) {
    put(s, s->A, s->nx, 2 * s->nv + act, s->d->act + act, u, true, s->is_centered);
    cfi_markColumn(s, 2 * s->nv + act, kind);
  }
}


// closed forms need the forces of the center, and come first; afterwards these are there again
static void inputColumns(cfLinearization* s) {
  int left = 0;
  for (int u = 0; u < s->nu; u++) {
    if (cfi_hasClosedInput(s->m, u)) {
      actuatorColumns(s, u, true);
    } else {
      left++;
    }
  }
  for (int u = 0; u < s->nu && left; u++) {
    if (!cfi_hasClosedInput(s->m, u)) {
      actuatorColumns(s, u, false);
    }
  }
  if (left) {
    mj_fwdActuation(s->m, s->d);
  }
}


// ---------------------------------------- velocities in closed form

// the block of A where dv+/dv will be holds the derivatives of the forces first
static void closedVelocityColumns(cfLinearization* s) {
  const size_t nv = (size_t)s->nv, nx = (size_t)s->nx;
  mjtNum* block = s->A + nv * nx + nv;
  cfi_closedVelocity(s->m, s->d, block, s->nx);
  for (int j = 0; j < s->nv; j++) {
    for (int i = 0; i < s->nv; i++) {
      s->change.force[i] = block[(size_t)i * nx + (size_t)j];
    }
    mju_zero(s->change.inertial, s->nv);
    mju_zero(s->change.step, s->nv);
    cfi_respond(&s->response, &s->change, s->dv);
    s->dv[j] += 1;
    cfi_integrateColumn(s);
    cfi_putColumn(s, s->A, s->nx, s->nv + j);
    cfi_markColumn(s, s->nv + j, CF_COLUMN_CLOSED);
  }
}


// ---------------------------------------- positions in closed form

// what no force depends on: the tree is somewhere else after the step, and nothing else changes
static void translationColumns(cfLinearization* s) {
  mju_zero(s->dv, 2 * s->nv);
  for (int dof = 0; dof < s->nv; dof++) {
    if (cfi_isFreeTranslation(s->m, s->d, dof)) {
      s->dq[dof] = 1;
      cfi_putColumn(s, s->A, s->nx, dof);
      cfi_markColumn(s, dof, CF_COLUMN_CLOSED);
      s->dq[dof] = 0;
    }
  }
}


// ---------------------------------------- what the response cannot explain

// callbacks and plugins see whole steps
static bool hasForeignCode(const mjModel* m) {
  return m->nplugin || mjcb_control || mjcb_passive || mjcb_act_dyn || mjcb_act_gain ||
         mjcb_act_bias || mjcb_contactfilter;
}


// does the step solve M*a = g and W*y = M*a, and nothing else?
static bool hasResponse(const mjModel* m, const mjData* d) {
  const bool is_implicit =
      m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST;
  return m->nv > 0 && m->opt.integrator != mjINT_RK4 && !hasForeignCode(m) && !cfi_gainChoice(m) &&
         !cfi_contactSetting(m) && !cfi_hasImplicitFlexes(m) && !(m->nflexnode && is_implicit) &&
         !m->opt.noslip_iterations && !cfi_enabled(m, mjENBL_SLEEP) &&
         !cfi_enabled(m, mjENBL_FWDINV) && !m->nhistory && !d->threadpool;
}


static void allocateWork(cfLinearization* s) {
  const size_t nv = (size_t)s->nv;
  s->center = cfi_allocForces(&s->response);
  s->plus = cfi_allocForces(&s->response);
  s->minus = cfi_allocForces(&s->response);
  s->change = cfi_allocForces(&s->response);
  s->dv = mj_stackAllocNum(s->d, 2 * nv);
  s->dq = s->dv + nv;
}


// all columns, those first whose stages are near the end: they rely on the stages of the center
static void linearize(cfLinearization* s) {
  const mjModel* m = s->m;
  mjData* d = s->d;
  mj_markStack(d);
  s->saved_bits = cfi_linearizedState(m);
  s->saved = mj_stackAllocNum(d, (size_t)mj_stateSize(m, s->saved_bits));
  mj_getState(m, d, s->saved, s->saved_bits);
  const bool has_response = cfi_beginResponse(&s->response, m, d, s->eps);
  mj_setState(m, d, s->saved, s->saved_bits);
  if (has_response) {
    allocateWork(s);
    inputColumns(s);
    if (s->A) {
      cfi_centerForces(&s->response, &s->center);
      translationColumns(s);
      cfi_groupTrees(&s->groups, m, d);
      if (cfi_hasClosedVelocity(m)) {
        closedVelocityColumns(s);
      } else {
        cfi_differColumns(s, CF_DIFFER_VELOCITY);
      }
      cfi_differColumns(s, CF_DIFFER_POSITION);
    }
  }
  mj_freeStack(d);
}


// ---------------------------------------- the whole

// is there a column that is wanted and not there?
static bool hasUnknown(const cfLinearization* s) {
  for (int k = 0; k < s->nx + s->nu; k++) {
    if (!s->known[k] && (k < s->nx ? s->A : s->B)) {
      return true;
    }
  }
  return false;
}


void cf_transitionColumns(const mjModel* m, mjData* d, const cfTransitionOptions* opt, mjtNum* A,
                          mjtNum* B, mjtByte* column) {
  const cfTransitionOptions defaults = {0};
  const cfTransitionOptions* o = opt ? opt : &defaults;
  if (m->nhistory) {
    mju_error("cf_transition: delays are not supported");
    return;
  }
  cfLinearization s = {.m = m,
                       .d = d,
                       .eps = o->eps > 0 ? o->eps : 1e-6,
                       .is_centered = !o->one_sided,
                       .nv = (int)m->nv,
                       .na = (int)m->na,
                       .nu = (int)m->nu,
                       .nx = (int)(2 * m->nv + m->na),
                       .A = A,
                       .B = B};
  const size_t count = (size_t)(s.nx + s.nu);
  mj_markStack(d);
  s.column = column ? column : mj_stackAllocByte(d, count + 1, 1);
  s.known = mj_stackAllocByte(d, count + 1, 1);
  memset(s.column, CF_COLUMN_STEP, count);
  memset(s.known, 0, count);
  if (!o->no_analytic && hasResponse(m, d)) {
    linearize(&s);
  }
  if (hasUnknown(&s)) {
    const cfDifferences how = {s.eps, s.is_centered, /*keeps_sleep=*/true, /*is_exact=*/true,
                               s.known};
    cfi_differenceTransition(m, d, &how, A, B, NULL, NULL);
  }
  mj_freeStack(d);
}


void cf_transition(const mjModel* m, mjData* d, const cfTransitionOptions* opt, mjtNum* A,
                   mjtNum* B) {
  cf_transitionColumns(m, d, opt, A, B, NULL);
}
