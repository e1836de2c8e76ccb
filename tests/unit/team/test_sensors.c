// The fast tier on the CPU against the engine: sensors.
#include "modeltext.h"
#include "twin.h"

static const cfTeamTier* const tiers[] = {&cfi_teamDouble, &cfi_teamSingle};

// each sensor that the tier has, on frames of each kind, with and without reference, with cutoffs
static const char sensors_xml[] =
    "<mujoco><option magnetic='.3 -.2 .5' cone='%s' integrator='%s'/>"
    "<worldbody><geom name='floor' type='plane' size='5 5 1'/><geom type='box' size='.3 .3 .05' pos='.5 0 .07'/>"
    "<site name='fixed' pos='1 2 .3' euler='10 20 30'/>"
    "<body name='a' pos='0 0 .1' euler='5 10 15'><freejoint/><geom name='g' type='capsule' size='.1 .2' euler='80 0 0' condim='6'/>"
    "  <geom size='.05' pos='.1 .1 0'/>"
    "  <site name='imu' pos='.02 .03 .1' euler='30 20 10'/>"
    "  <site name='ball' size='.3' pos='0 -.15 0'/><site name='box' type='box' size='.06 .12 .06' pos='0 -.18 -.1' euler='0 9 0'/>"
    "  <site name='cylinder' type='cylinder' size='.06 .1' pos='0 -.2 -.1'/>"
    "  <site name='capsule' type='capsule' size='.06 .08' euler='80 0 0' pos='0 -.2 -.1'/>"
    "  <site name='ellipsoid' type='ellipsoid' size='.1 .3 .09' pos='0 -.1 -.1'/><site name='away' size='.01' pos='0 0 2'/>"
    "  <body name='b' pos='.2 0 .1' euler='0 20 40'><joint name='r' type='ball' range='0 2' limited='true'/>"
    "    <geom type='capsule' size='.04 .1' pos='.1 0 0'/><site name='wrist' pos='.01 .02 .03' euler='0 50 0'/>"
    "    <body name='c' pos='.2 0 0'><joint name='h' axis='0 1 0' range='-1 1' limited='true' margin='.01'"
    "      actuatorfrclimited='true' actuatorfrcrange='-.5 .5'/>"
    "      <joint name='s' type='slide' axis='1 0 1' range='-.001 .002' limited='true'/>"
    "      <geom size='.06'/><site name='tip' pos='0 0 .1'/></body></body></body>"
    "<body name='d' pos='0 1 .3'><joint name='k' axis='1 0 0' damping='.1'/><geom type='box' size='.1 .1 .1' pos='0 0 -.25'/>"
    "  <body name='e' pos='0 .1 0'><geom size='.02' contype='0'/></body></body></worldbody>"
    "<tendon><fixed name='t' limited='true' range='-.003 .003'><joint joint='h' coef='1.5'/><joint joint='s' coef='-2'/></fixed>"
    "  <fixed name='u'><joint joint='k' coef='3'/></fixed></tendon>"
    "<equality><connect body1='e' body2='c' anchor='.1 0 .2'/><weld body1='d' body2='b' torquescale='.3'/></equality>"
    "<actuator><motor name='m' joint='h' gear='3'/><position name='p' joint='s' kp='40' ctrlrange='-1 1'/><motor joint='h'/></actuator>"
    "<sensor><touch site='ball'/><touch site='box'/><touch site='cylinder'/><touch site='capsule'/><touch site='ellipsoid' cutoff='20'/>"
    "<touch site='away'/><accelerometer site='imu'/><accelerometer site='tip' cutoff='9'/><velocimeter site='imu'/><gyro site='wrist'/>"
    "<force site='wrist'/><torque site='wrist'/><force site='tip'/><torque site='tip'/><magnetometer site='tip'/><magnetometer site='fixed'/>"
    "<jointpos joint='h'/><jointvel joint='s'/><tendonpos tendon='t'/><tendonvel tendon='t'/><tendonpos tendon='u'/>"
    "<actuatorpos actuator='m'/><actuatorvel actuator='p'/><actuatorfrc actuator='p'/><jointactuatorfrc joint='h'/>"
    "<tendonactuatorfrc tendon='t'/><ballquat joint='r'/><ballangvel joint='r'/>"
    "<jointlimitpos joint='r'/><jointlimitvel joint='r'/><jointlimitfrc joint='r'/>"
    "<jointlimitpos joint='h'/><jointlimitvel joint='h'/><jointlimitfrc joint='h'/><jointlimitpos joint='s'/><jointlimitvel joint='s'/>"
    "<jointlimitfrc joint='s'/><tendonlimitpos tendon='t'/><tendonlimitvel tendon='t'/><tendonlimitfrc tendon='t'/>"
    "<framepos objtype='body' objname='b'/><framepos objtype='xbody' objname='b' reftype='site' refname='imu'/>"
    "<framepos objtype='geom' objname='g' cutoff='.1'/><framequat objtype='geom' objname='g'/>"
    "<framequat objtype='site' objname='tip' reftype='body' refname='a'/><framexaxis objtype='body' objname='c'/>"
    "<frameyaxis objtype='site' objname='wrist' reftype='xbody' refname='d'/><framezaxis objtype='xbody' objname='b'/>"
    "<framelinvel objtype='site' objname='tip'/><framelinvel objtype='geom' objname='g' reftype='site' refname='wrist'/>"
    "<frameangvel objtype='body' objname='c'/><frameangvel objtype='body' objname='c' reftype='body' refname='a'/>"
    "<framelinvel objtype='site' objname='fixed'/><framelinvel objtype='site' objname='fixed' reftype='site' refname='tip'/>"
    "<framelinacc objtype='site' objname='tip'/><frameangacc objtype='geom' objname='g'/><framelinacc objtype='site' objname='fixed'/>"
    ""
    "<subtreecom body='world'/><subtreecom body='b'/><subtreelinvel body='a'/><subtreelinvel body='world'/>"
    "<subtreeangmom body='a'/><subtreeangmom body='world'/><clock/></sensor></mujoco>";


