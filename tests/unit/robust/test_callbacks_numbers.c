// Callbacks of every kind that a program can register return NaN or an infinity: each is a counted
// warning, the state stays finite, and the simulation goes on when the callback has come to its
// senses.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cortenforge/actuator.h>
#include <cortenforge/contact.h>
#include <cortenforge/flex.h>
#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_test.h"
#include "cf_text.h"

// which function returns the bad number
typedef enum {
  NOWHERE,
  GAIN_FORCE,
  GAIN_SLOPE,
  GAIN_RATE,
  GAIN_ADVANCE,
  SOLVER_FORCE,
  SOLVER_DRIFT,
  SOLVER_COMPLETE,
  BENDING_SPRING,
  BENDING_DAMPER,
  BENDING_ENERGY,
  BENDING_STIFFNESS,
  ELASTIC_SPRING,
  ELASTIC_DAMPER,
  ELASTIC_ENERGY,
  ELASTIC_STIFFNESS,
  NPLACE
} badPlace;

static badPlace bad_place;
static mjtNum bad_number;
static int ncall;


// a number of a function: the bad one where it is wanted
static mjtNum number(badPlace place, mjtNum usual) {
  ncall += place == bad_place;
  return place == bad_place ? bad_number : usual;
}


// ---------------------------------------- actuator

static mjtNum shakyForce(const cfGainView* view) {
  return number(GAIN_FORCE, view->ctrl - 0.1 * view->velocity + view->state[0]);
}

static mjtNum shakySlope(const cfGainView* view) {
  (void)view;
  return number(GAIN_SLOPE, -0.1);
}

static void shakyRate(const cfGainView* view, mjtNum* rate) {
  rate[0] = number(GAIN_RATE, view->ctrl - view->state[0]);
}

static void shakyAdvance(const cfGainView* view, mjtNum* next) {
  next[0] = number(GAIN_ADVANCE, view->state[0] + view->timestep * (view->ctrl - view->state[0]));
}

static const cfGainModel shaky_gain = {.name = "shaky",
                                       .nstate = 1,
                                       .force = shakyForce,
                                       .slope = shakySlope,
                                       .rate = shakyRate,
                                       .advance = shakyAdvance};


// ---------------------------------------- contacts

// a spring on every row that is violated
static cftContactResult shakySolve(const cfContactProblem* p, void* workspace) {
  (void)workspace;
  const cfContactSolver* lcp = cf_findContactSolver("lcp");
  if (bad_place == SOLVER_COMPLETE) {
    const cftContactResult result = lcp->solve(p, NULL);
    p->d->qacc[0] = number(SOLVER_COMPLETE, 0);
    return result;
  }
  for (int r = 0; r < p->d->nefc; r++) {
    const mjtNum depth = p->d->efc_margin[r] - p->d->efc_pos[r];
    p->force[r] = number(SOLVER_FORCE, depth > 0 ? 100 * depth : 0);
  }
  p->drift[0] = number(SOLVER_DRIFT, 0);
  return CF_CONTACT_FORCES;
}

static const cfContactSolver shaky_solver = {
    .name = "shaky", .knows_stiffness = 1, .solve = shakySolve};


// ---------------------------------------- flexes

static mjtByte actsAlways(const mjModel* m, int flex) {
  (void)m, (void)flex;
  return 1;
}

// every vertex hangs on the origin by a weak spring
static void pullWith(badPlace spring, badPlace damper, const cfFlexView* view, cfFlexForces f) {
  for (int v = 0; v < view->m->flex_vertnum[view->flex]; v++) {
    for (int k = 0; k < 3; k++) {
      f.spring[CF_POINT * v + k] += number(spring, -view->x[CF_POINT * v + k]);
      f.damper[CF_POINT * v + k] += number(damper, -0.1 * view->velocity[CF_POINT * v + k]);
    }
  }
}

static void bendForces(const cfFlexView* view, cfFlexForces forces) {
  pullWith(BENDING_SPRING, BENDING_DAMPER, view, forces);
}

static void elasticForces(const cfFlexView* view, cfFlexForces forces) {
  pullWith(ELASTIC_SPRING, ELASTIC_DAMPER, view, forces);
}

static mjtNum bendEnergy(const cfFlexView* view) {
  (void)view;
  return number(BENDING_ENERGY, 1);
}

static mjtNum elasticEnergy(const cfFlexView* view) {
  (void)view;
  return number(ELASTIC_ENERGY, 1);
}

static int vertexStencils(const mjModel* m, int flex) {
  return m->flex_vertnum[flex];
}

static int stiffnessWith(badPlace place, int stencil, int vertex[4], mjtNum* K) {
  vertex[0] = stencil;
  for (int k = 0; k < 9; k++) {
    K[k] = number(place, k % 4 == 0);
  }
  return 1;
}

static int bendStiffness(const cfFlexView* view, int stencil, int vertex[4], mjtNum* K) {
  (void)view;
  return stiffnessWith(BENDING_STIFFNESS, stencil, vertex, K);
}

static int elasticStiffness(const cfFlexView* view, int stencil, int vertex[4], mjtNum* K) {
  (void)view;
  return stiffnessWith(ELASTIC_STIFFNESS, stencil, vertex, K);
}

static const cfFlexModel shaky_bending = {.name = "shaky",
                                          .acts = actsAlways,
                                          .addForces = bendForces,
                                          .energy = bendEnergy,
                                          .stencils = vertexStencils,
                                          .stiffness = bendStiffness};
