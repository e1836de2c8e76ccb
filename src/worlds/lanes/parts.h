// All rows of a group at once, or island by island where there are several: copies in, solve,
// copies out.  The islands are the same in all worlds, their rows need not be.

// copy the rows of a constraint in the given worlds, which have them in the same place; references
// are in the residuals
static void laneCopyRows(cfLaneNewton* n, const cfLaneNewton* from, const cfLaneBlock* kept,
                         const int place[2], unsigned lanes, const int size[2], const int* dof) {
  const int source = place[0], row = place[1];
  const cfVec* J = (const cfVec*)from->J + (size_t)source * (size_t)size[0];
  cfVec* to = CF_ROWS(J) + (size_t)row * (size_t)size[1];
  for (uint64_t left = kept->part_columns; left; left &= left - 1) {
    const int c = __builtin_ctzll(left), at = dof[c];
    for (int r = 0; r < kept->nrow; r++) {
      to[r * size[1] + c] = laneMix(lanes, J[r * size[0] + at], to[r * size[1] + c]);
    }
  }
  for (int r = 0; r < kept->nrow; r++) {
    cfVec *D = CF_ROWS(D) + row + r, *jar = CF_ROWS(jar) + row + r;
    *D = laneMix(lanes, ((const cfVec*)from->D)[source + r], *D);
    *jar = laneMix(lanes, ((const cfVec*)from->jar)[source + r], *jar);
  }
  if (!kept->pushes) {
    cfVec *R = CF_ROWS(R) + row, *loss = CF_ROWS(loss) + row;
    *R = laneMix(lanes, ((const cfVec*)from->R)[source], *R);
    *loss = laneMix(lanes, ((const cfVec*)from->loss)[source], *loss);
  }
}


// copy the rows of an island: its share of the dofs, one constraint after the other
static void laneCopyPart(laneProblem* part, const laneProblem* whole, const int* dof) {
  cfLaneNewton* n = part->n;
  const int size[2] = {whole->nv, part->nv};
  for (int k = 0; k < whole->nkept; k++) {
    const cfLaneBlock* kept = whole->kept + k;
    if (kept->island != part->island) {
      continue;
    }
    for (int i = 0; i < kept->at.n; i++) {
      for (int j = 0; j < kept->part_at.n; j++) {
        const unsigned lanes = kept->at.lanes[i] & kept->part_at.lanes[j];
        const int place[2] = {kept->at.row[i], kept->part_at.row[j]};
        if (lanes) {
          laneCopyRows(n, whole->n, kept, place, lanes, size, dof);
        }
      }
    }
    const laneBlock b = laneBlockOf(part, kept);
    laneClaimColumns(n, &b, kept->part_columns);
  }
}


// dofs of the islands and the numbers of inertia at them, unless the islands are those of before
static void laneNumberParts(cfLaneGroup* g) {
  const mjModel* m = g->m;
  const cfLaneNewton* n = &g->newton;
  cfLanePart* part = &g->part;
  const size_t bytes = sizeof(int) * (size_t)m->ntree;
  if (part->nisland == n->nisland && !memcmp(part->tree_island, n->tree_island, bytes)) {
    return;
  }
  part->nisland = n->nisland;
  memcpy(part->tree_island, n->tree_island, bytes);
  for (int island = 0, count = 0; island < n->nisland; island++) {
    part->first[island] = count;
    for (int i = 0; i < m->nv; i++) {
      if (n->tree_island[m->dof_treeid[i]] == island) {
        part->index[i] = count - part->first[island];
        part->rowadr[count] = m->M_rowadr[i];
        part->rownnz[count] = m->M_rownnz[i];
        part->dof[count++] = i;
      }
    }
    part->first[island + 1] = count;
  }
  for (int k = 0; k < part->first[n->nisland]; k++) {
    for (int j = part->rowadr[k]; j < part->rowadr[k] + part->rownnz[k]; j++) {
      part->colind[j] = part->index[m->M_colind[j]];
    }
  }
}


// columns of the constraints of an island
static void laneNumberColumns(cfLaneGroup* g, int island) {
  cfLaneNewton* n = &g->newton;
  for (int k = 0; k < n->nblock; k++) {
    cfLaneBlock* kept = n->block + k;
    uint64_t columns = 0;
    for (uint64_t left = kept->island == island ? kept->columns : 0; left; left &= left - 1) {
      columns |= (uint64_t)1 << g->part.index[__builtin_ctzll(left)];
    }
    if (kept->island == island) {
      kept->part_columns = columns;
    }
  }
}


