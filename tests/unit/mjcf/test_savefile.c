// mj_saveXML and mj_saveLastXML: what is in the file, and what is not touched when it cannot be
// written.
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "cf_compare.h"
#include "cf_test.h"
#include "mjcf/output.h"

static const char model[] =
    "<mujoco model='kept'><compiler angle='radian'/><option timestep='0.003' gravity='0 0 -5'/>"
    "<default><geom friction='.7 .1 .1'/><default class='light'><geom density='50'/></default></default>"
    "<worldbody><geom name='floor' type='plane' size='1 1 .1'/>"
    "<body name='arm' pos='0 0 1' euler='.1 .2 .3'><joint name='j' axis='0 1 0' range='-1 2' damping='.3'/>"
    "<geom name='g' class='light' type='capsule' fromto='0 0 0 .4 0 0' size='.05'/><site name='s' pos='.4 0 0'/></body>"
    "</worldbody><tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>"
    "<actuator><position name='a' joint='j' kp='7'/></actuator>"
    "<sensor><gyro name='gy' site='s'/></sensor><keyframe><key name='k' qpos='.5'/></keyframe></mujoco>";


// a name of its own, removed by the caller
static const char* newName(void) {
  static char name[] = "/tmp/cf_saveXXXXXX";
  snprintf(name, sizeof(name), "/tmp/cf_saveXXXXXX");
  const int file = mkstemp(name);
  CF_TRUE(file >= 0);
  close(file);
  return name;
}


static char* readText(const char* name) {
  static char text[20000];
  FILE* file = fopen(name, "r");
  CF_TRUE(file != NULL);
  text[fread(text, 1, sizeof(text) - 1, file)] = 0;
  fclose(file);
  return text;
}


static mjSpec* parseModel(void) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(model, NULL, error, sizeof(error));
  if (!spec) {
    CF_FAIL("%s\n", error);
  }
  return spec;
}


static mjModel* loadText(const char* text) {
  char error[1000] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "m.xml", text, (int)strlen(text));
  mjModel* m = mj_loadXML("m.xml", &vfs, error, sizeof(error));
  mj_deleteVFS(&vfs);
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  return m;
}


CF_TEST(saveXML__file__text_of_saveXMLString_and_same_model) {
  char text[20000], error[1000] = "";
  mjSpec* spec = parseModel();
  mjModel* m = mj_compile(spec, NULL);
  const char* name = newName();
  _mjPRIVATE__set_xml_precision(17);
  CF_EQ_INT(mj_saveXML(spec, name, error, sizeof(error)), 0);
  CF_EQ_INT(mj_saveXMLString(spec, text, sizeof(text), error, sizeof(error)), 0);
  _mjPRIVATE__set_xml_precision(6);
  CF_EQ_STR(error, "");
  CF_EQ_STR(readText(name), text);
  CF_TRUE(strlen(text) > 500);
  CF_HAS_STR(text, "<mujoco model=\"kept\">");
  CF_HAS_STR(text, "timestep=\"0.003");
  CF_HAS_STR(text, "gainprm=\"7");
  mjModel* again = loadText(text);
  CF_EQ_INT(cf_differingModels(again, m, 1e-14), 0);
  unlink(name);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


CF_TEST(saveXML__folder_missing__minus_one_and_a_message) {
  char error[1000] = "";
  mjSpec* spec = parseModel();
  mj_deleteModel(mj_compile(spec, NULL));
  CF_EQ_INT(mj_saveXML(spec, "/tmp/no/such/folder/m.xml", error, sizeof(error)), -1);
  CF_TRUE(error[0] != 0);
  mj_deleteSpec(spec);
}


CF_TEST(saveLastXML__model_changed__numbers_of_the_model) {
  char error[1000] = "";
  mjModel* m = loadText(model);
  m->opt.timestep = 0.0125;
  m->dof_damping[0] = 0.625;
  m->geom_friction[3 + 0] = 0.375;
  m->body_pos[3 + 2] = 1.75;
  const char* name = newName();
  CF_EQ_INT(mj_saveLastXML(name, m, error, sizeof(error)), 1);
  char* text = readText(name);
  CF_HAS_STR(text, "timestep=\"0.0125\"");
  CF_HAS_STR(text, "damping=\"0.625\"");
  mjModel* again = loadText(text);
  CF_NEAR(again->opt.timestep, 0.0125, 0);
  CF_NEAR(again->dof_damping[0], 0.625, 0);
  CF_NEAR(again->geom_friction[3], 0.375, 0);
  CF_NEAR(again->body_pos[5], 1.75, 0);
  CF_NEAR_ARRAY(again->body_quat, m->body_quat, 8, 1e-6);
  CF_NEAR_ARRAY(again->body_mass, m->body_mass, 2, 1e-12);
  CF_NEAR(again->key_qpos[0], 0.5, 0);
  unlink(name);
  mj_deleteModel(m);
  mj_deleteModel(again);
}


CF_TEST(saveLastXML__no_model__text_as_it_was_read) {
  char error[1000] = "", text[20000];
  mjModel* m = loadText(model);
  mjSpec* spec = parseModel();
  mj_deleteModel(mj_compile(spec, NULL));
  const char* name = newName();
  CF_EQ_INT(mj_saveLastXML(name, NULL, error, sizeof(error)), 1);
  CF_EQ_INT(mj_saveXMLString(spec, text, sizeof(text), error, sizeof(error)), 0);
  mjModel *a = loadText(readText(name)), *b = loadText(text);
  CF_EQ_INT(cf_differingModels(a, b, 0), 0);
  CF_EQ_INT(cf_differingModels(a, m, 1e-5), 0);
  unlink(name);
  mj_deleteModel(a);
  mj_deleteModel(b);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


// a model of other sizes is refused, and so is saving when nothing was loaded
CF_TEST(saveLastXML__nothing_loaded_or_other_model__zero_and_a_message) {
  char error[1000] = "";
  mjModel* m = loadText(model);
  mjModel* other = loadText("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>");
  CF_EQ_INT(mj_saveLastXML("/tmp/cf_never.xml", m, error, sizeof(error)), 0);
  CF_TRUE(error[0] != 0);
  mj_freeLastXML();
  error[0] = 0;
  CF_EQ_INT(mj_saveLastXML("/tmp/cf_never.xml", m, error, sizeof(error)), 0);
  CF_HAS_STR(error, "No XML model loaded");
  CF_TRUE(access("/tmp/cf_never.xml", F_OK) != 0);
  mj_deleteModel(m);
  mj_deleteModel(other);
}


CF_TEST_MAIN("mjcf/savefile")
