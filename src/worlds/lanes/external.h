// Forces of contacts on bodies: the first half of constraint/rnepost.c for worlds whose rows were
// made and solved together.  Couplings of joints add nothing.

// normal force, tangential forces and torques of a contact; zero in worlds that do not have it
static void laneContactForce(cfVec local[6], const cfLaneNewton* n, const laneBlock* b,
                             const laneContact* c) {
  const int dim = c->any->dim;
  laneZero(local, 6);
  if (b->nrow == dim) {
    for (int k = 0; k < dim; k++) {
      local[k] = laneTake(b, CF_ROWS(force), 1, 0, k);
    }
    return;
  }
  for (int k = 1; k < dim; k++) {
    const cfVec up = laneTake(b, CF_ROWS(force), 1, 0, 2 * k - 2);
    const cfVec down = laneTake(b, CF_ROWS(force), 1, 0, 2 * k - 1);
    local[0] = (local[0] + up) + down;
    local[k] = (up - down) * c->friction[k - 1];
  }
}


// force on a body += or -= torque and force at a point; the world feels nothing
static void laneAddExternal(cfLaneGroup* g, int body, const cfVec wrench[6], const cfVec point[3],
                            mjtNum sign, cfMask is_in) {
  cfVec arm[3], shift[3], moved[6], *sum = CF_AT(external) + 6 * body;
  if (body == 0) {
    return;
  }
  numSub3(arm, CF_AT(subtree_com) + 3 * g->m->body_rootid[body], point);
  numCross(shift, arm, wrench + 3);
  numSub3(moved, wrench, shift);
  numCopy3(moved + 3, wrench + 3);
  for (int k = 0; k < 6; k++) {
    sum[k] = laneSelect(is_in, sum[k] + moved[k] * sign, sum[k]);
  }
}


// forces from outside on all bodies of the given worlds, on which nobody else pulls
static void laneExternal(cfLaneGroup* g, unsigned lanes) {
  const mjModel* m = g->m;
  int at[CF_LANES] = {0};
  laneContact contact;
  laneZero(CF_AT(external), 6 * (int)m->nbody);
  for (unsigned found; (found = laneNextContacts(g, lanes, at, &contact)) != 0;) {
    const int* geom = contact.any->geom;
    cfLanePlaces places = {.n = 0};
    for (unsigned left = found; left; left &= left - 1) {
      const int w = __builtin_ctz(left);
      laneAddPlace(&places, contact.of[w]->efc_address, w);
    }
    laneLoadContact(&contact, found);
    const laneBlock b = laneNameBlock(found, &places, laneContactRows(m, contact.any));
    cfVec local[6], wrench[6];
    laneContactForce(local, &g->newton, &b, &contact);
    numMulMatTVec3(wrench, contact.frame, local + 3);
    numMulMatTVec3(wrench + 3, contact.frame, local);
    laneAddExternal(g, m->geom_bodyid[geom[0]], wrench, contact.pos, -1, b.is_in);
    laneAddExternal(g, m->geom_bodyid[geom[1]], wrench, contact.pos, 1, b.is_in);
  }
  if (g->external_is_wanted) {
    mjtNum* world[CF_LANES_MAX];
    for (int w = 0; w < CF_LANES; w++) {
      world[w] = g->data[w]->cfrc_ext;
    }
    laneHandOut(g->external, world, 6 * (int)m->nbody);
  }
}
