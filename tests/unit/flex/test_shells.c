// Models of bending for sheets with any rest shape: rest shapes stay, stiffness does not depend on
// the rest angle, rigid motion is neither resisted nor damped, edits are followed.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "cf_text.h"

static const char* const shell_models[2] = {"bridson", "cubic_shell"};

typedef struct {
  mjModel* m;
  mjData* d;
} shellCase;


static void closeShell(shellCase c) {
  mj_deleteData(c.d);
  mj_deleteModel(c.m);
}


// ---------------------------------------- scenes

// a sheet of 8 x 6 cells, rolled to a quarter cylinder where radius is positive, its inner vertices
// moved by up to `jitter` cells; attributes of flexcomp and of elasticity
static shellCase openSheet(double radius, double jitter, const char* attributes,
                           const char* elasticity) {
  enum { N = 8, M = 6 };
  static char text[60000];
  char* p = text;
  unsigned seed = 3;
  p += sprintf(p,
               "<mujoco><option timestep='.0001' gravity='0 0 0'/><worldbody><flexcomp name='s' "
               "type='direct' dim='2' mass='.5' radius='.003' %s point='",
               attributes);
  for (int i = 0; i <= N; i++) {
    for (int j = 0; j <= M; j++) {
      const bool is_inner = i > 0 && i < N && j > 0 && j < M;
      double shift[2] = {0, 0};
      for (int k = 0; k < 2 && is_inner; k++) {
        seed = seed * 1664525u + 1013904223u;
        shift[k] = 2 * jitter * ((seed >> 8) / 16777216.0 - 0.5);
      }
      const double turn = 0.5 * mjPI * (i + shift[0]) / N, y = 0.3 * (j + shift[1]) / M;
      if (radius > 0) {
        p += sprintf(p, "%.15g %.15g %.15g ", radius * cos(turn), y, radius * sin(turn));
      } else {
        p += sprintf(p, "%.15g %.15g 0 ", 0.3 * turn, y);
      }
    }
  }
  p += sprintf(p, "' element='");
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++) {
      const int a = i * (M + 1) + j, b = a + 1, c = a + M + 1, e = c + 1;
      if ((i + j) % 2) {
        p += sprintf(p, "%d %d %d %d %d %d ", a, c, e, e, b, a);
      } else {
        p += sprintf(p, "%d %d %d %d %d %d ", c, b, a, b, c, e);
      }
    }
  }
  sprintf(p,
          "'><elasticity young='1e6' poisson='.3' thickness='.01' %s/><contact selfcollide='none' "
          "internal='false' contype='0' conaffinity='0'/></flexcomp></worldbody></mujoco>",
          elasticity);
  shellCase c = {.m = cf_compileText(text)};
  c.d = mj_makeData(c.m);
  return c;
}


// two triangles over an edge along y, the second one turned by `rest` radians
static shellCase openHinge(double rest, const char* attributes, const char* elasticity) {
  char text[3000];
  snprintf(text, sizeof(text),
           "<mujoco><option timestep='1e-6' gravity='0 0 0'/><worldbody><flexcomp name='s' "
           "type='direct' dim='2' mass='.04' radius='.003' %s "
           "point='0 0 0  0 .1 0  -.08 .06 0  %.15g .03 %.15g' element='0 1 2  1 0 3'>"
           "<elasticity young='1e6' poisson='.3' thickness='.01' %s/><contact selfcollide='none' "
           "internal='false' contype='0' conaffinity='0'/></flexcomp></worldbody></mujoco>",
           attributes, 0.09 * cos(rest), 0.09 * sin(rest), elasticity);
  shellCase c = {.m = cf_compileText(text)};
  c.d = mj_makeData(c.m);
  return c;
}


static void choose(shellCase c, const char* model) {
  char error[500] = "";
  if (!cf_setFlexBending(c.m, 0, model, error, sizeof(error))) {
    CF_FAIL("%s\n", error);
  }
}


