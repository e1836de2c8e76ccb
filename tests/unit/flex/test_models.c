// Exchangeable models of bending and elasticity: forces are gradients, moduli are MuJoCo's, closed
// forms, bad input.
#include <stdio.h>
#include <string.h>

#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "cf_test.h"

typedef struct {
  mjModel* m;
  mjData* d;
} softCase;

// vertices of these models hang on bodies with three slides: qpos is their displacement
static softCase openSoft(const char* name, const char* bending, const char* elasticity) {
  char path[500], error[500] = "";
  snprintf(path, sizeof(path), "%s/tests/data/flex/%s.mjb", CF_SOURCE_DIR, name);
  softCase c = {.m = mj_loadModel(path, NULL)};
  CF_TRUE(c.m != NULL);
  CF_TRUE(cf_setFlexBending(c.m, 0, bending, error, sizeof(error)));
  CF_TRUE(cf_setFlexElasticity(c.m, 0, elasticity, error, sizeof(error)));
  c.d = mj_makeData(c.m);
  return c;
}


static void closeSoft(softCase c) {
  mj_deleteData(c.d);
  mj_deleteModel(c.m);
}


static mjtNum energyNow(softCase c) {
  mj_fwdPosition(c.m, c.d);
  return cf_flexEnergy(c.m, c.d, 0);
}


static void forcesNow(softCase c) {
  mj_fwdPosition(c.m, c.d);
  mj_fwdVelocity(c.m, c.d);
}


static double uniform(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0 - 0.5;
}


static void scatter(softCase c, double size, unsigned seed) {
  for (int k = 0; k < c.m->nq; k++) {
    c.d->qpos[k] = size * 2 * uniform(&seed);
  }
}


// homogeneous deformation of the rest shape about its first vertex
static void deform(softCase c, const double F[9]) {
  mju_zero(c.d->qpos, (int)c.m->nq);
  mj_fwdPosition(c.m, c.d);
  const mjtNum* first = c.d->flexvert_xpos;
  for (int v = c.m->nflexvert - 1; v >= 0; v--) {
    mjtNum offset[3], moved[3];
    mju_sub3(offset, c.d->flexvert_xpos + 3 * v, first);
    mju_mulMatVec(moved, F, offset, 3, 3);
    mju_sub3(c.d->qpos + c.m->jnt_qposadr[c.m->body_jntadr[c.m->flex_vertbodyid[v]]], moved,
             offset);
  }
}


// ---------------------------------------- forces are gradients

typedef struct {
  const char *file, *bending, *elasticity;
} modelChoice;

static const modelChoice choices[] = {
    {"sheet", "bridson", "linear"},
    {"sheet", "cotangent", "neo_hookean"},
    {"sheet", "bridson", "neo_hookean"},
    {"sheet", "cotangent", "stable_neo_hookean"},
    {"cube", NULL, "neo_hookean"},
    {"cube", NULL, "stable_neo_hookean"},
    {"cube", NULL, "linear"},
    {"sheet", "cotangent", "linear"},
};
enum { NCHOICE = sizeof(choices) / sizeof(choices[0]) };


// worst difference of force and central difference of the energy, relative to the largest force
static double gradientError(softCase c) {
  const double eps = 2e-5;
  double worst = 0, largest = 0;
  for (int k = 0; k < c.m->nv; k++) {
    const mjtNum q = c.d->qpos[k];
    mjtNum energy[5];
    for (int i = 0; i < 5; i++) {
      c.d->qpos[k] = q + (i - 2) * eps;
      energy[i] = energyNow(c);
    }
    c.d->qpos[k] = q;
    forcesNow(c);

    // differences of fourth order
    const double slope = (energy[0] - 8 * energy[1] + 8 * energy[3] - energy[4]) / (12 * eps);
    const double force = c.d->qfrc_spring[k], error = fabs(force + slope);
    worst = error > worst || error != error ? error : worst;
    largest = fabs(force) > largest ? fabs(force) : largest;
  }
  CF_TRUE(largest > 0 && isfinite(largest));
  return worst / largest;
}


CF_TEST(flexModels__random_shapes__force_is_minus_gradient_of_energy) {
  for (int k = 0; k < NCHOICE; k++) {
    softCase c = openSoft(choices[k].file, choices[k].bending, choices[k].elasticity);
    c.m->opt.timestep = 1e-6;  // no hinge is scaled down
    for (unsigned seed = 1; seed <= 3; seed++) {
      scatter(c, 0.01 * seed, seed);
      CF_NEAR(gradientError(c), 0, 1e-7);
    }
    closeSoft(c);
  }
}


