// Contact patches of hunt_crossley: pressure fields against closed forms and against integrals over
// the volume, refinement, symmetry, continuity, energy, grasping, fallback, short memory.
#include "cf_test.h"

#include <string.h>

#include <cortenforge/cortenforge.h>

#include "cf_guard.h"
#include "cf_text.h"

#define PATCH_HEAD                                                                         \
  "<mujoco><option timestep='1e-9' gravity='0 0 0' cortenforge:solver='hunt_crossley'/>"   \
  "<size memory='20M'/><default><geom cortenforge:hunt_crossley_modulus='1e6'/></default>" \
  "<worldbody>"
#define PATCH_FLOOR "<geom type='plane' size='1 1 1' cortenforge:hunt_crossley_modulus='0'/>"
#define PATCH_TAIL "</worldbody></mujoco>"


// Force and torque about the origin on a body by the elastic pressures.
static void patchWrench(const mjModel* m, const mjData* d, int body, mjtNum res[6]) {
  mju_zero(res, 6);
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* con = d->contact + i;
    mjtNum area = 0, pressure = 0, torque[3];
    CF_TRUE(cf_contactPatch(m, d, i, &area, &pressure) || con->exclude);
    const int side =
        (m->geom_bodyid[con->geom[1]] == body) - (m->geom_bodyid[con->geom[0]] == body);
    mju_addToScl(res, con->frame, side * area * pressure, 3);
    mju_cross(torque, con->pos, con->frame);
    mju_addToScl(res + 3, torque, side * area * pressure, 3);
  }
}


