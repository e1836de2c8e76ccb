// Laws of derivatives, contact forces, soft bodies and motors: the table of docs/validation.md.
//
//   extensionlaws     one row per scene: law, ours, MuJoCo's.  The same numbers on every run
//
// MuJoCo's column is the same scene without our extension, which gives MuJoCo's numbers; a dash: it
// has nothing of the kind.
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/actuator.h>
#include <cortenforge/contact.h>
#include <cortenforge/derivative.h>
#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

enum { XML_BYTES = 20000 };


static mjModel* compile(const char* format, ...) {
  static char xml[XML_BYTES];
  char error[1000] = "";
  va_list list;
  va_start(list, format);
  vsnprintf(xml, sizeof(xml), format, list);
  va_end(list);
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "scene.xml", xml, (int)strlen(xml));
  mjModel* m = mj_loadXML("scene.xml", &vfs, error, sizeof(error));
  mj_deleteVFS(&vfs);
  if (!m) {
    fprintf(stderr, "%s\n", error);
    exit(1);
  }
  return m;
}


static void row(const char* scene, const char* law, const char* ours, const char* others) {
  printf("| %s | %s | %s | %s |\n", scene, law, ours, others);
  fflush(stdout);
}


static const char* number(char text[40], const char* format, double value) {
  snprintf(text, 40, format, value);
  return text;
}


// ---------------------------------------- derivatives

// state after a step from a state with one number moved; hinges only: positions are numbers
static void steppedState(const mjModel* m, mjData* d, const mjtNum* state, int at, double by,
                         mjtNum* next) {
  mjtNum* moved = at < m->nq + m->nv + m->na ? d->qpos : d->ctrl;
  mj_setState(m, d, state, mjSTATE_INTEGRATION);
  if (at >= m->nq + m->nv + m->na) {
    moved += at - (m->nq + m->nv + m->na);
  } else if (at >= m->nq + m->nv) {
    moved = d->act + (at - m->nq - m->nv);
  } else if (at >= m->nq) {
    moved = d->qvel + (at - m->nq);
  } else {
    moved += at;
  }
  *moved += by;
  mj_step(m, d);
  mj_getState(m, d, next, mjSTATE_PHYSICS);
}


// largest difference of cf_transition or mjd_transitionFD from differences of mj_step, relative
// where large
static double transitionError(const mjModel* m, mjData* d, bool is_mujoco) {
  enum { NX_MAX = 20 };
  static const double eps = 1e-6;
  const int nx = (int)(2 * m->nv + m->na), nu = (int)m->nu;
  mjtNum A[NX_MAX * NX_MAX], B[NX_MAX * NX_MAX], plus[NX_MAX], minus[NX_MAX];
  mjtNum* state = calloc((size_t)mj_stateSize(m, mjSTATE_INTEGRATION), sizeof(mjtNum));
  mj_getState(m, d, state, mjSTATE_INTEGRATION);
  if (is_mujoco) {
    mjd_transitionFD(m, d, eps, 1, A, B, NULL, NULL);
  } else {
    cf_transition(m, d, NULL, A, B);
  }
  double worst = 0;
  for (int c = 0; c < nx + nu; c++) {
    steppedState(m, d, state, c, eps, plus);
    steppedState(m, d, state, c, -eps, minus);
    for (int r = 0; r < nx; r++) {
      const double law = (plus[r] - minus[r]) / (2 * eps);
      const double found = c < nx ? A[r * nx + c] : B[r * nu + c - nx];
      worst = fmax(worst, fabs(found - law) / fmax(1, fabs(law)));
    }
  }
  free(state);
  return worst;
}


