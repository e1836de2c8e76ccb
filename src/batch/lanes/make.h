// Constraint rows of W worlds, made where they are solved: couplings, dry friction and limits of
// hinges, slides and sums of them, contacts between bodies.  Numbers are those of
// constraint/rows.c, contact.c and impedance.c.  The rows of a world stand one behind the other in
// their order, so a constraint may have other rows in each world; one that all worlds have in the
// same rows is written at once.

// rows of one constraint in the worlds that have it
typedef struct {
  unsigned lanes;  // bits of these worlds
  cfMask is_in;
  int row[CF_LANES];  // the first in each of them
  int shared;         // the same where it is the same in all of them, else -1
  int nrow;
} laneBlock;


// take the next rows of some worlds from a count of each; the first one where they share it
static int laneTakeNext(int* row, int* next, unsigned lanes, int nrow) {
  CF_ASSERT(lanes && lanes < 1u << CF_LANES);
  const int first = next[__builtin_ctz(lanes)];
  int shared = first;
  for (unsigned left = lanes; left; left &= left - 1) {
    const int w = __builtin_ctz(left);
    row[w] = next[w];
    shared = row[w] == first ? shared : -1;
    next[w] += nrow;
  }
  return shared;
}


// the next rows of some worlds, of a constraint on a tree; a record of it where these are kept
static laneBlock laneOpenBlock(cfLaneNewton* n, unsigned lanes, int nrow, int tree) {
  CF_ASSERT(lanes && nrow > 0);
  laneBlock block = {.lanes = lanes, .is_in = laneOfBits(lanes), .nrow = nrow};
  block.shared = laneTakeNext(block.row, n->next, lanes, nrow);
  if (n->keeps_blocks) {
    CF_ASSERT(n->nblock < CF_LANES * CF_LANE_MOST_ROWS);
    cfLaneBlock* kept = n->block + n->nblock++;
    kept->lanes = lanes;
    kept->nrow = nrow;
    kept->is_cone = kept->pushes = false;
    kept->columns = 0;
    kept->shared = block.shared;
    for (int w = 0; w < CF_LANES; w++) {
      kept->row[w] = block.row[w];
    }
    kept->island = n->nisland ? n->tree_island[tree] : -1;
    if (n->nisland) {
      CF_ASSERT_INDEX(kept->island, n->nisland);
      kept->part_shared = laneTakeNext(kept->part_row, n->part_nefc[kept->island], lanes, nrow);
    }
  }
  return block;
}


// column `at` of row r of a block, in an array with so many numbers a row
CF_LANE_INLINE void lanePut(const laneBlock* b, cfVec* array, int stride, int at, int r,
                            cfVec value) {
  if (b->shared >= 0) {
    cfVec* place = array + (size_t)(b->shared + r) * (size_t)stride + at;
    *place = laneSelect(b->is_in, value, *place);
    return;
  }
  for (unsigned left = b->lanes; left; left &= left - 1) {
    const int w = __builtin_ctz(left);
    array[(size_t)(b->row[w] + r) * (size_t)stride + (size_t)at][w] = value[w];
  }
}


// note columns that the rows of a block have
static void laneClaimColumns(cfLaneNewton* n, const laneBlock* b, uint64_t columns) {
  CF_ASSERT(b->nrow > 0 && b->nrow <= 10);
  for (unsigned left = b->lanes; left; left = b->shared >= 0 ? 0 : left & (left - 1)) {
    const int first = b->row[__builtin_ctz(left)];
    for (int k = first / 4; k <= (first + b->nrow - 1) / 4; k++) {
      n->column[k] |= columns;
    }
  }
}


// the same for the constraint that was opened last
static void laneClaimDofs(cfLaneNewton* n, const laneBlock* b, uint64_t columns) {
  laneClaimColumns(n, b, columns);
  if (n->keeps_blocks) {
    n->block[n->nblock - 1].columns |= columns;
  }
}


