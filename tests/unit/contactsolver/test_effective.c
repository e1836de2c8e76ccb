// Contact forces that are found with the matrix of the integrator: the law holds for the velocities
// that a step ends with, whatever makes the step implicit, and nothing oscillates or creeps.
#include "cf_test.h"

#include <cortenforge/cortenforge.h>
#include <cortenforge/derivative.h>

#include "cf_guard.h"
#include "cf_text.h"

// springdamper is the last: files name it by another attribute
static const int integrators[] = {mjINT_EULER, mjINT_IMPLICIT, mjINT_IMPLICITFAST,
                                  CF_INTEGRATOR_SPRING_DAMPER};
static const char* const integrator_names[] = {"Euler", "implicit", "implicitfast", "springdamper"};


static mjModel* huntModel(const char* xml) {
  mjModel* m = cf_compileText(xml);
  char error[300] = "";
  if (!cf_setContactSolver(m, "hunt_crossley", NULL, 0, error, sizeof(error))) {
    CF_FAIL("%s\n", error);
  }
  return m;
}


// ---------------------------------------- the law at the end of a step

// One value of the model for a contact.
static mjtNum huntValue(const mjModel* m, const char* name) {
  return cf_contactParameter(m, "hunt_crossley", name, mjOBJ_MODEL, 0);
}


// Velocity along an axis of an elliptic contact, after the step.
static mjtNum endVelocity(const mjModel* m, const mjData* d, int row) {
  mjtNum sum = 0;
  if (mj_isSparse(m)) {
    for (int k = 0; k < d->efc_J_rownnz[row]; k++) {
      const int at = d->efc_J_rowadr[row] + k;
      sum += d->efc_J[at] * d->qvel[d->efc_J_colind[at]];
    }
    return sum;
  }
  for (int i = 0; i < m->nv; i++) {
    sum += d->efc_J[(size_t)row * (size_t)m->nv + (size_t)i] * d->qvel[i];
  }
  return sum;
}


// largest difference between forces of contacts and the law, relative to the largest force
static mjtNum lawError(const mjModel* m, const mjData* d) {
  const mjtNum k = huntValue(m, "stiffness"), c = huntValue(m, "dissipation");
  const mjtNum v0 = huntValue(m, "stiction_velocity"), h = m->opt.timestep;
  mjtNum worst = 0, most = 1e-3;
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* con = d->contact + i;
    const int row = con->efc_address;
    if (row < 0) {
      continue;  // beyond its margin less the gap: no force
    }
    const mjtNum u = endVelocity(m, d, row), depth = -con->dist - h * u, damped = 1 - 1.5 * c * u;
    const mjtNum normal = depth > 0 && damped > 0 ? k * pow(depth, 1.5) * damped : 0;
    mjtNum slip = 0;
    for (int j = 1; j < con->dim; j++) {
      const mjtNum along = con->friction[j - 1] * endVelocity(m, d, row + j);
      slip += along * along;
    }
    const mjtNum mu = con->friction[0], part = normal / sqrt(slip + mu * mu * v0 * v0);
    worst = mju_max(worst, fabs(d->efc_force[row] - normal));
    most = mju_max(most, normal);
    for (int j = 1; j < con->dim; j++) {
      const mjtNum f2 = con->friction[j - 1] * con->friction[j - 1];
      const mjtNum force = -part * f2 * endVelocity(m, d, row + j);
      worst = mju_max(worst, fabs(d->efc_force[row + j] - force));
    }
  }
  return worst / most;
}


typedef struct {
  const char *name, *xml;
  mjtNum tolerance;
  int ncontact;
} lawScene;

#define LAW_HEAD                                                                             \
  "<mujoco><option timestep='.004' cone='elliptic' tolerance='1e-12'/><size memory='100M'/>" \
  "<worldbody><geom type='plane' size='5 5 1' condim='4'/>"

