// Analytic derivatives against finite differences, inverse against forward dynamics, the
// spring-damper step.
#include <cortenforge/derivative.h>

#include "cf_smooth.h"
#include "cf_test.h"
#include "cf_text.h"
#include "derivative/velocity.h"

// joints of every type, tendons, muscles, servos with velocity feedback, both fluid models.  The
// ellipsoids are large: for small ones MuJoCo's lower bounds of denominators make the derivative of
// the fluid force approximate
static const char* const rig_xml =
    "<mujoco><option density='50' viscosity='2' timestep='0.002'/>"
    "<default><geom type='capsule' size='0.2 0.3'/><joint damping='0.3'/></default>"
    "<worldbody><site name='base' pos='0.1 0.2 1'/>"
    "<body name='root' pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.05'/><site name='s0'/>"
    " <body pos='0.3 0 0'><joint name='ball' type='ball'/><geom fluidshape='ellipsoid'/>"
    "  <body pos='0.2 0.1 0'><joint name='h1' axis='0 1 1'/><joint name='h2' axis='1 0 0'/><geom/><site name='s1'/>"
    "   <body pos='0 0 0.3'><joint name='slide' type='slide' axis='1 1 0'/>"
    "    <geom type='ellipsoid' size='0.5 0.25 0.15' fluidshape='ellipsoid'/></body></body></body>"
    " <body pos='-0.3 0 0'><joint name='h3' axis='0 0 1'/><geom/></body></body></worldbody>"
    "<tendon><spatial name='ten' damping='0.7' stiffness='3'><site site='base'/><site site='s1'/></spatial>"
    " <fixed name='fix' damping='0.2'><joint joint='h1' coef='2'/><joint joint='h3' coef='-1'/></fixed></tendon>"
    "<actuator><muscle joint='h2' ctrllimited='true' ctrlrange='0 1' lengthrange='-2 2'/><position joint='h1' kp='20' kv='2'/>"
    " <general joint='h3' gaintype='affine' gainprm='1 0.5 0.3' biastype='affine' biasprm='0 0 -0.4'/>"
    " <velocity tendon='ten' kv='3'/></actuator></mujoco>";

// no constraints and no medium: closed forms exist
static const char* const closed_xml =
    "<mujoco><option timestep='0.004'/><default><geom type='capsule' size='0.05 0.1' contype='0' conaffinity='0'/></default>"
    "<worldbody><body pos='0 0 1'><freejoint/><geom/>"
    " <body pos='0.3 0 0'><joint name='ball' type='ball' damping='0.2'/><geom/>"
    "  <body pos='0.2 0.1 0'><joint name='hinge' axis='0 1 1' damping='0.1'/><geom/></body></body></body></worldbody>"
    "<actuator><motor joint='hinge' gear='3'/><position joint='hinge' kp='5' kv='1'/>"
    " <general joint='hinge' dyntype='integrator' gainprm='2'/>"
    " <general joint='hinge' dyntype='filter' dynprm='0.1' gainprm='2'/>"
    " <general joint='hinge' dyntype='filterexact' dynprm='0.2' gainprm='2' actearly='true'/></actuator></mujoco>";


static cfCase openText(const char* xml) {
  mjModel* m = cf_compileText(xml);
  return (cfCase){m, mj_makeData(m)};
}


static void smoothForce(cfCase c, mjtNum* force) {
  mj_fwdVelocity(c.m, c.d);
  mj_fwdActuation(c.m, c.d);
  for (int k = 0; k < c.m->nv; k++) {
    force[k] = c.d->qfrc_actuator[k] + c.d->qfrc_passive[k] - c.d->qfrc_bias[k];
  }
}


CF_TEST(velocityDerivative__random_states__equals_centered_differences) {
  cfCase c = openText(rig_xml);
  const int nv = (int)c.m->nv;
  const mjtNum eps = 1e-6;
  mjtNum plus[40], minus[40];
  for (unsigned seed = 1; seed <= 5; seed++) {
    cf_randomState(c, seed);
    for (int u = 0; u < c.m->nu; u++) {
      c.d->ctrl[u] = 0.4;
    }
    c.d->act[0] = 0.6;
    mj_forward(c.m, c.d);
    cfi_smoothVelocityDerivative(c.m, c.d, true);
    for (int j = 0; j < nv; j++) {
      const mjtNum saved = c.d->qvel[j];
      c.d->qvel[j] = saved + eps;
      smoothForce(c, plus);
      c.d->qvel[j] = saved - eps;
      smoothForce(c, minus);
      c.d->qvel[j] = saved;
      for (int i = 0; i < nv; i++) {
        for (int k = c.m->D_rowadr[i]; k < c.m->D_rowadr[i] + c.m->D_rownnz[i]; k++) {
          if (c.m->D_colind[k] == j) {
            const mjtNum expected = (plus[i] - minus[i]) / (2 * eps);
            CF_NEAR(c.d->qDeriv[k], expected, 1e-6 * (1 + fabs(expected)));
          }
        }
      }
    }
  }
  cf_closeCase(c);
}


