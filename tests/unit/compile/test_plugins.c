// Plugins in compiled models and in simulation: instances, configuration, state, stages, files.
#include "asset_support.h"

//---------------------------------- plugins of this program ---------------------------------------

enum { LOG_MAX = 2000 };
static char call_log[LOG_MAX];
static int alive;  // instances between init and destroy


// one character per call
static void note(char what) {
  const size_t used = strlen(call_log);
  if (used + 1 < LOG_MAX) {
    call_log[used] = what;
  }
}


static double number(const mjModel* m, int instance, const char* key) {
  return strtod(mj_getPluginConfig(m, instance, key), NULL);
}


static int oneState(const mjModel* m, int instance) {
  (void)m;
  (void)instance;
  return 1;
}


static int configuredStates(const mjModel* m, int instance) {
  return (int)number(m, instance, "states");
}


static int initInstance(const mjModel* m, mjData* d, int instance) {
  if (number(m, instance, "fail") != 0) {
    mju_warning("told to fail");
    return -1;
  }
  d->plugin_data[instance] = (uintptr_t)malloc(1);
  alive++;
  return 0;
}


static void destroyInstance(mjData* d, int instance) {
  free((void*)d->plugin_data[instance]);
  d->plugin_data[instance] = 0;
  alive--;
}


static void resetInstance(const mjModel* m, mjtNum* state, void* data, int instance) {
  CF_TRUE(data != NULL);
  for (int k = 0; k < m->plugin_statenum[instance]; k++) {
    state[k] = 10 * instance + k;
  }
}


static void copyInstance(mjData* dest, const mjModel* m, const mjData* src, int instance) {
  (void)m;
  CF_TRUE(dest->plugin_data[instance] != src->plugin_data[instance]);
  note('c');
}


static void advanceInstance(const mjModel* m, mjData* d, int instance) {
  note('x');
  for (int k = 0; k < m->plugin_statenum[instance]; k++) {
    d->plugin_state[m->plugin_stateadr[instance] + k] += 1;
  }
}


// sensor: gain times place; force: gain on the first dof; actuator: gain times control
static void computeAny(const mjModel* m, mjData* d, int instance, int capability) {
  const double gain = number(m, instance, "gain");
  CF_TRUE(d->plugin_data[instance] != 0);
  note(capability == mjPLUGIN_SENSOR ? 's' : capability == mjPLUGIN_PASSIVE ? 'p' : 'f');
  for (int i = 0; i < m->nsensor && capability == mjPLUGIN_SENSOR; i++) {
    for (int k = 0; m->sensor_plugin[i] == instance && k < m->sensor_dim[i]; k++) {
      d->sensordata[m->sensor_adr[i] + k] = gain * (k + 1);
    }
  }
  if (capability == mjPLUGIN_PASSIVE) {
    d->qfrc_passive[0] += gain;
  }
  for (int i = 0; i < m->nu && capability == mjPLUGIN_ACTUATOR; i++) {
    if (m->actuator_plugin[i] == instance) {
      d->actuator_force[i] = gain * d->ctrl[i];
    }
  }
}


static void rateOfAct(const mjModel* m, mjData* d, int instance) {
  note('r');
  for (int i = 0; i < m->nu; i++) {
    if (m->actuator_plugin[i] == instance && m->actuator_actnum[i]) {
      d->act_dot[m->actuator_actadr[i]] = 100;
    }
  }
}


static int sensorNumbers(const mjModel* m, int instance, int sensor) {
  CF_EQ_INT(m->sensor_plugin[sensor], instance);
  return (int)number(m, instance, "dim");
}


static void showInstance(const mjModel* m, mjData* d, const mjvOption* opt, mjvScene* scn,
                         int instance) {
  (void)m;
  (void)d;
  (void)opt;
  mjv_initGeom(scn->geoms + scn->ngeom, mjGEOM_SPHERE, NULL, NULL, NULL, NULL);
  scn->geoms[scn->ngeom++].objid = 700 + instance;
}


