// Velocities of bodies, bias, passive and actuator forces; the acceleration without constraints.
#include "team/team.h"

#include "law/actuator.h"

// ---------------------------------------- velocities and bias force

// sums from the world to each body of six numbers per body, roots first
CF_TEAM_FN void sumAncestors(const cfTeam* t, cfReal* value) {
  const cfTeamModel* m = t->m;
  for (int level = 1; level < m->nlevel; level++) {
    const int first = m->level_adr[level], count = m->level_adr[level + 1] - first;
    for (int k = t->thread; k < count * 6; k += CF_TEAM_WIDTH) {
      const int place = k / 6, part = k - 6 * place, i = m->level_body[first + place];
      value[6 * i + part] += value[6 * m->body_parentid[i] + part];
    }
    teamSync(t);
  }
}


// sum of the dofs of each body; motion: six numbers per dof, times qvel where it is not in them yet
CF_TEAM_FN void sumDofs(const cfTeam* t, cfReal* value, const cfReal* motion, bool is_scaled) {
  const cfTeamModel* m = t->m;
  for (int k = 6 + t->thread; k < 6 * m->nbody; k += CF_TEAM_WIDTH) {
    const int i = k / 6, part = k - 6 * i, first = m->body_dofadr[i];
    cfReal sum = 0;
    for (int dof = first; dof < first + m->body_dofnum[i]; dof++) {
      sum += motion[6 * dof + part] * (is_scaled ? 1 : CF_WORLD(t, qvel)[dof]);
    }
    value[k] = sum;
  }
}


// velocity of bodies: cvel; and cdof_dot*qvel, by dofs
CF_TEAM_FN void bodyVelocities(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  const cfReal *cdof = CF_WORLD(t, cdof), *qvel = CF_WORLD(t, qvel);
  cfReal *cvel = CF_WORLD(t, cvel), *cdof_dot = CF_WORLD(t, cdof_dot);
  sumDofs(t, cvel, cdof, false);
  for (int k = t->thread; k < 6; k += CF_TEAM_WIDTH) {
    cvel[k] = 0;
  }
  teamSync(t);
  sumAncestors(t, cvel);
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    const int body = m->dof_bodyid[i], before = m->dof_before[i];
    cfReal velocity[6], rate[6];
    numCopy(velocity, cvel + 6 * m->body_parentid[body], 6);
    for (int dof = m->body_dofadr[body]; dof < before; dof++) {
      numAddScaled3(velocity, velocity, cdof + 6 * dof, qvel[dof]);
      numAddScaled3(velocity + 3, velocity + 3, cdof + 6 * dof + 3, qvel[dof]);
    }
    numCrossMotion(rate, velocity, cdof + 6 * i);
    const bool is_fixed = m->jnt_type[m->dof_jntid[i]] == mjJNT_FREE && m->dof_local[i] < 3;
    numScale3(cdof_dot + 6 * i, rate, is_fixed ? 0 : qvel[i]);
    numScale3(cdof_dot + 6 * i + 3, rate + 3, is_fixed ? 0 : qvel[i]);
  }
  teamSync(t);
}


// force that a body needs to move as it does without qacc, less the force that is applied to it
CF_TEAM_FN void bodyForce(const cfTeam* t, int body) {
  const cfTeamModel* m = t->m;
  CF_ASSERT(body > 0 && body < t->m->nbody);
  const cfReal *inert = CF_WORLD(t, cinert) + 10 * body, *velocity = CF_WORLD(t, cvel) + 6 * body;
  const cfReal *pushed = CF_WORLD(t, xfrc_applied) + 6 * body, lift = CF_OWN(t, body_lift)[body];
  cfReal momentum[6], turning[6], acceleration[6], *force = CF_WORLD(t, cfrc) + 6 * body;
  numCopy(acceleration, CF_WORLD(t, cacc) + 6 * body, 6);
  acceleration[3] -= CF_VALUE(t, gravity_x);
  acceleration[4] -= CF_VALUE(t, gravity_y);
  acceleration[5] -= CF_VALUE(t, gravity_z);
  numMulInertia(momentum, inert, velocity);
  numCrossForce(turning, velocity, momentum);
  numMulInertia(momentum, inert, acceleration);
  cfReal arm[3], torque[3], applied[3];
  numSet3(applied, pushed[0] - lift * CF_VALUE(t, gravity_x),
          pushed[1] - lift * CF_VALUE(t, gravity_y), pushed[2] - lift * CF_VALUE(t, gravity_z));
  numSub3(arm, CF_WORLD(t, xipos) + 3 * body, CF_WORLD(t, subtree_com) + 3 * m->body_rootid[body]);
  numCross(torque, arm, applied);
  CF_TEAM_UNROLL
  for (int k = 0; k < 3; k++) {
    force[k] = momentum[k] + turning[k] - pushed[3 + k] - torque[k];
    force[3 + k] = momentum[3 + k] + turning[3 + k] - applied[k];
  }
}


