// Velocity derivatives of the fluid forces: 6x6 matrices B = d wrench / d velocity in the axes of
// the body or geom, brought to the dofs by the Jacobian of that frame.  Formulas of the forces:
// dynamics/fluid.c.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "derivative/velocity.h"
#include "dynamics/fluid.h"
#include "kinematics/chain.h"
#include "math/inline.h"
#include "math/shape.h"
#include "model/indexset.h"

enum { ROTATION = 0, TRANSLATION = 3 };


// B block (wrench half, velocity half) += 3x3 matrix, row-major
static void addBlock(mjtNum B[36], int wrench, int velocity, const mjtNum D[9]) {
  CF_ASSERT((wrench == ROTATION || wrench == TRANSLATION) &&
            (velocity == ROTATION || velocity == TRANSLATION));
  for (int k = 0; k < 9; k++) {
    B[6 * (wrench + k / 3) + velocity + k % 3] += D[k];
  }
}


// matrix of v -> a x v
static void crossMatrix(mjtNum D[9], const mjtNum a[3]) {
  cfi_set3(D, 0, -a[2], a[1]);
  cfi_set3(D + 3, a[2], 0, -a[0]);
  cfi_set3(D + 6, -a[1], a[0], 0);
}


// D += scale * a*b'
static void addOuter(mjtNum D[9], const mjtNum a[3], const mjtNum b[3], mjtNum scale) {
  for (int r = 0; r < 3; r++) {
    cfi_addToScl3(D + 3 * r, b, scale * a[r]);
  }
}


static void addDiagonal(mjtNum D[9], mjtNum x) {
  D[0] += x;
  D[4] += x;
  D[8] += x;
}


// ---------------------------------------- ellipsoid

typedef struct {
  const cfFluidCoefs* coef;
  mjtNum density, viscosity;
  mjtNum axes[3], omega[3], velocity[3];
  mjtNum longest, middle, diameter;  // of the ellipsoid; diameter of the sphere that stands for it
} fluidGeom;


// derivative of p x v with p = weight*a (elementwise) and v = b: block of a, block of b
static void addMomentumTurn(mjtNum B[36], int wrench, int block_a, int block_b,
                            const mjtNum weight[3], const mjtNum a[3], const mjtNum b[3]) {
  mjtNum D[9], momentum[3];
  cfi_set3(momentum, weight[0] * a[0], weight[1] * a[1], weight[2] * a[2]);
  crossMatrix(D, momentum);
  addBlock(B, wrench, block_b, D);
  crossMatrix(D, b);
  for (int k = 0; k < 9; k++) {
    D[k] *= -weight[k % 3];
  }
  addBlock(B, wrench, block_a, D);
}


static void addedMassMatrix(const fluidGeom* g, mjtNum B[36]) {
  mjtNum mass[3], inertia[3];
  cfi_scl3(mass, g->coef->virtual_mass, g->density);
  cfi_scl3(inertia, g->coef->virtual_inertia, g->density);
  addMomentumTurn(B, ROTATION, ROTATION, ROTATION, inertia, g->omega, g->omega);
  addMomentumTurn(B, ROTATION, TRANSLATION, TRANSLATION, mass, g->velocity, g->velocity);
  addMomentumTurn(B, TRANSLATION, TRANSLATION, ROTATION, mass, g->velocity, g->omega);
}


static void magnusMatrix(const fluidGeom* g, mjtNum B[36]) {
  const mjtNum volume = 4.0 / 3.0 * mjPI * g->axes[0] * g->axes[1] * g->axes[2];
  const mjtNum weight = g->coef->magnus_lift * g->density * volume;
  const mjtNum all[3] = {weight, weight, weight};
  addMomentumTurn(B, TRANSLATION, ROTATION, TRANSLATION, all, g->omega, g->velocity);
}


// quantities of the ellipsoid's shadow along the velocity
typedef struct {
  mjtNum face[3];    // squared products of the other two half axes
  mjtNum square[3];  // squared velocity
  mjtNum numerator, denominator, speed_sqr;
} shadowTerms;

static shadowTerms shadowOf(const fluidGeom* g) {
  shadowTerms s = {.numerator = 0};
  for (int k = 0; k < 3; k++) {
    s.face[k] = cfi_square(g->axes[(k + 1) % 3] * g->axes[(k + 2) % 3]);
    s.square[k] = cfi_square(g->velocity[k]);
    s.numerator += s.face[k] * s.square[k];
    s.denominator += cfi_square(s.face[k]) * s.square[k];
    s.speed_sqr += s.square[k];
  }
  return s;
}


