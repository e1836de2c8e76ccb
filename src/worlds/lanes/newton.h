// Newton's method for W worlds: solver/primal.c, newton.c and hessiandense.c for all rows or those
// of an island.  Worlds that have converged keep their numbers while the others go on.

// numbers of a lane mask
CF_LANE_INLINE void laneMoveBy(cfVec* res, const cfVec* vec, cfVec step, cfMask is_active, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = laneSelect(is_active, res[k] + vec[k] * step, res[k]);
  }
}


// ---------------------------------------- Hessian

// four rows with weights, at the columns that they have
typedef struct {
  const cfVec* J;
  cfVec weight[4];
  int list[CF_LANE_DOFS], count;
} laneFour;


// lower triangle of H += weighted squares of four rows
static void laneAddFour(cfVec* H, const laneFour* four, int nv) {
  cfVec J[CF_LANE_DOFS][4];
  size_t place[CF_LANE_DOFS];
  for (int i = 0; i < four->count; i++) {
    place[i] = sizeof(cfVec) * (size_t)four->list[i];
    for (int k = 0; k < 4; k++) {
      J[i][k] = four->J[four->list[i] + k * nv];
    }
  }
  for (int i = 0; i < four->count; i++) {
    const cfVec w0 = four->weight[0] * J[i][0], w1 = four->weight[1] * J[i][1];
    const cfVec w2 = four->weight[2] * J[i][2], w3 = four->weight[3] * J[i][3];
    char* h = (char*)(H + laneTriangle(four->list[i]));
    for (int k = 0; k <= i; k++) {
      cfVec* entry = (cfVec*)(void*)(h + place[k]);
      cfVec sum = *entry + w0 * J[k][0];
      sum = sum + w1 * J[k][1];
      sum = sum + w2 * J[k][2];
      *entry = sum + w3 * J[k][3];
    }
  }
}


// bring J'DJ in H from the rows in `built` to those in n->quad, in the lanes of a mask
static void laneAddQuadratic(const laneProblem* p, cfVec* H, const unsigned char* built,
                             unsigned lanes) {
  const cfLaneNewton* n = p->n;
  for (int r = 0; r < p->nefc; r += 4) {
    unsigned changes = 0;
    laneFour four;
    four.J = CF_ROWS(J) + (size_t)r * (size_t)p->nv;
    four.count = 0;
    for (int k = 0; k < 4; k++) {
      const unsigned is = n->quad[r + k] & lanes, was = built ? built[r + k] & lanes : 0;
      const cfVec D = CF_ROWS(D)[r + k];
      changes |= is ^ was;
      four.weight[k] =
          laneSelect(laneOfBits(is & ~was), D, laneSelect(laneOfBits(was & ~is), -D, laneOf(0)));
    }
    if (changes) {
      for (uint64_t left = n->column[r / 4]; left; left &= left - 1) {
        four.list[four.count++] = __builtin_ctzll(left);
      }
      laneAddFour(H, &four, p->nv);
    }
  }
}


// H = M + J'DJ
static void laneBuildHessian(const laneProblem* p, cfVec* H) {
  laneZero(H, laneTriangle(p->nv));
  for (int i = 0; i < p->nv; i++) {
    cfVec* row = H + laneTriangle(i);
    for (int k = p->rowadr[i]; k < p->rowadr[i] + p->rownnz[i]; k++) {
      row[p->colind[k]] = p->M[k];
    }
  }
  laneAddQuadratic(p, H, NULL, ~0u);
}


// build H anew in the given lanes; others of which it is still needed keep theirs
static void laneRebuildHessian(const laneProblem* p, unsigned lanes, unsigned others) {
  cfLaneNewton* n = p->n;
  laneBuildHessian(p, others ? CF_ROWS(spare) : CF_ROWS(H));
  for (int k = 0; k < laneTriangle(p->nv) && others; k++) {
    CF_ROWS(H)[k] = laneMix(lanes, CF_ROWS(spare)[k], CF_ROWS(H)[k]);
  }
  for (int r = 0; r < p->nefc; r++) {
    n->built[r] = (unsigned char)((n->quad[r] & lanes) | (n->built[r] & ~lanes));
  }
}


