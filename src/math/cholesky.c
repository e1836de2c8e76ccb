// Public dense Cholesky factorization.  The kernels are in simd/dense_kernels.h.
#include <math.h>
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"

int mju_cholFactor(mjtNum* mat, int n, mjtNum mindiag) {
  return cfi_cholFactor(mat, n, mindiag);
}


void mju_cholSolve(mjtNum* res, const mjtNum* mat, const mjtNum* vec, int n) {
  if (res != vec) {
    cfi_copy(res, vec, n);
  }
  cfi_cholSolve(res, mat, n);
}


// what one column of the update does to the rows below it
enum { CF_TURNS = 64 };

typedef struct {
  mjtNum c, c_inv, s, s_signed;
  bool is_idle;  // its part of x is zero
} cfTurn;

// apply a turn to an entry; the rest of x is returned
static inline mjtNum turnEntry(const cfTurn* turn, mjtNum* entry, mjtNum rest) {
  if (turn->is_idle) {
    return rest;
  }
  *entry = (*entry + turn->s_signed * rest) * turn->c_inv;
  return turn->c * rest - turn->s * *entry;
}

// the turn of a row's own column, whose diagonal it changes; returns 1 when that is too small
static int makeTurn(cfTurn* turn, mjtNum* diagonal, mjtNum rest, mjtNum sign) {
  *turn = (cfTurn){.is_idle = rest == 0};
  if (turn->is_idle) {
    return 0;
  }
  const mjtNum old = *diagonal, square = old * old + sign * rest * rest;
  const int is_deficient = square < mjMINVAL;
  *diagonal = sqrt(is_deficient ? mjMINVAL : square);
  turn->c = *diagonal / old;
  turn->c_inv = 1 / turn->c;
  turn->s = rest / old;
  turn->s_signed = sign * turn->s;
  return is_deficient;
}

// column after column, as MuJoCo does it: the same results where matrices are singular or become so
// and where numbers are not finite
static int updateByColumns(mjtNum* mat, mjtNum* x, int n, mjtNum sign) {
  CF_ASSERT(n >= 0);
  cfTurn turn[CF_TURNS];
  int rank = n;
  for (int first = 0; first < n; first += CF_TURNS) {
    for (int r = first; r < n; r++) {
      mjtNum* row = mat + (mjtSize)r * n;
      const int count = r - first < CF_TURNS ? r - first : CF_TURNS;
      for (int k = 0; k < count; k++) {
        x[r] = turnEntry(turn + k, row + first + k, x[r]);
      }
      if (r - first < CF_TURNS) {
        rank -= makeTurn(turn + r - first, row + r, x[r], sign);
      }
    }
  }
  return rank;
}

// numbers from which sums of a few squares can be made, and pivots by which can be divided
static bool isWell(const mjtNum* mat, const mjtNum* x, int n) {
  const mjtNum largest = 1e100;
  for (int r = 0; r < n; r++) {
    const mjtNum* row = mat + (mjtSize)r * n;
    mjtNum most = fabs(x[r]);
    bool is_number = most == most;
    for (int k = 0; k <= r; k++) {
      is_number &= row[k] == row[k];
      most = fabs(row[k]) > most ? fabs(row[k]) : most;
    }
    if (!is_number || most > largest || fabs(row[r]) < mjMINVAL) {
      return false;
    }
  }
  return true;
}

int mju_cholUpdate(mjtNum* mat, mjtNum* x, int n, int flg_plus) {
  return flg_plus && isWell(mat, x, n) ? cfi_cholUpdate(mat, x, n, 1)
                                       : updateByColumns(mat, x, n, flg_plus ? 1 : -1);
}
