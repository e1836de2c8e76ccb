// Sparse L'DL in blocks: factor, rank-one changes and solution against dense algebra; and whole
// problems in blocks against the same without.
#include "cf_test.h"
#include "cf_text.h"

#include "math/dense.h"
#include "solver/blockldl.h"

enum { ROWS = 9, SIDE = CF_BLOCK_SIDE * ROWS };

// pattern with its memory, and a matrix
typedef struct {
  cfSparseChol s;
  int ints[5][ROWS];
  mjtNum mat[ROWS * ROWS * CF_BLOCK_SIZE], L[ROWS * ROWS * CF_BLOCK_SIZE];
  mjtNum diag[SIDE], diag_inv[SIDE], scratch[ROWS * CF_BLOCK_SIZE];
  mjtNum dense[SIDE * SIDE];
} cfBlockCase;

static mjtNum nextNumber(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (mjtNum)(*seed >> 8) / (1 << 24) - 0.5;
}


// blocks coupled in a ring with one long chord: elimination fills
static void analyzeRing(cfBlockCase* c, mjData* d) {
  static const int nnz[ROWS] = {1, 2, 2, 2, 2, 2, 2, 2, 3},
                   adr[ROWS] = {0, 1, 3, 5, 7, 9, 11, 13, 15};
  static const int col[] = {0, 0, 1, 1, 2, 0, 3, 3, 4, 4, 5, 2, 6, 6, 7, 1, 7, 8};
  const cfPattern M = {ROWS, ROWS, nnz, adr, col, NULL}, none = {0, ROWS, NULL, NULL, NULL, NULL};
  c->s = (cfSparseChol){.n = ROWS,
                        .rownnz = c->ints[0],
                        .rowadr = c->ints[1],
                        .colnnz = c->ints[2],
                        .coladr = c->ints[3],
                        .nested = c->ints[4]};
  CF_TRUE(cfi_cholSparsePattern(&c->s, none, M, d) < ROWS * ROWS);
}


// random numbers in all blocks of the pattern, a strong diagonal; garbage above it
static void fillRing(cfBlockCase* c, unsigned* seed) {
  memset(c->dense, 0, sizeof(c->dense));
  for (int b = 0; b < ROWS; b++) {
    for (int at = c->s.rowadr[b]; at < c->s.rowadr[b] + c->s.rownnz[b]; at++) {
      for (int k = 0; k < CF_BLOCK_SIZE; k++) {
        const int i = CF_BLOCK_SIDE * b + k / CF_BLOCK_SIDE;
        const int j = CF_BLOCK_SIDE * c->s.colind[at] + k % CF_BLOCK_SIDE;
        const mjtNum x = c->mat[CF_BLOCK_SIZE * at + k] = nextNumber(seed) + (i == j ? 9 : 0);
        if (j <= i) {
          c->dense[i * SIDE + j] = c->dense[j * SIDE + i] = x;
        }
      }
    }
  }
}


static void expectSolution(const cfBlockCase* c, const cfBlockLDL* f, unsigned* seed) {
  mjtNum b[SIDE], x[SIDE], back[SIDE];
  for (int i = 0; i < SIDE; i++) {
    x[i] = b[i] = nextNumber(seed);
  }
  cfi_solveBlocks(x, f);
  mju_mulMatVec(back, c->dense, x, SIDE, SIDE);
  CF_NEAR_ARRAY(back, b, SIDE, 1e-13);
}


// a vector over the blocks of one row of the factor
static void randomRow(mjtNum v[SIDE], const cfSparseChol* s, int row, unsigned* seed) {
  memset(v, 0, sizeof(mjtNum) * SIDE);
  for (int at = s->rowadr[row]; at < s->rowadr[row] + s->rownnz[row]; at++) {
    for (int k = 0; k < CF_BLOCK_SIDE; k++) {
      v[CF_BLOCK_SIDE * s->colind[at] + k] = nextNumber(seed);
    }
  }
}


