// Implicit stiffness beyond small strains: fast rotation, crushed and inverted elements, any
// timestep.  No bad state, no energy out of nothing, and the equation of an implicit Euler step.
#include <stdio.h>
#include <string.h>

#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_test.h"
#include "cf_text.h"

static const char* const large_models[] = {"neo_hookean", "stable_neo_hookean"};
static const char* const large_youngs[] = {"1e3", "1e4", "1e6"};

// a block or a sheet, free or above a floor
static const char large_xml[] =
    "<mujoco><option timestep='%g' gravity='0 0 %g'/><size memory='50M'/><worldbody>%s"
    "<flexcomp name='j' type='grid' dim='%d' count='3 3 %d' spacing='.1 .1 .1' pos='0 0 %g' mass='1'"
    " radius='.01' elasticity_model='%s' implicit_stiffness='true'>"
    "<elasticity young='%s' poisson='.3' thickness='.02' damping='%g' elastic2d='%s'/>"
    "<contact selfcollide='none' internal='false'/></flexcomp></worldbody></mujoco>";

typedef struct {
  int dim, has_floor;
  mjtNum timestep, damping;
  const char *elasticity, *young;
} largeCase;


static mjModel* largeModel(const largeCase* c) {
  char text[2000];
  snprintf(text, sizeof(text), large_xml, c->timestep, c->has_floor ? -9.81 : 0.0,
           c->has_floor ? "<geom type='plane' size='2 2 1'/>" : "", c->dim, c->dim == 3 ? 3 : 1,
           c->has_floor ? 0.2 : 0.0, c->elasticity, c->young, c->damping,
           c->dim == 3 ? "none" : "stretch");
  mjModel* m = cf_compileText(text);
  m->opt.enableflags |= mjENBL_ENERGY;
  return m;
}


static double random01(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0 - 0.5;
}


static void centerOf(const mjModel* m, const mjData* d, mjtNum center[3]) {
  mju_zero3(center);
  for (int v = 0; v < m->nflexvert; v++) {
    mju_addToScl3(center, d->flexvert_xpos + 3 * v, 1.0 / (double)m->nflexvert);
  }
}


static void spinBody(const mjModel* m, mjData* d, mjtNum speed) {
  mjtNum center[3], arm[3];
  const mjtNum omega[3] = {0.3 * speed, -0.2 * speed, speed};
  mj_forward(m, d);
  centerOf(m, d, center);
  for (int v = 0; v < m->nflexvert; v++) {
    mju_sub3(arm, d->flexvert_xpos + 3 * v, center);
    mju_cross(d->qvel + m->body_dofadr[m->flex_vertbodyid[v]], omega, arm);
  }
}


typedef enum { MIRRORED, FLAT, SCATTERED, NDEFORMED } largeStart;

static void deformBody(const mjModel* m, mjData* d, largeStart how) {
  mjtNum center[3];
  unsigned seed = 7;
  mj_forward(m, d);
  centerOf(m, d, center);
  for (int v = 0; v < m->nflexvert; v++) {
    mjtNum* q = d->qpos + m->jnt_qposadr[m->body_jntadr[m->flex_vertbodyid[v]]];
    const mjtNum x = d->flexvert_xpos[3 * v] - center[0];
    q[0] -= how == MIRRORED ? 2 * x : how == FLAT ? x : 0;
    for (int k = 0; k < 3 && how == SCATTERED; k++) {
      q[k] += 0.3 * random01(&seed);
    }
  }
}


// energy of motion, weight and elasticity
static mjtNum energyOf(const mjModel* m, mjData* d, mjData* look) {
  mj_copyData(look, m, d);
  mj_forward(m, look);
  return look->energy[0] + look->energy[1] + cf_flexEnergy(m, look, 0);
}


// steps without a warning, in none of which there is more energy than at the start
static void runLarge(const mjModel* m, mjData* d, int nstep, const char* what) {
  mjData* look = mj_makeData(m);
  const mjtNum first = energyOf(m, d, look);
  cf_guardClear();
  for (int k = 0; k < nstep; k++) {
    mj_step(m, d);
    const mjtNum energy = energyOf(m, d, look);
    if (cf_warning_count || !(energy <= first + 1e-6 * fabs(first) + 1e-9)) {
      CF_FAIL("%s, step %d: %d warnings, energy %g J of %g J at the start\n", what, k,
              cf_warning_count, energy, first);
    }
  }
  mju_user_warning = NULL;
  mj_deleteData(look);
}


