// Inertia matrix, its factors and solves, in the order of dynamics/crb.c and factor.c.

// row i of M; the products with zero are those of the scalar kernel's second half lane
static void laneInertiaRow(cfLaneGroup* g, int i) {
  const mjModel* m = g->m;
  CF_ASSERT_INDEX(i, m->nv);
  const int adr = m->M_rowadr[i], count = m->M_rownnz[i];
  const int* ancestor = m->M_colind + adr;
  cfVec *row = CF_AT(M) + adr, f[6];
  numMulInertia(f, CF_AT(crb) + 10 * m->dof_bodyid[i], CF_AT(cdof) + 6 * i);
  for (int a = 0; a < count; a++) {
    const cfVec* c = CF_AT(cdof) + 6 * ancestor[a];
    const cfVec p0 = f[0] * c[0] + 0.0 * c[2], p1 = f[1] * c[1] + 0.0 * c[3];
    const cfVec p2 = f[2] * c[2] + f[4] * c[4], p3 = f[3] * c[3] + f[5] * c[5];
    row[a] = (p0 + p2) + (p1 + p3);
  }
  row[count - 1] = row[count - 1] + CF_OF(dof_armature, i);
}


static void laneMakeM(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfVec* crb = CF_AT(crb);
  numCopy(crb, CF_AT(cinert), 10 * (int)m->nbody);
  for (int i = (int)m->nbody - 1; i > 0; i--) {
    const int parent = m->body_parentid[i];
    if (parent > 0) {
      laneAdd(crb + 10 * parent, crb + 10 * parent, crb + 10 * i, 10);
    }
  }
  for (int i = 0; i < m->nv; i++) {
    if (m->dof_simplenum[i]) {
      CF_AT(M)[m->M_rowadr[i]] = CF_OF(dof_M0, i);
    } else {
      laneInertiaRow(g, i);
    }
  }
}


// the same numbers from the dof to its oldest ancestor
static void laneReverseM(cfLaneGroup* g) {
  const mjModel* m = g->m;
  for (int i = 0; i < m->nv; i++) {
    const int count = m->M_rownnz[i];
    for (int a = 0; a < count; a++) {
      CF_AT(qM)[m->dof_Madr[i] + count - 1 - a] = CF_AT(M)[m->M_rowadr[i] + a];
    }
  }
}


static inline bool laneFollowsParent(const mjModel* m, int k) {
  const int above = m->M_rownnz[k] - 1;
  return above > 0 && m->M_colind[m->M_rowadr[k] + above - 1] == k - 1;
}


// target -= scale*row over n numbers
CF_LANE_INLINE void laneEliminateOne(cfVec* restrict target, const cfVec* restrict row, cfVec scale,
                                     int n) {
  int c = 0;
  for (; c + 4 <= n; c += 4) {
    for (int k = 0; k < 4; k++) {
      target[c + k] = target[c + k] - scale * row[c + k];
    }
  }
  for (; c < n; c++) {
    target[c] = target[c] - scale * row[c];
  }
}


// target -= scale0*row0, then scale1*row1
CF_LANE_INLINE void laneEliminateTwo(cfVec* restrict target, const cfVec* restrict row0,
                                     const cfVec* restrict row1, cfVec scale0, cfVec scale1,
                                     int n) {
  int c = 0;
  for (; c + 4 <= n; c += 4) {
    for (int k = 0; k < 4; k++) {
      target[c + k] = target[c + k] - scale0 * row0[c + k] - scale1 * row1[c + k];
    }
  }
  for (; c < n; c++) {
    target[c] = target[c] - scale0 * row0[c] - scale1 * row1[c];
  }
}


