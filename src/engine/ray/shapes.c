// Rays against primitive shapes, in the frame of the shape.
#include <float.h>
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "ray/local.h"

// roots of a*x^2 + 2*b*x + c, smaller first; both -1 where there is none
typedef struct {
  mjtNum near, far;
} rootPair;


static rootPair solveQuadratic(mjtNum a, mjtNum b, mjtNum c) {
  const mjtNum discriminant = b * b - a * c;
  if (discriminant < 0 || a < mjMINVAL) {
    return (rootPair){-1, -1};
  }
  const mjtNum root = sqrt(discriminant);
  return (rootPair){(-b - root) / a, (-b + root) / a};
}


static mjtNum firstNonNegative(rootPair r) {
  return r.near >= 0 ? r.near : (r.far >= 0 ? r.far : -1);
}


// a*x^2 + 2*b*x + c is the squared distance of the ray's point x from a center on the z axis, less
// a squared radius; with only the first n coordinates
typedef struct {
  mjtNum a, b, c;
} ballQuadratic;

static ballQuadratic ballAlong(const cfLocalRay* ray, mjtNum height, mjtNum radius_sqr, int n) {
  CF_ASSERT(n == 2 || n == 3);
  mjtNum p[3], a = 0, b = 0, c = 0;
  cfi_set3(p, ray->origin[0], ray->origin[1], ray->origin[2] - height);
  for (int k = 0; k < n; k++) {
    a += ray->dir[k] * ray->dir[k];
    b += ray->dir[k] * p[k];
    c += p[k] * p[k];
  }
  return (ballQuadratic){a, b, c - radius_sqr};
}


static rootPair meetBall(const cfLocalRay* ray, mjtNum height, mjtNum radius_sqr, int n) {
  const ballQuadratic q = ballAlong(ray, height, radius_sqr, n);
  return solveQuadratic(q.a, q.b, q.c);
}


// where the center is ahead, the sign of the discriminant tells without its root
bool cfi_rayMeetsSphere(const mjtNum pos[3], mjtNum radius_sqr, const mjtNum pnt[3],
                        const mjtNum vec[3]) {
  cfLocalRay ray;
  cfi_sub3(ray.origin, pnt, pos);
  cfi_copy3(ray.dir, vec);
  const ballQuadratic q = ballAlong(&ray, 0, radius_sqr, 3);
  const mjtNum discriminant = q.b * q.b - q.a * q.c;
  if (q.b <= 0 && q.a >= mjMINVAL && fabs(discriminant) <= DBL_MAX) {
    return discriminant >= 0;
  }
  return firstNonNegative(solveQuadratic(q.a, q.b, q.c)) >= 0;
}


// only the front face counts, inside the drawn rectangle
static mjtNum rayPlane(const cfLocalRay* ray, const mjtNum size[3], mjtNum* normal) {
  if (ray->dir[2] > -mjMINVAL) {
    return -1;
  }
  const mjtNum x = -ray->origin[2] / ray->dir[2];
  mjtNum p[3];
  cfi_rayPoint(p, ray, x);
  const bool is_inside =
      (size[0] <= 0 || fabs(p[0]) <= size[0]) && (size[1] <= 0 || fabs(p[1]) <= size[1]);
  if (x < 0 || !is_inside) {
    return -1;
  }
  if (normal) {
    cfi_set3(normal, 0, 0, 1);
  }
  return x;
}


static mjtNum raySphere(const cfLocalRay* ray, const mjtNum size[3], mjtNum* normal) {
  const mjtNum x = firstNonNegative(meetBall(ray, 0, size[0] * size[0], 3));
  if (normal) {
    cfi_rayPoint(normal, ray, x);
    cfi_normalize3(normal);
  }
  return x;
}


static mjtNum rayEllipsoid(const cfLocalRay* ray, const mjtNum size[3], mjtNum* normal) {
  mjtNum a = 0, b = 0, c = 0, p[3];
  for (int k = 0; k < 3; k++) {
    const mjtNum weight = 1 / (size[k] * size[k]);
    a += weight * ray->dir[k] * ray->dir[k];
    b += weight * ray->dir[k] * ray->origin[k];
    c += weight * ray->origin[k] * ray->origin[k];
  }
  const mjtNum x = firstNonNegative(solveQuadratic(a, b, c - 1));
  if (normal) {
    cfi_rayPoint(p, ray, x);
    cfi_set3(normal, p[0] / (size[0] * size[0]), p[1] / (size[1] * size[1]),
             p[2] / (size[2] * size[2]));
    cfi_normalize3(normal);
  }
  return x;
}


// hit of the round side between the flat ends
static mjtNum meetSide(const cfLocalRay* ray, const mjtNum size[3]) {
  const mjtNum x = firstNonNegative(meetBall(ray, 0, size[0] * size[0], 2));
  return x >= 0 && fabs(ray->origin[2] + x * ray->dir[2]) <= size[1] ? x : -1;
}


// which part was hit: the side, the upper (1) or the lower (-1) end
typedef struct {
  cfRayHit hit;
  int end;
} endedHit;