// the last vertex of a hinge turned to an angle from flat; energy and moment about the edge
static mjtNum turnHinge(shellCase c, double rest, double angle, mjtNum* moment) {
  mju_zero(c.d->qpos, (int)c.m->nq);
  const int q = c.m->jnt_qposadr[c.m->body_jntadr[c.m->flex_vertbodyid[3]]];
  c.d->qpos[q] = 0.09 * (cos(angle) - cos(rest));
  c.d->qpos[q + 2] = 0.09 * (sin(angle) - sin(rest));
  mj_fwdPosition(c.m, c.d);
  mj_fwdVelocity(c.m, c.d);
  *moment = 0.09 * (-sin(angle) * c.d->qfrc_spring[q] + cos(angle) * c.d->qfrc_spring[q + 2]);
  return cf_flexEnergy(c.m, c.d, 0);
}


// D*length^2/area for the hinge, D = mu*thickness^3/8
static double hingeStiffness(void) {
  return 1e6 / (2 * 1.3) * 1e-6 / 8 * 0.01 / (0.5 * 0.1 * (0.08 + 0.09));
}


// ---------------------------------------- rest shapes

// how far a vertex moves within a time
static mjtNum wander(shellCase c, double seconds) {
  mjtNum worst = 0;
  for (int k = (int)(seconds / c.m->opt.timestep); k > 0; k--) {
    mj_step(c.m, c.d);
    for (int i = 0; i < c.m->nq; i++) {
      worst = fabs(c.d->qpos[i]) <= worst ? worst : fabs(c.d->qpos[i]);
    }
  }
  return worst;
}


// 003 42B criterion 4: a rest shape that is not flat is free of forces, and stays where it is
CF_TEST(C42B_4_shells__curved_and_irregular_rest_shapes__stay_where_they_are) {
  static const double shape[3][2] = {{0.3, 0}, {0.3, 0.25}, {0, 0.25}};
  static const char* const kinds[2] = {"elastic2d='bend'", "elastic2d='both'"};
  for (int k = 0; k < 12; k++) {
    char attributes[100];
    snprintf(attributes, sizeof(attributes), "bending_model='%s'", shell_models[k / 6]);
    shellCase c = openSheet(shape[k % 3][0], shape[k % 3][1], attributes, kinds[k / 3 % 2]);
    for (int i = 0; i < c.m->nq; i++) {
      c.d->qpos[i] = 1e-9 * sin(7.0 * i);  // more than rounding
    }
    CF_TRUE(wander(c, 0.05) < 1e-8);
    mj_resetData(c.m, c.d);
    CF_TRUE(wander(c, 0.05) < 1e-12);
    closeShell(c);
  }

  // MuJoCo's model lets the same shapes go
  for (int k = 0; k < 3; k++) {
    shellCase c = openSheet(shape[k][0], shape[k][1], "", kinds[0]);
    CF_TRUE(wander(c, 0.05) > 1e-3);
    closeShell(c);
  }
}


// a sheet far too stiff for its timestep is softened, not torn apart; one that is not too stiff has
// the stiffness it was given
CF_TEST(cubicShell__too_stiff_for_the_timestep__stays_and_keeps_momentum) {
  shellCase c =
      openSheet(0.3, 0.25, "bending_model='cubic_shell'", "damping='.01' elastic2d='bend'");
  mju_scl(c.m->flex_bending, c.m->flex_bending, 1e6, 17 * (int)c.m->nflexedge);
  c.m->opt.timestep = 0.005;
  for (int i = 0; i < c.m->nq; i++) {
    c.d->qpos[i] = 1e-9 * sin(7.0 * i);
  }
  CF_TRUE(wander(c, 2) < 1e-7);

  // within a third of the fastest timestep nothing changes
  mjtNum energy[2];
  mju_scl(c.m->flex_bending, c.m->flex_bending, 1e-6, 17 * (int)c.m->nflexedge);
  for (int i = 0; i < c.m->nq; i++) {
    c.d->qpos[i] = 1e-3 * sin(7.0 * i);
  }
  mj_fwdPosition(c.m, c.d);
  for (int k = 0; k < 2; k++) {
    c.m->opt.timestep = k ? 1e-9 : 1e-5;
    energy[k] = cf_flexEnergy(c.m, c.d, 0);
  }
  CF_TRUE(energy[0] > 1e-6);
  CF_NEAR(energy[1], energy[0], 0);
  closeShell(c);
}