// one of several islands: copies of its rows and numbers
static laneProblem laneOpenPart(const laneProblem* whole, int island) {
  cfLaneGroup* g = whole->g;
  cfLanePart* part = &g->part;
  const cfLaneNewton* from = whole->n;
  cfLaneNewton* n = &part->newton;
  laneProblem p = *whole;
  p.n = n;
  p.island = island;
  laneNumberColumns(g, island);
  const int* dof = part->dof + part->first[island];
  p.nv = part->first[island + 1] - part->first[island];
  p.rowadr = part->rowadr + part->first[island];
  p.rownnz = part->rownnz + part->first[island];
  p.colind = part->colind;
  n->lanes = from->lanes;
  n->by_island = true;
  n->ne = from->part_ne[island];
  n->nf = from->part_nf[island];
  memcpy(n->nefc, from->part_nefc[island], sizeof(n->nefc));
  memcpy(n->source, from->source, sizeof(n->source));
  memcpy(n->tolerance, from->tolerance, sizeof(n->tolerance));
  memcpy(n->ls_tolerance, from->ls_tolerance, sizeof(n->ls_tolerance));
  laneCountProblem(&p);
  CF_ASSERT(p.nv > 0 && p.nefc > 0 && p.nefc <= whole->nefc);
  laneClearRows(n, p.nv);
  laneZero(CF_ROWS(jar), p.nefc);
  laneCopyPart(&p, whole, dof);
  laneClearRest(&p);
  p.acc = (cfVec*)part->acc;
  p.frc_constraint = (cfVec*)part->frc_constraint;
  p.acc_smooth = (const cfVec*)part->acc_smooth;
  p.frc_smooth = (const cfVec*)part->frc_smooth;
  for (int i = 0; i < p.nv; i++) {
    ((cfVec*)part->acc_smooth)[i] = whole->acc_smooth[dof[i]];
    ((cfVec*)part->frc_smooth)[i] = whole->frc_smooth[dof[i]];
    p.acc[i] = whole->acc[dof[i]];
    CF_ROWS(Ma)[i] = ((const cfVec*)from->Ma)[dof[i]];
  }
  return p;
}


// forces of one constraint of an island among those of all rows
static void laneCopyForces(const laneProblem* whole, const laneProblem* part,
                           const cfLaneBlock* kept) {
  const cfVec* from = (const cfVec*)part->n->force;
  const laneBlock b = laneBlockOf(whole, kept), own = laneBlockOf(part, kept);
  for (int r = 0; r < kept->nrow; r++) {
    lanePut(&b, (cfVec*)whole->n->force, 1, 0, r, laneTake(&own, from, 1, 0, r));
  }
}


// results of an island into those of all rows and of the worlds
static void laneClosePart(const laneProblem* whole, const laneProblem* p, unsigned solved) {
  const cfLanePart* part = &whole->g->part;
  const cfLaneNewton* n = p->n;
  const int* dof = part->dof + part->first[p->island];
  for (int i = 0; i < p->nv; i++) {
    whole->acc[dof[i]] = p->acc[i];
    whole->frc_constraint[dof[i]] = p->frc_constraint[i];
  }
  for (unsigned left = solved; left; left &= left - 1) {
    const int w = __builtin_ctz(left);
    cfi_saveTotals(whole->g->data[w], p->island, n->niter[w], p->nv * p->nv);
  }
  for (int k = 0; k < whole->nkept; k++) {
    if (whole->kept[k].island == p->island) {
      laneCopyForces(whole, p, whole->kept + k);
    }
  }
}


// islands one after the other; dofs of none of them move freely
static void laneSolveParts(const laneProblem* p, unsigned solved) {
  const cfLaneNewton* n = p->n;
  const mjModel* m = p->g->m;
  for (int i = 0; i < p->nv; i++) {
    if (n->tree_island[m->dof_treeid[i]] < 0) {
      p->acc[i] = p->acc_smooth[i];
      p->frc_constraint[i] = laneOf(0);
    }
  }
  laneClearIterations(p, solved);
  laneNumberParts(p->g);
  for (int island = 0; island < n->nisland; island++) {
    laneProblem part = laneOpenPart(p, island);
    part.row_cost = laneUpdateRows(&part, (const cfVec*)part.n->jar);
    part.gauss_cost = laneGaussCost(&part, (const cfVec*)part.n->Ma, part.acc);
    laneSolveProblem(&part, solved);
    laneClosePart(p, &part, solved);
  }
}


// solve the rows of the worlds in n->lanes; bits of those that were
static unsigned laneNewton(cfLaneGroup* g) {
  cfLaneNewton* n = &g->newton;
  laneProblem problem = laneOpenProblem(g), *p = &problem;
  if (!n->is_made) {
    laneLoadRows(p);
  }
  laneClearRest(p);
  const unsigned solved = n->lanes & laneWarmStart(p);
  if (n->nisland) {
    laneSolveParts(p, solved);
  } else {
    laneSolveProblem(p, solved);
    laneSaveIterations(p, solved);
  }
  laneWriteForces(p, solved);
  return solved;
}