// dampers of joints and tendons, actuators with velocity gains, fluid, fast rotation, soft bodies
static const lawScene law_scenes[] = {
    {"dampers",
     LAW_HEAD
     "<body pos='0 0 .1'><joint type='slide' axis='0 0 1' damping='80'/>"
     "<joint type='slide' axis='1 0 0' damping='5'/><joint axis='0 1 0' damping='.3'/>"
     "<geom type='box' size='.1 .05 .1' mass='1' euler='0 10 0'/></body></worldbody></mujoco>",
     1e-6, 1},
    {"actuators",
     LAW_HEAD
     "<body pos='0 0 .1'><joint name='z' type='slide' axis='0 0 1'/>"
     "<joint name='x' type='slide' axis='1 0 0'/><geom size='.1' mass='.3'/></body></worldbody>"
     "<actuator><position joint='z' kp='200' kv='40'/><velocity joint='x' kv='30' ctrlrange='-9 9'/>"
     "</actuator></mujoco>",
     1e-6, 1},
    {"springs",
     LAW_HEAD
     "<body pos='0 0 .1'><joint type='slide' axis='0 0 1' damping='8' stiffness='2e3'/>"
     "<joint type='slide' axis='1 0 0' stiffness='1e3'/><joint axis='0 1 0' stiffness='5'/>"
     "<geom type='box' size='.1 .05 .1' mass='1' euler='0 10 0'/></body></worldbody></mujoco>",
     1e-6, 1},
    {"stiff motor",
     LAW_HEAD
     "<body pos='0 0 .3'><joint name='a' axis='0 1 0'/>"
     "<geom type='capsule' size='.05' fromto='0 0 0 .5 0 -.25' mass='.5'/></body></worldbody>"
     "<actuator><general joint='a' gaintype='custom' cortenforge:gain_model='dc_motor'"
     " cortenforge:gain_params='resistance=.6 inductance=4e-4 torque_constant=.5 back_emf=.5"
     " gear=4'/></actuator></mujoco>",
     1e-6, 1},
    {"chain in a fluid",
     "<mujoco><option timestep='.004' cone='elliptic' tolerance='1e-12' viscosity='.5' density='900'/>"
     "<worldbody><geom type='plane' size='5 5 1' condim='4'/>"
     "<body pos='0 0 .1'><freejoint/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/>"
     "<body pos='.35 0 0'><joint axis='0 1 0' damping='2' stiffness='3'/>"
     "<geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/></body></body></worldbody></mujoco>",
     1e-6, 2},
    {"many bodies",
     LAW_HEAD
     "<replicate count='30' offset='.18 0 0'><body pos='0 0 .095'><freejoint/>"
     "<geom size='.1' mass='.5' condim='6' friction='.8 .02 .01'/></body></replicate></worldbody>"
     "</mujoco>",
     1e-5, 30},
    {"soft block under a box",
     LAW_HEAD
     "<flexcomp name='j' type='grid' dim='3' count='4 3 3' spacing='.1 .1 .1' pos='0 0 .108'"
     " mass='2' radius='.01' implicit_stiffness='true'>"
     "<elasticity young='2e4' poisson='.3' damping='.02'/>"
     "<contact selfcollide='none' internal='false' condim='3'/></flexcomp>"
     "<body pos='0 0 .265'><freejoint/><geom type='box' size='.2 .2 .05' mass='3'/></body>"
     "</worldbody></mujoco>",
     1e-5, 20},
    {"rope with springs along edges",
     LAW_HEAD
     "<geom type='box' size='.1 .1 .1' pos='0 0 .1'/>"
     "<flexcomp name='c' type='grid' dim='1' count='20 1 1' spacing='.05 .1 .1' pos='0 0 .208'"
     " mass='.5' radius='.01' implicit_stiffness='true'>"
     "<edge stiffness='2000' damping='2'/>"
     "<contact selfcollide='none' internal='false' condim='3'/></flexcomp></worldbody></mujoco>",
     1e-5, 4},
};


// the law holds for the velocities after the step, to what the solver's tolerance leaves
CF_TEST(effective__every_integrator__force_is_the_law_at_the_velocities_after_the_step) {
  for (size_t s = 0; s < sizeof(law_scenes) / sizeof(law_scenes[0]); s++) {
    for (int k = 0; k < 4; k++) {
      mjModel* m = huntModel(law_scenes[s].xml);
      mjData* d = mj_makeData(m);
      m->opt.integrator = integrators[k];
      cf_setContactParameter(m, "hunt_crossley", "stiffness", mjOBJ_MODEL, 0, 1e5, NULL, 0);
      cf_setContactParameter(m, "hunt_crossley", "stiction_velocity", mjOBJ_MODEL, 0, 1e-3, NULL,
                             0);
      int most = 0;
      for (int i = 0; i < m->nu; i++) {
        d->ctrl[i] = m->na ? 3 : i ? 0.5 : -0.05;
      }
      for (int i = 0; i < m->nv; i++) {
        d->qvel[i] = 0.05 * sin(3.0 * i);
      }
      for (int step = 0; step < 60; step++) {
        mj_step(m, d);
        const mjtNum error = lawError(m, d);
        if (!(error < law_scenes[s].tolerance)) {
          CF_FAIL("%s, %s, step %d: force differs from the law by %g\n", law_scenes[s].name,
                  integrator_names[k], step, error);
        }
        most = d->ncon > most ? d->ncon : most;
      }
      CF_TRUE(most >= law_scenes[s].ncontact);
      mj_deleteData(d);
      mj_deleteModel(m);
    }
  }
}


