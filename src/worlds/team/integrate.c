// The next state: Euler with implicit damping, implicitfast, Runge-Kutta.
#include "team/team.h"

// zero for an actuator that does not act
CF_TEAM_FN cfReal actuatorSlope(const cfTeam* t, int u) {
  return t->m->actuator_acts[u] ? lawVelocitySlope(t, u, CF_WORLD(t, ctrl)[u]) : 0;
}


// slope of the force on a dof by its velocity
CF_TEAM_FN cfReal dofSlope(const cfTeam* t, int dof) {
  const cfTeamModel* m = t->m;
  CF_ASSERT_INDEX(dof, t->m->nv);
  const bool is_fast = m->integrator == mjINT_IMPLICITFAST;
  cfReal sum = m->has_damper ? -CF_OWN(t, dof_damping)[dof] : 0;
  for (int k = m->dof_actadr[dof]; is_fast && m->has_actuation && k < m->dof_actadr[dof + 1]; k++) {
    const cfReal gear = driveGear(t, k);
    sum += actuatorSlope(t, m->dof_act[k]) * gear * gear;
  }
  return sum;
}


// slope of the force on the dof of an element's row by the velocity of that of its column, which
// tendons couple
CF_TEAM_FN cfReal coupledSlope(const cfTeam* t, int e) {
  const cfTeamModel* m = t->m;
  cfReal sum = 0;
  for (int k = m->couple_adr[e]; k < m->couple_adr[e + 1]; k++) {
    const int u = m->couple_source[k];
    cfReal slope = 0;
    if (u < 0) {
      slope = m->has_damper ? -CF_OWN(t, tendon_damping)[-1 - u] : 0;
    } else if (m->has_actuation) {
      const cfReal gear = CF_OWN(t, actuator_gear)[6 * u];
      slope = actuatorSlope(t, u) * gear * gear;
    }
    sum += slope * m->couple_coef[k];
  }
  return sum;
}


// acceleration with the forces at the end of the step, by a lower triangle
CF_TEAM_FN void dampedByRows(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  cfReal* A = CF_WORLD(t, dense_M);
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    A[i * (i + 1) / 2 + i] -= m->timestep * dofSlope(t, i);
  }
  teamSync(t);
  for (int e = t->thread; CF_TEAM_RARE(m->ncouple && e < m->nC); e += CF_TEAM_WIDTH) {
    const int row = m->M_rowind[e];
    A[row * (row + 1) / 2 + m->M_colind[e]] -= m->timestep * coupledSlope(t, e);
  }
  if (CF_TEAM_RARE(m->ncouple)) {
    teamSync(t);
  }
  CF_SOLVE_DENSE(t, dense_M, qacc_damped, m->nv);
}


// the same by the pattern of M
CF_TEAM_FN void dampedByPattern(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  const cfReal* M = CF_WORLD(t, M);
  cfReal* qH = CF_WORLD(t, qH);
  for (int e = t->thread; e < m->nC; e += CF_TEAM_WIDTH) {
    const int row = m->M_rowind[e];
    qH[e] = M[e] - (row == m->M_colind[e] ? m->timestep * dofSlope(t, row) : 0) -
            (m->ncouple ? m->timestep * coupledSlope(t, e) : 0);
  }
  teamSync(t);
  teamFactor(t, qH, CF_WORLD(t, qHDiagInv));
  teamSolveFactored(t, CF_WORLD(t, qacc_damped), qH, CF_WORLD(t, qHDiagInv));
}


CF_TEAM_FN void dampedAcceleration(const cfTeam* t) {
  for (int i = t->thread; i < t->m->nv; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, qacc_damped)[i] = CF_WORLD(t, qfrc_smooth)[i] + CF_WORLD(t, qfrc_constraint)[i];
  }
  if (CF_TEAM_DENSE(t)) {
    dampedByRows(t);
  } else {
    dampedByPattern(t);
  }
}


// activations of actuators whose group is disabled stay, but respect their limits
CF_TEAM_FN void advanceActivations(const cfTeam* t, const cfReal* act_dot) {
  const cfTeamModel* m = t->m;
  for (int u = t->thread; u < m->nu; u += CF_TEAM_WIDTH) {
    const int first = m->actuator_actadr[u];
    for (int k = first; first >= 0 && k < first + m->actuator_actnum[u]; k++) {
      const cfReal rate = m->actuator_acts[u] ? act_dot[k] : 0;
      CF_WORLD(t, act)[k] = lawNextActivation(t, u, k, rate);
    }
  }
}


