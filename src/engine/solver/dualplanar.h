// One elliptic contact of three rows in a dual solver: what cfi_moveAlongRay and cfi_bestFriction
// do for any dimension, as one short chain of operations.
//
// A sweep visits contact after contact, and each needs the forces of the one before: what counts is
// how many operations follow each other, not how many there are.  Numbers have names and stay in
// registers, what depends on the matrix alone is made once, and quotients are left out where a
// common denominator will do.
#ifndef CF_SOLVER_DUALPLANAR_H
#define CF_SOLVER_DUALPLANAR_H

#include <math.h>
#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "base/assert.h"
#include "base/likely.h"
#include "solver/conefriction.h"

// what does not change from sweep to sweep
typedef struct {
  mjtNum nn, n1, n2, t11, t12, t22;  // part of AR: normal, normal with friction, friction
  mjtNum inverse;                    // 1 / nn
  mjtNum mu1, mu2;                   // friction coefficients
  mjtNum s1, s2, s11, s12, s22;      // n1, n2, t11, t12, t22 scaled by them
  mjtNum i11, i12, i22;              // inverse of the scaled friction part
  bool is_plain;                     // that part is well conditioned
} cfPlanar;

// three forces of a contact
typedef struct {
  mjtNum n, x, y;
} cfPush;

// what ends MuJoCo's search for the multiplier
static const mjtNum planar_small = 1e-10;

static inline void cfi_beginPlanar(cfPlanar* p, const mjtNum block[9], mjtNum inverse,
                                   const mjtNum* mu) {
  CF_ASSERT(mu[0] > 0 && mu[1] > 0);
  p->nn = block[0], p->n1 = block[3], p->n2 = block[6];
  p->t11 = block[4], p->t12 = block[5], p->t22 = block[8];
  p->inverse = inverse;
  p->mu1 = mu[0], p->mu2 = mu[1];
  p->s1 = p->n1 * p->mu1, p->s2 = p->n2 * p->mu2;
  p->s11 = p->t11 * p->mu1 * p->mu1, p->s12 = p->t12 * p->mu1 * p->mu2;
  p->s22 = p->t22 * p->mu2 * p->mu2;
  const mjtNum det = p->s11 * p->s22 - p->s12 * p->s12, scale = 1 / det;
  p->is_plain = det >= planar_small;
  p->i11 = p->s22 * scale, p->i12 = -p->s12 * scale, p->i22 = p->s11 * scale;
}


// change of the normal force: along the ray of the present force, or along the normal when there is
// none; own is the image of the present friction
static inline mjtNum cfi_planarNormal(const cfPlanar* p, cfPush old, cfPush res, mjtNum own_x,
                                      mjtNum own_y) {
  if (old.n < mjMINVAL) {
    const mjtNum change = -res.n * p->inverse;
    return old.n + change < 0 ? -old.n : change;
  }
  const mjtNum cross = p->n1 * old.x + p->n2 * old.y;
  const mjtNum curvature =
      old.n * (p->nn * old.n + (cross + cross)) + (old.x * own_x + old.y * own_y);
  if (CF_SELDOM(curvature < mjMINVAL)) {
    return 0;
  }
  const mjtNum slope = old.n * res.n + (old.x * res.x + old.y * res.y);
  const mjtNum change = slope * (-old.n / curvature);
  return change < -old.n ? -old.n : change;
}


// by the general code: friction without curvature, or next to no force
static inline void cfi_planarGeneral(const cfPlanar* p, cfPush* force, mjtNum bx, mjtNum by) {
  const mjtNum A[4] = {p->t11, p->t12, p->t12, p->t22}, mu[2] = {p->mu1, p->mu2};
  const mjtNum b[2] = {bx / p->mu1, by / p->mu2};
  mjtNum x[2];
  cfi_solveFriction(x, A, b, mu, force->n, 2);
  force->x = x[0], force->y = x[1];
}


// friction that would leave the cone: Newton's method for the multiplier, see qcqp.c, with
// v = w / det and every quotient multiplied out
static inline void cfi_planarSlide(const cfPlanar* p, cfPush* force, mjtNum bx, mjtNum by) {
  const mjtNum square = force->n * force->n, cross = p->s12 * p->s12;
  mjtNum lambda = 0, wx = 0, wy = 0, ww = 0, dd = 0;
  for (int iteration = 0; iteration < 20; iteration++) {
    const mjtNum xx = p->s11 + lambda, yy = p->s22 + lambda;
    const mjtNum det = xx * yy - cross;
    wx = p->s12 * by - yy * bx;
    wy = p->s12 * bx - xx * by;
    ww = wx * wx + wy * wy;
    dd = det * det;
    const mjtNum excess = ww - square * dd;
    if (excess < planar_small * dd) {
      break;
    }
    const mjtNum fall = wx * (yy * wx - p->s12 * wy) + wy * (xx * wy - p->s12 * wx);
    const mjtNum step = (excess * det) / (fall + fall);
    if (step < planar_small) {
      break;
    }
    lambda += step;
  }
  if (CF_SELDOM(lambda == 0 || ww < mjMINVAL * dd)) {
    cfi_planarGeneral(p, force, bx, by);
    return;
  }

  // exactly onto the cone
  const mjtNum scale = force->n / sqrt(ww);
  force->x = p->mu1 * wx * scale;
  force->y = p->mu2 * wy * scale;
}


// forces of a contact after its turn, given the present ones and their residuals
static inline cfPush cfi_planarTurn(const cfPlanar* p, cfPush old, cfPush res) {
  const mjtNum own_x = p->t11 * old.x + p->t12 * old.y, own_y = p->t12 * old.x + p->t22 * old.y;
  const mjtNum change = cfi_planarNormal(p, old, res, own_x, own_y);
  cfPush force = {old.n + change, 0, 0};
  if (force.n < mjMINVAL) {
    return force;
  }

  // gradient at zero friction, scaled: the old friction is out, the normal change in
  const mjtNum bx = (res.x - own_x) * p->mu1 + p->s1 * change;
  const mjtNum by = (res.y - own_y) * p->mu2 + p->s2 * change;
  if (CF_SELDOM(!p->is_plain)) {
    cfi_planarGeneral(p, &force, bx, by);
    return force;
  }
  const mjtNum vx = -(p->i11 * bx + p->i12 * by), vy = -(p->i12 * bx + p->i22 * by);
  if (vx * vx + vy * vy - force.n * force.n < planar_small) {
    force.x = vx * p->mu1, force.y = vy * p->mu2;
  } else {
    cfi_planarSlide(p, &force, bx, by);
  }
  return force;
}

#endif  // CF_SOLVER_DUALPLANAR_H
