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


// force along a tendon; where it is zero nothing is added
static void lanePullTendon(cfVec* qfrc, const mjtNum* row, cfVec force, int nv) {
  const cfMask pulls = force != 0;
  for (int k = 0; k < nv; k++) {
    qfrc[k] = laneSelect(pulls, qfrc[k] + force * row[k], qfrc[k]);
  }
}


static cfVec laneTendonLength(const cfLaneGroup* g, int t) {
  const mjModel* m = g->m;
  cfVec length = laneOf(0);
  for (int w = m->tendon_adr[t]; w < m->tendon_adr[t] + m->tendon_num[t]; w++) {
    length = length + m->wrap_prm[w] * CF_AT(qpos)[m->jnt_qposadr[m->wrap_objid[w]]];
  }
  return length;
}


// springs act outside the dead band of fixed tendons
static void laneTendonForces(cfLaneGroup* g, bool has_spring, bool has_damper) {
  const mjModel* m = g->m;
  const int nv = (int)m->nv;
  for (int t = 0; t < m->ntendon; t++) {
    const mjtNum *row = g->tendon_row + (size_t)t * (size_t)nv,
                 *band = m->tendon_lengthspring + 2 * t;
    if (has_spring && m->tendon_stiffness[t] != 0) {
      const cfVec length = laneTendonLength(g, t);
      const cfVec nearest = laneClip(length, laneOf(band[0]), laneOf(band[1]));
      lanePullTendon(CF_AT(qfrc_spring), row, m->tendon_stiffness[t] * (nearest - length), nv);
    }
    if (has_damper && m->tendon_damping[t] != 0) {
      cfVec velocity = laneOf(0);
      for (int k = 0; k < nv; k++) {
        velocity = velocity + row[k] * CF_AT(qvel)[k];
      }
      lanePullTendon(CF_AT(qfrc_damper), row, -m->tendon_damping[t] * velocity, nv);
    }
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
  laneTendonForces(g, has_spring, has_damper);
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


// what the gain multiplies: control, activation, or the activation one step ahead
static cfVec laneActuatorInput(const cfLaneGroup* g, int u, cfVec ctrl) {
  const mjModel* m = g->m;
  if (m->actuator_actadr[u] < 0) {
    return ctrl;
  }
  const int last = m->actuator_actadr[u] + m->actuator_actnum[u] - 1;
  if (m->actuator_actearly[u]) {
    return laneNextActivation(g, u, last, CF_AT(act_dot)[last]);
  }
  return CF_AT(act)[last];
}


static cfVec laneActuatorForce(const cfLaneGroup* g, int u) {
  const mjModel* m = g->m;
  const mjtNum *gainprm = m->actuator_gainprm + mjNGAIN * u,
               *biasprm = m->actuator_biasprm + mjNBIAS * u;
  cfVec gain = laneOf(gainprm[0]), bias = laneOf(0);
  if (m->actuator_gaintype[u] != mjGAIN_FIXED) {
    gain = laneAffine(g, gainprm, u);
  }
  if (m->actuator_biastype[u] != mjBIAS_NONE) {
    bias = laneAffine(g, biasprm, u);
  }
  return gain * laneActuatorInput(g, u, CF_AT(control)[u]) + bias;
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
