// cf_transition against differences of whole steps, where columns have a closed form, where they
// have none, and where somebody looks on.
#include <cortenforge/derivative.h>

#include "cf_smooth.h"
#include "cf_test.h"
#include "cf_text.h"

// a machine of branches: limits of forces on joints and tendons, a spatial tendon with armature, a
// damped tendon and a drive between branches, a second tree that a tendon holds
#define MACHINE(option, floor, actuators)                                                                                  \
  "<mujoco><option timestep='0.002' " option                                                                               \
  "/><default><geom type='capsule' size='0.05 0.1' density='3000'/></default><worldbody>" floor                            \
  "<site name='base' pos='0.1 0.2 1'/>"                                                                                    \
  "<body name='root' pos='0 0 0.6'><freejoint/><geom type='box' size='0.1 0.2 0.05'/><site name='s0'/>"                    \
  " <body pos='0.3 0 0'><joint name='ball' type='ball' damping='0.2'/><geom/>"                                             \
  "  <body pos='0.2 0.1 0'><joint name='h1' axis='0 1 1' actuatorfrcrange='-2 2'/><geom/><site name='s1'/></body></body>"  \
  " <body pos='-0.3 0 0'><joint name='h2' axis='0 0 1' damping='0.1'/><geom/><site name='s2'/></body></body>"              \
  "<body pos='1 0 0.6'><joint name='slide' type='slide' axis='0 0 1' stiffness='30'/><geom/><site name='s3'/></body>"      \
  "</worldbody><tendon>"                                                                                                   \
  "<fixed name='across' damping='0.3'><joint joint='h1' coef='2'/><joint joint='h2' coef='-1'/></fixed>"                   \
  "<spatial name='heavy' armature='0.3' damping='0.4' stiffness='3'><site site='base'/><site site='s1'/></spatial>"        \
  "<spatial name='limited' actuatorfrclimited='true' actuatorfrcrange='-3 3'><site site='s0'/><site site='s3'/></spatial>" \
  "</tendon><actuator>" actuators "</actuator></mujoco>"

#define DRIVES                                                                                        \
  "<motor name='motor' joint='h1' gear='3'/><position joint='h2' kp='5' kv='1'/>"                     \
  "<motor tendon='limited' gear='2'/><velocity tendon='limited' kv='0.7'/>"                           \
  "<velocity tendon='across' kv='0.2'/>"                                                              \
  "<general joint='h1' dyntype='filter' dynprm='0.1' gainprm='2' actlimited='true' actrange='-1 1'/>" \
  "<general joint='slide' dyntype='filterexact' dynprm='0.2' gainprm='2' actearly='true'/>"

static const char* const free_xml = MACHINE("", "", DRIVES);
static const char* const floor_xml =
    MACHINE("", "<geom type='plane' size='3 3 .1' friction='0.6'/>", DRIVES);
static const char* const cone_xml =
    MACHINE("cone='elliptic' impratio='3' jacobian='sparse'",
            "<geom type='plane' size='3 3 .1' friction='0.4' condim='4'/>", DRIVES);
static const char* const muscle_xml = MACHINE(
    "density='20' viscosity='0.3'", "",
    "<muscle joint='h1' ctrllimited='true' ctrlrange='0 1' lengthrange='-2 2'/>"
    "<muscle tendon='limited' ctrllimited='true' ctrlrange='0 1' lengthrange='0.2 2'/>"
    "<general joint='h2' gaintype='affine' gainprm='1 0.5 0.3' biastype='affine' biasprm='0 0 -0.4'/>");