CF_TEST(largeStrain__spinning_at_40_and_100_per_second__no_bad_state_and_no_energy_gained) {
  static const mjtNum speeds[] = {40, 100}, steps[] = {0.02, 0.005};
  for (int k = 0; k < 24; k++) {
    const largeCase c = {3, 0, steps[k % 2], 0, large_models[k / 2 % 2], large_youngs[k / 4 % 3]};
    mjModel* m = largeModel(&c);
    mjData* d = mj_makeData(m);
    char what[100];
    snprintf(what, sizeof(what), "%s, %s Pa, %g s, %g rad/s", c.elasticity, c.young, c.timestep,
             speeds[k / 12]);
    spinBody(m, d, speeds[k / 12]);
    runLarge(m, d, 60, what);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST(largeStrain__inverted_flat_or_scattered_start__no_bad_state_and_no_energy_gained) {
  static const mjtNum steps[] = {0.002, 0.02};
  for (int k = 0; k < 72; k++) {
    const largeCase c = {
        k / 36 ? 2 : 3,         0, steps[k % 2], k % 4 == 3 ? 0.01 : 0, large_models[k / 2 % 2],
        large_youngs[k / 4 % 3]};
    mjModel* m = largeModel(&c);
    mjData* d = mj_makeData(m);
    char what[100];
    snprintf(what, sizeof(what), "dim %d, %s, %s Pa, %g s, start %d", c.dim, c.elasticity, c.young,
             c.timestep, k / 12 % 3);
    deformBody(m, d, (largeStart)(k / 12 % 3));
    runLarge(m, d, 25, what);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST(largeStrain__inverted_above_a_floor__lands_without_bad_state) {
  for (int k = 0; k < 6; k++) {
    const largeCase c = {
        3, 1, k % 2 ? 0.01 : 0.002, 0.01, large_models[k % 2], large_youngs[k / 2]};
    mjModel* m = largeModel(&c);
    mjData* d = mj_makeData(m);
    deformBody(m, d, (largeStart)(k % NDEFORMED));
    cf_guardClear();
    while (d->time < 0.5) {
      mj_step(m, d);
    }
    CF_EQ_INT(cf_warning_count, 0);
    mju_user_warning = NULL;
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


// M*(v1 - v0)/h = force at the positions after the step, where the expansion at its start is of no
// use: a block that turns by 0.8 in a step
CF_TEST(largeStrain__one_step__solves_the_equation_of_implicit_euler) {
  for (int k = 0; k < 4; k++) {
    const largeCase c = {3, 0, 0.02, 0, large_models[k % 2], large_youngs[1 + k / 2 % 2]};
    mjModel* m = largeModel(&c);
    mjData *d = mj_makeData(m), *end = mj_makeData(m);
    const int nv = (int)m->nv;
    spinBody(m, d, 40);
    mjtNum* before = mju_malloc(sizeof(mjtNum) * 3 * (size_t)nv);
    mjtNum *change = before + nv, *pull = change + nv;
    mju_copy(before, d->qvel, nv);
    mj_step(m, d);
    mju_sub(before, d->qvel, before, nv);
    mju_scl(before, before, 1 / m->opt.timestep, nv);
    mj_mulM(m, d, change, before);
    mju_copy(end->qpos, d->qpos, (int)m->nq);
    mj_fwdPosition(m, end);
    mj_fwdVelocity(m, end);
    mju_copy(pull, end->qfrc_spring, nv);
    const mjtNum size = mju_norm(pull, nv);
    CF_TRUE(size > 0.1);
    mju_subFrom(change, pull, nv);
    CF_NEAR(mju_norm(change, nv) / size, 0, 5e-3);
    mju_free(before);
    mj_deleteData(d);
    mj_deleteData(end);
    mj_deleteModel(m);
  }
}


CF_TEST_MAIN("flex/largestrain")