// the numbers of docs/softbodies.md
CF_LONG_TEST(shells__quarter_cylinder_and_irregular_sheet__stay_for_two_seconds) {
  static const double shape[2][2] = {{0.3, 0}, {0, 0.25}};
  static const char* const models[3] = {"cubic_shell", "bridson", "cotangent"};
  for (int k = 0; k < 6; k++) {
    const bool is_rolled = k % 2 == 0;
    shellCase c = openSheet(shape[k % 2][0], shape[k % 2][1], "",
                            is_rolled ? "elastic2d='bend'" : "damping='.0005' elastic2d='both'");
    choose(c, models[k / 2]);
    c.m->opt.timestep = 2e-4;
    const mjtNum moved = wander(c, 2);
    print_message("%s, %s: moved by %.2g m\n", models[k / 2],
                  is_rolled ? "quarter cylinder" : "irregular sheet", moved);
    CF_TRUE(k < 4 ? moved < 1e-12 : moved > 1e-3);
    closeShell(c);
  }
}


// bent and let go, a shell returns to its rest shape, not to a plane
CF_TEST(shells__bent_quarter_cylinder_let_go__returns_to_its_rest_shape) {
  shellCase c =
      openSheet(0.3, 0, "bending_model='cubic_shell'", "damping='.0003' elastic2d='both'");
  for (int v = 0; v < c.m->nflexvert; v++) {
    const int q = c.m->jnt_qposadr[c.m->body_jntadr[c.m->flex_vertbodyid[v]]];
    c.d->qpos[q] = 0.01 * (v / 7) / 8.0 * (v / 7) / 8.0;
  }
  mj_forward(c.m, c.d);
  const mjtNum before = cf_flexEnergy(c.m, c.d, 0);
  CF_TRUE(before > 1e-4);
  wander(c, 0.4);
  mj_forward(c.m, c.d);
  CF_TRUE(cf_flexEnergy(c.m, c.d, 0) < 1e-2 * before);
  closeShell(c);
}


// ---------------------------------------- plates and cylinders

// a point of a sheet of equilateral triangles that is rolled with a curvature
static void rolledPoint(mjtNum x[3], int i, int j, int n, double curvature) {
  const double u = (j + 0.5 * (i % 2)) / n, v = sqrt(0.75) * i / n;
  const double turn = curvature * u;
  x[0] = fabs(curvature) > 0 ? sin(turn) / curvature : u;
  x[1] = v;
  x[2] = fabs(curvature) > 0 ? (1 - cos(turn)) / curvature : 0;
}


// energy of a sheet with one curvature at rest that has another, over that of the plate
static double rolledEnergy(const char* model, int n, double rest, double now) {
  const size_t room = 400 * (size_t)(n + 1) * (size_t)(n + 1) + 2000;
  char *text = malloc(room), *p = text;
  p += sprintf(p,
               "<mujoco><worldbody><flexcomp name='s' type='direct' dim='2' mass='1' radius='.001'"
               " bending_model='%s' point='",
               model);
  for (int k = 0; k < (n + 1) * (n + 1); k++) {
    mjtNum x[3];
    rolledPoint(x, k / (n + 1), k % (n + 1), n, rest);
    p += sprintf(p, "%.17g %.17g %.17g ", x[0], x[1], x[2]);
  }
  p += sprintf(p, "' element='");
  for (int k = 0; k < n * n; k++) {
    const int a = k / n * (n + 1) + k % n, b = a + 1, c = a + n + 1, e = c + 1;
    p += k / n % 2 ? sprintf(p, "%d %d %d %d %d %d ", a, b, e, a, e, c)
                   : sprintf(p, "%d %d %d %d %d %d ", a, b, c, b, e, c);
  }
  sprintf(p,
          "'><elasticity young='1e6' poisson='0' thickness='.01' elastic2d='bend'/><contact "
          "selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>");
  shellCase c = {.m = cf_compileText(text)};
  free(text);
  c.m->opt.timestep = 1e-7;  // nothing is softened
  c.d = mj_makeData(c.m);
  mj_fwdPosition(c.m, c.d);
  for (int k = 0; k < (n + 1) * (n + 1); k++) {
    mjtNum x[3];
    rolledPoint(x, k / (n + 1), k % (n + 1), n, now);
    mju_sub3(c.d->qpos + c.m->jnt_qposadr[c.m->body_jntadr[c.m->flex_vertbodyid[k]]], x,
             c.d->flexvert_xpos + 3 * k);
  }
  mj_fwdPosition(c.m, c.d);
  const double D = 0.5e6 * 1e-6 / 8, bent = now - rest, area = sqrt(0.75);
  const double energy = cf_flexEnergy(c.m, c.d, 0) / (0.5 * D * bent * bent * area);
  closeShell(c);
  return energy;
}


