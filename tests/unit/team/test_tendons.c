// The fast tier on the CPU against the engine: actuators, springs, dampers, couplings and sensors
// of tendons.
#include "cf_text.h"
#include "dice.h"
#include "modeltext.h"
#include "twin.h"

static const cfTeamTier* const tiers[] = {&cfi_teamDouble, &cfi_teamSingle};

// An arm with a gripper whose fingers one actuator moves and an equality keeps together; a tendon
// over three joints of one branch with a spring, a damper and two actuators; one whose spring has a
// dead band; tendons that are coupled with each other and with nothing
static const char gripper_xml[] =
    "<mujoco><option timestep='.004' integrator='%s'/>"
    "<default><geom type='capsule' size='.03 .06' contype='0' conaffinity='0'/><joint damping='.2'/></default>"
    "<worldbody>"
    "<body pos='0 0 1'><joint name='a' axis='0 1 0'/><geom pos='0 0 .1'/>"
    "  <body pos='0 0 .2'><joint name='b' axis='0 1 0' ref='10'/><geom pos='0 0 .1'/>"
    "    <body pos='0 0 .2'><joint name='c' axis='1 0 0' limited='true' range='-40 40'/><geom pos='0 0 .1'/>"
    "      <body pos='.05 0 .2'><joint name='f' type='slide' axis='1 0 0' range='0 .04' limited='true'/><geom/></body>"
    "      <body pos='-.05 0 .2'><joint name='g' type='slide' axis='-1 0 0' range='0 .04' limited='true'/><geom/></body>"
    "    </body></body></body>"
    "<body pos='1 0 1'><joint name='p' axis='1 1 0'/><geom/><body pos='0 .2 0'><joint name='q' axis='0 1 1'/><geom/></body></body>"
    "<body pos='2 0 1'><joint name='r' axis='1 1 0'/><geom/><body pos='0 .2 0'><joint name='s' axis='0 1 1'/><geom/></body></body>"
    "</worldbody>"
    "<tendon>"
    "<fixed name='split'><joint joint='f' coef='.5'/><joint joint='g' coef='.5'/></fixed>"
    "<fixed name='bent' stiffness='7' damping='.8'><joint joint='c' coef='-.7'/><joint joint='a' coef='1.2'/><joint joint='b' coef='.4'/></fixed>"
    "<fixed name='slack' stiffness='.05' springlength='-.2 .3' range='-.3 .4' limited='true'><joint joint='p' coef='2'/><joint joint='q' coef='-1'/></fixed>"
    "<fixed name='left'><joint joint='p' coef='1'/><joint joint='s' coef='.6'/></fixed>"
    "<fixed name='right'><joint joint='r' coef='1.5'/><joint joint='s' coef='-1'/></fixed>"
    "</tendon>"
    "<equality><joint joint1='f' joint2='g' solref='.01 1'/>"
    "<tendon tendon1='left' tendon2='right' polycoef='.01 .8 .1 -.05 .02'/><tendon tendon1='slack' polycoef='.1 0 0 0 0' active='%s'/></equality>"
    "<actuator>"
    "<general name='grip' tendon='split' ctrlrange='0 255' gainprm='.4 0 0' biastype='affine' biasprm='0 -100 -10' forcerange='-100 100'/>"
    "<position name='bend' tendon='bent' kp='20' kv='3' gear='1.5'/>"
    "<general name='slow' tendon='bent' gear='-.4' gaintype='affine' gainprm='2 .3 .4' dyntype='filter' dynprm='.05'/>"
    "<motor joint='a' gear='2'/><velocity name='run' tendon='right' kv='.6'/>"
    "<motor name='turn' jointinparent='q' gear='.5'/>"
    "</actuator>"
    "<sensor><tendonpos tendon='bent'/><tendonvel tendon='slack'/><actuatorpos actuator='grip'/><actuatorvel actuator='grip'/>"
    "<actuatorpos actuator='bend'/><actuatorvel actuator='slow'/><actuatorfrc actuator='bend'/><actuatorpos actuator='turn'/>"
    "<tendonactuatorfrc tendon='bent'/><tendonactuatorfrc tendon='left'/><tendonactuatorfrc tendon='right'/>"
    "<jointactuatorfrc joint='a'/><jointactuatorfrc joint='f'/><jointactuatorfrc joint='s'/>"
    "<tendonlimitfrc tendon='slack'/></sensor></mujoco>";


static mjModel* gripper(const char* integrator, bool is_tied) {
  char xml[8000];
  snprintf(xml, sizeof(xml), gripper_xml, integrator, is_tied ? "true" : "false");
  return compileText(xml);
}


static void drawState(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nv; i++) {
    d->qpos[i] = m->qpos0[i] + 0.6 * draw();
    d->qvel[i] = 2 * draw();
  }
  for (int u = 0; u < m->nu; u++) {
    d->ctrl[u] = u == 0 ? 100 + 100 * draw() : draw();
  }
  for (int k = 0; k < m->na; k++) {
    d->act[k] = draw();
  }
}


static void expectNear(const teamTwin* twin, const char* name, const mjtNum* expected, int n) {
  const mjtNum error = differenceInTwin(twin, name, expected, n);
  if (!(error < (twin->tier->real_bytes == 8 ? 1e-11 : 2e-3))) {
    CF_FAIL("%s differs by %g\n", name, error);
  }
}


