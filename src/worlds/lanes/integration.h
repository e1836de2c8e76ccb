// Semi-implicit Euler, implicitfast and Runge-Kutta, in the order of pipeline/euler.c, implicit.c,
// rungekutta.c, advance.c, derivative/forcevel.c and kinematics/configuration.c.

// Euler: damping alone, with the opposite sign
static void laneEulerSlopes(cfLaneGroup* g) {
  for (int i = 0; i < g->m->nv; i++) {
    CF_AT(slope)[i] = CF_OF(dof_damping, i);
  }
}


// implicitfast: diagonal of qDeriv, which has nothing beside it here
static void laneImplicitSlopes(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfVec* sum = CF_AT(slope);
  laneZero(sum, (int)m->nv);
  for (int u = 0; u < m->nu; u++) {
    if (!cfi_actuatorDisabled(m, u)) {
      const cfVec gear = CF_OF(actuator_gear, 6 * u);
      const int dof = m->jnt_dofadr[m->actuator_trnid[2 * u]];
      sum[dof] = sum[dof] + lawVelocitySlope(g, u, CF_AT(ctrl)[u]) * gear * gear;
    }
  }
  for (int i = 0; i < m->nv && !(m->opt.disableflags & mjDSBL_DAMPER); i++) {
    sum[i] = sum[i] - CF_OF(dof_damping, i);
  }
}


// factors of M with slopes on the diagonal; they do not need the constraint forces
static void laneFactorDamped(cfLaneGroup* g) {
  const mjModel* m = g->m;
  if (g->is_fast) {
    laneImplicitSlopes(g);
  } else {
    laneEulerSlopes(g);
  }
  numCopy(CF_AT(qH), CF_AT(M), (int)m->nC);
  for (int i = 0; i < m->nv; i++) {
    cfVec* diagonal = CF_AT(qH) + m->M_rowadr[i] + m->M_rownnz[i] - 1;
    const cfVec change = CF_TIMESTEP * CF_AT(slope)[i];
    if (g->is_fast) {
      *diagonal = *diagonal - change;
    } else {
      *diagonal = *diagonal + change;
    }
  }
  laneFactor(m, CF_AT(qH), CF_AT(qHDiagInv));
}


// qpos += dt*qvel
static void laneIntegratePos(cfLaneGroup* g, const mjtNum* qvel, cfVec dt) {
  const mjModel* m = g->m;
  for (int j = 0; j < m->njnt; j++) {
    lawAdvanceJoint(CF_AT(qpos) + m->jnt_qposadr[j], (const cfVec*)qvel + m->jnt_dofadr[j],
                    m->jnt_type[j], dt);
  }
}


static void laneAdvanceActivations(cfLaneGroup* g, const cfVec* act_dot) {
  const mjModel* m = g->m;
  if (m->opt.disableflags & mjDSBL_ACTUATION) {
    return;
  }
  for (int u = 0; u < m->nu; u++) {
    const int first = m->actuator_actadr[u];
    const bool acts = !cfi_actuatorDisabled(m, u);
    for (int k = first; k < first + m->actuator_actnum[u]; k++) {
      cfVec rate = laneOf(0);
      if (acts) {
        rate = act_dot[k];
      }
      CF_AT(act)[k] = lawNextActivation(g, u, k, rate);
    }
  }
}


// activations, velocities, then positions with `qvel`, which may be the new velocities
static void laneAdvance(cfLaneGroup* g, const cfVec* act_dot, const cfVec* acc,
                        const mjtNum* qvel) {
  const mjModel* m = g->m;
  laneAdvanceActivations(g, act_dot);
  for (int i = 0; i < m->nv; i++) {
    CF_AT(qvel)[i] = CF_AT(qvel)[i] + CF_TIMESTEP * acc[i];
  }
  laneIntegratePos(g, qvel, CF_TIMESTEP);
}


