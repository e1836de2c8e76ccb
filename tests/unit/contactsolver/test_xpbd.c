// Position-based contacts: scenes with known answers, every kind of row, forces that the rest of
// the pipeline can use, memory that is too small.
#include "cf_test.h"

#include <cortenforge/cortenforge.h>

#include "../../../bench/solverscenes.h"
#include "cf_text.h"

static const sceneSolver soft = {"xpbd", "xpbd", {4, 10}, 2};
static const sceneSolver rigid = {"xpbd rigid", "xpbd", {4, 10, 0}, 3};
static const sceneSolver unbounded = {"xpbd rigid", "xpbd", {4, 10, 0, 0, 0, 1e-4, 1e9}, 7};


CF_TEST(xpbd__box_on_a_plane__rests) {
  CF_TRUE(sceneRest(&soft, 10).error < 1e-9);
  CF_TRUE(sceneRest(&rigid, 10).error < 1e-5);
}


CF_LONG_TEST(xpbd__stack_of_ten__stands) {
  const sceneResult result = sceneStack(&soft, 4);
  CF_TRUE(result.error < 0.007);
  CF_EQ_INT(result.nwarning, 0);

  // rigid: the depth that ten contacts keep and give way, and no creeping to a side
  CF_TRUE(sceneStack(&rigid, 10).error < 0.0012);
  CF_TRUE(sceneCreep(&rigid, 10).error < 2e-5);
}


// rigid contacts: what is left is at most the depth that they keep; the box does not jump
CF_TEST(xpbd__interpenetration__resolved_within_the_iterations) {
  for (int n = 4; n <= 16; n *= 2) {
    const sceneSolver way = {"xpbd", "xpbd", {1, n, 0, 0, 0, 1e-4, 1e9}, 7};
    const double left = sceneDeep(&way).error;
    CF_TRUE(left < (n == 4 ? 2e-2 : n == 8 ? 2e-3 : 2.5e-4));
  }
  sceneRun run = openText(
      "<mujoco><worldbody><geom type='plane' size='5 5 1'/>"
      "<body pos='0 0 .05'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "</worldbody></mujoco>",
      &unbounded);
  stepRun(&run);
  CF_NEAR(run.d->qpos[2], 0.1, 2e-4);
  CF_TRUE(mju_norm(run.d->qvel, 6) < 0.6);
  closeRun(&run, 0);
}


// a stiff spring below a ball that hardly moves: its gap goes on within a step without new rows
CF_TEST(xpbd__tremble_within_the_motion_of_rest__does_not_grow) {
  const sceneSolver way = {"xpbd", "xpbd", {16, 10, 1e-6}, 3};
  sceneRun run = openText(
      "<mujoco><statistic meansize='.1'/><worldbody><geom type='plane' size='5 5 1' condim='1'/>"
      "<body pos='0 0 .1'><freejoint/><geom size='.1' mass='1' condim='1'/></body>"
      "</worldbody></mujoco>",
      &way);
  const double rest = 0.1 - 9.81e-6, amplitude = 4e-7;
  double most = 0;
  run.d->qpos[2] = rest;
  run.d->qvel[2] = 1000 * amplitude;
  for (int k = 0; k < 50; k++) {
    stepRun(&run);
    most = fmax(most, fabs(run.d->qpos[2] - rest));
  }
  CF_TRUE(most > 0.1 * amplitude);
  CF_TRUE(most < 1.1 * amplitude);
  closeRun(&run, 0);
}


