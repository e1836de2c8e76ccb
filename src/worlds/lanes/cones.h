// Elliptic cones of W worlds: constraint/rowupdate.c, solver/hessiandense.c and linesearch.c for
// contacts whose friction is bounded by an ellipse, one constraint of the group at a time.

// an elliptic contact: its cone, residuals and weights
typedef struct {
  lawCone cone;
  cfVec x[6], D[6], friction[5];
} laneCone;


// constraint k of a problem: its rows there
CF_LANE_INLINE laneBlock laneBlockOf(const laneProblem* p, const cfLaneBlock* kept) {
  const bool is_part = p->island >= 0;
  return laneNameBlock(kept->lanes, is_part ? &kept->part_at : &kept->at, kept->nrow);
}


// number of row r of a block; zero in worlds that do not have it
CF_LANE_INLINE cfVec laneTake(const laneBlock* b, const cfVec* array, int stride, int at, int r) {
  const cfLanePlaces* from = b->at;
  cfVec value =
      laneKeep(from->lanes[0], array[(size_t)(from->row[0] + r) * (size_t)stride + (size_t)at]);
  for (int k = 1; k < from->n; k++) {
    value = laneMix(from->lanes[k], array[(size_t)(from->row[k] + r) * (size_t)stride + (size_t)at],
                    value);
  }
  return value;
}


// bits of worlds for all rows of a block
static void lanePutBits(const laneBlock* b, unsigned char* array, unsigned bits) {
  for (int k = 0; k < b->at->n; k++) {
    const unsigned mask = b->at->lanes[k];
    for (int r = b->at->row[k]; r < b->at->row[k] + b->nrow; r++) {
      array[r] = (unsigned char)((array[r] & ~mask) | (bits & mask));
    }
  }
}


// the same of its first row
static unsigned laneTakeBits(const laneBlock* b, const unsigned char* array) {
  unsigned bits = 0;
  for (int k = 0; k < b->at->n; k++) {
    bits |= array[b->at->row[k]] & b->at->lanes[k];
  }
  return bits;
}


// does constraint k belong to the problem, behind equalities and friction
CF_LANE_INLINE bool laneIsPush(const laneProblem* p, const cfLaneBlock* kept) {
  return kept->pushes && (p->island < 0 || kept->island == p->island);
}


// `dim` rows, a number that is known where it can be
CF_LANE_INLINE void laneLoadCone(laneCone* c, const laneProblem* p, const cfLaneBlock* kept,
                                 const laneBlock* b, const cfVec* x, const int dim) {
  const cfLaneNewton* n = p->n;
  CF_ASSERT(dim > 1 && dim <= 6 && dim == kept->nrow);
  memcpy(&c->cone.mu, kept->mu, sizeof(cfVec));
  memcpy(&c->cone.Dm, kept->Dm, sizeof(cfVec));
  for (int k = 0; k < dim; k++) {
    c->x[k] = laneTake(b, x, 1, 0, k);
    c->D[k] = laneTake(b, CF_ROWS(D), 1, 0, k);
    if (k) {
      memcpy(c->friction + k - 1, kept->friction[k - 1], sizeof(cfVec));
    }
  }
  lawPlaceCone(&c->cone, c->x, c->friction, dim);
}


// ---------------------------------------- cost

// force and zone of an elliptic contact, unless its cost is all that is asked for; its cost
CF_LANE_INLINE cfVec laneUpdateCone(const laneProblem* p, const cfLaneBlock* kept,
                                    const laneBlock* b, const cfVec* x, const int dim,
                                    const bool is_cost) {
  cfLaneNewton* n = p->n;
  laneCone c;
  cfVec force[6];
  cfMask is_top, is_low;
  laneLoadCone(&c, p, kept, b, x, dim);
  const cfVec cost =
      lawUpdateCone(&c.cone, c.x, c.D, c.friction, dim, force, is_cost, &is_top, &is_low);
  for (int k = 0; k < dim && !is_cost; k++) {
    lanePut(b, CF_ROWS(force), 1, 0, k, force[k]);
  }
  if (!is_cost) {
    lanePutBits(b, n->quad, laneBits(is_low));
    lanePutBits(b, n->middle, laneBits(~(is_top | is_low)));
  }
  return laneSelect(b->is_in, cost, laneOf(0));
}


