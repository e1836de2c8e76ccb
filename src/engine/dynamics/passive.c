// Passive forces: springs, dampers, gravity compensation, fluid; each kind in an array of its own,
// added up at the end.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "dynamics/fluid.h"
#include "dynamics/passive.h"
#include "dynamics/runs.h"
#include "flex/contactbodies.h"
#include "flex/models.h"
#include "kinematics/chain.h"
#include "kinematics/tendon.h"
#include "law/number_one.h"

#include "law/springs.h"
#include "math/inline.h"
#include "model/awake.h"
#include "model/flags.h"
#include "model/indexset.h"
#include "model/jointkind.h"


static void clearAwake(mjtNum* x, cfIndexSet dofs) {
  for (int k = 0; k < dofs.count; k++) {
    x[cfi_at(dofs, k)] = 0;
  }
}


// a handful of numbers is not worth the call that the compiler makes of a loop
enum { FEW_DOFS = 8 };

static inline void clearFew(mjtNum* x, int n) {
  CF_ASSERT(n <= FEW_DOFS);
  for (int k = 0; k + 4 <= n; k += 4) {
    cfi_laneStore(x + k, cfi_laneSpread(0));
  }
  if (n & 2) {
    cfi_halfStore(x + (n & ~3), cfi_halfSet(0, 0));
  }
  if (n & 1) {
    x[n - 1] = 0;
  }
}


// nothing acts yet
static void clearForces(mjData* d, cfIndexSet dofs) {
  CF_ASSERT(dofs.count >= 0);
  if (!dofs.index && dofs.count <= FEW_DOFS) {
    clearFew(d->qfrc_spring, dofs.count);
    clearFew(d->qfrc_damper, dofs.count);
    clearFew(d->qfrc_gravcomp, dofs.count);
    clearFew(d->qfrc_fluid, dofs.count);
    return;
  }
  clearAwake(d->qfrc_spring, dofs);
  clearAwake(d->qfrc_damper, dofs);
  clearAwake(d->qfrc_gravcomp, dofs);
  clearAwake(d->qfrc_fluid, dofs);
}


// ---------------------------------------- springs and dampers

static void linearSpring(mjtNum* force, const mjtNum* q, const mjtNum* rest, mjtNum stiffness,
                         int n) {
  for (int k = 0; k < n; k++) {
    force[k] = lawSpring(stiffness, q[k], rest[k]);
  }
}


// springs of free and ball joints are seldom
static __attribute__((noinline)) void quatJointSpring(mjtNum* force, const mjtNum* q,
                                                      const mjtNum* rest, mjtNum stiffness,
                                                      int type) {
  CF_ASSERT(cfi_hasQuat(type));
  const int n = cfi_jointLinear(type);
  linearSpring(force, q, rest, stiffness, n);
  lawRotationSpring(force + n, q + n, rest + n, stiffness);
}


static inline void jointSpring(const mjModel* m, mjData* d, int j) {
  const mjtNum stiffness = m->jnt_stiffness[j];
  const mjtNum *q = d->qpos + m->jnt_qposadr[j], *rest = m->qpos_spring + m->jnt_qposadr[j];
  mjtNum* force = d->qfrc_spring + m->jnt_dofadr[j];
  const int type = m->jnt_type[j];
  if (cfi_isScalarJoint(type)) {
    linearSpring(force, q, rest, stiffness, 1);
  } else {
    quatJointSpring(force, q, rest, stiffness, type);
  }
}


// joints that follow each other
static void springsOf(const mjModel* m, mjData* d, int first, int end) {
  for (int j = first; j < end; j++) {
    if (m->jnt_stiffness[j] != 0) {
      jointSpring(m, d, j);
    }
  }
}


static void jointSprings(const mjModel* m, mjData* d, cfIndexSet dofs) {
  if (!dofs.index) {
    springsOf(m, d, 0, (int)m->njnt);
    return;
  }
  for (int k = 0; k < dofs.count; k++) {
    const int dof = cfi_at(dofs, k), j = m->dof_jntid[dof];
    if (m->jnt_dofadr[j] == dof && m->jnt_stiffness[j] != 0) {
      jointSpring(m, d, j);
    }
  }
}


static void dofDampers(const mjModel* m, mjData* d, cfIndexSet dofs) {
  mjtNum* restrict force = d->qfrc_damper;
  const mjtNum *damping = m->dof_damping, *qvel = d->qvel;
  for (int k = 0; k < dofs.count; k++) {
    const int dof = cfi_at(dofs, k);
    force[dof] = damping[dof] == 0 ? 0 : lawDamper(damping[dof], qvel[dof]);
  }
}