// rolled, unrolled, rolled the other way: error of first order, as borders have no hinges
CF_TEST(shells__refined__energy_of_a_rolled_plate) {
  static const double roll[4][2] = {{0, 0.5}, {2, 0}, {2, 2.6}, {1, -1}};
  for (int k = 0; k < 8; k++) {
    double error[3];
    for (int i = 0; i < 3; i++) {
      error[i] =
          fabs(rolledEnergy(shell_models[k % 2], 6 << i, roll[k / 2][0], roll[k / 2][1]) - 1);
    }
    print_message("%s, curvature %g to %g: %.3f %.3f %.3f\n", shell_models[k % 2], roll[k / 2][0],
                  roll[k / 2][1], error[0], error[1], error[2]);
    CF_TRUE(error[2] < 0.05);
    CF_TRUE(error[1] < 0.6 * error[0] && error[2] < 0.6 * error[1]);
  }
}


// ---------------------------------------- rest angle

CF_TEST(shells__any_rest_angle__stiffness_of_a_flat_hinge) {
  static const double degrees[] = {0, 30, 60, 85, 90, 95, 120, 150, -60, -90, -120};
  const double k = hingeStiffness();
  for (size_t i = 0; i < 2 * sizeof(degrees) / sizeof(degrees[0]); i++) {
    const double rest = degrees[i / 2] * mjPI / 180, eps = 1e-4;
    for (int way = 0; way < 2; way++) {
      // chosen in the file, and by a program afterwards
      char attributes[100];
      snprintf(attributes, sizeof(attributes), "bending_model='%s'", shell_models[i % 2]);
      shellCase c = openHinge(rest, way ? "" : attributes, "elastic2d='bend'");
      choose(c, shell_models[i % 2]);
      mjtNum moment[3];
      for (int side = 0; side < 3; side++) {
        turnHinge(c, rest, rest + (side - 1) * eps, moment + side);
      }
      CF_NEAR(moment[1], 0, 1e-12);
      CF_NEAR((moment[0] - moment[2]) / (2 * eps) / k, 1, 1e-6);
      closeShell(c);
    }
  }
}


// all around: no jump of the moment, which is minus the slope of the energy
CF_TEST(shells__turned_all_around__moment_without_jumps_is_slope_of_the_energy) {
  static const double degrees[] = {0, 60, 90, -120};
  const double k = hingeStiffness(), step = mjPI / 1800;
  for (int i = 0; i < 8; i++) {
    const double rest = degrees[i / 2] * mjPI / 180;
    char attributes[100];
    snprintf(attributes, sizeof(attributes), "bending_model='%s'", shell_models[i % 2]);
    shellCase c = openHinge(rest, attributes, "elastic2d='bend'");
    mjtNum last, now, before, energy, ignored;
    before = turnHinge(c, rest, rest - mjPI - 0.1, &last);
    for (double turn = -mjPI - 0.1 + step; turn < mjPI + 0.3; turn += step) {
      energy = turnHinge(c, rest, rest + turn, &now);
      CF_NEAR(now / k, last / k, 8.5 * step);
      const mjtNum middle = turnHinge(c, rest, rest + turn - step / 2, &ignored);
      CF_TRUE(middle >= 0);
      CF_NEAR((before - energy) / step / k, ignored / k, 5e-4);
      if (fabs(turn) < 2.6) {
        CF_NEAR(now / k, i % 2 ? -sin(turn) : -turn, 1e-6);
      }
      last = now;
      before = energy;
    }
    closeShell(c);
  }
}