CF_LANE_INLINE cfVec laneUpdatePush(const laneProblem* p, const laneBlock* b, const cfVec* x,
                                    const bool is_cost) {
  cfLaneNewton* n = p->n;
  cfVec force;
  cfMask is_met;
  const cfVec cost =
      lawPushCost(laneTake(b, x, 1, 0, 0), laneTake(b, CF_ROWS(D), 1, 0, 0), &force, &is_met);
  if (!is_cost) {
    lanePut(b, CF_ROWS(force), 1, 0, 0, force);
    lanePutBits(b, n->quad, laneBits(~is_met));
  }
  return laneSelect(b->is_in, cost, laneOf(0));
}


// limits and contacts, one after the other
CF_LANE_INLINE cfVec laneUpdateConesFor(const laneProblem* p, const cfVec* x, const bool is_cost) {
  cfVec cost = {0};
  for (int k = 0; k < p->nkept; k++) {
    const cfLaneBlock* kept = p->kept + k;
    if (laneIsPush(p, kept)) {
      const laneBlock b = laneBlockOf(p, kept);
      cost = cost + (!kept->is_cone    ? laneUpdatePush(p, &b, x, is_cost)
                     : kept->nrow == 3 ? laneUpdateCone(p, kept, &b, x, 3, is_cost)
                     : kept->nrow == 4 ? laneUpdateCone(p, kept, &b, x, 4, is_cost)
                                       : laneUpdateCone(p, kept, &b, x, kept->nrow, is_cost));
    }
  }
  return cost;
}


static cfVec laneUpdateWithCones(const laneProblem* p, const cfVec* x) {
  return laneUpdateConesFor(p, x, false);
}


static cfVec laneCostWithCones(const laneProblem* p, const cfVec* x) {
  return laneUpdateConesFor(p, x, true);
}


// ---------------------------------------- Hessian

// rows of a cone and its Hessian times them, at the columns that they have
typedef struct {
  cfVec J[CF_LANE_DOFS][6], W[CF_LANE_DOFS][6];
  int list[CF_LANE_DOFS], count, dim;
} laneConeRows;


static void laneLoadConeRows(laneConeRows* rows, const laneProblem* p, const cfLaneBlock* kept,
                             const laneBlock* b, cfVec H[6][6], cfMask is_middle) {
  const cfLaneNewton* n = p->n;
  rows->count = 0;
  rows->dim = kept->nrow;
  for (uint64_t left = p->island < 0 ? kept->columns : kept->part_columns; left; left &= left - 1) {
    const int c = __builtin_ctzll(left), at = rows->count++;
    rows->list[at] = c;
    for (int k = 0; k < rows->dim; k++) {
      rows->J[at][k] = laneTake(b, CF_ROWS(J), p->nv, c, k);
    }
    for (int i = 0; i < rows->dim; i++) {
      cfVec sum = {0};
      for (int k = 0; k < rows->dim; k++) {
        sum = sum + H[i][k] * rows->J[at][k];
      }
      rows->W[at][i] = laneSelect(is_middle, sum, laneOf(0));
    }
  }
}


