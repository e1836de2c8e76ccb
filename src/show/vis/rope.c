// Shape of a rope that hangs between two points.
//
// With h and v the horizontal and vertical distance of the ends and L the length, the rope is
// y = bh cosh(x / bh), where b solves 2 b sinh(1 / (2 b)) = sqrt(L^2 - v^2) / h. In terms of
// r(b) = 1 / sqrt(2 b sinh(1 / (2 b)) - 1), which is nearly linear, b = r / sqrt(24) is a good
// start and Newton's method converges in a few steps.
#include <math.h>

#include "base/assert.h"
#include "math/inline.h"
#include "math/libm.h"
#include "vis/painter.h"

static mjtNum hyperbolicCosine(mjtNum x) {
  const mjtNum up = cfi_exp(fabs(x));
  return 0.5 * up + 0.5 / up;
}


// r(b) minus its goal; slope of r, if asked for
static mjtNum residual(mjtNum b, mjtNum goal, mjtNum* slope) {
  const mjtNum a = 0.5 / b, up = cfi_exp(a), sine = 0.5 * (up - 1 / up),
               cosine = 0.5 * (up + 1 / up);
  const mjtNum inner = 2 * b * sine - 1;
  if (slope) {
    *slope = (a * cosine - sine) * cfi_pow(inner, -1.5);
  }
  return 1 / sqrt(inner) - goal;
}


// the flatness b
static mjtNum flatness(mjtNum h, mjtNum v, mjtNum length) {
  const mjtNum goal = 1 / sqrt(sqrt(length * length - v * v) / h - 1);
  mjtNum b = goal / sqrt(24);
  for (int i = 0; i < 50; i++) {
    mjtNum slope, error = residual(b, goal, &slope);
    if (fabs(error) < 1e-9) {
      break;
    }
    mjtNum step = -error / slope;
    for (int j = 0; j < 10 && !(fabs(residual(b + step, goal, NULL)) < fabs(error)); j++) {
      step *= 0.5;
    }
    b += step;
  }
  return b;
}


// the plane of the rope: unit vectors up and across, and the distances of the ends along them
typedef struct {
  mjtNum up[3], across[3], h, v;
} cfRopePlane;

static cfRopePlane ropePlane(const mjtNum from[3], const mjtNum to[3], const mjtNum gravity[3]) {
  cfRopePlane plane;
  mjtNum span[3];
  cfi_scl3(plane.up, gravity, -1);
  cfi_normalize3(plane.up);
  cfi_sub3(span, to, from);
  plane.v = cfi_dot3(span, plane.up);
  cfi_addScl3(plane.across, span, plane.up, -plane.v);
  if (cfi_normalize3(plane.across) < mjMINVAL) {
    cfi_zero3(plane.across);
  }
  plane.h = cfi_dot3(span, plane.across);
  return plane;
}


static void ropePoint(mjtNum point[3], const mjtNum from[3], const cfRopePlane* plane,
                      mjtNum across, mjtNum up) {
  cfi_addScl3(point, from, plane->across, across);
  cfi_addToScl3(point, plane->up, up);
}


int cfi_hangingRope(mjtNum* point, int max, const mjtNum from[3], const mjtNum to[3],
                    const mjtNum gravity[3], mjtNum length) {
  CF_ASSERT(max > 1);
  cfi_copy3(point, from);

  // taut
  if (cfi_dist3(from, to) > length) {
    cfi_copy3(point + 3, to);
    return 2;
  }
  const cfRopePlane plane = ropePlane(from, to, gravity);
  const mjtNum h = plane.h, v = plane.v;

  // nearly vertical: two straight parts with the lowest point between them
  if (length > 100 * h) {
    const mjtNum drop = -0.5 * (sqrt(length * length - h * h) - v);
    ropePoint(point + 3, from, &plane, h * drop / (2 * drop - v), drop);
    cfi_copy3(point + 6, to);
    return 3;
  }

  const mjtNum width = flatness(h, v, length) * h;
  const mjtNum lowest = -0.5 * (cfi_log((length + v) / (length - v)) * width - h);
  const mjtNum base = hyperbolicCosine(lowest / width) * width;
  for (int i = 1; i < max - 1; i++) {
    const mjtNum across = i * h / max;
    ropePoint(point + 3 * i, from, &plane, across,
              width * hyperbolicCosine((across - lowest) / width) - base);
  }
  cfi_copy3(point + 3 * (max - 1), to);
  return max;
}