// a ball around the origin
static mjtNum ballDistance(const mjtNum point[3], const mjtNum* attribute) {
  return mju_norm3(point) - attribute[0];
}
static mjtNum ballDistanceOf(const mjtNum point[3], const mjData* d, int instance) {
  (void)d;
  (void)instance;
  return mju_norm3(point) - 0.25;
}
static void ballGradient(mjtNum gradient[3], const mjtNum point[3], const mjData* d, int instance) {
  (void)d;
  (void)instance;
  mju_copy3(gradient, point);
  mju_normalize3(gradient);
}
static void ballBox(mjtNum aabb[6], const mjtNum* attribute) {
  mju_zero3(aabb);
  aabb[3] = aabb[4] = aabb[5] = 1.25 * attribute[0];
}
static void ballAttribute(mjtNum* attribute, const char** name, const char** value) {
  CF_EQ_STR(name[0], "gain");
  attribute[0] = strtod(value[0], NULL);
}


static void registerAll(void) {
  static const char* const keys[] = {"gain", "dim", "states", "fail"};
  mjpPlugin p;
  mjp_defaultPlugin(&p);
  p.nattribute = 4;
  p.attributes = keys;
  p.nstate = configuredStates;
  p.init = initInstance;
  p.destroy = destroyInstance;
  p.reset = resetInstance;
  p.copy = copyInstance;
  p.advance = advanceInstance;
  p.compute = computeAny;

  p.name = "test.meter";
  p.capabilityflags = mjPLUGIN_SENSOR;
  p.needstage = mjSTAGE_VEL;
  p.nsensordata = sensorNumbers;
  p.visualize = showInstance;
  mjp_registerPlugin(&p);
  p.visualize = NULL;

  p.name = "test.wind";
  p.capabilityflags = mjPLUGIN_PASSIVE;
  mjp_registerPlugin(&p);

  p.name = "test.motor";
  p.capabilityflags = mjPLUGIN_ACTUATOR;
  p.actuator_act_dot = rateOfAct;
  mjp_registerPlugin(&p);
  p.actuator_act_dot = NULL;

  p.name = "test.ball";
  p.capabilityflags = mjPLUGIN_SDF;
  p.sdf_distance = ballDistanceOf;
  p.sdf_staticdistance = ballDistance;
  p.sdf_gradient = ballGradient;
  p.sdf_aabb = ballBox;
  p.sdf_attribute = ballAttribute;
  mjp_registerPlugin(&p);

  p.name = "test.boxless";
  p.sdf_aabb = NULL;
  mjp_registerPlugin(&p);

  mjp_defaultPlugin(&p);
  p.name = "test.bare";
  p.nstate = oneState;
  mjp_registerPlugin(&p);

  p.name = "test.stateless";
  p.nstate = NULL;
  mjp_registerPlugin(&p);
}


#define EXTENSION                                                                               \
  "<extension><plugin plugin='test.meter'><instance name='meter'><config key='dim' value='3'/>" \
  "<config key='gain' value='2'/><config key='states' value='2'/></instance></plugin>"          \
  "<plugin plugin='test.wind'/><plugin plugin='test.motor'><instance name='spare'/></plugin>"   \
  "<plugin plugin='test.ball'/><plugin plugin='test.bare'/><plugin plugin='test.stateless'/>"   \
  "<plugin plugin='test.boxless'/></extension>"
#define BODY(inside) \
  "<worldbody><body name='b'><joint name='j'/><geom size='.1'/>" inside "</body></worldbody>"
#define WIND                                                                                  \
  "<plugin plugin='test.wind'><config key='states' value='1'/><config key='gain' value='5'/>" \
  "</plugin>"

static const char all_xml[] =
    "<mujoco><option gravity='0 0 0'/>" EXTENSION BODY(WIND)
    "<actuator><plugin joint='j' plugin='test.motor' actdim='1'><config key='gain' value='7'/>"
    "</plugin></actuator><sensor><clock/><plugin instance='meter' cutoff='5'/><clock nsample='2'/>"
    "<plugin instance='meter'/></sensor></mujoco>";


static mjModel* loadAll(void) {
  registerAll();
  return compileText(all_xml);
}


//---------------------------------- compiled models -----------------------------------------------

