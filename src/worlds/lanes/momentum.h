// Velocities and angular momenta of subtrees, in the order of dynamics/comvel.c.

// velocity of a body's center of mass, world axes
static inline void laneBodyVelocity(cfVec res[6], const cfLaneGroup* g, int i) {
  const mjModel* m = g->m;
  const cfVec* cvel = CF_AT(cvel) + 6 * i;
  cfVec arm[3], shift[3];
  if (m->body_weldid[i] == 0) {
    laneZero(res, 6);
    return;
  }
  numSub3(arm, CF_AT(xipos) + 3 * i, CF_AT(subtree_com) + 3 * m->body_rootid[i]);
  numCross(shift, arm, cvel);
  numCopy3(res, cvel);
  numSub3(res + 3, cvel + 3, shift);
}


// linear and angular momentum of one body about its own center of mass
static void laneBodyMomentum(cfLaneGroup* g, int i, const cfVec velocity[6]) {
  const cfVec* R = CF_AT(ximat) + 9 * i;
  cfVec spin[3];
  numScale3(CF_AT(subtree_linvel) + 3 * i, velocity + 3, CF_OF(body_mass, i));
  for (int k = 0; k < 3; k++) {
    spin[k] = R[k] * velocity[0] + R[k + 3] * velocity[1] + R[k + 6] * velocity[2];
    spin[k] = spin[k] * CF_OF(body_inertia, 3 * i + k);
  }
  numMulMatVec3(CF_AT(subtree_angmom) + 3 * i, R, spin);
}


// angular momentum of a mass that moves relative to a center
static inline void laneAddOrbital(cfVec res[3], cfVec mass, const cfVec pos[3], const cfVec vel[3],
                                  const cfVec center[3], const cfVec center_vel[3]) {
  cfVec momentum[3], arm[3], orbital[3];
  for (int k = 0; k < 3; k++) {
    arm[k] = pos[k] - center[k];
    momentum[k] = (vel[k] - center_vel[k]) * mass;
  }
  numCross(orbital, arm, momentum);
  numAdd3(res, res, orbital);
}


// linear: momenta add up along the tree, then become velocities
static void laneSubtreeLinear(cfLaneGroup* g) {
  const mjModel* m = g->m;
  for (int i = (int)m->nbody - 1; i >= 0; i--) {
    cfVec* linvel = CF_AT(subtree_linvel) + 3 * i;
    if (i) {
      cfVec* up = CF_AT(subtree_linvel) + 3 * m->body_parentid[i];
      numAdd3(up, up, linvel);
    }
    numScale3(linvel, linvel, 1.0 / laneMax(laneOf(mjMINVAL), CF_OF(body_subtreemass, i)));
  }
}


// angular: the body about its subtree's center, then the subtree about its parent's
static void laneMomentum(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfVec* velocity = CF_AT(body_acc);  // scratch of the bias forces
  for (int i = 0; i < m->nbody; i++) {
    laneBodyVelocity(velocity + 6 * i, g, i);
    laneBodyMomentum(g, i, velocity + 6 * i);
  }
  laneSubtreeLinear(g);
  for (int i = (int)m->nbody - 1; i > 0; i--) {
    const int up = m->body_parentid[i];
    const cfVec *com = CF_AT(subtree_com), *linvel = CF_AT(subtree_linvel);
    cfVec *own = CF_AT(subtree_angmom) + 3 * i, *above = CF_AT(subtree_angmom) + 3 * up;
    laneAddOrbital(own, CF_OF(body_mass, i), CF_AT(xipos) + 3 * i, velocity + 6 * i + 3,
                   com + 3 * i, linvel + 3 * i);
    numAdd3(above, above, own);
    laneAddOrbital(above, CF_OF(body_subtreemass, i), com + 3 * i, linvel + 3 * i, com + 3 * up,
                   linvel + 3 * up);
  }
}
