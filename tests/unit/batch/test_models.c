// Worlds of many models step as a lone mjData does, bit for bit, for any number of threads and
// lanes.
#include <glob.h>

#include <cortenforge/batch.h>
#include <cortenforge/cortenforge.h>

#include "lanes/lanes.h"
#include "cf_test.h"

enum { NWORLD = 5, STEPS = 12 };

static const char* const patterns[] = {"models/*.xml", "models/*/*.xml"};


// a control that differs between worlds and steps
static mjtNum controlAt(int world, int step, int actuator) {
  return 0.3 * sin(1.3 * world + 0.7 * step + actuator);
}


static void setControls(cfBatch* batch, mjData* const* d, int step) {
  const int nu = (int)cf_batchModel(batch)->nu;
  if (nu) {
    mjtNum* ctrl = calloc((size_t)nu * NWORLD, sizeof(mjtNum));
    for (int k = 0; k < NWORLD * nu; k++) {
      ctrl[k] = d[k / nu]->ctrl[k % nu] = controlAt(k / nu, step, k % nu);
    }
    CF_TRUE(cf_batchSet(batch, "ctrl", NULL, NWORLD, CF_ORDER_WORLD, ctrl));
    free(ctrl);
  }
}


// worlds that move from the start
static void setVelocities(cfBatch* batch, mjData* const* d) {
  const int nv = (int)cf_batchModel(batch)->nv;
  for (int w = 0; w < NWORLD; w++) {
    for (int i = 0; i < nv; i++) {
      d[w]->qvel[i] = 0.1 * sin(i + 2.0 * w);
    }
    CF_TRUE(cf_batchSet(batch, "qvel", &w, 1, CF_ORDER_WORLD, d[w]->qvel));
  }
}


// all of the state, and the outputs that were asked for
static void expectWorld(cfBatch* batch, int world, const mjData* d, const char* path) {
  const mjModel* m = cf_batchModel(batch);
  const size_t nstate = (size_t)mj_stateSize(m, mjSTATE_INTEGRATION),
               nsensor = (size_t)m->nsensordata;
  mjtNum* mine = calloc(nstate + nsensor + 1, sizeof(mjtNum));
  mjtNum* other = calloc(nstate + nsensor + 1, sizeof(mjtNum));
  CF_TRUE(cf_batchGetState(batch, mjSTATE_INTEGRATION, &world, 1, mine));
  CF_TRUE(cf_batchGet(batch, "sensordata", &world, 1, CF_ORDER_WORLD, mine + nstate));
  mj_getState(m, d, other, mjSTATE_INTEGRATION);
  memcpy(other + nstate, d->sensordata, sizeof(mjtNum) * nsensor);
  if (memcmp(mine, other, sizeof(mjtNum) * (nstate + nsensor)) != 0) {
    CF_FAIL("%s: world %d differs from a lone mjData\n", path, world);
  }
  free(mine);
  free(other);
}


static void compareModel(const mjModel* m, const char* path, int nthread, int nlane) {
  const cfBatchOptions options = {
      .nthread = nthread, .nlane = nlane, .unstable = CF_UNSTABLE_FREEZE};
  char error[200] = "";
  cfBatch* batch = cf_makeBatch(m, NWORLD, &options, error, sizeof(error));
  if (!batch) {
    CF_FAIL("%s: %s\n", path, error);
  }
  mjData* d[NWORLD];
  for (int w = 0; w < NWORLD; w++) {
    d[w] = mj_makeData(m);
  }
  setVelocities(batch, d);
  for (int k = 0; k < STEPS; k++) {
    setControls(batch, d, k);
    CF_TRUE(cf_batchStep(batch, 1));
    for (int w = 0; w < NWORLD; w++) {
      mj_step(m, d[w]);
      expectWorld(batch, w, d[w], path);
    }
  }
  for (int w = 0; w < NWORLD; w++) {
    mj_deleteData(d[w]);
  }
  cf_freeBatch(batch);
}


// models up to a size, to keep the test short
static int comparePath(const char* path) {
  char error[500] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  const int is_small = m && m->nv <= 200;
  if (is_small) {
    compareModel(m, path, 1, cfi_laneKernels(4) ? 4 : 1);
    compareModel(m, path, 2, cfi_laneKernels(8) ? 8 : 0);
  }
  mj_deleteModel(m);
  return is_small;
}


CF_TEST(worlds__of_every_small_model__have_the_bits_of_a_lone_step) {
  int count = 0;
  for (size_t k = 0; k < sizeof(patterns) / sizeof(patterns[0]); k++) {
    glob_t found;
    CF_EQ_INT(glob(patterns[k], 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i += CF_SANITIZED ? 4 : 1) {
      count += comparePath(found.gl_pathv[i]);
    }
    globfree(&found);
  }
  CF_TRUE(count > (CF_SANITIZED ? 30 : 140));
}

CF_TEST_MAIN("batch/models")
