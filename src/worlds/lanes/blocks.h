// Rows of a constraint in W worlds: where they stand in each of them, and how they answer to a
// violation.  The rows of a world stand one behind the other in their order, so a constraint may
// have other rows in each world; worlds that have it in the same rows are written at once.

// rows of one constraint in the worlds that have it
typedef struct {
  unsigned lanes;  // bits of these worlds
  bool is_all;     // every world has it, in the same rows
  cfMask is_in;
  const cfLanePlaces* at;
  int nrow;
} laneBlock;


CF_LANE_INLINE laneBlock laneNameBlock(unsigned lanes, const cfLanePlaces* at, int nrow) {
  return (laneBlock){lanes, at->n == 1 && lanes == (1u << CF_LANES) - 1, laneOfBits(lanes), at,
                     nrow};
}


// a world has its first row here
CF_LANE_INLINE void laneAddPlace(cfLanePlaces* at, int row, int w) {
  int k = 0;
  while (k < at->n && at->row[k] != row) {
    k++;
  }
  if (k == at->n) {
    at->row[at->n++] = row;
    at->lanes[k] = 0;
  }
  at->lanes[k] |= 1u << w;
}


// take the next rows of some worlds from a count of each
static void laneTakeNext(cfLanePlaces* at, int* next, unsigned lanes, int nrow) {
  CF_ASSERT(lanes && lanes < 1u << CF_LANES);
  at->n = 0;
  for (unsigned left = lanes; left; left &= left - 1) {
    const int w = __builtin_ctz(left);
    laneAddPlace(at, next[w], w);
    next[w] += nrow;
  }
}


// the next rows of some worlds, of a constraint on a tree; a record of it where these are kept
static laneBlock laneOpenBlock(cfLaneNewton* n, unsigned lanes, int nrow, int tree) {
  CF_ASSERT(lanes && nrow > 0);
  laneTakeNext(&n->opened, n->next, lanes, nrow);
  if (n->keeps_blocks) {
    CF_ASSERT(n->nblock < CF_LANES * CF_LANE_MOST_ROWS);
    cfLaneBlock* kept = n->block + n->nblock++;
    kept->lanes = lanes;
    kept->nrow = nrow;
    kept->is_cone = kept->pushes = false;
    kept->columns = 0;
    kept->at = n->opened;
    kept->island = n->nisland ? n->tree_island[tree] : -1;
    if (n->nisland) {
      CF_ASSERT_INDEX(kept->island, n->nisland);
      laneTakeNext(&kept->part_at, n->part_nefc[kept->island], lanes, nrow);
    }
  }
  return laneNameBlock(lanes, &n->opened, nrow);
}


// column `at` of row r of a block, in an array with so many numbers a row
CF_LANE_INLINE void lanePut(const laneBlock* b, cfVec* array, int stride, int at, int r,
                            cfVec value) {
  if (b->is_all) {
    array[(size_t)(b->at->row[0] + r) * (size_t)stride + (size_t)at] = value;
    return;
  }
  for (int k = 0; k < b->at->n; k++) {
    laneStore(array + (size_t)(b->at->row[k] + r) * (size_t)stride + at, b->at->lanes[k], value);
  }
}


// the same for all rows of a block
CF_LANE_INLINE void lanePutColumn(const laneBlock* b, cfVec* array, int stride, int at,
                                  const cfVec* value) {
  for (int k = 0; k < b->at->n; k++) {
    const unsigned lanes = b->at->lanes[k];
    cfVec* place = array + (size_t)b->at->row[k] * (size_t)stride + at;
    for (int r = 0; r < b->nrow && b->is_all; r++, place += stride) {
      *place = value[r];
    }
    for (int r = 0; r < b->nrow && !b->is_all; r++, place += stride) {
      laneStore(place, lanes, value[r]);
    }
  }
}


// note columns that the rows of a block have
static void laneClaimColumns(cfLaneNewton* n, const laneBlock* b, uint64_t columns) {
  CF_ASSERT(b->nrow > 0 && b->nrow <= 10);
  for (int i = 0; i < b->at->n; i++) {
    const int first = b->at->row[i];
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


static cfVec laneImpedance(const laneLaw* law, cfVec violation) {
  cfVec slope, I = lawImpedance(law->of[0].imp, violation, &slope);
#ifdef CF_LANE_HAS_OWN
  for (int w = 1; w < CF_LANES && !law->is_shared; w++) {
    I[w] = lawImpedance(law->of[w].imp, violation, &slope)[w];
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
  const cfVec I = laneImpedance(&law, violation), R = lawRegularizer(I, weight);
  laneSetRows(n, b, R, law.B, law.K * I * violation);
}


// the same for dry friction: no violation and no stiffness
static void laneSetFriction(cfLaneGroup* g, const laneBlock* b, int type, int id, cfVec loss,
                            cfVec weight) {
  cfLaneNewton* n = &g->newton;
  const laneLaw law = laneFindLaw(g, b->lanes, type, id, NULL);
  const cfVec I = laneImpedance(&law, laneOf(0)), R = lawRegularizer(I, weight);
  laneSetRows(n, b, R, law.B, laneOf(0));
  lanePut(b, CF_ROWS(R), 1, 0, 0, R);
  lanePut(b, CF_ROWS(loss), 1, 0, 0, loss);
}
