// The fast tier on the CPU against the engine: stages before the constraints.
#include "dice.h"
#include "modeltext.h"
#include "twin.h"

static const char swarm_xml[] =
    "<mujoco>"
    "  <option timestep='.004' gravity='.3 -.2 -9' integrator='%s'/>"
    "  <default><geom contype='0' conaffinity='0'/></default>"
    "  <worldbody>"
    "    <body pos='.1 .2 .3' euler='10 20 30'><geom size='.1'/><geom size='.1' pos='.3 .1 0'/></body>"
    "    <body name='drone' pos='0 0 1' euler='40 5 6'>"
    "      <freejoint/>"
    "      <geom type='box' size='.2 .1 .05' pos='.02 .01 0' euler='5 6 7'/>"
    "      <body pos='.2 0 0' euler='0 20 0'>"
    "        <joint type='ball' pos='.01 .02 .03' damping='.3' stiffness='2'/>"
    "        <geom type='capsule' size='.04 .1'/>"
    "        <body pos='.1 .1 .1'><geom size='.05'/>"
    "          <body pos='0 .1 .1' quat='.7 .1 .2 .3' gravcomp='.6'>"
    "            <joint name='a' axis='1 .2 0' pos='0 .1 0' damping='.1' armature='.02'/>"
    "            <joint name='b' type='slide' axis='0 .3 1' stiffness='30' springref='.1'/>"
    "            <joint name='c' axis='.1 0 1' ref='20' actuatorfrclimited='true' actuatorfrcrange='-.4 .5'/>"
    "            <geom type='ellipsoid' size='.1 .04 .03'/>"
    "          </body>"
    "        </body>"
    "      </body>"
    "      <body pos='-.2 0 0'><joint name='d' axis='0 1 1'/><geom size='.1'/></body>"
    "    </body>"
    "    <body pos='1 0 0'><joint name='e' type='slide' axis='1 1 0'/><geom size='.07'/>"
    "      <body pos='.2 .1 0'><joint name='f' axis='0 1 0' pos='.1 0 0'/><geom size='.06'/></body></body>"
    "  </worldbody>"
    "  <actuator>"
    "    <motor joint='a' gear='3' ctrllimited='true' ctrlrange='-.3 .3'/>"
    "    <position joint='b' kp='20' kv='2' forcelimited='true' forcerange='-3 3'/>"
    "    <velocity joint='c' kv='4'/>"
    "    <general joint='d' gainprm='2 .3 .4' gaintype='affine' biastype='affine' biasprm='.1 .2 -.3'"
    "     dyntype='filterexact' dynprm='.02'/>"
    "    <intvelocity joint='e' kp='3' actrange='-1 1'/>"
    "    <general joint='f' dyntype='filter' dynprm='.03' actearly='true' gainprm='.5'/>"
    "    <motor joint='a' gear='-.2'/>"
    "  </actuator>"
    "</mujoco>";


static mjModel* loadSwarm(const char* integrator) {
  char xml[4000];
  snprintf(xml, sizeof(xml), swarm_xml, integrator);
  return compileText(xml);
}


static void randomize(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = draw();
  }
  mj_integratePos(m, d->qpos, d->qvel, 1);
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = 2 * draw();
    d->qfrc_applied[i] = draw();
  }
  for (int i = 0; i < 6 * m->nbody; i++) {
    d->xfrc_applied[i] = draw();
  }
  for (int i = 0; i < m->nu; i++) {
    d->ctrl[i] = draw();
  }
  for (int i = 0; i < m->na; i++) {
    d->act[i] = draw();
  }
}


static void expectSame(const teamTwin* twin, const char* name, const mjtNum* expected, int n) {
  const mjtNum error = differenceInTwin(twin, name, expected, n);
  if (!(error < (twin->tier->real_bytes == 8 ? 1e-11 : 2e-3))) {
    CF_FAIL("%s differs by %g\n", name, error);
  }
}


static const cfTeamTier* const tiers[] = {&cfi_teamDouble, &cfi_teamSingle};

CF_TEST(smooth_stages__all_joints_and_actuators__as_the_engine) {
  const char* const outputs =
      "xpos xquat xipos geom_xpos geom_xmat cdof cinert M qLD qfrc_smooth qacc_smooth cvel";
  mjModel* m = loadSwarm("Euler");
  for (int k = 0; k < 4; k++) {
    char reason[200] = "";
    CF_TRUE(cfi_teamAccepts(m, reason, sizeof(reason)));
    twin_keeps_pattern = k > 1;
    teamTwin twin = openTeamTwin(m, tiers[k % 2], 2, 2, outputs);
    mjData* d = mj_makeData(m);
    for (int trial = 0; trial < 20; trial++) {
      randomize(m, d);
      mj_forward(m, d);
      loadTwin(&twin, d);
      runTwin(&twin, CF_TEAM_FORCES);
      const int nv = (int)m->nv, nbody = (int)m->nbody;
      expectSame(&twin, "xpos", d->xpos, 3 * nbody);
      expectSame(&twin, "xipos", d->xipos, 3 * nbody);
      expectSame(&twin, "geom_xpos", d->geom_xpos, 3 * (int)m->ngeom);
      expectSame(&twin, "geom_xmat", d->geom_xmat, 9 * (int)m->ngeom);
      expectSame(&twin, "cdof", d->cdof, 6 * nv);
      expectSame(&twin, "M", d->M, (int)m->nC);
      if (!twin.shape.is_dense) {
        expectSame(&twin, "qLD", d->qLD, (int)m->nC);
      }
      expectSame(&twin, "qacc_smooth", d->qacc_smooth, nv);
    }
    mj_deleteData(d);
    closeTeamTwin(&twin);
  }
  mj_deleteModel(m);
}


CF_TEST(whole_step__three_integrators__state_as_the_engine) {
  const char* const integrators[] = {"Euler", "implicitfast", "RK4"};
  for (int k = 0; k < 12; k++) {
    mjModel* m = loadSwarm(integrators[k % 6 / 2]);
    twin_keeps_pattern = k >= 6;
    teamTwin twin = openTeamTwin(m, tiers[k % 2], 2, 2, NULL);
    mjData* d = mj_makeData(m);
    for (int trial = 0; trial < 20; trial++) {
      randomize(m, d);
      loadTwin(&twin, d);
      mj_step(m, d);
      twin.tier->stage(twin.plan, twin.world, CF_TEAM_ALL);
      expectSame(&twin, "act", d->act, (int)m->na);
      expectSame(&twin, "qvel", d->qvel, (int)m->nv);
      expectSame(&twin, "qpos", d->qpos, (int)m->nq);
    }
    mj_deleteData(d);
    closeTeamTwin(&twin);
    mj_deleteModel(m);
  }
}


CF_TEST_MAIN("team")
