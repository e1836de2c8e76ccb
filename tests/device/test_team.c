// Batches in the fast tier, on a device that is a CPU: the plan, records in and out, outputs,
// worlds that it cannot finish.
#include <cortenforge/batch.h>
#include <cortenforge/cortenforge.h>

#include "cf_forms.h"
#include "cf_test.h"
#include "opentwin.h"

enum { NWORLD = 5 };

static const char* const arm_xml =
    "<mujoco>"
    "  <option timestep='0.005'/>"
    "  <worldbody>"
    "    <geom type='plane' size='5 5 .1'/>"
    "    <body pos='0 0 1'>"
    "      <joint name='swing' axis='0 1 0' damping='.01'/>"
    "      <geom type='capsule' fromto='0 0 0 .5 0 0' size='.05'/>"
    "      <body name='hand' pos='.5 0 0'>"
    "        <joint name='bend' axis='0 1 .1' range='-90 90'/>"
    "        <geom type='capsule' fromto='0 0 0 .3 0 0' size='.04'/>"
    "      </body>"
    "    </body>"
    "    <body pos='0 .5 .11'><freejoint/><geom size='.1'/></body>"
    "    <body pos='0 .8 .3'><freejoint/><geom size='.1'/></body>"
    "  </worldbody>"
    "  <actuator><motor joint='swing' ctrlrange='-2 2'/>"
    "    <position joint='bend' kp='5' ctrlrange='-1 1'/></actuator>"
    "  <sensor><jointpos joint='swing'/><framelinacc objtype='body' objname='hand'/><clock/></sensor>"
    "</mujoco>";


static mjModel* loadArm(void) {
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(arm_xml, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  mj_deleteSpec(spec);
  CF_TRUE(m);
  return m;
}


static cfBatch* makeIn(cftTier tier, cftPrecision precision, const mjModel* m,
                       cfBatchOptions options) {
  char error[400] = "";
  openTwin(1);
  options.backend = CF_BACKEND_CUDA;
  options.tier = tier;
  options.precision = precision;
  options.nthread = 1;
  cfBatch* batch = cf_makeBatch(m, NWORLD, &options, error, sizeof(error));
  if (!batch) {
    CF_FAIL("%s\n", error);
  }
  return batch;
}


static mjtNum largestDifference(cfBatch* const batch[2], const char* name) {
  cfBatchField field;
  CF_TRUE(cf_batchField(batch[0], name, &field));
  const size_t count = (size_t)field.count * NWORLD;
  mjtNum* x[2];
  for (int k = 0; k < 2; k++) {
    x[k] = calloc(count + 1, sizeof(mjtNum));
    CF_TRUE(cf_batchGet(batch[k], name, NULL, NWORLD, CF_ORDER_WORLD, x[k]));
  }
  mjtNum most = 0;
  for (size_t i = 0; i < count && field.element == CF_ELEMENT_NUM; i++) {
    const mjtNum difference = fabs(x[0][i] - x[1][i]) / (1 + fabs(x[0][i]));
    most = difference > most || isnan(difference) ? difference : most;
  }
  if (field.element == CF_ELEMENT_INT && memcmp(x[0], x[1], sizeof(int) * count)) {
    most = 1;
  }
  free(x[0]);
  free(x[1]);
  return most;
}


// steps with noise in both tiers: names of fields agree
static void compareTiers(cftPrecision precision, int nstep, mjtNum tolerance) {
  static const char* const names[] = {"qpos", "qvel", "time", "ctrl",           "qacc_warmstart",
                                      "ncon", "nefc", "qacc", "qfrc_constraint"};
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.noise_scale = 0.5;
  options.outputs = "ncon nefc qacc qfrc_constraint solver_niter";
  mjModel* m = loadArm();
  cfBatch* const batch[2] = {makeIn(CF_TIER_BASE, precision, m, options),
                             makeIn(CF_TIER_AUTO, precision, m, options)};
  const char* reason;
  CF_EQ_INT(cf_batchTier(batch[0], NULL), CF_TIER_BASE);
  if (cf_batchTier(batch[1], &reason) != CF_TIER_FAST) {
    CF_FAIL("not in the fast tier: %s\n", reason);
  }
  for (int k = 0; k < 2; k++) {
    runs[0] = runs[1] = 0;
    CF_TRUE(cf_batchStep(batch[k], nstep) && cf_batchWait(batch[k]));
    CF_EQ_INT((int)cf_batchLost(batch[k]), 0);
  }
  CF_EQ_INT(runs[0] + runs[1], 0);
  for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
    const mjtNum difference = largestDifference(batch, names[k]);
    if (!(difference < tolerance)) {
      CF_FAIL("%s differs by %g\n", names[k], difference);
    }
  }
  cfWorldStatus status;
  CF_TRUE(cf_batchStatus(batch[1], 2, &status));
  CF_EQ_INT((int)status.nstep, nstep);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  mj_deleteModel(m);
}