// difference of each sensor relative to 1 + its size; names the worst
static mjtNum worstSensor(const teamTwin* twin, const mjData* d, int* which) {
  mjtNum worst = 0;
  for (int i = 0; i < twin->m->nsensor; i++) {
    const int adr = twin->m->sensor_adr[i], dim = twin->m->sensor_dim[i];
    for (int k = adr; k < adr + dim; k++) {
      const mjtNum scale = 1 + mju_norm(d->sensordata + adr, dim);
      const mjtNum error = fabs(ofTwin(twin, "sensordata", k) - d->sensordata[k]) / scale;
      if (error > worst || isnan(error)) {
        worst = error;
        *which = i;
      }
    }
  }
  return worst;
}


// states on the way of a motion; how many numbers of sensors were not zero
static void compareSensors(const mjModel* m, const char* name, int states, mjtNum bound[2],
                           bool* was_used) {
  CF_TRUE(!cfi_teamForeignSensor(m));
  for (int p = 0; p < 2; p++) {
    twin_senses = true;
    teamTwin twin = openTeamTwin(m, tiers[p], 60, 300, NULL);
    mjData* d = mj_makeData(m);
    int skipped = 0;
    for (int k = 0; k < states; k++) {
      for (int u = 0; u < m->nu; u++) {
        d->ctrl[u] = sin(1.3 * k * (u + 1));
      }
      d->xfrc_applied[6 * (m->nbody - 1) + k % 6] = 0.1 * (k % 3);
      for (int step = 0; step < 12; step++) {
        mj_step(m, d);
      }
      loadTwin(&twin, d);
      mj_step(m, d);
      twin.tier->stage(twin.plan, twin.world, CF_TEAM_ALL);
      CF_EQ_INT((int)ofTwin(&twin, "trouble", 0), 0);
      if (p && (int)ofTwin(&twin, "ncon", 0) != d->ncon) {
        skipped++;  // single precision sees another contact
        continue;
      }
      CF_EQ_INT((int)ofTwin(&twin, "ncon", 0), d->ncon);
      int which = 0;
      const mjtNum worst = worstSensor(&twin, d, &which);
      if (!(worst < bound[p])) {
        const int adr = m->sensor_adr[which];
        CF_FAIL("%s, state %d: sensor %d of type %d differs by %g: %g %g, expected %g %g\n", name,
                k, which, m->sensor_type[which], worst, ofTwin(&twin, "sensordata", adr),
                ofTwin(&twin, "sensordata", adr + m->sensor_dim[which] - 1), d->sensordata[adr],
                d->sensordata[adr + m->sensor_dim[which] - 1]);
      }
      for (int i = 0; was_used && i < m->nsensor; i++) {
        was_used[i] |= mju_norm(d->sensordata + m->sensor_adr[i], m->sensor_dim[i]) > 1e-6;
      }
    }
    CF_TRUE(skipped <= states / 5);
    mj_deleteData(d);
    closeTeamTwin(&twin);
    twin_senses = false;
  }
}


