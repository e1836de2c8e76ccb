// The next state: Euler with implicit damping, implicitfast.
#include "team/team.h"

// slope of an actuator's force by its velocity; zero where the force is at its limit
CF_TEAM_FN cfReal actuatorSlope(const cfTeam* t, int u) {
  const cfTeamModel* m = t->m;
  const cfReal force = CF_WORLD(t, actuator_force)[u], *range = m->actuator_forcerange + 2 * u;
  if (!m->actuator_acts[u] ||
      (m->actuator_forcelimited[u] && (force <= range[0] || force >= range[1]))) {
    return 0;
  }
  cfReal slope = 0;
  if (m->actuator_gaintype[u] == mjGAIN_AFFINE && m->actuator_gainprm[mjNGAIN * u + 2] != 0) {
    slope = m->actuator_gainprm[mjNGAIN * u + 2] * actuatorInput(t, u, CF_WORLD(t, ctrl)[u]);
  }
  if (m->actuator_biastype[u] == mjBIAS_AFFINE) {
    slope += m->actuator_biasprm[mjNBIAS * u + 2];
  }
  return slope;
}


// slope of the force on a dof by its velocity
CF_TEAM_FN cfReal dofSlope(const cfTeam* t, int dof) {
  const cfTeamModel* m = t->m;
  const bool is_fast = m->integrator == mjINT_IMPLICITFAST;
  cfReal sum = m->has_damper ? -m->dof_damping[dof] : 0;
  for (int k = m->dof_actadr[dof]; is_fast && m->has_actuation && k < m->dof_actadr[dof + 1]; k++) {
    const int u = m->dof_act[k];
    sum += actuatorSlope(t, u) * m->actuator_gear[6 * u] * m->actuator_gear[6 * u];
  }
  return sum;
}


// acceleration with the forces at the end of the step
CF_TEAM_FN void dampedAcceleration(const cfTeam* t, cfReal* acc) {
  const cfTeamModel* m = t->m;
  const cfReal* M = CF_WORLD(t, M);
  cfReal* qH = CF_WORLD(t, qH);
  for (int e = t->lane; e < m->nC; e += CF_TEAM_WIDTH) {
    const int row = m->M_rowind[e];
    qH[e] = M[e] - (row == m->M_colind[e] ? m->timestep * dofSlope(t, row) : 0);
  }
  for (int i = t->lane; i < m->nv; i += CF_TEAM_WIDTH) {
    acc[i] = CF_WORLD(t, qfrc_smooth)[i] + CF_WORLD(t, qfrc_constraint)[i];
  }
  teamSync(t);
  teamFactor(t, qH, CF_WORLD(t, qHDiagInv));
  teamSolveFactored(t, acc, qH, CF_WORLD(t, qHDiagInv));
}


// activations of actuators whose group is disabled stay, but respect their limits
CF_TEAM_FN void advanceActivations(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  for (int u = t->lane; u < m->nu; u += CF_TEAM_WIDTH) {
    const int first = m->actuator_actadr[u];
    for (int k = first; first >= 0 && k < first + m->actuator_actnum[u]; k++) {
      const cfReal rate = m->actuator_acts[u] ? CF_WORLD(t, act_dot)[k] : 0;
      CF_WORLD(t, act)[k] = nextActivation(t, u, k, rate);
    }
  }
}


// turn q by the local angular velocity for the time h
CF_TEAM_FN void teamTurnBy(cfReal q[4], const cfReal velocity[3], cfReal h) {
  cfReal axis[3], unit[4], turn[4];
  teamCopy3(axis, velocity);
  const cfReal half = CF_R(0.5) * h * teamNormalize3(axis);
  turn[0] = teamCos(half);
  teamScale3(turn + 1, axis, teamSin(half));
  teamCopy(unit, q, 4);
  teamUnitize4(unit);
  teamMulQuat(q, unit, turn);
}


CF_TEAM_FN void advanceJoint(const cfTeam* t, int j) {
  const cfTeamModel* m = t->m;
  const int type = m->jnt_type[j], nlinear = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
  const cfReal* qvel = CF_WORLD(t, qvel) + m->jnt_dofadr[j];
  cfReal* qpos = CF_WORLD(t, qpos) + m->jnt_qposadr[j];
  for (int k = 0; k < nlinear; k++) {
    qpos[k] += m->timestep * qvel[k];
  }
  if (nlinear != 1) {
    teamTurnBy(qpos + nlinear, qvel + nlinear, m->timestep);
  }
}


// stage INTEGRATE.  reads: M, qfrc_smooth, qfrc_constraint, qacc, act_dot, actuator_force.
// writes: act, qvel, qpos, qacc_warmstart.
CF_TEAM_FN void cfi_teamIntegrate(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  const cfReal* qacc = CF_WORLD(t, qacc);
  cfReal *acc = CF_WORLD(t, qacc_damped), *qvel = CF_WORLD(t, qvel);
  if (m->is_damped) {
    dampedAcceleration(t, acc);
  }
  if (m->has_actuation && m->na) {
    advanceActivations(t);
  }
  for (int i = t->lane; i < m->nv; i += CF_TEAM_WIDTH) {
    qvel[i] += m->timestep * (m->is_damped ? acc[i] : qacc[i]);
    CF_WORLD(t, qacc_warmstart)[i] = qacc[i];
  }
  teamSync(t);
  for (int j = t->lane; j < m->njnt; j += CF_TEAM_WIDTH) {
    advanceJoint(t, j);
  }
  teamSync(t);
}