// ---------------------------------------- motion as one piece

static double uniform(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0 - 0.5;
}


static void momentumOf(shellCase c, mjtNum sum[6]) {
  mju_zero(sum, 6);
  for (int v = 0; v < c.m->nflexvert; v++) {
    const int body = c.m->flex_vertbodyid[v];
    mjtNum turn[3];
    const mjtNum* velocity = c.d->qvel + c.m->body_dofadr[body];
    mju_cross(turn, c.d->flexvert_xpos + 3 * v, velocity);
    mju_addToScl3(sum, velocity, c.m->body_mass[body]);
    mju_addToScl3(sum + 3, turn, c.m->body_mass[body]);
  }
}


// a deformed sheet that moves at random: forces of damping and bending add up to nothing
CF_TEST(shells__deformed_and_moving__no_net_force_and_no_net_torque) {
  for (int k = 0; k < 2; k++) {
    shellCase c = openSheet(0.3, 0.25, "", "damping='.01' elastic2d='bend'");
    choose(c, shell_models[k]);
    unsigned seed = 4;
    for (int i = 0; i < c.m->nv; i++) {
      c.d->qpos[i] = 0.01 * uniform(&seed);
      c.d->qvel[i] = uniform(&seed);
    }
    mj_fwdPosition(c.m, c.d);
    mj_fwdVelocity(c.m, c.d);
    mjtNum force[3] = {0}, torque[3] = {0}, largest = 0;
    for (int v = 0; v < c.m->nflexvert; v++) {
      const mjtNum* pull = c.d->qfrc_passive + c.m->body_dofadr[c.m->flex_vertbodyid[v]];
      mjtNum moment[3];
      mju_cross(moment, c.d->flexvert_xpos + 3 * v, pull);
      mju_addTo3(force, pull);
      mju_addTo3(torque, moment);
      largest = mju_max(largest, mju_norm3(pull));
    }
    CF_TRUE(largest > 1e-2);
    CF_TRUE(mju_norm(c.d->qfrc_damper, (int)c.m->nv) > 1e-3);
    CF_NEAR(mju_norm3(force) / largest, 0, 1e-12);
    CF_NEAR(mju_norm3(torque) / largest, 0, 1e-12);
    closeShell(c);
  }
}


// a deformed sheet that spins as one piece is not damped; MuJoCo's damping would slow it
CF_TEST(shells__spinning_as_one_piece__not_damped) {
  for (int k = 0; k < 3; k++) {
    shellCase c = openSheet(0.3, 0.25, "", "damping='.01' elastic2d='bend'");
    choose(c, k < 2 ? shell_models[k] : "cotangent");
    unsigned seed = 4;
    for (int i = 0; i < c.m->nv; i++) {
      c.d->qpos[i] = 0.01 * uniform(&seed);
    }
    mj_fwdPosition(c.m, c.d);
    const mjtNum spin[3] = {3, -5, 8};
    for (int v = 0; v < c.m->nflexvert; v++) {
      mjtNum* velocity = c.d->qvel + c.m->body_dofadr[c.m->flex_vertbodyid[v]];
      mju_cross(velocity, spin, c.d->flexvert_xpos + 3 * v);
    }
    mj_fwdVelocity(c.m, c.d);
    const mjtNum damper = mju_norm(c.d->qfrc_damper, (int)c.m->nv);
    CF_TRUE(k < 2 ? damper < 1e-9 : damper > 1e-3);
    closeShell(c);
  }
}


