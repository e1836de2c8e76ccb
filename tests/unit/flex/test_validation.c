// Soft bodies against closed forms, simulated: what bench/softbodies tabulates for
// docs/softbodies.md, at a few points.
#include "../../../bench/softrig.h"

#include "cf_test.h"

static const double young = 5e3, poisson = 0.3;


// a cube pulled along one or two axes, at rest
static softRig pulled(const char* model, double nu, int axes, double stretch) {
  softRig r = rigCube(model, young, nu, 0);
  for (int axis = 0; axis < axes; axis++) {
    rigStretch(&r, axis, stretch);
  }
  CF_TRUE(rigRelax(&r, 30, 1e-5, 20000) > 0);
  return r;
}


static void expectClosedForm(const char* model, int axes, double stretch) {
  softRig r = pulled(model, poisson, axes, stretch);
  double mu, la;
  rigModuli(young, poisson, &mu, &la);
  const stretchForm form = rigClosedForm(stretch, axes, model[0] == 's', mu, la);
  const double area = rigSize(&r, 1) * rigSize(&r, 2);
  CF_NEAR(rigForce(&r, 0) / area / form.stress, 1, 0.01);
  CF_NEAR(rigStretchOf(&r, 2) / form.side, 1, 0.01);
  rigClose(&r);
}


CF_TEST(cube__uniaxial_stretch__stress_and_side_of_the_closed_form) {
  expectClosedForm("neo_hookean", 1, 1.5);
  expectClosedForm("neo_hookean", 1, 0.7);
  expectClosedForm("stable_neo_hookean", 1, 1.5);
}


CF_TEST(cube__equibiaxial_stretch__stress_and_side_of_the_closed_form) {
  expectClosedForm("neo_hookean", 2, 1.3);
  expectClosedForm("neo_hookean", 2, 0.8);
  expectClosedForm("stable_neo_hookean", 2, 1.3);
}


CF_TEST(cube__one_percent_of_strain__force_of_linear_within_five_percent) {
  softRig linear = pulled("linear", poisson, 1, 1.01);
  const char* models[2] = {"neo_hookean", "stable_neo_hookean"};
  for (int k = 0; k < 2; k++) {
    softRig r = pulled(models[k], poisson, 1, 1.01);
    CF_NEAR(rigForce(&r, 0) / rigForce(&linear, 0), 1, 0.05);
    rigClose(&r);
  }
  rigClose(&linear);
}


CF_TEST(cube__poisson_of_rubber__keeps_its_volume) {
  const char* models[2] = {"neo_hookean", "stable_neo_hookean"};
  for (int k = 0; k < 2; k++) {
    softRig rubber = pulled(models[k], 0.49, 1, 1.3), cork = pulled(models[k], 0, 1, 1.3);
    const double rest = rigVolume(&rubber, rubber.rest);
    CF_NEAR(rigVolume(&rubber, rubber.d->flexvert_xpos) / rest, 1, 0.005);
    CF_TRUE(rigVolume(&cork, cork.d->flexvert_xpos) / rest > 1.2);
    rigClose(&rubber);
    rigClose(&cork);
  }
}


static void momentum(const softRig* r, mjtNum sum[6]) {
  mju_zero(sum, 6);
  for (int v = 0; v < r->m->nflexvert; v++) {
    const mjtNum mass = r->m->body_mass[r->m->flex_vertbodyid[v]];
    mjtNum x[3], turn[3];
    mju_add3(x, r->rest + 3 * v, r->d->qpos + rigDof(r, v));
    mju_cross(turn, x, r->d->qvel + rigDof(r, v));
    mju_addToScl3(sum, r->d->qvel + rigDof(r, v), mass);
    mju_addToScl3(sum + 3, turn, mass);
  }
}


CF_TEST(cube__free_and_wobbling__keeps_linear_and_angular_momentum) {
  const char* models[3] = {"linear", "neo_hookean", "stable_neo_hookean"};
  for (int k = 0; k < 6; k++) {
    softRig r = rigCube(models[k % 3], young, poisson, k < 3 ? 0 : 0.002);
    const mjtNum spin[3] = {3, -5, 8};
    for (int v = 0; v < r.m->nflexvert; v++) {
      mjtNum* velocity = r.d->qvel + rigDof(&r, v);
      mju_cross(velocity, spin, r.rest + 3 * v);
      velocity[0] += 0.3 + 40 * r.rest[3 * v] * r.rest[3 * v + 1];
      velocity[1] += 0.1 - 6 * r.rest[3 * v + 1];
    }
    mjtNum start[6], end[6];
    momentum(&r, start);
    for (int step = 0; step < 300; step++) {
      mj_step(r.m, r.d);
    }
    momentum(&r, end);
    CF_TRUE(mju_norm(r.d->qfrc_spring, (int)r.m->nv) > 0.01);
    CF_NEAR_ARRAY(end, start, 6, 1e-13);
    rigClose(&r);
  }
}


CF_TEST_MAIN("flex/validation")
