// Worlds with model parameters of their own step in lanes as lone worlds do.
#include <glob.h>

#include <cortenforge/batch.h>

#include "batch/batch.h"
#include "lanes/lanes.h"
#include "cf_forms.h"
#include "cf_test.h"
#include "cf_text.h"

enum { LONG_WORLDS = 5 };

static const char* const lane_patterns[] = {"models/*.xml", "models/*/*.xml"};


// ---------------------------------------- all parameters

static const char* const own_fields[] = {
#define CF_LANE_OWN(name) #name,
#define CF_LANE_OWN_OPTION(name) "opt." #name,
#include "tables/lanes_own.def"
    "geom_gap",         "geom_friction",     "geom_solref",       "geom_solimp",
    "jnt_solref",       "jnt_solimp",        "dof_solref",        "dof_solimp",
    "eq_solref",        "eq_solimp",         "pair_friction",     "opt.tolerance",
    "opt.ls_tolerance", "tendon_solref_lim", "tendon_solimp_lim", "tendon_solref_fri",
    "tendon_stiffness", "tendon_damping",    "opt.density"};
enum { OWN_LEFT_TO_WORLDS = 6 };  // the last of them: forces of tendons and fluids


// values that differ between worlds; the first world has no damping
static void setOwn(cfBatch* batch, const char* name) {
  cfBatchField field;
  if (!cf_batchField(batch, name, &field) || !field.count) {
    return;  // a constant that follows from others, or nothing of the kind
  }
  for (int k = 0; k < CF_NFORM; k++) {
    if (!strcmp(cf_form_fields[k].name, name)) {
      cf_setForms(batch, cf_form_fields + k, LONG_WORLDS);
      return;
    }
  }
  const size_t n = (size_t)field.count;
  mjtNum* value = calloc(n * LONG_WORLDS, sizeof(mjtNum));
  CF_TRUE(cf_batchGet(batch, name, NULL, LONG_WORLDS, CF_ORDER_WORLD, value));
  for (size_t k = 0; k < n * LONG_WORLDS; k++) {
    const bool is_off = k < n && strcmp(name, "dof_damping") == 0;
    const mjtNum change = strstr(name, "solimp") ? -0.05 : 0.05;  // stays an impedance
    value[k] *= is_off ? 0 : 1 + change * (mjtNum)(k / n);
  }
  CF_TRUE(cf_batchSet(batch, name, NULL, LONG_WORLDS, CF_ORDER_WORLD, value));
  free(value);
}


// far from rest
static void throwOwn(const mjModel* m, cfBatch* batch) {
  const size_t n = (size_t)m->nv * LONG_WORLDS;
  mjtNum* qvel = calloc(n + 1, sizeof(mjtNum));
  for (size_t k = 0; k < n; k++) {
    qvel[k] = 3 * sin(1.3 * (mjtNum)k);
  }
  CF_TRUE(cf_batchSet(batch, "qvel", NULL, LONG_WORLDS, CF_ORDER_WORLD, qvel));
  free(qvel);
}


static void compareOwn(const mjModel* m, const char* path, int nlane, const char* const* names,
                       size_t nname) {
  cfBatch* batch[2];
  for (int k = 0; k < 2; k++) {
    const cfBatchOptions options = {.nthread = 1,
                                    .nlane = k ? 1 : nlane,
                                    .noise_scale = 0.2,
                                    .noise_rate = 0.1,
                                    .outputs = "sensordata cam_xpos qM"};
    batch[k] = cf_makeBatch(m, LONG_WORLDS, &options, NULL, 0);
    for (size_t i = 0; i < nname; i++) {
      setOwn(batch[k], names[i]);
    }
    CF_TRUE(cf_batchStep(batch[k], 8));
    throwOwn(m, batch[k]);
    CF_TRUE(cf_batchStep(batch[k], 8));
  }
  const size_t size = (size_t)mj_stateSize(m, mjSTATE_INTEGRATION) * LONG_WORLDS;
  const size_t ncam = 3 * (size_t)m->ncam * LONG_WORLDS;
  mjtNum *lanes = calloc(size + ncam, sizeof(mjtNum)), *alone = calloc(size + ncam, sizeof(mjtNum));
  CF_TRUE(cf_batchGetState(batch[0], mjSTATE_INTEGRATION, NULL, LONG_WORLDS, lanes));
  CF_TRUE(cf_batchGetState(batch[1], mjSTATE_INTEGRATION, NULL, LONG_WORLDS, alone));
  CF_TRUE(cf_batchGet(batch[0], "cam_xpos", NULL, LONG_WORLDS, CF_ORDER_WORLD, lanes + size));
  CF_TRUE(cf_batchGet(batch[1], "cam_xpos", NULL, LONG_WORLDS, CF_ORDER_WORLD, alone + size));
  if (memcmp(lanes, alone, sizeof(mjtNum) * (size + ncam)) != 0) {
    CF_FAIL("%s: %d lanes with own parameters differ from lone worlds\n", path, nlane);
  }
  free(lanes);
  free(alone);
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
}