// everything in closed form: dampers and drives between branches, limits, activations, a muscle
static const char* const plain_xml =
    "<mujoco><option timestep='0.002'/><default><geom type='capsule' size='0.05 0.1' density='3000'/></default>"
    "<worldbody><geom type='plane' size='3 3 .1' friction='0.6'/>"
    "<body pos='0 0 0.6'><freejoint/><geom type='box' size='0.1 0.2 0.05'/>"
    " <body pos='0.3 0 0'><joint name='ball' type='ball' damping='0.2'/><geom/>"
    "  <body pos='0.2 0.1 0'><joint name='h1' axis='0 1 1' actuatorfrcrange='-2 2'/><geom/></body></body>"
    " <body pos='-0.3 0 0'><joint name='h2' axis='0 0 1' damping='0.1' armature='0.1'/><geom/></body></body>"
    "<body pos='1 0 0.6'><joint name='slide' type='slide' axis='0 0 1' stiffness='30'/><geom/></body>"
    "</worldbody><tendon>"
    "<fixed name='across' damping='0.3'><joint joint='h1' coef='2'/><joint joint='h2' coef='-1'/></fixed>"
    "<fixed name='between' damping='0.5' stiffness='3'><joint joint='h2' coef='1'/><joint joint='slide' coef='1'/></fixed>"
    "</tendon><actuator>"
    "<motor joint='h1' gear='3'/><position joint='h2' kp='5' kv='1' forcerange='-1 1'/><velocity tendon='across' kv='0.2'/>"
    "<general joint='h2' gaintype='affine' gainprm='1 0.5 -0.3' biastype='affine' biasprm='0 0 -0.2'/>"
    "<general joint='h1' dyntype='filter' dynprm='0.1' gainprm='2' actlimited='true' actrange='-1 1'/>"
    "<general joint='slide' dyntype='filterexact' dynprm='0.2' gaintype='affine' gainprm='2 0 -1' actearly='true'/>"
    "<muscle joint='h2' ctrllimited='true' ctrlrange='0 1' lengthrange='-2 2'/></actuator></mujoco>";

enum { COLUMNS_MAX = 200 };

typedef struct {
  int compared, rough, of_kind[3];
  mjtNum error;
  int worst;
} outcome;


static mjtNum worstOf(const mjtNum* a, const mjtNum* b, int nx, int width, int column) {
  mjtNum error = 0, size = 1;
  for (int r = 0; r < nx; r++) {
    error = fmax(error, fabs(a[r * width + column] - b[r * width + column]));
    size = fmax(size, fabs(b[r * width + column]));
  }
  return isfinite(error) ? error / size : INFINITY;
}


// columns where differences with two steps agree
static outcome compareColumnwise(const mjModel* m, mjData* d) {
  const int nx = (int)(2 * m->nv + m->na), nu = (int)m->nu, size = nx * (nx + nu);
  mjtNum* all = calloc(3 * (size_t)size, sizeof(mjtNum));
  mjtByte column[COLUMNS_MAX];
  CF_TRUE(nx + nu <= COLUMNS_MAX);
  outcome o = {.worst = -1};
  for (int k = 0; k < 3; k++) {
    mjtNum* A = all + k * size;
    const cfTransitionOptions how = {.eps = k == 2 ? 1e-5 : 1e-6, .no_analytic = k > 0};
    cf_transitionColumns(m, d, &how, A, A + nx * nx, k ? NULL : column);
  }
  for (int c = 0; c < nx + nu; c++) {
    const int width = c < nx ? nx : nu, first = c < nx ? 0 : nx * nx, at = c < nx ? c : c - nx;
    const mjtNum *hybrid = all + first, *fine = hybrid + size, *coarse = fine + size;
    o.of_kind[column[c]]++;
    if (worstOf(coarse, fine, nx, width, at) > 2e-6) {
      o.rough++;
      continue;
    }
    o.compared += column[c] != CF_COLUMN_STEP;
    const mjtNum error = worstOf(hybrid, fine, nx, width, at);
    if (error > o.error) {
      o.error = error;
      o.worst = c;
    }
  }
  free(all);
  return o;
}


static void drive(cfCase c, unsigned seed, mjtNum strength) {
  cf_randomState(c, seed);
  for (int u = 0; u < c.m->nu; u++) {
    c.d->ctrl[u] = c.m->actuator_ctrllimited[u] ? 0.5 * (1 + 0.8 * cf_random(&seed))
                                                : strength * cf_random(&seed);
  }
  for (int k = 0; k < c.m->na; k++) {
    c.d->act[k] = 0.5 + 0.4 * cf_random(&seed);
  }
  for (int k = 0; k < 20; k++) {
    mj_step(c.m, c.d);
  }
}