// the same by conjugate gradients, where the arena has no room for a factor
CF_TEST(effective__small_arena__law_holds_without_a_factor) {
  mjModel* m = huntModel(law_scenes[5].xml);
  cf_setContactParameter(m, "hunt_crossley", "stiffness", mjOBJ_MODEL, 0, 1e5, NULL, 0);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 5; k++) {
    mj_step(m, d);
  }
  int solved = 0, dropped = 0;
  for (mjtSize room = 20000; room < 2000000; room += room / 8) {
    mjModel* small = mj_copyModel(NULL, m);
    small->narena = room;
    mjData* other = mj_makeData(small);
    mju_copy(other->qpos, d->qpos, (int)m->nq);
    mju_copy(other->qvel, d->qvel, (int)m->nv);
    cf_guardClear();
    const int has_raised = CF_TRY_STATEMENT(mj_step(small, other));
    if (!has_raised && cf_warning_count == 0 && other->ncon > 0) {
      const mjtNum error = lawError(small, other);
      if (!(error < 1e-4)) {
        CF_FAIL("arena of %lld bytes: force differs from the law by %g\n", (long long)room, error);
      }
      solved++;
    }
    dropped += cf_warning_count > 0;
    mj_deleteData(other);
    mj_deleteModel(small);
  }
  mju_user_warning = NULL;
  CF_TRUE(solved > 5 && dropped > 3);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// few dofs, whose matrix is dense: no room for it is no error either
CF_TEST(effective__stack_in_small_arenas__never_an_error) {
  mjModel* m = huntModel(
      "<mujoco><option cone='elliptic'/><worldbody><geom type='plane' size='3 3 1'/>"
      "<replicate count='5' offset='.01 0 .199'><body pos='0 0 .1'><freejoint/>"
      "<geom type='box' size='.1 .1 .1'/></body></replicate></worldbody></mujoco>");
  int solved = 0, dropped = 0;
  for (mjtSize room = 20000; room < 200000; room += room / 50) {
    m->narena = room;
    mjData* d = mj_makeData(m);
    cf_guardClear();
    for (volatile int k = 0; k < 3; k++) {
      if (CF_TRY_STATEMENT(mj_step(m, d))) {
        CF_FAIL("arena of %lld bytes: %s\n", (long long)room, cf_error_text);
      }
    }
    solved += cf_warning_count == 0;
    dropped += cf_warning_count > 0;
    mj_deleteData(d);
  }
  mju_user_warning = NULL;
  CF_TRUE(solved > 5 && dropped > 5);
  mj_deleteModel(m);
}


// ---------------------------------------- what used to oscillate and to creep

static const char slide_xml[] =
    "<mujoco><option gravity='0 0 0' integrator='%s'/><worldbody>"
    "<geom type='box' size='.1 1 1' pos='.2 0 0'/>"
    "<body><joint name='x' type='slide' axis='1 0 0' damping='%g'/>"
    "<geom size='.05' pos='.05 0 0' mass='%g'/></body></worldbody>"
    "<actuator><general joint='x' gainprm='1' biastype='affine' biasprm='0 0 %g'/></actuator></mujoco>";

