// Models of actuators in files: reading, messages, classes, saving, attaching, copying back.
#include <stdio.h>
#include <string.h>

#include <cortenforge/cortenforge.h>
#include <cortenforge/actuator.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

#define BODIES                                                                                          \
  "<worldbody><body name='b'><joint name='j' axis='0 1 0' armature='9'/><joint name='s' type='slide'/>" \
  "<geom size='.1' mass='1'/></body></worldbody>"

static const char* const gain_zoo =
    "<mujoco><default><default class='motor'><general gaintype='custom' "
    "cortenforge:gain_model='dc_motor' cortenforge:gain_params='gear=30 resistance=2.5'/></default>"
    "</default>" BODIES
    "<actuator>"
    "<general name='sea' joint='j' gaintype='custom' cortenforge:gain_model='series_elastic' "
    "cortenforge:gain_params='1000 10 50'/>"
    "<general name='usual' joint='j' class='motor'/>"
    "<general name='own' joint='j' class='motor' cortenforge:gain_params='inductance=.01'/>"
    "<general name='other' joint='s' class='motor' cortenforge:gain_model='pneumatic'/>"
    "<general name='filtered' joint='s' gaintype='custom' cortenforge:gain_model='pneumatic' "
    "dyntype='filter' dynprm='.1' cortenforge:gain_params='valve=20'/>"
    "<general name='user' joint='s' gaintype='user' gainprm='4'/>"
    "<general name='prm' joint='s' gaintype='user' cortenforge:gain_model='fixed' gainprm='4'/>"
    "<motor name='plain' joint='s'/></actuator>"
    "<keyframe><key name='k' act='.1 1 .2 .3 400 500 .6' ctrl='.1 .2 .3 .4 .5 .6 .7 .8'/></keyframe>"
    "</mujoco>";

static const char* const zoo_models[] = {"series_elastic", "dc_motor", "dc_motor", "pneumatic",
                                         "pneumatic",      NULL,       "fixed",    NULL};


static void expectZoo(const mjModel* m) {
  const int actnum[] = {2, 1, 1, 1, 2, 0, 0, 0};
  CF_EQ_INT(m->nu, 8);
  for (int u = 0; u < 8; u++) {
    const cfGainModel* model = cf_actuatorGain(m, u);
    CF_EQ_STR(model ? model->name : "none", zoo_models[u] ? zoo_models[u] : "none");
    CF_EQ_INT(m->actuator_actnum[u], actnum[u]);
    CF_EQ_INT(m->actuator_gaintype[u], u == 7 ? mjGAIN_FIXED : mjGAIN_USER);
  }
  const mjtNum sea[4] = {1000, 10, 50, 0}, usual[7] = {2.5, 0, 1, 1, 30, 0, 0};
  const mjtNum own[7] = {2.5, .01, 1, 1, 30, 0, 0}, other[7] = {1e-3, 6e5, 101325, 1e-4, 50, 1, 0};
  CF_NEAR_ARRAY(m->actuator_gainprm, sea, 4, 0);
  CF_NEAR_ARRAY(m->actuator_gainprm + mjNGAIN, usual, 7, 0);
  CF_NEAR_ARRAY(m->actuator_gainprm + 2 * mjNGAIN, own, 7, 0);
  CF_NEAR_ARRAY(m->actuator_gainprm + 3 * mjNGAIN, other, 7, 0);
  CF_NEAR(m->actuator_gainprm[4 * mjNGAIN + 4], 20, 0);
  CF_NEAR(m->actuator_gainprm[5 * mjNGAIN], 4, 0);
  CF_NEAR(m->actuator_gainprm[6 * mjNGAIN], 4, 0);
  CF_EQ_INT(m->actuator_dyntype[0], mjDYN_USER);
  CF_EQ_INT(m->actuator_dyntype[4], mjDYN_FILTER);
}


static uint64_t runFromKey(const mjModel* m) {
  mjData* d = mj_makeData(m);
  mj_resetDataKeyframe(m, d, 0);
  for (int step = 0; step < 20; step++) {
    mj_step(m, d);
  }
  CF_TRUE(d->warning[mjWARN_BADQACC].number == 0);
  const uint64_t hash = cf_stateHash(m, d);
  mj_deleteData(d);
  return hash;
}