CF_TEST(fast_tier__double__as_the_base_tier) {
  openTwin(1);
  runs[2] = 0;
  compareTiers(CF_PRECISION_DOUBLE, 60, 1e-8);
  CF_EQ_INT(runs[2], NWORLD);
}


CF_TEST(fast_tier__single__close_to_the_base_tier) {
  compareTiers(CF_PRECISION_SINGLE, 10, 1e-2);
}


CF_TEST(fast_tier__pairs_by_gjk__as_the_base_tier) {
  static const char xml[] =
      "<mujoco><worldbody><geom type='box' size='.5 .5 .1'/>"
      "<body pos='0 0 .18' euler='20 30 0'><freejoint/><geom type='cylinder' size='.05 .08'/></body>"
      "<body pos='.2 0 .16' euler='20 30 0'><freejoint/><geom type='ellipsoid' size='.05 .08 .07'/></body>"
      "</worldbody></mujoco>";
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  mj_deleteSpec(spec);
  CF_EQ_STR(error, "");
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.outputs = "ncon nefc qacc";
  cfBatch* const batch[2] = {makeIn(CF_TIER_BASE, CF_PRECISION_DOUBLE, m, options),
                             makeIn(CF_TIER_FAST, CF_PRECISION_DOUBLE, m, options)};
  int ncon[NWORLD];
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cf_batchStep(batch[k], 8) && cf_batchWait(batch[k]));
    CF_TRUE(cf_batchGet(batch[k], "ncon", NULL, NWORLD, CF_ORDER_WORLD, ncon));
    CF_TRUE(ncon[0] > 0);
  }
  CF_TRUE(largestDifference(batch, "ncon") == 0);
  CF_TRUE(largestDifference(batch, "qvel") < 1e-9);
  CF_EQ_INT((int)cf_batchOpened(batch[1], NULL), 0);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  mj_deleteModel(m);
}


// A robot of meshes, fallen from states that differ: no world is left to the base tier.
// Accelerations of light feet deep in the floor are too much for single precision
static void compareMeshRobots(cftPrecision precision, int nstep, mjtNum tolerance) {
  static const char* const names[] = {"qpos", "qvel", "ncon", "nefc", "qacc", "sensordata"};
  char error[500] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/models/robots/mesh_quadruped.xml", NULL, error, 500);
  CF_EQ_STR(error, "");
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.outputs = "ncon nefc qacc sensordata";
  cfBatch* const batch[2] = {makeIn(CF_TIER_BASE, precision, m, options),
                             makeIn(CF_TIER_FAST, precision, m, options)};
  mjData* d = mj_makeData(m);
  mj_resetDataKeyframe(m, d, 0);
  int ncon[NWORLD], contacts = 0;
  for (int k = 0; k < 2; k++) {
    mjtNum* qpos = calloc((size_t)(NWORLD * m->nq), sizeof(mjtNum));
    for (int w = 0; w < NWORLD; w++) {
      mju_copy(qpos + w * m->nq, d->qpos, (int)m->nq);
      qpos[w * m->nq + 2] -= 0.01 * w;
      qpos[w * m->nq + 8] += 0.05 * w;
    }
    CF_TRUE(cf_batchSet(batch[k], "qpos", NULL, NWORLD, CF_ORDER_WORLD, qpos));
    runs[0] = runs[1] = runs[2] = 0;
    CF_TRUE(cf_batchStep(batch[k], nstep) && cf_batchWait(batch[k]));
    CF_EQ_INT(runs[2], k * NWORLD);
    free(qpos);
  }
  CF_EQ_INT(runs[0] + runs[1], 0);
  CF_EQ_INT((int)cf_batchOpened(batch[1], NULL), 0);
  CF_TRUE(cf_batchGet(batch[1], "ncon", NULL, NWORLD, CF_ORDER_WORLD, ncon));
  for (int w = 0; w < NWORLD; w++) {
    contacts += ncon[w];
  }
  CF_TRUE(contacts > 2 * NWORLD);
  for (int k = 0; k < (precision == CF_PRECISION_DOUBLE ? 6 : 4); k++) {
    const mjtNum difference = largestDifference(batch, names[k]);
    if (!(difference < tolerance)) {
      CF_FAIL("%s differs by %g\n", names[k], difference);
    }
  }
  mj_deleteData(d);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  mj_deleteModel(m);
}


