// Accelerations of bodies and the forces between them, given the forces from outside: the second
// half of constraint/rnepost.c.

static void laneReaction(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfVec *cacc = CF_AT(cacc), *force = CF_AT(cfrc_int);
  laneWorldAcceleration(cacc, g);
  laneZero(force, 6);
  for (int i = 1; i < m->nbody; i++) {
    const int first = m->body_dofadr[i], count = m->body_dofnum[i];
    cfVec *acc = cacc + 6 * i, part[6];
    numCopy(acc, cacc + 6 * m->body_parentid[i], 6);
    if (count > 0) {
      laneMulDofs(part, CF_AT(cdof_dot) + 6 * first, CF_AT(qvel) + first, count);
      laneAdd(acc, acc, part, 6);
      laneMulDofs(part, CF_AT(cdof) + 6 * first, CF_AT(qacc) + first, count);
      laneAdd(acc, acc, part, 6);
    }
    laneMovingForce(force + 6 * i, g, i, acc);
    laneSub(force + 6 * i, force + 6 * i, CF_AT(external) + 6 * i, 6);
  }
  for (int i = (int)m->nbody - 1; i > 0; i--) {
    cfVec* up = force + 6 * m->body_parentid[i];
    laneAdd(up, up, force + 6 * i, 6);
  }
}
