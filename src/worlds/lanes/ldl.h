// Dense L'DL of W symmetric matrices of one size: the factor of solver/treeldl.c, lower triangles
// without padding, rows one behind the other.  Columns that are zero in all lanes are left out;
// n->filled has the others, row by row.

CF_LANE_INLINE cfVec laneInvertPivot(cfVec pivot, cfMask* is_bad) {
  const cfMask is_small = pivot < mjMINVAL;
  *is_bad |= is_small;
  return 1.0 / laneSelect(is_small, laneOf(mjMINVAL), pivot);
}


// columns before `end` in which one of two rows is not zero
static int laneListColumns(int* list, const cfVec* a, const cfVec* b, int end) {
  int count = 0;
  for (int c = 0; c < end; c++) {
    list[count] = c;
    count += laneAny((cfVec)((cfMask)a[c] | (cfMask)b[c]) != 0.0);
  }
  return count;
}


// rows of the list -= products with two pivot rows
static void laneEliminateDense(cfVec* L, const cfVec* a, cfVec a_inv, const cfVec* b, cfVec b_inv,
                               const int* list, int count) {
  cfVec x[CF_LANE_DOFS], y[CF_LANE_DOFS];
  size_t place[CF_LANE_DOFS];
  for (int i = 0; i < count; i++) {
    x[i] = a[list[i]];
    y[i] = b[list[i]];
    place[i] = sizeof(cfVec) * (size_t)list[i];
  }
  for (int i = 0; i < count; i++) {
    const cfVec wa = x[i] * a_inv, wb = y[i] * b_inv;
    char* h = (char*)(L + laneTriangle(list[i]));
    for (int k = 0; k <= i; k++) {
      cfVec* entry = (cfVec*)(void*)(h + place[k]);
      *entry = (*entry - wa * x[k]) - wb * y[k];
    }
  }
}


// scale the listed numbers of a finished row and note where they are
static void laneFinishRow(cfLaneNewton* n, cfVec* row, cfVec scale, int diagonal, const int* list,
                          int count) {
  uint64_t columns = 0;
  for (int i = 0; i < count; i++) {
    row[list[i]] = row[list[i]] * scale;
    columns |= (uint64_t)1 << list[i];
  }
  n->filled[diagonal] = columns;
}


// factor in place; lanes in which a pivot was too small
static cfMask laneFactorDense(cfLaneNewton* n, cfVec* L, cfVec* inverse, int nv) {
  CF_ASSERT(nv > 0 && nv <= CF_LANE_DOFS);
  cfMask is_bad = {0};
  int list[CF_LANE_DOFS], k = nv - 1;
  for (; k >= 1; k -= 2) {
    cfVec *a = L + laneTriangle(k), *b = L + laneTriangle(k - 1);
    const cfVec a_inv = inverse[k] = laneInvertPivot(a[k], &is_bad);
    const bool is_tied = laneAny(a[k - 1] != 0.0);
    if (is_tied) {
      const cfVec w = a[k - 1] * a_inv;
      for (int c = 0; c < k; c++) {
        b[c] = b[c] - w * a[c];
      }
    }
    const cfVec b_inv = inverse[k - 1] = laneInvertPivot(b[k - 1], &is_bad);
    const int count = laneListColumns(list, a, b, k - 1);
    laneEliminateDense(L, a, a_inv, b, b_inv, list, count);
    laneFinishRow(n, b, b_inv, k - 1, list, count);
    list[count] = k - 1;
    laneFinishRow(n, a, a_inv, k, list, count + is_tied);
  }
  if (k == 0) {
    inverse[0] = laneInvertPivot(L[0], &is_bad);
    n->filled[0] = 0;
  }
  return is_bad;
}


// factor of L'DL + sign*v*v'; v is used up.  Lanes that were spoiled
static cfMask laneUpdateDense(cfLaneNewton* n, cfVec* L, cfVec* inverse, cfVec* v, cfVec sign,
                              int nv) {
  cfMask is_bad = {0};
  cfVec weight = sign;
  uint64_t columns = 0;
  for (int c = 0; c < nv; c++) {
    columns |= (uint64_t)laneAny(v[c] != 0.0) << c;
  }
  while (columns) {
    const int k = 63 - __builtin_clzll(columns);
    const cfVec p = v[k];
    cfVec* row = L + laneTriangle(k);
    const cfVec ratio = 1.0 + weight * p * p * inverse[k];
    is_bad |= ratio < 1e-4;
    const cfVec new_inverse = inverse[k] / ratio, b = weight * p * new_inverse;
    columns = (columns | n->filled[k]) & (((uint64_t)1 << k) - 1);
    n->filled[k] = columns;
    // the next row waits for the last column, so that one comes first
    for (uint64_t left = columns; left;) {
      const int c = 63 - __builtin_clzll(left);
      left ^= (uint64_t)1 << c;
      const cfVec x = v[c] - p * row[c];
      v[c] = x;
      row[c] = row[c] + b * x;
    }
    weight = weight / ratio;
    inverse[k] = new_inverse;
  }
  return is_bad;
}


// D and L from the first row down, with the sums of cfi_solveTreeLDL: four rows share the sums over
// what is known before them; the rows behind the last four have one sum each
static inline cfVec laneSubstitute(const cfLaneNewton* n, const cfVec* x, const cfVec* row,
                                   cfVec inverse, int k, int whole) {
  const int top = k < whole ? k & ~3 : k;
  cfVec s[4] = {{0}};
  for (int c = 0; c < top; c += 4) {
    if (n->filled[k] >> c & 15) {
      for (int j = 0; j < 4 && c + j < top; j++) {
        s[j] = s[j] + row[c + j] * x[c + j];
      }
    }
  }
  const cfVec y = x[k] * inverse - laneSumFour(s);
  if (k >= whole || k == top) {
    return y;
  }
  cfVec inside = row[top] * x[top];
  for (int c = top + 1; c < k; c++) {
    inside = inside + row[c] * x[c];
  }
  return y - inside;
}


static void laneSolveDense(const cfLaneNewton* n, cfVec* x, const cfVec* L, const cfVec* inverse,
                           int nv) {
  for (int k = nv - 1; k > 0; k--) {
    const cfVec *row = L + laneTriangle(k), own = x[k];
    int c = 0;
    for (; c + 4 <= k; c += 4) {
      if (n->filled[k] >> c & 15) {
        for (int j = 0; j < 4; j++) {
          x[c + j] = x[c + j] - row[c + j] * own;
        }
      }
    }
    for (; c < k; c++) {
      x[c] = x[c] - row[c] * own;
    }
  }
  for (int k = 0; k < nv; k++) {
    x[k] = laneSubstitute(n, x, L + laneTriangle(k), inverse[k], k, nv & ~3);
  }
}