// A box in touch with a plane, pushed and turned by a steady force, or slowed down by dry friction:
// largest velocity that is missing or too much, in parts of what gravity does in a step
static double missingVelocity(double size, double gravity, int substeps, double start,
                              double force) {
  const sceneSolver way = {"xpbd rigid", "xpbd", {substeps, 10, 0}, 3};
  const double mu = gravity > 0 ? 0.003 : 0, push = start > 0 ? 0 : force;
  char xml[800];
  snprintf(xml, sizeof(xml),
           "<mujoco><option timestep='.002' gravity='0 0 %g'/><worldbody>"
           "<geom type='plane' size='5 5 1' condim='%d' friction='%g 0 0'/><body pos='0 0 %.12g'>"
           "<freejoint/><geom type='box' size='%g %g %g' mass='1' condim='1' friction='%g 0 0'/>"
           "</body></worldbody></mujoco>",
           -gravity, start > 0 ? 3 : 1, mu, size - 5e-5, size, size, size, mu);
  sceneRun run = openText(xml, &way);
  const double length = run.m->dof_length[5], inertia = run.m->body_inertia[3 + 2];
  double most = 0;
  run.d->qvel[0] = start;
  run.d->xfrc_applied[6] = push;
  run.d->xfrc_applied[11] = push * inertia / length;
  for (int k = 1; k <= 200; k++) {
    stepRun(&run);
    const double t = 0.002 * k, wanted = start > 0 ? fmax(0, start - mu * gravity * t) : push * t;
    CF_TRUE(run.d->ncon > 0);
    most = fmax(most, fabs(run.d->qvel[0] - wanted));
    if (push > 0) {
      most = fmax(most, fabs(run.d->qvel[5] * length - wanted));
    }
  }
  closeRun(&run, 0);
  return most / (0.002 * fmax(1, gravity));
}


// forces below the tolerance are no noise: what they add up to counts, however large a body is
CF_TEST(xpbd__small_forces_on_what_is_nearly_at_rest__add_up_to_their_impulse) {
  for (double size = 0.1; size < 200; size *= 10) {
    for (int substeps = 1; substeps <= 16; substeps *= 4) {
      CF_TRUE(missingVelocity(size, 0, substeps, 0, 0.005) < 0.02);
      CF_TRUE(missingVelocity(size, 9.81, substeps, 0, 0.05) < 0.02);
      CF_TRUE(missingVelocity(size, 9.81, substeps, 0.01, 0) < 0.02);
    }
  }
}


CF_TEST(xpbd__sphere_dropped__restitution_within_2_percent) {
  CF_TRUE(sceneBounce(&soft, 0.8).error < 0.02);
  CF_TRUE(sceneBounce(&rigid, 0.5).error < 0.02);
}


CF_TEST(xpbd__sliding_block_and_slope__coulomb_within_2_percent) {
  CF_TRUE(sceneSlide(&soft).error < 0.02);
  CF_TRUE(sceneSlide(&rigid).error < 0.02);
  CF_TRUE(sceneSlope(&soft, 0.98).error < 1e-4);
  CF_TRUE(sceneSlope(&soft, 1.02).error < 0.02);
  CF_TRUE(sceneSlope(&rigid, 1.2).error < 0.02);
}


// ---------------------------------------- kinds of rows

static sceneRun openRows(const char* option, const char* condim) {
  char xml[3000];
  snprintf(xml, sizeof(xml),
           "<mujoco><option timestep='.002' %s/><worldbody>"
           "<geom type='plane' size='5 5 .1' condim='%s' friction='.5 .01 .002'/>"
           "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/>"
           "<site name='s' type='box' size='.11 .11 .11'/></body>"
           "<body pos='1 0 .5'><joint name='lim' type='hinge' axis='0 1 0' limited='true' "
           "range='-30 30'/><geom type='capsule' size='.02' fromto='0 0 0 .3 0 0' mass='1'/></body>"
           "<body pos='2 0 .5'><joint name='dry' type='hinge' axis='0 1 0' frictionloss='2'/>"
           "<geom type='capsule' size='.02' fromto='0 0 0 .1 0 0' mass='1'/></body>"
           "<body pos='3 0 .5'><joint name='e1' type='slide' axis='0 0 1'/><geom size='.05' "
           "mass='1'/></body>"
           "<body pos='3.5 0 .5'><joint name='e2' type='slide' axis='0 0 1' stiffness='100'/>"
           "<geom size='.05' mass='1'/></body>"
           "<body pos='4 0 .5'><joint name='ten' type='slide' axis='0 0 1'/><geom size='.05' "
           "mass='1'/></body>"
           "</worldbody><equality><joint joint1='e1' joint2='e2'/></equality>"
           "<tendon><fixed name='t' limited='true' range='-.1 1'><joint joint='ten' coef='1'/>"
           "</fixed></tendon>"
           "<sensor><touch name='touch' site='s'/></sensor></mujoco>",
           option, condim);
  return openText(xml, &soft);
}