// a number of a single row at one dof
static void lanePutDof(cfLaneGroup* g, const laneBlock* b, int dof, cfVec value) {
  CF_ASSERT(dof >= 0 && dof < CF_LANE_DOFS && b->nrow == 1);
  cfLaneNewton* n = &g->newton;
  lanePut(b, CF_ROWS(J), (int)g->m->nv, dof, 0, value);
  laneClaimDofs(n, b, (uint64_t)1 << dof);
}


// ---------------------------------------- impedance

// two powers that meet at midpoint
static cfVec laneSigmoid(cfVec x, mjtNum midpoint, mjtNum power) {
  if (power == 1) {
    return x;
  }
  const cfMask is_lower = x <= midpoint;
  const cfVec u = laneSelect(is_lower, x, 1.0 - x);
  const cfVec scale = laneSelect(is_lower, laneOf(1 / cfi_power(midpoint, power - 1)),
                                 laneOf(1 / cfi_power(1 - midpoint, power - 1)));
  cfVec raised = u * u;
  for (int w = 0; w < CF_LANES && power != 2; w++) {
    raised[w] = cfi_power(u[w], power);
  }
  const cfVec y = scale * raised;
  return laneSelect(is_lower, y, 1.0 - y);
}


static cfVec laneImpedance(const cfRowLaw* law, cfVec violation) {
  const mjtNum* imp = law->imp;
  if (imp[0] == imp[1] || imp[2] <= mjMINVAL) {
    return laneOf(0.5 * (imp[0] + imp[1]));
  }
  const cfVec x = laneAbs(violation / imp[2]), range = laneOf(imp[1] - imp[0]);
  const cfVec inside = imp[0] + laneSigmoid(x, imp[3], imp[4]) * range;
  return laneSelect(x >= 1.0, laneOf(imp[1]), laneSelect(x <= 0.0, laneOf(imp[0]), inside));
}


static cfVec laneRegularizer(cfVec I, cfVec weight) {
  return laneMax(laneOf(mjMINVAL), (1.0 - I) * weight / I);
}


// how rows of a constraint answer to a violation in each world
typedef struct {
  cfVec K, B, B_friction;
#ifdef CF_LANE_HAS_OWN
  cfRowLaw of[CF_LANES];
  bool is_shared;
#else
  cfRowLaw of[1];
#endif
} laneLaw;


// the law of a constraint; of a contact: `id` of each world
static laneLaw laneFindLaw(const cfLaneGroup* g, unsigned lanes, int type, int id,
                           const int* of_contact) {
  laneLaw law;
#ifdef CF_LANE_HAS_OWN
  const int first = __builtin_ctz(lanes);
  law.is_shared = true;
  for (int k = 0; k < CF_LANES; k++) {
    const int w = lanes >> k & 1 ? k : first;
    law.of[k] = cfi_rowLaw(g->model[w], g->data[w], type, of_contact ? of_contact[w] : id);
    law.K[k] = law.of[k].K;
    law.B[k] = law.of[k].B;
    law.B_friction[k] = law.of[k].B_friction;
    law.is_shared &= !memcmp(law.of[k].imp, law.of[0].imp, sizeof(law.of[0].imp));
  }
#else
  const int w = __builtin_ctz(lanes);
  law.of[0] = cfi_rowLaw(g->m, g->data[w], type, of_contact ? of_contact[w] : id);
  law.K = laneOf(law.of[0].K);
  law.B = laneOf(law.of[0].B);
  law.B_friction = laneOf(law.of[0].B_friction);
#endif
  return law;
}


static cfVec laneImpedanceOf(const laneLaw* law, cfVec violation) {
  cfVec I = laneImpedance(law->of, violation);
#ifdef CF_LANE_HAS_OWN
  for (int w = 1; w < CF_LANES && !law->is_shared; w++) {
    I[w] = laneImpedance(law->of + w, violation)[w];
  }
#endif
  return I;
}


