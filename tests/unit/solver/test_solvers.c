// Solvers against each other, with threads, and in a shrinking arena.
#include <cortenforge/cortenforge.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_threads.h"
#include "cf_text.h"
#include "solver/rowgroup.h"
#include "solver/treeldl.h"

static mjModel* loadScene(void) {
  mjModel* m = mj_loadModel(CF_SOURCE_DIR "/tests/data/constraint/scene.mjb", NULL);
  if (!m) {
    CF_FAIL("cannot load the scene\n");
  }
  return m;
}


// qacc at the keyframe with a solver run to exhaustion
static void accelerate(mjModel* m, mjData* d, int solver, mjtNum* qacc) {
  m->opt.solver = solver;
  m->opt.iterations = 20000;
  m->opt.tolerance = 0;
  mj_resetDataKeyframe(m, d, 0);
  mj_forward(m, d);
  mju_copy(qacc, d->qacc, m->nv);
}


CF_TEST(solvers__run_to_exhaustion__agree) {
  for (int cone = 0; cone < 2; cone++) {
    mjModel* m = loadScene();
    mjData* d = mj_makeData(m);
    m->opt.cone = cone;
    mjtNum buffer[3][64];
    CF_TRUE(m->nv <= 64);
    accelerate(m, d, mjSOL_NEWTON, buffer[0]);
    accelerate(m, d, mjSOL_CG, buffer[1]);
    accelerate(m, d, mjSOL_PGS, buffer[2]);
    for (int i = 0; i < m->nv; i++) {
      CF_NEAR(buffer[1][i], buffer[0][i], 1e-5 * (1 + fabs(buffer[0][i])));
      CF_NEAR(buffer[2][i], buffer[0][i], 1e-3 * (1 + fabs(buffer[0][i])));
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST(newton__gradient__vanishes_at_the_solution) {
  mjModel* m = loadScene();
  mjData* d = mj_makeData(m);
  mj_resetDataKeyframe(m, d, 0);
  mj_forward(m, d);
  mjtNum Ma[64];
  mj_mulM(m, d, Ma, d->qacc);
  for (int i = 0; i < m->nv; i++) {
    CF_NEAR(Ma[i], d->qfrc_smooth[i] + d->qfrc_constraint[i], 1e-8 * (1 + fabs(Ma[i])));
  }
  CF_TRUE(d->solver_niter[0] > 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// run 50 steps with a pool of n threads, return the state
static void runThreads(int n, int solver, mjtNum qpos[64]) {
  mjModel* m = loadScene();
  mjData* d = mj_makeData(m);
  m->opt.solver = solver;
  mjThreadPool* pool = n ? mju_threadPoolCreate(n) : NULL;
  if (pool) {
    mju_bindThreadPool(d, pool);
    cf_keepThreads(d);
  }
  mj_resetDataKeyframe(m, d, 0);
  for (int k = 0; k < 50; k++) {
    mj_step(m, d);
  }
  CF_TRUE(d->nisland > 1);
  mju_copy(qpos, d->qpos, m->nq);
  mj_deleteData(d);
  mj_deleteModel(m);
  if (pool) {
    mju_threadPoolDestroy(pool);
  }
}


CF_TEST(islands__any_number_of_threads__same_bits) {
  for (int solver = mjSOL_CG; solver <= mjSOL_NEWTON; solver++) {
    mjtNum alone[64] = {0}, threaded[64] = {0};
    runThreads(0, solver, alone);
    for (int n = 1; n <= 4; n *= 2) {
      runThreads(n, solver, threaded);
      CF_EQ_BYTES(threaded, alone, sizeof(alone));
    }
  }
}


// boxes on the ground, each an island of its own: enough work for the threads of a pool
enum { NBOX = 70, BOX_STEPS = 25 };

static mjModel* loadBoxes(void) {
  mjSpec* spec = mj_makeSpec();
  mjsBody* world = mjs_findBody(spec, "world");
  mjsGeom* ground = mjs_addGeom(world, NULL);
  ground->type = mjGEOM_PLANE;
  ground->size[0] = ground->size[1] = 10;
  ground->size[2] = 1;
  for (int k = 0; k < NBOX; k++) {
    mjsBody* body = mjs_addBody(world, NULL);
    mjs_addFreeJoint(body);
    body->pos[0] = 0.5 * (k % 10);
    body->pos[1] = 0.5 * (k / 10);
    body->pos[2] = 0.0999 - 1e-6 * k;
    mjsGeom* box = mjs_addGeom(body, NULL);
    box->type = mjGEOM_BOX;
    box->size[0] = box->size[1] = box->size[2] = 0.1;
  }
  mjModel* m = mj_compile(spec, NULL);
  mj_deleteSpec(spec);
  CF_TRUE(m && m->nv == 6 * NBOX);
  return m;
}


static uint64_t runBoxes(const mjModel* m, int n) {
  mjData* d = mj_makeData(m);
  mjThreadPool* pool = n ? mju_threadPoolCreate((size_t)n) : NULL;
  if (pool) {
    mju_bindThreadPool(d, pool);
    cf_keepThreads(d);
  }
  for (int k = 0; k < BOX_STEPS; k++) {
    mj_step(m, d);
  }
  CF_TRUE(d->nisland > NBOX / 2 && d->nefc * 6 > 4000);
  const uint64_t hash = cf_stateHash(m, d);
  mj_deleteData(d);
  mju_threadPoolDestroy(pool);
  return hash;
}


CF_TEST(islands__enough_for_threads__same_bits_for_1_2_3_8) {
  mjModel* m = loadBoxes();
  const uint64_t alone = runBoxes(m, 0);
  const int counts[] = {1, 2, 3, 8};
  for (int k = 0; k < 4; k++) {
    CF_TRUE(runBoxes(m, counts[k]) == alone);
  }
  mj_deleteModel(m);
}


static jmp_buf after_error;


static void jumpOut(const char* text) {
  (void)text;
  longjmp(after_error, 1);
}


static void stayQuiet(const char* text) {
  (void)text;
}


// rows of one position stage in an arena of some size: -1 after a warning that there was no room
static int rowsInArena(mjModel* m, mjData* d) {
  mj_resetDataKeyframe(m, d, 0);
  mj_fwdPosition(m, d);
  if (!d->warning[mjWARN_CNSTRFULL].number) {
    return d->nefc;
  }
  CF_EQ_INT(d->nefc, 0);
  CF_EQ_INT(d->nisland, 0);
  CF_TRUE(d->efc_J == NULL);
  mj_fwdVelocity(m, d);
  mj_fwdConstraint(m, d);
  return -1;
}


CF_TEST(arena__too_small_for_the_rows__warning_and_no_rows) {
  mjModel* m = loadScene();
  mju_user_error = jumpOut;
  mju_user_warning = stayQuiet;
  volatile int full = 0, without_rows = 0;
  for (m->opt.solver = mjSOL_PGS; m->opt.solver <= mjSOL_NEWTON; m->opt.solver++) {
    // shrink until scratch memory is too small as well, which is an error
    for (m->narena = 120000; m->narena > 10000; m->narena -= 500) {
      mjData* d = mj_makeData(m);
      int error = setjmp(after_error);
      if (!error) {
        int rows = rowsInArena(m, d);
        full += rows > 0;
        without_rows += rows < 0;
      }
      mj_deleteData(d);
      if (error) {
        break;
      }
    }
  }
  mju_user_error = NULL;
  mju_user_warning = NULL;
  CF_TRUE(full > 0);
  CF_TRUE(without_rows > 0);
  mj_deleteModel(m);
}


CF_TEST(treeLDL__tree_and_dense_matrices__solves) {
  enum { N = 19 };
  unsigned seed = 5;
  for (int trial = 0; trial < 2 * N; trial++) {
    int n = 1 + trial % N, stride = cfi_treeStride(n);
    mjtNum A[N * 20] = {0}, L[N * 20], inverse[N], x[20] = {0}, b[N];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        seed = seed * 1664525u + 1013904223u;
        A[i * stride + j] = i == j ? n + 1 : (seed >> 30) ? (seed >> 8) / 16777216.0 : 0;
      }
      b[i] = x[i] = sin(i + 1);
    }
    memcpy(L, A, sizeof(A));
    CF_EQ_INT(cfi_factorTreeLDL(L, inverse, n, stride, 1e-15), n);
    cfi_solveTreeLDL(x, L, inverse, n, stride);
    for (int i = 0; i < n; i++) {
      mjtNum sum = 0;
      for (int j = 0; j < n; j++) {
        sum += (j <= i ? A[i * stride + j] : A[j * stride + i]) * x[j];
      }
      CF_NEAR(sum, b[i], 1e-13);
    }
  }
}


CF_TEST(treeLDL__row_added_and_taken_out__same_factor) {
  enum { N = 6, STRIDE = 8 };
  mjtNum A[N * STRIDE] = {0}, L[N * STRIDE], inverse[N], before[N * STRIDE], inverse_before[N];
  for (int i = 0; i < N; i++) {
    A[i * STRIDE + i] = 3 + i;
    A[i * STRIDE] += 0.5;
  }
  memcpy(L, A, sizeof(A));
  cfi_factorTreeLDL(L, inverse, N, STRIDE, 1e-15);
  memcpy(before, L, sizeof(L));
  memcpy(inverse_before, inverse, sizeof(inverse));

  mjtNum v[STRIDE] = {0.5, 0, 2, 0, 1, 0, 0, 0}, w[STRIDE] = {0.5, 0, 2, 0, 1, 0, 0, 0};
  mjtNum x[STRIDE] = {1, 2, 3, 4, 5, 6, 0, 0}, b[STRIDE], row[STRIDE] = {0.5, 0, 2, 0, 1};
  memcpy(b, x, sizeof(x));
  CF_TRUE(cfi_updateTreeLDL(L, inverse, v, 1, N, STRIDE));
  cfi_solveTreeLDL(x, L, inverse, N, STRIDE);
  for (int i = 0; i < N; i++) {
    mjtNum sum = 0;
    for (int j = 0; j < N; j++) {
      sum += ((j <= i ? A[i * STRIDE + j] : A[j * STRIDE + i]) + row[i] * row[j]) * x[j];
    }
    CF_NEAR(sum, b[i], 1e-13);
  }

  CF_TRUE(cfi_updateTreeLDL(L, inverse, w, -1, N, STRIDE));
  CF_NEAR_ARRAY(inverse, inverse_before, N, 1e-14);
  for (int i = 0; i < N; i++) {
    CF_NEAR_ARRAY(L + i * STRIDE, before + i * STRIDE, i, 1e-14);
  }

  // a row that was never added cannot be taken out
  mjtNum large[STRIDE] = {10, 10, 10, 10, 10, 10, 0, 0};
  CF_TRUE(!cfi_updateTreeLDL(L, inverse, large, -1, N, STRIDE));
}

// counted by MuJoCo 3.5.0: the four islands, or all at once
// numbers in [-1, 1], some of them zero
static void fillSome(mjtNum* res, int n, unsigned* seed) {
  for (int k = 0; k < n; k++) {
    *seed = *seed * 1664525u + 1013904223u;
    res[k] = *seed >> 30 ? (*seed >> 8) / 8388608.0 - 1 : 0;
  }
}


CF_TEST(treeLDL__two_rows_at_once__bits_of_one_after_the_other) {
  enum { N = 14, STRIDE = 16 };
  unsigned seed = 7;
  for (int trial = 0; trial < 20; trial++) {
    mjtNum once[N * STRIDE] = {0}, twice[N * STRIDE], inverse[N], inverse_twice[N];
    mjtNum a[STRIDE] = {0}, b[STRIDE] = {0}, a_copy[STRIDE], b_copy[STRIDE];
    for (int i = 0; i < N; i++) {
      fillSome(once + i * STRIDE, i, &seed);
      once[i * STRIDE + i] = N;
    }
    fillSome(a, N, &seed);
    fillSome(b, N, &seed);
    memcpy(a_copy, a, sizeof(a));
    memcpy(b_copy, b, sizeof(b));
    cfi_factorTreeLDL(once, inverse, N, STRIDE, 1e-15);
    memcpy(twice, once, sizeof(once));
    memcpy(inverse_twice, inverse, sizeof(inverse));
    const mjtNum sign[2] = {1, trial % 2 ? 1 : -1};
    CF_TRUE(cfi_updateTreeLDL(once, inverse, a, sign[0], N, STRIDE));
    CF_TRUE(cfi_updateTreeLDL(once, inverse, b, sign[1], N, STRIDE));
    CF_TRUE(cfi_updateTwiceTreeLDL(twice, inverse_twice, (mjtNum* [2]){a_copy, b_copy}, sign, N,
                                   STRIDE));
    CF_EQ_BYTES(inverse_twice, inverse, sizeof(inverse));
    CF_EQ_BYTES(twice, once, sizeof(once));
  }
}


CF_TEST(treeLDL__matrix_times_vector__as_by_hand) {
  enum { N = 19, STRIDE = 20 };
  unsigned seed = 9;
  for (int n = 1; n <= N; n++) {
    const int stride = cfi_treeStride(n);
    mjtNum rows[N * STRIDE] = {0}, diagonal[STRIDE], x[STRIDE] = {0}, res[STRIDE];
    fillSome(diagonal, n, &seed);
    fillSome(x, n, &seed);
    for (int i = 0; i < n; i++) {
      fillSome(rows + i * stride, i, &seed);
    }
    cfi_mulTree(res, rows, diagonal, x, n, stride);
    for (int i = 0; i < n; i++) {
      mjtNum sum = diagonal[i] * x[i];
      for (int j = 0; j < n; j++) {
        sum += (j < i ? rows[i * stride + j] : j > i ? rows[j * stride + i] : 0) * x[j];
      }
      CF_NEAR(res[i], sum, 1e-14);
    }
  }
}


// every entry of the lower triangle is a sum over the rows in their order
CF_TEST(rowGroup__any_size_and_count__sum_in_the_order_of_rows) {
  enum { N = 19, STRIDE = 20 };
  unsigned seed = 3;
  for (int trial = 0; trial < 5 * N; trial++) {
    const int n = 1 + trial / 5, stride = cfi_treeStride(n);
    mjtNum H[N * STRIDE], sum[N * STRIDE], J[CF_ROW_GROUP][STRIDE], w[CF_ROW_GROUP][STRIDE];
    cfRowGroup group = {.count = trial % 5};
    fillSome(H, N * STRIDE, &seed);
    memcpy(sum, H, sizeof(H));
    for (int r = 0; r < group.count; r++) {
      fillSome(J[r], n, &seed);
      for (int i = 0; i < n; i++) {
        J[r][i] = i % 3 ? J[r][i] : 0;
        w[r][i] = trial % 2 ? J[r][i] : 2 * J[r][i];
      }
      group.J[r] = J[r];
      group.w[r] = w[r];
      group.scale[r] = 0.3 * (r + 1);
    }
    cfi_addRowGroup((cfTarget){H, n, stride}, &group);
    for (int i = 0; i < n; i++) {
      for (int k = 0; k <= i; k++) {
        for (int r = 0; r < group.count; r++) {
          const mjtNum weight = group.scale[r] * w[r][i];
          sum[i * stride + k] += weight * J[r][k];
        }
        CF_NEAR(H[i * stride + k], sum[i * stride + k], 0);
      }
    }
  }
}


CF_TEST(newton__sparse_problems_made_dense__numbers_of_the_sparse_factor) {
  static const int recorded[2][5] = {{63, 204, 122, 234, 488}, {84, 282, 150, 312, 693}};
  mjModel* m = loadScene();
  mjData* d = mj_makeData(m);
  m->opt.solver = mjSOL_NEWTON;
  m->opt.jacobian = mjJAC_SPARSE;
  for (int k = 0; k < 4; k++) {
    m->opt.cone = k / 2;
    m->opt.disableflags = k % 2 ? mjDSBL_ISLAND : 0;
    mj_resetDataKeyframe(m, d, 0);
    mj_forward(m, d);
    CF_EQ_INT(d->nisland, k % 2 ? 0 : 4);
    for (int i = 0; i < (k % 2 ? 1 : 4); i++) {
      CF_EQ_INT(d->solver_nnz[i], recorded[k / 2][k % 2 ? 4 : i]);
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


// a NaN reaches the island that its dof belongs to, and no other; free dofs do not look at it
CF_TEST(warmstart__NaN_in_one_dof__seen_by_its_island_alone) {
  mjModel* m = loadScene();
  mjData *d = mj_makeData(m), *clean = mj_makeData(m);
  for (int solver = mjSOL_CG; solver <= mjSOL_NEWTON; solver++) {
    m->opt.solver = solver;
    m->opt.disableflags = mjDSBL_AUTORESET;
    mj_resetDataKeyframe(m, clean, 0);
    mj_forward(m, clean);
    for (int dof = 0; dof < m->nv; dof++) {
      mj_resetDataKeyframe(m, d, 0);
      d->qacc_warmstart[dof] = NAN;
      mj_forward(m, d);
      for (int i = 0; i < m->nv; i++) {
        const int island = d->dof_island[dof];
        if (island >= 0 && d->dof_island[i] == island) {
          CF_TRUE(isnan(d->qacc[i]));
        } else {
          CF_NEAR(d->qacc[i], clean->qacc[i], 1e-4 * (1 + fabs(clean->qacc[i])));
        }
      }
    }
  }
  mj_deleteData(d);
  mj_deleteData(clean);
  mj_deleteModel(m);
}


// boxes on the floor, each with a flap that has dry friction and a limit; condim 1, 3, 4, 6 in turn
static mjModel* compileBoxes(int count, const char* cone) {
  static char xml[1 << 16];
  static const int condim[4] = {1, 3, 4, 6};
  int n = snprintf(xml, sizeof(xml),
                   "<mujoco><option solver='PGS' cone='%s' gravity='2 1 -9' impratio='2'/><size "
                   "memory='200M'/><worldbody><geom type='plane' size='99 99 1'/>",
                   cone);
  for (int k = 0; k < count; k++) {
    n +=
        snprintf(xml + n, sizeof(xml) - (size_t)n,
                 "<body pos='%d 0 .099'><freejoint/><geom type='box' size='.2 .1 .1' condim='%d' "
                 "friction='.%d .02 .01'/><body pos='0 0 .1'><joint axis='0 1 0' range='5 30' "
                 "limited='true' frictionloss='.1'/><geom size='.05' pos='.1 0 .1'/></body></body>",
                 k, condim[k % 4], 3 + k % 5);
  }
  snprintf(xml + n, sizeof(xml) - (size_t)n, "</worldbody></mujoco>");
  return cf_compileText(xml);
}


// sparse rows are swept one by one, or treated as dense where they are few; the iterates are the
// same.  More than 1024 rows find their partners in another way
CF_TEST(pgs__sparse_and_dense_rows__same_iterates) {
  static const int count[3] = {2, 20, 66};
  for (int k = 0; k < 5; k++) {
    mjModel* m = compileBoxes(count[k / 2], k % 2 ? "elliptic" : "pyramidal");
    mjData *sparse = mj_makeData(m), *dense = mj_makeData(m);
    m->opt.iterations = 7;
    m->opt.tolerance = 0;
    m->opt.jacobian = mjJAC_SPARSE;
    for (int step = 0; step < 3; step++) {
      mj_step(m, sparse);
    }
    mj_copyData(dense, m, sparse);
    mj_forward(m, sparse);
    m->opt.jacobian = mjJAC_DENSE;
    mj_forward(m, dense);
    CF_TRUE(sparse->nefc == dense->nefc && (k < 4 || dense->nefc > 1024));
    CF_EQ_INT(sparse->solver_niter[0], 7);
    CF_NEAR_ARRAY(sparse->efc_force, dense->efc_force, dense->nefc, 1e-9);
    CF_TRUE(mju_norm(dense->efc_force, dense->nefc) > 1);
    for (int i = 0; i < 7; i++) {
      CF_NEAR(sparse->solver[i].improvement, dense->solver[i].improvement, 1e-12);
      if (k % 2 == 0) {  // friction at the edge of its cone: rounding decides
        CF_EQ_INT(sparse->solver[i].nactive, dense->solver[i].nactive);
      }
    }
    mj_deleteData(sparse);
    mj_deleteData(dense);
    mj_deleteModel(m);
  }
}


// statistics of an iteration: rows whose state is not what it was one iteration earlier, and rows
// that are not satisfied
CF_TEST(pgs__one_iteration_more__changed_and_active_rows_counted) {
  int seen = 0;
  for (int k = 0; k < 2; k++) {
    mjModel* m = compileBoxes(8, k ? "elliptic" : "pyramidal");
    mjData* d = mj_makeData(m);
    int before[512], n = 0;
    m->opt.tolerance = 0;
    m->opt.jacobian = mjJAC_DENSE;
    mj_step(m, d);
    for (int i = 1; i <= 12; i++) {
      m->opt.iterations = i;
      mj_forward(m, d);
      CF_TRUE(d->nefc <= 512 && d->solver_niter[0] == i && (i == 1 || d->nefc == n));
      n = d->nefc;
      int nchange = 0, nactive = 0;
      for (int r = 0; r < n; r++) {
        nchange += i > 1 && d->efc_state[r] != before[r];
        nactive += r < d->ne + d->nf || d->efc_state[r] != mjCNSTRSTATE_SATISFIED;
        before[r] = d->efc_state[r];
      }
      CF_EQ_INT(d->solver[i - 1].nactive, nactive);
      if (i > 1) {
        CF_EQ_INT(d->solver[i - 1].nchange, nchange);
        seen += nchange;
      }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  CF_TRUE(seen > 20);
}


CF_TEST_MAIN("solver/solvers")