// force of the dampers = damping times the rate at which the springs' force changes, at rest
CF_TEST(shells__moving_at_rest__damping_times_rate_of_the_spring) {
  for (int k = 0; k < 2; k++) {
    shellCase c = openSheet(0.3, 0.25, "", "damping='.01' elastic2d='bend'");
    choose(c, shell_models[k]);
    const int nv = (int)c.m->nv;
    const mjtNum h = 1e-7;
    unsigned seed = 7;
    mjtNum* expected = calloc(2 * (size_t)nv, sizeof(mjtNum));
    for (int i = 0; i < nv; i++) {
      c.d->qvel[i] = uniform(&seed);
    }
    mj_fwdPosition(c.m, c.d);
    mj_fwdVelocity(c.m, c.d);
    mju_copy(expected + nv, c.d->qfrc_damper, nv);
    for (int side = -1; side <= 1; side += 2) {
      mju_scl(c.d->qpos, c.d->qvel, side * h, nv);
      mj_fwdPosition(c.m, c.d);
      mj_fwdVelocity(c.m, c.d);
      mju_addToScl(expected, c.d->qfrc_spring, side * 0.01 / (2 * h), nv);
    }
    const mjtNum size = mju_norm(expected, nv);
    CF_TRUE(size > 1);
    mju_subFrom(expected, expected + nv, nv);
    if (!(mju_norm(expected, nv) < 1e-5 * size)) {
      print_message("%s: %g of %g\n", shell_models[k], mju_norm(expected, nv), size);
    }
    CF_TRUE(mju_norm(expected, nv) < 1e-5 * size);
    CF_TRUE(mju_dot(c.d->qvel, expected + nv, nv) < 0);
    free(expected);
    closeShell(c);
  }
}


CF_TEST(shells__free_spin_with_damping__keeps_momentum_and_rotation) {
  for (int k = 0; k < 2; k++) {
    shellCase c = openSheet(0.3, 0, "", "damping='.002' elastic2d='both'");
    choose(c, shell_models[k]);
    CF_TRUE(cf_setFlexElasticity(c.m, 0, "stable_neo_hookean", NULL, 0));
    mj_fwdPosition(c.m, c.d);
    const mjtNum spin[3] = {0, 0, 6};
    for (int v = 0; v < c.m->nflexvert; v++) {
      mjtNum* velocity = c.d->qvel + c.m->body_dofadr[c.m->flex_vertbodyid[v]];
      mju_cross(velocity, spin, c.d->flexvert_xpos + 3 * v);
      velocity[0] += 0.2;
    }
    mjtNum start[6], end[6];
    momentumOf(c, start);
    for (int i = 0; i < 1000; i++) {
      mj_step(c.m, c.d);
    }
    mj_fwdPosition(c.m, c.d);
    momentumOf(c, end);
    CF_NEAR_ARRAY(end, start, 3, 1e-11);
    CF_NEAR_ARRAY(end + 3, start + 3, 3, 1e-11);
    closeShell(c);
  }
}


// vertices that slide along the axes of a body which turns: their velocity in the world counts
CF_TEST(shells__on_a_turning_body__damped_by_what_deforms_only) {
  static const char text[] =
      "<mujoco><option timestep='1e-4' gravity='0 0 0'/><worldbody><body name='b' pos='.1 .2 .3'>"
      "<freejoint/><geom size='.01' mass='1' contype='0' conaffinity='0'/>"
      "<flexcomp name='s' type='grid' count='4 4 1' spacing='.1 .1 .1' dim='2' mass='.5'"
      " radius='.003' bending_model='%s' elasticity_model='neo_hookean'>"
      "<elasticity young='1e5' poisson='.3' thickness='.01' damping='.01' elastic2d='both'/>"
      "<contact selfcollide='none' internal='false' contype='0' conaffinity='0'/></flexcomp>"
      "</body></worldbody></mujoco>";
  for (int k = 0; k < 2; k++) {
    char xml[1200];
    snprintf(xml, sizeof(xml), text, shell_models[k]);
    shellCase c = {.m = cf_compileText(xml)};
    c.d = mj_makeData(c.m);
    unsigned seed = 4;
    for (int i = 7; i < c.m->nq; i++) {
      c.d->qpos[i] = 0.01 * uniform(&seed);
    }
    const mjtNum spin[6] = {1, 2, 3, 4, -5, 6}, part[4] = {0.36, 0.48, 0.8, 0};
    mju_copy(c.d->qvel, spin, 6);
    mju_copy4(c.d->qpos + 3, part);
    mj_fwdPosition(c.m, c.d);
    mj_fwdVelocity(c.m, c.d);
    CF_TRUE(mju_norm(c.d->qfrc_spring, (int)c.m->nv) > 1e-2);
    CF_NEAR(mju_norm(c.d->qfrc_damper, (int)c.m->nv), 0, 1e-9);

    // the rate of the energy is what damping takes: never given
    for (int i = 6; i < c.m->nv; i++) {
      c.d->qvel[i] = uniform(&seed);
    }
    mj_fwdVelocity(c.m, c.d);
    CF_TRUE(mju_dot(c.d->qfrc_damper, c.d->qvel, (int)c.m->nv) < -1e-4);
    closeShell(c);
  }
}