static void pullTendon(const mjModel* m, const mjData* d, int tendon, mjtNum force, mjtNum* qfrc) {
  if (force != 0) {
    cfi_addTendon(m, d, tendon, qfrc, force);
  }
}


// springs act outside the dead band [lower, upper] of tendon_lengthspring
static void tendonSpringDampers(const mjModel* m, mjData* d, bool has_spring, bool has_damper) {
  const bool skips = cfi_someAsleep(m, d);
  for (int t = 0; t < m->ntendon; t++) {
    if (skips && cfi_sleepState(m, d, mjOBJ_TENDON, t) != mjS_AWAKE) {
      continue;
    }
    const mjtNum stiffness = m->tendon_stiffness[t], damping = m->tendon_damping[t];
    const mjtNum* band = m->tendon_lengthspring + 2 * t;
    if (has_spring && stiffness != 0) {
      const mjtNum pull = lawTendonSpring(stiffness, d->ten_length[t], band[0], band[1]);
      pullTendon(m, d, t, pull, d->qfrc_spring);
    }
    if (has_damper && damping != 0) {
      pullTendon(m, d, t, lawDamper(damping, d->ten_velocity[t]), d->qfrc_damper);
    }
  }
}


// ---------------------------------------- gravity compensation

// lift every body that asks for it by a multiple of its weight
static bool gravityCompensation(const mjModel* m, mjData* d) {
  if (CF_OFTEN(!m->ngravcomp) || cfi_disabled(m, mjDSBL_GRAVITY) ||
      cfi_norm3(m->opt.gravity) == 0) {
    return false;
  }
  const cfIndexSet bodies = cfi_awakeBodies(m, d);
  bool any = false;
  for (int k = 1; k < bodies.count; k++) {
    const int b = cfi_at(bodies, k);
    if (m->body_gravcomp[b] == 0) {
      continue;
    }
    mjtNum lift[3];
    const mjtNum torque[3] = {0, 0, 0};
    cfi_scl3(lift, m->opt.gravity, -(m->body_mass[b] * m->body_gravcomp[b]));
    mj_applyFT(m, d, lift, torque, d->xipos + 3 * b, b, d->qfrc_gravcomp);
    any = true;
  }
  return any;
}


// ---------------------------------------- contacts that act as springs

// stiffness of contacts that are resolved passively, N/m
static const mjtNum contact_stiffness = 1e4;

// exclude codes: contact of a flex that asked for passive contacts, contact that moves no dof
enum { EXCLUDE_PASSIVE = 4, EXCLUDE_NO_DOFS = 3 };


// push along the normal in proportion to the depth; false if the contact moves no dof
static bool pushContact(const mjModel* m, mjData* d, const mjContact* con) {
  cfContactBodies bodies;
  bool moves = false;
  cfi_signedContactBodies(m, d, con, &bodies);
  for (int k = 0; k < bodies.count; k++) {
    mjtNum force[3];
    cfi_scl3(force, con->frame, -contact_stiffness * con->dist * bodies.weight[k]);
    mj_applyFT(m, d, force, NULL, con->pos, bodies.body[k], d->qfrc_spring);
    moves |= cfi_lastDof(m, bodies.body[k]) >= 0;
  }
  return moves;
}


// dense rows have room for all dofs, so there every contact counts as moving some
static void passiveContacts(const mjModel* m, mjData* d) {
  if (d->ncon == 0 || cfi_disabled(m, mjDSBL_CONTACT) || m->nv == 0) {
    return;
  }
  for (int k = 0; k < d->ncon; k++) {
    mjContact* con = d->contact + k;
    if (con->exclude == EXCLUDE_PASSIVE) {
      con->efc_address = -1;
      if (!pushContact(m, d, con) && mj_isSparse(m)) {
        con->exclude = EXCLUDE_NO_DOFS;
      }
    }
  }
}


// ---------------------------------------- sum, callbacks