CF_TEST(compile__instances__values_states_and_users_in_the_model) {
  mjModel* m = loadAll();
  CF_EQ_INT(m->nplugin, 4);
  CF_EQ_STR(mj_id2name(m, mjOBJ_PLUGIN, 0), "meter");
  CF_EQ_STR(mj_id2name(m, mjOBJ_PLUGIN, 1), "spare");

  // the world is read last
  CF_EQ_STR(mjp_getPluginAtSlot(m->plugin[2])->name, "test.motor");
  CF_EQ_STR(mjp_getPluginAtSlot(m->plugin[3])->name, "test.wind");
  CF_EQ_STR(mj_getPluginConfig(m, 0, "gain"), "2");
  CF_EQ_STR(mj_getPluginConfig(m, 0, "dim"), "3");
  CF_EQ_STR(mj_getPluginConfig(m, 0, "fail"), "");
  CF_EQ_STR(mj_getPluginConfig(m, 2, "gain"), "7");
  CF_EQ_INT(m->npluginattr, 7 + 4 + 6 + 5);
  CF_EQ_INT(m->npluginstate, 3);
  CF_EQ_INT(m->plugin_statenum[0], 2);
  CF_EQ_INT(m->plugin_stateadr[3], 2);
  CF_EQ_INT(m->plugin_statenum[3], 1);
  CF_EQ_INT(m->body_plugin[0], -1);
  CF_EQ_INT(m->body_plugin[1], 3);
  CF_EQ_INT(m->geom_plugin[0], -1);
  CF_EQ_INT(m->actuator_plugin[0], 2);
  CF_EQ_INT(m->actuator_actnum[0], 1);
  mj_deleteModel(m);
}


CF_TEST(compile__sensors__size_stage_and_addresses_follow_the_plugin) {
  mjModel* m = loadAll();
  const int dim[4] = {1, 3, 1, 3}, adr[4] = {0, 1, 4, 5}, plugin[4] = {-1, 0, -1, 0};
  for (int i = 0; i < 4; i++) {
    CF_EQ_INT(m->sensor_dim[i], dim[i]);
    CF_EQ_INT(m->sensor_adr[i], adr[i]);
    CF_EQ_INT(m->sensor_plugin[i], plugin[i]);
  }
  CF_EQ_INT(m->sensor_needstage[1], mjSTAGE_VEL);
  CF_EQ_INT(m->nsensordata, 8);
  CF_EQ_INT(m->sensor_historyadr[2], 0);
  CF_EQ_INT(m->nhistory, 2 + 2 * (1 + 1));
  mj_deleteModel(m);
}


static void expectRejected(const char* inside, const char* phrase) {
  char xml[3000], error[1000] = "";
  snprintf(xml, sizeof(xml), "<mujoco>%s</mujoco>", inside);
  mjModel* m = compileWithFile(xml, NULL, NULL, 0, error, sizeof(error));
  CF_TRUE(m == NULL);
  CF_HAS_STR(error, phrase);
}


CF_TEST(compile__faults__said_in_the_words_of_the_reference) {
  registerAll();
  expectRejected("<worldbody><plugin/></worldbody>",
                 "neither 'plugin' nor 'instance' is specified for body 'world'");
  expectRejected(BODY("<geom size='1'><plugin/></geom>"),
                 "neither 'plugin' nor 'instance' is specified for geom");
  expectRejected("<asset><mesh name='m'><plugin/></mesh></asset>",
                 "neither 'plugin' nor 'instance' is specified for mesh 'm', (id = 0)");
  expectRejected(BODY("") "<actuator><plugin joint='j'/></actuator>",
                 "neither 'plugin' nor 'instance' is specified for actuator '', (id = 0)");
  expectRejected("<sensor><plugin/></sensor>",
                 "neither 'plugin' nor 'instance' is specified for sensor");
  expectRejected(BODY("<plugin instance='none'/>"), "unrecognized name 'none' for plugin instance");
  expectRejected(BODY("<plugin plugin='test.wind'/>"), "unrecognized plugin 'test.wind'");
  expectRejected("<extension><plugin plugin='test.nowhere'/></extension>",
                 "plugin test.nowhere not found");
  expectRejected(EXTENSION BODY("<plugin plugin='test.motor'/>"),
                 "plugin 'test.motor' does not support passive forces");
  expectRejected(EXTENSION BODY("<geom size='1'><plugin plugin='test.wind'/></geom>"),
                 "plugin 'test.wind' does not support sign distance fields");
  expectRejected(EXTENSION "<asset><mesh name='m'><plugin plugin='test.wind'/></mesh></asset>",
                 "plugin 'test.wind' does not support signed distance fields");
  expectRejected(EXTENSION BODY("") "<actuator><plugin joint='j' instance='meter'/></actuator>",
                 "plugin 'test.meter' does not support actuators");
  expectRejected(EXTENSION "<sensor><plugin instance='spare'/></sensor>",
                 "plugin 'test.motor' does not support sensors");
  expectRejected(EXTENSION "<sensor><plugin plugin='test.motor' instance='meter'/></sensor>",
                 "'plugin' attribute does not match that of the instance");
  expectRejected(EXTENSION BODY("<plugin plugin='test.wind'><config key='zz' value='1'/>"
                                "<config key='odd' value='1'/></plugin>"),
                 "unrecognized attribute 'plugin:odd' for plugin test.wind'");
  expectRejected(EXTENSION BODY("<plugin plugin='test.wind'><config key='gain' value='1'/>"
                                "<config key='gain' value='2'/></plugin>"),
                 "duplicate config key: gain");
  expectRejected(EXTENSION
                 "<asset><mesh name='m' scale='2 1 1'><plugin plugin='test.ball'/>"
                 "</mesh></asset>",
                 "attribute scale is not compatible with SDFs in mesh 'm', (id = 0)");
}


