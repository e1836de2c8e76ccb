// Constraint rows of W worlds: row r of each world side by side, padded with rows of zeros where a
// world has fewer.  Sums keep the order of the scalar kernels (math/simd/dense_kernels.h,
// constraint/rowupdate.c): partial sums by the place modulo four, then the rest one by one; what
// padding and columns of zeros add is zero.

// the problem of a group: all rows, or those of an island
typedef struct {
  cfLaneGroup* g;
  cfLaneNewton* n;
  int island;            // -1: all rows
  int nv, ne, nb, nefc;  // nb: equality and friction rows; nefc: of the world that has most
  int fewest;            // rows that every world has
  cfVec nwhole;          // per world: fours of rows behind nb that are full
  cfVec row_cost, gauss_cost, scale;

  // inertia, compressed rows; smooth forces and accelerations; results
  const cfVec *M, *frc_smooth, *acc_smooth;
  const int *rowadr, *rownnz, *colind;
  cfVec *acc, *frc_constraint;

  // constraints, in the order of their rows, where there are elliptic cones or several islands
  const cfLaneBlock* kept;
  int nkept;
  bool has_cones;
} laneProblem;

// a point of every lane on a line, and the cost there as alpha^2*a + alpha*b + c
typedef struct {
  cfVec cost, slope, curvature;
} lanePoints;

// rows of models with elliptic cones: cones.h
static cfVec laneUpdateWithCones(const laneProblem* p, const cfVec* x);
static cfVec laneCostWithCones(const laneProblem* p, const cfVec* x);
static void lanePrepareCones(const laneProblem* p);
static void laneSumCones(const laneProblem* p, cfVec alpha, lawParabola* sum, lanePoints* point);

#define CF_ROWS(name) ((cfVec*)n->name)


CF_LANE_INLINE int laneTriangle(int row) {
  return row * (row + 1) / 2;
}


// a in the lanes whose bit is set, b in the others
CF_LANE_INLINE cfVec laneMix(unsigned bits, cfVec a, cfVec b) {
#if CF_LANES == 8
  return (cfVec)_mm512_mask_blend_pd((__mmask8)bits, (__m512d)b, (__m512d)a);
#else
  return laneSelect(laneOfBits(bits), a, b);
#endif
}


// a in the lanes whose bit is set, zero in the others
CF_LANE_INLINE cfVec laneKeep(unsigned bits, cfVec a) {
#if CF_LANES == 8
  return (cfVec)_mm512_maskz_mov_pd((__mmask8)bits, (__m512d)a);
#else
  return (cfVec)((cfMask)a & laneOfBits(bits));
#endif
}


// store in the lanes whose bit is set
CF_LANE_INLINE void laneStore(cfVec* place, unsigned bits, cfVec value) {
#if CF_LANES == 8
  _mm512_mask_store_pd(place, (__mmask8)bits, (__m512d)value);
#else
  *place = laneMix(bits, value, *place);
#endif
}


// (0+2)+(1+3)
CF_LANE_INLINE cfVec laneSumFour(const cfVec s[4]) {
  return (s[0] + s[2]) + (s[1] + s[3]);
}


static cfVec laneDot(const cfVec* a, const cfVec* b, int count) {
  CF_ASSERT(count >= 0);
  cfVec s[4] = {{0}}, rest = {0};
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    for (int j = 0; j < 4; j++) {
      s[j] = s[j] + a[k + j] * b[k + j];
    }
  }
  for (; k < count; k++) {
    rest = rest + a[k] * b[k];
  }
  return laneSumFour(s) + rest;
}


// ---------------------------------------- from the worlds

