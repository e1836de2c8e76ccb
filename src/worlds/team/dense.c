// Solves with a symmetric matrix of few rows: M, M with damping, the Hessian.
//
// A team of 32 threads holds it in registers, a row each, and eliminates one column after the other
// from all other rows, the last first: at the end it is diagonal.  The columns that are left move
// up by one place with each step, so that the column in turn always lies in the last place and one
// short loop does it all; written out for each column the code would be fetched for longer than it
// runs.  The row in turn is handed on through memory, in two places by turns: whoever writes a
// place again has seen everybody past its last reading.  Teams of other widths leave it to one
// thread.
#include "team/team.h"

#if CF_TEAM_WIDTH == 32

// numbers that are read together
enum {
  DENSE_PACK = 16 / sizeof(cfReal),
  DENSE_ROWS = CF_TEAM_ROWS_MOST,
  DENSE_HALF = DENSE_ROWS / 2
};
typedef cfReal CF_TEAM_NAME(densePack) __attribute__((vector_size(16)));
#define densePack CF_TEAM_NAME(densePack)

// row of this thread: off the diagonal, column j of those that are left at the place
// DENSE_ROWS - left + j; the diagonal, the right side, the inverse pivot
typedef struct {
  cfReal off[DENSE_ROWS], diagonal, side, inverse;
} CF_TEAM_NAME(denseRow);
#define denseRow CF_TEAM_NAME(denseRow)


// the row of a matrix of n rows.  Empty places, and rows of threads that have none, get what is
// there: nobody reads them
CF_TEAM_FN void loadRow(int thread, denseRow* row, CF_TEAM_NEAR const cfReal* A, int n) {
  const int i = thread < n ? thread : n - 1;
  int j = n - DENSE_ROWS, at = i * (i + 1) / 2;
  CF_TEAM_UNROLL
  for (int place = 0; place < DENSE_ROWS; place++) {
    row->off[place] = A[at];
    at += j < i ? j >= 0 : j + 1;
    j++;
  }
}


// eliminate column k, of which this thread's number is in the last place; first: places before it
// are empty.  line: the row in turn by places, its diagonal last, then its right side
CF_TEAM_FN void eliminateColumn(const cfTeam* t, denseRow* row, CF_TEAM_NEAR cfReal* line, int k,
                                int first) {
  const cfReal mine = row->off[DENSE_ROWS - 1];
  if (t->thread <= k) {
    line[DENSE_ROWS - 1 - k + t->thread] = t->thread == k ? row->diagonal : mine;
  }
  if (t->thread == k) {
    line[DENSE_ROWS] = row->side;
  }
  teamSync(t);
  const cfReal pivot = line[DENSE_ROWS - 1];
  const cfReal inverse = 1 / (pivot < CF_TEAM_MIN ? CF_TEAM_MIN : pivot);
  const cfReal factor = t->thread == k ? 0 : mine * inverse;
  row->inverse = t->thread == k ? inverse : row->inverse;
  row->diagonal -= t->thread < k ? factor * mine : 0;
  row->side -= factor * line[DENSE_ROWS];
  CF_TEAM_UNROLL
  for (int j = DENSE_ROWS - DENSE_PACK; j >= 0; j -= DENSE_PACK) {
    if (j >= first) {
      const densePack pack = *(const CF_TEAM_NEAR densePack*)(line + j);
      CF_TEAM_UNROLL
      for (int i = DENSE_PACK - 1; i >= 0; i--) {
        if (j + i < DENSE_ROWS - 1) {
          row->off[j + i + 1] = row->off[j + i] - factor * pack[i];
        }
      }
    }
  }
}


// vec <- A^-1 vec; A: lower triangle by rows; line: 2*CF_TEAM_LINE numbers
CF_TEAM_CALLED void CF_TEAM_NAME(teamSolveDense)(int thread, CF_TEAM_NEAR const cfReal* A,
                                                 CF_TEAM_NEAR cfReal* vec,
                                                 CF_TEAM_NEAR cfReal* line, int n) {
  const cfTeam team = {.thread = thread}, *t = &team;
  const bool is_row = thread < n;
  denseRow row = {.diagonal = is_row ? A[thread * (thread + 3) / 2] : 1,
                  .side = is_row ? vec[thread] : 0,
                  .inverse = 1};
  loadRow(thread, &row, A, n);
  // empty places are read too
  line[thread] = line[CF_TEAM_LINE + thread] = 0;
  teamSync(t);
  int k = n - 1;
  for (; k >= DENSE_HALF; k--) {
    eliminateColumn(t, &row, line + (k & 1) * CF_TEAM_LINE, k, 0);
  }
  for (; k >= 0; k--) {
    eliminateColumn(t, &row, line + (k & 1) * CF_TEAM_LINE, k, DENSE_HALF);
  }
  if (is_row) {
    vec[thread] = row.side * row.inverse;
  }
  teamSync(t);
}

// by the names of arrays of the world
#define CF_SOLVE_DENSE(t, matrix, vec, n)                        \
  CF_TEAM_NAME(teamSolveDense)                                   \
  ((t)->thread, (CF_TEAM_NEAR const cfReal*)CF_WORLD(t, matrix), \
   (CF_TEAM_NEAR cfReal*)CF_WORLD(t, vec), (CF_TEAM_NEAR cfReal*)CF_WORLD(t, dense_line), n)

#else

// L'DL from the last row up, by one thread
CF_TEAM_FN void teamSolveDense(const cfTeam* t, const cfReal* A, cfReal* vec, int n) {
  cfReal L[CF_TEAM_ROWS_MOST * (CF_TEAM_ROWS_MOST + 1) / 2];
  CF_ASSERT(n <= CF_TEAM_ROWS_MOST);
  for (int k = 0; t->thread == 0 && k < n * (n + 1) / 2; k++) {
    L[k] = A[k];
  }
  for (int k = n - 1; t->thread == 0 && k >= 0; k--) {
    cfReal* row = L + k * (k + 1) / 2;
    row[k] = 1 / (row[k] < CF_TEAM_MIN ? CF_TEAM_MIN : row[k]);
    for (int i = 0; i < k; i++) {
      const cfReal factor = row[i] * row[k];
      for (int j = 0; j <= i; j++) {
        L[i * (i + 1) / 2 + j] -= factor * row[j];
      }
      vec[i] -= factor * vec[k];
    }
  }
  for (int k = 0; t->thread == 0 && k < n; k++) {
    const cfReal* row = L + k * (k + 1) / 2;
    for (int j = 0; j < k; j++) {
      vec[k] -= row[j] * vec[j];
    }
    vec[k] *= row[k];
  }
  teamSync(t);
}

#define CF_SOLVE_DENSE(t, matrix, vec, n) \
  teamSolveDense(t, CF_WORLD(t, matrix), CF_WORLD(t, vec), n)
#endif