// returns the number of columns that were compared
static int checkMachine(const char* xml, int integrator, mjtNum strength) {
  mjModel* m = cf_compileText(xml);
  const cfCase c = {m, mj_makeData(m)};
  int compared = 0, rough = 0;
  const int ncolumn = (int)(2 * m->nv + m->na + m->nu);
  m->opt.integrator = integrator;
  for (unsigned seed = 1; seed <= 4; seed++) {
    drive(c, seed, strength);
    const outcome o = compareColumnwise(c.m, c.d);
    if (!(o.error < 2e-5)) {
      print_message("integrator %d seed %u: column %d, %g\n", integrator, seed, o.worst, o.error);
    }
    CF_TRUE(o.error < 2e-5);
    compared += o.compared;
    rough += o.rough;
  }
  if (rough >= ncolumn) {
    print_message("integrator %d: %d of 4 * %d columns are not smooth\n", integrator, rough,
                  ncolumn);
  }
  CF_TRUE(rough < ncolumn);
  cf_closeCase(c);
  return compared;
}


// ---------------------------------------- limits, tendons, media

CF_TEST(transition__limited_forces_and_heavy_tendons__equals_differences_of_steps) {
  for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
    int compared = 0;
    for (int k = 0; k < 3; k++) {
      compared += checkMachine(free_xml, integrator, k == 0 ? 0.3 : 10 * k);
    }
    CF_TRUE(integrator == mjINT_RK4 ? compared == 0 : compared > 300);
  }

  // the limits are reached
  mjModel* m = cf_compileText(free_xml);
  const cfCase c = {m, mj_makeData(m)};
  drive(c, 1, 20);
  mj_forward(m, c.d);
  const int joint = mj_name2id(m, mjOBJ_JOINT, "h1"), dof = m->jnt_dofadr[joint];
  CF_NEAR(fabs(c.d->qfrc_actuator[dof]), 2, 1e-12);
  CF_NEAR(fabs(c.d->actuator_force[2] + c.d->actuator_force[3]), 3, 1e-12);
  cf_closeCase(c);
}


// the text with one attribute changed to another of the same length
static const char* changed(const char* xml, const char* from, const char* to) {
  static char text[6000];
  CF_TRUE(strlen(xml) < sizeof(text) && strlen(from) == strlen(to));
  strcpy(text, xml);
  char* at = strstr(text, from);
  CF_TRUE(at != NULL);
  memcpy(at, to, strlen(to));
  return text;
}


// each of what rules out closed forms of velocities by itself
CF_TEST(transition__limited_tendon_or_heavy_tendon_alone__equals_differences_of_steps) {
  for (int k = 0; k < 2; k++) {
    const int integrator = k ? mjINT_IMPLICITFAST : mjINT_EULER;
    CF_TRUE(checkMachine(changed(free_xml, "armature='0.3'", "armature='0.0'"), integrator, 10) >
            50);
    CF_TRUE(
        checkMachine(changed(free_xml, "actuatorfrclimited='true' ", "actuatorfrclimited='false'"),
                     integrator, 2) > 50);
  }
}


CF_TEST(transition__closed_forms__equal_differences_of_steps) {
  for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
    const int weak = checkMachine(plain_xml, integrator, 0.3),
              strong = checkMachine(plain_xml, integrator, 8);
    CF_TRUE(integrator == mjINT_RK4 ? weak + strong == 0 : weak + strong > 200);
  }
  mjModel* m = cf_compileText(plain_xml);
  const cfCase c = {m, mj_makeData(m)};
  drive(c, 1, 0.3);
  const outcome o = compareColumnwise(c.m, c.d);
  enum { TRANSLATIONS = 3 };
  CF_EQ_INT(o.of_kind[CF_COLUMN_CLOSED], m->nv + m->na + m->nu + TRANSLATIONS);
  cf_closeCase(c);
}


CF_TEST(transition__muscles_in_a_medium__equals_differences_of_steps) {
  for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
    const int compared = checkMachine(muscle_xml, integrator, 0.5);
    CF_TRUE(integrator == mjINT_RK4 ? compared == 0 : compared > 80);
  }
}