CF_TEST(fast_tier__meshes__as_the_base_tier) {
  compareMeshRobots(CF_PRECISION_DOUBLE, 40, 1e-8);
  compareMeshRobots(CF_PRECISION_SINGLE, 4, 1e-3);
}


// how four steps are asked for
typedef enum { IN_ONE_CALL, IN_FOUR_CALLS, WITH_A_POINTER, POINTER_AFTERWARDS } manner;


// twelve balls without weight over a plane, `touching` of them on it: there is room for four
// contacts and eight rows, which are those of two, and in a launch with more for sixteen times that
static void compareCrowds(int touching, manner how) {
  char xml[2000] = "<mujoco><option gravity='0 0 0'/><worldbody><geom type='plane' size='5 5 .1'/>",
       error[500] = "";
  for (int k = 0; k < 12; k++) {
    const size_t at = strlen(xml);
    snprintf(xml + at, sizeof(xml) - at, "<body pos='%d 0 1'><freejoint/><geom size='.1'/></body>",
             k);
  }
  strcat(xml, "</worldbody></mujoco>");
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  mjModel* m = mj_compile(spec, NULL);
  mj_deleteSpec(spec);
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.outputs = "ncon nefc qacc";
  cfBatch* const batch[2] = {makeIn(CF_TIER_BASE, CF_PRECISION_DOUBLE, m, options),
                             makeIn(CF_TIER_FAST, CF_PRECISION_DOUBLE, m, options)};
  mjtNum qpos[84];
  memcpy(qpos, m->qpos0, sizeof(qpos));
  for (int k = 0; k < touching; k++) {
    qpos[7 * k + 2] = 0.09;
  }
  const int world = 2;
  int before = 0;
  for (int k = 0; k < 2; k++) {
    before = runs[1];
    CF_TRUE(cf_batchSet(batch[k], "qpos", &world, 1, CF_ORDER_WORLD, qpos));
    void* address = NULL;
    mjtSize stride = 0;
    CF_TRUE(how != WITH_A_POINTER || cf_batchDevicePointer(batch[k], "qpos", &address, &stride));
    for (int call = 0; call < (how == IN_ONE_CALL ? 1 : 4); call++) {
      CF_TRUE(cf_batchStep(batch[k], how == IN_ONE_CALL ? 4 : 1));
    }
    CF_TRUE(how != POINTER_AFTERWARDS ||
            cf_batchDevicePointer(batch[k], "qpos", &address, &stride));
    if (address) {
      // nobody was asked, and yet the world is where it belongs
      const mjtNum* place = (const mjtNum*)(const void*)((char*)address + world * stride);
      mjtNum seen[84], asked[84];
      memcpy(seen, place, sizeof(seen));
      CF_TRUE(cf_batchGet(batch[k], "qpos", &world, 1, CF_ORDER_WORLD, asked));
      CF_EQ_BYTES(seen, asked, sizeof(seen));
    }
  }
  CF_TRUE(largestDifference(batch, "qpos") < 1e-10);
  CF_TRUE(largestDifference(batch, "time") == 0);
  CF_TRUE(largestDifference(batch, "ncon") == 0);
  cfWorldStatus status;
  CF_TRUE(cf_batchStatus(batch[1], world, &status));
  CF_EQ_INT((int)status.nstep, 4);
  CF_EQ_INT((int)status.nagain, (how == IN_ONE_CALL ? 4 : 1) * (runs[1] - before));
  CF_EQ_INT(status.nlost, 0);
  CF_EQ_INT(status.is_frozen, 0);

  // a call leaves that world open, and the launch with more room steps it
  int64_t by_base = 1;
  const int calls = how == IN_ONE_CALL ? 1 : 4;
  CF_EQ_INT((int)cf_batchOpened(batch[1], &by_base), touching > 2 ? calls : 0);
  CF_EQ_INT((int)by_base, 0);
  CF_EQ_INT((int)cf_batchOpened(batch[0], NULL), 0);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  mj_deleteModel(m);
}