CF_TEST(compile__plugins_that_lack_something__said_not_crashed) {
  registerAll();
  expectRejected(
      "<extension><plugin plugin='test.stateless'><instance name='i'/></plugin>"
      "</extension>",
      "`nstate` is null for plugin at slot");
  expectRejected(
      EXTENSION BODY("<plugin plugin='test.wind'><config key='fail' value='1'/></plugin>"),
      "plugin->init failed for plugin id 2\ntold to fail");
  expectRejected(EXTENSION "<asset><mesh name='m'><plugin plugin='test.boxless'/></mesh></asset>",
                 "plugin 'test.boxless' has no function sdf_aabb");
  expectRejected(EXTENSION "<asset><mesh name='m'><plugin plugin='test.ball'/></mesh></asset>",
                 "plugin 'test.ball' gives no box for its signed distance field");
  expectRejected(
      "<extension><plugin plugin='test.meter'><instance name='i'><config key='dim' "
      "value='-1'/></instance></plugin></extension><sensor><plugin instance='i'/></sensor>",
      "plugin asks for -1 numbers of sensor data");
  CF_EQ_INT(alive, 0);
}


CF_TEST(compile__instance_without_attributes__one_empty_value) {
  registerAll();
  mjModel* m = compileText(
      "<mujoco><extension><plugin plugin='test.bare'><instance name='i'/></plugin></extension>"
      "</mujoco>");
  CF_EQ_INT(m->npluginattr, 1);
  CF_EQ_INT(m->npluginstate, 1);
  mj_deleteModel(m);
}


CF_TEST(compile__flexcomp__one_instance_for_all_its_bodies) {
  registerAll();
  mjModel* m = compileText("<mujoco>" EXTENSION
                           "<worldbody><body name='b'><flexcomp name='f' count='3 1 1' "
                           "spacing='.1 .1 .1' radius='.01' dim='1'>" WIND
                           "<pin id='0'/></flexcomp></body></worldbody></mujoco>");
  CF_EQ_INT(m->nplugin, 3);
  CF_EQ_STR(mj_id2name(m, mjOBJ_PLUGIN, 2), "flexcomp_f");
  const int plugin[4] = {-1, 2, 2, 2};
  CF_EQ_INT(m->nbody, 4);
  CF_EQ_BYTES(m->body_plugin, plugin, sizeof(plugin));
  mj_deleteModel(m);
}


// the range of a muscle is found by simulation, for which every instance has to be there
CF_TEST(compile__length_range__simulated_with_instances) {
  registerAll();
  memset(call_log, 0, sizeof(call_log));
  mjModel* m = compileText(
      "<mujoco>" EXTENSION
      "<worldbody><body><joint name='j' axis='0 1 0' range='-50 70'/><geom type='capsule' size='.05 "
      ".2'/>" WIND
      "</body></worldbody><actuator><muscle joint='j' forcerange='-1 0'/></actuator></mujoco>");
  CF_TRUE(strlen(call_log) > 50);
  CF_NEAR(m->actuator_lengthrange[0], -50 * mjPI / 180, .05);
  CF_NEAR(m->actuator_lengthrange[1], 70 * mjPI / 180, .05);
  CF_EQ_INT(alive, 0);
  mj_deleteModel(m);
}


//---------------------------------- simulation ----------------------------------------------------

