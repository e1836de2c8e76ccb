// Passive forces, actuators of scalar joints and the acceleration without constraints, in the order
// of dynamics/passive.c, actuation.c, activation.c and acceleration.c.

// torque of a ball or free joint towards its reference, world by world: it needs an arc tangent
static void laneRotationSpring(cfLaneGroup* g, int dof, int q, mjtNum stiffness) {
  for (int w = 0; w < CF_LANES; w++) {
    mjtNum unit[4], turn[3];
    for (int k = 0; k < 4; k++) {
      unit[k] = g->qpos[CF_LANES * (q + k) + w];
    }
    cfi_normalize4(unit);
    cfi_subQuat(turn, unit, g->m->qpos_spring + q);
    for (int k = 0; k < 3; k++) {
      g->qfrc_spring[CF_LANES * (dof + k) + w] = turn[k] * -stiffness;
    }
  }
}


static void laneJointSpring(cfLaneGroup* g, int j) {
  const mjModel* m = g->m;
  const int type = m->jnt_type[j], dof = m->jnt_dofadr[j], q = m->jnt_qposadr[j];
  const int nlinear = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
  const mjtNum stiffness = m->jnt_stiffness[j];
  for (int k = 0; k < nlinear; k++) {
    CF_AT(qfrc_spring)[dof + k] = -stiffness * (CF_AT(qpos)[q + k] - m->qpos_spring[q + k]);
  }
  if (type == mjJNT_FREE || type == mjJNT_BALL) {
    laneRotationSpring(g, dof + nlinear, q + nlinear, stiffness);
  }
}


static void lanePassive(cfLaneGroup* g) {
  const mjModel* m = g->m;
  const bool has_spring = !(m->opt.disableflags & mjDSBL_SPRING),
             has_damper = !(m->opt.disableflags & mjDSBL_DAMPER);
  cfVec *spring = CF_AT(qfrc_spring), *damper = CF_AT(qfrc_damper);
  laneZero(spring, (int)m->nv);
  laneZero(damper, (int)m->nv);
  for (int j = 0; j < m->njnt && has_spring; j++) {
    if (m->jnt_stiffness[j] != 0) {
      laneJointSpring(g, j);
    }
  }
  for (int i = 0; i < m->nv && has_damper; i++) {
    if (m->dof_damping[i] != 0) {
      damper[i] = -m->dof_damping[i] * CF_AT(qvel)[i];
    }
  }
  laneAdd(CF_AT(qfrc_passive), spring, damper, (int)m->nv);
}


// ---------------------------------------- actuators

// clamped controls; false: some are bad
static bool laneControls(cfLaneGroup* g) {
  const mjModel* m = g->m;
  const bool clamps = !(m->opt.disableflags & mjDSBL_CLAMPCTRL);
  cfMask bad = {0};
  for (int u = 0; u < m->nu; u++) {
    const mjtNum* range = m->actuator_ctrlrange + 2 * u;
    cfVec x = CF_AT(ctrl)[u];
    if (clamps && m->actuator_ctrllimited[u]) {
      x = laneClip(x, laneOf(range[0]), laneOf(range[1]));
    }
    CF_AT(control)[u] = x;
    bad |= ~(laneAbs(x) <= mjMAXVAL);
  }
  return !laneAny(bad);
}


// activation one timestep later
static cfVec laneNextActivation(const cfLaneGroup* g, int u, int k, cfVec rate) {
  const mjModel* m = g->m;
  const mjtNum h = m->opt.timestep, *range = m->actuator_actrange + 2 * u;
  cfVec next = CF_AT(act)[k];
  if (m->actuator_dyntype[u] == mjDYN_FILTEREXACT) {
    const mjtNum tau = cfi_max(mjMINVAL, m->actuator_dynprm[u * mjNDYN]);
    next = next + rate * tau * (1 - exp(-h / tau));
  } else {
    next = next + rate * h;
  }
  return m->actuator_actlimited[u] ? laneClip(next, laneOf(range[0]), laneOf(range[1])) : next;
}