// gravity compensation joins the passive forces unless the joint's actuators carry it
static void sumPassive(const mjModel* m, mjData* d, cfIndexSet dofs, bool has_fluid,
                       bool has_gravcomp) {
  if (!has_fluid && !has_gravcomp) {
    mjtNum* restrict sum = d->qfrc_passive;
    const mjtNum *spring = d->qfrc_spring, *damper = d->qfrc_damper;
    for (int k = 0; k < dofs.count; k++) {
      const int dof = cfi_at(dofs, k);
      sum[dof] = spring[dof] + damper[dof];
    }
    return;
  }
  for (int k = 0; k < dofs.count; k++) {
    const int dof = cfi_at(dofs, k);
    mjtNum sum = d->qfrc_spring[dof] + d->qfrc_damper[dof];
    if (has_fluid) {
      sum += d->qfrc_fluid[dof];
    }
    if (has_gravcomp && !m->jnt_actgravcomp[m->dof_jntid[dof]]) {
      sum += d->qfrc_gravcomp[dof];
    }
    d->qfrc_passive[dof] = sum;
  }
}


static void passivePlugins(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (plugin && (plugin->capabilityflags & mjPLUGIN_PASSIVE) && plugin->compute) {
      plugin->compute(m, d, i, mjPLUGIN_PASSIVE);
    } else if (!plugin || (plugin->capabilityflags & mjPLUGIN_PASSIVE)) {
      mju_error("passive forces: plugin instance %d in slot %d cannot be computed", i,
                m->plugin[i]);
      return;
    }
  }
}


void cfi_springForces(const mjModel* m, mjData* d) {
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  clearAwake(d->qfrc_spring, dofs);
  jointSprings(m, d, dofs);
  if (m->nflex) {
    cfi_flexForces(m, d, /*has_spring=*/true, /*has_damper=*/false);
  }
  if (m->ntendon) {
    tendonSpringDampers(m, d, /*has_spring=*/true, /*has_damper=*/false);
  }
}


// stage PASSIVE.  reads: qpos, qvel, xipos, cvel, ten_length, ten_velocity, ten_J, flex arrays,
// contact. writes: qfrc_spring, qfrc_damper, qfrc_gravcomp, qfrc_fluid, qfrc_passive.
void mj_passive(const mjModel* m, mjData* d) {
  const cfIndexSet dofs = cfi_awakeDofs(m, d);
  clearForces(d, dofs);

  // with both flags set every passive force is off, also those that are neither spring nor damper
  const bool has_spring = !cfi_disabled(m, mjDSBL_SPRING),
             has_damper = !cfi_disabled(m, mjDSBL_DAMPER);
  if (CF_SELDOM(!has_spring && !has_damper)) {
    clearAwake(d->qfrc_passive, dofs);
    return;
  }
  if (has_spring) {
    jointSprings(m, d, dofs);
  }
  if (has_damper) {
    dofDampers(m, d, dofs);
  }
  if (CF_SELDOM(m->nflex)) {
    cfi_flexForces(m, d, has_spring, has_damper);
  }
  if (CF_SELDOM(m->ntendon)) {
    tendonSpringDampers(m, d, has_spring, has_damper);
  }
  const bool has_gravcomp = gravityCompensation(m, d);
  const bool has_medium = m->opt.viscosity != 0 || m->opt.density != 0;
  const bool has_fluid = CF_SELDOM(has_medium) && cfi_fluidForces(m, d);
  passiveContacts(m, d);

  sumPassive(m, d, dofs, has_fluid, has_gravcomp);
  if (CF_SELDOM(mjcb_passive)) {
    mjcb_passive(m, d);
  }
  if (CF_SELDOM(m->nplugin)) {
    passivePlugins(m, d);
  }
}


// ---------------------------------------- by runs of bodies

bool cfi_isPassiveByRuns(const mjModel* m) {
  if (m->nflex || m->nplugin || m->ngravcomp || m->opt.viscosity != 0 || m->opt.density != 0 ||
      mjcb_passive) {
    return false;
  }
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_stiffness[t] != 0 || m->tendon_damping[t] != 0) {
      return false;
    }
  }
  return true;
}


void cfi_passiveRun(const mjModel* m, mjData* d, cfIndexSet joints, cfIndexSet dofs) {
  const bool has_spring = !cfi_disabled(m, mjDSBL_SPRING),
             has_damper = !cfi_disabled(m, mjDSBL_DAMPER);
  clearAwake(d->qfrc_spring, dofs);
  clearAwake(d->qfrc_damper, dofs);
  clearAwake(d->qfrc_gravcomp, dofs);
  clearAwake(d->qfrc_fluid, dofs);
  if (has_spring) {
    springsOf(m, d, joints.first, joints.first + joints.count);
  }
  if (has_damper) {
    dofDampers(m, d, dofs);
  }
  if (has_spring || has_damper) {
    sumPassive(m, d, dofs, false, false);
  } else {
    clearAwake(d->qfrc_passive, dofs);
  }
}