CF_TEST(fast_tier__more_contacts_than_room__launch_with_more) {
  compareCrowds(2, IN_ONE_CALL);
  compareCrowds(3, IN_ONE_CALL);
  compareCrowds(6, IN_ONE_CALL);
  compareCrowds(12, IN_ONE_CALL);
}


CF_TEST(fast_tier__steps_queued__open_worlds_finished_before_they_are_seen) {
  compareCrowds(6, IN_FOUR_CALLS);
  compareCrowds(12, IN_FOUR_CALLS);
  compareCrowds(12, WITH_A_POINTER);
  compareCrowds(12, POINTER_AFTERWARDS);
}


// equalities that are on in some worlds and off in others
CF_TEST(fast_tier__equalities_switched_world_by_world__as_the_base_tier) {
  char error[400] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/models/equality/joint_curves.xml", NULL, error, 400);
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.outputs = "qacc nefc";
  CF_TRUE(m && m->neq > 0);
  m->opt.solver = mjSOL_NEWTON;
  cfBatch* batch[2] = {makeIn(CF_TIER_BASE, CF_PRECISION_DOUBLE, m, options),
                       makeIn(CF_TIER_FAST, CF_PRECISION_DOUBLE, m, options)};
  mjtByte* active = calloc((size_t)(NWORLD * m->neq), 1);
  for (int k = 0; k < NWORLD * m->neq; k++) {
    active[k] = (mjtByte)(k / m->neq % 2 == 0);
  }
  int nefc[2][NWORLD];
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cf_batchSet(batch[k], "eq_active", NULL, NWORLD, CF_ORDER_WORLD, active));
    CF_TRUE(cf_batchStep(batch[k], 20));
    CF_TRUE(cf_batchGet(batch[k], "nefc", NULL, NWORLD, CF_ORDER_WORLD, nefc[k]));
  }
  CF_EQ_INT(cf_batchTier(batch[1], NULL), CF_TIER_FAST);
  CF_EQ_BYTES(nefc[0], nefc[1], sizeof(nefc[0]));
  CF_TRUE(nefc[1][0] > nefc[1][1]);
  CF_TRUE(largestDifference(batch, "qpos") < 1e-9);
  free(active);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  mj_deleteModel(m);
}


CF_TEST(fast_tier__what_it_has_not__base_tier_and_a_reason) {
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  mjModel* m = loadArm();
  const char* reason = "";
  options.outputs = "subtree_angmom";
  cfBatch* batch = makeIn(CF_TIER_AUTO, CF_PRECISION_DOUBLE, m, options);
  CF_EQ_INT(cf_batchTier(batch, &reason), CF_TIER_BASE);
  CF_TRUE(strstr(reason, "subtree_angmom"));
  cf_freeBatch(batch);

  options.outputs = "qacc";
  m->opt.integrator = mjINT_IMPLICIT;
  batch = makeIn(CF_TIER_AUTO, CF_PRECISION_DOUBLE, m, options);
  CF_EQ_INT(cf_batchTier(batch, &reason), CF_TIER_BASE);
  CF_TRUE(strstr(reason, "implicit"));
  cf_freeBatch(batch);

  char error[400] = "";
  options.tier = CF_TIER_FAST;
  options.backend = CF_BACKEND_CUDA;
  CF_TRUE(!cf_makeBatch(m, NWORLD, &options, error, sizeof(error)));
  CF_TRUE(strstr(error, "not in the fast tier: the implicit integrator"));
  mj_deleteModel(m);
}