// add the rows to H that became active since it was built, and take out those that no longer are
static void laneExtendHessian(const laneProblem* p, unsigned lanes) {
  cfLaneNewton* n = p->n;
  laneAddQuadratic(p, CF_ROWS(H), n->built, lanes);
  for (int r = 0; r < p->nefc; r++) {
    n->built[r] = (unsigned char)((n->quad[r] & lanes) | (n->built[r] & ~lanes));
  }
}


// factor H with cones in the given lanes; others of which the factor is still needed keep theirs.
// Lanes in which it is not safely positive definite
static unsigned laneFactorHessian(const laneProblem* p, unsigned lanes, unsigned others) {
  cfLaneNewton* n = p->n;
  const int size = laneTriangle(p->nv);
  cfVec *L = others ? CF_ROWS(spare) : CF_ROWS(L), inverse[CF_LANE_DOFS];
  uint64_t filled[CF_LANE_DOFS];
  memcpy(filled, n->filled, sizeof(filled));
  numCopy(L, CF_ROWS(H), size);
  if (p->has_cones) {
    laneAddCones(p, L, lanes);
  }
  const cfMask is_bad = laneFactorDense(n, L, others ? inverse : CF_ROWS(inverse), p->nv);
  for (int i = 0; i < p->nv && others; i++) {
    CF_ROWS(inverse)[i] = laneMix(lanes, inverse[i], CF_ROWS(inverse)[i]);
    n->filled[i] |= filled[i];
  }
  for (int k = 0; k < size && others; k++) {
    CF_ROWS(L)[k] = laneMix(lanes, L[k], CF_ROWS(L)[k]);
  }
  return laneBits(is_bad) & lanes;
}


// ---------------------------------------- changes of the Hessian

// rows that became active or not, per lane
typedef struct {
  int count[CF_LANES_MAX];
  unsigned removed;                        // bits of lanes where one is no longer active
  int row[CF_LANES_MAX][CF_LANE_CHANGES];  // the first of them
} laneChanges;

static laneChanges laneListChanges(const laneProblem* p) {
  const cfLaneNewton* n = p->n;
  laneChanges changes = {.count = {0}};
  for (int r = 0; r < p->nefc; r++) {
    changes.removed |= n->old_quad[r] & ~n->quad[r];
    for (unsigned left = n->quad[r] ^ n->old_quad[r]; left; left &= left - 1) {
      const int w = __builtin_ctz(left);
      if (changes.count[w] < CF_LANE_CHANGES) {
        changes.row[w][changes.count[w]] = r;
      }
      changes.count[w]++;
    }
  }
  return changes;
}


// the k-th change of each lane as a vector v with sqrt(D) times its row, and a sign; bits of the
// lanes that have so many
static unsigned laneLoadChange(const laneProblem* p, const laneChanges* changes, unsigned lanes,
                               int k, cfVec* v, cfVec* sign) {
  const cfLaneNewton* n = p->n;
  cfLanePlaces rows = {.n = 0};
  unsigned some = 0, added = 0;
  for (unsigned left = lanes; left; left &= left - 1) {
    const int w = __builtin_ctz(left);
    if (k < changes->count[w]) {
      const int r = changes->row[w][k];
      laneAddPlace(&rows, r, w);
      some |= 1u << w;
      added |= n->quad[r] & 1u << w;
    }
  }
  *sign = laneMix(some & ~added, laneOf(-1), laneOf(1));
  laneZero(v, some ? p->nv : 0);
  for (int i = 0; i < rows.n; i++) {
    const int r = rows.row[i];
    const cfVec scale = laneSqrt(CF_ROWS(D)[r]), *J = CF_ROWS(J) + (size_t)r * (size_t)p->nv;
    for (uint64_t columns = n->column[r / 4]; columns; columns &= columns - 1) {
      const int c = __builtin_ctzll(columns);
      v[c] = laneMix(rows.lanes[i], scale * J[c], v[c]);
    }
  }
  return some;
}


