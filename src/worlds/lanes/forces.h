// Passive forces, actuators of scalar joints and the acceleration without constraints, in the order
// of dynamics/passive.c, actuation.c, activation.c and acceleration.c.

// torque of a ball or free joint towards its reference
static void laneRotationSpring(cfLaneGroup* g, int dof, int q, cfVec stiffness) {
  cfVec rest[4], torque[3];
  CF_COPY_OF(rest, qpos_spring, q, 4)
  lawRotationSpring(torque, CF_AT(qpos) + q, rest, stiffness);
  for (int k = 0; k < 3; k++) {
    CF_AT(qfrc_spring)[dof + k] = laneSelect(stiffness != 0.0, torque[k], laneOf(0));
  }
}


static void laneJointSpring(cfLaneGroup* g, int j) {
  const mjModel* m = g->m;
  const int type = m->jnt_type[j], dof = m->jnt_dofadr[j], q = m->jnt_qposadr[j];
  const int nlinear = cfi_jointLinear(type);
  const cfVec stiffness = CF_OF(jnt_stiffness, j);
  const cfMask is_stiff = stiffness != 0.0;
  if (laneNone(is_stiff)) {
    return;
  }
  for (int k = 0; k < nlinear; k++) {
    const cfVec force = lawSpring(stiffness, CF_AT(qpos)[q + k], CF_OF(qpos_spring, q + k));
    CF_AT(qfrc_spring)[dof + k] = laneSelect(is_stiff, force, laneOf(0));
  }
  if (cfi_hasQuat(type)) {
    laneRotationSpring(g, dof + nlinear, q + nlinear, stiffness);
  }
}


// force along a tendon; where it is zero nothing is added
static void lanePullTendon(cfVec* qfrc, const mjtNum* row, cfVec force, int nv) {
  const cfMask pulls = force != 0.0;
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
      const cfVec pull = lawTendonSpring(laneOf(m->tendon_stiffness[t]), laneTendonLength(g, t),
                                         laneOf(band[0]), laneOf(band[1]));
      lanePullTendon(CF_AT(qfrc_spring), row, pull, nv);
    }
    if (has_damper && m->tendon_damping[t] != 0) {
      cfVec velocity = laneOf(0);
      for (int k = 0; k < nv; k++) {
        velocity = velocity + row[k] * CF_AT(qvel)[k];
      }
      lanePullTendon(CF_AT(qfrc_damper), row, lawDamper(laneOf(m->tendon_damping[t]), velocity),
                     nv);
    }
  }
}


// is there gravity to compensate in some world; with springs and dampers off all passive forces are
static inline bool laneHasGravcomp(const cfLaneGroup* g) {
  const int off = mjDSBL_SPRING | mjDSBL_DAMPER;
  return g->lifted && (g->m->opt.disableflags & off) != off;
}


// lift bodies by a multiple of their weight; zero in worlds that do not
static void laneGravityCompensation(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfVec* qfrc = CF_AT(qfrc_gravcomp);
  laneZero(qfrc, (int)m->nv);
  const cfMask lifts = laneOfBits(g->lifted);
  for (int b = 1; b < m->nbody && laneHasGravcomp(g); b++) {
    const cfVec share = laneSelect(lifts, CF_OF(body_gravcomp, b), laneOf(0));
    const cfVec scale = -(CF_OF(body_mass, b) * share);
    if (laneNone(share != 0.0)) {
      continue;
    }
    cfVec offset[3], wrench[6];
    for (int k = 0; k < 3; k++) {
      wrench[3 + k] = CF_GRAVITY(k) * scale;
    }
    numSub3(offset, CF_AT(xipos) + 3 * b, CF_AT(subtree_com) + 3 * m->body_rootid[b]);
    numCross(wrench, offset, wrench + 3);
    for (int i = cfi_lastDof(m, b); i >= 0; i = m->dof_parentid[i]) {
      qfrc[i] = qfrc[i] + numDot6(CF_AT(cdof) + 6 * i, wrench);
    }
  }
}


