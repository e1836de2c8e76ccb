// mj_copyBack: the numbers of a model go back into its specification, which then compiles to the
// same model.
#include "cf_test.h"

#include "cf_compare.h"

static const char* const models[] = {
    "orient_degree", "orient_radian", "solids",    "inertial", "inertia_true", "inertia_bounds",
    "discard",       "alignfree",     "frames",    "joints",   "simple",       "equality",
    "tendons",       "sensors",       "keyframes", "custom",   "pairs",        "cameras",
    "options",       "fluid",         "sleepers",  "still",    "actuators"};


static mjSpec* parseModel(const char* name) {
  char path[1000], error[1000] = "";
  snprintf(path, sizeof(path), "%s/tests/data/compile/%s.xml", CF_SOURCE_DIR, name);
  mjSpec* s = mj_parseXML(path, NULL, error, sizeof(error));
  if (!s) {
    CF_FAIL("%s: %s\n", name, error);
  }
  return s;
}


static void checkRoundTrip(const char* name) {
  mjSpec* s = parseModel(name);
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m);
  CF_EQ_INT(mj_copyBack(s, m), 1);
  mjModel* again = mj_compile(s, NULL);
  if (!again) {
    CF_FAIL("%s: %s\n", name, mjs_getError(s));
  }
  int differing = cf_differingModels(again, m, 1e-10);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(s);
  if (differing) {
    CF_FAIL("%s: %d fields differ\n", name, differing);
  }
}


CF_TEST(copyBack__unchanged_models__compile_to_the_same) {
  for (size_t k = 0; k < sizeof(models) / sizeof(models[0]); k++) {
    checkRoundTrip(models[k]);
  }
}


CF_TEST(copyBack__edited_numbers__survive_compilation) {
  mjSpec* s = parseModel("frames");
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m);
  int body = mj_name2id(m, mjOBJ_BODY, "b"), joint = mj_name2id(m, mjOBJ_JOINT, "j1");
  m->body_pos[3 * body] += .5;
  m->qpos0[m->jnt_qposadr[joint]] = .25;
  m->dof_damping[m->jnt_dofadr[joint]] = 7;
  m->geom_rgba[1] = .125f;
  m->opt.timestep = .007;
  m->stat.extent = 42;
  CF_EQ_INT(mj_copyBack(s, m), 1);
  mjModel* again = mj_compile(s, NULL);
  CF_TRUE(again);
  CF_NEAR_ARRAY(again->body_pos + 3 * body, m->body_pos + 3 * body, 3, 1e-14);
  CF_NEAR(again->qpos0[m->jnt_qposadr[joint]], .25, 1e-15);
  CF_NEAR(again->dof_damping[m->jnt_dofadr[joint]], 7, 0);
  CF_NEAR(again->geom_rgba[1], .125, 0);
  CF_NEAR(again->opt.timestep, .007, 0);
  CF_NEAR(again->stat.extent, 42, 0);
  CF_NEAR(again->stat.meansize, m->stat.meansize, 1);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


// the place of a body that floats is where its joint has it
CF_TEST(copyBack__first_joint_is_free_and_was_moved__body_goes_along) {
  static const char xml[] =
      "<mujoco><worldbody><body pos='1 2 3'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
  mjSpec* s = mj_parseXMLString(xml, NULL, NULL, 0);
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m);
  const mjtNum moved[7] = {4, 5, 6, 0, 1, 0, 0};
  mju_copy(m->qpos0, moved, 7);
  CF_EQ_INT(mj_copyBack(s, m), 1);
  mjModel* again = mj_compile(s, NULL);
  CF_TRUE(again);
  CF_NEAR_ARRAY(again->body_pos + 3, moved, 3, 0);
  CF_NEAR_ARRAY(again->qpos0, moved, 7, 1e-15);
  mj_deleteModel(again);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


CF_TEST(copyBack__model_of_another_structure__is_refused) {
  mjSpec *s = parseModel("frames"), *other = parseModel("joints");
  mjModel *m = mj_compile(s, NULL), *wrong = mj_compile(other, NULL);
  CF_EQ_INT(mj_copyBack(s, wrong), 0);
  CF_HAS_STR(mjs_getError(s), "incompatible signatures");
  mj_deleteModel(m);
  mj_deleteModel(wrong);
  mj_deleteSpec(s);
  mj_deleteSpec(other);
}

CF_TEST_MAIN("compile/copyback")