// change the factor of lanes with few changes, one row of each at a time; lanes that were spoiled
static unsigned laneChangeRows(const laneProblem* p, const laneChanges* changes, unsigned lanes) {
  cfLaneNewton* n = p->n;
  cfMask is_bad = {0};
  cfVec v[CF_LANE_DOFS], sign;
  for (int k = 0; laneLoadChange(p, changes, lanes, k, v, &sign); k++) {
    is_bad |= laneUpdateDense(n, CF_ROWS(L), CF_ROWS(inverse), v, sign, p->nv);
  }
  return laneBits(is_bad) & lanes;
}


// with cones, whose iterates are to be kept, H is built anew where rows have to be taken out
static void laneUpdateWithMiddle(const laneProblem* p, const laneChanges* changes,
                                 unsigned active) {
  unsigned grown = 0;
  const unsigned shrunk = changes->removed & active;
  for (int w = 0; w < CF_LANES; w++) {
    grown |= (unsigned)(changes->count[w] > 0) << w;
  }
  grown &= active & ~shrunk;
  if (grown) {
    laneExtendHessian(p, grown);
  }
  if (shrunk) {
    laneRebuildHessian(p, shrunk, active & ~shrunk);
  }
  const unsigned bad = laneFactorHessian(p, active, 0);
  if (bad) {
    laneRebuildHessian(p, bad, active & ~bad);
    laneFactorHessian(p, bad, active & ~bad);
  }
}


// few changes go into the factor, more into H which is factored again
static void laneUpdateHessian(const laneProblem* p, const laneChanges* changes, unsigned active) {
  unsigned few = 0;
  for (int w = 0; w < CF_LANES; w++) {
    few |= (unsigned)(changes->count[w] <= CF_LANE_CHANGES) << w;
  }
  unsigned many = active & ~few;
  many |= laneChangeRows(p, changes, active & few);
  if (!many) {
    return;
  }
  laneExtendHessian(p, many);
  const unsigned bad = laneFactorHessian(p, many, active & ~many);
  if (bad) {
    laneRebuildHessian(p, bad, active & ~bad);
    laneFactorHessian(p, bad, active & ~bad);
  }
}


// search = -H^-1 grad
static void laneDirection(const laneProblem* p) {
  const cfLaneNewton* n = p->n;
  for (int i = 0; i < p->nv; i++) {
    CF_ROWS(search)[i] = -CF_ROWS(grad)[i];
  }
  laneSolveDense(n, CF_ROWS(search), CF_ROWS(L), CF_ROWS(inverse), p->nv);
}


// ---------------------------------------- iterations

// joint force of the rows and gradient
static void laneGradient(const laneProblem* p) {
  const cfLaneNewton* n = p->n;
  laneMulRowsT(p, p->frc_constraint, CF_ROWS(force));
  for (int i = 0; i < p->nv; i++) {
    CF_ROWS(grad)[i] = CF_ROWS(Ma)[i] - p->frc_smooth[i] - p->frc_constraint[i];
  }
}


// steps of the lanes that searched, and slopes where they ended
static cfVec laneEndSearch(const laneProblem* p, unsigned lanes, const lawSearch* search,
                           cfVec norm, cfVec* slope) {
  cfVec step = {0};
  for (int w = 0; w < CF_LANES; w++) {
    if (lanes >> w & 1) {
      const lawPoint* best = &search[w].best;
      step[w] = best->alpha;
      (*slope)[w] = isinf(best->slope) ? 1 : fabs(best->slope) * p->scale[w] / norm[w];
    }
  }
  return step;
}