static double qposOf(const sceneRun* run, const char* joint) {
  return run->d->qpos[run->m->jnt_qposadr[mj_name2id(run->m, mjOBJ_JOINT, joint)]];
}


CF_TEST(xpbd__all_kinds_of_rows__hold_in_every_form) {
  static const char* const option[4] = {
      "cone='pyramidal' jacobian='dense'", "cone='elliptic' jacobian='dense'",
      "cone='pyramidal' jacobian='sparse'", "cone='elliptic' jacobian='sparse'"};
  static const char* const condim[4] = {"1", "3", "4", "6"};
  for (int c = 0; c < 4; c++) {
    double z[4];
    for (int o = 0; o < 4; o++) {
      sceneRun run = openRows(option[o], condim[c]);
      while (isBefore(&run, 2)) {
        stepRun(&run);
      }
      // limit, dry friction that holds 0.5 Nm, springs shared by an equality, limited tendon
      CF_NEAR(qposOf(&run, "lim"), mjPI / 6, 0.02);
      CF_NEAR(qposOf(&run, "dry"), 0, 1e-6);
      CF_NEAR(qposOf(&run, "e1"), qposOf(&run, "e2"), 0.01);
      CF_NEAR(qposOf(&run, "e2"), -2 * 9.81 / 100, 0.01);
      CF_NEAR(qposOf(&run, "ten"), -0.1, 0.01);

      // the floor carries the box: contact forces, sensor, forces on its dofs
      mjtNum sum = 0, force[6];
      for (int i = 0; i < run.d->ncon; i++) {
        mj_contactForce(run.m, run.d, i, force);
        sum += force[0];
      }
      CF_NEAR(sum, 2 * 9.81, 1e-3);
      CF_NEAR(run.d->sensordata[0], sum, 1e-9);
      CF_NEAR(run.d->qfrc_constraint[2], sum, 1e-9);
      mj_rnePostConstraint(run.m, run.d);
      CF_NEAR(run.d->cfrc_ext[6 * 1 + 5], sum, 1e-9);
      z[o] = run.d->qpos[2];
      CF_EQ_INT(closeRun(&run, 0).nwarning, 0);
    }
    // cone and storage make no difference
    CF_NEAR(z[1], z[0], 1e-9);
    CF_NEAR(z[2], z[0], 1e-9);
    CF_NEAR(z[3], z[0], 1e-9);
  }
}


// forces explain accelerations: M*(qacc - qacc_smooth) = J'*force
CF_TEST(xpbd__forces__explain_accelerations) {
  sceneRun run = openRows("", "6");
  run.d->qvel[0] = 1;
  run.d->qvel[4] = 2;
  for (int k = 0; k < 100; k++) {
    stepRun(&run);
    mj_forward(run.m, run.d);
    mjtNum residual[64], force[64];
    mju_sub(residual, run.d->qacc, run.d->qacc_smooth, (int)run.m->nv);
    mj_mulM(run.m, run.d, force, residual);
    mj_mulJacTVec(run.m, run.d, residual, run.d->efc_force);
    for (int i = 0; i < run.m->nv; i++) {
      CF_NEAR(force[i], residual[i], 1e-8);
    }
  }
  closeRun(&run, 0);
}


