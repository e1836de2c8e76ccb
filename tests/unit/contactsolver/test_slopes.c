// Forces that the integrator takes implicitly keep being implicit with every contact solver: a
// motor or a stiff spring behaves the same whether anything touches anything or not.
#include "cf_test.h"

#include <cortenforge/cortenforge.h>
#include <cortenforge/derivative.h>

#include "cf_guard.h"
#include "cf_text.h"

static const int integrators[] = {mjINT_EULER, mjINT_IMPLICIT, mjINT_IMPLICITFAST,
                                  CF_INTEGRATOR_SPRING_DAMPER};
static const char* const integrator_names[] = {"Euler", "implicit", "implicitfast", "springdamper"};
enum { NINTEGRATOR = 4, NSOLVER = 4 };
static const char* const solver_names[NSOLVER] = {"lcp", "xpbd", "xpbd, rigid", "hunt_crossley"};


static mjModel* openSlopes(const char* xml, int solver, int integrator) {
  mjModel* m = cf_compileText(xml);
  const mjtNum rigid[] = {4, 10, 0};
  const char* name = solver == 0 ? "lcp" : solver == 3 ? "hunt_crossley" : "xpbd";
  m->opt.integrator = integrators[integrator];
  CF_TRUE(cf_setContactSolver(m, name, solver == 2 ? rigid : NULL, solver == 2 ? 3 : 0, NULL, 0));
  return m;
}


// a ball that rests, so that there are rows, and something that moves beside it
#define BESIDE_A_BALL                                                           \
  "<mujoco><option timestep='%g'/><worldbody><geom type='plane' size='1 1 1'/>" \
  "<body pos='0 0 .0999'><freejoint/><geom size='.1' mass='1'/></body>"

static const char motor_xml[] = BESIDE_A_BALL
    "<body pos='0 0 5'><joint name='j' axis='0 1 0'/><geom type='box' size='.05 .05 .3' mass='1'/>"
    "</body></worldbody><actuator><general joint='j' gaintype='custom' %s"
    " cortenforge:gain_model='dc_motor' cortenforge:gain_params='resistance=.6 gear=40 %s'/>"
    "</actuator></mujoco>";

