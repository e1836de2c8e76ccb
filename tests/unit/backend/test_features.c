// Rows of tables/features.def: models that have a feature and models that do not, and every back
// end refuses what its column does not list.
#include <stdio.h>
#include <string.h>

#include <cortenforge/batch.h>

#include "backend/features.h"
#include "lanes/lanes.h"
#include "cf_test.h"
#include "cf_text.h"
#include "team/tier.h"

// two arms on the floor; %s: settings, limits of a ball joint, what comes after the bodies
static const char plain_xml[] =
    "<mujoco>%s<size memory='4M'/><worldbody><geom name='floor' type='plane' size='2 2 .1'/><camera name='eye' pos='0 -2 1'/>"
    "<body name='box' pos='0 0 .3'><joint name='a' axis='0 1 0' range='-1 1' limited='true'/><geom type='box' size='.1 .07 .05'/>"
    "<site name='s' size='.02'/><site name='r' pos='.1 0 0'/><body pos='.2 0 0'><joint name='b' axis='0 1 0'/><geom size='.05'/></body></body>"
    "<body name='arm' pos='1 0 .5'><joint name='c' axis='1 0 0'/><geom size='.1'/>"
    "<body pos='0 .2 0'><joint name='d' type='ball' %s/><geom size='.1'/></body></body>%s</worldbody>%s</mujoco>";

typedef struct {
  int feature;
  const char *settings, *ball, *bodies, *after;
} featureText;

#define AFTER(text) "", "", "", text
#define OPTION(text) "<option " text "/>", "", "", ""
#define FLAG(text) "<option><flag " text "/></option>", "", "", ""
#define FIXED(attributes)            \
  AFTER("<tendon><fixed " attributes \
        "><joint joint='a' coef='1'/><joint joint='b' coef='2'/></fixed></tendon>")

