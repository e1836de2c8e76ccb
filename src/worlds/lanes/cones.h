// Elliptic cones of W worlds: constraint/rowupdate.c, solver/hessiandense.c and linesearch.c for
// contacts whose friction is bounded by an ellipse, one constraint of the group at a time.

// an elliptic contact at residuals x, in the space where its cone is circular with slope mu
typedef struct {
  cfVec x[6], D[6], u[6], scale[6];  // normal, tangents
  cfVec N, T, mu, Dm;
  int dim;
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
  cfVec sum = {0};
  CF_ASSERT(dim > 1 && dim <= 6 && dim == kept->nrow);
  c->dim = dim;
  memcpy(&c->mu, kept->mu, sizeof(c->mu));
  memcpy(&c->Dm, kept->Dm, sizeof(c->Dm));
  c->x[0] = laneTake(b, x, 1, 0, 0);
  c->D[0] = laneTake(b, CF_ROWS(D), 1, 0, 0);
  c->scale[0] = c->mu;
  c->N = c->u[0] = c->x[0] * c->mu;
  for (int k = 1; k < dim; k++) {
    c->x[k] = laneTake(b, x, 1, 0, k);
    c->D[k] = laneTake(b, CF_ROWS(D), 1, 0, k);
    memcpy(c->scale + k, kept->friction[k - 1], sizeof(cfVec));
    c->u[k] = c->x[k] * c->scale[k];
    sum = sum + c->u[k] * c->u[k];
  }
  c->T = laneSqrt(sum);
}


// ---------------------------------------- cost

// force and zone of an elliptic contact, unless its cost is all that is asked for; its cost
CF_LANE_INLINE cfVec laneUpdateCone(const laneProblem* p, const cfLaneBlock* kept,
                                    const laneBlock* b, const cfVec* x, const int dim,
                                    const bool is_cost) {
  cfLaneNewton* n = p->n;
  laneCone c;
  laneLoadCone(&c, p, kept, b, x, dim);
  const cfMask is_axis = c.T <= 0.0;
  const cfMask is_top = (c.N >= c.mu * c.T) | (is_axis & (c.N >= 0.0));
  const cfMask is_low = ~is_top & ((c.mu * c.N + c.T <= 0.0) | (is_axis & (c.N < 0.0)));
  const cfVec gap = c.N - c.mu * c.T, push = -c.Dm * gap * c.mu;
  cfVec low_cost = {0}, cost = 0.5 * c.Dm * gap * gap;
  for (int k = 0; k < dim; k++) {
    low_cost = low_cost + 0.5 * c.D[k] * c.x[k] * c.x[k];
  }
  for (int k = 0; k < dim && !is_cost; k++) {
    const cfVec low = -c.D[k] * c.x[k];
    cfVec middle = push;
    if (k) {
      middle = -push / c.T * c.u[k] * c.scale[k];
    }
    lanePut(b, CF_ROWS(force), 1, 0, k,
            laneSelect(is_top, laneOf(0), laneSelect(is_low, low, middle)));
  }
  cost = laneSelect(is_low, low_cost, cost);
  if (!is_cost) {
    lanePutBits(b, n->quad, laneBits(is_low));
    lanePutBits(b, n->middle, laneBits(~(is_top | is_low)));
  }
  return laneSelect(is_top | ~b->is_in, laneOf(0), cost);
}


CF_LANE_INLINE cfVec laneUpdatePush(const laneProblem* p, const laneBlock* b, const cfVec* x,
                                    const bool is_cost) {
  cfLaneNewton* n = p->n;
  const cfVec residual = laneTake(b, x, 1, 0, 0), D = laneTake(b, CF_ROWS(D), 1, 0, 0);
  const cfMask is_met = residual >= 0.0;
  const cfVec violation = laneSelect(is_met, laneOf(0), residual);
  if (!is_cost) {
    lanePut(b, CF_ROWS(force), 1, 0, 0, 0.0 - D * violation);
    lanePutBits(b, n->quad, laneBits(~is_met));
  }
  return laneSelect(b->is_in, 0.5 * D * violation * violation, laneOf(0));
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

// second derivative in the middle zone, dim x dim
static void laneConeHessian(cfVec H[6][6], const laneCone* c) {
  CF_ASSERT(c->dim >= 3 && c->dim <= 6);
  const cfVec along = c->mu * c->N / (c->T * c->T * c->T);
  const cfVec across = c->mu * c->mu - c->mu * c->N / c->T;
  for (int i = 0; i < c->dim; i++) {
    for (int j = i; j < c->dim; j++) {
      cfVec h = laneOf(1);
      if (i) {
        h = along * c->u[i] * c->u[j];
      } else if (j) {
        h = -c->mu / c->T * c->u[j];
      }
      if (i == j && i > 0) {
        h = h + across;
      }
      H[i][j] = H[j][i] = c->Dm * c->scale[i] * c->scale[j] * h;
    }
  }
}


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
    laneConeHessian(H, &cone);
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
  cfVec u0, v0;      // normal: value, direction
  cfVec uu, uv, vv;  // tangents: dot products of value and direction
  cfVec mu, Dm;
  laneParabola low;  // all rows quadratic
  cfMask is_in;
} laneConeLine;