// Euler with damping of each world: one without any takes the acceleration as it is
static void laneKeepUndamped(cfLaneGroup* g) {
  cfMask has_damping = {0};
  for (int i = 0; i < g->m->nv; i++) {
    has_damping |= CF_AT(slope)[i] > 0.0;
  }
  for (int i = 0; i < g->m->nv; i++) {
    CF_AT(damped)[i] = laneSelect(has_damping, CF_AT(damped)[i], CF_AT(qacc)[i]);
  }
}


static void laneIntegrate(cfLaneGroup* g) {
  const mjModel* m = g->m;
  const cfVec* acc = CF_AT(qacc);
  if (g->is_damped) {
    laneAdd(CF_AT(damped), CF_AT(qfrc_smooth), CF_AT(qfrc_constraint), (int)m->nv);
    laneSolve(m, CF_AT(damped), CF_AT(qH), CF_AT(qHDiagInv));
    if (!g->is_fast) {
      laneKeepUndamped(g);
    }
    acc = CF_AT(damped);
  }
  laneAdvance(g, CF_AT(act_dot), acc, g->qvel);
}


// ---------------------------------------- Runge-Kutta

// sum += weight*x
static void laneAddRate(cfVec* sum, const cfVec* x, mjtNum weight, int n) {
  for (int i = 0; i < n; i++) {
    sum[i] = sum[i] + weight * x[i];
  }
}


static void laneSaveStart(cfLaneGroup* g) {
  const int nv = (int)g->m->nv, na = (int)g->m->na;
  numCopy(CF_AT(start_qpos), CF_AT(qpos), (int)g->m->nq);
  numCopy(CF_AT(start_qvel), CF_AT(qvel), nv);
  numCopy(CF_AT(start_act), CF_AT(act), na);
  laneZero(CF_AT(mean_qvel), nv);
  laneZero(CF_AT(mean_qacc), nv);
  laneZero(CF_AT(mean_act), na);
}


// state = start + dt*derivatives; positions need the velocity of this evaluation
static void laneMoveState(cfLaneGroup* g, cfVec dt) {
  const mjModel* m = g->m;
  numCopy(CF_AT(qpos), CF_AT(start_qpos), (int)m->nq);
  laneIntegratePos(g, g->qvel, dt);
  for (int i = 0; i < m->nv; i++) {
    CF_AT(qvel)[i] = CF_AT(start_qvel)[i] + dt * CF_AT(qacc)[i];
  }
  for (int i = 0; i < m->na; i++) {
    CF_AT(act)[i] = CF_AT(start_act)[i] + dt * CF_AT(act_dot)[i];
  }
}


static void laneRungeKutta(cfLaneGroup* g, int evaluation) {
  const mjModel* m = g->m;
  const mjtNum weight = evaluation == 0 || evaluation == 3 ? 1.0 / 6.0 : 1.0 / 3.0;
  if (evaluation == 0) {
    laneSaveStart(g);
  }
  laneAddRate(CF_AT(mean_qvel), CF_AT(qvel), weight, (int)m->nv);
  laneAddRate(CF_AT(mean_qacc), CF_AT(qacc), weight, (int)m->nv);
  laneAddRate(CF_AT(mean_act), CF_AT(act_dot), weight, (int)m->na);
  if (evaluation + 1 < CF_LANE_EVALUATIONS) {
    laneMoveState(g, cfi_laneReach(evaluation + 1) * CF_TIMESTEP);
    return;
  }
  numCopy(CF_AT(qpos), CF_AT(start_qpos), (int)m->nq);
  numCopy(CF_AT(qvel), CF_AT(start_qvel), (int)m->nv);
  numCopy(CF_AT(act), CF_AT(start_act), (int)m->na);
  laneAdvance(g, CF_AT(mean_act), CF_AT(mean_qacc), g->mean_qvel);
}


static bool laneIsGood(const cfLaneGroup* g) {
  cfMask is_bad = {0};
  for (int i = 0; i < g->m->nq; i++) {
    is_bad |= ~(laneAbs(CF_AT(qpos)[i]) <= mjMAXVAL);
  }
  for (int i = 0; i < g->m->nv; i++) {
    is_bad |= ~(laneAbs(CF_AT(qvel)[i]) <= mjMAXVAL);
  }
  return laneNone(is_bad);
}
