// What all sensors share: the table of functions, cutoffs, stages, user sensors, delays and
// intervals, sleep.
#include "cf_sensor.h"
#include "cf_text.h"

#include "sensor/sensor.h"

// ---------------------------------------- cutoff

// real data (a velocity of 3 and of -3), positive data (a touch-like distance), data without cutoff
static const char limits[] =
    "<mujoco><worldbody><body name='a'><joint name='x' type='slide' axis='1 0 0'/><geom name='a' size='.1'/>"
    "<site name='s'/></body>"
    "<geom name='far' size='.1' pos='0 0 -2'/><site name='down' euler='180 0 0'/></worldbody>"
    "<sensor><jointvel name='real' joint='x' cutoff='2'/><jointvel name='wide' joint='x' cutoff='4'/>"
    "<jointvel name='none' joint='x'/><framelinvel name='vector' objtype='site' objname='s' cutoff='2'/>"
    "<rangefinder name='ray' site='s' cutoff='.5'/>"
    "<user name='ureal' datatype='real' dim='2' cutoff='1' needstage='vel'/>"
    "<user name='upositive' datatype='positive' dim='2' cutoff='1' needstage='vel'/>"
    "<user name='uaxis' datatype='axis' dim='3' needstage='vel'/>"
    "<user name='uquat' datatype='quaternion' dim='4' needstage='acc'/>"
    "<user name='upos' datatype='real' dim='1' needstage='pos'/>"
    "<fromto name='segment' geom1='a' geom2='far' cutoff='3'/><distance name='dist' geom1='a' geom2='far' cutoff='3'/>"
    "</sensor></mujoco>";


CF_TEST(cutoff__real_data__clamped_on_both_sides) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(limits));
  for (int sign = -1; sign <= 1; sign += 2) {
    c.d->qvel[0] = 3 * sign;
    mj_forward(c.m, c.d);
    CF_NEAR(cf_sensed(c, "real")[0], 2 * sign, 0);
    CF_NEAR(cf_sensed(c, "wide")[0], 3 * sign, 0);
    CF_NEAR(cf_sensed(c, "none")[0], 3 * sign, 0);
    CF_NEAR_ARRAY(cf_sensed(c, "vector"), ((mjtNum[3]){2 * sign, 0, 0}), 3, 1e-15);
  }
  cf_closeSensors(c);
}


// the segment uses its cutoff as reach: its numbers (here -1.9) may be larger than a cutoff would
// allow
CF_TEST(cutoff__distance_and_segment__reach_not_clamp) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(limits));
  mj_forward(c.m, c.d);
  CF_NEAR(cf_sensed(c, "dist")[0], 1.8, 1e-12);
  CF_NEAR_ARRAY(cf_sensed(c, "segment"), ((mjtNum[6]){0, 0, -0.1, 0, 0, -1.9}), 6, 1e-12);
  c.m->sensor_cutoff[mj_name2id(c.m, mjOBJ_SENSOR, "segment")] = 1.85;
  mj_forward(c.m, c.d);
  CF_NEAR(cf_sensed(c, "segment")[5], -1.9, 1e-12);
  cf_closeSensors(c);
}


// nothing above: -1 stays although the cutoff is 0.5; with a lid above, positive data are clamped
// at the top only
CF_TEST(cutoff__positive_data__clamped_above_only) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(limits));
  mj_forward(c.m, c.d);
  const int ray = mj_name2id(c.m, mjOBJ_SENSOR, "ray");
  CF_EQ_INT(c.m->sensor_datatype[ray], mjDATATYPE_REAL);
  CF_NEAR(cf_sensed(c, "ray")[0], -0.5, 0);
  c.m->sensor_datatype[ray] = mjDATATYPE_POSITIVE;
  mj_forward(c.m, c.d);
  CF_NEAR(cf_sensed(c, "ray")[0], -1, 0);
  c.d->qpos[0] = 0;
  c.m->geom_pos[3 * 0 + 2] = 2;
  mj_forward(c.m, c.d);
  CF_NEAR(cf_sensed(c, "ray")[0], 0.5, 0);
  cf_closeSensors(c);
}


