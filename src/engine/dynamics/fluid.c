// Forces of the medium on moving bodies.
//
// Inertia box: every body acts as the box with its inertia; viscous drag of the sphere of mean
// diameter plus quadratic drag of the faces.  Ellipsoid: every geom that asks for it acts as an
// ellipsoid with added mass, Magnus and Kutta lift, blunt, slender and angular drag.
#include <math.h>

#include <mujoco/mujoco.h>

#include "dynamics/fluid.h"
#include "base/assert.h"
#include "math/inline.h"
#include "math/shape.h"
#include "model/indexset.h"


bool cfi_usesEllipsoidFluid(const mjModel* m, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  for (int k = 0; k < m->body_geomnum[body]; k++) {
    if (cfi_fluidCoefs(m, m->body_geomadr[body] + k)->interaction > 0) {
      return true;
    }
  }
  return false;
}


void cfi_inertiaBox(mjtNum box[3], const mjModel* m, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  const mjtNum* I = m->body_inertia + 3 * body;
  for (int k = 0; k < 3; k++) {
    const mjtNum spread = I[(k + 1) % 3] + I[(k + 2) % 3] - I[k];
    box[k] = sqrt(cfi_max(mjMINVAL, spread) / m->body_mass[body] * 6.0);
  }
}


void cfi_fluidVelocity(mjtNum vel[6], const mjModel* m, const mjData* d, int object, int id) {
  CF_ASSERT(object == mjOBJ_BODY || object == mjOBJ_GEOM);
  const mjtNum* axes = object == mjOBJ_GEOM ? d->geom_xmat + 9 * id : d->ximat + 9 * id;
  mjtNum wind[3];
  mj_objectVelocity(m, d, object, id, vel, 1);
  cfi_mulMatTVec3(wind, axes, m->opt.wind);
  cfi_subFrom3(vel + 3, wind);
}


// add a local wrench (torque, force) at a point of a body to qfrc_fluid
static void applyWrench(const mjModel* m, mjData* d, const mjtNum local[6], const mjtNum axes[9],
                        const mjtNum point[3], int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  mjtNum torque[3], force[3];
  cfi_mulMatVec3(torque, axes, local);
  cfi_mulMatVec3(force, axes, local + 3);
  mj_applyFT(m, d, force, torque, point, body, d->qfrc_fluid);
}


// ---------------------------------------- inertia box

// quadratic drag on one pair of faces (edges a and b), and its moment when the box turns about
// their normal
typedef struct {
  mjtNum face, moment;
} boxSide;

static boxSide sideOfBox(const mjtNum box[3], int k) {
  const mjtNum a = box[(k + 1) % 3], b = box[(k + 2) % 3];
  return (boxSide){.face = 0.5 * a * b,
                   .moment = box[k] * (cfi_square(a * a) + cfi_square(b * b)) / 64.0};
}


static void boxFluid(const mjModel* m, mjData* d, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  mjtNum vel[6], wrench[6], box[3];
  cfi_inertiaBox(box, m, body);
  cfi_fluidVelocity(vel, m, d, mjOBJ_BODY, body);

  // Stokes drag of the sphere whose diameter is the mean edge
  const mjtNum diameter = (box[0] + box[1] + box[2]) / 3.0;
  const mjtNum stokes = cfi_max(0, m->opt.viscosity) * mjPI * diameter;
  const mjtNum density = cfi_max(0, m->opt.density);
  for (int k = 0; k < 3; k++) {
    const boxSide side = sideOfBox(box, k);
    const mjtNum turn = vel[k], slide = vel[k + 3];
    wrench[k] = -stokes * diameter * diameter * turn - density * side.moment * fabs(turn) * turn;
    wrench[k + 3] = -stokes * 3.0 * slide - density * side.face * fabs(slide) * slide;
  }
  applyWrench(m, d, wrench, d->ximat + 9 * body, d->xipos + 3 * body, body);
}


// ---------------------------------------- ellipsoid

// one geom in the medium, in its own axes
typedef struct {
  const cfFluidCoefs* coef;
  mjtNum density, viscosity;
  mjtNum axes[3];  // half axes
  mjtNum omega[3], velocity[3];
  mjtNum speed;
} immersedGeom;


// fluid that is carried along: momentum p = density*virtual*velocity turns with the body
static void addedMass(const immersedGeom* g, mjtNum wrench[6]) {
  mjtNum linear[3], angular[3], term[3];
  for (int k = 0; k < 3; k++) {
    linear[k] = g->density * g->coef->virtual_mass[k] * g->velocity[k];
    angular[k] = g->density * g->coef->virtual_inertia[k] * g->omega[k];
  }
  cfi_cross(term, linear, g->velocity);
  cfi_addTo3(wrench, term);
  cfi_cross(term, angular, g->omega);
  cfi_addTo3(wrench, term);
  cfi_cross(term, linear, g->omega);
  cfi_addTo3(wrench + 3, term);
}


static mjtNum fourth(mjtNum x) {
  return cfi_square(x) * cfi_square(x);
}


// area of the shadow along the velocity, and the (unnormalized) surface normal that belongs to it
typedef struct {
  mjtNum area, cosine;
  mjtNum normal[3];
} shadow;