// ---------------------------------------- edits of the compiled numbers

static mjtNum bendingForces(shellCase c, mjtNum* force) {
  mj_fwdPosition(c.m, c.d);
  mj_fwdVelocity(c.m, c.d);
  mju_copy(force, c.d->qfrc_spring, (int)c.m->nv);
  return cf_flexEnergy(c.m, c.d, 0);
}


// flat, folded by less, by exactly and by more than a right angle
CF_TEST(shells__flex_bending_edited__forces_follow) {
  static const double degrees[] = {0, 60, 90, 120};
  for (int i = 0; i < 8; i++) {
    shellCase c =
        openHinge(degrees[i / 2] * mjPI / 180, "bending_model='cubic_shell'", "elastic2d='bend'");
    choose(c, shell_models[i % 2]);
    unsigned seed = 9;
    for (int k = 0; k < c.m->nq; k++) {
      c.d->qpos[k] = 0.01 * uniform(&seed);
    }
    mjtNum before[12], after[12];
    const mjtNum energy = bendingForces(c, before);
    mju_scl(c.m->flex_bending, c.m->flex_bending, 3, 17 * (int)c.m->nflexedge);
    CF_NEAR(bendingForces(c, after) / energy, 3, 1e-12);
    for (int k = 0; k < 12; k++) {
      CF_NEAR(after[k], 3 * before[k], 1e-12);
    }
    mjtNum* kept = malloc(17 * sizeof(mjtNum) * (size_t)c.m->nflexedge);
    mju_copy(kept, c.m->flex_bending, 17 * (int)c.m->nflexedge);
    mju_zero(c.m->flex_bending, 17 * (int)c.m->nflexedge);
    CF_NEAR(bendingForces(c, after), 0, 0);
    CF_NEAR(mju_norm(after, 12), 0, 0);

    // also where there was nothing when the model was chosen, but for right angles
    if (i / 2 != 2) {
      choose(c, shell_models[1 - i % 2]);
      choose(c, shell_models[i % 2]);
    }
    mju_copy(c.m->flex_bending, kept, 17 * (int)c.m->nflexedge);
    CF_NEAR(bendingForces(c, after) / energy, 3, 1e-12);
    free(kept);
    closeShell(c);
  }
}


// a fold at a right angle between flat quadrilaterals: it follows those, one edge of which may be
// edited alone
CF_TEST(shells__flex_bending_of_a_bracket_edited__its_fold_follows_the_flat_hinges) {
  for (int k = 0; k < 2; k++) {
    shellCase c = {.m = cf_compileText(
                       "<mujoco><option timestep='1e-6'/><worldbody><flexcomp name='s' "
                       "type='direct' dim='2' mass='.1' radius='.003' bending_model='bridson' "
                       "point='0 0 0  0 .1 0  -.1 0 0  -.1 .1 0  0 0 .1  0 .1 .1' "
                       "element='0 1 2  1 3 2  0 4 1  1 4 5'><elasticity young='1e6' poisson='.3' "
                       "thickness='.01'/><contact selfcollide='none' internal='false'/></flexcomp>"
                       "</worldbody></mujoco>")};
    c.d = mj_makeData(c.m);
    choose(c, shell_models[k]);
    unsigned seed = 2;
    for (int i = 0; i < c.m->nq; i++) {
      c.d->qpos[i] = 0.005 * uniform(&seed);
    }
    mjtNum before[18], after[18];
    const mjtNum energy = bendingForces(c, before);
    CF_TRUE(energy > 1e-6);
    mju_scl(c.m->flex_bending, c.m->flex_bending, 2, 17 * (int)c.m->nflexedge);
    CF_NEAR(bendingForces(c, after) / energy, 2, 1e-12);
    CF_NEAR(after[5], 2 * before[5], 1e-10);
    closeShell(c);
  }
}


