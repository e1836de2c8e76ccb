// Semi-implicit Euler and implicitfast, in the order of pipeline/euler.c, implicit.c, advance.c,
// derivative/forcevel.c and kinematics/configuration.c.

// Euler: damping alone, with the opposite sign
static void laneEulerSlopes(cfLaneGroup* g) {
  for (int i = 0; i < g->m->nv; i++) {
    CF_AT(slope)[i] = laneOf(g->m->dof_damping[i]);
  }
}


// slope of an actuator's force by its velocity; zero where the force is at its limit
static cfVec laneActuatorSlope(const cfLaneGroup* g, int u) {
  const mjModel* m = g->m;
  const mjtNum *gain = m->actuator_gainprm + mjNGAIN * u, *range = m->actuator_forcerange + 2 * u;
  cfVec slope = laneOf(0);
  if (m->actuator_gaintype[u] == mjGAIN_AFFINE && gain[2] != 0) {
    slope = gain[2] * laneActuatorInput(g, u, CF_AT(ctrl)[u]);
  }
  if (m->actuator_biastype[u] == mjBIAS_AFFINE) {
    slope = m->actuator_biasprm[mjNBIAS * u + 2] + slope;
  }
  if (m->actuator_forcelimited[u]) {
    const cfVec force = CF_AT(actuator_force)[u];
    slope = laneSelect((force <= range[0]) | (force >= range[1]), laneOf(0), slope);
  }
  return slope;
}


// implicitfast: diagonal of qDeriv, which has nothing beside it here
static void laneImplicitSlopes(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfVec* sum = CF_AT(slope);
  laneZero(sum, (int)m->nv);
  for (int u = 0; u < m->nu; u++) {
    if (!cfi_actuatorDisabled(m, u)) {
      const mjtNum gear = m->actuator_gear[6 * u];
      const int dof = m->jnt_dofadr[m->actuator_trnid[2 * u]];
      sum[dof] = sum[dof] + laneActuatorSlope(g, u) * gear * gear;
    }
  }
  for (int i = 0; i < m->nv && !(m->opt.disableflags & mjDSBL_DAMPER); i++) {
    sum[i] = sum[i] - m->dof_damping[i];
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
  laneCopy(CF_AT(qH), CF_AT(M), (int)m->nC);
  for (int i = 0; i < m->nv; i++) {
    cfVec* diagonal = CF_AT(qH) + m->M_rowadr[i] + m->M_rownnz[i] - 1;
    const cfVec change = m->opt.timestep * CF_AT(slope)[i];
    *diagonal = g->is_fast ? *diagonal - change : *diagonal + change;
  }
  laneFactor(m, CF_AT(qH), CF_AT(qHDiagInv));
}


// rotations need sine and cosine of the library: world by world
static void laneIntegrateQuat(cfLaneGroup* g, int q, int dof) {
  for (int w = 0; w < CF_LANES; w++) {
    mjtNum quat[4], vel[3];
    for (int k = 0; k < 4; k++) {
      quat[k] = g->qpos[CF_LANES * (q + k) + w];
    }
    for (int k = 0; k < 3; k++) {
      vel[k] = g->qvel[CF_LANES * (dof + k) + w];
    }
    cfi_quatIntegrate(quat, vel, g->m->opt.timestep);
    for (int k = 0; k < 4; k++) {
      g->qpos[CF_LANES * (q + k) + w] = quat[k];
    }
  }
}


static void laneIntegratePos(cfLaneGroup* g) {
  const mjModel* m = g->m;
  for (int j = 0; j < m->njnt; j++) {
    const int type = m->jnt_type[j], q = m->jnt_qposadr[j], dof = m->jnt_dofadr[j];
    const int nlinear = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
    for (int k = 0; k < nlinear; k++) {
      CF_AT(qpos)[q + k] = CF_AT(qpos)[q + k] + m->opt.timestep * CF_AT(qvel)[dof + k];
    }
    if (type == mjJNT_FREE || type == mjJNT_BALL) {
      laneIntegrateQuat(g, q + nlinear, dof + nlinear);
    }
  }
}


static void laneAdvanceActivations(cfLaneGroup* g) {
  const mjModel* m = g->m;
  if (m->opt.disableflags & mjDSBL_ACTUATION) {
    return;
  }
  for (int u = 0; u < m->nu; u++) {
    const int first = m->actuator_actadr[u];
    const bool acts = !cfi_actuatorDisabled(m, u);
    for (int k = first; k < first + m->actuator_actnum[u]; k++) {
      CF_AT(act)[k] = laneNextActivation(g, u, k, acts ? CF_AT(act_dot)[k] : laneOf(0));
    }
  }
}


static void laneIntegrate(cfLaneGroup* g) {
  const mjModel* m = g->m;
  const cfVec* acc = CF_AT(qacc);
  if (g->is_damped) {
    laneAdd(CF_AT(damped), CF_AT(qfrc_smooth), CF_AT(qfrc_constraint), (int)m->nv);
    laneSolve(m, CF_AT(damped), CF_AT(qH), CF_AT(qHDiagInv));
    acc = CF_AT(damped);
  }
  laneAdvanceActivations(g);
  for (int i = 0; i < m->nv; i++) {
    CF_AT(qvel)[i] = CF_AT(qvel)[i] + m->opt.timestep * acc[i];
  }
  laneIntegratePos(g);
}