// sum over k of (face_i - face_k) * weight_k
static mjtNum faceDifference(const shadowTerms* s, int i, const mjtNum weight[3]) {
  CF_ASSERT_INDEX(i, 3);
  mjtNum sum = 0;
  for (int k = 0; k < 3; k++) {
    sum += (s->face[i] - s->face[k]) * weight[k];
  }
  return sum;
}


static void kuttaMatrix(const fluidGeom* g, const shadowTerms* s, mjtNum D[9]) {
  const mjtNum scale = mjPI * g->coef->kutta_lift * g->density /
                       cfi_max(mjMINVAL, sqrt(s->denominator * s->numerator * s->speed_sqr));
  const mjtNum by_area = s->numerator / cfi_max(mjMINVAL, s->denominator);
  const mjtNum by_speed = s->numerator / cfi_max(mjMINVAL, s->speed_sqr);
  for (int i = 0; i < 3; i++) {
    const mjtNum coef = faceDifference(s, i, s->square);
    for (int j = 0; j < 3; j++) {
      const mjtNum f = s->face[j], inner = f * f * by_area - f + by_speed;
      const mjtNum slope = 2 * s->numerator * (f - s->face[i]) + coef * inner;
      D[3 * i + j] =
          scale * (slope * g->velocity[i] * g->velocity[j] - (i == j ? coef * s->numerator : 0));
    }
  }
}


// force -(c + density*speed*area)*v, where the area depends on the direction too
static void dragMatrix(const fluidGeom* g, const shadowTerms* s, mjtNum D[9]) {
  const mjtNum blunt = g->coef->blunt_drag, slender = g->coef->slender_drag,
               speed = sqrt(s->speed_sqr);
  const mjtNum area = mjPI * sqrt(s->denominator / cfi_max(mjMINVAL, s->numerator));
  const mjtNum effective = area * blunt + slender * (mjPI * g->longest * g->middle - area);
  const mjtNum quadratic = g->density * effective / cfi_max(mjMINVAL, speed);
  mju_zero(D, 9);
  addOuter(D, g->velocity, g->velocity, -quadratic);
  addDiagonal(D, -quadratic * s->speed_sqr - g->viscosity * 3.0 * mjPI * g->diameter);

  // gradient of the projected area
  const mjtNum n = s->numerator;
  const mjtNum scale = g->density * speed * (blunt - slender) * mjPI /
                       cfi_max(mjMINVAL, sqrt(n * n * n * s->denominator));
  mjtNum gradient[3], weight[3];
  for (int k = 0; k < 3; k++) {
    weight[k] = s->face[k] * s->square[k];
  }
  for (int k = 0; k < 3; k++) {
    gradient[k] = scale * s->face[k] * g->velocity[k] * faceDifference(s, k, weight);
  }
  addOuter(D, g->velocity, gradient, -1);
}


// torque -(c + density*|spin|)*omega with spin = coef*omega elementwise
static void spinDragMatrix(const fluidGeom* g, mjtNum D[9]) {
  const mjtNum largest = 8.0 / 15.0 * mjPI * g->middle * cfi_square(cfi_square(g->longest));
  mjtNum spin[3], pull[3], norm_sqr = 0, coef[3];
  for (int k = 0; k < 3; k++) {
    const mjtNum arm = cfi_max(g->axes[(k + 1) % 3], g->axes[(k + 2) % 3]);
    const mjtNum moment = 8.0 / 15.0 * mjPI * g->axes[k] * cfi_square(cfi_square(arm));
    coef[k] = g->coef->angular_drag * moment + g->coef->slender_drag * (largest - moment);
    spin[k] = coef[k] * g->omega[k];
    norm_sqr += cfi_square(spin[k]);
  }
  const mjtNum scale = g->density / cfi_max(mjMINVAL, cfi_norm3(spin));
  cfi_set3(pull, coef[0] * spin[0], coef[1] * spin[1], coef[2] * spin[2]);
  mju_zero(D, 9);
  addOuter(D, g->omega, pull, -scale);
  addDiagonal(D, -scale * norm_sqr - g->viscosity * mjPI * g->diameter * g->diameter * g->diameter);
}


static fluidGeom fluidGeomOf(const mjModel* m, const mjData* d, int geom) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  fluidGeom g = {
      .coef = cfi_fluidCoefs(m, geom), .density = m->opt.density, .viscosity = m->opt.viscosity};
  mjtNum vel[6];
  cfi_geomSemiAxes(g.axes, m->geom_size + 3 * geom, m->geom_type[geom]);
  cfi_fluidVelocity(vel, m, d, mjOBJ_GEOM, geom);
  cfi_copy3(g.omega, vel);
  cfi_copy3(g.velocity, vel + 3);
  const mjtNum sum = g.axes[0] + g.axes[1] + g.axes[2];
  g.longest = cfi_max(cfi_max(g.axes[0], g.axes[1]), g.axes[2]);
  g.middle = sum - g.longest - cfi_min(cfi_min(g.axes[0], g.axes[1]), g.axes[2]);
  g.diameter = 2.0 / 3.0 * sum;
  return g;
}