CF_TEST(blockLDL__ring_of_blocks__solves_also_after_rank_one_changes) {
  static cfBlockCase c;
  unsigned seed = 1;
  mjModel* m = cf_compileText("<mujoco><size memory='1M'/></mujoco>");
  mjData* d = mj_makeData(m);
  mj_markStack(d);
  analyzeRing(&c, d);
  for (int round = 0; round < 20; round++) {
    fillRing(&c, &seed);
    cfBlockLDL f = {&c.s, c.L, c.diag, c.diag_inv};
    CF_EQ_INT(cfi_factorBlocks(&f, c.mat, mjMINVAL, c.scratch), SIDE);
    expectSolution(&c, &f, &seed);

    mjtNum v[SIDE], kept[SIDE];
    randomRow(v, &c.s, round % ROWS, &seed);
    memcpy(kept, v, sizeof(kept));
    for (int sign = 1; sign >= -1; sign -= 2) {
      memcpy(v, kept, sizeof(v));
      CF_TRUE(cfi_updateBlocks(&f, v, sign));
      for (int k = 0; k < SIDE * SIDE; k++) {
        c.dense[k] += sign * kept[k / SIDE] * kept[k % SIDE];
      }
      expectSolution(&c, &f, &seed);
      for (int k = 0; k < SIDE; k++) {
        CF_TRUE(v[k] == 0);
        CF_NEAR(f.diag[k] * f.diag_inv[k], 1, 1e-14);
      }
    }

    // what cannot be taken out is refused
    mjtNum* big = v;
    memset(v, 0, sizeof(v));
    big[SIDE - 1] = 100;
    CF_TRUE(!cfi_updateBlocks(&f, big, -1));
  }
  mj_freeStack(d);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(blockLDL__pivots_too_small__raised_and_counted) {
  static cfBlockCase c;
  unsigned seed = 3;
  mjModel* m = cf_compileText("<mujoco><size memory='1M'/></mujoco>");
  mjData* d = mj_makeData(m);
  mj_markStack(d);
  analyzeRing(&c, d);
  fillRing(&c, &seed);
  cfBlockLDL f = {&c.s, c.L, c.diag, c.diag_inv};
  c.mat[CF_BLOCK_SIZE * (c.s.rowadr[ROWS - 1] + c.s.rownnz[ROWS - 1]) - 1] = 0;
  CF_TRUE(cfi_factorBlocks(&f, c.mat, 1e-3, c.scratch) < SIDE);
  CF_NEAR(c.diag[SIDE - 1], 1e-3, 0);
  mj_freeStack(d);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// twelve arms of seven hinges hanging in a row, each pushed into the next by a tilted gravity
static void writeArms(char* xml, size_t size, const char* option) {
  int n = snprintf(xml, size,
                   "<mujoco><option %s gravity='3 1 -9'/><worldbody><geom type='plane' "
                   "pos='0 0 -1' size='9 9 1'/>",
                   option);
  for (int arm = 0; arm < 12; arm++) {
    n += snprintf(xml + n, size - n, "<body pos='%g 0 0'>", 0.11 * arm);
    for (int link = 0; link < 7; link++) {
      n += snprintf(xml + n, size - n,
                    "%s<joint axis='%d %d 0' damping='.1' range='-.3 .3' limited='true'/><geom "
                    "type='capsule' size='.056' condim='%d' fromto='0 0 0 0 0 -.15'/>",
                    link ? "<body pos='0 0 -.15'>" : "", link % 2, 1 - link % 2, link % 3 ? 3 : 4);
    }
    for (int link = 0; link < 7; link++) {
      n += snprintf(xml + n, size - n, "</body>");
    }
  }
  snprintf(xml + n, size - n, "</worldbody></mujoco>");
}


// Newton's solution does not depend on how its Hessian is stored: blocks, which sparse rows of long
// chains get, against dense rows
CF_TEST(newton__island_of_many_chains__blocks_equal_dense) {
  static char xml[1 << 17];
  static const char* const options[3] = {"jacobian='sparse'", "jacobian='sparse' cone='elliptic'",
                                         "jacobian='sparse' cone='elliptic' impratio='5'"};
  for (int k = 0; k < 3; k++) {
    writeArms(xml, sizeof(xml), options[k]);
    mjModel* m = cf_compileText(xml);
    mjData *d = mj_makeData(m), *other = mj_makeData(m);
    m->opt.tolerance = 1e-9;
    for (int step = 0; step < 60; step++) {
      mj_step(m, d);
      if (step % 10 == 9) {
        mj_copyData(other, m, d);
        mj_forward(m, d);
        CF_TRUE(d->nisland == 1 && d->island_nv[0] == m->nv && d->nefc > m->nv);
        m->opt.jacobian = mjJAC_DENSE;
        mj_forward(m, other);
        m->opt.jacobian = mjJAC_SPARSE;
        CF_NEAR_ARRAY(d->qacc, other->qacc, m->nv, 1e-8);
        CF_EQ_INT(d->solver_niter[0], other->solver_niter[0]);
      }
    }
    mj_deleteData(other);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST_MAIN("solver/blockldl")