static const cfFlexModel shaky_elasticity = {.name = "shaky",
                                             .spread = CF_SPREAD_CHAIN,
                                             .acts = actsAlways,
                                             .addForces = elasticForces,
                                             .energy = elasticEnergy,
                                             .stencils = vertexStencils,
                                             .stiffness = elasticStiffness};


// ---------------------------------------- scene

static mjModel* openShaky(void) {
  static bool is_known;
  if (!is_known) {
    CF_TRUE(cf_registerGainModel(&shaky_gain) && cf_registerContactSolver(&shaky_solver));
    CF_TRUE(cf_registerFlexBending(&shaky_bending) && cf_registerFlexElasticity(&shaky_elasticity));
    is_known = true;
  }
  return cf_compileText(
      "<mujoco><option timestep='.005' cortenforge:solver='shaky'><flag energy='enable'/></option>"
      "<worldbody><geom type='plane' size='5 5 1'/>"
      "<body pos='1 0 .09'><joint name='x' type='slide' axis='0 0 1'/><geom size='.1' mass='1'/>"
      "</body>"
      "<flexcomp name='cloth' type='grid' count='3 3 1' spacing='.1 .1 .1' pos='0 0 .5' dim='2' "
      "mass='1' bending_model='shaky' elasticity_model='shaky' implicit_stiffness='true'/>"
      "</worldbody>"
      "<actuator><general joint='x' gaintype='custom' cortenforge:gain_model='shaky'/></actuator>"
      "</mujoco>");
}


static void expectFinite(const mjModel* m, const mjData* d) {
  for (int i = 0; i < m->nq; i++) {
    CF_TRUE(isfinite(d->qpos[i]));
  }
  for (int i = 0; i < m->nv; i++) {
    CF_TRUE(isfinite(d->qvel[i]) && isfinite(d->qacc[i]));
  }
  for (int i = 0; i < m->na; i++) {
    CF_TRUE(isfinite(d->act[i]));
  }
  CF_TRUE(isfinite(d->energy[0]));
}


static int warningsOf(const mjData* d) {
  int sum = 0;
  for (int k = 0; k < mjNWARNING; k++) {
    sum += d->warning[k].number;
  }
  return sum;
}


// is the function called with this integrator?  slopes belong to the implicit ones, advance to all
// but RK4, which takes rates and ignores implicit stiffness
static bool isCalled(badPlace place, int integrator) {
  const bool is_rk4 = integrator == mjINT_RK4;
  switch (place) {
    case GAIN_SLOPE:
      return integrator == mjINT_IMPLICIT || integrator == mjINT_IMPLICITFAST;
    case GAIN_ADVANCE:
    case BENDING_STIFFNESS:
    case ELASTIC_STIFFNESS:
      return !is_rk4;
    default:
      return true;
  }
}


CF_TEST(callbacks__not_finite_anywhere__counted_and_the_state_stays_finite) {
  const mjtNum bad[] = {NAN, INFINITY, -INFINITY};
  mjModel* m = openShaky();
  mjData* d = mj_makeData(m);
  for (int place = GAIN_FORCE; place < NPLACE; place++) {
    for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
      for (int k = 0; k < 3; k++) {
        m->opt.integrator = integrator;
        mj_resetData(m, d);
        d->ctrl[0] = 0.5;
        cf_guardClear();
        bad_place = (badPlace)place;
        bad_number = bad[k];
        ncall = 0;
        for (int step = 0; step < 10; step++) {
          mj_step(m, d);
          expectFinite(m, d);
          CF_TRUE(isfinite(cf_flexEnergy(m, d, 0)));
        }
        if (isCalled(bad_place, integrator)) {
          if (ncall < 1 || warningsOf(d) < 1 || cf_warning_count != 1) {
            CF_FAIL("function %d, integrator %d: %d calls, %d warnings, %d printed\n", place,
                    integrator, ncall, warningsOf(d), cf_warning_count);
          }
        }
        // from now on everything is in order
        const int before = warningsOf(d);
        bad_place = NOWHERE;
        for (int step = 0; step < 10; step++) {
          mj_step(m, d);
        }
        expectFinite(m, d);
        CF_EQ_INT(warningsOf(d), before);
        mju_user_warning = NULL;
      }
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(callbacks__not_finite__forward_inverse_and_differences_survive) {
  mjModel* m = openShaky();
  mjData* d = mj_makeData(m);
  const int n = (int)(2 * m->nv + m->na);
  mjtNum *A = malloc(sizeof(mjtNum) * (size_t)(n * n)), *B = malloc(sizeof(mjtNum) * (size_t)n);
  for (int place = GAIN_FORCE; place < NPLACE; place++) {
    mj_resetData(m, d);
    cf_guardClear();
    bad_place = (badPlace)place;
    bad_number = NAN;
    mj_forward(m, d);
    if (place != SOLVER_COMPLETE) {
      mj_inverse(m, d);
      mjd_transitionFD(m, d, 1e-6, 1, A, B, NULL, NULL);
      expectFinite(m, d);
      for (int i = 0; i < n * n; i++) {
        CF_TRUE(isfinite(A[i]));
      }
    }
    mju_user_warning = NULL;
  }
  bad_place = NOWHERE;
  free(A);
  free(B);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("robust/callbacks")
