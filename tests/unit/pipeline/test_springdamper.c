// The spring-damper integrator as a choice: attribute, builder, batch, derivative, inverse
// dynamics.
#include <cortenforge/cortenforge.h>

#include "cf_smooth.h"
#include "cf_test.h"
#include "cf_text.h"

// stiff hinges and a ball joint on a free body above a floor
#define ARM(option)                                                                          \
  "<mujoco><option timestep='0.01' " option                                                  \
  "/><worldbody><geom type='plane' size='3 3 .1'/>"                                          \
  "<body pos='0 0 .35'><freejoint/><geom type='box' size='.2 .1 .05'/>"                      \
  "<body pos='.2 0 0'><joint name='a' axis='0 1 0' stiffness='3e4' damping='40'/>"           \
  "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.04'/>"                                  \
  "<body pos='.3 0 0'><joint type='ball' stiffness='20' damping='.3'/>"                      \
  "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.03'/></body></body></body></worldbody>" \
  "<actuator><motor joint='a' gear='5'/></actuator></mujoco>"

static const char* const own_xml = ARM("cortenforge:integrator='springdamper'");
static const char* const euler_xml = ARM("");


static cfCase openArm(const char* xml) {
  mjModel* m = cf_compileText(xml);
  return (cfCase){m, mj_makeData(m)};
}


static void moveArm(cfCase c) {
  unsigned seed = 5;
  for (int i = 0; i < c.m->nv; i++) {
    c.d->qvel[i] = 0.5 * cf_random(&seed);
  }
  c.d->ctrl[0] = 0.7;
}


CF_TEST(springDamper__attribute__every_step_is_the_step_of_its_function) {
  cfCase own = openArm(own_xml), euler = openArm(euler_xml);
  CF_EQ_INT(own.m->opt.integrator, CF_INTEGRATOR_SPRING_DAMPER);
  moveArm(own);
  moveArm(euler);
  for (int k = 0; k < 100; k++) {
    mj_step(own.m, own.d);
    cf_stepSpringDamper(euler.m, euler.d);
  }
  CF_TRUE(own.d->nefc > 0);
  CF_EQ_BYTES(own.d->qpos, euler.d->qpos, (size_t)own.m->nq * sizeof(mjtNum));
  CF_EQ_BYTES(own.d->qvel, euler.d->qvel, (size_t)own.m->nv * sizeof(mjtNum));
  CF_EQ_INT(own.d->warning[mjWARN_BADQACC].number, 0);
  cf_closeCase(own);
  cf_closeCase(euler);
}


// saved, read again, and as a binary
CF_TEST(springDamper__saved__is_the_same_choice) {
  char error[500] = "", text[20000];
  mjSpec* spec = mj_parseXMLString(own_xml, NULL, error, sizeof(error));
  mjModel* m = mj_compile(spec, NULL);
  CF_TRUE(m && mj_saveXMLString(spec, text, sizeof(text), error, sizeof(error)) == 0);
  CF_TRUE(strstr(text, "cortenforge:integrator=\"springdamper\"") != NULL);
  CF_TRUE(strstr(text, " integrator=") == NULL);
  mjModel* again = cf_compileText(text);
  CF_EQ_INT(again->opt.integrator, CF_INTEGRATOR_SPRING_DAMPER);
  const mjtSize size = mj_sizeModel(m);
  void* buffer = malloc((size_t)size);
  mj_saveModel(m, NULL, buffer, (int)size);
  mjModel* loaded = mj_loadModelBuffer(buffer, (int)size);
  CF_TRUE(loaded != NULL);
  CF_EQ_INT(loaded->opt.integrator, CF_INTEGRATOR_SPRING_DAMPER);
  free(buffer);
  mj_deleteModel(loaded);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


static void expectRefused(const char* xml, const char* message) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  CF_TRUE(spec == NULL);
  if (!strstr(error, message)) {
    print_message("%s\n", error);
  }
  CF_TRUE(strstr(error, message) != NULL);
}


CF_TEST(springDamper__bad_attribute__is_refused_with_the_words) {
  expectRefused(ARM("cortenforge:integrator='springdampr'"), "springdamper");
  expectRefused(ARM("integrator='RK4' cortenforge:integrator='springdamper'"), "chosen twice");
}


CF_TEST(springDamper__builder__takes_it) {
  char error[1000] = "";
  cfSimBuilder* builder = cf_withModelText(cf_simBuilder(), euler_xml);
  cfSim* sim =
      cf_build(cf_withIntegrator(builder, CF_INTEGRATOR_SPRING_DAMPER), error, sizeof(error));
  CF_TRUE(sim != NULL);
  CF_EQ_INT(cf_simModel(sim)->opt.integrator, CF_INTEGRATOR_SPRING_DAMPER);
  cf_freeSim(sim);
  cf_freeSimBuilder(builder);
}