// weight and reference of a row of a block; the damping waits in `start` for velocities
CF_LANE_INLINE void laneSetRow(cfLaneNewton* n, const laneBlock* b, int r, cfVec D, cfVec B,
                               cfVec drift) {
  lanePut(b, CF_ROWS(D), 1, 0, r, D);
  lanePut(b, CF_ROWS(start), 1, 0, r, B);
  lanePut(b, CF_ROWS(aref), 1, 0, r, drift);
}


// the same for all of them
static void laneSetRows(cfLaneNewton* n, const laneBlock* b, cfVec R, cfVec B, cfVec drift) {
  const cfVec D = 1.0 / R;
  for (int r = 0; r < b->nrow; r++) {
    laneSetRow(n, b, r, D, B, drift);
  }
}


// the constraint that was opened last is a limit or a contact
static void laneMarkPush(cfLaneNewton* n) {
  if (n->keeps_blocks) {
    n->block[n->nblock - 1].pushes = true;
  }
}


// one more row of an equality or of friction in the island of a tree
static void laneCountPart(cfLaneNewton* n, int* count, int tree) {
  if (n->nisland) {
    count[n->tree_island[tree]]++;
  }
}


// a row that is alone in its constraint
static void laneSetSingle(cfLaneGroup* g, const laneBlock* b, int type, int id, cfVec violation,
                          cfVec weight) {
  cfLaneNewton* n = &g->newton;
  const laneLaw law = laneFindLaw(g, b->lanes, type, id, NULL);
  const cfVec I = laneImpedanceOf(&law, violation), R = laneRegularizer(I, weight);
  laneSetRows(n, b, R, law.B, law.K * I * violation);
}


// the same for dry friction: no violation and no stiffness
static void laneSetFriction(cfLaneGroup* g, const laneBlock* b, int type, int id, cfVec loss,
                            cfVec weight) {
  cfLaneNewton* n = &g->newton;
  const laneLaw law = laneFindLaw(g, b->lanes, type, id, NULL);
  const cfVec I = laneImpedanceOf(&law, laneOf(0)), R = laneRegularizer(I, weight);
  laneSetRows(n, b, R, law.B, laneOf(0));
  lanePut(b, CF_ROWS(R), 1, 0, 0, R);
  lanePut(b, CF_ROWS(loss), 1, 0, 0, loss);
}


// ---------------------------------------- joints

// y = y0 + polynomial(x) in the worlds where the equality is active
static void laneCoupleJoints(cfLaneGroup* g, int eq, unsigned lanes) {
  const mjModel* m = g->m;
  const int first = m->eq_obj1id[eq], second = m->eq_obj2id[eq];
  cfVec a[5];
  CF_COPY_OF(a, eq_data, mjNEQDATA * eq, 5);
  const int adr = m->jnt_qposadr[first];
  const int tree = m->dof_treeid[m->jnt_dofadr[first]];
  const laneBlock block = laneOpenBlock(&g->newton, lanes, 1, tree);
  laneCountPart(&g->newton, g->newton.part_ne, tree);
  cfVec error = CF_AT(qpos)[adr] - CF_OF(qpos0, adr) - a[0];
  cfVec weight = CF_OF(dof_invweight0, m->jnt_dofadr[first]);
  lanePutDof(g, &block, m->jnt_dofadr[first], laneOf(1));
  if (second >= 0) {
    const int at = m->jnt_qposadr[second];
    const cfVec x = CF_AT(qpos)[at] - CF_OF(qpos0, at);
    error = error - (a[1] * x + a[2] * x * x + a[3] * x * x * x + a[4] * x * x * x * x);
    const cfVec slope = a[1] + 2.0 * a[2] * x + 3.0 * a[3] * x * x + 4.0 * a[4] * x * x * x;
    lanePutDof(g, &block, m->jnt_dofadr[second], -slope);
    weight = weight + CF_OF(dof_invweight0, m->jnt_dofadr[second]);
  }
  laneSetSingle(g, &block, mjCNSTR_EQUALITY, eq, error, weight);
}