CF_TEST(fast_tier__meshes__chosen_by_itself_in_single_precision_alone) {
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.outputs = "qacc";
  char error[500] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/models/robots/mesh_quadruped.xml", NULL, error, 500);
  CF_TRUE(m);
  const char* reason = "";
  cfBatch* batch = makeIn(CF_TIER_AUTO, CF_PRECISION_DOUBLE, m, options);
  CF_EQ_INT(cf_batchTier(batch, &reason), CF_TIER_BASE);
  CF_TRUE(strstr(reason, "meshes"));
  cf_freeBatch(batch);
  batch = makeIn(CF_TIER_AUTO, CF_PRECISION_SINGLE, m, options);
  CF_EQ_INT(cf_batchTier(batch, &reason), CF_TIER_FAST);
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


CF_TEST(fast_tier__bad_numbers__world_is_lost_and_starts_again) {
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  mjModel* m = loadArm();
  cfBatch* batch = makeIn(CF_TIER_FAST, CF_PRECISION_DOUBLE, m, options);
  mjtNum qvel[20] = {0};
  const int world = 3;
  qvel[1] = 1e11;
  CF_TRUE(cf_batchSet(batch, "qvel", &world, 1, CF_ORDER_WORLD, qvel));
  openTwin(1);
  runs[1] = 0;
  CF_TRUE(cf_batchStep(batch, 3) && cf_batchWait(batch));
  CF_EQ_INT((int)cf_batchLost(batch), 1);
  CF_EQ_INT(runs[1], 1);
  cfWorldStatus status;
  CF_TRUE(cf_batchStatus(batch, world, &status));
  CF_TRUE(status.nagain > 0 && status.nagain <= status.nstep);
  CF_TRUE(cf_batchStatus(batch, 0, &status));
  CF_EQ_INT((int)status.nagain, 0);
  CF_TRUE(cf_batchGet(batch, "qvel", &world, 1, CF_ORDER_WORLD, qvel));
  CF_TRUE(qvel[1] == 0);
  cf_freeBatch(batch);
  mj_deleteModel(m);
}


// parameters that are drawn about those of the model, the same in both batches
static void setParameter(cfBatch* const batch[2], const char* name, const mjtNum* shared, int n) {
  mjtNum* value = calloc((size_t)(n * NWORLD), sizeof(mjtNum));
  for (int k = 0; k < n * NWORLD; k++) {
    value[k] = shared[k % n] * (1 + 0.1 * sin(k + n));
  }
  for (int k = 0; k < 2; k++) {
    if (!cf_batchSet(batch[k], name, NULL, NWORLD, CF_ORDER_WORLD, value)) {
      CF_FAIL("%s: %s\n", name, cf_batchError(batch[k]));
    }
  }
  free(value);
}


static void setParameters(cfBatch* const batch[2], const mjModel* m) {
  const int nv = (int)m->nv, nu = (int)m->nu;
  setParameter(batch, "body_mass", m->body_mass, (int)m->nbody);
  setParameter(batch, "body_inertia", m->body_inertia, 3 * (int)m->nbody);
  setParameter(batch, "body_pos", m->body_pos, 3 * (int)m->nbody);
  setParameter(batch, "geom_friction", m->geom_friction, 3 * (int)m->ngeom);
  setParameter(batch, "geom_solref", m->geom_solref, mjNREF * (int)m->ngeom);
  setParameter(batch, "dof_damping", m->dof_damping, nv);
  setParameter(batch, "dof_armature", m->dof_armature, nv);
  setParameter(batch, "dof_frictionloss", m->dof_frictionloss, nv);
  setParameter(batch, "jnt_stiffness", m->jnt_stiffness, (int)m->njnt);
  setParameter(batch, "jnt_range", m->jnt_range, 2 * (int)m->njnt);
  setParameter(batch, "actuator_gainprm", m->actuator_gainprm, mjNGAIN * nu);
  setParameter(batch, "actuator_biasprm", m->actuator_biasprm, mjNBIAS * nu);
  setParameter(batch, "actuator_ctrlrange", m->actuator_ctrlrange, 2 * nu);
  setParameter(batch, "opt.gravity", m->opt.gravity, 3);
}


static cfBatch* makeArmIn(cftTier tier, cftPrecision precision) {
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.noise_scale = 0.5;
  options.outputs = "ncon nefc qacc sensordata";
  mjModel* m = loadArm();
  cfBatch* batch = makeIn(tier, precision, m, options);
  mj_deleteModel(m);
  return batch;
}


CF_TEST(fast_tier__parameters_of_worlds__as_the_base_tier) {
  static const char* const names[] = {"qpos", "qvel", "ctrl", "ncon", "nefc", "qacc", "sensordata"};
  mjModel* m = loadArm();
  for (int p = 0; p < 2; p++) {
    const cftPrecision precision = p ? CF_PRECISION_SINGLE : CF_PRECISION_DOUBLE;
    cfBatch* const batch[2] = {makeArmIn(CF_TIER_BASE, precision),
                               makeArmIn(CF_TIER_FAST, precision)};
    openTwin(1);
    for (int round = 0; round < 3; round++) {
      setParameters(batch, m);  // the second time there are other ones, the third time they return
      const int world = 1;
      const mjtNum gravity[2][3] = {{0, 0, -5}, {1, 0, -9}};
      runs[2] = 0;
      for (int k = 0; k < 2; k++) {
        runs[0] = runs[1] = 0;
        CF_TRUE(
            cf_batchSet(batch[k], "opt.gravity", &world, 1, CF_ORDER_WORLD, gravity[round % 2]));
        CF_TRUE(cf_batchStep(batch[k], p ? 2 : 20) && cf_batchWait(batch[k]));
        CF_EQ_INT((int)cf_batchLost(batch[k]), 0);
      }
      CF_EQ_INT(runs[2], NWORLD);
      CF_EQ_INT(runs[0] + runs[1],
                0);  // no world was left to the base tier, which would hide faults
      for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        const mjtNum difference = largestDifference(batch, names[k]);
        if (!(difference < (p ? 2e-2 : 1e-8))) {
          CF_FAIL("%s differs by %g in round %d\n", names[k], difference, round);
        }
      }
    }
    CF_EQ_INT(cf_batchTier(batch[1], NULL), CF_TIER_FAST);
    cf_freeBatch(batch[0]);
    cf_freeBatch(batch[1]);
  }
  mj_deleteModel(m);
}