// turned inside out: mirrored, and every element at random
CF_TEST(flexModels__inverted_elements__force_is_minus_gradient_of_energy) {
  const double mirror[9] = {-0.7, 0.1, 0, 0, 0.9, 0.05, 0, 0, 1.1};
  for (int k = 0; k < NCHOICE; k++) {
    if (strcmp(choices[k].file, "cube")) {
      continue;
    }
    softCase c = openSoft("cube", NULL, choices[k].elasticity);
    deform(c, mirror);
    CF_NEAR(gradientError(c), 0, 1e-7);
    scatter(c, 0.15, 5);
    CF_NEAR(gradientError(c), 0, 1e-7);
    closeSoft(c);
  }
}


// crushed to a plane, a line, a point
CF_TEST(flexModels__elements_without_volume__forces_are_finite) {
  const double crushed[3][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 0}, {1, 0, 0, 0, 0, 0, 0, 0, 0}, {0}};
  for (int k = 0; k < NCHOICE; k++) {
    softCase c = openSoft(choices[k].file, choices[k].bending, choices[k].elasticity);
    for (int i = 0; i < 3; i++) {
      deform(c, crushed[i]);
      forcesNow(c);
      CF_TRUE(isfinite(cf_flexEnergy(c.m, c.d, 0)));
      for (int j = 0; j < c.m->nv; j++) {
        CF_TRUE(isfinite(c.d->qfrc_passive[j]));
      }
    }
    closeSoft(c);
  }
}


// ---------------------------------------- conservation

CF_TEST(flexModels__moving_body__no_net_force_and_no_net_torque) {
  for (int k = 0; k < NCHOICE; k++) {
    softCase c = openSoft(choices[k].file, choices[k].bending, choices[k].elasticity);
    scatter(c, 0.02, 7);
    unsigned seed = 9;
    for (int i = 0; i < c.m->nv; i++) {
      c.d->qvel[i] = uniform(&seed);
    }
    forcesNow(c);
    mjtNum force[3] = {0}, torque[3] = {0}, largest = 0;
    for (int v = 0; v < c.m->nflexvert; v++) {
      const int dof = c.m->body_dofadr[c.m->flex_vertbodyid[v]];
      mjtNum moment[3];
      mju_cross(moment, c.d->flexvert_xpos + 3 * v, c.d->qfrc_passive + dof);
      mju_addTo3(force, c.d->qfrc_passive + dof);
      mju_addTo3(torque, moment);
      largest = mju_max(largest, mju_norm3(c.d->qfrc_passive + dof));
    }
    CF_TRUE(largest > 1e-3);
    CF_NEAR(mju_norm3(force) / largest, 0, 1e-12);

    // MuJoCo's damping of linear elasticity and of bending acts along the stencil, not about it
    if (strcmp(choices[k].elasticity, "linear") &&
        !(choices[k].bending && !strcmp(choices[k].bending, "cotangent"))) {
      CF_NEAR(mju_norm3(torque) / largest, 0, 1e-12);
    }
    closeSoft(c);
  }
}


CF_TEST(flexModels__rigid_motion__stores_no_energy_and_is_not_damped) {
  const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
  for (int k = 0; k < NCHOICE; k++) {
    softCase c = openSoft(choices[k].file, choices[k].bending, choices[k].elasticity);
    deform(c, turn);
    mj_fwdPosition(c.m, c.d);
    const mjtNum spin[3] = {0.3, -0.2, 0.5};
    for (int v = 0; v < c.m->nflexvert; v++) {
      mju_cross(c.d->qvel + c.m->body_dofadr[c.m->flex_vertbodyid[v]], spin,
                c.d->flexvert_xpos + 3 * v);
    }
    forcesNow(c);
    CF_NEAR(cf_flexEnergy(c.m, c.d, 0), 0, 1e-12);
    for (int i = 0; i < c.m->nv; i++) {
      CF_NEAR(c.d->qfrc_passive[i], 0, 1e-9);
    }
    closeSoft(c);
  }
}


// ---------------------------------------- closed forms

static const double young_cube = 5e3, young_sheet = 1e4, poisson = 0.3, thickness = 0.01;