CF_TEST(transition__contacts__equals_differences_of_steps) {
  for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
    const int pyramids = checkMachine(floor_xml, integrator, 1);
    const int cones = checkMachine(cone_xml, integrator, 1);
    CF_TRUE(integrator == mjINT_RK4 ? pyramids + cones == 0 : (pyramids > 80 && cones > 80));
  }
}


// dozens of candidates of the broad phase, few of which touch: all are looked at in nudged states
CF_TEST(transition__heaps_and_predefined_pairs__equals_differences_of_steps) {
  char xml[6000], *p = xml;
  p += sprintf(
      p,
      "<mujoco><option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='3 3 .1'/>");
  for (int k = 0; k < 9; k++) {
    p += sprintf(
        p,
        "<body pos='%g %g %g'><freejoint/><geom name='g%d' type='%s' size='.1 .08 .09' margin='.01'/>"
        "<geom type='capsule' size='.03 .05' pos='.09 0 0' euler='0 90 0'/></body>",
        0.19 * (k % 3), 0.17 * (k / 3), 0.1 + 0.05 * (k % 2), k, k % 2 ? "sphere" : "ellipsoid");
  }
  sprintf(
      p,
      "</worldbody><contact><pair geom1='g0' geom2='g1' condim='1'/><pair geom1='floor' geom2='g4'/></contact></mujoco>");
  const int compared = checkMachine(xml, mjINT_EULER, 1);
  CF_TRUE(compared > 150);
}


// forward differences are as good as their order
CF_TEST(transition__one_sided__is_near_the_centered_one) {
  mjModel* m = cf_compileText(cone_xml);
  const cfCase c = {m, mj_makeData(m)};
  const int nx = (int)(2 * m->nv + m->na), size = nx * (nx + (int)m->nu);
  mjtNum *one = calloc((size_t)size, sizeof(mjtNum)), *both = calloc((size_t)size, sizeof(mjtNum));
  const cfTransitionOptions how = {.eps = 1e-7, .one_sided = 1};
  drive(c, 2, 1);
  cf_transition(m, c.d, &how, one, one + nx * nx);
  cf_transition(m, c.d, NULL, both, both + nx * nx);
  CF_TRUE(cf_maxRelativeError(one, both, size) < 1e-4);
  CF_TRUE(cf_maxRelativeError(one, both, size) > 0);
  free(one);
  free(both);
  cf_closeCase(c);
}


// two activations, of which no formula knows: no column but those of steps and stages
CF_TEST(transition__activations_of_a_program__are_differenced) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><body><joint name='j' damping='1'/><geom size='.1' pos='.3 0 0'/></body></worldbody>"
      "<actuator><general joint='j' dyntype='user' actdim='2' gaintype='affine' gainprm='1 0 -2'/>"
      "<motor joint='j'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  d->act[0] = 0.3;
  d->act[1] = 0.7;
  d->qvel[0] = 0.4;
  mjtByte column[6];
  const cfTransitionCheck check = cf_checkTransition(m, d, 1e-6, column);
  CF_TRUE(check.error < 1e-7);
  CF_EQ_INT(check.ncompared, 6);
  CF_EQ_INT(column[1], CF_COLUMN_STAGE);
  CF_EQ_INT(column[3], CF_COLUMN_STAGE);
  CF_EQ_INT(column[5], CF_COLUMN_CLOSED);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// ---------------------------------------- callbacks

static int calls;

static void steer(const mjModel* m, mjData* d) {
  calls++;
  d->ctrl[0] = -0.4 * d->qvel[m->nv - 1] - d->qpos[m->nq - 1];
}

static void resist(const mjModel* m, mjData* d) {
  calls++;
  for (int i = 0; i < m->nv; i++) {
    d->qfrc_passive[i] -= 0.3 * d->qvel[i] * fabs(d->qvel[i]) + 0.2 * sin(d->qpos[i]);
  }
}

static mjtNum rate(const mjModel* m, const mjData* d, int u) {
  calls++;
  return d->ctrl[u] - 3 * d->act[m->actuator_actadr[u]] + d->qvel[0];
}

static mjtNum gain(const mjModel* m, const mjData* d, int u) {
  (void)m;
  calls++;
  return 2 + d->actuator_velocity[u] + cos(d->actuator_length[u]);
}