// friction never leaves its cone, torsion and rolling included
CF_TEST(xpbd__friction__stays_in_the_cone) {
  for (int dim = 3; dim <= 6; dim += dim == 3 ? 1 : 2) {
    char text[2] = {(char)('0' + dim), 0};
    sceneRun run = openRows("cone='elliptic'", text);
    run.d->qvel[0] = 2;
    run.d->qvel[5] = 20;
    double used = 0;
    for (int k = 0; k < 200; k++) {
      stepRun(&run);
      for (int i = 0; i < run.d->ncon; i++) {
        mjtNum force[6], sum = 0;
        mj_contactForce(run.m, run.d, i, force);
        for (int j = 1; j < dim; j++) {
          sum += pow(force[j] / run.d->contact[i].friction[j - 1], 2);
        }
        CF_TRUE(sqrt(sum) <= force[0] * (1 + 1e-9) + 1e-12);
        used = fmax(used, force[0] > 0 ? sqrt(sum) / force[0] : 0);
      }
    }
    CF_NEAR(used, 1, 1e-6);
    closeRun(&run, 0);
  }
}


// edges of a flex are equalities: with compliance zero they keep their length
CF_TEST(xpbd__flex_edges__keep_their_length) {
  static const char xml[] =
      "<mujoco><option timestep='.002'/><worldbody>"
      "<flexcomp name='f' type='grid' count='6 1 1' spacing='.1 .1 .1' dim='1' radius='.01' "
      "mass='1' pos='0 0 1'><edge equality='true'/><contact selfcollide='none' contype='0' "
      "conaffinity='0'/><pin id='0'/></flexcomp></worldbody></mujoco>";
  const sceneSolver way = {"xpbd", "xpbd", {8, 20, 0}, 3};
  sceneRun run = openText(xml, &way);
  double worst = 0, lowest = 1;
  while (isBefore(&run, 1)) {
    stepRun(&run);
    for (int e = 0; e < run.m->nflexedge; e++) {
      worst = fmax(worst, fabs(run.d->flexedge_length[e] / run.m->flexedge_length0[e] - 1));
    }
    lowest = fmin(lowest, run.d->flexvert_xpos[3 * 5 + 2]);
  }
  CF_TRUE(worst < 0.01);
  CF_TRUE(lowest < 0.6);
  CF_EQ_INT(closeRun(&run, 0).nwarning, 0);
}


// ---------------------------------------- steps

static uint64_t hashAfter(const char* option, int nstep, int at_switch) {
  sceneRun run = openRows(option, "3");
  run.d->qvel[0] = 1;
  for (int k = 0; k < nstep; k++) {
    if (k == at_switch) {
      cf_setContactSolver(run.m, "lcp", NULL, 0, NULL, 0);
    } else if (at_switch && k == 2 * at_switch) {
      cf_setContactSolver(run.m, "xpbd", NULL, 0, NULL, 0);
    }
    stepRun(&run);
  }
  const uint64_t hash = cf_stateHash(run.m, run.d);
  CF_EQ_INT(closeRun(&run, 0).nwarning, 0);
  return hash;
}


CF_TEST(xpbd__same_run_twice__same_bits_and_switching_works) {
  CF_TRUE(hashAfter("", 300, 0) == hashAfter("", 300, 0));
  CF_TRUE(hashAfter("", 300, 100) == hashAfter("", 300, 100));
  CF_TRUE(hashAfter("", 300, 100) != hashAfter("", 300, 0));
}


// positions move beyond qvel with every integrator that goes with positions
CF_TEST(xpbd__integrators__all_push_apart) {
  static const char* const names[3] = {"Euler", "implicit", "implicitfast"};
  for (int k = 0; k < 3; k++) {
    char xml[500];
    snprintf(xml, sizeof(xml),
             "<mujoco><option integrator='%s'/><worldbody><geom type='plane' size='5 5 1'/>"
             "<body pos='0 0 .05'><freejoint/><geom size='.1'/></body></worldbody></mujoco>",
             names[k]);
    sceneRun run = openText(xml, &unbounded);
    stepRun(&run);
    CF_NEAR(run.d->qpos[2], 0.1, 2e-4);
    mjData* copy = mj_copyData(NULL, run.m, run.d);
    stepRun(&run);
    mj_step(run.m, copy);
    CF_TRUE(cf_stateHash(run.m, run.d) == cf_stateHash(run.m, copy));
    mj_deleteData(copy);
    closeRun(&run, 0);
  }
}