static mjSpec* parseGains(const char* xml) {
  char error[2000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  if (!spec) {
    CF_FAIL("%s\n", error);
  }
  return spec;
}


CF_TEST(gains__attributes__models_parameters_and_activations) {
  mjModel* m = cf_compileText(gain_zoo);
  expectZoo(m);
  mj_deleteModel(m);
}


CF_TEST(gains__saved_text__reads_back_to_the_same_model) {
  mjSpec* spec = parseGains(gain_zoo);
  mjModel* m = mj_compile(spec, NULL);
  char text[20000] = "", error[1000] = "";
  CF_EQ_INT(mj_saveXMLString(spec, text, sizeof(text), error, sizeof(error)), 0);
  CF_HAS_STR(text,
             "gaintype=\"custom\" cortenforge:gain_model=\"series_elastic\" "
             "cortenforge:gain_params=\"1000 10 50\"");

  // what the class says is not said again
  CF_TRUE(strstr(text, "name=\"usual\" class=\"motor\" joint=\"j\"/>") != NULL);
  mjModel* again = cf_compileText(text);
  expectZoo(again);
  CF_TRUE(runFromKey(again) == runFromKey(m));
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


CF_TEST(gains__model_changed_by_a_program__copied_back_and_saved) {
  mjSpec* spec = parseGains(gain_zoo);
  mjModel* m = mj_compile(spec, NULL);
  const mjtNum param[3] = {1, 2, 3};
  m->actuator_gainprm[0] = 777;
  CF_TRUE(cf_setActuatorGain(m, 7, "affine", param, 3, NULL, 0));
  CF_TRUE(cf_setActuatorGain(m, 6, NULL, NULL, 0, NULL, 0));
  CF_TRUE(mj_copyBack(spec, m));
  mjModel* again = mj_compile(spec, NULL);
  CF_NEAR(again->actuator_gainprm[0], 777, 0);
  CF_EQ_STR(cf_actuatorGain(again, 7)->name, "affine");
  CF_NEAR_ARRAY(again->actuator_gainprm + 7 * mjNGAIN, param, 3, 0);
  CF_TRUE(cf_actuatorGain(again, 6) == NULL);
  CF_EQ_STR(cf_actuatorGain(again, 1)->name, "dc_motor");
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


CF_TEST(gains__attached_and_copied_specifications__keep_models_and_states) {
  mjSpec* child = parseGains(gain_zoo);
  mjModel* alone = mj_compile(child, NULL);
  mjSpec* copy = mj_copySpec(child);
  mjModel* copied = mj_compile(copy, NULL);
  expectZoo(copied);
  CF_TRUE(runFromKey(copied) == runFromKey(alone));
  mjSpec* parent = parseGains("<mujoco><worldbody/></mujoco>");
  mjsFrame* frame = mjs_addFrame(mjs_findBody(parent, "world"), NULL);
  if (!mjs_attach(frame->element, mjs_findBody(copy, "b")->element, "x_", "")) {
    CF_FAIL("%s\n", mjs_getError(parent));
  }
  mjModel* attached = mj_compile(parent, NULL);
  if (!attached) {
    CF_FAIL("%s\n", mjs_getError(parent));
  }
  expectZoo(attached);
  CF_EQ_INT(attached->nkey, 1);
  CF_EQ_BYTES(attached->key_act, alone->key_act, sizeof(mjtNum) * (size_t)alone->na);
  CF_TRUE(runFromKey(attached) == runFromKey(alone));
  mj_deleteModel(attached);
  mj_deleteModel(copied);
  mj_deleteModel(alone);
  mj_deleteSpec(parent);
  mj_deleteSpec(copy);
  mj_deleteSpec(child);
}


CF_TEST(gains__specification_by_a_program__room_for_states) {
  mjSpec* spec =
      parseGains("<mujoco>" BODIES "<actuator><motor name='a' joint='j'/></actuator></mujoco>");
  mjsActuator* actuator = mjs_asActuator(mjs_firstElement(spec, mjOBJ_ACTUATOR));
  char error[500] = "";
  CF_EQ_STR(cf_specGain(actuator), "");
  CF_EQ_INT(cf_setSpecGain(actuator, "motor", NULL, 0, error, sizeof(error)), 0);
  CF_HAS_STR(error, "unknown gain model 'motor'");
  CF_EQ_INT(cf_setSpecGain(actuator, "dc_motor", (mjtNum[2]){1, 2}, 2, error, sizeof(error)), 0);
  CF_HAS_STR(error, "got 2");
  CF_TRUE(cf_setSpecGain(actuator, "dc_motor", NULL, 0, error, sizeof(error)));
  CF_EQ_STR(cf_specGain(actuator), "dc_motor");
  mjModel* m = mj_compile(spec, NULL);
  CF_EQ_INT(m->na, 1);
  CF_EQ_STR(cf_actuatorGain(m, 0)->name, "dc_motor");
  mj_deleteModel(m);
  actuator->gainprm[0] = -1;
  CF_TRUE(mj_compile(spec, NULL) == NULL);
  CF_HAS_STR(mjs_getError(spec), "resistance of gain model 'dc_motor' must be between");
  mj_deleteSpec(spec);
}


// ---------------------------------------- messages

static void expectMessage(const char* attributes, const char* phrase) {
  char text[2000], error[2000] = "";
  snprintf(text, sizeof(text),
           "<mujoco>\n" BODIES "\n<actuator>\n  <general joint='j' %s/>\n</actuator></mujoco>",
           attributes);
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  CF_EQ_INT(mj_addBufferVFS(&vfs, "robot.xml", text, (int)strlen(text)), 0);
  CF_TRUE(mj_loadXML("robot.xml", &vfs, error, sizeof(error)) == NULL);
  mj_deleteVFS(&vfs);
  CF_HAS_STR(error, phrase);
  CF_HAS_STR(error, "robot.xml:4:3");
}


CF_TEST(gains__bad_attributes__file_line_column_and_what_is_allowed) {
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='spring'",
      "unknown gain model 'spring'; known are fixed, affine, muscle, series_elastic, dc_motor, pneumatic");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='series_elastic' cortenforge:gain_params='1 2'",
      "gain model 'series_elastic' has 3 parameters (k_spring, damping, gear_ratio), got 2");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='fixed' "
      "cortenforge:gain_params='1 2 3 4 5 6 7 8 9 10 11 12'",
      "has 1 parameters (gain), got 12");
  expectMessage("gaintype='custom' cortenforge:gain_model='fixed' cortenforge:gain_params=''",
                "got 0");
  expectMessage("gaintype='custom' cortenforge:gain_model='fixed' cortenforge:gain_params='abc'",
                "number 1 is not a number");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='fixed' cortenforge:gain_params='gain=abc'",
      "'gain=abc' does not give a number");
  char long_word[400];
  snprintf(long_word, sizeof(long_word),
           "gaintype='custom' cortenforge:gain_model='fixed' cortenforge:gain_params='gain=%0250d'",
           1);
  expectMessage(long_word, "a word of 255 characters, at most 199: 'gain=000000000000000...'");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='dc_motor' cortenforge:gain_params='speed=3'",
      "gain model 'dc_motor' has no parameter 'speed', but resistance, inductance");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='dc_motor' cortenforge:gain_params='gear=3 4'",
      "'4' is not of the form name=value");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='dc_motor' cortenforge:gain_params='resistance=0'",
      "resistance of gain model 'dc_motor' must be between 1e-09 and 1e+10, got 0");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='dc_motor' cortenforge:gain_params='gear=nan'",
      "gear of gain model 'dc_motor' must be between");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='dc_motor' "
      "cortenforge:gain_params='gear=3 friction=1 gear=3'",
      "parameter 'gear' of gain model 'dc_motor' is given twice");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='fixed' gainprm='3' cortenforge:gain_params='4'",
      "cortenforge:gain_params and gainprm both give the parameters");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='fixed' cortenforge:gain_params='gain=3x'",
      "'gain=3x' does not give a number");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='muscle' cortenforge:gain_params='force=-.5'",
      "force of gain model 'muscle' must be between 0 and 1e+10, or -1 for none given, got -0.5");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='dc_motor' dyntype='user' actdim='3'",
      "gain model 'dc_motor' needs actdim 1, or 2 with an activation of the user's; got 3");
  expectMessage("gaintype='custom' cortenforge:gain_model='dc_motor' actdim='3'",
                "gain model 'dc_motor' needs actdim 1");
  expectMessage("gaintype='custom'", "gaintype=\"custom\" needs cortenforge:gain_model");
  expectMessage("cortenforge:gain_model='fixed'", "needs gaintype=\"custom\"");
  expectMessage("gaintype='user' cortenforge:gain_params='1'", "needs cortenforge:gain_model");
  expectMessage("gaintype='custom' cortenforge:gain_model='dc_motor' dyntype='filterexact'",
                "dyntype can be filter, not filterexact");
  expectMessage(
      "gaintype='custom' cortenforge:gain_model='series_elastic' dyntype='user' actdim='1'",
      "gain model 'series_elastic' needs actdim 2");
  expectMessage("gaintype='custom' cortenforge:gain_model='dc_motor' dyntype='filter' actdim='3'",
                "actdim > 1 is only allowed for dyntype 'user'");
}