// Lame moduli as MuJoCo's linear model has them: the second is twice that of the textbook, and
// those of a membrane are a quarter of its thickness times the solid's
static void lame(int dim, double* mu, double* la) {
  const double young = dim == 3 ? young_cube : young_sheet * thickness / 4;
  *mu = young / (2 * (1 + poisson));
  *la = 2 * young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}


// uniaxial and equibiaxial stretch and simple shear of the whole body
static const double stretches[3][9] = {{1.5, 0, 0, 0, 0.85, 0, 0, 0, 0.85},
                                       {1.3, 0, 0, 0, 1.3, 0, 0, 0, 0.7},
                                       {1, 0.4, 0, 0, 1, 0, 0, 0, 1}};


static void invariants(const double* F, int dim, double* I, double* J) {
  const double det2 = F[0] * F[4] - F[1] * F[3];
  *I = F[0] * F[0] + F[1] * F[1] + F[3] * F[3] + F[4] * F[4] + (dim == 3 ? F[8] * F[8] : 0);
  *J = dim == 3 ? det2 * F[8] : det2;
}


CF_TEST(neoHookean__homogeneous_stretch__energy_of_the_closed_form) {
  for (int dim = 2; dim <= 3; dim++) {
    softCase c = openSoft(dim == 2 ? "sheet" : "cube", NULL, "neo_hookean");
    const double volume = dim == 2 ? 0.3 * 0.4 : 0.2 * 0.2 * 0.2;
    double mu, la, I, J;
    lame(dim, &mu, &la);
    for (int k = 0; k < 3; k++) {
      invariants(stretches[k], dim, &I, &J);
      const double w = mu / 2 * (I - dim) - mu * log(J) + la / 2 * log(J) * log(J);
      deform(c, stretches[k]);
      CF_NEAR(energyNow(c) / (volume * w), 1, 1e-6);
    }
    closeSoft(c);
  }
}


