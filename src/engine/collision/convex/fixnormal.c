// Normals of smooth geoms at a contact point, in place of the ones that MPR found.
#include <math.h>

#include <mujoco/mujoco.h>

#include "collision/convex/mpr.h"
#include "math/inline.h"

enum { ITERATIONS_MAX = 30 };
static const mjtNum normal_tolerance = 1e-6;


// point inside: shoot along the normal, take the normal where the ray leaves, repeat
static bool normalFromInside(mjtNum normal[3], const mjtNum p[3], const mjtNum size[3]) {
  mjtNum weight[3], C = -1;
  for (int k = 0; k < 3; k++) {
    weight[k] = 1 / (size[k] * size[k]);
    C += p[k] * p[k] * weight[k];
  }
  if (C > 0) {
    return false;
  }
  cfi_normalize3(normal);
  for (int i = 0; i < ITERATIONS_MAX; i++) {
    mjtNum A = 0, B = 0, next[3];
    for (int k = 0; k < 3; k++) {
      A += normal[k] * normal[k] * weight[k];
      B += p[k] * normal[k] * weight[k];
    }
    const mjtNum discriminant = B * B - A * C;
    const mjtNum x = (-B + sqrt(cfi_max(0, discriminant))) / A;
    if (discriminant < mjMINVAL || A < mjMINVAL || x < 0) {
      return i > 0;
    }
    for (int k = 0; k < 3; k++) {
      next[k] = (p[k] + x * normal[k]) * weight[k];
    }
    cfi_normalize3(next);
    const mjtNum change = cfi_dist3(normal, next);
    cfi_copy3(normal, next);
    if (change < normal_tolerance) {
      break;
    }
  }
  return true;
}


// point outside: Newton on the multiplier of the nearest-point problem
static bool normalFromOutside(mjtNum normal[3], const mjtNum p[3], const mjtNum size[3]) {
  mjtNum multiplier = 0;
  for (int i = 0; i < ITERATIONS_MAX; i++) {
    mjtNum value = -1, slope = 0;
    for (int k = 0; k < 3; k++) {
      const mjtNum r = 1 / (size[k] * size[k] + multiplier),
                   weight = p[k] * p[k] * (size[k] * size[k]);
      value += weight * r * r;
      slope -= 2 * weight * r * r * r;
    }
    const mjtNum step = -value / slope;
    if (value < normal_tolerance || slope > -mjMINVAL || step < normal_tolerance) {
      break;
    }
    multiplier += step;
  }
  for (int k = 0; k < 3; k++) {
    normal[k] = p[k] / (size[k] * size[k] + multiplier);
  }
  return true;
}


static bool ellipsoidNormal(mjtNum normal[3], const mjtNum p[3], const mjtNum size[3]) {
  if (size[0] < mjMINVAL || size[1] < mjMINVAL || size[2] < mjMINVAL) {
    return false;
  }
  mjtNum square = 0;
  for (int k = 0; k < 3; k++) {
    square += p[k] * p[k] / (size[k] * size[k]);
  }
  return square <= 1 ? normalFromInside(normal, p, size) : normalFromOutside(normal, p, size);
}


// only well away from the flat ends
static bool cylinderNormal(mjtNum normal[3], const mjtNum p[3], const mjtNum size[3]) {
  const mjtNum to_end = fabs(size[1] - fabs(p[2])),
               to_side = fabs(size[0] - sqrt(p[0] * p[0] + p[1] * p[1]));
  if (fabs(p[2]) > 0.95 * size[1] || to_end < 0.25 * to_side) {
    return false;
  }
  cfi_set3(normal, p[0], p[1], 0);
  return true;
}


// normal of a geom at a point, both in its frame; false if the geom does not say
static bool smoothNormal(mjtNum normal[3], const mjtNum p[3], const mjtNum size[3], int type) {
  switch (type) {
    case mjGEOM_SPHERE:
      cfi_copy3(normal, p);
      return true;
    case mjGEOM_CAPSULE:
      cfi_set3(normal, p[0], p[1], p[2] - cfi_clip(p[2], -size[1], size[1]));
      return true;
    case mjGEOM_ELLIPSOID:
      return ellipsoidNormal(normal, p, size);
    case mjGEOM_CYLINDER:
      return cylinderNormal(normal, p, size);
    default:
      return false;
  }
}


// outward normal of one shape at the contact, starting from a guess
static bool shapeNormal(const cfConvex* s, const mjtNum point[3], mjtNum normal[3]) {
  mjtNum offset[3], p[3], local[3];
  cfi_sub3(offset, point, s->pos);
  cfi_mulMatTVec3(p, s->mat, offset);
  cfi_mulMatTVec3(local, s->mat, normal);
  if (!smoothNormal(local, p, s->size, s->type)) {
    return false;
  }
  cfi_normalize3(local);
  cfi_mulMatVec3(normal, s->mat, local);
  return true;
}


void cfi_fixNormal(mjContact* con, const cfConvex* a, const cfConvex* b) {
  mjtNum first[3], second[3];
  cfi_copy3(first, con->frame);
  cfi_scl3(second, con->frame, -1);
  const bool has_first = shapeNormal(a, con->pos, first);
  const bool has_second = shapeNormal(b, con->pos, second);
  if (has_first && has_second) {
    cfi_sub3(con->frame, first, second);
    cfi_normalize3(con->frame);
  } else if (has_first) {
    cfi_copy3(con->frame, first);
  } else if (has_second) {
    cfi_scl3(con->frame, second, -1);
  }
  if (has_first || has_second) {
    cfi_zero3(con->frame + 3);
  }
}