static unsigned laneActiveEqualities(const cfLaneGroup* g, int eq, unsigned lanes) {
  unsigned active = 0;
  for (int w = 0; w < CF_LANES && !cfi_disabled(g->m, mjDSBL_EQUALITY); w++) {
    active |= (unsigned)(g->data[w]->eq_active[eq] != 0) << w;
  }
  return active & lanes;
}


static bool laneHasLimit(const mjModel* m, int jnt) {
  return m->jnt_limited[jnt] && m->jnt_type[jnt] != mjJNT_FREE && !cfi_disabled(m, mjDSBL_LIMIT);
}


// distance to the lower (side 0) or upper limit
CF_LANE_INLINE cfVec laneLimitDistance(const cfLaneGroup* g, int jnt, int side) {
  const cfVec q = CF_AT(qpos)[g->m->jnt_qposadr[jnt]];
  const cfVec distance = CF_OF(jnt_range, 2 * jnt + side) - q;
  return side ? distance : -distance;
}


CF_LANE_INLINE cfVec laneTendonDistance(const cfLaneGroup* g, int t, int side) {
  const cfVec distance = CF_OF(tendon_range, 2 * t + side) - laneTendonLength(g, t);
  return side ? distance : -distance;
}


// Jacobian of a fixed tendon, or its opposite
static void lanePutTendon(cfLaneGroup* g, const laneBlock* b, int t, mjtNum sign) {
  const mjModel* m = g->m;
  const mjtNum* row = g->tendon_row + (size_t)t * (size_t)m->nv;
  for (int w = m->tendon_adr[t]; w < m->tendon_adr[t] + m->tendon_num[t]; w++) {
    const int dof = m->jnt_dofadr[m->wrap_objid[w]];
    lanePutDof(g, b, dof, laneOf(sign * row[dof]));
  }
}


static void laneTendonFriction(cfLaneGroup* g, unsigned lanes) {
  const mjModel* m = g->m;
  for (int t = 0; t < m->ntendon; t++) {
    const unsigned has = g->friction[m->nv + t] & lanes;
    if (has) {
      const int tree = cfi_treeOfTendon(m, t);
      const laneBlock block = laneOpenBlock(&g->newton, has, 1, tree);
      laneCountPart(&g->newton, g->newton.part_nf, tree);
      lanePutTendon(g, &block, t, 1);
      laneSetFriction(g, &block, mjCNSTR_FRICTION_TENDON, t, CF_OF(tendon_frictionloss, t),
                      CF_OF(tendon_invweight0, t));
    }
  }
}


// friction and limits; `limit` has bits of the worlds for both sides of each joint
static void laneJointRows(cfLaneGroup* g, unsigned lanes, const unsigned char* limit) {
  const mjModel* m = g->m;
  for (int dof = 0; dof < m->nv; dof++) {
    const unsigned has = g->friction[dof] & lanes;
    if (has) {
      const laneBlock block = laneOpenBlock(&g->newton, has, 1, m->dof_treeid[dof]);
      laneCountPart(&g->newton, g->newton.part_nf, m->dof_treeid[dof]);
      lanePutDof(g, &block, dof, laneOf(1));
      laneSetFriction(g, &block, mjCNSTR_FRICTION_DOF, dof, CF_OF(dof_frictionloss, dof),
                      CF_OF(dof_invweight0, dof));
    }
  }
  laneTendonFriction(g, lanes);
  for (int k = 0; k < 2 * m->njnt; k++) {
    const int jnt = k / 2, dof = m->jnt_dofadr[jnt];
    if (limit[k] & lanes) {
      const laneBlock block = laneOpenBlock(&g->newton, limit[k] & lanes, 1, m->dof_treeid[dof]);
      laneMarkPush(&g->newton);
      lanePutDof(g, &block, dof, laneOf(k & 1 ? -1 : 1));
      laneSetSingle(g, &block, mjCNSTR_LIMIT_JOINT, jnt,
                    laneLimitDistance(g, jnt, k & 1) - CF_OF(jnt_margin, jnt),
                    CF_OF(dof_invweight0, dof));
    }
  }
}


