// Rows of contacts of W worlds: those of constraint/contact.c and impedance.c, contacts between the
// same geoms together.

// contacts of some worlds that have geoms and parameters in common
typedef struct {
  mjContact* of[CF_LANES];  // of one that has it where a world has none
  const mjContact* any;
  int lane;  // of `any`
  int id[CF_LANES];
  cfVec dist, pos[3], frame[9], friction[5], margin;
  // law of the contacts before, which often are of the same geoms
  laneLaw law;
  const mjContact* law_of;
  unsigned law_lanes;
} laneContact;


// rows that a contact has
static inline int laneContactRows(const mjModel* m, const mjContact* con) {
  const bool is_pyramid = con->dim > 1 && m->opt.cone != mjCONE_ELLIPTIC;
  return con->exclude ? 0 : is_pyramid ? 2 * (con->dim - 1) : con->dim;
}


// do two contacts differ in nothing but their place and the parameters of their worlds.  What geoms
// have in common follows from them, unless they are named in several pairs
static inline bool laneSameKind(const mjModel* m, const mjContact* a, const mjContact* b) {
  static const size_t from = offsetof(mjContact, includemargin);
#ifdef CF_LANE_HAS_OWN
  static const size_t to = offsetof(mjContact, friction);
#else
  static const size_t to = offsetof(mjContact, mu);
#endif
  return a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1] && a->dim == b->dim &&
         (!m->npair || a == b || !memcmp((const char*)a + from, (const char*)b + from, to - from));
}


// numbers of the contacts of some worlds
static void laneLoadContact(laneContact* c, unsigned lanes) {
#ifdef CF_LANE_HAS_OWN
  enum { NUMBERS = 19 };
#else
  enum { NUMBERS = 13 };
#endif
  mjtNum* world[CF_LANES_MAX];
  cfVec numbers[NUMBERS];
  _Static_assert(offsetof(mjContact, includemargin) == sizeof(mjtNum) * 13, "one piece");
  _Static_assert(offsetof(mjContact, friction) == sizeof(mjtNum) * 14, "one piece");
  for (int w = 0; w < CF_LANES; w++) {
    c->of[w] = lanes >> w & 1 ? c->of[w] : c->of[c->lane];
    world[w] = (mjtNum*)(void*)c->of[w];
  }
  laneGatherNumbers((mjtNum*)numbers, world, NUMBERS);
  c->dist = numbers[0];
  numCopy3(c->pos, numbers + 1);
  numCopy(c->frame, numbers + 4, 9);
#ifdef CF_LANE_HAS_OWN
  c->margin = numbers[13];
  numCopy(c->friction, numbers + 14, 5);
#else
  c->margin = laneOf(c->any->includemargin);
  laneSpread(c->friction, c->any->friction, 5);
#endif
}


// the next contact of worlds that have the same ones; their bits, 0: there is none left
static unsigned laneNextShared(const cfLaneGroup* g, unsigned lanes, int at[CF_LANES],
                               laneContact* c) {
  c->lane = __builtin_ctz(lanes);
  const mjData* d = g->data[c->lane];
  int k = at[c->lane];
  while (k < d->ncon && d->contact[k].exclude) {
    k++;
  }
  at[c->lane] = k + 1;
  if (k >= d->ncon) {
    return 0;
  }
  for (unsigned left = lanes; left; left &= left - 1) {
    const int w = __builtin_ctz(left);
    c->of[w] = g->data[w]->contact + k;
    c->id[w] = k;
  }
  c->any = c->of[c->lane];
  return lanes;
}


// the contacts that come next: of the worlds whose next one has the lowest geoms.  Their bits, 0:
// there are none left
static unsigned laneNextContacts(const cfLaneGroup* g, unsigned lanes, int at[CF_LANES],
                                 laneContact* c) {
  if (g->newton.is_alike) {
    return laneNextShared(g, lanes, at, c);
  }
  unsigned found = 0;
  c->any = NULL;
  for (unsigned left = lanes; left; left &= left - 1) {
    const int w = __builtin_ctz(left);
    const mjData* d = g->data[w];
    while (at[w] < d->ncon && d->contact[at[w]].exclude) {
      at[w]++;
    }
    if (at[w] == d->ncon) {
      continue;
    }
    mjContact* con = c->of[w] = d->contact + at[w];
    const int *mine = con->geom, *other = c->any ? c->any->geom : NULL;
    if (!other || mine[0] < other[0] || (mine[0] == other[0] && mine[1] < other[1])) {
      c->any = con;
      c->lane = w;
      found = 0;
    }
    c->id[w] = at[w];
    found |= (unsigned)laneSameKind(g->m, con, c->any) << w;
  }
  for (unsigned left = found; left; left &= left - 1) {
    at[__builtin_ctz(left)]++;
  }
  return found;
}


