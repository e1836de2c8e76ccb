// mj_setConst: constants wiped from recorded models come back.
#include "cf_test.h"

#include "cf_compare.h"
#include "tables/fields.h"
#include "compile/phases.h"

static const char* const models[] = {"actuators", "equality", "frames",  "fuse",
                                     "joints",    "simple",   "tendons", "sensors"};

// fields that mj_setConst alone writes, bytes set to something else
static void wipeConstants(mjModel* m) {
  for (int k = 0; k < cfi_modelFields.count; k++) {
    const cfFieldInfo* field = cfi_modelFields.field + k;
    static const char* const wiped[] = {
        "body_subtreemass",
        "body_invweight0",
        "dof_invweight0",
        "dof_M0",
        "dof_length",
        "tendon_length0",
        "tendon_invweight0",
        "actuator_acc0",
        "actuator_length0",
        "cam_pos0",
        "cam_poscom0",
        "cam_mat0",
        "light_pos0",
        "light_poscom0",
        "light_dir0",
        "M_rownnz",
        "M_rowadr",
        "M_colind",
        "mapM2M",
        "D_rownnz",
        "D_rowadr",
        "D_diag",
        "D_colind",
        "mapM2D",
        "mapD2M",
        "B_rownnz",
        "B_rowadr",
        "B_colind",
    };
    for (size_t w = 0; w < sizeof(wiped) / sizeof(wiped[0]); w++) {
      if (!strcmp(field->name, wiped[w])) {
        void* array = (void*)(size_t)cfi_fieldElements(field, m);
        memset(array, 0x3f, field->size * (size_t)cfi_fieldCount(field, m, NULL));
      }
    }
  }
}


static void checkConstants(const char* name) {
  char path[1000];
  snprintf(path, sizeof(path), "%s/tests/data/compile/%s.mjb", CF_SOURCE_DIR, name);
  mjModel* ref = mj_loadModel(path, NULL);
  CF_TRUE(ref);
  mjModel* m = mj_copyModel(NULL, ref);
  mjData* d = mj_makeData(m);
  wipeConstants(m);
  cfi_fillSparsity(m);
  mj_setConst(m, d);
  int differing = cf_differingModels(m, ref, 1e-10);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteModel(ref);
  if (differing) {
    CF_FAIL("%s: %d fields differ\n", name, differing);
  }
}


CF_TEST(setConst__constants_wiped__come_back) {
  for (size_t k = 0; k < sizeof(models) / sizeof(models[0]); k++) {
    checkConstants(models[k]);
  }
}


CF_TEST(setConst__mass_changed__weights_follow) {
  static const char xml[] =
      "<mujoco><worldbody><body><joint type='slide'/><geom size='.1' "
      "mass='2'/></body></worldbody></mujoco>";
  mjSpec* s = mj_parseXMLString(xml, NULL, NULL, 0);
  mjModel* m = mj_compile(s, NULL);
  mjData* d = mj_makeData(m);
  CF_NEAR(m->dof_invweight0[0], 0.5, 1e-15);
  m->body_mass[1] = 4;
  mj_setConst(m, d);
  CF_NEAR(m->dof_invweight0[0], 0.25, 1e-15);
  CF_NEAR(m->body_invweight0[2], 0.25, 1e-15);
  CF_NEAR(m->body_subtreemass[0], 4, 0);
  CF_NEAR(m->stat.meanmass, 4, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


CF_TEST(setConst__positive_damping_ratio__becomes_damping) {
  static const char xml[] =
      "<mujoco><worldbody><body><joint name='j' type='slide'/><geom size='.1' "
      "mass='2'/></body></worldbody>"
      "<actuator><position joint='j' kp='50' dampratio='0.5' gear='2'/></actuator></mujoco>";
  mjSpec* s = mj_parseXMLString(xml, NULL, NULL, 0);
  mjModel* m = mj_compile(s, NULL);

  // damping = ratio * 2 * sqrt(kp * mass / gear^2)
  CF_NEAR(m->actuator_biasprm[2], -0.5 * 2 * sqrt(50 * 2.0 / 4), 1e-13);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


CF_TEST(setLengthRange__limited_joint__takes_its_range) {
  static const char xml[] =
      "<mujoco><compiler angle='radian'/><worldbody><body><joint name='j' range='-.3 .4'/><geom "
      "size='.1' pos='.1 0 0'/></body>"
      "</worldbody><actuator><muscle joint='j'/></actuator></mujoco>";
  mjSpec* s = mj_parseXMLString(xml, NULL, NULL, 0);
  s->compiler.LRopt.uselimit = 1;
  mjModel* m = mj_compile(s, NULL);
  CF_TRUE(m);
  CF_NEAR(m->actuator_lengthrange[0], -.3, 0);
  CF_NEAR(m->actuator_lengthrange[1], .4, 0);
  mj_deleteModel(m);
  mj_deleteSpec(s);
}


// pulled one way the joint meets its limit, the other way it moves on and on
CF_TEST(setLengthRange__only_one_end_settles__refused) {
  for (int side = 0; side < 2; side++) {
    char xml[500], error[300] = "";
    snprintf(
        xml, sizeof(xml),
        "<mujoco><worldbody><body><joint name='j' type='slide' limited='true' range='%s'/><geom "
        "size='.1'/></body></worldbody><actuator><motor joint='j'/></actuator></mujoco>",
        side ? "-1 100000" : "-100000 1");
    mjSpec* s = mj_parseXMLString(xml, NULL, NULL, 0);
    mjModel* m = mj_compile(s, NULL);
    CF_TRUE(m);
    mjData* d = mj_makeData(m);
    mjLROpt opt;
    mj_defaultLROpt(&opt);
    opt.mode = mjLRMODE_ALL;
    CF_EQ_INT(mj_setLengthRange(m, d, 0, &opt, error, sizeof(error)), 0);
    CF_HAS_STR(error, "did not converge");
    CF_TRUE(side ? m->actuator_lengthrange[0] > -2 : m->actuator_lengthrange[1] < 2);
    mj_deleteData(d);
    mj_deleteModel(m);
    mj_deleteSpec(s);
  }
}


CF_TEST_MAIN("compile/setconst")