CF_TEST(sensors__each_kind__as_the_engine) {
  static const char* const variants[][2] = {
      {"pyramidal", "Euler"}, {"elliptic", "implicitfast"}, {"pyramidal", "RK4"}};
  for (int v = 0; v < 3; v++) {
    char xml[9000];
    bool was_used[200] = {false};
    snprintf(xml, sizeof(xml), sensors_xml, variants[v][0], variants[v][1]);
    mjModel* m = compileText(xml);
    CF_TRUE(m->nsensor < 200);
    mjtNum bound[2] = {1e-9, 2e-2};
    compareSensors(m, variants[v][1], 25, bound, was_used);

    // every sensor said something, but for those that have nothing to say
    for (int i = 0; v == 0 && i < m->nsensor; i++) {
      const int type = m->sensor_type[i];
      const bool is_fixed = type == mjSENS_FRAMELINVEL || type == mjSENS_FRAMELINACC;
      const bool is_silent = type == mjSENS_TENDONACTFRC || i == 5 || is_fixed;
      if (!was_used[i] && !is_silent) {
        CF_FAIL("sensor %d of type %d is always zero\n", i, type);
      }
    }
    mj_deleteModel(m);
  }
}


CF_TEST(sensors__models__as_the_engine) {
  static const char* const names[] = {"humanoid",      "robots/ant",           "robots/biped",
                                      "robots/hopper", "robots/planar_runner", "robots/quadruped"};
  for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
    char path[500], error[500] = "", reason[200];
    snprintf(path, sizeof(path), CF_SOURCE_DIR "/models/%s.xml", names[n]);
    mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
    CF_EQ_STR(error, "");
    m->opt.enableflags &= ~mjENBL_ENERGY;

    // rays of contacts go through the edges of some zones, and rounding decides
    for (int k = 0; k < 3 * m->nsite; k++) {
      m->site_size[k] *= 1.01;
    }
    CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));
    mjtNum bound[2] = {1e-9, 2e-2};
    compareSensors(m, names[n], 12, bound, NULL);
    mj_deleteModel(m);
  }
}


CF_TEST(sensors__foreign_kinds__refused_by_name) {
  static const char* const list[][2] = {
      {"<rangefinder site='s'/>", "rays"},
      {"<e_kinetic/>", "energies"},
      {"<framepos objtype='camera' objname='c'/>", "cameras"},
  };
  for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
    char xml[500];
    snprintf(
        xml, sizeof(xml),
        "<mujoco><worldbody><site name='s'/><camera name='c'/></worldbody><sensor>%s</sensor></mujoco>",
        list[k][0]);
    mjModel* m = compileText(xml);
    const char* foreign = cfi_teamForeignSensor(m);
    CF_TRUE(foreign && strstr(foreign, list[k][1]));
    mj_deleteModel(m);
  }
}


CF_TEST_MAIN("team_sensors")