// an array of rows, `per` numbers each
static void laneGatherRows(const laneProblem* p, mjtNum* lanes, size_t offset, int per) {
  const cfLaneNewton* n = p->n;
  mjtNum* world[CF_LANES_MAX];
  for (int w = 0; w < CF_LANES; w++) {
    memcpy(world + w, (char*)p->g->data[n->source[w]] + offset, sizeof(world[w]));
  }
  laneGatherNumbers(lanes, world, p->fewest * per);
  for (int r = p->fewest; r < p->nefc; r++) {
    mjtNum* row[CF_LANES_MAX];
    for (int w = 0; w < CF_LANES; w++) {
      row[w] = r < n->nefc[n->source[w]] ? world[w] + (size_t)r * (size_t)per : n->zeros;
    }
    laneGatherNumbers(lanes + (size_t)CF_LANES * (size_t)r * (size_t)per, row, per);
  }
  laneZero((cfVec*)lanes + (size_t)p->nefc * (size_t)per, 4 * per);
}


// which columns are not zero, per four rows
static void laneMarkColumns(const laneProblem* p) {
  cfLaneNewton* n = p->n;
  for (int r = 0; r < p->nefc; r += 4) {
    const cfVec* J = CF_ROWS(J) + (size_t)r * (size_t)p->nv;
    uint64_t columns = 0;
    for (int c = 0; c < p->nv; c++) {
      const cfMask any =
          (cfMask)J[c] | (cfMask)J[c + p->nv] | (cfMask)J[c + 2 * p->nv] | (cfMask)J[c + 3 * p->nv];
      columns |= (uint64_t)laneAny((cfVec)any != 0.0) << c;
    }
    n->column[r / 4] = columns;
  }
}


static void laneLoadRows(laneProblem* p) {
  cfLaneNewton* n = p->n;
  laneGatherRows(p, n->J, offsetof(mjData, efc_J), p->nv);
  laneGatherRows(p, n->D, offsetof(mjData, efc_D), 1);
  laneGatherRows(p, n->aref, offsetof(mjData, efc_aref), 1);
  if (p->nb > p->ne) {
    laneGatherRows(p, n->R, offsetof(mjData, efc_R), 1);
    laneGatherRows(p, n->loss, offsetof(mjData, efc_frictionloss), 1);
  }
  laneMarkColumns(p);
}


// ---------------------------------------- products

// two rows times a vector; only fours of columns that are not zero
CF_LANE_INLINE void laneTwoRowDots(cfVec res[2], const cfVec* row, const cfVec* vec, int nv,
                                   uint64_t columns) {
  const cfVec* next = row + nv;
  cfVec s[4] = {{0}}, t[4] = {{0}}, rest = {0}, rest_next = {0};
  int c = 0;
  for (; c + 4 <= nv; c += 4) {
    if (columns >> c & 15) {
      for (int j = 0; j < 4; j++) {
        const cfVec v = vec[c + j];
        s[j] = s[j] + row[c + j] * v;
        t[j] = t[j] + next[c + j] * v;
      }
    }
  }
  for (; c < nv; c++) {
    rest = rest + row[c] * vec[c];
    rest_next = rest_next + next[c] * vec[c];
  }
  res[0] = laneSumFour(s) + rest;
  res[1] = laneSumFour(t) + rest_next;
}


// the row behind the last one is one of zeros
static void laneMulRows(const laneProblem* p, cfVec* res, const cfVec* vec) {
  const cfLaneNewton* n = p->n;
  for (int r = 0; r < p->nefc; r += 2) {
    laneTwoRowDots(res + r, CF_ROWS(J) + (size_t)r * (size_t)p->nv, vec, p->nv, n->column[r / 4]);
  }
}


// the rows times up to three vectors at once
CF_LANE_INLINE void laneMulRowsBy(const laneProblem* p, cfVec* const res[3],
                                  const cfVec* const vec[3], const int count) {
  const cfLaneNewton* n = p->n;
  for (int r = 0; r < p->nefc; r++) {
    const cfVec* row = CF_ROWS(J) + (size_t)r * (size_t)p->nv;
    const uint64_t columns = n->column[r / 4];
    cfVec s[3][4] = {{{0}}}, rest[3] = {{0}};
    int c = 0;
    for (; c + 4 <= p->nv; c += 4) {
      for (int j = 0; j < 4 && (columns >> c & 15); j++) {
        for (int i = 0; i < count; i++) {
          s[i][j] = s[i][j] + row[c + j] * vec[i][c + j];
        }
      }
    }
    for (; c < p->nv; c++) {
      for (int i = 0; i < count; i++) {
        rest[i] = rest[i] + row[c] * vec[i][c];
      }
    }
    for (int i = 0; i < count; i++) {
      res[i][r] = laneSumFour(s[i]) + rest[i];
    }
  }
}