static void takeCap(endedHit* best, const cfLocalRay* ray, const mjtNum size[3], int end) {
  CF_ASSERT(end == 1 || end == -1);
  const rootPair r = meetBall(ray, end * size[1], size[0] * size[0], 3);
  const mjtNum roots[2] = {r.near, r.far};
  for (int k = 0; k < 2; k++) {
    const bool is_on_half = end * (ray->origin[2] + roots[k] * ray->dir[2]) >= size[1];
    if (is_on_half && cfi_takeHit(&best->hit, roots[k])) {
      best->end = end;
    }
  }
}


static void takeDisc(endedHit* best, const cfLocalRay* ray, const mjtNum size[3], int end) {
  CF_ASSERT(end == 1 || end == -1);
  const mjtNum x = (end * size[1] - ray->origin[2]) / ray->dir[2];
  mjtNum p[3];
  cfi_rayPoint(p, ray, x);
  if (p[0] * p[0] + p[1] * p[1] <= size[0] * size[0] && cfi_takeHit(&best->hit, x)) {
    best->end = end;
  }
}


static mjtNum rayCapsule(const cfLocalRay* ray, const mjtNum size[3], mjtNum* normal) {
  endedHit best = {.hit = {.x = meetSide(ray, size)}};
  takeCap(&best, ray, size, 1);
  takeCap(&best, ray, size, -1);
  if (normal) {
    cfi_rayPoint(normal, ray, best.hit.x);
    normal[2] = best.end ? normal[2] - best.end * size[1] : 0;
    cfi_normalize3(normal);
  }
  return best.hit.x;
}


static mjtNum rayCylinder(const cfLocalRay* ray, const mjtNum size[3], mjtNum* normal) {
  endedHit best = {.hit = {.x = -1}};
  if (fabs(ray->dir[2]) > mjMINVAL) {
    takeDisc(&best, ray, size, -1);
    takeDisc(&best, ray, size, 1);
  }
  if (cfi_takeHit(&best.hit, meetSide(ray, size))) {
    best.end = 0;
  }
  if (normal) {
    cfi_rayPoint(normal, ray, best.hit.x);
    normal[2] = 0;
    cfi_normalize3(normal);
    if (best.end) {
      cfi_set3(normal, 0, 0, best.end);
    }
  }
  return best.hit.x;
}


mjtNum cfi_rayBox(const cfLocalRay* ray, const mjtNum size[3], mjtNum* face, mjtNum* normal) {
  cfRayHit best = {.x = -1};
  for (int k = 0; k < 6; k++) {
    const int axis = k / 2, sign = k % 2 ? 1 : -1, i = (axis + 1) % 3, j = (axis + 2) % 3;
    mjtNum x = -1, p[3];
    if (fabs(ray->dir[axis]) > mjMINVAL) {
      x = (sign * size[axis] - ray->origin[axis]) / ray->dir[axis];
      cfi_rayPoint(p, ray, x);
      x = x >= 0 && fabs(p[i]) <= size[i] && fabs(p[j]) <= size[j] ? x : -1;
    }
    if (face) {
      face[k] = x;
    }
    if (cfi_takeHit(&best, x) && normal) {
      cfi_zero3(normal);
      normal[axis] = sign;
    }
  }
  return best.x;
}


static mjtNum rayBoxGeom(const cfLocalRay* ray, const mjtNum size[3], mjtNum* normal) {
  return cfi_rayBox(ray, size, NULL, normal);
}


typedef mjtNum (*shapeRay)(const cfLocalRay* ray, const mjtNum size[3], mjtNum* normal);
static const shapeRay ray_of[] = {
    [mjGEOM_PLANE] = rayPlane,       [mjGEOM_SPHERE] = raySphere,
    [mjGEOM_CAPSULE] = rayCapsule,   [mjGEOM_ELLIPSOID] = rayEllipsoid,
    [mjGEOM_CYLINDER] = rayCylinder, [mjGEOM_BOX] = rayBoxGeom};


// squared radius of a ball around the shape, 0 where no such test is made
static mjtNum boundingRadiusSqr(const mjtNum size[3], int type) {
  switch (type) {
    case mjGEOM_CAPSULE:
      return cfi_square(size[0] + size[1]);
    case mjGEOM_CYLINDER:
      return size[0] * size[0] + size[1] * size[1];
    case mjGEOM_BOX:
      return cfi_dot3(size, size);
    default:
      return 0;
  }
}


mjtNum mju_rayGeom(const mjtNum pos[3], const mjtNum mat[9], const mjtNum size[3],
                   const mjtNum pnt[3], const mjtNum vec[3], int geomtype, mjtNum normal[3]) {
  static const mjtNum identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (geomtype < 0 || geomtype > mjGEOM_BOX || !ray_of[geomtype]) {
    mju_error("mju_rayGeom: geom type %d is not a primitive shape", geomtype);
    return -1;
  }
  if (normal) {
    cfi_zero3(normal);
  }
  const mjtNum bound = boundingRadiusSqr(size, geomtype);
  if (bound > 0 && !cfi_rayMeetsSphere(pos, bound, pnt, vec)) {
    return -1;
  }

  // spheres need no orientation, and callers may leave it out
  const mjtNum* axes = geomtype == mjGEOM_SPHERE ? identity : mat;
  const cfLocalRay ray = cfi_localRay(pos, axes, pnt, vec);
  mjtNum local[3];
  const mjtNum x = ray_of[geomtype](&ray, size, normal ? local : NULL);
  if (normal && x >= 0) {
    cfi_mulMatVec3(normal, axes, local);
  }
  return x;
}