// eliminate row k from its ancestors
static void laneFactorRow(const mjModel* m, cfVec* mat, cfVec* diaginv, int k) {
  const int count = m->M_rownnz[k] - 1, *ancestor = m->M_colind + m->M_rowadr[k];
  cfVec* row = mat + m->M_rowadr[k];
  const cfVec inverse = diaginv[k] = 1.0 / row[count];
  for (int a = count - 1; a >= 0; a--) {
    const cfVec scale = row[a] * inverse;
    laneEliminateOne(mat + m->M_rowadr[ancestor[a]], row, scale, a + 1);
    row[a] = scale;
  }
}


// rows k and k-1, its parent, from their common ancestors together: fewer loads and stores
static void laneFactorPair(const mjModel* m, cfVec* mat, cfVec* diaginv, int k) {
  const int count = m->M_rownnz[k] - 2, *ancestor = m->M_colind + m->M_rowadr[k];
  cfVec *row0 = mat + m->M_rowadr[k], *row1 = mat + m->M_rowadr[k - 1];
  const cfVec inverse0 = diaginv[k] = 1.0 / row0[count + 1], link = row0[count] * inverse0;
  laneEliminateOne(row1, row0, link, count + 1);
  row0[count] = link;
  const cfVec inverse1 = diaginv[k - 1] = 1.0 / row1[count];
  for (int a = count - 1; a >= 0; a--) {
    const cfVec scale0 = row0[a] * inverse0, scale1 = row1[a] * inverse1;
    laneEliminateTwo(mat + m->M_rowadr[ancestor[a]], row0, row1, scale0, scale1, a + 1);
    row0[a] = scale0;
    row1[a] = scale1;
  }
}


// L'DL in place, leaves first
static void laneFactor(const mjModel* m, cfVec* mat, cfVec* diaginv) {
  for (int k = (int)m->nv - 1; k >= 0; k--) {
    if (laneFollowsParent(m, k)) {
      laneFactorPair(m, mat, diaginv, k);
      k--;
    } else {
      laneFactorRow(m, mat, diaginv, k);
    }
  }
}


// even and odd terms of the first count entries of a row times x
static inline cfVec laneRowTimes(const cfVec* row, const int* ancestor, const cfVec* x, int count) {
  cfVec even = laneOf(0), odd = laneOf(0);
  for (int a = 0; a < count - 1; a += 2) {
    even = even + row[a] * x[ancestor[a]];
    odd = odd + row[a + 1] * x[ancestor[a + 1]];
  }
  if (count & 1) {
    even = even + row[count - 1] * x[ancestor[count - 1]];
  }
  return even + odd;
}


// x <- inv(L'DL)*x; a dof whose parent directly precedes it subtracts the parent's term last
static void laneSolve(const mjModel* m, cfVec* x, const cfVec* LD, const cfVec* diaginv) {
  const int nv = (int)m->nv;
  for (int k = nv - 1; k >= 0; k--) {
    const int* ancestor = m->M_colind + m->M_rowadr[k];
    const cfVec *row = LD + m->M_rowadr[k], share = x[k];
    for (int a = 0; a < m->M_rownnz[k] - 1; a++) {
      x[ancestor[a]] = x[ancestor[a]] - row[a] * share;
    }
  }
  for (int k = 0; k < nv; k++) {
    const int* ancestor = m->M_colind + m->M_rowadr[k];
    const cfVec* row = LD + m->M_rowadr[k];
    x[k] = x[k] * diaginv[k] - laneRowTimes(row, ancestor, x, m->M_rownnz[k] - 1);
    if (k + 1 < nv && laneFollowsParent(m, k + 1)) {
      const int child = k + 1, count = m->M_rownnz[child] - 2;
      const cfVec* next = LD + m->M_rowadr[child];
      x[child] = x[child] * diaginv[child] -
                 laneRowTimes(next, m->M_colind + m->M_rowadr[child], x, count) -
                 next[count] * x[k];
      k++;
    }
  }
}


static void laneInertia(cfLaneGroup* g) {
  laneMakeM(g);
  numCopy(CF_AT(qLD), CF_AT(M), (int)g->m->nC);
  laneFactor(g->m, CF_AT(qLD), CF_AT(qLDiagInv));
}