// ---------------------------------------- user sensors

static int calls_of_stage[4];

static void sayFive(const mjModel* m, mjData* d, int stage) {
  calls_of_stage[stage]++;
  for (int i = 0; i < m->nsensor; i++) {
    if (m->sensor_type[i] == mjSENS_USER && m->sensor_needstage[i] == stage) {
      for (int k = 0; k < m->sensor_dim[i]; k++) {
        d->sensordata[m->sensor_adr[i] + k] = k % 2 ? -5 : 5;
      }
    }
  }
}


// real: both sides; positive: above only; axis and quaternion: never, whatever the cutoff
CF_TEST(user__callback__once_per_stage_and_clamped_by_type) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(limits));
  memset(calls_of_stage, 0, sizeof(calls_of_stage));
  c.m->sensor_cutoff[mj_name2id(c.m, mjOBJ_SENSOR, "uaxis")] = 1;
  c.m->sensor_cutoff[mj_name2id(c.m, mjOBJ_SENSOR, "uquat")] = 1;
  mjcb_sensor = sayFive;
  mj_forward(c.m, c.d);
  mjcb_sensor = NULL;
  CF_EQ_INT(calls_of_stage[mjSTAGE_POS], 1);
  CF_EQ_INT(calls_of_stage[mjSTAGE_VEL], 1);
  CF_EQ_INT(calls_of_stage[mjSTAGE_ACC], 1);
  CF_NEAR_ARRAY(cf_sensed(c, "ureal"), ((mjtNum[2]){1, -1}), 2, 0);
  CF_NEAR_ARRAY(cf_sensed(c, "upositive"), ((mjtNum[2]){1, -5}), 2, 0);
  CF_NEAR_ARRAY(cf_sensed(c, "uaxis"), ((mjtNum[3]){5, -5, 5}), 3, 0);
  CF_NEAR_ARRAY(cf_sensed(c, "uquat"), ((mjtNum[4]){5, -5, 5, -5}), 4, 0);
  CF_NEAR(cf_sensed(c, "upos")[0], 5, 0);
  cf_closeSensors(c);
}


CF_TEST(user__no_callback__zeros) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(limits));
  mju_fill(c.d->sensordata, 9, c.m->nsensordata);
  mj_forward(c.m, c.d);
  CF_NEAR_ARRAY(cf_sensed(c, "ureal"), ((mjtNum[2]){0, 0}), 2, 0);
  CF_NEAR_ARRAY(cf_sensed(c, "uquat"), ((mjtNum[4]){0, 0, 0, 0}), 4, 0);
  cf_closeSensors(c);
}


// ---------------------------------------- stages

CF_TEST(stages__each__writes_its_own_sensors_only) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(limits));
  void (*stage[3])(const mjModel*, mjData*) = {mj_sensorPos, mj_sensorVel, mj_sensorAcc};
  mj_forward(c.m, c.d);
  for (int s = 0; s < 3; s++) {
    mju_fill(c.d->sensordata, 9, c.m->nsensordata);
    stage[s](c.m, c.d);
    for (int i = 0; i < c.m->nsensor; i++) {
      const bool is_written = c.d->sensordata[c.m->sensor_adr[i]] != 9;
      CF_EQ_INT(is_written, c.m->sensor_needstage[i] == s + 1);
    }
  }
  cf_closeSensors(c);
}


CF_TEST(stages__disabled__leave_the_values_alone) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(limits));
  c.m->opt.disableflags |= mjDSBL_SENSOR;
  mju_fill(c.d->sensordata, 9, c.m->nsensordata);
  mj_forward(c.m, c.d);
  for (int k = 0; k < c.m->nsensordata; k++) {
    CF_NEAR(c.d->sensordata[k], 9, 0);
  }
  cf_closeSensors(c);
}


// ---------------------------------------- delays