// joints whose actuators carry it are left out
static void laneSumPassive(cfLaneGroup* g) {
  const mjModel* m = g->m;
  const bool has_gravcomp = laneHasGravcomp(g);
  const cfMask lifts = laneOfBits(g->lifted);
  for (int i = 0; i < m->nv; i++) {
    cfVec sum = CF_AT(qfrc_spring)[i] + CF_AT(qfrc_damper)[i];
    if (has_gravcomp && !m->jnt_actgravcomp[m->dof_jntid[i]]) {
      sum = laneSelect(lifts, sum + CF_AT(qfrc_gravcomp)[i], sum);
    }
    CF_AT(qfrc_passive)[i] = sum;
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
    laneJointSpring(g, j);
  }
  for (int i = 0; i < m->nv && has_damper; i++) {
    const cfVec damping = CF_OF(dof_damping, i);
    damper[i] = laneSelect(damping != 0.0, lawDamper(damping, CF_AT(qvel)[i]), laneOf(0));
  }
  laneTendonForces(g, has_spring, has_damper);
  laneGravityCompensation(g);
  laneSumPassive(g);
}


// ---------------------------------------- actuators

// clamped controls; false: some are bad
static bool laneControls(cfLaneGroup* g) {
  const mjModel* m = g->m;
  const bool clamps = !(m->opt.disableflags & mjDSBL_CLAMPCTRL);
  cfMask bad = {0};
  for (int u = 0; u < m->nu; u++) {
    cfVec x = CF_AT(ctrl)[u];
    if (clamps && m->actuator_ctrllimited[u]) {
      x = laneClip(x, CF_OF(actuator_ctrlrange, 2 * u), CF_OF(actuator_ctrlrange, 2 * u + 1));
    }
    CF_AT(control)[u] = x;
    bad |= ~(laneAbs(x) <= mjMAXVAL);
  }
  return !laneAny(bad);
}


static void laneActivationRate(cfLaneGroup* g, int u) {
  const mjModel* m = g->m;
  const int first = m->actuator_actadr[u], count = m->actuator_actnum[u], last = first + count - 1;
  const cfVec ctrl = CF_AT(control)[u];
  if (first < 0) {
    return;
  }
  laneZero(CF_AT(act_dot) + first, count);
  CF_AT(act_dot)[last] = lawActivationRate(g, u, ctrl, CF_AT(act)[last]);
}


static cfVec laneActuatorForce(const cfLaneGroup* g, int u) {
  const cfVec length = CF_AT(actuator_length)[u], velocity = CF_AT(actuator_velocity)[u];
  const cfVec gain = lawGain(g, u, length, velocity), bias = lawBias(g, u, length, velocity);
  return gain * lawActuatorInput(g, u, CF_AT(control)[u]) + bias;
}


// joint forces; adding the product with a force that is zero changes nothing
static void laneJointForces(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfVec* qfrc = CF_AT(qfrc_actuator);
  laneZero(qfrc, (int)m->nv);
  for (int u = 0; u < m->nu; u++) {
    const int dof = m->jnt_dofadr[m->actuator_trnid[2 * u]];
    qfrc[dof] = qfrc[dof] + CF_OF(actuator_gear, 6 * u) * CF_AT(actuator_force)[u];
  }
  for (int i = 0; i < m->nv && m->nu && laneHasGravcomp(g); i++) {
    if (m->jnt_actgravcomp[m->dof_jntid[i]]) {
      qfrc[i] = qfrc[i] + CF_AT(qfrc_gravcomp)[i];
    }
  }
  for (int j = 0; j < m->njnt && m->nu; j++) {
    if (m->jnt_actfrclimited[j]) {
      cfVec* force = qfrc + m->jnt_dofadr[j];
      *force = laneClip(*force, CF_OF(jnt_actfrcrange, 2 * j), CF_OF(jnt_actfrcrange, 2 * j + 1));
    }
  }
}


// false, and nothing written but lengths: some control is bad
static bool laneActuation(cfLaneGroup* g) {
  const mjModel* m = g->m;
  for (int u = 0; u < m->nu; u++) {
    const int joint = m->actuator_trnid[2 * u];
    const cfVec gear = CF_OF(actuator_gear, 6 * u);
    CF_AT(actuator_length)[u] = CF_AT(qpos)[m->jnt_qposadr[joint]] * gear;
    CF_AT(actuator_velocity)[u] = 0.0 + gear * CF_AT(qvel)[m->jnt_dofadr[joint]];
  }
  if (!laneControls(g)) {
    return false;
  }
  for (int u = 0; u < m->nu; u++) {
    cfVec force = laneOf(0);
    laneActivationRate(g, u);
    if (!cfi_actuatorDisabled(m, u)) {
      force = laneActuatorForce(g, u);
    }
    if (m->actuator_forcelimited[u]) {
      force =
          laneClip(force, CF_OF(actuator_forcerange, 2 * u), CF_OF(actuator_forcerange, 2 * u + 1));
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