CF_TEST(data__life__every_instance_is_made_reset_copied_and_destroyed) {
  mjModel* m = loadAll();
  CF_EQ_INT(alive, 0);
  mjData* d = mj_makeData(m);
  CF_EQ_INT(alive, 4);
  CF_NEAR(d->plugin_state[0], 0, 0);
  CF_NEAR(d->plugin_state[1], 1, 0);
  CF_NEAR(d->plugin_state[2], 30, 0);
  const uintptr_t own = d->plugin_data[1];
  mj_step(m, d);
  CF_NEAR(d->plugin_state[2], 31, 0);

  // a copy has instances of its own and the same state
  memset(call_log, 0, sizeof(call_log));
  mjData* twin = mj_copyData(NULL, m, d);
  CF_EQ_INT(alive, 8);
  CF_EQ_INT((int)strspn(call_log, "c"), 4);
  CF_EQ_BYTES(twin->plugin_state, d->plugin_state, 3 * sizeof(mjtNum));
  CF_TRUE(twin->plugin_data[1] != own);

  mj_resetData(m, d);
  CF_NEAR(d->plugin_state[2], 30, 0);
  CF_TRUE(d->plugin_data[1] == own);
  mj_deleteData(d);
  mj_deleteData(twin);
  CF_EQ_INT(alive, 0);
  mj_deleteModel(m);
}


CF_TEST(state__plugin_part__is_read_and_written) {
  mjModel* m = loadAll();
  mjData *d = mj_makeData(m), *other = mj_makeData(m);
  mjtNum state[3], full[50];
  CF_EQ_INT(mj_stateSize(m, mjSTATE_PLUGIN), 3);
  CF_TRUE(mj_stateSize(m, mjSTATE_INTEGRATION) <= 50);
  mj_step(m, d);
  mj_getState(m, d, state, mjSTATE_PLUGIN);
  CF_NEAR(state[2], 31, 0);
  state[2] = 99;
  mj_setState(m, other, state, mjSTATE_PLUGIN);
  CF_NEAR(other->plugin_state[2], 99, 0);
  mj_getState(m, d, full, mjSTATE_INTEGRATION);
  mj_setState(m, other, full, mjSTATE_INTEGRATION);
  CF_NEAR(other->plugin_state[2], 31, 0);
  mj_deleteData(d);
  mj_deleteData(other);
  mj_deleteModel(m);
}