// J'*force
static void laneMulRowsT(const laneProblem* p, cfVec* res, const cfVec* force) {
  const cfLaneNewton* n = p->n;
  const int nv = p->nv;
  laneZero(res, nv);
  for (int r = 0; r < p->nefc; r += 4) {
    const cfVec *J = CF_ROWS(J) + (size_t)r * (size_t)nv, *f = force + r;
    if (laneNone((f[0] != 0.0) | (f[1] != 0.0) | (f[2] != 0.0) | (f[3] != 0.0))) {
      continue;
    }
    for (uint64_t left = n->column[r / 4]; left; left &= left - 1) {
      const int c = __builtin_ctzll(left);
      cfVec sum = res[c] + J[c] * f[0];
      sum = sum + J[c + nv] * f[1];
      sum = sum + J[c + 2 * nv] * f[2];
      res[c] = sum + J[c + 3 * nv] * f[3];
    }
  }
}


// M*vec as mj_mulM has it: the part left of the diagonal one by one
static void laneMulM(const laneProblem* p, cfVec* res, const cfVec* vec) {
  for (int i = 0; i < p->nv; i++) {
    const int adr = p->rowadr[i], last = p->rownnz[i] - 1;
    const int* column = p->colind + adr;
    const cfVec *row = p->M + adr, own = vec[i];
    cfVec sum = row[last] * own;
    for (int k = 0; k < last; k++) {
      const int c = column[k];
      sum = sum + row[k] * vec[c];
      res[c] = res[c] + row[k] * own;
    }
    res[i] = sum;
  }
}


// one number left of the diagonal: into the sum of its column modulo four, and into its own row
CF_LANE_INLINE void laneMulOne(cfVec s[4], cfVec* res, const cfVec* vec, cfVec entry, cfVec own,
                               int c) {
  const cfVec part = entry * vec[c];
  res[c] = res[c] + entry * own;
  switch (c & 3) {
    case 0:
      s[0] = s[0] + part;
      break;
    case 1:
      s[1] = s[1] + part;
      break;
    case 2:
      s[2] = s[2] + part;
      break;
    default:
      s[3] = s[3] + part;
  }
}


// M*vec as cfi_mulTree has it: in four sums by column, which stay in registers
static void laneMulTree(const laneProblem* p, cfVec* res, const cfVec* vec) {
  for (int i = 0; i < p->nv; i++) {
    const int adr = p->rowadr[i], last = p->rownnz[i] - 1;
    const int* column = p->colind + adr;
    const cfVec *row = p->M + adr, own = vec[i];
    cfVec s[4] = {{0}};
    for (int k = 0; k < last;) {
      const int c = column[k];
      if ((c & 3) == 0 && k + 4 <= last && column[k + 3] == c + 3) {
        for (int j = 0; j < 4; j++) {
          s[j] = s[j] + row[k + j] * vec[c + j];
          res[c + j] = res[c + j] + row[k + j] * own;
        }
        k += 4;
      } else {
        laneMulOne(s, res, vec, row[k], own, c);
        k++;
      }
    }
    res[i] = row[last] * own + laneSumFour(s);
  }
}


// ---------------------------------------- cost

// dry friction of row r
CF_LANE_INLINE cfVec laneUpdateFriction(cfLaneNewton* n, cfVec x, int r, const bool is_cost) {
  const cfVec loss = CF_ROWS(loss)[r];
  cfVec force;
  cfMask is_low, is_high;
  const cfVec cost =
      lawLossCost(x, CF_ROWS(D)[r], CF_ROWS(R)[r] * loss, loss, &force, &is_low, &is_high);
  if (!is_cost) {
    CF_ROWS(force)[r] = force;
    n->quad[r] = (unsigned char)laneBits(~(is_low | is_high));
    n->low[r] = (unsigned char)laneBits(is_low);
  }
  return cost;
}


