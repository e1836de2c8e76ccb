// Pattern of the reverse Cholesky factor of M + J'*J, without the pattern of that matrix.
//
// Row i of L couples all its columns in the row of the last of them, its parent (Davis, LDL).  So
// the columns that a row of J couples need to be put only into the row of the last of them, and
// elimination carries them on.  A row is a string of bits, handed to its parent by words.
#include <stdint.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/dense.h"
#include "math/sparse.h"

enum { WORD = 64 };

// rows of bits, columns 0..i of row i; first[i] is the lowest word of row i that is not empty
typedef struct {
  uint64_t* word;
  int* first;
} cfBitTriangle;


// words before row i
static size_t wordsBefore(int i) {
  const size_t q = (size_t)(i / WORD);
  return WORD * (q * (q + 1) / 2) + (size_t)(i % WORD) * (q + 1);
}


static uint64_t* bitRow(const cfBitTriangle* t, int i) {
  return t->word + wordsBefore(i);
}


// put ascending columns, all of them <= i, into row i
static void putColumns(const cfBitTriangle* t, int i, const int* col, int n) {
  CF_ASSERT(i >= 0 && n >= 0);
  uint64_t* row = bitRow(t, i);
  for (int k = 0; k < n; k++) {
    row[col[k] / WORD] |= (uint64_t)1 << (col[k] % WORD);
  }
  if (n > 0 && col[0] / WORD < t->first[i]) {
    t->first[i] = col[0] / WORD;
  }
}


// last column of row i before its diagonal, -1 if there is none
static int parentOf(const cfBitTriangle* t, int i) {
  CF_ASSERT(i >= 0);
  const uint64_t* row = bitRow(t, i);
  int w = i / WORD;
  uint64_t bits = row[w] & (((uint64_t)1 << (i % WORD)) - 1);
  while (!bits && w > t->first[i]) {
    bits = row[--w];
  }
  return bits ? w * WORD + (WORD - 1 - __builtin_clzll(bits)) : -1;
}


// hand row i to its parent; bits beyond the parent's diagonal do not occur
static void handOver(const cfBitTriangle* t, int i) {
  CF_ASSERT(i >= 0);
  const int parent = parentOf(t, i);
  if (parent < 0) {
    return;
  }
  const uint64_t* row = bitRow(t, i);
  uint64_t* up = bitRow(t, parent);
  for (int w = t->first[i]; w <= parent / WORD; w++) {
    up[w] |= row[w];
  }

  // only the word of the parent's diagonal may hold later columns: row i's own
  const uint64_t top = (uint64_t)1 << (parent % WORD);
  up[parent / WORD] &= top | (top - 1);
  t->first[parent] = t->first[i] < t->first[parent] ? t->first[i] : t->first[parent];
}


// number of columns of row i, its diagonal included
static int countRow(const cfBitTriangle* t, int i) {
  const uint64_t* row = bitRow(t, i);
  int count = 0;
  for (int w = t->first[i]; w <= i / WORD; w++) {
    count += __builtin_popcountll(row[w]);
  }
  return count;
}


// rows of J by their last column: head of a list for each column, next row of each row
static void listByLast(int* head, int* next, cfPattern J) {
  cfi_fillInt(head, -1, J.nc);
  for (int r = 0; r < J.nr; r += J.rowsuper ? J.rowsuper[r] + 1 : 1) {
    if (J.rownnz[r] > 0) {
      const int last = J.colind[J.rowadr[r] + J.rownnz[r] - 1];
      next[r] = head[last];
      head[last] = r;
    }
  }
}


static void eliminate(const cfBitTriangle* t, cfSparseChol* s, cfPattern J, cfPattern M,
                      const int* head, const int* next) {
  for (int i = s->n - 1; i >= 0; i--) {
    putColumns(t, i, M.colind + M.rowadr[i], M.rownnz[i]);
    for (int r = head[i]; r >= 0; r = next[r]) {
      putColumns(t, i, J.colind + J.rowadr[r], J.rownnz[r]);
    }
    bitRow(t, i)[i / WORD] |= (uint64_t)1 << (i % WORD);
    handOver(t, i);
    s->rownnz[i] = countRow(t, i);
  }
}