static void ellipsoidMatrix(const mjModel* m, const mjData* d, int geom, mjtNum B[36]) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  const fluidGeom g = fluidGeomOf(m, d, geom);
  const shadowTerms s = shadowOf(&g);
  mjtNum D[9];
  mju_zero(B, 36);
  magnusMatrix(&g, B);
  kuttaMatrix(&g, &s, D);
  addBlock(B, TRANSLATION, TRANSLATION, D);
  dragMatrix(&g, &s, D);
  addBlock(B, TRANSLATION, TRANSLATION, D);
  spinDragMatrix(&g, D);
  addBlock(B, ROTATION, ROTATION, D);
  addedMassMatrix(&g, B);

  // the fast integrator needs a symmetric matrix
  if (m->opt.integrator == mjINT_IMPLICITFAST) {
    mju_symmetrize(B, B, 6);
  }
}


// ---------------------------------------- inertia box

static void boxMatrix(const mjModel* m, const mjData* d, int body, mjtNum B[36]) {
  CF_ASSERT_INDEX(body, m->nbody);
  mjtNum vel[6], box[3];
  cfi_fluidVelocity(vel, m, d, mjOBJ_BODY, body);
  cfi_inertiaBox(box, m, body);
  const mjtNum diameter = (box[0] + box[1] + box[2]) / 3.0;
  const mjtNum stokes = cfi_max(0, m->opt.viscosity) * mjPI * diameter,
               density = cfi_max(0, m->opt.density);
  mju_zero(B, 36);
  for (int k = 0; k < 3; k++) {
    const mjtNum a = box[(k + 1) % 3], b = box[(k + 2) % 3];
    const mjtNum moment = box[k] * (cfi_square(a * a) + cfi_square(b * b)) / 64.0;
    B[7 * k] = -stokes * diameter * diameter - density * moment * 2 * fabs(vel[k]);
    B[7 * (k + 3)] = -3.0 * stokes - density * a * b * fabs(vel[k + 3]);
  }
}


// ---------------------------------------- to the dofs

// qDeriv += J'*B*J for a frame of a body at a point; J is expressed in the frame's axes
static void addFrameMatrix(const mjModel* m, mjData* d, int body, const mjtNum point[3],
                           const mjtNum axes[9], const mjtNum B[36]) {
  CF_ASSERT_INDEX(body, m->nbody);
  mj_markStack(d);
  int* chain = mj_stackAllocInt(d, (size_t)m->nv + 1);
  mjtNum* J = mj_stackAllocNum(d, 6 * (size_t)m->nv + 1);
  const int count = cfi_bodyChain(m, body, chain);
  mjtNum offset[3];
  cfi_pointOffset(offset, m, d, point, body);
  for (int k = 0; k < count; k++) {
    mjtNum column[3], turn[3], slide[3];
    const mjtNum* cdof = d->cdof + 6 * chain[k];
    cfi_pointColumn(column, cdof, offset);
    cfi_mulMatTVec3(turn, axes, cdof);
    cfi_mulMatTVec3(slide, axes, column);
    for (int r = 0; r < 3; r++) {
      J[r * count + k] = turn[r];
      J[(r + 3) * count + k] = slide[r];
    }
  }
  cfi_addQuadraticForm(m, d, (cfSparseRows){6, count, chain, J}, B);
  mj_freeStack(d);
}


static void addBodyFluid(const mjModel* m, mjData* d, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  mjtNum B[36];
  if (!cfi_usesEllipsoidFluid(m, body)) {
    boxMatrix(m, d, body, B);
    addFrameMatrix(m, d, body, d->xipos + 3 * body, d->ximat + 9 * body, B);
    return;
  }
  for (int k = 0; k < m->body_geomnum[body]; k++) {
    const int geom = m->body_geomadr[body] + k;
    if (cfi_fluidCoefs(m, geom)->interaction != 0) {
      ellipsoidMatrix(m, d, geom, B);
      addFrameMatrix(m, d, body, d->geom_xpos + 3 * geom, d->geom_xmat + 9 * geom, B);
    }
  }
}


void cfi_addFluidVelocity(const mjModel* m, mjData* d) {
  if (m->opt.viscosity <= 0 && m->opt.density <= 0) {
    return;
  }
  const cfIndexSet bodies = cfi_awakeBodies(m, d);
  for (int k = 0; k < bodies.count; k++) {
    const int body = cfi_at(bodies, k);
    if (m->body_mass[body] >= mjMINVAL) {
      addBodyFluid(m, d, body);
    }
  }
}