// motion of a contact per unit of a dof along the axes of its frame
CF_LANE_INLINE void laneAxes(cfVec axis[6], const cfVec cdof[6], const cfVec arm[3],
                             const laneContact* c, int dim, bool is_first) {
  cfVec motion[6];
  numCross(motion, cdof, arm);
  for (int k = 0; k < 3; k++) {
    motion[k] = cdof[3 + k] + motion[k];
    motion[k] = is_first ? -motion[k] : motion[k];
    motion[3 + k] = is_first ? -cdof[k] : cdof[k];
  }
  axis[0] = numDot3(c->frame, motion);
  if (dim > 1) {
    axis[1] = numDot3(c->frame + 3, motion);
    axis[2] = numDot3(c->frame + 6, motion);
  }
  for (int k = 3; k < dim; k++) {
    axis[k] = numDot3(c->frame + 3 * (k - 3), motion + 3);
  }
}


// Jacobian over the dofs that move one of the bodies
static void laneContactJacobian(cfLaneGroup* g, const laneBlock* b, const laneContact* c,
                                const cfPairChain* chain) {
  cfLaneNewton* n = &g->newton;
  const int nv = (int)g->m->nv, dim = c->any->dim;
  cfVec arm[2][3];
  uint64_t columns = 0;
  CF_ASSERT(dim >= 1 && dim <= 6 && chain->count <= nv);
  for (int side = 0; side < 2; side++) {
    const int root = g->m->body_rootid[chain->body[side]];
    numSub3(arm[side], c->pos, CF_AT(subtree_com) + 3 * root);
  }
  for (int j = 0; j < chain->count; j++) {
    const int moves = chain->moves[j], dof = chain->dof[j];
    if (moves == CF_MOVES_BOTH) {
      continue;
    }
    cfVec axis[6];
    laneAxes(axis, CF_AT(cdof) + 6 * dof, arm[moves >> 1], c, dim, moves == CF_MOVES_FIRST);
    columns |= (uint64_t)1 << dof;
    if (dim == b->nrow) {
      lanePutColumn(b, CF_ROWS(J), nv, dof, axis);
      continue;
    }
    cfVec edge[10];
    for (int k = 1; k < dim; k++) {
      const cfVec slope = c->friction[k - 1] * axis[k];
      edge[2 * k - 2] = axis[0] + slope;
      edge[2 * k - 1] = axis[0] - slope;
    }
    lanePutColumn(b, CF_ROWS(J), nv, dof, edge);
  }
  laneClaimDofs(n, b, columns);
}


// slope of the regularized cone, which worlds keep too; D: weight of the normal row
static void laneKeepCone(cfLaneNewton* n, const laneBlock* b, const laneContact* c, cfVec mu,
                         cfVec D) {
  for (unsigned left = b->lanes; left; left &= left - 1) {
    const int w = __builtin_ctz(left);
    c->of[w]->mu = mu[w];
  }
  if (n->keeps_blocks) {
    cfLaneBlock* kept = n->block + n->nblock - 1;
    kept->is_cone = b->nrow == c->any->dim;
    const cfVec Dm = D / (mu * mu * (1.0 + mu * mu));
    memcpy(kept->mu, &mu, sizeof(mu));
    memcpy(kept->Dm, &Dm, sizeof(Dm));
    for (int k = 0; k < c->any->dim - 1; k++) {
      memcpy(kept->friction[k], c->friction + k, sizeof(cfVec));
    }
  }
}


