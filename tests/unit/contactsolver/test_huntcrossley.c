// Compliant contacts with physical parameters: the law at rest, impact against its closed form,
// Coulomb and Stribeck, other rows, many dofs.
#include "cf_test.h"

#include <cortenforge/cortenforge.h>

#include "../../../bench/solverscenes.h"
#include "cf_text.h"

static const sceneSolver hunt = {"hunt_crossley", "hunt_crossley", {0}, 0};


static void setHunt(mjModel* m, const char* parameter, double value) {
  char error[300] = "";
  if (!cf_setContactParameter(m, "hunt_crossley", parameter, mjOBJ_MODEL, 0, value, error, 300)) {
    CF_FAIL("%s\n", error);
  }
}


CF_TEST(huntCrossley__box_and_stack__rest) {
  CF_TRUE(sceneRest(&hunt, 10).error < 1e-8);
  CF_TRUE(sceneStack(&hunt, 2).error < 0.003);
}


// k*depth^(3/2) carries the weight, whatever the cone
CF_TEST(huntCrossley__sphere_at_rest__depth_of_the_law) {
  for (int cone = 0; cone < 2; cone++) {
    sceneRun run = openText(
        "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 .1'><freejoint/>"
        "<geom size='.1' mass='2'/></body></worldbody></mujoco>",
        &hunt);
    run.m->opt.cone = cone;
    setHunt(run.m, "stiffness", 1e5);
    while (isBefore(&run, 3)) {
      stepRun(&run);
    }
    CF_NEAR(0.1 - run.d->qpos[2], pow(2 * 9.81 / 1e5, 2.0 / 3), 1e-8);
    mjtNum force[6];
    mj_contactForce(run.m, run.d, 0, force);
    CF_NEAR(force[0], 2 * 9.81, 1e-6);
    closeRun(&run, 0);
  }
}


CF_TEST(huntCrossley__sphere_dropped__restitution_of_the_law_within_2_percent) {
  CF_TRUE(sceneBounce(&hunt, 0.8).error < 0.02);
}


CF_TEST(huntCrossley__sliding_block_and_slope__coulomb_within_2_percent) {
  CF_TRUE(sceneSlide(&hunt).error < 0.02);
  CF_TRUE(sceneSlope(&hunt, 0.98).error < 1e-4);
  CF_TRUE(sceneSlope(&hunt, 1.02).error < 0.02);
}


// between dynamic and static friction: a block at rest stays, a moving one goes on
CF_TEST(huntCrossley__static_above_dynamic_friction__breaks_loose_and_keeps_sliding) {
  const double angle = atan(0.5), speed = 1, seconds = 0.2;
  char xml[500];
  snprintf(xml, sizeof(xml),
           "<mujoco><option gravity='%.12g 0 %.12g'/><worldbody><geom type='plane' size='5 5 1'/>"
           "<body pos='0 0 .0499'><freejoint/><geom type='box' size='.2 .2 .05'/></body>"
           "</worldbody></mujoco>",
           9.81 * sin(angle), -9.81 * cos(angle));
  sceneRun run = openText(xml, &hunt);
  setHunt(run.m, "static_friction", 0.6);
  setHunt(run.m, "dynamic_friction", 0.3);
  while (isBefore(&run, 1)) {
    stepRun(&run);
  }
  CF_NEAR(run.d->qvel[0], 0, 1e-4);

  run.d->qvel[0] = speed;
  while (isBefore(&run, 1 + seconds)) {
    stepRun(&run);
  }
  const double wanted = 9.81 * (sin(angle) - 0.3 * cos(angle));
  CF_NEAR((run.d->qvel[0] - speed) / seconds, wanted, 0.02 * wanted);
  closeRun(&run, 0);
}


// equalities, limits and friction loss keep MuJoCo's laws: without contacts the result is Newton's
CF_TEST(huntCrossley__no_contact__what_newton_finds) {
  static const char xml[] =
      "<mujoco><worldbody>"
      "<body><joint name='a' axis='0 1 0' limited='true' range='-20 20' frictionloss='.1'/>"
      "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/>"
      "<body pos='.3 0 0'><joint name='b' axis='0 1 0'/>"
      "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/></body></body>"
      "<body pos='0 1 0'><joint name='c' axis='0 1 0'/>"
      "<geom type='capsule' size='.02' fromto='0 0 0 .3 0 0'/></body>"
      "</worldbody><equality><joint joint1='b' joint2='c'/></equality></mujoco>";
  const sceneSolver newton = {"lcp", "lcp", {0}, 0};
  sceneRun a = openText(xml, &hunt), b = openText(xml, &newton);
  a.m->opt.tolerance = b.m->opt.tolerance = 0;
  for (int k = 0; k < 300; k++) {
    mj_copyData(b.d, b.m, a.d);
    mj_forward(b.m, b.d);
    stepRun(&a);
    for (int i = 0; i < a.m->nv; i++) {
      CF_NEAR(a.d->qacc[i], b.d->qacc[i], 1e-6 * (1 + fabs(b.d->qacc[i])));
    }
  }
  CF_TRUE(a.d->nefc >= 3);
  closeRun(&a, 0);
  closeRun(&b, 0);
}


// more dofs than a dense factor takes: the same forces
CF_TEST(huntCrossley__many_dofs__weight_is_carried) {
  static char xml[20000];
  int used = snprintf(xml, sizeof(xml), "<mujoco><worldbody><geom type='plane' size='9 9 1'/>");
  for (int k = 0; k < 70; k++) {
    used += snprintf(xml + used, sizeof(xml) - (size_t)used,
                     "<body pos='%g %g .1'><freejoint/><geom size='.1' mass='1'/></body>",
                     0.5 * (k % 10), 0.5 * (k / 10));
  }
  snprintf(xml + used, sizeof(xml) - (size_t)used, "</worldbody></mujoco>");
  sceneRun run = openText(xml, &hunt);
  CF_TRUE(run.m->nv > 400);
  for (int k = 0; k < 60; k++) {
    stepRun(&run);
  }
  CF_EQ_INT(run.d->ncon, 70);
  for (int k = 0; k < 70; k++) {
    mjtNum force[6];
    mj_contactForce(run.m, run.d, k, force);
    CF_NEAR(force[0], 9.81, 1e-3);
  }
  CF_EQ_INT(closeRun(&run, 0).nwarning, 0);
}


static uint64_t huntHash(int integrator) {
  sceneRun run = openText(
      "<mujoco><worldbody><geom type='plane' size='5 5 1' condim='6' friction='.7 .1 .1'/>"
      "<body pos='0 0 .3'><freejoint/><geom type='box' size='.1 .05 .1' condim='6'/></body>"
      "</worldbody></mujoco>",
      &hunt);
  run.m->opt.integrator = integrator;
  run.d->qvel[0] = 1;
  run.d->qvel[4] = 5;
  while (isBefore(&run, 1.5)) {
    stepRun(&run);
  }
  CF_TRUE(mju_norm(run.d->qvel, 6) < 0.1);
  const uint64_t hash = cf_stateHash(run.m, run.d);
  CF_EQ_INT(closeRun(&run, 0).nwarning, 0);
  return hash;
}


CF_TEST(huntCrossley__every_integrator__comes_to_rest_with_the_same_bits_twice) {
  for (int k = mjINT_EULER; k <= mjINT_IMPLICITFAST; k++) {
    CF_TRUE(huntHash(k) == huntHash(k));
  }
}

CF_TEST_MAIN("contactsolver/huntcrossley")