CF_TEST(worlds__with_parameters_of_their_own__step_as_lone_worlds) {
  const size_t all = sizeof(own_fields) / sizeof(own_fields[0]);
  for (size_t k = 0; k < sizeof(lane_patterns) / sizeof(lane_patterns[0]); k++) {
    glob_t found;
    CF_EQ_INT(glob(lane_patterns[k], 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i += CF_SANITIZED ? 4 : 1) {
      mjModel* m = mj_loadXML(found.gl_pathv[i], NULL, NULL, 0);
      if (m && m->nv <= 100 && cfi_laneStages(m)) {
        compareOwn(m, found.gl_pathv[i], cfi_laneKernels(8) ? 8 : 0, own_fields,
                   all - OWN_LEFT_TO_WORLDS);
        compareOwn(m, found.gl_pathv[i], cfi_laneKernels(4) ? 4 : 1, own_fields,
                   all - OWN_LEFT_TO_WORLDS);
        compareOwn(m, found.gl_pathv[i], cfi_laneKernels(4) ? 4 : 1, own_fields, all);
      }
      mj_deleteModel(m);
    }
    globfree(&found);
  }
}


// ---------------------------------------- rows

// two trees with tendons beyond their ranges and with friction; a third that nothing touches
static const char* const tendon_model =
    "<mujoco><option timestep='0.002'/><worldbody>"
    "<body><joint name='a' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02'/>"
    "<body pos='0 0 -.3'><joint name='b' axis='0 1 0' range='-40 2' margin='.1'/>"
    "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/></body></body>"
    "<body pos='2 0 0'><joint name='c' axis='0 1 0' frictionloss='.1'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.02'/></body>"
    "<body pos='4 0 0'><freejoint/><geom size='.1'/></body></worldbody><tendon>"
    "<fixed limited='true' range='.1 .5'><joint joint='a' coef='.5'/>"
    "<joint joint='b' coef='-.7'/></fixed>%s</tendon></mujoco>";


static mjModel* loadOwnTendons(const char* more) {
  char xml[4000];
  snprintf(xml, sizeof(xml), tendon_model, more);
  return cf_compileText(xml);
}


// friction at some dofs and tendons of some worlds
static void setFriction(cfBatch* batch, const char* name, bool is_alike) {
  cfBatchField field;
  CF_TRUE(cf_batchField(batch, name, &field) && field.count);
  const size_t n = (size_t)field.count;
  mjtNum* value = calloc(n * 4, sizeof(mjtNum));
  for (size_t k = 0; k < n * 4; k++) {
    const bool has = is_alike ? k % n % 2 == 0 : k % 3 == 0;
    value[k] = has ? 0.05 * (mjtNum)(1 + k / n) : 0;
  }
  CF_TRUE(cf_batchSet(batch, name, NULL, 4, CF_ORDER_WORLD, value));
  free(value);
}


// four worlds of a model with the given setting in lanes and alone; bits of lanes whose rows were
// made and solved together in the last step
static unsigned stepOwn(const mjModel* m, void (*set)(cfBatch* batch, int kind), int kind,
                        int nstep) {
  cfBatch* batch[2];
  for (int k = 0; k < 2; k++) {
    const cfBatchOptions options = {
        .nthread = 1,
        .nlane = k ? 1 : 4,
        .noise_scale = 0.1,
        .noise_rate = 0.1,
        .outputs = "sensordata qacc qfrc_constraint nefc solver_niter cfrc_ext"};
    batch[k] = cf_makeBatch(m, 4, &options, NULL, 0);
    CF_TRUE(batch[k]);
    set(batch[k], kind);
    CF_TRUE(cf_batchStep(batch[k], nstep));
  }
  static const char* const names[] = {"qpos",         "qacc",       "qfrc_constraint", "nefc",
                                      "solver_niter", "sensordata", "cfrc_ext"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    cfBatchField field;
    CF_TRUE(cf_batchField(batch[0], names[i], &field));
    const size_t size = (size_t)field.count * (size_t)field.nbyte * 4;
    char *mine = calloc(size, 1), *other = calloc(size, 1);
    CF_TRUE(cf_batchGet(batch[0], names[i], NULL, 4, CF_ORDER_WORLD, mine));
    CF_TRUE(cf_batchGet(batch[1], names[i], NULL, 4, CF_ORDER_WORLD, other));
    CF_EQ_BYTES(mine, other, size);
    free(mine);
    free(other);
  }
  const cfLaneNewton* n = &batch[0]->worker->lanes->newton;
  const unsigned together = n->is_made ? n->lanes : 0;
  cf_freeBatch(batch[0]);
  cf_freeBatch(batch[1]);
  return together;
}


static void setContacts(cfBatch* batch, int kind) {
  static const char* const names[] = {"geom_friction", "geom_solref", "geom_solimp", "body_mass",
                                      "jnt_range"};
  (void)kind;
  for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
    cfBatchField field;
    CF_TRUE(cf_batchField(batch, names[k], &field));
    const size_t n = (size_t)field.count;
    mjtNum* value = calloc(n * 4, sizeof(mjtNum));
    CF_TRUE(cf_batchGet(batch, names[k], NULL, 4, CF_ORDER_WORLD, value));
    for (size_t i = 0; i < n * 4; i++) {
      value[i] *= 1 - 0.03 * (mjtNum)(i / n);
    }
    CF_TRUE(cf_batchSet(batch, names[k], NULL, 4, CF_ORDER_WORLD, value));
    free(value);
  }
}