// forces on subtrees: cfrc
CF_TEAM_FN void subtreeForces(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  cfReal* cacc = CF_WORLD(t, cacc);
  sumDofs(t, cacc, CF_WORLD(t, cdof_dot), true);
  teamSync(t);
  sumAncestors(t, cacc);
  for (int i = 1 + t->thread; i < m->nbody; i += CF_TEAM_WIDTH) {
    bodyForce(t, i);
  }
  teamSync(t);
  sumSubtrees(t, CF_WORLD(t, cfrc), 6);
}

// ---------------------------------------- passive forces

CF_TEAM_FN void jointSpring(const cfTeam* t, int j) {
  const cfTeamModel* m = t->m;
  CF_ASSERT_INDEX(j, t->m->njnt);
  const int type = m->jnt_type[j], dof = m->jnt_dofadr[j], q = m->jnt_qposadr[j];
  const int nlinear = cfi_jointLinear(type);
  const cfReal stiffness = CF_OWN(t, jnt_stiffness)[j], *qpos = CF_WORLD(t, qpos) + q;
  cfReal* force = CF_WORLD(t, qfrc_passive) + dof;
  for (int k = 0; k < nlinear; k++) {
    force[k] = lawSpring(stiffness, qpos[k], CF_OWN(t, qpos_spring)[q + k]);
  }
  if (CF_TEAM_RARE(cfi_hasQuat(type) && stiffness != 0)) {
    lawRotationSpring(force + nlinear, qpos + nlinear, CF_OWN(t, qpos_spring) + q + nlinear,
                      stiffness);
  } else if (cfi_hasQuat(type)) {
    numSet3(force + nlinear, 0, 0, 0);
  }
}


CF_TEAM_FN void passiveForces(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  cfReal* passive = CF_WORLD(t, qfrc_passive);
  if (m->has_spring) {
    for (int j = t->thread; j < m->njnt; j += CF_TEAM_WIDTH) {
      jointSpring(t, j);
    }
    teamSync(t);
  }
  if (CF_TEAM_RARE(m->is_drawn)) {
    tendonForces(t);
  }
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    cfReal spring = m->has_spring ? passive[i] : 0;
    spring += CF_TEAM_RARE(m->is_drawn) ? tendonPull(t, i) : 0;
    passive[i] =
        spring + (m->has_damper ? lawDamper(CF_OWN(t, dof_damping)[i], CF_WORLD(t, qvel)[i]) : 0);
  }
}

// ---------------------------------------- actuators

// the last activation is driven by the control
CF_TEAM_FN void activationRate(const cfTeam* t, int u, cfReal ctrl) {
  const cfTeamModel* m = t->m;
  CF_ASSERT_INDEX(u, t->m->nu);
  const int first = m->actuator_actadr[u], last = first + m->actuator_actnum[u] - 1;
  cfReal* rate = CF_WORLD(t, act_dot);
  for (int k = first; k < last; k++) {
    rate[k] = 0;
  }
  rate[last] = lawActivationRate(t, u, ctrl, CF_WORLD(t, act)[last]);
}


// of a joint or a tendon, times the gear
CF_TEAM_FN cfReal actuatorLength(const cfTeam* t, int u) {
  const cfTeamModel* m = t->m;
  const cfReal gear = CF_OWN(t, actuator_gear)[6 * u];
  const int tendon = CF_TEAM_RARE(true) ? m->actuator_tendon[u] : -1;
  return gear * (tendon >= 0 ? chainLength(t, m->tendon_chain[tendon], m->tendon_chainnum[tendon])
                             : CF_WORLD(t, qpos)[m->jnt_qposadr[m->actuator_trnjnt[u]]]);
}