static const featureText texts[] = {
    {CF_HAS_LIBCCD, FLAG("nativeccd='disable'")},
    {CF_HAS_MOCAP, "", "", "<body mocap='true'><geom size='.01'/></body>", ""},
    {CF_HAS_DELAYS, AFTER("<sensor><jointpos joint='a' nsample='3' delay='.01'/></sensor>")},
    {CF_HAS_BALL_LIMITS, "", "limited='true' range='0 1'", "", ""},
    {CF_HAS_OTHER_SOLVER, OPTION("solver='CG'")},
    {CF_HAS_NOSLIP, OPTION("noslip_iterations='2'")},
    {CF_HAS_FLUID, OPTION("density='1'")},
    {CF_HAS_FLUID, OPTION("viscosity='1'")},
    {CF_HAS_IMPLICIT, OPTION("integrator='implicit'")},
    {CF_HAS_SPARSE, OPTION("jacobian='sparse'")},
    {CF_HAS_ENERGY, FLAG("energy='enable'")},
    {CF_HAS_OVERRIDE, FLAG("override='enable'")},
    {CF_HAS_SLEEP, FLAG("sleep='enable'")},
    {CF_HAS_MULTICCD, FLAG("multiccd='enable'")},
    {CF_HAS_NO_WARMSTART, FLAG("warmstart='disable'")},
    {CF_HAS_NO_REFSAFE, FLAG("refsafe='disable'")},
    {CF_HAS_INVDISCRETE, FLAG("invdiscrete='enable'")},
    {CF_HAS_FWDINV, FLAG("fwdinv='enable'")},
    {CF_HAS_NO_CONSTRAINT, FLAG("constraint='disable'")},
    {CF_HAS_NO_CONTACT, FLAG("contact='disable'")},
    {CF_HAS_NO_ACTUATION, FLAG("actuation='disable'")},
    {CF_HAS_NO_SENSORS, FLAG("sensor='disable'")},
    {CF_HAS_SPATIAL_TENDONS,
     AFTER("<tendon><spatial><site site='s'/><site site='r'/></spatial></tendon>")},
    {CF_HAS_TENDON_ARMATURE, FIXED("armature='.1'")},
    {CF_HAS_TENDON_FRICTION, FIXED("frictionloss='.1'")},
    {CF_HAS_TENDON_FORCE_LIMITS, FIXED("actuatorfrclimited='true' actuatorfrcrange='-1 1'")},
    {CF_HAS_TENDON_ROWS,
     AFTER(
         "<tendon><fixed limited='true' range='-1 1'><joint joint='a' coef='1'/><joint joint='c' coef='2'/></fixed></tendon>")},
    {CF_HAS_SITE_EQUALITIES, AFTER("<equality><connect site1='s' site2='r'/></equality>")},
    {CF_HAS_WIDE_EQUALITIES, AFTER("<equality><connect body1='box' anchor='0 0 0'/></equality>")},
    {CF_HAS_WIDE_EQUALITIES, AFTER("<equality><joint joint1='a' joint2='c'/></equality>")},
    {CF_HAS_TRANSMISSIONS, AFTER("<actuator><motor site='s'/></actuator>")},
    {CF_HAS_TENDON_ACTUATORS,
     AFTER(
         "<tendon><fixed name='t'><joint joint='a' coef='1'/></fixed></tendon><actuator><motor tendon='t'/></actuator>")},
    {CF_HAS_WIDE_ACTUATORS, AFTER("<actuator><motor joint='d'/></actuator>")},
    {CF_HAS_BODY_ACTUATORS, AFTER("<actuator><adhesion body='box' ctrlrange='0 1'/></actuator>")},
    {CF_HAS_GAINS,
     AFTER(
         "<actuator><general joint='a' gaintype='muscle' lengthrange='0 1' gainprm='.75 1.05 -1 200 .5 1.6 1.5 1.3 1.2'/></actuator>")},
    {CF_HAS_BIASES,
     AFTER(
         "<actuator><general joint='a' biastype='muscle' lengthrange='0 1' biasprm='.75 1.05 -1 200 .5 1.6 1.5 1.3 1.2'/></actuator>")},
    {CF_HAS_DYNAMICS, AFTER("<actuator><general joint='a' dyntype='muscle'/></actuator>")},
    {CF_HAS_ACTUATOR_DELAYS,
     AFTER("<actuator><motor joint='a' nsample='3' delay='.01'/></actuator>")},
    {CF_HAS_SENSOR_KINDS, AFTER("<sensor><rangefinder site='s'/></sensor>")},
    {CF_HAS_SENSOR_KINDS, AFTER("<sensor><e_kinetic/></sensor>")},
    {CF_HAS_CAMERA_SENSORS, AFTER("<sensor><framepos objtype='camera' objname='eye'/></sensor>")},
    {CF_HAS_CAMERA_SENSORS,
     AFTER(
         "<sensor><framepos objtype='site' objname='s' reftype='camera' refname='eye'/></sensor>")},
    {CF_HAS_LIMIT_SENSORS, AFTER("<sensor><jointlimitfrc joint='a'/></sensor>")},
};


static mjModel* makeFeatured(const featureText* text) {
  char xml[4000];
  snprintf(xml, sizeof(xml), plain_xml, text->settings, text->ball, text->bodies, text->after);
  return cf_compileText(xml);
}


static bool has(cfFeatureSet set, int feature) {
  return (set >> feature & 1) != 0;
}


CF_TEST(features__a_plain_model__has_none_and_every_back_end_takes_it) {
  char reason[200] = "";
  mjModel* m = makeFeatured(&(featureText){0, "", "", "", ""});
  CF_TRUE(cfi_featuresOf(m) == 0);
  CF_TRUE(cfi_featuresNow() == 0);
  CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));
  CF_TRUE(!cfi_deviceRefusal(cfi_featuresOf(m)));
  CF_TRUE(cfi_laneSupport(cfi_featuresOf(m)) == CF_LANE_ALL);
  CF_TRUE(cfi_hasLaneSolver(m) && cfi_hasLaneRows(m));
  mj_deleteModel(m);
}