// halves of a step are the step
CF_TEST(xpbd__step1_and_step2__same_bits_as_step) {
  sceneRun a = openRows("", "3"), b = openRows("", "3");
  for (int k = 0; k < 100; k++) {
    stepRun(&a);
    mj_step1(b.m, b.d);
    mj_step2(b.m, b.d);
    CF_TRUE(cf_stateHash(a.m, a.d) == cf_stateHash(b.m, b.d));
  }
  closeRun(&a, 0);
  closeRun(&b, 0);
}


CF_TEST(xpbd__islands_and_sleep__box_falls_asleep_and_islands_have_their_forces) {
  sceneRun run = openText(
      "<mujoco><option><flag sleep='enable'/></option><worldbody><geom type='plane' size='5 5 1'/>"
      "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "<body pos='1 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "</worldbody></mujoco>",
      &soft);
  bool seen = false;
  for (int k = 0; k < 2000 && run.d->ntree_awake > 0; k++) {
    stepRun(&run);
    if (run.d->nisland == 2 && !seen) {
      seen = true;
      for (int r = 0; r < run.d->nefc; r++) {
        CF_NEAR(run.d->iefc_force[r], run.d->efc_force[run.d->map_iefc2efc[r]], 0);
      }
    }
  }
  CF_TRUE(seen);
  CF_EQ_INT(run.d->ntree_awake, 0);
  closeRun(&run, 0);
}


CF_LONG_TEST(xpbd__chain_with_masses_1_to_100__rigid_joints_stay_closed) {
  const sceneSolver way = {"xpbd", "xpbd", {10, 20, 0}, 3};
  CF_TRUE(sceneChain(&way, 1).error < 2e-5);
  CF_TRUE(sceneChain(&rigid, 1).error < 2e-4);

  // soft joints stretch as they do with Newton, whatever the number of substeps
  const sceneSolver newton = {"Newton", "lcp", {0}, 0}, many = {"xpbd", "xpbd", {8, 10}, 2};
  const double wanted = sceneChain(&newton, 1.5).error;
  CF_NEAR(sceneChain(&soft, 1.5).error, wanted, 0.01 * wanted);
  CF_NEAR(sceneChain(&many, 1.5).error, wanted, 0.01 * wanted);
}

// a pile that is in touch from the start, alone or beside another one that never comes to rest
static void runPile(bool with_other, mjtNum qpos[21]) {
  char xml[3000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><worldbody><geom type='plane' size='9 9 1'/>"
      "<body pos='0 0 .0995'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
      "<body pos='.03 0 .31'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
      "<body pos='0 .02 .55'><freejoint/><geom size='.1' mass='1'/></body>%s</worldbody></mujoco>",
      with_other
          ? "<body pos='3 0 .1'><freejoint/><geom type='capsule' size='.1 .1' mass='5'/>"
            "<body pos='0 0 .3'><joint axis='0 1 0'/><geom size='.1' mass='1'/></body></body>"
            "<body pos='3.05 0 .9'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
          : "");
  sceneRun run = openText(xml, &(sceneSolver){"xpbd", "xpbd", {3, 5}, 2});
  cf_setContactParameter(run.m, "xpbd", "speed", mjOBJ_MODEL, 0, 1, NULL, 0);
  while (isBefore(&run, 0.6)) {
    stepRun(&run);
  }
  mju_copy(qpos, run.d->qpos, 21);
  closeRun(&run, 0);
}


CF_TEST(xpbd__pile_beside_another__same_bits_as_alone) {
  mjtNum alone[21], beside[21];
  runPile(false, alone);
  runPile(true, beside);
  for (int i = 0; i < 21; i++) {
    CF_NEAR(beside[i], alone[i], 0);
  }
}

CF_TEST_MAIN("contactsolver/xpbd")