// the same for tendons, behind those of joints
static void laneTendonLimits(cfLaneGroup* g, unsigned lanes, const unsigned char* limit) {
  const mjModel* m = g->m;
  for (int k = 0; k < 2 * m->ntendon; k++) {
    const int t = k / 2;
    if (limit[k] & lanes) {
      const int tree = cfi_treeOfTendon(m, t);
      const laneBlock block = laneOpenBlock(&g->newton, limit[k] & lanes, 1, tree);
      laneMarkPush(&g->newton);
      lanePutTendon(g, &block, t, k & 1 ? -1 : 1);
      laneSetSingle(g, &block, mjCNSTR_LIMIT_TENDON, t,
                    laneTendonDistance(g, t, k & 1) - CF_OF(tendon_margin, t),
                    CF_OF(tendon_invweight0, t));
    }
  }
}


// ---------------------------------------- contacts

// contacts of some worlds that have geoms and parameters in common
typedef struct {
  mjContact* of[CF_LANES];  // of one that has it where a world has none
  const mjContact* any;
  int lane;  // of `any`
  int id[CF_LANES];
  cfVec dist, pos[3], frame[9], friction[5];
} laneContact;


// rows that a contact has
static inline int laneContactRows(const mjModel* m, const mjContact* con) {
  const bool is_pyramid = con->dim > 1 && m->opt.cone != mjCONE_ELLIPTIC;
  return con->exclude ? 0 : is_pyramid ? 2 * (con->dim - 1) : con->dim;
}


// do two contacts differ in nothing but their place and the parameters of their worlds
static inline bool laneSameKind(const mjContact* a, const mjContact* b) {
  static const size_t from = offsetof(mjContact, includemargin);
#ifdef CF_LANE_HAS_OWN
  static const size_t to = offsetof(mjContact, friction);
#else
  static const size_t to = offsetof(mjContact, mu);
#endif
  return a->geom[0] == b->geom[0] && a->geom[1] == b->geom[1] && a->dim == b->dim &&
         (a == b || !memcmp((const char*)a + from, (const char*)b + from, to - from));
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
  laneCopy(c->pos, numbers + 1, 3);
  laneCopy(c->frame, numbers + 4, 9);
#ifdef CF_LANE_HAS_OWN
  laneCopy(c->friction, numbers + 14, 5);
#else
  laneSpread(c->friction, c->any->friction, 5);
#endif
}