// shapes and frames, all of them and each alone: reading one in the plan instead would show
CF_TEST(fast_tier__shapes_and_frames_of_worlds__as_the_base_tier) {
  static const char* const names[] = {"qpos", "qvel", "ncon", "nefc", "qacc", "sensordata"};
  mjModel* m = cf_loadHeap(NULL, false);
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.outputs = "ncon nefc qacc sensordata";
  for (int one = 0; one <= CF_NFORM; one++) {
    cfBatch* const batch[2] = {makeIn(CF_TIER_BASE, CF_PRECISION_DOUBLE, m, options),
                               makeIn(CF_TIER_FAST, CF_PRECISION_DOUBLE, m, options)};
    for (int k = 0; k < 2; k++) {
      for (int f = 0; f < CF_NFORM; f++) {
        if (f == one || one == CF_NFORM) {
          cf_setForms(batch[k], cf_form_fields + f, NWORLD);
        }
      }
      runs[0] = runs[1] = 0;
      CF_TRUE(cf_batchStep(batch[k], 30) && cf_batchWait(batch[k]));
      CF_EQ_INT((int)cf_batchLost(batch[k]), 0);
    }
    CF_EQ_INT(runs[0] + runs[1], 0);
    CF_EQ_INT(cf_batchTier(batch[1], NULL), CF_TIER_FAST);
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
      const mjtNum difference = largestDifference(batch, names[k]);
      if (!(difference < 1e-7)) {
        CF_FAIL("%s differs by %g with field %d\n", names[k], difference, one);
      }
    }
    cf_freeBatch(batch[0]);
    cf_freeBatch(batch[1]);
  }
  mj_deleteModel(m);
}