// columns of row i
static void writeRow(const cfBitTriangle* t, cfSparseChol* s, int i) {
  CF_ASSERT_INDEX(i, s->n);
  const uint64_t* row = bitRow(t, i);
  int* out = s->colind + s->rowadr[i];
  for (int w = t->first[i]; w <= i / WORD; w++) {
    for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
      const int column = w * WORD + __builtin_ctzll(bits);
      *out++ = column;
      s->colnnz[column]++;
    }
  }
  s->colnnz[i]--;
}


static int startRows(cfSparseChol* s) {
  int total = 0;
  for (int i = 0; i < s->n; i++) {
    s->rowadr[i] = total;
    total += s->rownnz[i];
  }
  return total;
}


int cfi_cholSparsePattern(cfSparseChol* s, cfPattern J, cfPattern M, mjData* d) {
  CF_ASSERT(J.nc == s->n && M.nr == s->n);
  const int n = s->n;
  const size_t nword = wordsBefore(n);
  const cfBitTriangle t = {mj_stackAllocByte(d, nword * sizeof(uint64_t), _Alignof(uint64_t)),
                           mj_stackAllocInt(d, n)};
  int *head = mj_stackAllocInt(d, n), *next = mj_stackAllocInt(d, J.nr);
  memset(t.word, 0, nword * sizeof(uint64_t));
  for (int i = 0; i < n; i++) {
    t.first[i] = i / WORD;
  }
  listByLast(head, next, J);
  eliminate(&t, s, J, M, head, next);

  const int total = startRows(s);
  s->colind = mj_stackAllocInt(d, total);
  cfi_zeroInt(s->colnnz, n);
  for (int i = 0; i < n; i++) {
    writeRow(&t, s, i);
  }
  for (int c = 0, below = 0; c < n; c++) {
    s->coladr[c] = below;
    below += s->colnnz[c];
  }
  s->rowind = mj_stackAllocInt(d, total);
  s->place = mj_stackAllocInt(d, total);
  cfi_cholSparseColumns(s, head);
  return total;
}


// put the columns of a row of J into the rows of all of them, each up to its diagonal.  word has
// room for a row of bits, touched for the numbers of its words
static void coupleRow(const cfBitTriangle* t, const int* col, int n, uint64_t* word, int* touched) {
  int count = 0;
  CF_ASSERT(n >= 0);
  for (int k = 0; k < n; k++) {
    const int w = col[k] / WORD;
    if (count == 0 || touched[count - 1] != w) {
      touched[count++] = w;
      word[w] = 0;
    }
    word[w] |= (uint64_t)1 << (col[k] % WORD);
    uint64_t* row = bitRow(t, col[k]);
    for (int i = 0; i < count; i++) {
      row[touched[i]] |= word[touched[i]];
    }
    if (touched[0] < t->first[col[k]]) {
      t->first[col[k]] = touched[0];
    }
  }
}


void cfi_cholSparseCount(int* square, int* factor, cfPattern J, cfPattern M, mjData* d) {
  CF_ASSERT(J.nc == M.nr);
  const int n = M.nr, nrow_word = n / WORD + 1;
  const size_t nword = wordsBefore(n);
  mj_markStack(d);
  uint64_t* word = mj_stackAllocByte(d, (nword + nrow_word) * sizeof(uint64_t), _Alignof(uint64_t));
  int* touched = mj_stackAllocInt(d, (size_t)(nrow_word + n));
  const cfBitTriangle t = {word + nrow_word, touched + nrow_word};
  memset(t.word, 0, nword * sizeof(uint64_t));
  for (int i = 0; i < n; i++) {
    t.first[i] = i / WORD;
  }
  for (int r = 0; r < J.nr; r += J.rowsuper ? J.rowsuper[r] + 1 : 1) {
    coupleRow(&t, J.colind + J.rowadr[r], J.rownnz[r], word, touched);
  }
  *square = *factor = 0;
  for (int i = 0; i < n; i++) {
    *square += countRow(&t, i);
  }
  for (int i = n - 1; i >= 0; i--) {
    putColumns(&t, i, M.colind + M.rowadr[i], M.rownnz[i]);
    handOver(&t, i);
    *factor += countRow(&t, i);
  }
  mj_freeStack(d);
}
