// Noslip: friction without regularizer, its statistics and when it stops.
#include "cf_test.h"
#include "cf_text.h"

// a block that soft constraints let creep over the floor; gravity is slanted, friction could hold
// it
static const char slope[] =
    "<mujoco><option gravity='3 1 -9' noslip_iterations='%d' noslip_tolerance='%g' cone='%s'/><worldbody>"
    "<geom type='plane' size='2 2 .1' friction='1 .1 .1'/><body pos='0 0 .0995'>"
    "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/>"
    "<joint axis='0 0 1' frictionloss='.2'/><geom type='box' size='.3 .2 .1' mass='2' friction='1 .1 .1' "
    "solref='.02 1' solimp='.5 .8 .01'/></body></worldbody></mujoco>";

typedef struct {
  mjModel* m;
  mjData* d;
} cfSlope;


static cfSlope openSlope(int iterations, mjtNum tolerance, const char* cone) {
  char xml[2000];
  snprintf(xml, sizeof(xml), slope, iterations, tolerance, cone);
  mjModel* m = cf_compileText(xml);
  cfSlope s = {m, mj_makeData(m)};
  s.d->qfrc_applied[3] = 0.1;
  mj_forward(s.m, s.d);
  return s;
}


static void closeSlope(cfSlope s) {
  mj_deleteData(s.d);
  mj_deleteModel(s.m);
}


// without the regularizer friction holds the block: no tangential acceleration, and the forces of
// Newton's law
CF_TEST(noslip__friction_strong_enough__block_does_not_creep) {
  const char* cones[2] = {"pyramidal", "elliptic"};
  for (int k = 0; k < 2; k++) {
    cfSlope creeping = openSlope(0, 1e-6, cones[k]), held = openSlope(20, 0, cones[k]);
    CF_TRUE(creeping.d->qacc[0] > 0.2);
    CF_NEAR(held.d->qacc[0], 0, 1e-9);
    CF_NEAR(held.d->qacc[1], 0, 1e-9);
    CF_NEAR(held.d->qacc[3], 0, 1e-9);
    CF_NEAR(held.d->qfrc_constraint[0], -2 * 3, 1e-8);
    CF_NEAR(held.d->qfrc_constraint[1], -2 * 1, 1e-8);

    // the normal direction is left alone
    CF_NEAR(held.d->qacc[2], creeping.d->qacc[2], 1e-10);
    closeSlope(creeping);
    closeSlope(held);
  }
}


// iterations, accelerations and improvements as recorded; the first improvement counts the dropped
// regularizer: without that share, 0.05 and 0.02, the tolerance of 0.1 would end the loop after one
// sweep
CF_TEST(noslip__tolerances__recorded_iterations_and_improvements) {
  static const struct {
    const char* cone;
    mjtNum tolerance;
    int main, niter;
    mjtNum improvement[4], qacc[4];
  } cases[4] = {
      {"pyramidal",
       1e-6,
       1,
       5,
       {1.7484787299660915, 0.0009138321268389865, 1.2932697269766039e-05, 2.2649823532533527e-07},
       {4.6550494957831035e-05, -1.4288739432055664e-04, 0.17773923054698493,
        2.3275247479648264e-04}},
      {"pyramidal",
       0.1,
       1,
       3,
       {1.7484787299660915, 0.0009138321268389865},
       {0.00492376441587705, -0.00544181659710086, 0.17773923054698493, 0.02461882207939503}},
      {"elliptic",
       1e-6,
       1,
       3,
       {1.6196355014108352, 4.262879360810083e-10},
       {1.3574219526191200e-08, -2.0361329511331405e-08, 0.17773923054698493,
        6.7871098297089816e-08}},
      {"elliptic",
       0.1,
       1,
       3,
       {1.6196355014108352, 4.262879360810083e-10},
       {1.3574219526191200e-08, -2.0361329511331405e-08, 0.17773923054698493,
        6.7871098297089816e-08}},
  };
  for (int k = 0; k < 4; k++) {
    cfSlope s = openSlope(10, cases[k].tolerance, cases[k].cone);
    CF_EQ_INT(s.d->solver_niter[0], cases[k].niter);
    for (int i = cases[k].main; i < cases[k].niter; i++) {
      CF_NEAR(s.d->solver[i].improvement, cases[k].improvement[i - cases[k].main], 1e-9);
    }
    CF_NEAR_ARRAY(s.d->qacc, cases[k].qacc, 4, 1e-9);
    closeSlope(s);
  }
}


// limits bound the iterations, and each is counted after those of the main solver
CF_TEST(noslip__zero_tolerance__runs_all_iterations) {
  for (int n = 1; n <= 4; n++) {
    cfSlope s = openSlope(n, 0, "pyramidal");
    CF_EQ_INT(s.d->solver_niter[0], 1 + n);
    closeSlope(s);
  }
}


// friction stronger than the cone allows stays on its border, and friction loss within its bounds
CF_TEST(noslip__friction_too_weak__forces_stay_inside_their_bounds) {
  cfSlope s = openSlope(20, 0, "elliptic");
  mju_copy(s.m->opt.gravity, (mjtNum[3]){30, 0, -9}, 3);
  s.d->qfrc_applied[3] = 5;
  mj_forward(s.m, s.d);
  mjtNum normal = 0, tangential = 0;
  for (int k = 0; k < s.d->ncon; k++) {
    mjtNum force[6];
    mj_contactForce(s.m, s.d, k, force);
    CF_NEAR(hypot(force[1], force[2]), force[0], 1e-8);
    normal += force[0];
    tangential += hypot(force[1], force[2]);
  }
  CF_TRUE(s.d->ncon == 4 && normal > 10 && tangential > 10);
  CF_NEAR(fabs(s.d->efc_force[0]), 0.2, 1e-12);
  closeSlope(s);
}


CF_TEST_MAIN("solver/noslip")