// four rows that push where their residual is negative
CF_LANE_INLINE void laneUpdateFour(cfLaneNewton* n, cfVec cost[4], const cfVec* x, int r,
                                   const bool is_cost) {
  for (int j = 0; j < 4; j++) {
    cfVec force;
    cfMask is_met;
    cost[j] = lawPushCost(x[r + j], CF_ROWS(D)[r + j], &force, &is_met);
    if (!is_cost) {
      CF_ROWS(force)[r + j] = force;
      n->quad[r + j] = (unsigned char)laneBits(~is_met);
    }
  }
}


// rows that push, behind equalities and friction: partial sums by their place modulo four, then
// those behind the last whole four of each world
CF_LANE_INLINE cfVec laneUpdatePushes(const laneProblem* p, cfVec cost, const cfVec* x,
                                      const bool is_cost) {
  cfVec s[4] = {{0}}, rest[3] = {{0}};
  for (int r = p->nb, four = 0; r < p->nefc; r += 4, four++) {
    cfVec part[4];
    laneUpdateFour(p->n, part, x, r, is_cost);
    if (r + 4 <= p->fewest) {
      for (int j = 0; j < 4; j++) {
        s[j] = s[j] + part[j];
      }
      continue;
    }
    const cfMask is_whole = laneOf(four) < p->nwhole, is_cut = laneOf(four) == p->nwhole;
    for (int j = 0; j < 4; j++) {
      s[j] = s[j] + laneSelect(is_whole, part[j], laneOf(0));
    }
    for (int j = 0; j < 3; j++) {
      rest[j] = laneSelect(is_cut, part[j], rest[j]);
    }
  }
  return cost + (((laneSumFour(s) + rest[0]) + rest[1]) + rest[2]);
}


// rows of equalities and friction
CF_LANE_INLINE cfVec laneUpdateBound(const laneProblem* p, const cfVec* x, const bool is_cost) {
  cfLaneNewton* n = p->n;
  cfVec cost = {0};
  for (int r = 0; r < p->ne; r++) {
    cost = cost + 0.5 * CF_ROWS(D)[r] * x[r] * x[r];
    if (!is_cost) {
      CF_ROWS(force)[r] = -CF_ROWS(D)[r] * x[r];
      n->quad[r] = (unsigned char)((1u << CF_LANES) - 1);
    }
  }
  for (int r = p->ne; r < p->nb; r++) {
    cost = cost + laneUpdateFriction(n, x[r], r, is_cost);
  }
  return cost;
}


// force and state of all rows at residuals x; their cost
static cfVec laneUpdateRows(const laneProblem* p, const cfVec* x) {
  const cfVec cost = laneUpdateBound(p, x, false);
  return p->has_cones ? cost + laneUpdateWithCones(p, x) : laneUpdatePushes(p, cost, x, false);
}


// their cost alone
static cfVec laneCostRows(const laneProblem* p, const cfVec* x) {
  const cfVec cost = laneUpdateBound(p, x, true);
  return p->has_cones ? cost + laneCostWithCones(p, x) : laneUpdatePushes(p, cost, x, true);
}


// cost of moving away from the smooth acceleration
static cfVec laneGaussCost(const laneProblem* p, const cfVec* Ma, const cfVec* acc) {
  cfVec sum = {0};
  for (int i = 0; i < p->nv; i++) {
    sum = sum + 0.5 * (Ma[i] - p->frc_smooth[i]) * (acc[i] - p->acc_smooth[i]);
  }
  return sum;
}


// ---------------------------------------- along a line