CF_TEST(elasticity__flex_stiffness_edited__forces_follow) {
  static const char* const models[2] = {"neo_hookean", "stable_neo_hookean"};
  for (int i = 0; i < 4; i++) {
    shellCase c = {.m = cf_compileText(
                       i < 2 ? "<mujoco><worldbody><flexcomp name='s' type='grid' count='3 3 3'"
                               " spacing='.1 .1 .1' dim='3' mass='1' radius='.01'>"
                               "<elasticity young='1e4' poisson='.3' damping='.01'/>"
                               "<contact selfcollide='none'/></flexcomp></worldbody></mujoco>"
                             : "<mujoco><worldbody><flexcomp name='s' type='grid' count='4 3 1'"
                               " spacing='.1 .1 .1' dim='2' mass='1' radius='.01'>"
                               "<elasticity young='1e4' poisson='.3' damping='.01' thickness='.01'"
                               " elastic2d='stretch'/><contact selfcollide='none'/></flexcomp>"
                               "</worldbody></mujoco>")};
    c.d = mj_makeData(c.m);
    CF_TRUE(cf_setFlexElasticity(c.m, 0, models[i % 2], NULL, 0));
    unsigned seed = 9;
    const int nv = (int)c.m->nv;
    for (int k = 0; k < nv; k++) {
      c.d->qpos[k] = 0.02 * uniform(&seed);
      c.d->qvel[k] = uniform(&seed);
    }
    mjtNum before[100], after[100], damper[100];
    const mjtNum energy = bendingForces(c, before);
    mju_copy(damper, c.d->qfrc_damper, nv);
    mju_scl(c.m->flex_stiffness, c.m->flex_stiffness, 3, 21 * (int)c.m->nflexelem);
    CF_NEAR(bendingForces(c, after) / energy, 3, 1e-10);
    for (int k = 0; k < nv; k++) {
      CF_NEAR(after[k], 3 * before[k], 1e-10);
      CF_NEAR(c.d->qfrc_damper[k], 3 * damper[k], 1e-10);
    }

    // chosen anew, the edited numbers are what is precomputed
    CF_TRUE(cf_setFlexElasticity(c.m, 0, models[i % 2], NULL, 0));
    CF_NEAR(bendingForces(c, after) / energy, 3, 1e-10);
    closeShell(c);
  }
}


// ---------------------------------------- files, copies

CF_TEST(shells__binary_file_and_copy__hinge_at_a_right_angle_keeps_its_stiffness) {
  shellCase c = openHinge(mjPI / 2, "bending_model='cubic_shell'", "elastic2d='bend'");
  mjtNum moment[3];
  const int nbyte = (int)mj_sizeModel(c.m);
  char *bytes = malloc((size_t)nbyte), *again = malloc((size_t)nbyte);
  turnHinge(c, mjPI / 2, mjPI / 2 + 0.1, moment);
  CF_NEAR(moment[0], -hingeStiffness() * sin(0.1), 1e-9);
  mj_saveModel(c.m, NULL, bytes, nbyte);
  shellCase loaded = {.m = mj_loadModelBuffer(bytes, nbyte)},
            copied = {.m = mj_copyModel(NULL, c.m)};
  CF_TRUE(loaded.m && copied.m);
  loaded.d = mj_makeData(loaded.m);
  copied.d = mj_makeData(copied.m);
  CF_EQ_STR(cf_flexBending(loaded.m, 0), "cubic_shell");
  turnHinge(loaded, mjPI / 2, mjPI / 2 + 0.1, moment + 1);
  turnHinge(copied, mjPI / 2, mjPI / 2 + 0.1, moment + 2);
  CF_NEAR(moment[1], moment[0], 0);
  CF_NEAR(moment[2], moment[0], 0);
  CF_EQ_INT(mj_sizeModel(loaded.m), nbyte);
  mj_saveModel(loaded.m, NULL, again, nbyte);
  CF_EQ_BYTES(again, bytes, (size_t)nbyte);
  free(bytes);
  free(again);
  closeShell(loaded);
  closeShell(copied);
  closeShell(c);
}


CF_TEST_MAIN("flex/shells")
