// Ten steps of one scene with every disable flag alone and every enable flag alone, against values
// recorded with MuJoCo 3.5.0 (tests/data/flags/record.py).
#include <mujoco/mujoco.h>

#include "cf_recorded.h"
#include "cf_test.h"

static const mjtNum tolerance = 1e-8;


static mjModel* loadScene(void) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/tests/data/flags/scene.xml", NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("cannot load the scene: %s\n", error);
  }
  return m;
}


// every component within the tolerance, whatever its size
static void expectArray(const mjModel* m, const cfRecorded* r, const mjtNum* actual) {
  for (int i = 0; i < r->count; i++) {
    if (!(fabs(actual[i] - r->value[i]) <= tolerance)) {
      CF_FAIL("flags %d, %d: %s[%d] is %.17g, recorded %.17g\n", m->opt.disableflags,
              m->opt.enableflags, r->name, i, actual[i], r->value[i]);
    }
  }
}


static void expectCounts(const cfRecorded* r, const mjData* d) {
  const int counts[6] = {d->ncon, d->ne, d->nf, d->nl, d->nefc, d->nisland};
  for (int k = 0; k < 6; k++) {
    CF_EQ_INT(counts[k], r->value[k]);
  }
}


// compare one recorded run, array by array
static void checkRun(cfRecorded* r, mjModel* m) {
  mjData* d = NULL;
  while (cf_nextArray(r)) {
    if (!strcmp(r->name, "flags")) {
      m->opt.disableflags = (int)r->value[0];
      m->opt.enableflags = (int)r->value[1];
      d = mj_makeData(m);
      mj_resetDataKeyframe(m, d, 0);
    } else if (!strcmp(r->name, "counts")) {
      mj_step(m, d);
      expectCounts(r, d);
    } else if (!strcmp(r->name, "qacc")) {
      expectArray(m, r, d->qacc);
    } else if (!strcmp(r->name, "qpos")) {
      expectArray(m, r, d->qpos);
    } else if (!strcmp(r->name, "act")) {
      expectArray(m, r, d->act);
    } else if (!strcmp(r->name, "sensordata")) {
      expectArray(m, r, d->sensordata);
    } else if (!strcmp(r->name, "energy")) {
      expectArray(m, r, d->energy);
    }
  }
  mj_deleteData(d);
}


CF_TEST(AC18_every_flag__ten_steps__recorded_accelerations) {
  mjModel* m = loadScene();
  cfRecorded* r = cf_openRecorded("flags", "table");
  int runs = 0;
  cf_nextArray(r);
  while (!feof(r->file)) {
    checkRun(r, m);
    runs++;
  }
  CF_EQ_INT(runs, 1 + mjNDISABLE + mjNENABLE);
  cf_closeRecorded(r);
  mj_deleteModel(m);
}

CF_TEST_MAIN("flags/table")