static void derivativeRows(void) {
  static const char arm[] =
      "<mujoco><option integrator='%s'/><worldbody><site name='w' pos='0 0 1'/><body><joint name='a' axis='0 1 0' damping='.1'/>"
      "<geom type='capsule' size='.05' fromto='0 0 0 .4 0 0'/><body pos='.4 0 0'><joint name='b' axis='0 1 0' "
      "actuatorfrcrange='-1 1'/><geom type='capsule' size='.04' fromto='0 0 0 .3 0 0'/><site name='s' pos='.3 0 0'/></body>"
      "</body></worldbody><tendon><spatial name='t' armature='.2' actuatorfrclimited='true' actuatorfrcrange='-2 2'>"
      "<site site='w'/><site site='s'/></spatial></tendon><actuator><motor tendon='t' gear='5'/><motor joint='b' gear='3'/>"
      "<muscle joint='a' lengthrange='-2 2' ctrllimited='true' ctrlrange='0 1'/></actuator></mujoco>";
  static const char* const integrators[] = {"Euler", "implicitfast", "RK4"};
  for (int k = 0; k < 3; k++) {
    mjModel* m = compile(arm, integrators[k]);
    mjData* d = mj_makeData(m);
    char ours[40], others[40], scene[200];
    for (int step = 0; step < 50; step++) {
      d->ctrl[0] = d->ctrl[1] = 0.9;
      d->ctrl[2] = 0.4;
      mj_step(m, d);
    }
    snprintf(scene, sizeof(scene), "arm whose joint and tendon reach their force limits, %s",
             integrators[k]);
    row(scene, "A and B less differences of `mj_step`: 0",
        number(ours, "%.1g", transitionError(m, d, false)),
        k == 2 ? "refused" : number(others, "%.1g", transitionError(m, d, true)));
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// ---------------------------------------- contact forces

static void pressedSlide(const char* solver, char text[40]) {
  mjModel* m = compile(
      "<mujoco><option gravity='0 0 0' %s/><worldbody><geom type='box' size='.1 1 1' pos='.2 0 0'/><body>"
      "<joint name='x' type='slide' axis='1 0 0' damping='100'/><geom size='.05' pos='.05 0 0' mass='1'/></body></worldbody>"
      "<actuator><motor joint='x'/></actuator></mujoco>",
      solver);
  mjData* d = mj_makeData(m);
  double low = INFINITY, high = -INFINITY;
  d->ctrl[0] = 60;
  for (int step = 0; step < 1500; step++) {
    mj_step(m, d);
    if (step >= 1000) {
      low = fmin(low, -d->qfrc_constraint[0]);
      high = fmax(high, -d->qfrc_constraint[0]);
    }
  }
  snprintf(text, 40, "%.6g to %.6g N", low, high);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// how far a box in a gripper with velocity gains slides in 3 s, mm
static double grippedBox(const char* solver) {
  mjModel* m = compile(
      "<mujoco><option integrator='implicitfast' %s/><worldbody>"
      "<body pos='-.1 0 0'><joint name='l' type='slide' axis='1 0 0'/><geom type='box' size='.02 .05 .05' mass='.2'/></body>"
      "<body pos='.1 0 0'><joint name='r' type='slide' axis='-1 0 0'/><geom type='box' size='.02 .05 .05' mass='.2'/></body>"
      "<body><freejoint/><geom type='box' size='.0801 .03 .03' mass='1' friction='.6'/></body></worldbody><actuator>"
      "<position joint='l' kp='500' kv='100'/><position joint='r' kp='500' kv='100'/></actuator></mujoco>",
      solver);
  mjData* d = mj_makeData(m);
  d->ctrl[0] = d->ctrl[1] = 0.024;
  while (d->time < 3) {
    mj_step(m, d);
  }
  const double moved = 1e3 * fabs(d->qpos[4]);
  mj_deleteData(d);
  mj_deleteModel(m);
  return moved;
}


// a bar held off its center by two round fingers: how far it turns in 2 s, rad
static double heldBar(const char* solver) {
  mjModel* m = compile(
      "<mujoco><option cone='elliptic' %s/><worldbody>"
      "<body pos='0 .05 0'><joint name='l' type='slide' axis='0 -1 0' damping='50'/><geom type='cylinder' size='.03 .02' "
      "euler='90 0 0' mass='.2' friction='.8'/></body>"
      "<body pos='0 -.05 0'><joint name='r' type='slide' axis='0 1 0' damping='50'/><geom type='cylinder' size='.03 .02' "
      "euler='90 0 0' mass='.2' friction='.8'/></body>"
      "<body pos='.08 0 0'><freejoint/><geom type='box' size='.15 .0301 .02' mass='.3' friction='.8'/></body></worldbody>"
      "<actuator><motor joint='l'/><motor joint='r'/></actuator></mujoco>",
      solver);
  mjData* d = mj_makeData(m);
  d->ctrl[0] = d->ctrl[1] = 30;
  while (d->time < 2) {
    mj_step(m, d);
  }
  const double turned = 2 * acos(fmin(1, fabs(d->qpos[5])));
  mj_deleteData(d);
  mj_deleteModel(m);
  return turned;
}


static void contactRows(void) {
  static const char hunt[] = "cortenforge:solver='hunt_crossley'";
  static const char field[] =
      "cortenforge:solver='hunt_crossley' cortenforge:hunt_crossley_modulus='2e5'";
  char ours[40], others[40];
  pressedSlide(hunt, ours);
  pressedSlide("", others);
  row("slide with damping 100 pressed with 60 N, `hunt_crossley`", "60 N after 2 s", ours, others);
  row("box in a gripper with kv, 71 % of its friction, 3 s, `hunt_crossley`", "slides 0 mm",
      number(ours, "%.2g mm", grippedBox(hunt)), number(others, "%.2g mm", grippedBox("")));
  row("bar held off its center by flat fingers, contact patches", "turns 0 rad",
      number(ours, "%.2g rad", heldBar(field)), number(others, "%.2g rad", heldBar("")));
}


// ---------------------------------------- soft bodies

// resets and largest speed of vertices after `seconds`, "unstable" where there was a reset
static void runSoft(mjModel* m, mjData* d, double seconds, char text[40]) {
  double fastest = 0;
  while (d->time < seconds && !d->warning[mjWARN_BADQACC].number) {
    mj_step(m, d);
    fastest = 0;
    for (int i = 0; i < m->nv; i++) {
      fastest = fmax(fastest, fabs(d->qvel[i]));
    }
  }
  const bool is_bad = d->warning[mjWARN_BADQACC].number || d->warning[mjWARN_BADQVEL].number;
  snprintf(text, 40, is_bad ? "bad numbers" : "%.2g m/s", fastest);
  mj_deleteData(d);
  mj_deleteModel(m);
}


static void jelly(const char* solver, const char* stiffness, char text[40]) {
  mjModel* m = compile(
      "<mujoco><option timestep='.005' %s/><size memory='100M'/><worldbody><geom type='plane' size='5 5 1'/>"
      "<flexcomp name='j' type='grid' dim='3' count='4 4 3' spacing='.1 .1 .1' pos='0 0 .111' mass='2' radius='.01' %s>"
      "<elasticity young='1e5' poisson='.3' damping='.01'/><contact selfcollide='none' internal='false'/></flexcomp>"
      "<body pos='0 0 .265'><freejoint/><geom type='box' size='.2 .2 .04' mass='3'/></body></worldbody></mujoco>",
      solver, stiffness);
  runSoft(m, mj_makeData(m), 2, text);
}


// a cube that spins at 40 rad/s with a step of 20 ms
static void spinningCube(const char* models, char text[40]) {
  mjModel* m = compile(
      "<mujoco><option timestep='.02' gravity='0 0 0'/><size memory='100M'/><worldbody>"
      "<flexcomp name='c' type='grid' dim='3' count='3 3 3' spacing='.1 .1 .1' mass='1' radius='.01' %s>"
      "<elasticity young='5e4' poisson='.3'/><contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>",
      models);
  mjData* d = mj_makeData(m);
  for (int b = 1; b < m->nbody; b++) {
    d->qvel[3 * (b - 1)] = -40 * m->body_pos[3 * b + 1];
    d->qvel[3 * (b - 1) + 1] = 40 * m->body_pos[3 * b];
  }
  runSoft(m, d, 2, text);
}


// a quarter cylinder without stress and weight: how far a vertex moves in 2 s
static double quarterCylinder(const char* model) {
  enum { CELLS = 6 };
  char point[4000] = "", element[2000] = "";
  size_t p = 0, e = 0;
  for (int i = 0; i <= CELLS; i++) {
    for (int k = 0; k <= CELLS; k++) {
      const double angle = 0.5 * mjPI * i / CELLS;
      p += (size_t)snprintf(point + p, sizeof(point) - p, "%.12g %.12g %.12g ", 0.3 * cos(angle),
                            0.05 * k, 0.3 * sin(angle));
      const int a = i * (CELLS + 1) + k;
      if (i < CELLS && k < CELLS) {
        e += (size_t)snprintf(element + e, sizeof(element) - e, "%d %d %d %d %d %d ", a, a + 1,
                              a + CELLS + 1, a + 1, a + CELLS + 2, a + CELLS + 1);
      }
    }
  }
  mjModel* m = compile(
      "<mujoco><option timestep='.001' gravity='0 0 0'/><size memory='50M'/><worldbody><flexcomp name='c' type='direct' dim='2' mass='.1' "
      "radius='.002' point='%s' element='%s' %s><elasticity young='1e6' poisson='.3' thickness='.01' elastic2d='bend'/>"
      "<edge equality='true'/><contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>",
      point, element, model);
  mjData* d = mj_makeData(m);
  double moved = 0;
  while (d->time < 2) {
    mj_step(m, d);
  }
  for (int i = 0; i < m->nq; i++) {
    moved = fmax(moved, fabs(d->qpos[i] - m->qpos0[i]));
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return moved;
}


static void softRows(void) {
  char ours[40], others[40];
  jelly("cortenforge:solver='hunt_crossley'", "implicit_stiffness='true'", ours);
  jelly("", "", others);
  row("jelly of 1e5 Pa under a box of 3 kg, 5 ms, `implicit_stiffness`, `hunt_crossley`",
      "at rest after 2 s: 0 m/s", ours, others);
  spinningCube("elasticity_model='neo_hookean' implicit_stiffness='true'", ours);
  spinningCube("", others);
  row("cube of `neo_hookean` spinning at 40 rad/s, 20 ms",
      "finite, slower than the 5.7 m/s of the start", ours, others);
  row("quarter cylinder without stress, `cubic_shell`", "moves 0 m in 2 s",
      number(ours, "%.1g m", quarterCylinder("bending_model='cubic_shell'")),
      number(others, "%.2g m", quarterCylinder("")));
}


// ---------------------------------------- motors

// speed that a motor of the documentation settles at, with its inductance
static double motorSpeed(const char* integrator) {
  mjModel* m = compile(
      "<mujoco><option gravity='0 0 0' integrator='%s'/><worldbody><body><joint name='j' armature='.01'/><geom size='.05' mass='.1'/></body>"
      "</worldbody><actuator><general joint='j' gaintype='custom' cortenforge:gain_model='dc_motor' cortenforge:gain_params='"
      "resistance=0.6 inductance=4e-4 torque_constant=.05 back_emf=.05 gear=40'/></actuator></mujoco>",
      integrator);
  mjData* d = mj_makeData(m);
  d->ctrl[0] = 12;
  while (d->time < 2) {
    mj_step(m, d);
  }
  const double speed = d->qvel[0];
  mj_deleteData(d);
  mj_deleteModel(m);
  return speed;
}


static void motorRows(void) {
  static const char* const integrators[] = {"Euler", "RK4", "implicit", "implicitfast"};
  for (int k = 0; k < 4; k++) {
    char ours[40], scene[100];
    snprintf(scene, sizeof(scene), "`dc_motor`, 0.6 Ohm, 4e-4 H, gear 40, 12 V, %s",
             integrators[k]);
    row(scene, "12/(0.05 * 40) = 6 rad/s", number(ours, "%.9g rad/s", motorSpeed(integrators[k])),
        "-");
  }
}


int main(void) {
  printf("| scene | law | ours | MuJoCo's |\n|---|---|---|---|\n");
  derivativeRows();
  contactRows();
  softRows();
  motorRows();
  return 0;
}