// MuJoCo exports these without declaring them
MJAPI void mjd_smooth_vel(const mjModel* m, mjData* d, int flg_bias);
MJAPI void mjd_passive_vel(const mjModel* m, mjData* d);
MJAPI void mjd_actuator_vel(const mjModel* m, mjData* d);

// the terms are added to qDeriv, the sum replaces it (as in MuJoCo 3.5.0: 5, 3, 0, -5 where damping
// is 2 and a drive has kv 3)
CF_TEST(velocityDerivative__exported_terms__add_up_to_the_exported_sum) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><body><joint name='j' damping='2'/><geom size='.1' pos='.3 0 0'/></body>"
      "</worldbody><actuator><velocity joint='j' kv='3'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  d->qDeriv[0] = 5;
  mjd_passive_vel(m, d);
  CF_NEAR(d->qDeriv[0], 3, 1e-14);
  mjd_actuator_vel(m, d);
  CF_NEAR(d->qDeriv[0], 0, 1e-14);
  mjd_smooth_vel(m, d, 1);
  CF_NEAR(d->qDeriv[0], -5, 1e-14);
  mj_deleteData(d);
  mj_deleteModel(m);

  // with bias forces, and without
  cfCase c = openText(rig_xml);
  cf_randomState(c, 3);
  mj_forward(c.m, c.d);
  mjd_smooth_vel(c.m, c.d, 1);
  mjtNum* all = calloc((size_t)c.m->nD, sizeof(mjtNum));
  mju_copy(all, c.d->qDeriv, (int)c.m->nD);
  mjd_smooth_vel(c.m, c.d, 0);
  cfi_addBiasVelocity(c.m, c.d);
  CF_NEAR_ARRAY(c.d->qDeriv, all, c.m->nD, 1e-12);
  free(all);
  cf_closeCase(c);
}