CF_TEST(step__stages__each_capability_is_called_where_it_belongs) {
  mjModel* m = loadAll();
  mjData* d = mj_makeData(m);
  d->ctrl[0] = 3;
  memset(call_log, 0, sizeof(call_log));
  mj_step(m, d);

  // passive and sensor plugins with the velocities, actuators, then states: one call per instance
  CF_EQ_STR(call_log, "psrrffxxxx");
  CF_NEAR(d->qfrc_passive[0], 5, 0);
  CF_NEAR(d->actuator_force[0], 21, 0);
  CF_NEAR(d->qfrc_actuator[0], 21, 0);
  CF_NEAR(d->act[0], 100 * m->opt.timestep, 1e-15);

  // the cutoff of the first sensor is below its last number
  CF_NEAR(d->sensordata[1], 2, 0);
  CF_NEAR(d->sensordata[3], 5, 0);
  CF_NEAR(d->sensordata[7], 6, 0);

  // no passive force at all where both flags say so, no sensor, no actuator
  memset(call_log, 0, sizeof(call_log));
  m->opt.disableflags |= mjDSBL_SPRING | mjDSBL_DAMPER | mjDSBL_SENSOR | mjDSBL_ACTUATION;
  mj_step(m, d);
  CF_EQ_STR(call_log, "xxxx");
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(step__runge_kutta__plugin_states_advance_once) {
  mjModel* m = loadAll();
  m->opt.integrator = mjINT_RK4;
  mjData* d = mj_makeData(m);
  memset(call_log, 0, sizeof(call_log));
  mj_step(m, d);
  int advanced = 0;
  for (const char* c = call_log; *c; c++) {
    advanced += *c == 'x';
  }
  CF_EQ_INT(advanced, 4);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(scene__visualize__adds_geoms_of_its_own) {
  mjModel* m = loadAll();
  mjData* d = mj_makeData(m);
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, 100);
  mjv_defaultOption(&opt);
  mjv_defaultCamera(&cam);
  mj_forward(m, d);
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  int found = 0;
  for (int i = 0; i < scn.ngeom; i++) {
    found += scn.geoms[i].objid == 700;
  }
  CF_EQ_INT(found, 1);
  mjv_freeScene(&scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}


//---------------------------------- files ---------------------------------------------------------

static void expectSamePlugins(const mjModel* a, const mjModel* b) {
  CF_EQ_INT(a->nplugin, b->nplugin);
  CF_EQ_INT(a->npluginattr, b->npluginattr);
  CF_EQ_INT(a->npluginstate, b->npluginstate);
  CF_EQ_BYTES(a->plugin, b->plugin, (size_t)a->nplugin * sizeof(int));
  CF_EQ_BYTES(a->plugin_attr, b->plugin_attr, (size_t)a->npluginattr);
  CF_EQ_BYTES(a->body_plugin, b->body_plugin, (size_t)a->nbody * sizeof(int));
  CF_EQ_BYTES(a->actuator_plugin, b->actuator_plugin, (size_t)a->nu * sizeof(int));
  CF_EQ_BYTES(a->sensor_plugin, b->sensor_plugin, (size_t)a->nsensor * sizeof(int));
  CF_EQ_BYTES(a->sensor_adr, b->sensor_adr, (size_t)a->nsensor * sizeof(int));
}


CF_TEST(files__text_binary_copy__give_the_same_plugins) {
  mjModel* m = loadAll();
  char error[1000] = "", text[6000];
  mjSpec* spec = mj_parseXMLString(all_xml, NULL, error, sizeof(error));
  CF_TRUE(spec != NULL);
  mj_deleteModel(mj_compile(spec, NULL));
  CF_EQ_INT(mj_saveXMLString(spec, text, sizeof(text), error, sizeof(error)), 0);
  CF_HAS_STR(text, "<instance name=\"meter\">");
  CF_HAS_STR(text, "<config key=\"gain\" value=\"2\"/>");
  CF_HAS_STR(text, "instance=\"meter\"");
  mjModel* again = compileText(text);
  expectSamePlugins(m, again);
  mj_deleteModel(again);
  mj_deleteSpec(spec);

  again = mj_copyModel(NULL, m);
  expectSamePlugins(m, again);
  mj_deleteModel(again);

  const mjtSize size = mj_sizeModel(m);
  void* buffer = malloc((size_t)size);
  mj_saveModel(m, NULL, buffer, (int)size);
  again = mj_loadModelBuffer(buffer, (int)size);
  expectSamePlugins(m, again);
  mj_deleteModel(again);
  free(buffer);
  mj_deleteModel(m);
}


//---------------------------------- signed distance fields ----------------------------------------

static const char ball_xml[] =
    "<mujoco>" EXTENSION
    "<asset><mesh name='ball'><plugin plugin='test.ball'><config key='gain' value='.25'/></plugin>"
    "</mesh></asset><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .2'><freejoint/>"
    "<geom type='sdf' mesh='ball'><plugin plugin='test.ball'><config key='gain' value='.25'/>"
    "</plugin></geom></body></worldbody></mujoco>";


CF_TEST(mesh__of_a_field__lies_on_its_zero_surface_in_its_own_frame) {
  registerAll();
  mjModel* m = compileText(ball_xml);
  CF_TRUE(m->mesh_vertnum[0] > 1000);

  // closed: vertices - edges + triangles = 2, with three half edges a triangle
  CF_EQ_INT(m->mesh_vertnum[0] - m->mesh_facenum[0] / 2, 2);
  for (int i = 0; i < m->mesh_vertnum[0]; i++) {
    const float *v = m->mesh_vert + 3 * i, *n = m->mesh_normal + 3 * i;
    const double r = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    CF_NEAR(r, 0.25, 2e-4);
    CF_TRUE((v[0] * n[0] + v[1] * n[1] + v[2] * n[2]) / r > 0.95);
  }
  const mjtNum none[3] = {0, 0, 0}, unit[4] = {1, 0, 0, 0};
  CF_NEAR_ARRAY(m->mesh_pos, none, 3, 0);
  CF_NEAR_ARRAY(m->mesh_quat, unit, 4, 0);
  CF_NEAR(m->body_mass[1], 1000 * 4.0 / 3 * mjPI * pow(0.25, 3), 0.1);
  CF_EQ_INT(m->mesh_octnum[0], 0);
  mj_deleteModel(m);
}


CF_TEST(collision__field_and_plane__depth_of_a_ball) {
  registerAll();
  mjModel* m = compileText(ball_xml);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  CF_TRUE(d->ncon > 0);
  for (int i = 0; i < d->ncon; i++) {
    CF_TRUE(d->contact[i].dist < 0 && d->contact[i].dist > -0.051);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("compile/plugins")