CF_TEST(effective__slide_with_dampers_pressed_against_a_wall__steady) {
  static const mjtNum cases[][3] = {{100, 1, 0}, {1000, .1, 0}, {0, 1, -100}, {50, .02, -500}};
  for (int k = 0; k < 12; k++) {
    const mjtNum* c = cases[k / 3];
    char xml[1000];
    if (k % 3 == 0 && c[2] != 0) {
      continue;  // Euler takes the velocity gain of an actuator explicitly
    }
    snprintf(xml, sizeof(xml), slide_xml, integrator_names[k % 3], c[0], c[1], c[2]);
    mjModel* m = huntModel(xml);
    mjData* d = mj_makeData(m);
    d->ctrl[0] = 60;
    for (int step = 0; step < 1500; step++) {
      mj_step(m, d);
      if (step >= 1000) {
        CF_NEAR(d->qfrc_constraint[0], -60, 1e-5);
        CF_NEAR(d->qvel[0], 0, 1e-9);
      }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


static const char gripper_xml[] =
    "<mujoco><option integrator='%s'/><worldbody>"
    "<body pos='-.1 0 0'><joint name='l' type='slide' axis='1 0 0' damping='%g'/>"
    "<geom type='box' size='.02 .05 .05' mass='.2'/></body>"
    "<body pos='.1 0 0'><joint name='r' type='slide' axis='-1 0 0' damping='%g'/>"
    "<geom type='box' size='.02 .05 .05' mass='.2'/></body>"
    "<body name='box'><freejoint/><geom type='box' size='.0801 .03 .03' mass='1' friction='.6'/></body>"
    "</worldbody><actuator><position joint='l' kp='500' kv='%g'/>"
    "<position joint='r' kp='500' kv='%g'/></actuator></mujoco>";

// at 71 % of the friction it has, a box moves by less than 0.02 mm in 3 s
CF_TEST(effective__gripper_with_velocity_gains__holds_its_box) {
  static const mjtNum gains[] = {0, 20, 100, 2000};
  for (int k = 0; k < 12; k++) {
    char xml[2000];
    const mjtNum kv = k % 3 ? gains[k / 3] : 0, damping = k % 3 ? 0 : gains[k / 3];
    snprintf(xml, sizeof(xml), gripper_xml, integrator_names[k % 3], damping, damping, kv, kv);
    mjModel* m = huntModel(xml);
    mjData* d = mj_makeData(m);
    d->ctrl[0] = d->ctrl[1] = 0.024;
    while (d->time < 3) {
      mj_step(m, d);
    }
    CF_NEAR(d->qpos[4], 0, 2e-5);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// ---------------------------------------- implicit stiffness

static const char jelly_xml[] =
    "<mujoco><option timestep='%g' integrator='%s'/><size memory='100M'/><worldbody>"
    "<geom type='plane' size='5 5 1'/>"
    "<flexcomp name='j' type='grid' dim='3' count='4 4 3' spacing='.1 .1 .1' pos='0 0 .111'"
    " mass='2' radius='.01' implicit_stiffness='%s'>"
    "<elasticity young='%g' poisson='.3' damping='%g'/>"
    "<contact selfcollide='none' internal='false'/></flexcomp>"
    "<body pos='0 0 .265'><freejoint/><geom name='lid' type='box' size='.2 .2 .04' mass='3'/></body>"
    "</worldbody></mujoco>";

static mjModel* jellyModel(mjtNum timestep, int k, mjtNum young, mjtNum damping) {
  char xml[2000];
  snprintf(xml, sizeof(xml), jelly_xml, timestep, integrator_names[k], "true", young, damping);
  return cf_compileText(xml);
}


// kinetic energy, weight and elasticity
static mjtNum wholeEnergy(const mjModel* m, mjData* d) {
  mj_forward(m, d);
  return d->energy[0] + d->energy[1] + cf_flexEnergy(m, d, 0);
}


// a soft block under a box of 3 kg: as high as with MuJoCo's contacts, never more energy than
// before
CF_TEST(stiffness__jelly_under_a_box__stable_at_every_timestep) {
  static const mjtNum steps[] = {0.004, 0.01, 0.02};
  for (int k = 0; k < 3; k++) {
    mjtNum height[2];
    for (int s = 0; s < 2; s++) {
      mjModel* m = jellyModel(steps[k], k, 1e5, 0.02);
      CF_TRUE(cf_setContactSolver(m, s ? "hunt_crossley" : "lcp", NULL, 0, NULL, 0));
      m->opt.enableflags |= mjENBL_ENERGY;
      mjData *d = mj_makeData(m), *look = mj_makeData(m);
      cf_guardClear();
      mj_copyData(look, m, d);
      const mjtNum first = wholeEnergy(m, look);
      mjtNum most = first, fastest = 0;
      while (d->time < 0.6) {
        mj_step(m, d);
        mj_copyData(look, m, d);
        most = s ? mju_max(most, wholeEnergy(m, look)) : most;
        for (int i = 0; i < m->nv; i++) {
          fastest = mju_max(fastest, fabs(d->qvel[i]));
        }
      }
      CF_EQ_INT(cf_warning_count, 0);
      CF_TRUE(fastest < 2);
      if (most > first + 1e-6 * fabs(first)) {
        CF_FAIL("timestep %g: energy grows from %g to %g J\n", steps[k], first, most);
      }
      height[s] = d->qpos[m->nq - 5];
      mj_deleteData(d);
      mj_deleteData(look);
      mj_deleteModel(m);
    }
    CF_NEAR(height[1], height[0], 0.01);
  }
}


// other solvers do not know the stiffness: refused by name, in either order and when compiled
CF_TEST(stiffness__solver_that_does_not_know_it__refused_by_name) {
  char error[500] = "";
  mjModel* m = jellyModel(0.005, 0, 1e5, 0.02);
  CF_EQ_INT(cf_setContactSolver(m, "xpbd", NULL, 0, error, sizeof(error)), 0);
  CF_HAS_STR(error, "contact solver 'xpbd' does not know implicit stiffness");
  CF_EQ_STR(cf_contactSolver(m)->name, "lcp");
  CF_TRUE(cf_setFlexImplicit(m, 0, 0, NULL, 0));
  CF_TRUE(cf_setContactSolver(m, "xpbd", NULL, 0, NULL, 0));
  mjModel* copy = mj_copyModel(NULL, m);
  CF_EQ_INT(cf_setFlexImplicit(copy, 0, 1, error, sizeof(error)), 0);
  CF_HAS_STR(error, "contact solver 'xpbd' does not know implicit stiffness");
  CF_EQ_INT(cf_flexImplicit(copy, 0), 0);
  CF_TRUE(cf_setContactSolver(copy, "hunt_crossley", NULL, 0, NULL, 0));
  CF_TRUE(cf_setFlexImplicit(copy, 0, 1, NULL, 0));
  mj_deleteModel(copy);
  mj_deleteModel(m);

  char xml[2000], text[2100];
  snprintf(xml, sizeof(xml), jelly_xml, 0.005, "Euler", "true", 1e5, 0.02);
  snprintf(text, sizeof(text), "<mujoco><option cortenforge:solver='xpbd'/>%s",
           xml + strlen("<mujoco>"));
  mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof(error));
  CF_TRUE(spec);
  CF_TRUE(!mj_compile(spec, NULL));
  CF_HAS_STR(mjs_getError(spec), "'xpbd' does not know implicit stiffness");
  mj_deleteSpec(spec);
}


// ---------------------------------------- components

// two groups of bodies side by side: each moves as it does without the other
CF_TEST(components__two_groups__each_moves_as_it_does_alone) {
  static const char head[] =
      "<mujoco><option cone='elliptic' tolerance='1e-12'/><worldbody><geom type='plane' size='9 9 1'/>";
  static const char first[] =
      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "<body pos='.02 .01 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body>";
  static const char second[] =
      "<body pos='3 0 .3'><joint axis='0 1 0' damping='1'/>"
      "<geom type='capsule' size='.05' fromto='0 0 0 .5 0 -.3'/></body>";
  char xml[3][2000];
  snprintf(xml[0], 2000, "%s%s%s</worldbody></mujoco>", head, first, second);
  snprintf(xml[1], 2000, "%s%s</worldbody></mujoco>", head, first);
  snprintf(xml[2], 2000, "%s%s</worldbody></mujoco>", head, second);
  mjModel* m[3];
  mjData* d[3];
  for (int k = 0; k < 3; k++) {
    m[k] = huntModel(xml[k]);
    m[k]->opt.disableflags |= k ? 0 : mjDSBL_ISLAND;
    d[k] = mj_makeData(m[k]);
  }
  for (int step = 0; step < 300; step++) {
    for (int k = 0; k < 3; k++) {
      mj_step(m[k], d[k]);
    }
  }
  CF_EQ_INT(d[0]->ncon, d[1]->ncon + d[2]->ncon);
  CF_TRUE(d[2]->ncon > 0);
  CF_NEAR_ARRAY(d[0]->qpos, d[1]->qpos, 14, 1e-9);
  CF_NEAR_ARRAY(d[0]->qpos + 14, d[2]->qpos, 1, 1e-9);
  for (int k = 0; k < 3; k++) {
    mj_deleteData(d[k]);
    mj_deleteModel(m[k]);
  }
}


CF_TEST_MAIN("contactsolver/effective")