// positions of a joint after the time h at the velocity `qvel`
CF_TEAM_FN void advanceJoint(const cfTeam* t, int j, const cfReal* qvel, cfReal h) {
  const cfTeamModel* m = t->m;
  CF_ASSERT_INDEX(j, t->m->njnt);
  lawAdvanceJoint(CF_WORLD(t, qpos) + m->jnt_qposadr[j], qvel + m->jnt_dofadr[j], m->jnt_type[j],
                  h);
}

// ---------------------------------------- Runge-Kutta

// numbers of the state at the beginning of a step
CF_TEAM_FN void restoreStart(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  for (int i = t->thread; i < m->nq; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, qpos)[i] = CF_WORLD(t, start_qpos)[i];
  }
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, qvel)[i] = CF_WORLD(t, start_qvel)[i];
  }
  for (int i = t->thread; i < m->na; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, act)[i] = CF_WORLD(t, start_act)[i];
  }
  teamSync(t);
}


CF_TEAM_FN void saveStart(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  for (int i = t->thread; i < m->nq; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, start_qpos)[i] = CF_WORLD(t, qpos)[i];
  }
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, start_qvel)[i] = CF_WORLD(t, qvel)[i];
    CF_WORLD(t, mean_qvel)[i] = CF_WORLD(t, mean_qacc)[i] = 0;
  }
  for (int i = t->thread; i < m->na; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, start_act)[i] = CF_WORLD(t, act)[i];
    CF_WORLD(t, mean_act)[i] = 0;
  }
}


// state = start + dt*(derivatives of this evaluation)
CF_TEAM_FN void moveState(const cfTeam* t, cfReal dt) {
  const cfTeamModel* m = t->m;
  for (int i = t->thread; i < m->nq; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, qpos)[i] = CF_WORLD(t, start_qpos)[i];
  }
  teamSync(t);
  for (int j = t->thread; j < m->njnt; j += CF_TEAM_WIDTH) {
    advanceJoint(t, j, CF_WORLD(t, qvel), dt);
  }
  teamSync(t);
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, qvel)[i] = CF_WORLD(t, start_qvel)[i] + dt * CF_WORLD(t, qacc)[i];
  }
  for (int i = t->thread; i < m->na; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, act)[i] = CF_WORLD(t, start_act)[i] + dt * CF_WORLD(t, act_dot)[i];
  }
  teamSync(t);
}


// after evaluation 0..3 of a step: add to the mean, and go where the next one is made
CF_TEAM_FN void cfi_teamEvaluated(const cfTeam* t, int evaluation) {
  const cfTeamModel* m = t->m;
  const bool is_end = evaluation == 0 || evaluation == 3;
  const cfReal weight = is_end ? CF_R(1.0) / 6 : CF_R(1.0) / 3;
  CF_ASSERT_INDEX(evaluation, 4);
  if (evaluation == 0) {
    saveStart(t);
  }
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, mean_qvel)[i] += weight * CF_WORLD(t, qvel)[i];
    CF_WORLD(t, mean_qacc)[i] += weight * CF_WORLD(t, qacc)[i];
  }
  for (int i = t->thread; i < m->na; i += CF_TEAM_WIDTH) {
    CF_WORLD(t, mean_act)[i] += weight * CF_WORLD(t, act_dot)[i];
  }
  teamSync(t);
  if (evaluation < 3) {
    moveState(t, evaluation < 2 ? m->timestep / 2 : m->timestep);
  } else {
    restoreStart(t);
  }
}


// stage INTEGRATE.  reads: M, qfrc_smooth, qfrc_constraint, qacc, act_dot, actuator_force.
// writes: act, qvel, qpos, qacc_warmstart.
CF_TEAM_FN void cfi_teamIntegrate(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  const bool is_mean = m->evaluations > 1;
  const cfReal* qacc = CF_WORLD(t, qacc);
  const cfReal* acc = is_mean ? CF_WORLD(t, mean_qacc) : qacc;
  cfReal* qvel = CF_WORLD(t, qvel);
  if (m->is_damped) {
    dampedAcceleration(t);
    acc = CF_WORLD(t, qacc_damped);
  }
  if (CF_TEAM_RARE(m->has_actuation && m->na)) {
    advanceActivations(t, is_mean ? CF_WORLD(t, mean_act) : CF_WORLD(t, act_dot));
  }
  for (int i = t->thread; i < m->nv; i += CF_TEAM_WIDTH) {
    qvel[i] += m->timestep * acc[i];
    CF_WORLD(t, qacc_warmstart)[i] = qacc[i];
  }
  teamSync(t);
  for (int j = t->thread; j < m->njnt; j += CF_TEAM_WIDTH) {
    advanceJoint(t, j, is_mean ? CF_WORLD(t, mean_qvel) : qvel, m->timestep);
  }
  teamSync(t);
}