static mjtNum bias(const mjModel* m, const mjData* d, int u) {
  (void)m;
  calls++;
  return -d->actuator_velocity[u] + sin(d->actuator_length[u]);
}

static const char* const user_xml = MACHINE(
    "", "",
    "<motor joint='h1' gear='0.3'/><general joint='h2' dyntype='user' gaintype='user' biastype='user' actdim='1'/>"
    "<general joint='slide' gaintype='user' biastype='user'/>");


// whole steps of one's own
static mjtNum stepColumn(const mjModel* m, mjData* d, int column, const mjtNum* matrix, int width) {
  const int nx = (int)(2 * m->nv + m->na), nv = (int)m->nv;
  const mjtNum eps = 1e-6;
  mjData* side[2];
  mjtNum expected[COLUMNS_MAX], direction[COLUMNS_MAX] = {0}, error = 0;
  for (int k = 0; k < 2; k++) {
    const mjtNum h = k ? eps : -eps;
    side[k] = mj_copyData(NULL, m, d);
    direction[column % nv] = 1;
    if (column < nv) {
      mj_integratePos(m, side[k]->qpos, direction, h);
    } else if (column < 2 * nv) {
      side[k]->qvel[column - nv] += h;
    } else if (column < nx) {
      side[k]->act[column - 2 * nv] += h;
    } else {
      side[k]->ctrl[column - nx] += h;
    }
    mj_step(m, side[k]);
  }
  mj_differentiatePos(m, expected, 2 * eps, side[0]->qpos, side[1]->qpos);
  for (int i = 0; i < nv; i++) {
    expected[nv + i] = (side[1]->qvel[i] - side[0]->qvel[i]) / (2 * eps);
  }
  for (int i = 0; i < m->na; i++) {
    expected[2 * nv + i] = (side[1]->act[i] - side[0]->act[i]) / (2 * eps);
  }
  for (int r = 0; r < nx; r++) {
    error =
        fmax(error, fabs(expected[r] - matrix[r * width + (column < nx ? column : column - nx)]));
  }
  mj_deleteData(side[0]);
  mj_deleteData(side[1]);
  return error;
}


static void checkSteps(const mjModel* m, mjData* d) {
  static mjtNum A[COLUMNS_MAX * COLUMNS_MAX], B[COLUMNS_MAX * COLUMNS_MAX];
  const int nx = (int)(2 * m->nv + m->na), nu = (int)m->nu;
  CF_TRUE(nx + nu <= COLUMNS_MAX);
  cf_transition(m, d, NULL, A, B);
  for (int c = 0; c < nx + nu; c++) {
    const mjtNum error = stepColumn(m, d, c, c < nx ? A : B, c < nx ? nx : nu);
    if (!(error < 1e-5)) {
      print_message("column %d of %d + %d: %g\n", c, nx, nu, error);
    }
    CF_TRUE(error < 1e-5);
  }
}


static void checkCallbackOn(const char* xml) {
  mjModel* m = cf_compileText(xml);
  const cfCase c = {m, mj_makeData(m)};
  calls = 0;
  for (unsigned seed = 1; seed <= 2; seed++) {
    drive(c, seed, 0.5);
    checkSteps(c.m, c.d);
  }
  CF_TRUE(calls > 100);
  cf_closeCase(c);
}


static void checkCallback(void) {
  checkCallbackOn(user_xml);
}


CF_TEST(transition__callback__its_forces_are_in_the_matrices) {
  mjcb_control = steer;
  checkCallback();
  checkCallbackOn(plain_xml);
  mjcb_control = NULL;
  mjcb_passive = resist;
  checkCallback();
  checkCallbackOn(plain_xml);
  mjcb_passive = NULL;
  mjcb_act_dyn = rate;
  checkCallback();
  mjcb_act_dyn = NULL;
  mjcb_act_gain = gain;
  checkCallback();
  mjcb_act_gain = NULL;
  mjcb_act_bias = bias;
  checkCallback();
  mjcb_act_bias = NULL;
}


// ---------------------------------------- controls beyond their range

