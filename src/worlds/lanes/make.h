// Constraint rows of W worlds, made where they are solved: couplings, dry friction and limits of
// hinges, slides and sums of them, contacts between bodies.  Numbers are those of
// constraint/rows.c, contact.c and impedance.c.

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
    cfVec slope;
    error = error - lawCoupling(a, x, &slope);
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
  int nlimit[CF_LANES] = {0};
  for (int k = 0; k < 2 * (m->njnt + m->ntendon); k++) {
    for (unsigned left = limit[k]; left; left &= left - 1) {
      nlimit[__builtin_ctz(left)]++;
    }
  }
  for (int w = 0; w < CF_LANES; w++) {
    const mjData* d = g->data[w];
    cfLaneRowCount own = {0, g->nf[w], 0, 0};
    for (int eq = 0; eq < m->neq; eq++) {
      own.ne += laneActiveEqualities(g, eq, 1u << w) != 0;
    }
    own.nl = nlimit[w];
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