// force -2*gear*velocity at the actuator, seen by the joint through the gear once more
CF_TEST(velocityDerivative__actuator_with_gear__gear_counts_twice) {
  mjModel* m = cf_compileText(
      "<mujoco><option integrator='implicitfast'/><worldbody><body><joint name='a'/>"
      "<geom size='.1' pos='.3 0 0'/><body pos='.5 0 0'><joint name='b' damping='.5'/>"
      "<geom size='.1' pos='.3 0 0'/></body></body></worldbody>"
      "<actuator><velocity joint='b' kv='2' gear='3'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  mj_step(m, d);
  CF_NEAR(d->qDeriv[m->D_rowadr[0] + m->D_diag[0]], 0, 0);
  CF_NEAR(d->qDeriv[m->D_rowadr[1] + m->D_diag[1]], -2 * 9 - 0.5, 1e-14);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(transition__closed_forms__equal_finite_differences) {
  static const int integrators[2] = {mjINT_EULER, mjINT_IMPLICITFAST};
  for (int k = 0; k < 2; k++) {
    cfCase c = openText(closed_xml);
    c.m->opt.integrator = integrators[k];
    for (unsigned seed = 1; seed <= 3; seed++) {
      cf_randomState(c, seed);
      c.d->ctrl[0] = 0.3;
      c.d->act[1] = 0.2;
      CF_TRUE(cf_validateTransition(c.m, c.d, 1e-6) < 1e-7);
      CF_TRUE(cf_transitionConvergence(c.m, c.d, 1e-5) < 1e-7);
    }
    cf_closeCase(c);
  }
}


CF_TEST(transition__analytic__leaves_the_state_alone) {
  cfCase c = openText(closed_xml);
  cf_randomState(c, 7);
  const int nx = (int)(2 * c.m->nv + c.m->na), size = mj_stateSize(c.m, mjSTATE_FULLPHYSICS);
  mjtNum *A = calloc((size_t)(nx * nx), sizeof(mjtNum)),
         *before = calloc((size_t)size, sizeof(mjtNum)),
         *after = calloc((size_t)size, sizeof(mjtNum));
  mj_getState(c.m, c.d, before, mjSTATE_FULLPHYSICS);
  cf_transition(c.m, c.d, NULL, A, NULL);
  mj_getState(c.m, c.d, after, mjSTATE_FULLPHYSICS);
  CF_EQ_BYTES(before, after, (size_t)size * sizeof(mjtNum));
  free(A);
  free(before);
  free(after);
  cf_closeCase(c);
}


CF_TEST(maxRelativeError__nan__is_infinite) {
  const mjtNum a[3] = {1, 2, 100}, b[3] = {1, 2, 101}, c[3] = {1, NAN, 100};
  CF_NEAR(cf_maxRelativeError(a, b, 3), 1.0 / 101, 1e-15);
  CF_TRUE(isinf(cf_maxRelativeError(a, c, 3)));
}


// forces that inverse dynamics finds are those that forward dynamics was given
CF_TEST(inverse__after_forward__returns_the_applied_forces) {
  cfCase c = openText(rig_xml);
  for (unsigned seed = 1; seed <= 5; seed++) {
    cf_randomState(c, seed);
    for (int k = 0; k < c.m->nv; k++) {
      c.d->qfrc_applied[k] = cf_random(&seed);
    }
    c.d->xfrc_applied[6 * 2 + 1] = 3;
    mj_forward(c.m, c.d);
    mj_inverse(c.m, c.d);
    mjtNum expected[40];
    mju_zero(expected, (int)c.m->nv);
    mj_applyFT(c.m, c.d, c.d->xfrc_applied + 12, c.d->xfrc_applied + 15, c.d->xipos + 6, 2,
               expected);
    for (int k = 0; k < c.m->nv; k++) {
      expected[k] += c.d->qfrc_applied[k] + c.d->qfrc_actuator[k];
    }
    CF_NEAR_ARRAY(c.d->qfrc_inverse, expected, c.m->nv, 1e-9);
  }
  cf_closeCase(c);
}


// the acceleration of a discrete step, given back to discrete inverse dynamics
CF_TEST(inverse__discrete__explains_the_step) {
  static const int integrators[3] = {mjINT_EULER, mjINT_IMPLICIT, mjINT_IMPLICITFAST};
  for (int k = 0; k < 3; k++) {
    cfCase c = openText(rig_xml);
    c.m->opt.integrator = integrators[k];
    c.m->opt.enableflags |= mjENBL_INVDISCRETE;
    cf_randomState(c, 11);
    mjData* next = mj_copyData(NULL, c.m, c.d);
    mj_step(c.m, next);
    mj_forward(c.m, c.d);
    for (int i = 0; i < c.m->nv; i++) {
      c.d->qacc[i] = (next->qvel[i] - c.d->qvel[i]) / c.m->opt.timestep;
    }
    mj_inverse(c.m, c.d);
    CF_NEAR_ARRAY(c.d->qfrc_inverse, c.d->qfrc_actuator, c.m->nv, 1e-8);
    mj_deleteData(next);
    cf_closeCase(c);
  }
}


// ---------------------------------------- spring-damper step

static const char* const spring_xml =
    "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody><body><joint type='slide' stiffness='%g' damping='%g'/>"
    "<geom size='0.1' mass='1'/></body></worldbody><keyframe><key qpos='1'/></keyframe></mujoco>";

static cfCase openSpring(mjtNum stiffness, mjtNum damping) {
  char xml[1000];
  snprintf(xml, sizeof(xml), spring_xml, stiffness, damping);
  cfCase c = openText(xml);
  mj_resetDataKeyframe(c.m, c.d, 0);
  return c;
}


CF_TEST(springDamper__stiff_spring__stays_bounded_and_decays) {
  cfCase c = openSpring(1e8, 0);
  for (int k = 0; k < 100; k++) {
    cf_stepSpringDamper(c.m, c.d);
    CF_TRUE(fabs(c.d->qpos[0]) <= 1);
  }
  CF_TRUE(fabs(c.d->qpos[0]) < 1e-3);
  CF_EQ_INT(c.d->warning[mjWARN_BADQACC].number, 0);
  cf_closeCase(c);
}


// one step by hand: (m + h*b + h^2*k)*v = -h*k*q
CF_TEST(springDamper__one_step__solves_its_equation) {
  cfCase c = openSpring(50, 3);
  cf_stepSpringDamper(c.m, c.d);
  const mjtNum h = 0.01, v = -h * 50 / (1 + h * 3 + h * h * 50);
  CF_NEAR(c.d->qvel[0], v, 1e-14);
  CF_NEAR(c.d->qpos[0], 1 + h * v, 1e-14);
  cf_closeCase(c);
}


// two bodies in motion, each with its own damper: (m + h*b + h^2*k)*v = m*v0 - h*k*q
CF_TEST(springDamper__two_bodies_in_motion__each_solves_its_equation) {
  cfCase c = openText(
      "<mujoco><option timestep='0.01' gravity='0 0 0'/><worldbody>"
      "<body><joint type='slide' stiffness='50' damping='3'/><geom size='.1' mass='1'/></body>"
      "<body pos='1 0 0'><joint type='slide' stiffness='20' damping='7'/><geom size='.1' mass='1'/>"
      "</body></worldbody></mujoco>");
  const mjtNum h = 0.01, stiffness[2] = {50, 20}, damping[2] = {3, 7}, q[2] = {1, -2};
  const mjtNum before[2] = {0.5, 4};
  mju_copy(c.d->qpos, q, 2);
  mju_copy(c.d->qvel, before, 2);
  cf_stepSpringDamper(c.m, c.d);
  for (int i = 0; i < 2; i++) {
    const mjtNum mass = 1 + h * damping[i] + h * h * stiffness[i];
    CF_NEAR(c.d->qvel[i], (before[i] - h * stiffness[i] * q[i]) / mass, 1e-14);
  }
  cf_closeCase(c);
}


CF_TEST_MAIN("derivative")