// the contacts that come next: of the worlds whose next one has the lowest geoms.  Their bits, 0:
// there are none left
static unsigned laneNextContacts(const cfLaneGroup* g, unsigned lanes, int at[CF_LANES],
                                 laneContact* c) {
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
    found |= (unsigned)laneSameKind(con, c->any) << w;
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
  laneCross(motion, cdof, arm);
  for (int k = 0; k < 3; k++) {
    motion[k] = cdof[3 + k] + motion[k];
    motion[k] = is_first ? -motion[k] : motion[k];
    motion[3 + k] = is_first ? -cdof[k] : cdof[k];
  }
  for (int k = 0; k < dim; k++) {
    axis[k] = laneDot3(c->frame + 3 * (k % 3), motion + 3 * (k / 3));
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
    laneSub(arm[side], c->pos, CF_AT(subtree_com) + 3 * root, 3);
  }
  for (int j = 0; j < chain->count; j++) {
    const int moves = chain->moves[j], dof = chain->dof[j];
    if (moves == CF_MOVES_BOTH) {
      continue;
    }
    cfVec axis[6];
    laneAxes(axis, CF_AT(cdof) + 6 * dof, arm[moves >> 1], c, dim, moves == CF_MOVES_FIRST);
    columns |= (uint64_t)1 << dof;
    for (int k = 0; k < dim && dim == b->nrow; k++) {
      lanePut(b, CF_ROWS(J), nv, dof, k, axis[k]);
    }
    for (int k = 1; k < dim && dim != b->nrow; k++) {
      const cfVec slope = c->friction[k - 1] * axis[k];
      lanePut(b, CF_ROWS(J), nv, dof, 2 * k - 2, axis[0] + slope);
      lanePut(b, CF_ROWS(J), nv, dof, 2 * k - 1, axis[0] - slope);
    }
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


// all edges of a pyramid share the weight that matches the friction of an elliptic cone
static void laneWeighContact(cfLaneGroup* g, const laneBlock* b, const laneContact* c,
                             const int body[2]) {
  const mjContact* con = c->any;
  const bool is_pyramid = b->nrow != con->dim;
  const laneLaw law = laneFindLaw(g, b->lanes, mjCNSTR_CONTACT_FRICTIONLESS, 0, c->id);
  const cfVec violation = c->dist - con->includemargin, I = laneImpedanceOf(&law, violation);
  const cfVec weight = CF_OF(body_invweight0, 2 * body[0]) + CF_OF(body_invweight0, 2 * body[1]);
  const cfVec slope = c->friction[0];
  cfVec R = laneRegularizer(I, is_pyramid ? weight + slope * slope * weight : weight);
  if (con->dim > 1) {
    const cfVec R_friction = R / laneMax(laneOf(mjMINVAL), CF_IMPRATIO);
    const cfVec mu = slope * laneSqrt(R_friction / R);
    laneKeepCone(&g->newton, b, c, mu, 1.0 / R);
    if (!is_pyramid) {
      laneSetRow(&g->newton, b, 0, 1.0 / R, law.B, law.K * I * violation);
      laneWeighCone(&g->newton, b, c, R_friction, law.B_friction);
      return;
    }
    R = 2.0 * mu * mu * R;
  }
  laneSetRows(&g->newton, b, R, law.B, law.K * I * violation);
}


// a tree that a contact moves
static int laneTreeOf(const mjModel* m, const int body[2]) {
  const int first = m->body_treeid[body[0]], second = m->body_treeid[body[1]];
  return cfi_maxInt(0, first >= 0 ? first : second);
}


static void laneContacts(cfLaneGroup* g, unsigned lanes) {
  const mjModel* m = g->m;
  int at[CF_LANES] = {0}, dof[CF_LANE_DOFS], moves[CF_LANE_DOFS];
  cfPairChain chain = cfi_makePairChain(dof, moves);
  laneContact contact;
  for (unsigned found; (found = laneNextContacts(g, lanes, at, &contact)) != 0;) {
    const int* geom = contact.any->geom;
    const int body[2] = {m->geom_bodyid[geom[0]], m->geom_bodyid[geom[1]]};
    const int tree = laneTreeOf(m, body);
    const laneBlock block = laneOpenBlock(&g->newton, found, laneContactRows(m, contact.any), tree);
    laneMarkPush(&g->newton);
    laneLoadContact(&contact, found);
    for (unsigned left = found; left; left &= left - 1) {
      const int w = __builtin_ctz(left);
      contact.of[w]->efc_address = block.row[w];
    }
    cfi_pairChain(m, body[0], body[1], &chain);
    laneContactJacobian(g, &block, &contact, &chain);
    laneWeighContact(g, &block, &contact, body);
  }
}


// ---------------------------------------- all rows

// which limits are met
static void laneFindLimits(const cfLaneGroup* g, unsigned char* limit) {
  const mjModel* m = g->m;
  CF_ASSERT(m->njnt <= CF_LANE_DOFS);
  for (int k = 0; k < 2 * m->njnt; k++) {
    const int jnt = k / 2;
    limit[k] = 0;
    if (laneHasLimit(m, jnt)) {
      limit[k] = (unsigned char)laneBits(laneLimitDistance(g, jnt, k & 1) < CF_OF(jnt_margin, jnt));
    }
  }
  for (int k = 0; k < 2 * m->ntendon; k++) {
    const int t = k / 2;
    unsigned char* bits = limit + 2 * m->njnt + k;
    *bits = 0;
    if (m->tendon_limited[t] && !cfi_disabled(m, mjDSBL_LIMIT)) {
      *bits = (unsigned char)laneBits(laneTendonDistance(g, t, k & 1) < CF_OF(tendon_margin, t));
    }
  }
}


// rows that each world is going to have
static void laneCountRows(const cfLaneGroup* g, const unsigned char* limit,
                          cfLaneRowCount count[CF_LANES]) {
  const mjModel* m = g->m;
  for (int w = 0; w < CF_LANES; w++) {
    const mjData* d = g->data[w];
    cfLaneRowCount own = {0, g->nf[w], 0, 0};
    for (int eq = 0; eq < m->neq; eq++) {
      own.ne += laneActiveEqualities(g, eq, 1u << w) != 0;
    }
    for (int k = 0; k < 2 * (m->njnt + m->ntendon); k++) {
      own.nl += limit[k] >> w & 1;
    }
    own.nefc = own.ne + own.nf + own.nl;
    for (int k = 0; k < d->ncon; k++) {
      own.nefc += laneContactRows(m, d->contact + k);
    }
    count[w] = own;
  }
}


// place for the rows of all worlds, without any
static void laneClearRows(cfLaneNewton* n, int nv) {
  int most = 0;
  for (int w = 0; w < CF_LANES; w++) {
    const int nefc = n->lanes >> w & 1 ? n->nefc[w] : 0;
    most = nefc > most ? nefc : most;
  }
  laneZero(CF_ROWS(J), (most + 4) * nv);
  laneZero(CF_ROWS(D), most + 4);
  laneZero(CF_ROWS(aref), most + 4);
  laneZero(CF_ROWS(start), most + 4);
  laneZero(CF_ROWS(R), n->ne + n->nf);
  laneZero(CF_ROWS(loss), n->ne + n->nf);
  n->nblock = 0;
  memset(n->column, 0, sizeof(uint64_t) * (size_t)(most / 4 + 1));
  memset(n->next, 0, sizeof(n->next));
}


// make the rows of the given worlds; bits of those that are to make their own
static unsigned laneMakeRows(cfLaneGroup* g, unsigned live) {
  cfLaneNewton* n = &g->newton;
  unsigned char limit[CF_LANE_LIMITS];
  cfLaneRowCount count[CF_LANES];
  laneFindLimits(g, limit);
  laneCountRows(g, limit, count);
  const unsigned alone = cfi_laneTakeRows(g, live, count, limit);
  if (n->lanes) {
    laneClearRows(n, (int)g->m->nv);
    for (int eq = 0; eq < g->m->neq; eq++) {
      const unsigned active = laneActiveEqualities(g, eq, n->lanes);
      if (active) {
        laneCoupleJoints(g, eq, active);
      }
    }
    laneJointRows(g, n->lanes, limit);
    laneTendonLimits(g, n->lanes, limit + 2 * g->m->njnt);
    laneContacts(g, n->lanes);
  }
  return alone;
}


// reference of rows that were made in lanes
static void laneRefer(const laneProblem* p) {
  const cfLaneGroup* g = p->g;
  const cfLaneNewton* n = p->n;
  laneMulRows(p, CF_ROWS(jar), CF_AT(qvel));
  for (int r = 0; r < p->nefc; r++) {
    CF_ROWS(aref)[r] = -CF_ROWS(start)[r] * CF_ROWS(jar)[r] - CF_ROWS(aref)[r];
  }
}