// exact line search of the active lanes: their steps, zero for none; slopes where they end
static cfVec laneLineSearch(const laneProblem* p, unsigned active, lawSearch* search,
                            cfVec* slope) {
  cfLaneNewton* n = p->n;
  const cfVec norm = laneSqrt(laneDot(CF_ROWS(search), CF_ROWS(search), p->nv));
  mjtNum at[CF_LANES] = {0};
  laneMulTree(p, CF_ROWS(Mv), CF_ROWS(search));
  laneMulRows(p, CF_ROWS(Jv), CF_ROWS(search));
  const lawParabola base = lanePrepareLine(p);
  unsigned left = 0;
  for (int w = 0; w < CF_LANES; w++) {
    if ((active >> w & 1) && !(norm[w] < mjMINVAL)) {
      left |= 1u << w;
      lawBeginSearch(search + w, n->tolerance[w] * n->ls_tolerance[w] * norm[w] / p->scale[w],
                     p->g->m->opt.ls_iterations);
    }
  }
  const unsigned begun = left;
  while (left) {
    cfVec alpha;
    memcpy(&alpha, at, sizeof(alpha));
    const lanePoints points = laneEvaluateLine(p, &base, alpha);
    mjtNum value[3][CF_LANES];
    memcpy(value, &points, sizeof(value));
    for (unsigned asking = left; asking; asking &= asking - 1) {
      const int w = __builtin_ctz(asking);
      const lawPoint point = {at[w], value[0][w], value[1][w], value[2][w]};
      const bool goes_on = lawContinueSearch(search + w, &point);
      at[w] = search[w].alpha;
      left &= ~((unsigned)!goes_on << w);
    }
  }
  return laneEndSearch(p, begun, search, norm, slope);
}


// record of an iteration of one world
static void laneSaveStat(const laneProblem* p, int w, int iteration, const mjSolverStat* known,
                         int nupdate) {
  const cfLaneNewton* n = p->n;
  mjSolverStat stat = *known;
  stat.nupdate = nupdate;
  stat.nactive = p->nb;
  for (int r = 0; r < p->nefc; r++) {
    unsigned changed = n->quad[r] ^ n->old_quad[r], active = n->quad[r];
    if (r < p->nb) {
      changed |= n->low[r] ^ n->old_low[r];
    } else if (p->has_cones) {
      changed |= n->middle[r] ^ n->old_middle[r];
      active |= n->middle[r];
      stat.nupdate += n->middle[r] >> w & 1;
    }
    stat.nactive += r >= p->nb && (active >> w & 1);
    stat.nchange += (int)(changed >> w & 1);
  }
  cfi_saveStat(p->g->data[w], p->island, iteration, &stat);
}


// take the steps and evaluate; lanes that go on
static unsigned laneTakeStep(laneProblem* p, unsigned active, cfVec step, const lawSearch* search,
                             const cfVec* slope, laneChanges* changes) {
  cfLaneNewton* n = p->n;
  const cfMask is_active = laneOfBits(active);
  const cfVec old_cost = p->row_cost + p->gauss_cost;
  laneMoveBy(p->acc, CF_ROWS(search), step, is_active, p->nv);
  laneMoveBy(CF_ROWS(Ma), CF_ROWS(Mv), step, is_active, p->nv);
  laneMoveBy(CF_ROWS(jar), CF_ROWS(Jv), step, is_active, p->nefc);
  memcpy(n->old_quad, n->quad, (size_t)p->nefc);
  memcpy(n->old_low, n->low, (size_t)p->nefc);
  memcpy(n->old_middle, n->middle, (size_t)p->nefc);
  p->row_cost = laneUpdateRows(p, CF_ROWS(jar));
  p->gauss_cost = laneGaussCost(p, CF_ROWS(Ma), p->acc);
  laneGradient(p);
  const cfVec improvement = p->scale * (old_cost - (p->row_cost + p->gauss_cost));
  const cfVec gradient = p->scale * laneSqrt(laneDot(CF_ROWS(grad), CF_ROWS(grad), p->nv));
  *changes = laneListChanges(p);
  for (int w = 0; w < CF_LANES; w++) {
    if (active >> w & 1) {
      const mjSolverStat stat = {.improvement = improvement[w],
                                 .gradient = gradient[w],
                                 .lineslope = (*slope)[w],
                                 .neval = search[w].neval};
      if (p->g->records_are_wanted) {
        laneSaveStat(p, w, n->niter[w], &stat, changes->count[w]);
      }
      n->niter[w]++;
      const bool is_done = improvement[w] < n->tolerance[w] || gradient[w] < n->tolerance[w];
      active &= is_done ? ~(1u << w) : ~0u;
    }
  }
  return active;
}


