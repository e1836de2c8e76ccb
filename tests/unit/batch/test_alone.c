// A step depends on nothing but the world's own state: worlds of models with extensions, side by
// side in a batch for many steps, against lone worlds, bit by bit.  The worlds of a batch take
// turns in the same mjData, so whatever a step reads of the step before is another world's.
#include <glob.h>

#include <cortenforge/batch.h>
#include <cortenforge/cortenforge.h>

#include "lanes/lanes.h"
#include "cf_test.h"
#include "cf_text.h"
#include "model/extension.h"

enum { NALONE = 3, ALONE_STEPS = 400, ALONE_EVERY = 40 };

static const char* const alone_patterns[] = {"models/*.xml", "models/*/*.xml"};
static const char* const alone_outputs = "qacc qfrc_smooth qfrc_constraint solver_niter ncon nefc";


// true if the model has chosen a contact solver, models of flexes or models of actuators
static bool usesExtension(const mjModel* m) {
  static const int slot[] = {CF_EXTENSION_SOLVER, CF_EXTENSION_FLEX, CF_EXTENSION_GAIN};
  for (size_t k = 0; k < sizeof(slot) / sizeof(slot[0]); k++) {
    if (cfi_modelExtension(m)->slot[slot[k]].content) {
      return true;
    }
  }
  return false;
}


// ---------------------------------------- worlds that touch and let go at different times

// Worlds start at different heights of their free and soft bodies, and move apart from there.
static void startAlone(const mjModel* m, mjData* d, int world) {
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = 0.2 * sin(i + 2.0 * world) * world;
  }
  for (int b = 1; b < m->nbody; b++) {
    const int j = m->body_jntadr[b];
    if (m->body_parentid[b] == 0 && m->body_jntnum[b] == 3) {
      d->qpos[m->jnt_qposadr[j] + 2] += 0.03 * world;
    } else if (j >= 0 && m->jnt_type[j] == mjJNT_FREE) {
      d->qpos[m->jnt_qposadr[j] + 2] += 0.03 * world;
    }
  }
}


static void driveAlone(cfBatch* batch, const mjModel* m, mjData* const* d, int step) {
  for (int w = 0; w < NALONE; w++) {
    for (int u = 0; u < m->nu; u++) {
      d[w]->ctrl[u] = 0.3 * sin(1.3 * w + 0.07 * step + u);
    }
    CF_TRUE(!m->nu || cf_batchSet(batch, "ctrl", &w, 1, CF_ORDER_WORLD, d[w]->ctrl));
  }
}


static int expectField(cfBatch* batch, const char* name, int world, const void* own, size_t size) {
  unsigned char* got = calloc(1, size + 1);
  CF_TRUE(cf_batchGet(batch, name, &world, 1, CF_ORDER_WORLD, got));
  const int differs = memcmp(got, own, size) != 0;
  free(got);
  return differs;
}


// every output, and the whole state
static void expectAlone(cfBatch* batch, const mjModel* m, const mjData* d, int world, int step,
                        const char* what) {
  const size_t nv = sizeof(mjtNum) * (size_t)m->nv,
               size = (size_t)mj_stateSize(m, mjSTATE_INTEGRATION);
  mjtNum *got = calloc(2 * size + 1, sizeof(mjtNum)), *own = got + size;
  CF_TRUE(cf_batchGetState(batch, mjSTATE_INTEGRATION, &world, 1, got));
  mj_getState(m, d, own, mjSTATE_INTEGRATION);
  const int differs = memcmp(got, own, sizeof(mjtNum) * size) != 0;
  free(got);
  if (differs || expectField(batch, "qacc", world, d->qacc, nv) ||
      expectField(batch, "qfrc_smooth", world, d->qfrc_smooth, nv) ||
      expectField(batch, "qfrc_constraint", world, d->qfrc_constraint, nv) ||
      expectField(batch, "ncon", world, &d->ncon, sizeof(int)) ||
      expectField(batch, "nefc", world, &d->nefc, sizeof(int))) {
    CF_FAIL("%s: world %d differs from a lone world within %d steps\n", what, world, step);
  }
}