static void setAllFriction(cfBatch* batch, int kind) {
  setFriction(batch, "dof_frictionloss", kind == 0);
  setFriction(batch, "tendon_frictionloss", kind == 0);
}


CF_TEST(rows__of_worlds_with_parameters_of_their_own__are_made_in_lanes) {
  mjModel* runner = mj_loadXML("models/robots/planar_runner.xml", NULL, NULL, 0);
  mjModel* arm = mj_loadXML("models/robots/arm_gripper.xml", NULL, NULL, 0);
  mjModel* tendons = loadOwnTendons("<fixed><joint joint='c' coef='2'/></fixed>");
  if (cfi_laneKernels(4)) {
    CF_EQ_INT(stepOwn(runner, setContacts, 0, 120), 15);
    CF_EQ_INT(stepOwn(arm, setContacts, 0, 60), 15);
    // friction at other dofs of each world makes other islands and rows: some are left alone
    CF_EQ_INT(stepOwn(tendons, setAllFriction, 0, 20), 15);
    CF_TRUE(stepOwn(tendons, setAllFriction, 1, 20) != 15);
  }
  mj_deleteModel(runner);
  mj_deleteModel(arm);
  mj_deleteModel(tendons);
}


// a tendon that has no rows in lanes gets friction in a world
CF_TEST(rows__of_a_tendon_that_only_worlds_give_friction__are_left_to_the_worlds) {
  mjModel* m =
      loadOwnTendons("<fixed><joint joint='a' coef='1'/><joint joint='c' coef='1'/></fixed>");
  CF_TRUE(m && cfi_hasLaneRows(m));
  CF_TRUE(!cfi_laneKernels(4) || stepOwn(m, setAllFriction, 0, 20) == 0);
  mj_deleteModel(m);
}

CF_TEST_MAIN("batch/lanes/own")