_Static_assert(sizeof(laneConeLine) == sizeof(cfVec) * CF_LANE_CONE_LINE, "room in the group");


static laneConeLine laneOpenConeLine(const laneProblem* p, const cfLaneBlock* kept,
                                     const laneBlock* b) {
  const cfLaneNewton* n = p->n;
  laneCone c;
  laneLoadCone(&c, p, kept, b, CF_ROWS(jar), kept->nrow);
  laneConeLine line = {.mu = c.mu, .Dm = c.Dm, .u0 = c.u[0], .is_in = b->is_in};
  for (int k = 0; k < c.dim; k++) {
    const cfVec v = laneTake(b, CF_ROWS(Jv), 1, 0, k), Dx = c.D[k] * c.x[k];
    const cfVec w = v * c.scale[k];
    laneAddParabola(&line.low, c.x[k] * Dx, v * Dx, v * c.D[k] * v);
    if (k == 0) {
      line.v0 = w;
      continue;
    }
    line.uu = line.uu + c.u[k] * c.u[k];
    line.uv = line.uv + c.u[k] * w;
    line.vv = line.vv + w * w;
  }
  line.low.c = line.low.c * 0.5;
  line.low.a = line.low.a * 0.5;
  return line;
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
      line[n->ncone++] = laneOpenConeLine(p, kept, &b);
      continue;
    }
    if (!n->nplain++) {
      laneZero(CF_ROWS(line) + 3 * p->nb, 3 * (p->nefc - p->nb));
    }
    laneOpenPlainLine(p, &b);
  }
}


// nothing in the top zone, quadratic in the bottom zone, else Dm/2 (N - mu*T)^2 with its
// derivatives added to the point
static void laneSumCones(const laneProblem* p, cfVec alpha, laneParabola* sum, lanePoints* point) {
  const laneConeLine* line = (const laneConeLine*)(const void*)p->n->cone_line;
  for (const laneConeLine* k = line; k < line + p->n->ncone; k++) {
    const cfVec N = k->u0 + alpha * k->v0, T2 = k->uu + alpha * (2.0 * k->uv + alpha * k->vv);
    const cfMask is_axis = T2 <= 0.0;
    const cfVec T = laneSelect(is_axis, laneOf(0), laneSqrt(T2));
    const cfMask is_top = (is_axis & ~(N < 0.0)) | (~is_axis & (N >= k->mu * T));
    const cfMask is_low = k->is_in & ~is_top & (is_axis | (k->mu * N + T <= 0.0));
    const cfMask is_middle = k->is_in & ~is_top & ~is_low;
    laneAddParabola(sum, (cfVec)((cfMask)k->low.c & is_low), (cfVec)((cfMask)k->low.b & is_low),
                    (cfVec)((cfMask)k->low.a & is_low));
    if (laneNone(is_middle)) {
      continue;
    }
    const cfVec along = k->uv + alpha * k->vv, T_1 = along / T,
                T_2 = k->vv / T - along * T_1 / (T * T);
    const cfVec gap = N - k->mu * T, gap_1 = k->v0 - k->mu * T_1;
    const cfVec cost = 0.5 * k->Dm * gap * gap, slope = k->Dm * gap * gap_1;
    const cfVec curvature = k->Dm * (gap_1 * gap_1 + gap * (-k->mu * T_2));
    point->cost = point->cost + (cfVec)((cfMask)cost & is_middle);
    point->slope = point->slope + (cfVec)((cfMask)slope & is_middle);
    point->curvature = point->curvature + (cfVec)((cfMask)curvature & is_middle);
  }
}
