// Ten steps of a scene with every kind of constraint, recorded with MuJoCo 3.5.0 (AC18: each
// disable flag alone; every solver, cone and Jacobian; noslip).
#include <mujoco/mujoco.h>

#include "cf_recorded.h"
#include "cf_test.h"

static mjModel* loadScene(void) {
  mjModel* m = mj_loadModel(CF_SOURCE_DIR "/tests/data/constraint/scene.mjb", NULL);
  if (!m) {
    CF_FAIL("cannot load the scene\n");
  }
  return m;
}


static void setOptions(mjModel* m, const double option[6]) {
  m->opt.solver = (int)option[0];
  m->opt.cone = (int)option[1];
  m->opt.jacobian = (int)option[2];
  m->opt.noslip_iterations = (int)option[3];
  m->opt.disableflags = (int)option[4];
  m->opt.enableflags = (int)option[5];
}


// compare one recorded run, array by array
static void checkRun(cfRecorded* r, mjModel* m, mjData* d) {
  while (cf_nextArray(r)) {
    if (!strcmp(r->name, "option")) {
      setOptions(m, r->value);
      mj_resetDataKeyframe(m, d, 0);
    } else if (!strcmp(r->name, "counts")) {
      mj_step(m, d);
      const int counts[6] = {d->ncon, d->ne, d->nf, d->nl, d->nefc, d->nisland};
      for (int k = 0; k < 6; k++) {
        CF_EQ_INT(counts[k], r->value[k]);
      }
    } else if (!strcmp(r->name, "qacc")) {
      cf_checkArray(r, d->qacc, 1e-8);
    } else if (!strcmp(r->name, "efc_force")) {
      cf_checkArray(r, d->efc_force, 1e-7);
    }
  }
}


CF_TEST(solver__AC18_flags_solvers_cones_jacobians__recorded_accelerations) {
  mjModel* m = loadScene();
  mjData* d = mj_makeData(m);
  cfRecorded* r = cf_openRecorded("constraint", "scene");
  int runs = 0;
  cf_nextArray(r);
  while (!feof(r->file)) {
    checkRun(r, m, d);
    runs++;
  }
  CF_EQ_INT(runs, 35);
  cf_closeRecorded(r);
  mj_deleteData(d);
  mj_deleteModel(m);
}

CF_TEST_MAIN("solver/recorded")