// The speed of an idle motor is voltage / (constant * gear), and it does not overshoot by more than
// its inductance makes it.
CF_TEST(slopes__direct_current_motor__reaches_its_speed_with_every_solver_and_integrator) {
  static const char* const limits[] = {"", "forcerange='-5 5'"};
  static const char* const winding[] = {"", "inductance=4e-4"};
  static const mjtNum timesteps[] = {0.002, 0.01};
  for (int k = 0; k < NSOLVER * NINTEGRATOR * 8; k++) {
    char xml[2000];
    const int solver = k / 8 % NSOLVER, integrator = k / 8 / NSOLVER;
    snprintf(xml, sizeof(xml), motor_xml, timesteps[k / 4 % 2], limits[k % 2], winding[k / 2 % 2]);
    mjModel* m = openSlopes(xml, solver, integrator);
    mjData* d = mj_makeData(m);
    mjtNum fastest = 0;
    d->ctrl[0] = 5;
    while (d->time < 0.6) {
      mj_step(m, d);
      fastest = mju_max(fastest, fabs(d->qvel[6]));
    }
    if (!(fastest < 0.14 && fabs(d->qvel[6] - 0.125) < 1e-6 && d->ncon == 1)) {
      CF_FAIL("%s, %s, %s%s, timestep %g: speed %g at the end, %g at most\n", solver_names[solver],
              integrator_names[integrator], limits[k % 2], winding[k / 2 % 2], m->opt.timestep,
              d->qvel[6], fastest);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


static const char stall_xml[] =
    "<mujoco><option timestep='%g' gravity='0 0 0'/><worldbody>"
    "<geom type='box' size='.1 1 1' pos='.2 0 0' friction='0'/>"
    "<body><joint name='x' type='slide' axis='1 0 0'/><geom size='.05' pos='.04 0 0' mass='.3'/>"
    "</body></worldbody><actuator><general joint='x' gaintype='custom' %s"
    " cortenforge:gain_model='dc_motor' cortenforge:gain_params='resistance=.6 gear=40'/></actuator>"
    "</mujoco>";

// A motor that a wall stops presses with its stalling force, or with the limit that it has.
// MuJoCo's solver finds forces without the slope of the motor and comes there much later.
CF_TEST(slopes__motor_against_a_wall__presses_with_its_force) {
  static const char* const limits[] = {"", "forcerange='-7 7'"};
  static const mjtNum timesteps[] = {0.002, 0.01};
  for (int k = 0; k < (NSOLVER - 1) * NINTEGRATOR * 4; k++) {
    char xml[2000];
    const int solver = 1 + k / 4 % (NSOLVER - 1), integrator = k / 4 / (NSOLVER - 1);
    const mjtNum force = k % 2 ? 7 : 0.5 / 0.6 * 40;
    snprintf(xml, sizeof(xml), stall_xml, timesteps[k / 2 % 2], limits[k % 2]);
    mjModel* m = openSlopes(xml, solver, integrator);
    mjData* d = mj_makeData(m);
    d->ctrl[0] = 0.5;
    while (d->time < 2) {
      mj_step(m, d);
      if (d->time > 1.8 && !(fabs(d->qfrc_constraint[0] + force) < 1e-3 * force)) {
        CF_FAIL("%s, %s, %s, timestep %g: presses with %g N, not %g\n", solver_names[solver],
                integrator_names[integrator], limits[k % 2], m->opt.timestep,
                -d->qfrc_constraint[0], force);
      }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


static const char spring_xml[] = BESIDE_A_BALL
    "<body pos='0 0 5'><joint type='slide' axis='1 0 0' stiffness='%g' damping='%g'/>"
    "<geom size='.1' mass='1'/></body>"
    "<body pos='0 2 5'><joint type='ball' stiffness='%g'/><geom type='box' size='.05 .1 .2' mass='1'/>"
    "</body></worldbody></mujoco>";

static mjtNum springEnergy(const mjModel* m, mjData* d) {
  mj_energyPos(m, d);
  mj_energyVel(m, d);
  return d->energy[0] + d->energy[1];
}


// Springs of joints are implicit with springdamper: energy never above that at the start.
CF_TEST(slopes__stiff_springs_with_springdamper__energy_does_not_grow) {
  static const mjtNum cases[][4] = {{.002, 1e7, 1, 1e5}, {.002, 1e5, 0, 1e3}, {.01, 1e6, 10, 1e6}};
  for (int k = 0; k < 3 * NSOLVER; k++) {
    const mjtNum* c = cases[k / NSOLVER];
    char xml[2000];
    snprintf(xml, sizeof(xml), spring_xml, c[0], c[1], c[2], c[3]);
    mjModel* m = openSlopes(xml, k % NSOLVER, 3);
    mjData* d = mj_makeData(m);
    const mjtNum axis[3] = {0.6, 0, 0.8};
    d->qpos[7] = 0.01;
    mju_axisAngle2Quat(d->qpos + 8, axis, 0.1);
    mj_forward(m, d);
    const mjtNum first = springEnergy(m, d);
    for (int step = 0; step < 500; step++) {
      mj_step(m, d);
      mj_forward(m, d);
      const mjtNum energy = springEnergy(m, d);
      if (!(energy < first + 0.1 && fabs(d->qpos[7]) <= 0.01)) {
        CF_FAIL("%s, stiffness %g: energy grows from %g to %g J in %d steps\n",
                solver_names[k % NSOLVER], c[1], first, energy, step + 1);
      }
    }
    CF_NEAR(d->qpos[7], 0, 1e-3);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// ---------------------------------------- springs between substeps

// oscillators of 3 to 8 Hz without dampers: joints, ball, tendon, edges of a flex, actuators whose
// bias, gain or model depends on their length
static const char swing_xml[] = BESIDE_A_BALL
    "<body pos='0 0 5'><joint type='slide' axis='1 0 0' stiffness='2500'/>"
    "<geom size='.1' mass='1'/></body>"
    "<body pos='0 1 5' gravcomp='1'><joint type='ball' stiffness='2'/>"
    "<geom type='box' size='.05 .1 .2' mass='1'/></body>"
    "<site name='w' pos='-1 2 5'/><body pos='0 2 5'><joint name='t' type='slide' axis='1 0 0'/>"
    "<geom size='.1' mass='1'/><site name='e'/></body>"
    "<body pos='0 3 5'><joint name='s' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body>"
    "<body pos='0 5 5'><joint name='a' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body>"
    "<body pos='0 6 5'><joint name='c' type='slide' axis='1 0 0'/><geom size='.1' mass='1'/></body>"
    "<flexcomp name='f' type='grid' dim='1' count='2 1 1' spacing='1 1 1' pos='0 4 5' mass='2'"
    " radius='.01'><edge stiffness='500'/><pin id='0'/><contact selfcollide='none'/></flexcomp>"
    "</worldbody><tendon><spatial stiffness='400' springlength='1'><site site='w'/><site site='e'/>"
    "</spatial></tendon><actuator><position joint='s' kp='900'/>"
    "<general joint='a' gaintype='affine' gainprm='0 -900'/><general joint='c' gaintype='custom'"
    " cortenforge:gain_model='series_elastic' cortenforge:gain_params='k_spring=900'/></actuator></mujoco>";

// where oscillator number u with an actuator is
static mjtNum* swingAt(const mjModel* m, mjData* d, int u) {
  return d->qpos + m->jnt_qposadr[m->actuator_trnid[2 * u]];
}


static mjtNum swingEnergy(const mjModel* m, mjData* d) {
  mjtNum energy = 0;
  mj_forward(m, d);
  for (int u = 0; u < m->nu; u++) {
    energy += 0.5 * 900 * *swingAt(m, d, u) * *swingAt(m, d, u);
  }
  return energy + springEnergy(m, d);
}


// A spring that stayed for a step while substeps advance would give what swings omega*h/2 of its
// energy per radian: 4.5 times in 5 s at 3 Hz, ten thousand times at 8 Hz.
CF_TEST(slopes__undamped_oscillators__energy_does_not_grow_with_substeps) {
  static const mjtNum substeps[] = {1, 2, 4, 16, 64}, part[] = {.06, .03, .015, .005, .002};
  char xml[4000];
  snprintf(xml, sizeof(xml), swing_xml, 0.002);
  mjModel* m = cf_compileText(xml);
  mju_zero3(m->opt.gravity);
  m->opt.gravity[2] = -1e-9;
  const int slide = mj_name2id(m, mjOBJ_JOINT, "t");
  for (int k = 0; k < 10; k++) {
    const mjtNum value[3] = {substeps[k / 2], 10, k % 2 ? 0 : -1};
    CF_TRUE(cf_setContactSolver(m, "xpbd", value, 3, NULL, 0));
    mjData *d = mj_makeData(m), *look = mj_makeData(m);
    const mjtNum axis[3] = {0.6, 0, 0.8};
    d->qpos[7] = 0.1;
    mju_axisAngle2Quat(d->qpos + 8, axis, 0.3);
    d->qpos[m->jnt_qposadr[slide]] = 0.1;
    for (int u = 0; u < m->nu; u++) {
      *swingAt(m, d, u) = 0.1;
    }
    d->ctrl[1] = 1;
    d->qpos[m->nq - 3] = 0.1;
    d->xfrc_applied[6 + 2] = -10;  // the ball is pressed on the floor
    mj_copyData(look, m, d);
    const mjtNum first = swingEnergy(m, look);
    mjtNum most = first;
    int ncon = 0;
    while (d->time < 3) {
      mj_step(m, d);
      mj_copyData(look, m, d);
      most = mju_max(most, swingEnergy(m, look));
      ncon += d->ncon > 0;
    }
    CF_TRUE(first > 15 && ncon > 1400);
    if (!(most < (1 + part[k / 2]) * first)) {
      CF_FAIL("%g substeps, compliance %g: energy grows from %g to %g J\n", value[0], value[2],
              first, most);
    }
    mj_deleteData(d);
    mj_deleteData(look);
  }
  mj_deleteModel(m);
}


CF_TEST_MAIN("contactsolver/slopes")