// friction rows of an elliptic cone: no stiffness, R mu^2 equal among them
static void laneWeighCone(cfLaneNewton* n, const laneBlock* b, const laneContact* c, cfVec R,
                          cfVec B) {
  const cfVec* slope = c->friction;
  for (int k = 1; k < c->any->dim; k++) {
    cfVec own = R;
    if (k > 1) {
      own = R * slope[0] * slope[0] / (slope[k - 1] * slope[k - 1]);
    }
    laneSetRow(n, b, k, 1.0 / own, B, laneOf(0));
  }
}


// the law of a contact, found anew where that of the last one does not hold
static void laneFindContactLaw(const cfLaneGroup* g, laneContact* c, unsigned lanes) {
#ifdef CF_LANE_HAS_OWN
  const bool may_hold = !g->m->npair;
#else
  const bool may_hold = true;
#endif
  if (may_hold && c->law_of && lanes == c->law_lanes && laneSameKind(g->m, c->any, c->law_of)) {
    return;
  }
  c->law = laneFindLaw(g, lanes, mjCNSTR_CONTACT_FRICTIONLESS, 0, c->id);
  c->law_of = c->any;
  c->law_lanes = lanes;
}


// all edges of a pyramid share the weight that matches the friction of an elliptic cone
static void laneWeighContact(cfLaneGroup* g, const laneBlock* b, const laneContact* c,
                             const int body[2]) {
  const mjContact* con = c->any;
  const bool is_pyramid = b->nrow != con->dim;
  const laneLaw* law = &c->law;
  const cfVec violation = c->dist - c->margin, I = laneImpedance(law, violation);
  const cfVec weight = CF_OF(body_invweight0, 2 * body[0]) + CF_OF(body_invweight0, 2 * body[1]);
  const cfVec slope = c->friction[0];
  cfVec R = lawRegularizer(I, is_pyramid ? weight + slope * slope * weight : weight);
  if (con->dim > 1) {
    const cfVec R_friction = R / laneMax(laneOf(mjMINVAL), CF_IMPRATIO);
    const cfVec mu = slope * laneSqrt(R_friction / R);
    laneKeepCone(&g->newton, b, c, mu, 1.0 / R);
    if (!is_pyramid) {
      laneSetRow(&g->newton, b, 0, 1.0 / R, law->B, law->K * I * violation);
      laneWeighCone(&g->newton, b, c, R_friction, law->B_friction);
      return;
    }
    R = 2.0 * mu * mu * R;
  }
  laneSetRows(&g->newton, b, R, law->B, law->K * I * violation);
}


// a tree that a contact moves
static int laneTreeOf(const mjModel* m, const int body[2]) {
  const int first = m->body_treeid[body[0]], second = m->body_treeid[body[1]];
  return cfi_maxInt(0, first >= 0 ? first : second);
}


// contacts of the worlds know where their rows are
static void laneNoteRows(const laneBlock* b, const laneContact* c) {
  for (int k = 0; k < b->at->n; k++) {
    for (unsigned left = b->at->lanes[k]; left; left &= left - 1) {
      c->of[__builtin_ctz(left)]->efc_address = b->at->row[k];
    }
  }
}


static void laneContacts(cfLaneGroup* g, unsigned lanes) {
  const mjModel* m = g->m;
  int at[CF_LANES] = {0}, dof[CF_LANE_DOFS], moves[CF_LANE_DOFS];
  cfPairChain chain = cfi_makePairChain(dof, moves);
  laneContact contact;
  contact.law_of = NULL;
  chain.body[0] = chain.body[1] = -1;
  for (unsigned found; (found = laneNextContacts(g, lanes, at, &contact)) != 0;) {
    const int* geom = contact.any->geom;
    const int body[2] = {m->geom_bodyid[geom[0]], m->geom_bodyid[geom[1]]};
    const int tree = laneTreeOf(m, body);
    const laneBlock block = laneOpenBlock(&g->newton, found, laneContactRows(m, contact.any), tree);
    laneMarkPush(&g->newton);
    laneLoadContact(&contact, found);
    laneNoteRows(&block, &contact);
    if (chain.body[0] != body[0] || chain.body[1] != body[1]) {
      cfi_pairChain(m, body[0], body[1], &chain);
    }
    laneContactJacobian(g, &block, &contact, &chain);
    laneFindContactLaw(g, &contact, found);
    laneWeighContact(g, &block, &contact, body);
  }
}