// parabolas of the rows; returns that of the Gauss cost with equalities
static lawParabola lanePrepareLine(const laneProblem* p) {
  cfLaneNewton* n = p->n;
  const cfVec* search = CF_ROWS(search);
  const int end = p->has_cones ? p->nb : p->nefc;
  for (int r = 0; r < end; r++) {
    const cfVec x = CF_ROWS(jar)[r], v = CF_ROWS(Jv)[r], D = CF_ROWS(D)[r], Dx = D * x;
    CF_ROWS(line)[3 * r] = 0.5 * (x * Dx);
    CF_ROWS(line)[3 * r + 1] = v * Dx;
    CF_ROWS(line)[3 * r + 2] = 0.5 * (v * D * v);
  }
  lawParabola base = {p->gauss_cost,
                      laneDot(search, CF_ROWS(Ma), p->nv) - laneDot(p->frc_smooth, search, p->nv),
                      0.5 * laneDot(search, CF_ROWS(Mv), p->nv)};
  for (int r = 0; r < p->ne; r++) {
    const cfVec* q = CF_ROWS(line) + 3 * r;
    lawAddParabola(&base, q[0], q[1], q[2]);
  }
  if (p->has_cones) {
    lanePrepareCones(p);
  }
  return base;
}


static void laneSumFriction(const laneProblem* p, cfVec alpha, lawParabola* sum) {
  const cfLaneNewton* n = p->n;
  for (int r = p->ne; r < p->nb; r++) {
    const cfVec loss = CF_ROWS(loss)[r], *q = CF_ROWS(line) + 3 * r;
    const lawParabola inside = {q[0], q[1], q[2]};
    lawSumLoss(sum, &inside, CF_ROWS(jar)[r], CF_ROWS(Jv)[r], alpha, CF_ROWS(R)[r] * loss, loss);
  }
}


// sums of rows by their place modulo four
typedef struct {
  cfVec c[4], b[4], a[4];
} laneParabolas;


// four rows where their residual is negative, in the lanes of a mask; the others one by one
CF_LANE_INLINE void laneSumFourPushes(const cfLaneNewton* n, cfVec alpha, int r, cfMask is_whole,
                                      laneParabolas* s, lawParabola* rest) {
  for (int j = 0; j < 4; j++) {
    const cfVec x = CF_ROWS(jar)[r + j] + alpha * CF_ROWS(Jv)[r + j];
    const cfMask counts = x < 0.0, here = counts & is_whole;
    const cfVec* line = CF_ROWS(line) + 3 * (r + j);
    const cfMask c = (cfMask)line[0], b = (cfMask)line[1], a = (cfMask)line[2];
    s->c[j] = s->c[j] + (cfVec)(c & here);
    s->b[j] = s->b[j] + (cfVec)(b & here);
    s->a[j] = s->a[j] + (cfVec)(a & here);
    if (rest) {
      const cfMask there = counts & ~is_whole;
      lawAddParabola(rest, (cfVec)(c & there), (cfVec)(b & there), (cfVec)(a & there));
    }
  }
}


// limits and contacts: a row counts where its residual is negative
static void laneSumPushes(const laneProblem* p, cfVec alpha, lawParabola* sum) {
  laneParabolas s = {{{0}}, {{0}}, {{0}}};
  int r = p->nb;
  for (; r + 4 <= p->fewest; r += 4) {
    laneSumFourPushes(p->n, alpha, r, ~(cfMask){0}, &s, NULL);
  }
  for (; r < p->nefc; r += 4) {
    const cfMask is_whole = laneOf((r - p->nb) / 4) < p->nwhole;
    laneSumFourPushes(p->n, alpha, r, is_whole, &s, sum);
  }
  lawAddParabola(sum, laneSumFour(s.c), laneSumFour(s.b), laneSumFour(s.a));
}


static lanePoints laneEvaluateLine(const laneProblem* p, const lawParabola* base, cfVec alpha) {
  lawParabola sum = *base;
  lanePoints at = {{0}, {0}, {0}};
  laneSumFriction(p, alpha, &sum);
  if (!p->has_cones || p->n->nplain) {
    laneSumPushes(p, alpha, &sum);
  } else {
    lawAddParabola(&sum, laneOf(0), laneOf(0), laneOf(0));
  }
  if (p->has_cones) {
    laneSumCones(p, alpha, &sum, &at);
  }
  const cfVec curvature = at.curvature + 2.0 * sum.a;
  return (lanePoints){at.cost + (alpha * alpha * sum.a + alpha * sum.b + sum.c),
                      at.slope + (2.0 * alpha * sum.a + sum.b),
                      laneSelect(curvature <= 0.0, laneOf(mjMINVAL), curvature)};
}