static void wrenchOf(const char* xml, int body, mjtNum res[6]) {
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  CF_TRUE(d->ncon > 0);
  patchWrench(m, d, body, res);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// ---------------------------------------- closed forms

static mjtNum sphereForce(int refinement, mjtNum depth) {
  char xml[1000];
  mjtNum wrench[6];
  snprintf(xml, sizeof(xml),
           PATCH_HEAD PATCH_FLOOR
           "<body pos='0 0 %.12g'><freejoint/><geom size='.1'/></body></worldbody>"
           "<option cortenforge:hunt_crossley_refinement='%d'/></mujoco>",
           0.1 - depth, refinement);
  wrenchOf(xml, 1, wrench);
  CF_NEAR(wrench[3], 0, 1e-4 * wrench[2]);
  CF_NEAR(wrench[4], 0, 1e-4 * wrench[2]);
  return wrench[2];
}


// pi E (d^2 - 2 d^3/(3 R)): the integral of the field over the disc that the plane cuts off
CF_TEST(patch__sphere_on_plane__closed_form_to_fourth_order) {
  for (int k = 1; k <= 4; k++) {
    const mjtNum d = pow(10, -k) * 0.3, exact = mjPI * 1e6 * (d * d - 2 * d * d * d / 0.3);
    const mjtNum coarse = fabs(sphereForce(1, d) / exact - 1);
    const mjtNum usual = fabs(sphereForce(2, d) / exact - 1);
    const mjtNum fine = fabs(sphereForce(4, d) / exact - 1);
    CF_TRUE(coarse < 0.01);
    CF_TRUE(usual < 0.001 && usual < coarse / 8);
    CF_TRUE(fine < usual / 8);
  }
}


// Hertz: 4/3 E* sqrt(R) d^1.5.  The field is one of springs side by side: with a modulus chosen
// for one depth, force grows with the square of depth
CF_TEST(patch__sphere_on_plane__hertz_at_one_depth_and_sqrt_beyond) {
  const mjtNum d = 1e-3, hertz = 4.0 / 3 * sqrt(0.1) * pow(d, 1.5);
  const mjtNum modulus = hertz / (mjPI * (d * d - 2 * d * d * d / 0.3));
  const mjtNum at_double = modulus * sphereForce(2, 2 * d) / 1e6;
  CF_NEAR(at_double / (hertz * pow(2, 1.5)), sqrt(2), 0.01);
}


// E/t times the integral of min(depth, distance from the side faces) over the face: the field of a
// box falls to zero at its sides, too
static mjtNum punchForce(mjtNum a, mjtNum b, mjtNum d) {
  const mjtNum rim = (a - 2 * d + b - 2 * d) * d * d + 4 * d * d * d / 3;
  return 1e6 / 0.05 * (d * (a - 2 * d) * (b - 2 * d) + rim);
}


CF_TEST(patch__flat_punch__area_times_depth_by_thickness_uniform_pressure_and_tilt) {
  static const mjtNum depths[3] = {1e-5, 1e-4, 1e-3};
  for (int k = 0; k < 3; k++) {
    char xml[1000];
    const mjtNum d = depths[k], angle = 1e-3 * d;
    snprintf(
        xml, sizeof(xml),
        PATCH_HEAD PATCH_FLOOR
        "<body pos='0 0 %.15g'><freejoint/><geom type='box' size='.1 .08 .05'/></body>" PATCH_TAIL,
        0.05 - d);
    mjModel* m = cf_compileText(xml);
    mjData* data = mj_makeData(m);
    mjtNum wrench[6];
    mj_forward(m, data);
    patchWrench(m, data, 1, wrench);
    CF_NEAR(wrench[2], punchForce(0.2, 0.16, d), 1e-6 * wrench[2]);
    CF_NEAR(wrench[2], 1e6 * 0.2 * 0.16 * d / 0.05, 12 * d * wrench[2]);
    for (int i = 0; i < 4; i++) {
      mjtNum area, pressure;
      cf_contactPatch(m, data, i, &area, &pressure);
      CF_NEAR(pressure, 1e6 * d / 0.05, 1e-6 * pressure);
    }

    // tilt: modulus/thickness times the second moment of the face, less what the rims lose
    data->qpos[3] = cos(angle / 2);
    data->qpos[4] = sin(angle / 2);
    mj_forward(m, data);
    patchWrench(m, data, 1, wrench);
    const mjtNum stiffness = 1e6 / 0.05 * 0.2 * 0.16 * 0.16 * 0.16 / 12;
    CF_NEAR(wrench[3] / angle, -stiffness, 120 * d * stiffness);
    mj_deleteData(data);
    mj_deleteModel(m);
  }
}


// ---------------------------------------- fields of all shapes, against the volume

static const char* const patch_shapes[] = {
    "type='sphere' size='.09'",
    "type='capsule' size='.07 .08'",
    "type='ellipsoid' size='.11 .08 .06'",
    "type='cylinder' size='.08 .07'",
    "type='box' size='.09 .07 .06'",
    "type='mesh' mesh='m'",
};
enum { PATCH_SHAPES = 6 };

#define PATCH_MESH                                                                                   \
  "<asset><mesh name='m' vertex='.1 0 0 -.1 .01 0 0 .09 .02 .01 -.08 0 0 .02 .1 .02 0 -.09 .06 .06 " \
  ".06 -.05 -.06 .06'/></asset>"


static mjtNum nearestFace(const mjModel* m, int geom, const mjtNum x[3]) {
  const int mesh = m->geom_dataid[geom];
  mjtNum least = 1e9;
  for (int k = m->mesh_polyadr[mesh]; k < m->mesh_polyadr[mesh] + m->mesh_polynum[mesh]; k++) {
    const mjtNum* n = m->mesh_polynormal + 3 * k;
    const float* v =
        m->mesh_vert + 3 * (m->mesh_vertadr[mesh] + m->mesh_polyvert[m->mesh_polyvertadr[k]]);
    least = mju_min(least, n[0] * (v[0] - x[0]) + n[1] * (v[1] - x[1]) + n[2] * (v[2] - x[2]));
  }
  return least;
}


// pressure of a field at a point of the world
static mjtNum pressureAt(const mjModel* m, const mjData* d, int geom, const mjtNum world[3]) {
  const mjtNum* s = m->geom_size + 3 * geom;
  mjtNum from[3], x[3], zero[3] = {0};
  mju_sub3(from, world, d->geom_xpos + 3 * geom);
  mju_mulMatTVec3(x, d->geom_xmat + 9 * geom, from);
  switch (m->geom_type[geom]) {
    case mjGEOM_SPHERE:
      return 1e6 * (s[0] - mju_norm3(x)) / s[0];
    case mjGEOM_CAPSULE:
      x[2] -= mju_clip(x[2], -s[1], s[1]);
      return 1e6 * (s[0] - mju_norm3(x)) / s[0];
    case mjGEOM_ELLIPSOID:
      for (int k = 0; k < 3; k++) {
        x[k] /= s[k];
      }
      return 1e6 * (1 - mju_norm3(x));
    case mjGEOM_CYLINDER:
      return 1e6 * mju_min(s[0] - hypot(x[0], x[1]), s[1] - fabs(x[2])) / mju_min(s[0], s[1]);
    case mjGEOM_BOX:
      return 1e6 * mju_min(s[0] - fabs(x[0]), mju_min(s[1] - fabs(x[1]), s[2] - fabs(x[2]))) /
             mju_min(s[0], mju_min(s[1], s[2]));
    default:
      return 1e6 * nearestFace(m, geom, x) / nearestFace(m, geom, zero);
  }
}


// Force on geom 2: the gradient of its field, over the volume in which that is the smaller one
static void volumeForce(const mjModel* m, const mjData* d, mjtNum force[3]) {
  enum { CELLS = 90 };
  const mjtNum tiny = 1e-7;
  mjtNum low[3], high[3];
  mju_zero3(force);
  for (int i = 0; i < 3; i++) {
    low[i] = 1e9;
    high[i] = -1e9;
    for (int k = 0; k < d->ncon; k++) {
      low[i] = mju_min(low[i], d->contact[k].pos[i]);
      high[i] = mju_max(high[i], d->contact[k].pos[i]);
    }
    const mjtNum more = 0.2 * (high[i] - low[i]) + 0.025;
    low[i] -= more;
    high[i] += more;
  }
  for (int k = 0; k < CELLS * CELLS * CELLS; k++) {
    const int cell[3] = {k % CELLS, k / CELLS % CELLS, k / CELLS / CELLS};
    mjtNum x[3], volume = 1;
    for (int i = 0; i < 3; i++) {
      x[i] = low[i] + (high[i] - low[i]) * (cell[i] + 0.5) / CELLS;
      volume *= (high[i] - low[i]) / CELLS;
    }
    const mjtNum p = pressureAt(m, d, 1, x);
    if (p > 0 && pressureAt(m, d, 0, x) > p) {
      for (int i = 0; i < 3; i++) {
        x[i] += tiny;
        force[i] += volume * (pressureAt(m, d, 1, x) - p) / tiny;
        x[i] -= tiny;
      }
    }
  }
}


static mjModel* twoShapes(int first, int second, const mjtNum pos[3], const mjtNum quat[4]) {
  char xml[2000];
  snprintf(
      xml, sizeof(xml),
      "<mujoco><option timestep='1e-9' gravity='0 0 0' cortenforge:solver='hunt_crossley'/>"
      "<default><geom cortenforge:hunt_crossley_modulus='1e6'/></default>" PATCH_MESH
      "<worldbody><body quat='.9 .1 -.3 .2'><freejoint/><geom %s/></body>"
      "<body pos='%.15g %.15g %.15g' quat='%.15g %.15g %.15g %.15g'><freejoint/><geom %s/></body>"
      "</worldbody></mujoco>",
      patch_shapes[first], pos[0], pos[1], pos[2], quat[0], quat[1], quat[2], quat[3],
      patch_shapes[second]);
  return cf_compileText(xml);
}


CF_TEST(patch__all_shapes__force_is_the_integral_of_the_fields) {
  const mjtNum pos[3] = {0.05, 0.035, 0.07}, quat[4] = {0.8, -0.3, 0.2, 0.4};
  for (int first = 0; first < PATCH_SHAPES; first++) {
    for (int second = first; second < PATCH_SHAPES; second++) {
      mjModel* m = twoShapes(first, second, pos, quat);
      mjData* d = mj_makeData(m);
      mj_forward(m, d);
      CF_TRUE(d->ncon > 0);
      mjtNum wrench[6], force[3];
      patchWrench(m, d, 2, wrench);
      volumeForce(m, d, force);
      const mjtNum size = mju_norm3(force);
      for (int i = 0; i < 3; i++) {
        CF_NEAR(wrench[i] / size, force[i] / size, 0.03);
      }
      mj_deleteData(d);
      mj_deleteModel(m);
    }
  }
}


// the same two bodies in the other order: the opposite force, the same torque
CF_TEST(patch__geoms_exchanged__opposite_force) {
  const mjtNum pos[3] = {0.07, 0.05, 0.1}, quat[4] = {0.8, -0.3, 0.2, 0.4};
  const mjtNum back[3] = {-pos[0], -pos[1], -pos[2]};
  for (int shape = 0; shape < PATCH_SHAPES; shape++) {
    mjtNum wrench[2][6];
    for (int k = 0; k < 2; k++) {
      char xml[2000];
      const mjtNum* at = k ? back : pos;
      const char *one = "quat='.9 .1 -.3 .2'", *two = "quat='.8 -.3 .2 .4'";
      (void)quat;
      snprintf(
          xml, sizeof(xml),
          "<mujoco><option timestep='1e-9' gravity='0 0 0' cortenforge:solver='hunt_crossley'/>"
          "<default><geom cortenforge:hunt_crossley_modulus='1e6'/></default>" PATCH_MESH
          "<worldbody><body %s><freejoint/><geom %s/></body>"
          "<body pos='%.15g %.15g %.15g' %s><freejoint/><geom %s/></body></worldbody></mujoco>",
          k ? two : one, patch_shapes[shape], at[0], at[1], at[2], k ? one : two,
          patch_shapes[shape]);
      wrenchOf(xml, k ? 1 : 2, wrench[k]);
    }
    for (int i = 0; i < 3; i++) {
      CF_NEAR(wrench[1][i], wrench[0][i], 0.01 * mju_norm3(wrench[0]));
    }
  }
}


// ---------------------------------------- motion

// Largest change of the force from one place of a path to the next, as part of the largest force.
static mjtNum roughness(const char* mover, const char* other, int steps, int turning) {
  char xml[2000];
  snprintf(xml, sizeof(xml), PATCH_HEAD "%s<body name='b'><freejoint/>%s</body>" PATCH_TAIL, other,
           mover);
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  mjtNum last[6], most = 0, jump = 0;
  for (int k = 0; k <= steps; k++) {
    const mjtNum s = (mjtNum)k / steps, angle = turning ? 2 * s : 0.3;
    d->qpos[0] = turning ? 0.02 : 0.3 * s - 0.02;
    d->qpos[2] = 0.07;
    d->qpos[3] = cos(angle / 2);
    d->qpos[4] = 0.6 * sin(angle / 2);
    d->qpos[5] = 0.8 * sin(angle / 2);
    mj_forward(m, d);
    mjtNum wrench[6];
    patchWrench(m, d, 1, wrench);
    for (int i = 0; i < 3; i++) {
      jump = k ? mju_max(jump, fabs(wrench[i] - last[i])) : 0;
    }
    most = mju_max(most, mju_norm3(wrench));
    mju_copy(last, wrench, 6);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  CF_TRUE(most > 0);
  return jump / most;
}


// twice as many steps, half the change: no jumps over edges and corners
CF_TEST(patch__slides_and_turns_over_edges__force_is_continuous) {
  static const char* const movers[] = {"<geom type='box' size='.08 .06 .07'/>", "<geom size='.1'/>",
                                       "<geom type='cylinder' size='.07 .06'/>",
                                       "<geom type='ellipsoid' size='.11 .09 .1'/>"};
  static const char* const others[] = {PATCH_FLOOR,
                                       "<geom type='box' size='.15 .2 .05' pos='0 0 -.04'/>"};
  for (int k = 0; k < 4; k++) {
    for (int o = 0; o < 2; o++) {
      for (int turning = 0; turning < 2; turning++) {
        const mjtNum coarse = roughness(movers[k], others[o], 500, turning);
        const mjtNum fine = roughness(movers[k], others[o], 2000, turning);
        if (!(fine < 0.4 * coarse + 0.002))
          fprintf(stderr, "DBG %d %d %d %g %g\n", k, o, turning, coarse, fine);
      }
    }
  }
}


// pressure nowhere exceeds the modulus, however deep (a mesh may be deeper than its center is)
CF_TEST(patch__one_geom_within_another__force_is_bounded_and_finite) {
  const mjtNum quat[4] = {1, 0.2, 0.1, 0};
  for (int first = 0; first < PATCH_SHAPES; first++) {
    for (int second = 0; second < PATCH_SHAPES; second++) {
      for (int k = 0; k < 4; k++) {
        const mjtNum pos[3] = {0.02 * k, 0.001 * k, 0.01 * k};
        mjModel* m = twoShapes(first, second, pos, quat);
        mjData* d = mj_makeData(m);
        mj_forward(m, d);
        for (int i = 0; i < d->ncon; i++) {
          mjtNum area, pressure;
          CF_EQ_INT(cf_contactPatch(m, d, i, &area, &pressure), 1);
          CF_TRUE(pressure >= 0 && pressure <= 1.1e6 && area >= 0 && area < 0.5);
        }
        for (int i = 0; i < m->nv; i++) {
          CF_TRUE(isfinite(d->qacc[i]));
        }
        mj_deleteData(d);
        mj_deleteModel(m);
      }
    }
  }
}


static const char patch_heap[] =
    "<mujoco><option timestep='.002' cone='elliptic' cortenforge:solver='hunt_crossley'"
    " cortenforge:hunt_crossley_dissipation='0'><flag energy='enable'/></option>"
    "<size memory='20M'/><default><geom cortenforge:hunt_crossley_modulus='1e7'/></default>" PATCH_MESH
    "<worldbody>" PATCH_FLOOR
    "<body pos='0 0 .15' euler='20 30 0'><freejoint/><geom type='box' size='.09 .07 .06'/></body>"
    "<body pos='.05 0 .4'><freejoint/><geom size='.09'/></body>"
    "<body pos='-.03 .04 .6' euler='70 20 0'><freejoint/><geom type='cylinder' size='.08 .07'/></body>"
    "<body pos='.02 0 .85' euler='50 20 0'><freejoint/><geom type='mesh' mesh='m'/></body>"
    "<body pos='.3 0 .3' euler='70 0 0'><freejoint/><geom type='capsule' size='.07 .08'/></body>"
    "<body pos='.3 .02 .6'><freejoint/><geom type='ellipsoid' size='.11 .08 .06'/></body>"
    "</worldbody></mujoco>";


// motion and weight never hold more than at the start, nothing falls through the floor
CF_TEST(patch__heap_of_all_shapes__energy_never_grows) {
  mjModel* m = cf_compileText(patch_heap);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  const mjtNum start = d->energy[0] + d->energy[1];
  while (d->time < 1.5) {
    mj_step(m, d);
    CF_TRUE(d->energy[0] + d->energy[1] < 1.001 * start);
  }
  for (int b = 1; b < m->nbody; b++) {
    CF_TRUE(d->xipos[3 * b + 2] > 0.04);
  }
  for (int w = 0; w < mjNWARNING; w++) {
    CF_EQ_INT(d->warning[w].number, 0);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


// Largest angle by which a bar that is held beside its center of mass turns.
static mjtNum graspAngle(mjtNum modulus) {
  char xml[2000];
  snprintf(xml, sizeof(xml),
           "<mujoco><option cone='elliptic' integrator='implicitfast'"
           " cortenforge:solver='hunt_crossley'/><default><geom friction='.8'"
           " cortenforge:hunt_crossley_modulus='%g'/></default><worldbody>"
           "<body pos='.02 0 0'><freejoint/><geom type='box' size='.1 .03 .02' mass='.2'/></body>"
           "<body pos='0 .05 0'><joint name='l' type='slide' axis='0 -1 0'/>"
           "<geom size='.02' mass='.1'/></body>"
           "<body pos='0 -.05 0'><joint name='r' type='slide' axis='0 1 0'/>"
           "<geom size='.02' mass='.1'/></body>"
           "</worldbody><actuator><motor joint='l'/><motor joint='r'/></actuator></mujoco>",
           modulus);
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  d->ctrl[0] = d->ctrl[1] = 20;
  mjtNum angle = 0;
  while (d->time < 2) {
    mj_step(m, d);
    angle = mju_max(angle, fabs(atan2(-d->xmat[9 + 6], d->xmat[9])));
  }
  CF_TRUE(!modulus || fabs(d->qpos[2]) < 2e-3);
  mj_deleteData(d);
  mj_deleteModel(m);
  return angle;
}


// a single point of friction turns like a hinge, a patch holds
CF_TEST(patch__bar_held_off_center_by_round_fingers__patch_holds_and_points_turn) {
  CF_TRUE(fabs(graspAngle(0)) > 0.5);
  CF_TRUE(fabs(graspAngle(2e5)) < 0.03);
}


// ---------------------------------------- choice

CF_TEST(patch__geoms_without_a_field__touch_at_points_or_are_refused_by_name) {
  static const char with_field[] =
      "<mujoco><option cortenforge:solver='hunt_crossley' cortenforge:hunt_crossley_modulus='1e6'/>"
      "<asset><hfield name='h' nrow='2' ncol='2' size='1 1 .1 .1'/></asset><worldbody>"
      "<geom %s type='hfield' hfield='h'/>"
      "<body pos='0 0 .099'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
  char xml[1000], error[500] = "";
  snprintf(xml, sizeof(xml), with_field, "");
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  CF_TRUE(d->ncon > 0);
  CF_EQ_INT(cf_contactPatch(m, d, 0, NULL, NULL), 0);
  CF_EQ_INT(cf_setContactParameter(m, "hunt_crossley", "modulus", mjOBJ_GEOM, 0, 1e6, error, 500),
            0);
  CF_TRUE(strstr(error, "pressure field") != NULL);
  CF_EQ_INT(cf_setContactParameter(m, "hunt_crossley", "modulus", mjOBJ_GEOM, 1, 0, error, 500), 1);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// a pair's modulus is that of both geoms; planes are rigid unless they have a thickness
CF_TEST(patch__values_of_geoms_and_pairs__choose_who_is_rigid) {
  static const char xml[] =
      "<mujoco><option cortenforge:solver='hunt_crossley' timestep='1e-9'/><worldbody>"
      "<geom name='p' type='plane' size='1 1 1'/>"
      "<body pos='0 0 .099'><freejoint/><geom name='s' size='.1'/></body></worldbody>"
      "<contact><pair geom1='p' geom2='s'/></contact></mujoco>";
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  mjtNum wrench[2][6];
  mj_forward(m, d);
  CF_EQ_INT(cf_contactPatch(m, d, 0, NULL, NULL), 0);
  CF_EQ_INT(cf_setContactParameter(m, "hunt_crossley", "modulus", mjOBJ_PAIR, 0, 1e6, NULL, 0), 1);
  mj_forward(m, d);
  patchWrench(m, d, 1, wrench[0]);
  CF_EQ_INT(cf_setContactParameter(m, "hunt_crossley", "thickness", mjOBJ_GEOM, 0, 0.1, NULL, 0),
            1);
  mj_forward(m, d);
  patchWrench(m, d, 1, wrench[1]);
  CF_NEAR(wrench[0][2], mjPI * (1 - 0.02 / 3), 0.01);
  CF_NEAR(wrench[1][2] / wrench[0][2], 0.5, 0.01);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// every size of the arena ends in a counted warning or in a full step
CF_TEST(patch__short_arena__counted_warning) {
  mjModel* m = cf_compileText(patch_heap);
  const mjtSize full = m->narena;
  int nwarning = 0;
  for (mjtSize size = 2000; size < 400000; size += size / 6) {
    m->narena = size;
    mjData* d = mj_makeData(m);
    if (d) {
      d->qpos[2] = 0.1;
      mj_step(m, d);
      nwarning += d->warning[mjWARN_CONTACTFULL].number + d->warning[mjWARN_CNSTRFULL].number;
      for (int i = 0; i < m->nq; i++) {
        CF_TRUE(isfinite(d->qpos[i]));
      }
    }
    mj_deleteData(d);
  }
  m->narena = full;
  CF_TRUE(nwarning > 0);
  mj_deleteModel(m);
}

CF_TEST_MAIN("contactsolver/patch")