static void laneIterate(laneProblem* p, unsigned active) {
  lawSearch search[CF_LANES_MAX];
  const int limit = p->g->m->opt.iterations;
  for (int iteration = 0; iteration < limit && active; iteration++) {
    cfVec slope = laneOf(1);
    laneChanges changes;
    const cfVec step = laneLineSearch(p, active, search, &slope);
    active &= laneBits(step != 0.0);
    if (active) {
      active = laneTakeStep(p, active, step, search, &slope, &changes);
    }
    if (active && iteration + 1 < limit) {
      if (p->has_cones) {
        laneUpdateWithMiddle(p, &changes, active);
      } else {
        laneUpdateHessian(p, &changes, active);
      }
      laneDirection(p);
    }
  }
}


// ---------------------------------------- begin and end

// residuals at qacc_smooth and at the iterate; before them, where rows were made in lanes, the
// references, whose damping waits in `start`.  All that is multiplied by J reads it once
static void laneFindResiduals(const laneProblem* p) {
  const cfLaneGroup* g = p->g;
  const cfLaneNewton* n = p->n;
  cfVec *jar = CF_ROWS(jar), *smooth = CF_ROWS(line), *velocity = CF_ROWS(Jv);
  cfVec *start = CF_ROWS(start), *aref = CF_ROWS(aref);
  cfVec* const res[3] = {jar, smooth, velocity};
  const cfVec* const vec[3] = {p->acc, p->acc_smooth, CF_AT(qvel)};
  if (n->is_made) {
    laneMulRowsBy(p, res, vec, 3);
  } else {
    laneMulRowsBy(p, res, vec, 2);
  }
  for (int r = 0; r < p->nefc; r++) {
    if (n->is_made) {
      aref[r] = -start[r] * velocity[r] - aref[r];
    }
    start[r] = smooth[r] - aref[r];
    jar[r] = jar[r] - aref[r];
  }
}


// start from qacc_warmstart or qacc_smooth, whichever costs less; lanes whose cost is a number.
// Islands evaluate their rows themselves
static unsigned laneWarmStart(laneProblem* p) {
  cfLaneNewton* n = p->n;
  cfVec *start = CF_ROWS(start), *jar = CF_ROWS(jar), *Ma = CF_ROWS(Ma), *qacc = p->acc;
  laneFindResiduals(p);
  laneMulM(p, Ma, qacc);
  const bool has_parts = n->nisland > 0;
  const cfVec cost_smooth = laneCostRows(p, start);
  p->row_cost = has_parts ? laneCostRows(p, jar) : laneUpdateRows(p, jar);
  const cfVec cost_warm = p->row_cost + laneGaussCost(p, Ma, qacc);
  const cfMask is_smooth = cost_warm > cost_smooth;
  if (laneAny(is_smooth)) {
    cfVec other[CF_LANE_DOFS];
    laneMulM(p, other, p->acc_smooth);
    for (int i = 0; i < p->nv; i++) {
      qacc[i] = laneSelect(is_smooth, p->acc_smooth[i], qacc[i]);
      Ma[i] = laneSelect(is_smooth, other[i], Ma[i]);
    }
    for (int r = 0; r < p->nefc; r++) {
      jar[r] = laneSelect(is_smooth, start[r], jar[r]);
    }
    p->row_cost = has_parts ? p->row_cost : laneUpdateRows(p, jar);
  }
  p->gauss_cost = laneGaussCost(p, Ma, qacc);
  return laneBits(cost_warm == cost_warm);
}


// 1 / total inertia: by the diagonal where there are islands, else by the model's mean
static cfVec laneProblemScale(const laneProblem* p) {
  cfVec total = {0};
  if (!p->n->by_island) {
    for (int w = 0; w < CF_LANES; w++) {
      total[w] = p->n->scale[w];
    }
    return total;
  }
  for (int i = 0; i < p->nv; i++) {
    total = total + p->M[p->rowadr[i] + p->rownnz[i] - 1];
  }
  return 1.0 / total;
}