// worlds that need more room than there is have their parameters in the launch with more, too
CF_TEST(fast_tier__parameters_and_little_room__as_the_base_tier) {
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.outputs = "ncon";
  mjModel* m = loadArm();
  cfBatch* const batch[2] = {makeIn(CF_TIER_BASE, CF_PRECISION_DOUBLE, m, options),
                             makeIn(CF_TIER_FAST, CF_PRECISION_DOUBLE, m, options)};
  setParameters(batch, m);
  mjtNum* qpos = calloc((size_t)m->nq * NWORLD, sizeof(mjtNum));
  for (int w = 0; w < NWORLD; w++) {
    mju_copy(qpos + m->nq * w, m->qpos0, (int)m->nq);
    qpos[m->nq * w] = 2.2;  // the arm lies in the floor, the balls in each other
    qpos[m->nq * w + 4] = 0.1 + 0.01 * w;
    qpos[m->nq * w + 11] = 0.1;
    qpos[m->nq * w + 10] = 0.6;
  }
  for (int k = 0; k < 2; k++) {
    CF_TRUE(cf_batchSet(batch[k], "qpos", NULL, NWORLD, CF_ORDER_WORLD, qpos));
    CF_TRUE(cf_batchStep(batch[k], 3) && cf_batchWait(batch[k]));
    CF_EQ_INT((int)cf_batchLost(batch[k]), 0);
  }
  CF_TRUE(largestDifference(batch, "qpos") < 1e-9);
  CF_TRUE(largestDifference(batch, "qvel") < 1e-8);
  free(qpos);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  mj_deleteModel(m);
}


// what only some worlds have is refused by name, and comes back when it is taken away
CF_TEST(fast_tier__parameters_that_it_has_not__base_tier_and_a_reason) {
  cfBatch* batch = makeArmIn(CF_TIER_AUTO, CF_PRECISION_DOUBLE);
  const char* reason = "";
  const int world = 1;
  mjtNum loss[14] = {0};
  openTwin(1);
  loss[0] = 0.5;
  CF_TRUE(cf_batchSet(batch, "dof_frictionloss", &world, 1, CF_ORDER_WORLD, loss));
  CF_TRUE(cf_batchStep(batch, 1) && cf_batchWait(batch));
  CF_EQ_INT(cf_batchTier(batch, &reason), CF_TIER_BASE);
  CF_TRUE(strstr(reason, "friction loss"));
  loss[0] = 0;
  runs[2] = 0;
  CF_TRUE(cf_batchSet(batch, "dof_frictionloss", &world, 1, CF_ORDER_WORLD, loss));
  CF_TRUE(cf_batchStep(batch, 1) && cf_batchWait(batch));
  CF_EQ_INT(cf_batchTier(batch, &reason), CF_TIER_FAST);
  CF_EQ_INT(runs[2], NWORLD);
  cf_freeBatch(batch);

  batch = makeArmIn(CF_TIER_FAST, CF_PRECISION_DOUBLE);
  const mjtNum timestep = 0.001;
  CF_TRUE(cf_batchSet(batch, "opt.timestep", &world, 1, CF_ORDER_WORLD, &timestep));
  for (int k = 0; k < 2; k++) {
    CF_TRUE(!cf_batchStep(batch, 1));
    CF_TRUE(strstr(cf_batchError(batch), "not in the fast tier: timesteps of worlds"));
  }
  cf_freeBatch(batch);
}


CF_TEST_MAIN("device_team")
