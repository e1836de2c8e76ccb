// Our plugins for actuators, cables and touch against their formulas.
#include <stdlib.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"

static mjModel* compileModel(const char* xml, char* error) {
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, 1000);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (spec && !m) {
    snprintf(error, 1000, "%s", mjs_getError(spec));
  }
  mj_deleteSpec(spec);
  return m;
}


static mjModel* mustCompile(const char* xml) {
  char error[1000] = "";
  mjModel* m = compileModel(xml, error);
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  return m;
}


static void mustRefuse(const char* xml, const char* phrase) {
  char error[1000] = "";
  CF_TRUE(!compileModel(xml, error));
  CF_HAS_STR(error, phrase);
}

//---------------------------------- pid -----------------------------------------------------------

#define PID(config, attributes)                                                              \
  "<mujoco><option timestep='.01' gravity='0 0 0'/><extension><plugin plugin='mujoco.pid'>"  \
  "<instance name='p'>" config                                                               \
  "</instance></plugin></extension><worldbody><body>"                                        \
  "<joint name='j' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body></worldbody>" \
  "<actuator><plugin joint='j' instance='p' " attributes "/></actuator></mujoco>"
#define KEY(key, value) "<config key='" key "' value='" value "'/>"


CF_TEST(pid__proportional_and_derivative__error_and_rate) {
  mjModel* m = mustCompile(PID(KEY("kp", "40") KEY("kd", "3"), "ctrlrange='-1 1'"));
  mjData* d = mj_makeData(m);
  d->ctrl[0] = 7;
  d->qpos[0] = .25;
  d->qvel[0] = .5;
  mj_forward(m, d);
  CF_NEAR(d->actuator_force[0], 40 * (1 - .25) - 3 * .5, 1e-13);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(pid__integral__grows_to_its_limit) {
  mjModel* m = mustCompile(PID(KEY("ki", "2") KEY("imax", ".03"), "actdim='1'"));
  mjData* d = mj_makeData(m);
  m->body_mass[1] = 1e9;
  mj_setConst(m, d);
  d->ctrl[0] = 1;
  mj_step(m, d);

  // the coming step is already in the integral: force 2 * 0.01, and the activation follows
  CF_NEAR(d->actuator_force[0], .02, 1e-12);
  CF_NEAR(d->act[0], .01, 1e-12);
  for (int k = 0; k < 5; k++) {
    mj_step(m, d);
  }
  CF_NEAR(d->actuator_force[0], .03, 1e-9);
  CF_NEAR(d->act[0], .015, 1e-9);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(pid__slew_limit__control_creeps) {
  mjModel* m = mustCompile(PID(KEY("kp", "1") KEY("slewmax", "2"), "actdim='1'"));
  mjData* d = mj_makeData(m);
  d->ctrl[0] = .5;
  mj_step(m, d);
  CF_NEAR(d->act[0], .5, 1e-12);
  d->ctrl[0] = 5;
  mj_step(m, d);
  CF_NEAR(d->act[0], .5 + 2 * .01, 1e-12);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(pid__faults__told_with_a_remedy) {
  mustRefuse(PID(KEY("ki", "2"), ""), "actuator 0 has actdim 0, expected 1. Add actdim=\"1\"");
  mustRefuse(PID(KEY("ki", "2") KEY("imax", "-1"), "actdim='1'"), "negative imax");
  mustRefuse(PID(KEY("slewmax", "-1"), "actdim='1'"), "slewmax must be non-negative");
  mustRefuse(
      "<mujoco><extension><plugin plugin='mujoco.pid'><instance name='p'/></plugin>"
      "</extension></mujoco>",
      "actuator not found for plugin instance 0");
}


//---------------------------------- cable ---------------------------------------------------------

#define CHAIN(config, second)                                                             \
  "<mujoco><option gravity='0 0 0'/><extension><plugin plugin='mujoco.elasticity.cable'>" \
  "<instance name='c'>" config                                                            \
  "</instance></plugin></extension><worldbody>"                                           \
  "<body><joint type='ball'/><geom type='capsule' size='.02 .05'/><plugin instance='c'/>" \
  "<body pos='.1 0 0' " second                                                            \
  "><joint type='ball'/><geom type='capsule' size='.02 .05'/>"                            \
  "<plugin instance='c'/></body></body></worldbody></mujoco>"


CF_TEST(cable__bent_and_twisted__stiffness_times_angle_over_length) {
  mjModel* m = mustCompile(CHAIN(KEY("twist", "1e6") KEY("bend", "2e6"), ""));
  mjData* d = mj_makeData(m);
  const double r4 = pow(.02, 4), bending = 2e6 * mjPI * r4 / 4, torsion = 1e6 * mjPI * r4 / 2;
  mju_axisAngle2Quat(d->qpos + 4, (mjtNum[3]){0, 1, 0}, .1);
  mj_forward(m, d);
  CF_NEAR(d->qfrc_passive[4], -bending * .1 / .1, 1e-9);
  CF_NEAR(d->qfrc_passive[1], 0, 1e-9);
  mju_axisAngle2Quat(d->qpos + 4, (mjtNum[3]){1, 0, 0}, .2);
  mj_forward(m, d);
  CF_NEAR(d->qfrc_passive[3], -torsion * .2 / .1, 1e-9);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(cable__curved_at_rest__no_force_unless_it_shall_be_flat) {
  const char* const flat[2] = {
      CHAIN(KEY("twist", "1") KEY("bend", "4e6"), "euler='0 10 0'"),
      CHAIN(KEY("twist", "1") KEY("bend", "4e6") KEY("flat", "true"), "euler='0 10 0'")};
  const double angle = 10 * mjPI / 180, bending = 4e6 * mjPI * pow(.02, 4) / 4;
  for (int k = 0; k < 2; k++) {
    mjModel* m = mustCompile(flat[k]);
    mjData* d = mj_makeData(m);
    mj_forward(m, d);
    CF_NEAR(d->qfrc_passive[4], k ? -bending * angle / .1 : 0, 1e-9);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST(cable__colors__blue_at_rest_red_at_the_limit) {
  mjModel* m = mustCompile(CHAIN(KEY("twist", "1e6") KEY("bend", "1e6") KEY("vmax", "1e-3"), ""));
  mjData* d = mj_makeData(m);
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, 100);
  mjv_defaultOption(&opt);
  mjv_defaultCamera(&cam);
  for (int k = 0; k < 2; k++) {
    mju_axisAngle2Quat(d->qpos + 4, (mjtNum[3]){0, 1, 0}, k);
    mj_forward(m, d);
    mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
    CF_NEAR(m->geom_rgba[4], k, 1e-6);
    CF_NEAR(m->geom_rgba[6], 1 - k, 1e-6);
  }
  mjv_freeScene(&scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(cable__odd_bodies__no_crash) {
  mustRefuse(CHAIN(KEY("twist", "stiff") KEY("bend", "1"), ""),
             "Invalid parameter specification in cable plugin");

  // neither joint nor geom, and a joint that does not turn
  mjModel*
      m = mustCompile("<mujoco><extension><plugin plugin='mujoco.elasticity.cable'><instance name='c'>" KEY(
          "twist",
          "1") KEY("bend",
                   "1") "</instance></plugin></extension><worldbody><body>"
                        "<plugin instance='c'/><body pos='1 0 0'><plugin instance='c'/><body pos='1 0 0'>"
                        "<joint type='slide'/><geom type='capsule' size='.1 .1'/><plugin instance='c'/></body></body>"
                        "</body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mj_step(m, d);
  CF_TRUE(d->qacc[0] == d->qacc[0]);
  mj_deleteData(d);
  mj_deleteModel(m);
}


static int pattern;

static void* dirtyMalloc(size_t size) {
  void* block = aligned_alloc(64, (size + 63) / 64 * 64);
  if (block) {
    memset(block, pattern, size);
  }
  return block;
}


// a cable is measured while its mjData is made, whatever the memory held before
CF_TEST(cable__in_models_with_sleep__made_in_memory_with_any_content) {
  static const int patterns[] = {0x00, 0x01, 0x1d, 0x7f, 0x80, 0xff};
  mjModel* m = mustCompile(CHAIN(KEY("twist", "1e6") KEY("bend", "2e6"), "euler='0 10 0'"));
  mjData* plain = mj_makeData(m);
  for (int k = 0; k < 20; k++) {
    plain->qvel[0] += k == 0;
    mj_step(m, plain);
  }
  m->opt.enableflags |= mjENBL_SLEEP;
  for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
    pattern = patterns[i];
    mju_user_malloc = dirtyMalloc;
    mju_user_free = free;
    mjData* d = mj_makeData(m);
    for (int k = 0; k < 20; k++) {
      d->qvel[0] += k == 0;
      mj_step(m, d);
    }
    CF_EQ_BYTES(d->qpos, plain->qpos, sizeof(mjtNum) * m->nq);
    mj_deleteData(d);
    mju_user_malloc = NULL;
    mju_user_free = NULL;
  }
  mj_deleteData(plain);
  mj_deleteModel(m);
}


//---------------------------------- touch grid ----------------------------------------------------

#define TOUCH(config, site)                                                                     \
  "<mujoco><extension><plugin plugin='mujoco.sensor.touch_grid'><instance name='t'>" config     \
  "</instance></plugin></extension><worldbody><geom type='plane' size='1 1 1'/><body name='b' " \
  "pos='0 0 .1'><freejoint/><geom size='.1' mass='1'/><site name='s' pos='0 0 .2'/></body>"     \
  "</worldbody><sensor><plugin instance='t' " site "/></sensor></mujoco>"
#define AT_SITE "objtype='site' objname='s'"


CF_TEST(touch__ball_at_rest__its_weight_in_the_middle_cell) {
  mjModel* m = mustCompile(TOUCH(
      KEY("size", "3 5") KEY("fov", "30 20") KEY("nchannel", "3") KEY("gamma", "1"), AT_SITE));
  CF_EQ_INT(m->sensor_dim[0], 45);
  CF_EQ_INT(m->sensor_needstage[0], mjSTAGE_ACC);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 500; k++) {
    mj_step(m, d);
  }
  mj_forward(m, d);
  const int middle = 2 * 3 + 1;
  for (int i = 0; i < 45; i++) {
    CF_NEAR(d->sensordata[i], i == middle ? 9.81 : 0, 1e-3);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(touch__faults__in_words) {
  mustRefuse(TOUCH(KEY("size", "3") KEY("fov", "30 20"), AT_SITE),
             "Both horizontal and vertical resolutions must be specified");
  mustRefuse(TOUCH(KEY("size", "3 0") KEY("fov", "30 20"), AT_SITE),
             "Horizontal and vertical resolutions must be positive");
  mustRefuse(TOUCH(KEY("size", "3 3") KEY("fov", "30"), AT_SITE),
             "Both horizontal and vertical fields of view must be specified");
  mustRefuse(TOUCH(KEY("size", "3 3") KEY("fov", "181 20"), AT_SITE),
             "`fov[0]` must be a float between (0, 180] degrees");
  mustRefuse(TOUCH(KEY("size", "3 3") KEY("fov", "18 91"), AT_SITE),
             "`fov[1]` must be a float between (0, 90] degrees");
  mustRefuse(TOUCH(KEY("size", "3 3") KEY("fov", "30 20") KEY("gamma", "2"), AT_SITE),
             "`gamma` must be a nonnegative float between [0, 1]");
  mustRefuse(TOUCH(KEY("size", "3 3") KEY("fov", "30 20") KEY("nchannel", "7"), AT_SITE),
             "nchannel must be between 1 and 6");
  mustRefuse(TOUCH(KEY("size", "3 3") KEY("fov", "30 20") KEY("gamma", "x"), AT_SITE),
             "Invalid or missing parameters in touch_grid sensor plugin");
  mustRefuse(TOUCH(KEY("size", "3 3") KEY("fov", "30 20"), "objtype='body' objname='b'"),
             "Touch Grid sensor must be attached to a site");
}


CF_TEST_MAIN("plugin/forces")