// rows of each world, and place behind them
static void laneCountProblem(laneProblem* p) {
  cfLaneNewton* n = p->n;
  p->ne = n->ne;
  p->nb = n->ne + n->nf;
  p->nefc = 0;
  p->fewest = n->nefc[n->source[0]];
  for (int w = 0; w < CF_LANES; w++) {
    const int nefc = n->nefc[n->source[w]];
    p->nefc = nefc > p->nefc ? nefc : p->nefc;
    p->fewest = nefc < p->fewest ? nefc : p->fewest;
    CF_ASSERT(nefc >= p->nb);
    p->nwhole[w] = (nefc - p->nb) / 4;
  }
}


// numbers behind the last row, and of rows that a world does not have
static void laneClearRest(const laneProblem* p) {
  cfLaneNewton* n = p->n;
  const int pad = p->nefc, first = p->has_cones ? 0 : pad;
  laneZero(CF_ROWS(jar) + pad, 8);
  laneZero(CF_ROWS(Jv) + pad, 8);
  laneZero(CF_ROWS(line) + 3 * pad, 24);
  laneZero(CF_ROWS(start) + pad, 8);
  laneZero(CF_ROWS(force) + first, pad + 8 - first);
  memset(n->quad + first, 0, (size_t)(pad + 8 - first));
  memset(n->middle, 0, (size_t)(pad + 8));
}


// all rows of a group
static laneProblem laneOpenProblem(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfLaneNewton* n = &g->newton;
  laneProblem p = {.g = g,
                   .n = n,
                   .island = -1,
                   .nv = (int)m->nv,
                   .M = CF_AT(M),
                   .frc_smooth = CF_AT(qfrc_smooth),
                   .acc_smooth = CF_AT(qacc_smooth),
                   .rowadr = m->M_rowadr,
                   .rownnz = m->M_rownnz,
                   .colind = m->M_colind,
                   .acc = CF_AT(qacc),
                   .frc_constraint = CF_AT(qfrc_constraint),
                   .kept = n->block,
                   .nkept = n->keeps_blocks ? n->nblock : 0,
                   .has_cones = m->opt.cone == mjCONE_ELLIPTIC};
  laneCountProblem(&p);
  return p;
}


// iterate from the starting point, whose rows and costs are known, in the given lanes
static void laneSolveProblem(laneProblem* p, unsigned lanes) {
  cfLaneNewton* n = p->n;
  p->scale = laneProblemScale(p);
  laneGradient(p);
  memset(n->niter, 0, sizeof(n->niter));
  if (p->g->m->opt.iterations > 0) {
    laneBuildHessian(p, CF_ROWS(H));
    memcpy(n->built, n->quad, (size_t)p->nefc);
    laneFactorHessian(p, (1u << CF_LANES) - 1, 0);
    laneDirection(p);
    laneIterate(p, lanes);
  }
}


// counts of iterations, which islands add up
static void laneClearIterations(const laneProblem* p, unsigned solved) {
  for (unsigned left = solved; left; left &= left - 1) {
    mjData* d = p->g->data[__builtin_ctz(left)];
    memset(d->solver_niter, 0, sizeof(d->solver_niter));
  }
}


static void laneSaveIterations(const laneProblem* p, unsigned solved) {
  laneClearIterations(p, solved);
  for (unsigned left = solved; left; left &= left - 1) {
    const int w = __builtin_ctz(left);
    cfi_saveTotals(p->g->data[w], p->island, p->n->niter[w], p->nv * p->nv);
  }
}


// forces of all rows to the worlds; those of a lane that was not solved go nowhere
static void laneWriteForces(const laneProblem* p, unsigned solved) {
  const cfLaneNewton* n = p->n;
  mjtNum* world[CF_LANES_MAX];
  for (int w = 0; w < CF_LANES; w++) {
    world[w] = solved >> w & 1 ? p->g->data[w]->efc_force : n->line;
  }
  laneHandOut(n->force, world, p->fewest);
  for (unsigned left = solved; left; left &= left - 1) {
    const int w = __builtin_ctz(left);
    CF_ASSERT(p->g->data[w]->nefc == n->nefc[w] && p->fewest <= n->nefc[w]);
    for (int r = p->fewest; r < n->nefc[w]; r++) {
      world[w][r] = n->force[r * CF_LANES + w];
    }
  }
}