// a whole step from states at random; used: sensors that were not zero once
static void compareGripper(const mjModel* m, const cfTeamTier* tier, bool* used) {
  teamTwin twin = openTeamTwin(m, tier, 4, 60, "actuator_force");
  mjData* d = mj_makeData(m);
  for (int trial = 0; trial < 20; trial++) {
    drawState(m, d);
    loadTwin(&twin, d);
    mj_step(m, d);
    twin.tier->stage(twin.plan, twin.world, CF_TEAM_ALL);
    CF_EQ_INT((int)ofTwin(&twin, "nefc", 0), d->nefc);
    expectNear(&twin, "actuator_force", d->actuator_force, (int)m->nu);
    expectNear(&twin, "act", d->act, (int)m->na);
    expectNear(&twin, "qvel", d->qvel, (int)m->nv);
    expectNear(&twin, "qpos", d->qpos, (int)m->nq);
    expectNear(&twin, "sensordata", d->sensordata, (int)m->nsensordata);
    for (int k = 0; k < m->nsensordata; k++) {
      used[k] |= d->sensordata[k] != 0;
    }
  }
  mj_deleteData(d);
  closeTeamTwin(&twin);
}


CF_TEST(tendons__actuated_sprung_and_coupled__as_the_engine) {
  const char* const integrators[] = {"Euler", "implicitfast", "RK4"};
  bool used[20] = {false};
  twin_senses = true;
  for (int k = 0; k < 24; k++) {
    mjModel* m = gripper(integrators[k % 3], k % 2);
    char reason[200] = "";
    CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));
    CF_TRUE(m->nsensordata < 20);
    m->opt.disableflags |= k == 1 ? mjDSBL_SPRING : k == 2 ? mjDSBL_DAMPER : 0;
    twin_keeps_pattern = k >= 12;
    compareGripper(m, tiers[k / 6 % 2], used);
    for (int i = 0; k == 23 && i < m->nsensordata; i++) {
      CF_EQ_INT(used[i] ? i : 9, i);  // nothing drives tendon 9
    }
    mj_deleteModel(m);
  }
  twin_senses = twin_keeps_pattern = false;
}


// what a tendon adds has a place in the plan where it is needed alone
CF_TEST(tendons__lists__only_what_is_there) {
  mjModel* m = gripper("implicitfast", true);
  cfTeamShape shape = cfi_teamShape(m, 4, 60);
  CF_EQ_INT(shape.ndrive, 2 + 3 + 3 + 1 + 2 + 1);
  CF_TRUE(shape.is_drawn && !shape.is_lean);

  // bent: three pairs of dofs for two actuators and its damper, and its diagonal; slack: two dofs
  // in one branch; right: likewise, with an actuator; split: fingers, which M does not couple; left
  CF_EQ_INT(shape.ncouple, 3 * 3 + 3 + 3 + (1 + 2 + 1) + 2 + 2);
  for (int i = 0; i < m->ntendon; i++) {
    m->tendon_stiffness[i] = m->tendon_damping[i] = 0;
  }
  shape = cfi_teamShape(m, 4, 60);
  CF_EQ_INT(shape.ncouple, 2 * 3 + 1);
  CF_TRUE(!shape.is_drawn && !shape.is_lean);
  m->opt.integrator = mjINT_EULER;
  CF_EQ_INT(cfi_teamShape(m, 4, 60).ncouple, 0);
  mj_deleteModel(m);
}


CF_TEST(tendons__what_the_tier_has_not__refused_by_name) {
  mjModel* m = gripper("Euler", true);
  mjModel* plain = gripper("Euler", true);
  char reason[200] = "";
  m->tendon_actfrclimited[0] = 1;
  CF_TRUE(!cfi_teamAccepts(m, reason, sizeof(reason)));
  CF_HAS_STR(reason, "limited forces of actuators");
  m->tendon_actfrclimited[0] = 0;
  m->tendon_armature[1] = 1;
  CF_TRUE(!cfi_teamAccepts(m, reason, sizeof(reason)));
  CF_HAS_STR(reason, "armature");
  m->tendon_armature[1] = 0;
  CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));

  // worlds may have springs where the model has some
  CF_TRUE(!cfi_teamForeignWorld(m, plain));
  for (int i = 0; i < plain->ntendon; i++) {
    plain->tendon_stiffness[i] = plain->tendon_damping[i] = 0;
  }
  CF_HAS_STR(cfi_teamForeignWorld(m, plain), "springs or dampers of tendons");
  CF_TRUE(!cfi_teamForeignWorld(plain, m));
  mj_deleteModel(plain);
  mj_deleteModel(m);
}


// lean kernels know no actuators of tendons, the first tendon included
CF_TEST(shape__actuator_of_the_first_tendon__not_lean) {
  for (int k = 0; k < 2; k++) {
    char xml[1000];
    snprintf(
        xml, sizeof(xml),
        "<mujoco><worldbody><body><joint name='j'/><geom size='.1' pos='1 0 0'/></body></worldbody>"
        "<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>"
        "<actuator><motor %s/></actuator></mujoco>",
        k ? "tendon='t'" : "joint='j'");
    mjModel* m = cf_compileText(xml);
    CF_EQ_INT(cfi_teamShape(m, 4, 16).is_lean, !k);
    mj_deleteModel(m);
  }
}


CF_TEST_MAIN("team_tendons")