// what the row says is what the back ends do
CF_TEST(features__one_at_a_time__are_found_and_answered_as_the_table_says) {
  for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
    char reason[200] = "";
    const cfFeature* row = cfi_features + texts[k].feature;
    mjModel* m = makeFeatured(texts + k);
    const cfFeatureSet set = cfi_featuresOf(m);
    if (!has(set, texts[k].feature)) {
      CF_FAIL("%s is not found\n", row->id);
    }
    CF_TRUE(!(cfi_laneStages(m) & ~row->lanes));
    CF_TRUE(!cfi_hasLaneSolver(m) || (row->lanes & CF_LANE_SOLVE));
    CF_TRUE(!cfi_hasLaneRows(m) || (row->lanes & CF_LANE_CONSTRAINT));
    if (row->team == CF_SUPPORT_NO) {
      CF_TRUE(!cfi_teamAccepts(m, reason, sizeof(reason)) && reason[0]);
    }
    if (row->team == CF_SUPPORT_SILENT) {
      CF_TRUE(cfi_teamForeignSensor(m) != NULL);
      CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));
    }
    CF_EQ_INT(cfi_deviceRefusal(set) == NULL, row->device == CF_SUPPORT_YES);
    mj_deleteModel(m);
  }
}


CF_TEST(features__callbacks__are_of_the_process) {
  mjModel* m = makeFeatured(&(featureText){0, "", "", "", ""});
  mjcb_control = (mjfGeneric)mj_forward;
  CF_TRUE(has(cfi_featuresNow(), CF_HAS_CALLBACKS) && cfi_featuresOf(m) == 0);
  CF_TRUE(cfi_laneSupport(cfi_featuresNow()) == CF_LANE_NONE);
  CF_HAS_STR(cfi_deviceRefusal(cfi_featuresNow()), "callbacks");
  mjcb_control = NULL;
  CF_TRUE(cfi_featuresNow() == 0);
  mj_deleteModel(m);
}


// ---------------------------------------- a feature that no back end lists

static bool isHeavy(const mjModel* m) {
  return m->body_mass[1] > 1000;
}


CF_TEST(features__made_up__every_back_end_refuses_it) {
  static const cfFeature made_up = {.id = "MADE_UP", .isUsed = isHeavy, .reason = "heavy bodies"};
  const cfBatchOptions on_device = {.backend = CF_BACKEND_CUDA};
  const cfBatchOptions in_lanes = {.nlane = 4};
  char reason[200] = "", error[300] = "";
  mjModel* m = makeFeatured(&(featureText){0, "", "", "", ""});
  cfi_addFeature(&made_up);
  CF_TRUE(cfi_featuresOf(m) == 0 && cfi_laneStages(m) &&
          cfi_teamAccepts(m, reason, sizeof(reason)));
  m->body_mass[1] = 2000;
  CF_EQ_INT(cfi_laneStages(m), 0);
  CF_TRUE(!cfi_hasLaneSolver(m) && !cfi_hasLaneRows(m));
  CF_TRUE(!cfi_teamAccepts(m, reason, sizeof(reason)));
  CF_EQ_STR(reason, "heavy bodies");
  CF_TRUE(!cf_makeBatch(m, 4, &on_device, error, sizeof(error)));
  CF_EQ_STR(error, "not implemented on the device: heavy bodies");

  // worlds of a batch on the CPU are stepped one after the other
  cfBatch* batch = cfi_laneKernels(4) ? cf_makeBatch(m, 8, &in_lanes, error, sizeof(error)) : NULL;
  if (batch) {
    CF_EQ_INT(cf_batchLanes(batch), 1);
    CF_TRUE(cf_batchStep(batch, 2));
    cf_freeBatch(batch);
  }
  cfi_addFeature(NULL);
  CF_TRUE(cfi_laneStages(m) != 0);
  mj_deleteModel(m);
}


CF_TEST_MAIN("backend_features")