// where controls are not clamped, ranges do not hold, and a control beyond its range drives
CF_TEST(transition__controls_are_not_clamped__those_beyond_their_range_drive) {
  mjModel* m = cf_compileText(
      "<mujoco><option><flag clampctrl='disable'/></option><worldbody>"
      "<body><joint name='j' damping='1'/><geom size='.1' pos='.3 0 0'/></body></worldbody><actuator>"
      "<motor joint='j' ctrllimited='true' ctrlrange='-1 1'/><motor joint='j' ctrllimited='true' ctrlrange='-1 1'/>"
      "<general joint='j' dyntype='filter' ctrllimited='true' ctrlrange='-1 1'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
    m->opt.integrator = integrator;
    d->ctrl[0] = 2;   // beyond its range
    d->ctrl[1] = 1;   // at the end of it
    d->ctrl[2] = -3;  // beyond, and drives an activation
    mjtNum B[3 * 3];
    cf_transition(m, d, NULL, NULL, B);
    for (int u = 0; u < 3; u++) {
      CF_TRUE(stepColumn(m, d, 3 + u, B, 3) < 1e-7);
    }
    CF_TRUE(B[3] > 1e-4 && B[8] > 1e-4);
  }

  // clamped, nothing gets through
  m->opt.disableflags = 0;
  mjtNum B[3 * 3];
  cf_transition(m, d, NULL, NULL, B);
  CF_NEAR(B[3], 0, 0);
  CF_NEAR(B[8], 0, 0);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// ---------------------------------------- Runge-Kutta, sleep

CF_TEST(transition__runge_kutta__equals_whole_steps) {
  mjModel* m = cf_compileText(floor_xml);
  const cfCase c = {m, mj_makeData(m)};
  m->opt.integrator = mjINT_RK4;
  drive(c, 3, 1);
  checkSteps(c.m, c.d);
  cf_closeCase(c);
}


static const char* const sleeping_xml =
    "<mujoco><option timestep='0.005'><flag sleep='enable'/></option><worldbody>"
    "<geom type='plane' size='3 3 .1'/><body pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
    "<body pos='1 0 1'><joint axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body></worldbody></mujoco>";

// asking twice gives the same, and leaves the trees as they are
CF_TEST(transition__sleeping_trees__are_asleep_afterwards) {
  mjModel* m = cf_compileText(sleeping_xml);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 1000; k++) {
    mj_step(m, d);
  }
  CF_EQ_INT(d->ntree_awake, 1);
  const int nx = (int)(2 * m->nv);
  mjtNum *one = calloc((size_t)(nx * nx), sizeof(mjtNum)),
         *two = calloc((size_t)(nx * nx), sizeof(mjtNum));
  cf_transition(m, d, NULL, one, NULL);
  CF_EQ_INT(d->ntree_awake, 1);
  CF_TRUE(d->tree_asleep[0] >= 0);
  cf_transition(m, d, NULL, two, NULL);
  CF_EQ_BYTES(one, two, (size_t)(nx * nx) * sizeof(mjtNum));
  free(one);
  free(two);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// ---------------------------------------- validators

CF_TEST(checkTransition__reports_what_it_compared) {
  mjModel* m = cf_compileText(free_xml);
  const cfCase c = {m, mj_makeData(m)};
  mjtByte column[COLUMNS_MAX];
  drive(c, 1, 0.3);
  cfTransitionCheck check = cf_checkTransition(c.m, c.d, 1e-6, column);
  const int count = (int)(2 * m->nv + m->na + m->nu);
  CF_EQ_INT(check.ncolumn, count);
  CF_EQ_INT(check.ncompared, count);
  CF_TRUE(check.error < 1e-5 && check.row >= 0 && check.column >= 0);
  CF_EQ_INT(column[3], CF_COLUMN_STAGE);

  // nothing has been compared: no number says that it is right
  m->opt.integrator = mjINT_RK4;
  check = cf_checkTransition(c.m, c.d, 1e-6, column);
  CF_EQ_INT(check.ncompared, 0);
  CF_EQ_INT(column[count - 1], CF_COLUMN_STEP);
  CF_TRUE(isinf(check.error) && isinf(cf_validateTransition(c.m, c.d, 1e-6)));
  CF_TRUE(isinf(cf_maxRelativeError(NULL, NULL, 0)));
  cf_closeCase(c);
}


CF_TEST_MAIN("finitediff/hybrid")