// lower triangle of L += cones in the middle zone, in the given worlds
static void laneAddCones(const laneProblem* p, cfVec* L, unsigned lanes) {
  const cfLaneNewton* n = p->n;
  for (int k = 0; k < p->nkept; k++) {
    const cfLaneBlock* kept = p->kept + k;
    if (!kept->is_cone || !laneIsPush(p, kept)) {
      continue;
    }
    const laneBlock b = laneBlockOf(p, kept);
    const unsigned middle = laneTakeBits(&b, n->middle) & lanes;
    if (!middle) {
      continue;
    }
    laneCone cone;
    cfVec H[6][6];
    laneConeRows rows;
    laneLoadCone(&cone, p, kept, &b, CF_ROWS(jar), kept->nrow);
    lawConeHessian(H[0], 6, &cone.cone, cone.x, cone.friction, kept->nrow);
    laneLoadConeRows(&rows, p, kept, &b, H, laneOfBits(middle));
    for (int i = 0; i < rows.count; i++) {
      cfVec* row = L + laneTriangle(rows.list[i]);
      for (int j = 0; j <= i; j++) {
        cfVec sum = row[rows.list[j]];
        for (int r = 0; r < rows.dim; r++) {
          sum = sum + rows.W[i][r] * rows.J[j][r];
        }
        row[rows.list[j]] = sum;
      }
    }
  }
}


// ---------------------------------------- along a line

// an elliptic contact along the line
typedef struct {
  lawConeLine line;
  cfMask is_in;
} laneConeLine;

_Static_assert(sizeof(laneConeLine) == sizeof(cfVec) * CF_LANE_CONE_LINE, "room in the group");


static void laneOpenConeLine(laneConeLine* line, const laneProblem* p, const cfLaneBlock* kept,
                             const laneBlock* b) {
  const cfLaneNewton* n = p->n;
  laneCone c;
  laneLoadCone(&c, p, kept, b, CF_ROWS(jar), kept->nrow);
  cfVec v[6] = {laneTake(b, CF_ROWS(Jv), 1, 0, 0)};
  for (int k = 1; k < kept->nrow; k++) {
    v[k] = laneTake(b, CF_ROWS(Jv), 1, 0, k);
  }
  lawOpenConeLine(&line->line, c.x, v, c.D, c.cone.mu, c.friction, kept->nrow);
  line->line.Dm = c.cone.Dm;
  line->is_in = b->is_in;
}


// the parabola of a row that is no cone's
static void laneOpenPlainLine(const laneProblem* p, const laneBlock* b) {
  const cfLaneNewton* n = p->n;
  const cfVec x = laneTake(b, CF_ROWS(jar), 1, 0, 0), v = laneTake(b, CF_ROWS(Jv), 1, 0, 0);
  const cfVec D = laneTake(b, CF_ROWS(D), 1, 0, 0), Dx = D * x;
  CF_ASSERT(b->nrow == 1);
  lanePut(b, CF_ROWS(line), 3, 0, 0, 0.5 * (x * Dx));
  lanePut(b, CF_ROWS(line), 3, 1, 0, v * Dx);
  lanePut(b, CF_ROWS(line), 3, 2, 0, 0.5 * (v * D * v));
}


// records of all cones, whose rows add nothing by themselves, and parabolas of the other rows that
// push
static void lanePrepareCones(const laneProblem* p) {
  cfLaneNewton* n = p->n;
  laneConeLine* line = (laneConeLine*)(void*)n->cone_line;
  n->ncone = n->nplain = 0;
  for (int k = 0; k < p->nkept; k++) {
    const cfLaneBlock* kept = p->kept + k;
    if (!laneIsPush(p, kept)) {
      continue;
    }
    const laneBlock b = laneBlockOf(p, kept);
    if (kept->is_cone) {
      CF_ASSERT(n->ncone < CF_LANES * CF_LANE_MOST_ROWS / 3);
      laneOpenConeLine(line + n->ncone++, p, kept, &b);
      continue;
    }
    if (!n->nplain++) {
      laneZero(CF_ROWS(line) + 3 * p->nb, 3 * (p->nefc - p->nb));
    }
    laneOpenPlainLine(p, &b);
  }
}


static void laneSumCones(const laneProblem* p, cfVec alpha, lawParabola* sum, lanePoints* point) {
  const laneConeLine* line = (const laneConeLine*)(const void*)p->n->cone_line;
  for (const laneConeLine* k = line; k < line + p->n->ncone; k++) {
    lawSumCone(&k->line, alpha, k->is_in, sum, &point->cost, &point->slope, &point->curvature);
  }
}
