// Kernel of the rank-one update of L*L'; part of dense_kernels.h.
//
// With s = L^-1*x and g_k = sign + s_0^2 + ... + s_(k-1)^2 the factor of L*L' + sign*x*x' is
//   L'(k,k) = L(k,k)/a_k,  L'(r,k) = a_k*L(r,k) + b_k*w(r,k),  a_k^2 = g_k/g_(k+1),  b_k =
//   s_k*a_k/g_k
// where w(r,k) = x_r - s_0*L(r,0) - ... - s_(k-1)*L(r,k-1).  Roots and divisions are off the chain
// that leads from one column to the next.  Columns go in panels, whose s, a, b fit on the stack.

enum { CF_PANEL = 64 };

typedef struct {
  int first;                                     // first column
  mjtNum s[CF_PANEL], a[CF_PANEL], b[CF_PANEL];  // of the columns of the panel
} cfPanel;


// apply the first count columns (a multiple of four) of the panel to four rows, w in and out
static inline cfLane updateTile(mjtNum* const row[4], int nrow, const cfPanel* p, int count,
                                cfLane w) {
  for (int k = 0; k < count; k += 4) {
    cfLane x[4];
    for (int r = 0; r < 4; r++) {
      x[r] = cfi_laneLoad(row[r] + p->first + k);
    }
    cfi_laneTranspose(x);
    for (int c = 0; c < 4; c++) {
      const cfLane old = x[c];
      x[c] = cfi_laneAddMul(cfi_laneMul(cfi_laneSpread(p->a[k + c]), old),
                            cfi_laneSpread(p->b[k + c]), w);
      w = cfi_laneSubMul(w, cfi_laneSpread(p->s[k + c]), old);
    }
    cfi_laneTranspose(x);
    for (int r = 0; r < nrow; r++) {
      cfi_laneStore(row[r] + p->first + k, x[r]);
    }
  }
  return w;
}


// columns of the panel from k on for one of its own rows, then the row's diagonal; returns 1 when
// the new pivot is too small
static inline int updateDiagonal(mjtNum* row, cfPanel* p, int k, int r, mjtNum w, mjtNum* g) {
  for (; p->first + k < r; k++) {
    const mjtNum old = row[p->first + k];
    row[p->first + k] = p->a[k] * old + p->b[k] * w;
    w -= p->s[k] * old;
  }
  const mjtNum old = row[r], s = w / old, before = *g, after = before + s * s;
  mjtNum square = old * old * (after / before);
  const int deficient = square < mjMINVAL;
  square = deficient ? mjMINVAL : square;
  row[r] = sqrt(square);
  p->s[k] = s;
  p->a[k] = old / row[r];
  p->b[k] = s * p->a[k] / before;
  *g = after;
  return deficient;
}


int CF_KERNEL(cholUpdate)(mjtNum* mat, mjtNum* x, int n, mjtNum sign) {
  CF_ASSERT(sign == 1 || sign == -1);
  cfPanel p;
  int rank = n, start = 0;
  while (start < n && x[start] == 0) {
    start++;
  }
  mjtNum g = sign;
  for (p.first = start; p.first < n; p.first += CF_PANEL) {
    for (int top = p.first; top < n; top += 4) {
      mjtNum *row[4], w[4] = {0};
      const int nrow = n - top < 4 ? n - top : 4;
      const int before = top - p.first < CF_PANEL ? top - p.first : CF_PANEL;
      tileRows(row, mat, n, top);
      memcpy(w, x + top, sizeof(mjtNum) * (size_t)nrow);
      cfi_laneStore(w, updateTile(row, nrow, &p, before, cfi_laneLoad(w)));
      for (int r = 0; r < nrow; r++) {
        if (before < CF_PANEL) {
          rank -= updateDiagonal(row[r], &p, before, top + r, w[r], &g);
        } else {
          x[top + r] = w[r];
        }
      }
    }
  }
  return rank;
}