// a saved text has the number that was compiled: activations of the dynamics and of the model
CF_TEST(gains__actdim_as_compiled__the_same_model) {
  mjModel *open, *given;
  open = cf_compileText("<mujoco>" BODIES
                        "<actuator><general joint='j' gaintype='custom' dyntype='filter' "
                        "cortenforge:gain_model='dc_motor'/></actuator></mujoco>");
  CF_EQ_INT(open->na, 2);
  given = cf_compileText("<mujoco>" BODIES
                         "<actuator><general joint='j' gaintype='custom' dyntype='filter' "
                         "actdim='2' cortenforge:gain_model='dc_motor'/></actuator></mujoco>");
  CF_EQ_INT(given->na, 2);
  CF_EQ_INT(given->actuator_actnum[0], 2);
  mj_deleteModel(open);
  mj_deleteModel(given);
}


CF_TEST(gains__shortcut_of_a_class_with_a_model__is_what_it_says) {
  mjModel* m = cf_compileText(
      "<mujoco><default><general gaintype='custom' cortenforge:gain_model='dc_motor'/>"
      "</default>" BODIES "<actuator><motor joint='j'/><general joint='j'/></actuator></mujoco>");
  CF_TRUE(cf_actuatorGain(m, 0) == NULL);
  CF_EQ_INT(m->actuator_gaintype[0], mjGAIN_FIXED);
  char error[1000] = "";
  CF_TRUE(
      !mj_parseXMLString("<mujoco><default><motor gaintype='custom' "
                         "cortenforge:gain_model='dc_motor'/></default></mujoco>",
                         NULL, error, sizeof(error)));
  CF_HAS_STR(error, "only a general actuator can have a gain model");
  CF_EQ_INT(m->actuator_actnum[0], 0);
  CF_EQ_STR(cf_actuatorGain(m, 1)->name, "dc_motor");
  mj_deleteModel(m);
}


// a gain of MuJoCo's that a program sets afterwards, or that stands beside a class with a model
CF_TEST(gains__type_of_gain_changed_back__no_model_is_written) {
  char text[5000] = "", error[1000] = "";
  mjSpec* spec = parseGains(
      "<mujoco><default><general gaintype='custom' "
      "cortenforge:gain_model='dc_motor'/></default>" BODIES
      "<actuator><general name='a' joint='j'/></actuator></mujoco>");
  mjsActuator* a = mjs_asActuator(mjs_findElement(spec, mjOBJ_ACTUATOR, "a"));
  CF_EQ_STR(cf_specGain(a), "dc_motor");
  a->gaintype = mjGAIN_FIXED;
  CF_EQ_STR(cf_specGain(a), "");
  mjModel* m = mj_compile(spec, NULL);
  CF_TRUE(cf_actuatorGain(m, 0) == NULL);
  CF_EQ_INT(mj_saveXMLString(spec, text, sizeof(text), error, sizeof(error)), 0);
  CF_TRUE(strstr(strstr(text, "<actuator>"), "gain_model") == NULL);
  mjModel* again = cf_compileText(text);
  CF_TRUE(cf_actuatorGain(again, 0) == NULL);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


CF_TEST_MAIN("mjcf/gains")