static shadow projectAlongVelocity(const immersedGeom* g) {
  shadow s;
  mjtNum denominator = 0, numerator = 0;
  for (int k = 0; k < 3; k++) {
    const mjtNum face = g->axes[(k + 1) % 3] * g->axes[(k + 2) % 3];
    denominator += fourth(face) * cfi_square(g->velocity[k]);
    numerator += cfi_square(face * g->velocity[k]);
    s.normal[k] = cfi_square(face) * g->velocity[k];
  }
  s.area = mjPI * sqrt(denominator / cfi_max(mjMINVAL, numerator));
  s.cosine = numerator / cfi_max(mjMINVAL, g->speed * denominator);
  return s;
}


// Magnus: spin crossed with flow.  Kutta: circulation of an inclined shape.
static void lift(const immersedGeom* g, const shadow* s, mjtNum force[3]) {
  const mjtNum volume = 4.0 / 3.0 * mjPI * g->axes[0] * g->axes[1] * g->axes[2];
  mjtNum magnus[3], circulation[3], kutta[3];
  cfi_cross(magnus, g->omega, g->velocity);
  cfi_addToScl3(force, magnus, g->coef->magnus_lift * g->density * volume);

  cfi_cross(circulation, s->normal, g->velocity);
  cfi_scl3(circulation, circulation, g->coef->kutta_lift * g->density * s->cosine * s->area);
  cfi_cross(kutta, circulation, g->velocity);
  cfi_addTo3(force, kutta);
}


// linear (Stokes) plus quadratic drag against translation and rotation
static void drag(const immersedGeom* g, const shadow* s, mjtNum wrench[6]) {
  const mjtNum longest = cfi_max(cfi_max(g->axes[0], g->axes[1]), g->axes[2]);
  const mjtNum shortest = cfi_min(cfi_min(g->axes[0], g->axes[1]), g->axes[2]);
  const mjtNum middle = g->axes[0] + g->axes[1] + g->axes[2] - longest - shortest;
  const mjtNum diameter = 2.0 / 3.0 * (g->axes[0] + g->axes[1] + g->axes[2]);
  const mjtNum largest_area = mjPI * longest * middle;
  const mjtNum largest_moment = 8.0 / 15.0 * mjPI * middle * fourth(longest);

  // moment of the surface about each axis weighs the angular velocity
  mjtNum spin[3];
  for (int k = 0; k < 3; k++) {
    const mjtNum arm = cfi_max(g->axes[(k + 1) % 3], g->axes[(k + 2) % 3]);
    const mjtNum moment = 8.0 / 15.0 * mjPI * g->axes[k] * fourth(arm);
    spin[k] = g->omega[k] *
              (g->coef->angular_drag * moment + g->coef->slender_drag * (largest_moment - moment));
  }

  const mjtNum area =
      s->area * g->coef->blunt_drag + g->coef->slender_drag * (largest_area - s->area);
  const mjtNum linear = g->viscosity * 3.0 * mjPI * diameter + g->density * g->speed * area;
  const mjtNum angular =
      g->viscosity * mjPI * diameter * diameter * diameter + g->density * cfi_norm3(spin);
  cfi_addToScl3(wrench, g->omega, -angular);
  cfi_addToScl3(wrench + 3, g->velocity, -linear);
}


static void ellipsoidFluid(const mjModel* m, mjData* d, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  for (int k = 0; k < m->body_geomnum[body]; k++) {
    const int geom = m->body_geomadr[body] + k;
    immersedGeom g = {
        .coef = cfi_fluidCoefs(m, geom), .density = m->opt.density, .viscosity = m->opt.viscosity};
    if (g.coef->interaction == 0) {
      continue;
    }
    mjtNum vel[6], wrench[6] = {0};
    cfi_geomSemiAxes(g.axes, m->geom_size + 3 * geom, m->geom_type[geom]);
    cfi_fluidVelocity(vel, m, d, mjOBJ_GEOM, geom);
    cfi_copy3(g.omega, vel);
    cfi_copy3(g.velocity, vel + 3);
    g.speed = cfi_norm3(g.velocity);

    const shadow s = projectAlongVelocity(&g);
    addedMass(&g, wrench);
    lift(&g, &s, wrench + 3);
    drag(&g, &s, wrench);
    cfi_scl6(wrench, wrench, g.coef->interaction);
    applyWrench(m, d, wrench, d->geom_xmat + 9 * geom, d->geom_xpos + 3 * geom, body);
  }
}


bool cfi_fluidForces(const mjModel* m, mjData* d) {
  if (m->opt.viscosity == 0 && m->opt.density == 0) {
    return false;
  }
  const cfIndexSet bodies = cfi_awakeBodies(m, d);
  for (int k = 0; k < bodies.count; k++) {
    const int body = cfi_at(bodies, k);
    if (m->body_mass[body] < mjMINVAL) {
      continue;
    }
    if (cfi_usesEllipsoidFluid(m, body)) {
      ellipsoidFluid(m, d, body);
    } else {
      boxFluid(m, d, body);
    }
  }
  return true;
}