// number of times that a world's rows came and went
static int compareAlone(const mjModel* m, int nthread, int nlane, const char* what) {
  const cfBatchOptions options = {
      .nthread = nthread, .nlane = nlane, .unstable = CF_UNSTABLE_FREEZE, .outputs = alone_outputs};
  char error[300] = "";
  cfBatch* batch = cf_makeBatch(m, NALONE, &options, error, sizeof(error));
  if (!batch) {
    CF_FAIL("%s: %s\n", what, error);
  }
  mjData* d[NALONE];
  int changes = 0;
  for (int w = 0; w < NALONE; w++) {
    d[w] = mj_makeData(m);
    startAlone(m, d[w], w);
    CF_TRUE(cf_batchSet(batch, "qpos", &w, 1, CF_ORDER_WORLD, d[w]->qpos));
    CF_TRUE(cf_batchSet(batch, "qvel", &w, 1, CF_ORDER_WORLD, d[w]->qvel));
  }
  for (int step = 0; step < ALONE_STEPS; step++) {
    driveAlone(batch, m, d, step);
    CF_TRUE(cf_batchStep(batch, 1));
    for (int w = 0; w < NALONE; w++) {
      const int before = d[w]->nefc;
      mj_step(m, d[w]);
      changes += (before == 0) != (d[w]->nefc == 0);
      if ((step + 1) % ALONE_EVERY == 0) {
        expectAlone(batch, m, d[w], w, step + 1, what);
      }
    }
  }
  for (int w = 0; w < NALONE; w++) {
    mj_deleteData(d[w]);
  }
  cf_freeBatch(batch);
  return changes;
}


// one lane and one thread; as many lanes as there are and two threads
static int compareEverywhere(const mjModel* m, const char* what) {
  const int widest = cfi_laneKernels(8) ? 8 : cfi_laneKernels(4) ? 4 : 1;
  const int changes = compareAlone(m, 1, 1, what);
  return changes + compareAlone(m, 2, widest, what);
}


// ---------------------------------------- our own models