// where the parabola takes over from the logarithm, at a tenth of the volume, stiffness does not
// jump
CF_TEST(neoHookean__crushed_to_a_tenth__curvature_of_the_energy_is_continuous) {
  softCase c = openSoft("cube", NULL, "neo_hookean");
  const double side = cbrt(0.1), h = 1e-4;
  mjtNum energy[5];
  for (int k = 0; k < 5; k++) {
    const double s = side + (k - 2) * h, F[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
    deform(c, F);
    energy[k] = energyNow(c);
  }
  const double below = energy[0] - 2 * energy[1] + energy[2];
  const double above = energy[2] - 2 * energy[3] + energy[4];
  CF_TRUE(above > 0);
  CF_NEAR(below / above, 1, 0.02);
  closeSoft(c);
}


CF_TEST(stableNeoHookean__homogeneous_stretch__energy_of_the_closed_form) {
  for (int dim = 2; dim <= 3; dim++) {
    softCase c = openSoft(dim == 2 ? "sheet" : "cube", NULL, "stable_neo_hookean");
    const double volume = dim == 2 ? 0.3 * 0.4 : 0.2 * 0.2 * 0.2, n = dim + 1;
    double mu, la, I, J;
    lame(dim, &mu, &la);
    const double m = mu * n / dim, l = dim == 3 ? la + 5 * mu / 6 : la + 2 * mu / 3;
    const double a = 1 + m * dim / (n * l);
    for (int k = 0; k < 3; k++) {
      invariants(stretches[k], dim, &I, &J);
      const double w = m / 2 * (I - dim) - m / 2 * log((I + 1) / n) +
                       l / 2 * ((J - a) * (J - a) - (1 - a) * (1 - a));
      deform(c, stretches[k]);
      CF_NEAR(energyNow(c) / (volume * w), 1, 1e-6);
    }
    closeSoft(c);
  }
}


// 003 42C criterion 5: at one percent of strain the force of the linear model, within 5 %
CF_TEST(C42C_5_neoHookean__small_strain__force_of_linear_elasticity) {
  const double strain[9] = {1.01, 0.004, 0, 0, 0.995, 0, 0, 0, 1.003};
  const char* files[2] = {"sheet", "cube"};
  const char* models[2] = {"neo_hookean", "stable_neo_hookean"};
  for (int k = 0; k < 4; k++) {
    softCase linear = openSoft(files[k % 2], NULL, "linear");
    softCase hyper = openSoft(files[k % 2], NULL, models[k / 2]);
    deform(linear, strain);
    deform(hyper, strain);
    forcesNow(linear);
    forcesNow(hyper);
    mjtNum difference = 0, size = 0;
    for (int i = 0; i < linear.m->nv; i++) {
      const mjtNum off = linear.d->qfrc_spring[i] - hyper.d->qfrc_spring[i];
      difference += off * off;
      size += linear.d->qfrc_spring[i] * linear.d->qfrc_spring[i];
    }
    CF_TRUE(size > 0);
    CF_NEAR(sqrt(difference / size), 0, 0.05);
    closeSoft(linear);
    closeSoft(hyper);
  }
}


// a sheet rolled gently: angles of neighboring triangles are small
CF_TEST(bridson__small_deflection__energy_of_the_cotangent_model) {
  mjtNum energy[2];
  for (int k = 0; k < 2; k++) {
    softCase c = openSoft("sheet", k ? "bridson" : "cotangent", "linear");
    CF_TRUE(energyNow(c) < 1e-20);
    mju_zero(c.m->flex_stiffness, 21 * (int)c.m->nflexelem);
    for (int v = 0; v < c.m->nflexvert; v++) {
      const mjtNum* x = c.d->flexvert_xpos + 3 * v;
      c.d->qpos[3 * v + 2] = 0.05 * x[0] * x[0] - 0.03 * x[1] * x[1] + 0.02 * x[0] * x[1];
    }
    energy[k] = energyNow(c);
    closeSoft(c);
  }
  CF_TRUE(energy[0] > 1e-9);
  CF_NEAR(energy[1] / energy[0], 1, 0.01);
}


// 003 42B: the force of a hinge is bounded by what moves a vertex by one radian in a timestep
CF_TEST(bridson__stiff_hinge__is_scaled_down_and_keeps_momentum) {
  softCase c = openSoft("sheet", "bridson", "linear");
  for (int k = 0; k < 17 * c.m->nflexedge; k++) {
    c.m->flex_bending[k] *= 1e9;
  }
  CF_TRUE(cf_setFlexBending(c.m, 0, "bridson", NULL, 0));
  mju_zero(c.m->flex_stiffness, 21 * (int)c.m->nflexelem);
  c.m->opt.timestep = 0.01;
  scatter(c, 0.02, 3);
  forcesNow(c);
  mjtNum sum[3] = {0}, largest = 0;
  for (int v = 0; v < c.m->nflexvert; v++) {
    const int body = c.m->flex_vertbodyid[v];
    const mjtNum* force = c.d->qfrc_spring + c.m->body_dofadr[body];
    const mjtNum move = 1e-4 * mju_norm3(force) / c.m->body_mass[body];

    // a vertex belongs to at most ten hinges, whose radians are worth at most a tenth of a meter
    CF_TRUE(move < 10 * 0.2);
    largest = mju_max(largest, move);
    mju_addTo3(sum, force);
  }
  CF_TRUE(largest > 1e-3);
  CF_NEAR(mju_norm3(sum), 0, 1e-9 * largest / 1e-4);
  closeSoft(c);
}


// ---------------------------------------- choosing and registering

// moduli are those of the flex, not of the first one in the model
CF_TEST(flexModels__second_flex_of_a_model__energy_of_its_twin) {
  static const char* const names[] = {"neo_hookean", "stable_neo_hookean"};
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(
      "<mujoco><worldbody>"
      "<flexcomp name='a' type='grid' count='2 3 2' spacing='.1 .1 .1' dim='3'>"
      "<elasticity young='1e4' poisson='.3'/><contact selfcollide='none'/></flexcomp>"
      "<flexcomp name='b' type='grid' count='2 3 2' spacing='.1 .1 .1' dim='3'>"
      "<elasticity young='1e4' poisson='.3'/><contact selfcollide='none'/></flexcomp>"
      "</worldbody></mujoco>",
      NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  CF_TRUE(m && m->nflex == 2);
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 2; k++) {
    for (int f = 0; f < 2; f++) {
      CF_TRUE(cf_setFlexElasticity(m, f, names[k], error, sizeof(error)));
    }
    for (int i = 0; i < m->nq / 2; i++) {
      d->qpos[i] = d->qpos[i + m->nq / 2] = 0.01 * sin(2.0 * i);
    }
    mj_forward(m, d);
    CF_TRUE(cf_flexEnergy(m, d, 0) > 1e-3);
    CF_NEAR(cf_flexEnergy(m, d, 1), cf_flexEnergy(m, d, 0), 1e-12);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


CF_TEST(setFlexModel__default_chosen_again__same_bits) {
  softCase plain = openSoft("sheet", NULL, NULL),
           again = openSoft("sheet", "bridson", "neo_hookean");
  CF_EQ_STR(cf_flexBending(again.m, 0), "bridson");
  CF_EQ_STR(cf_flexElasticity(again.m, 0), "neo_hookean");
  CF_TRUE(cf_setFlexBending(again.m, 0, "cotangent", NULL, 0));
  CF_TRUE(cf_setFlexElasticity(again.m, 0, NULL, NULL, 0));
  CF_EQ_STR(cf_flexBending(again.m, 0), "cotangent");
  CF_EQ_STR(cf_flexElasticity(again.m, 0), "linear");
  scatter(plain, 0.02, 4);
  scatter(again, 0.02, 4);
  forcesNow(plain);
  forcesNow(again);
  for (int k = 0; k < plain.m->nv; k++) {
    CF_NEAR(again.d->qfrc_passive[k], plain.d->qfrc_passive[k], 0);
  }
  closeSoft(plain);
  closeSoft(again);
}


CF_TEST(setFlexModel__copied_model__keeps_its_models) {
  softCase c = openSoft("sheet", "bridson", "stable_neo_hookean");
  scatter(c, 0.02, 4);
  const mjtNum energy = energyNow(c);
  mjModel* copy = mj_copyModel(NULL, c.m);
  CF_EQ_STR(cf_flexBending(copy, 0), "bridson");
  mj_deleteModel(c.m);
  c.m = copy;
  CF_NEAR(energyNow(c), energy, 0);
  closeSoft(c);
}


CF_TEST(setFlexModel__bad_arguments__message_and_no_change) {
  softCase c = openSoft("sheet", "bridson", NULL);
  char error[500] = "";
  CF_TRUE(!cf_setFlexBending(c.m, 0, "rubber", error, sizeof(error)));
  CF_EQ_STR(error, "unknown model of bending 'rubber'; known are cotangent, bridson, cubic_shell");
  CF_TRUE(!cf_setFlexElasticity(c.m, 1, "linear", error, sizeof(error)));
  CF_TRUE(!cf_setFlexElasticity(c.m, -1, "linear", NULL, 0));
  CF_EQ_STR(cf_flexBending(c.m, 0), "bridson");
  CF_TRUE(cf_flexBending(c.m, 7) == NULL);
  closeSoft(c);
}


// every vertex is pulled to the origin
static mjtByte actsAlways(const mjModel* m, int f) {
  (void)m, (void)f;
  return 1;
}

static void pullHome(const cfFlexView* view, cfFlexForces forces) {
  for (int v = 0; v < view->m->flex_vertnum[view->flex]; v++) {
    mju_addToScl3(forces.spring + CF_POINT * v, view->x + CF_POINT * v, -2);
  }
}

static mjtNum homeEnergy(const cfFlexView* view) {
  mjtNum energy = 0;
  for (int v = 0; v < view->m->flex_vertnum[view->flex]; v++) {
    energy += mju_dot3(view->x + CF_POINT * v, view->x + CF_POINT * v);
  }
  return energy;
}

static const cfFlexModel homesick = {.name = "homesick",
                                     .spread = CF_SPREAD_CHAIN,
                                     .acts = actsAlways,
                                     .addForces = pullHome,
                                     .energy = homeEnergy};


static int warned;
static void countWarning(const char* text) {
  (void)text;
  warned++;
}


CF_TEST(registerFlexModel__of_a_program__is_used) {
  CF_TRUE(cf_registerFlexElasticity(&homesick));
  softCase c = openSoft("cube", NULL, "homesick");
  scatter(c, 0.02, 2);
  CF_NEAR(gradientError(c), 0, 1e-7);

  // a second one of that name, and an incomplete one
  void (*before)(const char*) = mju_user_warning;
  mju_user_warning = countWarning;
  const cfFlexModel incomplete = {.name = "half", .acts = actsAlways};
  CF_TRUE(!cf_registerFlexElasticity(&homesick));
  CF_TRUE(!cf_registerFlexBending(&incomplete));
  CF_TRUE(!cf_registerFlexBending(NULL));
  mju_user_warning = before;
  CF_EQ_INT(warned, 3);
  closeSoft(c);
}


CF_TEST_MAIN("flex/models")