static void laneActivationRate(cfLaneGroup* g, int u) {
  const mjModel* m = g->m;
  const int first = m->actuator_actadr[u], count = m->actuator_actnum[u], last = first + count - 1;
  const cfVec ctrl = CF_AT(control)[u];
  if (first < 0) {
    return;
  }
  laneZero(CF_AT(act_dot) + first, count);
  cfVec rate = ctrl;
  if (m->actuator_dyntype[u] != mjDYN_INTEGRATOR) {
    rate = (ctrl - CF_AT(act)[last]) / cfi_max(mjMINVAL, m->actuator_dynprm[mjNDYN * u]);
  }
  CF_AT(act_dot)[last] = rate;
}


static cfVec laneAffine(const cfLaneGroup* g, const mjtNum c[3], int u) {
  return c[0] + c[1] * CF_AT(actuator_length)[u] + c[2] * CF_AT(actuator_velocity)[u];
}


static cfVec laneActuatorForce(const cfLaneGroup* g, int u) {
  const mjModel* m = g->m;
  const mjtNum *gainprm = m->actuator_gainprm + mjNGAIN * u,
               *biasprm = m->actuator_biasprm + mjNBIAS * u;
  const cfVec gain =
      m->actuator_gaintype[u] == mjGAIN_FIXED ? laneOf(gainprm[0]) : laneAffine(g, gainprm, u);
  const cfVec bias = m->actuator_biastype[u] == mjBIAS_NONE ? laneOf(0) : laneAffine(g, biasprm, u);
  cfVec input = CF_AT(control)[u];
  if (m->actuator_actadr[u] >= 0) {
    const int last = m->actuator_actadr[u] + m->actuator_actnum[u] - 1;
    input = m->actuator_actearly[u] ? laneNextActivation(g, u, last, CF_AT(act_dot)[last])
                                    : CF_AT(act)[last];
  }
  return gain * input + bias;
}


// joint forces; adding the product with a force that is zero changes nothing
static void laneJointForces(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfVec* qfrc = CF_AT(qfrc_actuator);
  laneZero(qfrc, (int)m->nv);
  for (int u = 0; u < m->nu; u++) {
    const int dof = m->jnt_dofadr[m->actuator_trnid[2 * u]];
    qfrc[dof] = qfrc[dof] + m->actuator_gear[6 * u] * CF_AT(actuator_force)[u];
  }
  for (int j = 0; j < m->njnt && m->nu; j++) {
    if (m->jnt_actfrclimited[j]) {
      const mjtNum* range = m->jnt_actfrcrange + 2 * j;
      cfVec* force = qfrc + m->jnt_dofadr[j];
      *force = laneClip(*force, laneOf(range[0]), laneOf(range[1]));
    }
  }
}


// false, and nothing written but lengths: some control is bad
static bool laneActuation(cfLaneGroup* g) {
  const mjModel* m = g->m;
  for (int u = 0; u < m->nu; u++) {
    const int joint = m->actuator_trnid[2 * u];
    const mjtNum gear = m->actuator_gear[6 * u];
    CF_AT(actuator_length)[u] = CF_AT(qpos)[m->jnt_qposadr[joint]] * gear;
    CF_AT(actuator_velocity)[u] = 0.0 + gear * CF_AT(qvel)[m->jnt_dofadr[joint]];
  }
  if (!laneControls(g)) {
    return false;
  }
  for (int u = 0; u < m->nu; u++) {
    const mjtNum* range = m->actuator_forcerange + 2 * u;
    laneActivationRate(g, u);
    cfVec force = cfi_actuatorDisabled(m, u) ? laneOf(0) : laneActuatorForce(g, u);
    if (m->actuator_forcelimited[u]) {
      force = laneClip(force, laneOf(range[0]), laneOf(range[1]));
    }
    CF_AT(actuator_force)[u] = force;
  }
  laneJointForces(g);
  return true;
}


static void laneAcceleration(cfLaneGroup* g) {
  const mjModel* m = g->m;
  for (int i = 0; i < m->nv; i++) {
    const cfVec sum = CF_AT(qfrc_passive)[i] - CF_AT(qfrc_bias)[i] + CF_AT(qfrc_applied)[i];
    CF_AT(qfrc_smooth)[i] = CF_AT(qacc_smooth)[i] = sum + CF_AT(qfrc_actuator)[i];
  }
  laneSolve(m, CF_AT(qacc_smooth), CF_AT(qLD), CF_AT(qLDiagInv));
}