CF_TEST(alone__every_model_with_an_extension__bits_of_a_lone_world_after_400_steps) {
  int count = 0;
  for (size_t k = 0; k < sizeof(alone_patterns) / sizeof(alone_patterns[0]); k++) {
    glob_t found;
    CF_EQ_INT(glob(alone_patterns[k], 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
      char error[500] = "";
      mjModel* m = mj_loadXML(found.gl_pathv[i], NULL, error, sizeof(error));
      if (m && usesExtension(m)) {
        compareEverywhere(m, found.gl_pathv[i]);
        count++;
      }
      mj_deleteModel(m);
    }
    globfree(&found);
  }
  CF_TRUE(count >= 3);
}


// ---------------------------------------- every extension with every other

// a block of jelly and a ball that jump on a floor, an arm with a limit
static const char* const alone_xml =
    "<mujoco><option timestep='.004' integrator='%s'><flag warmstart='%s'/></option><worldbody>"
    "<geom type='plane' size='5 5 1'/>"
    "<body pos='.6 0 .13'><freejoint/><geom size='.1' condim='4' solref='-2000 -5'/></body>"
    "<body pos='0 1 .4'><joint name='h' axis='0 1 0' range='-30 30' damping='.1'/>"
    "<geom type='capsule' size='.04' fromto='0 0 0 .3 0 0'/></body>"
    "<flexcomp name='j' type='grid' dim='%d' count='3 2 %d' spacing='.1 .1 .1' pos='0 0 .14'"
    " mass='1' radius='.01' elasticity_model='%s' implicit_stiffness='%s'>"
    "<elasticity young='%s' poisson='.3' damping='.001' thickness='.02' elastic2d='both'/>"
    "<contact selfcollide='none' internal='false' solref='-5000 -5'/></flexcomp></worldbody>"
    "<actuator><general joint='h' gaintype='custom' cortenforge:gain_model='series_elastic'"
    " cortenforge:gain_params='20 .5 1'/></actuator></mujoco>";


static mjModel* aloneModel(const char* integrator, const char* warmstart, int dim,
                           const char* elasticity, const char* is_implicit, const char* solver) {
  char text[3000], error[300] = "";
  snprintf(text, sizeof(text), alone_xml, integrator, warmstart, dim, dim == 3 ? 2 : 1, elasticity,
           is_implicit, is_implicit[0] == 't' ? "3e4" : "1e3");
  mjModel* m = cf_compileText(text);
  if (!cf_setContactSolver(m, solver, NULL, 0, error, sizeof(error))) {
    CF_FAIL("%s\n", error);
  }
  return m;
}


CF_TEST(alone__extensions_together__bits_of_a_lone_world_while_contacts_come_and_go) {
  static const char* const integrator[] = {"Euler", "implicit", "implicitfast"};
  static const char* const elasticity[] = {"linear", "stable_neo_hookean", "neo_hookean"};
  int changes = 0;
  for (int k = 0; k < 4; k++) {
    const int dim = k % 2 ? 2 : 3;
    mjModel* m = aloneModel(integrator[k % 3], k % 2 ? "enable" : "disable", dim, elasticity[k % 3],
                            "true", "lcp");
    char what[100];
    snprintf(what, sizeof(what), "lcp, %s, %s, dim %d", integrator[k % 3], elasticity[k % 3], dim);
    changes += compareEverywhere(m, what);
    mj_deleteModel(m);
  }

  // the step in which the last row goes is where it used to differ
  CF_TRUE(changes > 20);
}


CF_TEST(alone__other_contact_solvers__bits_of_a_lone_world_while_contacts_come_and_go) {
  static const char* const integrator[] = {"Euler", "implicit", "implicitfast"};
  static const char* const solver[] = {"xpbd", "hunt_crossley"};
  int changes = 0;
  for (int k = 0; k < 8; k++) {
    mjModel* m = aloneModel(integrator[k / 2 % 3], k % 2 ? "disable" : "enable", 3, "linear",
                            "false", solver[k < 6 ? k % 2 : 1]);

    // the last two: contact patches
    if (k >= 6) {
      cf_setContactParameter(m, "hunt_crossley", "modulus", mjOBJ_MODEL, 0, 1e6, NULL, 0);
    }
    char what[100];
    snprintf(what, sizeof(what), "%s, %s", solver[k < 6 ? k % 2 : 1], integrator[k / 2 % 3]);
    changes += compareEverywhere(m, what);
    mj_deleteModel(m);
  }
  CF_TRUE(changes > 20);
}


// ---------------------------------------- the same within one mjData

// the step in which a soft body lets go of the floor has no force of the floor
CF_TEST(alone__rows_end_with_implicit_stiffness__no_force_is_left) {
  mjModel* m = aloneModel("Euler", "enable", 3, "linear", "true", "lcp");
  mjData *d = mj_makeData(m), *fresh = mj_makeData(m);
  int count = 0;
  for (int step = 0; step < ALONE_STEPS; step++) {
    mj_resetData(m, fresh);
    mjtNum* state = calloc((size_t)mj_stateSize(m, mjSTATE_INTEGRATION), sizeof(mjtNum));
    mj_getState(m, d, state, mjSTATE_INTEGRATION);
    mj_setState(m, fresh, state, mjSTATE_INTEGRATION);
    free(state);
    const int before = d->nefc;
    mj_step(m, d);
    mj_step(m, fresh);
    count += before && !d->nefc;
    CF_EQ_BYTES(d->qvel, fresh->qvel, sizeof(mjtNum) * (size_t)m->nv);
  }
  CF_TRUE(count > 0);
  mj_deleteData(d);
  mj_deleteData(fresh);
  mj_deleteModel(m);
}


CF_TEST_MAIN("batch/alone")
