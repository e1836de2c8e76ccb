// Velocities of bodies and the bias force, in the order of dynamics/comvel.c and rne.c.

// three rotation axes at once
static void laneBallVelocity(cfVec cvel[6], cfVec* cdof_dot, const cfVec* cdof, const cfVec* qvel) {
  cfVec own[6];
  for (int k = 0; k < 3; k++) {
    numCrossMotion(cdof_dot + 6 * k, cvel, cdof + 6 * k);
  }
  laneMulDofs(own, cdof, qvel, 3);
  laneAdd(cvel, cvel, own, 6);
}


static void laneJointVelocity(cfVec cvel[6], cfLaneGroup* g, int joint) {
  const int dof = g->m->jnt_dofadr[joint], type = g->m->jnt_type[joint];
  const cfVec *cdof = CF_AT(cdof) + 6 * dof, *qvel = CF_AT(qvel) + dof;
  cfVec *cdof_dot = CF_AT(cdof_dot) + 6 * dof, own[6];
  if (cfi_isScalarJoint(type)) {
    numCrossMotion(cdof_dot, cvel, cdof);
    laneAddScaled(cvel, cdof, qvel[0], 6);
  } else if (type == mjJNT_BALL) {
    laneBallVelocity(cvel, cdof_dot, cdof, qvel);
  } else {
    laneZero(cdof_dot, 18);
    laneMulDofs(own, cdof, qvel, 3);
    laneAdd(cvel, cvel, own, 6);
    laneBallVelocity(cvel, cdof_dot + 18, cdof + 18, qvel + 3);
  }
}


static void laneComVel(cfLaneGroup* g) {
  const mjModel* m = g->m;
  laneZero(CF_AT(cvel), 6);
  for (int i = 1; i < m->nbody; i++) {
    cfVec cvel[6];
    numCopy(cvel, CF_AT(cvel) + 6 * m->body_parentid[i], 6);
    for (int j = m->body_jntadr[i]; j < m->body_jntadr[i] + m->body_jntnum[i]; j++) {
      laneJointVelocity(cvel, g, j);
    }
    numCopy(CF_AT(cvel) + 6 * i, cvel, 6);
  }
}


// force that moves a body
CF_LANE_INLINE void laneMovingForce(cfVec force[6], const cfLaneGroup* g, int i,
                                    const cfVec acc[6]) {
  const cfVec *cinert = CF_AT(cinert) + 10 * i, *cvel = CF_AT(cvel) + 6 * i;
  cfVec momentum[6], part[6];
  numMulInertia(force, cinert, acc);
  numMulInertia(momentum, cinert, cvel);
  numCrossForce(part, cvel, momentum);
  laneAdd(force, force, part, 6);
}


// gravity enters as if everything were lifted
static void laneWorldAcceleration(cfVec acc[6], const cfLaneGroup* g) {
  laneZero(acc, 6);
  for (int k = 0; k < 3 && !(g->m->opt.disableflags & mjDSBL_GRAVITY); k++) {
    acc[3 + k] = CF_GRAVITY(k) * -1.0;
  }
}


// acceleration of a body without qacc, and the force that it needs
static void laneBodyForce(cfLaneGroup* g, int i) {
  const mjModel* m = g->m;
  const int first = m->body_dofadr[i], count = m->body_dofnum[i];
  cfVec *acc = CF_AT(body_acc) + 6 * i, *force = CF_AT(body_force) + 6 * i, part[6];
  numCopy(acc, CF_AT(body_acc) + 6 * m->body_parentid[i], 6);
  if (count > 0) {
    laneMulDofs(part, CF_AT(cdof_dot) + 6 * first, CF_AT(qvel) + first, count);
    laneAdd(acc, acc, part, 6);
  }
  laneMovingForce(force, g, i, acc);
}


static void laneBias(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfVec *acc = CF_AT(body_acc), *force = CF_AT(body_force);
  laneWorldAcceleration(acc, g);
  laneZero(force, 6);
  for (int i = 1; i < m->nbody; i++) {
    laneBodyForce(g, i);
  }
  for (int i = (int)m->nbody - 1; i > 0; i--) {
    const int parent = m->body_parentid[i];
    if (parent > 0) {
      laneAdd(force + 6 * parent, force + 6 * parent, force + 6 * i, 6);
    }
  }
  for (int i = 0; i < m->nv; i++) {
    CF_AT(qfrc_bias)[i] = numDot6(CF_AT(cdof) + 6 * i, force + 6 * m->dof_bodyid[i]);
  }
}


static void laneMotion(cfLaneGroup* g) {
  laneComVel(g);
  laneBias(g);
}