// worlds of a batch are lone worlds, in lanes or not
CF_TEST(springDamper__batch__equals_lone_worlds) {
  enum { WORLDS = 5, STEPS = 60 };
  for (int lanes = 1; lanes <= 4; lanes += 3) {
    cfCase c = openArm(own_xml);
    cfBatchOptions options = {.nlane = lanes};
    cfBatch* batch = cf_makeBatch(c.m, WORLDS, &options, NULL, 0);
    CF_TRUE(batch != NULL);
    mjtNum* qvel = calloc((size_t)(WORLDS * c.m->nv), sizeof(mjtNum));
    mjtNum* qpos = calloc((size_t)(WORLDS * c.m->nq), sizeof(mjtNum));
    unsigned seed = 9;
    for (int k = 0; k < WORLDS * c.m->nv; k++) {
      qvel[k] = cf_random(&seed);
    }
    CF_TRUE(cf_batchSet(batch, "qvel", NULL, WORLDS, CF_ORDER_WORLD, qvel));
    cf_batchStep(batch, STEPS);
    CF_TRUE(cf_batchGet(batch, "qpos", NULL, WORLDS, CF_ORDER_WORLD, qpos));
    for (int w = 0; w < WORLDS; w++) {
      mj_resetData(c.m, c.d);
      mju_copy(c.d->qvel, qvel + w * c.m->nv, (int)c.m->nv);
      for (int k = 0; k < STEPS; k++) {
        mj_step(c.m, c.d);
      }
      CF_EQ_BYTES(qpos + w * c.m->nq, c.d->qpos, (size_t)c.m->nq * sizeof(mjtNum));
    }
    cf_freeBatch(batch);
    free(qvel);
    free(qpos);
    cf_closeCase(c);
  }
}


CF_TEST(springDamper__derivative__equals_differences_of_steps) {
  cfCase c = openArm(own_xml);
  moveArm(c);
  for (int k = 0; k < 3; k++) {
    mjtByte column[50];
    const int nx = (int)(2 * c.m->nv);
    const cfTransitionCheck check = cf_checkTransition(c.m, c.d, 1e-6, column);
    CF_EQ_INT(check.ncompared, nx + 1);
    if (!(check.error < 1e-5)) {
      print_message("row %d column %d: %g\n", check.row, check.column, check.error);
    }
    CF_TRUE(check.error < 1e-5);
    for (int i = 0; i < 15; i++) {
      mj_step(c.m, c.d);
    }
  }
  CF_TRUE(c.d->nefc > 0);
  cf_closeCase(c);
}


// what moved the arm during a step, from its two velocities
CF_TEST(springDamper__discrete_inverse__explains_the_step) {
  cfCase c = openArm(own_xml);
  moveArm(c);
  c.m->opt.enableflags |= mjENBL_INVDISCRETE;
  mjData* next = mj_copyData(NULL, c.m, c.d);
  mj_step(c.m, next);
  mj_forward(c.m, c.d);
  for (int i = 0; i < c.m->nv; i++) {
    c.d->qacc[i] = (next->qvel[i] - c.d->qvel[i]) / c.m->opt.timestep;
  }
  mj_inverse(c.m, c.d);
  CF_NEAR_ARRAY(c.d->qfrc_inverse, c.d->qfrc_actuator, c.m->nv, 1e-7);
  mj_deleteData(next);
  cf_closeCase(c);
}


// a geared motor whose current decays within a step: its slope is implicit, as in other integrators
CF_TEST(springDamper__motor_with_inductance__stays_bounded) {
  cfCase c = openArm(
      "<mujoco><option timestep='0.002' gravity='0 0 0' cortenforge:integrator='springdamper'/><worldbody>"
      "<body><joint name='j' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' density='20'/></body>"
      "</worldbody><actuator><general joint='j' gaintype='custom' actearly='true' "
      "cortenforge:gain_model='dc_motor' cortenforge:gain_params='0.6 4e-4 .05 .05 40 1e-5'/></actuator></mujoco>");
  c.d->ctrl[0] = 12;
  for (int k = 0; k < 1000; k++) {
    mj_step(c.m, c.d);
  }
  CF_EQ_INT(c.d->warning[mjWARN_BADQACC].number, 0);
  CF_TRUE(c.d->qvel[0] > 0.5 && c.d->qvel[0] < 12 / (0.05 * 40) * 1.01);
  cf_closeCase(c);
}


CF_TEST_MAIN("pipeline/springdamper")