// clocks that look back; a step is 1/128 s, so that times are exact
static const char clocks[] =
    "<mujoco><option timestep='0.0078125'/><worldbody><body><joint/><geom size='.1'/></body></worldbody><sensor>"
    "<clock name='now'/><clock name='kept' nsample='3'/><clock name='late' delay='0.015625' nsample='4'/>"
    "<clock name='between' delay='0.01171875' nsample='4' interp='linear'/>"
    "<clock name='held' delay='0.01171875' nsample='4'/>"
    "<clock name='rare' interval='0.03125' nsample='2'/></sensor></mujoco>";


CF_TEST(delay__clocks__show_the_past) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(clocks));
  const mjtNum h = 0.0078125;
  for (int k = 0; k < 12; k++) {
    const mjtNum t = k * h;
    mj_forward(c.m, c.d);
    CF_NEAR(cf_sensed(c, "now")[0], t, 0);
    CF_NEAR(cf_sensed(c, "kept")[0], t, 0);
    if (k >= 4) {
      CF_NEAR(cf_sensed(c, "late")[0], t - 2 * h, 1e-15);
      CF_NEAR(cf_sensed(c, "between")[0], t - 1.5 * h, 1e-15);
      CF_NEAR(cf_sensed(c, "held")[0], t - 2 * h, 1e-15);
    }
    mj_step(c.m, c.d);
  }
  cf_closeSensors(c);
}


// every fourth step a new value
CF_TEST(interval__clock__holds_its_value_between_ticks) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(clocks));
  const mjtNum h = 0.0078125;
  for (int k = 0; k < 13; k++) {
    mj_step(c.m, c.d);
    CF_NEAR(cf_sensed(c, "rare")[0], 4 * h * (k / 4), 1e-15);
  }
  cf_closeSensors(c);
}


// ---------------------------------------- table

// every type that the model can name has its function: computed one by one and in the stages alike
CF_TEST(table__one_by_one__as_in_the_stages) {
  const char* names[5] = {"contacts", "frames", "scalars", "views", "tactile"};
  int types[mjSENS_USER + 1] = {0};
  for (int n = 0; n < 5; n++) {
    cfSensorCase c = cf_openSensors(names[n]);
    mj_forward(c.m, c.d);
    for (int i = 0; i < c.m->nsensor; i++) {
      mjtNum alone[700];
      CF_TRUE(c.m->sensor_dim[i] <= 700);
      cfi_computeSensor(c.m, c.d, i, alone);
      CF_EQ_BYTES(alone, c.d->sensordata + c.m->sensor_adr[i],
                  sizeof(mjtNum) * (size_t)c.m->sensor_dim[i]);
      types[c.m->sensor_type[i]]++;
    }
    cf_closeSensors(c);
  }

  // the recorded models have every type but plugins and user sensors
  for (int type = 0; type < mjSENS_PLUGIN; type++) {
    CF_TRUE(types[type] > 0);
  }
}


// ---------------------------------------- sleep

CF_TEST(sleep__sensor_of_a_sleeping_body__keeps_its_value) {
  cfSensorCase c = cf_sensorsOf(cf_compileText(
      "<mujoco><option><flag sleep='enable'/></option><worldbody>"
      "<geom type='plane' size='5 5 .1'/><body name='still' pos='0 0 .1' sleep='init'><freejoint/><geom size='.1'/></body>"
      "<body name='moving' pos='2 0 3'><freejoint/><geom size='.1'/></body></worldbody><sensor>"
      "<framepos name='still' objtype='xbody' objname='still'/><framepos name='moving' objtype='xbody' objname='moving'/>"
      "</sensor></mujoco>"));
  mj_forward(c.m, c.d);
  CF_TRUE(c.d->nbody_awake < c.m->nbody);
  mju_fill(c.d->sensordata, 9, c.m->nsensordata);
  mj_forward(c.m, c.d);
  CF_NEAR_ARRAY(cf_sensed(c, "still"), ((mjtNum[3]){9, 9, 9}), 3, 0);
  CF_NEAR_ARRAY(cf_sensed(c, "moving"), ((mjtNum[3]){2, 0, 3}), 3, 0);
  cf_closeSensors(c);
}


CF_TEST_MAIN("sensor/stages")