CF_TEAM_FN cfReal actuatorVelocity(const cfTeam* t, int u) {
  const cfTeamModel* m = t->m;
  const cfReal gear = CF_OWN(t, actuator_gear)[6 * u];
  const int tendon = CF_TEAM_RARE(true) ? m->actuator_tendon[u] : -1;
  return gear * (tendon >= 0 ? chainVelocity(t, m->tendon_chain[tendon], m->tendon_chainnum[tendon])
                             : CF_WORLD(t, qvel)[m->jnt_dofadr[m->actuator_trnjnt[u]]]);
}


// how far an actuator moves with a dof, by its place in the list of drives
CF_TEAM_FN cfReal driveGear(const cfTeam* t, int k) {
  const cfReal gear = CF_OWN(t, actuator_gear)[6 * t->m->dof_act[k]];
  return CF_TEAM_RARE(true) ? gear * t->m->dof_actcoef[k] : gear;
}


CF_TEAM_FN cfReal actuatorForce(const cfTeam* t, int u, cfReal ctrl) {
  const cfReal length = actuatorLength(t, u), velocity = actuatorVelocity(t, u);
  const cfReal gain = lawGain(t, u, length, velocity), bias = lawBias(t, u, length, velocity);
  return gain * lawActuatorInput(t, u, ctrl) + bias;
}


// forces of actuators, then of the joints that they drive
CF_TEAM_FN void actuatorForces(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  cfReal* force = CF_WORLD(t, actuator_force);
  for (int u = t->thread; u < m->nu; u += CF_TEAM_WIDTH) {
    const cfReal *range = CF_OWN(t, actuator_forcerange) + 2 * u,
                 *bounds = CF_OWN(t, actuator_ctrlrange) + 2 * u;
    cfReal ctrl = CF_WORLD(t, ctrl)[u];
    ctrl = m->actuator_ctrllimited[u] ? teamClip(ctrl, bounds[0], bounds[1]) : ctrl;
    if (CF_TEAM_RARE(m->actuator_actadr[u] >= 0)) {
      activationRate(t, u, ctrl);
    }
    const cfReal value = m->actuator_acts[u] ? actuatorForce(t, u, ctrl) : 0;
    force[u] = m->actuator_forcelimited[u] ? teamClip(value, range[0], range[1]) : value;
  }
  teamSync(t);
}


CF_TEAM_FN cfReal jointForce(const cfTeam* t, int dof) {
  const cfTeamModel* m = t->m;
  CF_ASSERT_INDEX(dof, t->m->nv);
  const int joint = m->dof_jntid[dof];
  cfReal sum = 0;
  for (int k = m->dof_actadr[dof]; k < m->dof_actadr[dof + 1]; k++) {
    sum += driveGear(t, k) * CF_WORLD(t, actuator_force)[m->dof_act[k]];
  }
  const cfReal* range = CF_OWN(t, jnt_actfrcrange) + 2 * joint;
  const bool is_limited = m->jnt_actfrclimited[joint] && m->dof_local[dof] == 0;
  return is_limited ? teamClip(sum, range[0], range[1]) : sum;
}


// stage FORCES.  reads: state, controls, applied forces, cdof, cinert, xipos, subtree_com, qLD.
// writes: cvel, cdof_dot, cacc, cfrc, act_dot, actuator_force, qfrc_passive, qfrc_smooth,
// qacc_smooth.
CF_TEAM_FN void cfi_teamForces(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  const cfReal *cdof = CF_WORLD(t, cdof), *cfrc = CF_WORLD(t, cfrc);
  cfReal *smooth = CF_WORLD(t, qfrc_smooth), *acc = CF_WORLD(t, qacc_smooth);
  bodyVelocities(t);
  subtreeForces(t);
  passiveForces(t);
  if (m->has_actuation) {
    actuatorForces(t);
  }
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    const cfReal bias = numDot6(cdof + 6 * i, cfrc + 6 * m->dof_bodyid[i]);
    const cfReal pushed = CF_WORLD(t, qfrc_applied)[i] + (m->has_actuation ? jointForce(t, i) : 0);
    smooth[i] = acc[i] = CF_WORLD(t, qfrc_passive)[i] - bias + pushed;
  }
  teamSync(t);
  if (CF_TEAM_DENSE(t)) {
    spreadInertia(t, CF_WORLD(t, dense_M));
    CF_SOLVE_DENSE(t, dense_M, qacc_smooth, m->nv);
  } else {
    teamSolveFactored(t, acc, CF_WORLD(t, qLD), CF_WORLD(t, qLDiagInv));
  }
}
