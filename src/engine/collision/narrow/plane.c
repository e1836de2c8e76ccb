// A plane (infinite half space, outward normal = its z axis) against sphere, capsule, cylinder and
// box.
#include "collision/collider.h"

#include <math.h>
#include <stdbool.h>

#include "math/inline.h"

// height of a point above the plane
static mjtNum heightAbove(cfGeomView plane, const mjtNum normal[3], const mjtNum point[3]) {
  mjtNum offset[3];
  cfi_sub3(offset, point, plane.pos);
  return cfi_dot3(offset, normal);
}


// contact at signed height, depth below a point of the shape; no tangent hint
static void touchBelow(mjContact* con, const mjtNum normal[3], const mjtNum point[3], mjtNum height,
                       mjtNum depth) {
  con->dist = height;
  cfi_addScl3(con->pos, point, normal, -depth);
  cfi_copy3(con->frame, normal);
  cfi_zero3(con->frame + 3);
}


// contact of a surface point: midway between it and the plane
static void touchPlane(mjContact* con, const mjtNum normal[3], const mjtNum point[3],
                       mjtNum height) {
  touchBelow(con, normal, point, height, 0.5 * height);
}


// one ball against a plane; false when farther apart than margin
static bool planeBall(mjContact* con, cfGeomView plane, const mjtNum center[3], mjtNum radius,
                      mjtNum margin) {
  mjtNum normal[3];
  cfi_column3(normal, plane.mat, 2);
  const mjtNum height = heightAbove(plane, normal, center);
  if (height > margin + radius) {
    return false;
  }
  const mjtNum dist = height - radius;
  touchBelow(con, normal, center, dist, dist / 2 + radius);
  return true;
}


int cfi_planeSphere(mjContact con[1], cfGeomView plane, cfGeomView sphere, mjtNum margin) {
  return planeBall(con, plane, sphere.pos, sphere.size[0], margin);
}


// one contact per end cap, the end along the positive axis first
int cfi_planeCapsule(mjContact con[CF_MAXCON_PLANECAPSULE], cfGeomView plane, cfGeomView capsule,
                     mjtNum margin) {
  mjtNum axis[3];
  cfi_column3(axis, capsule.mat, 2);
  int n = 0;

  for (int side = 1; side >= -1; side -= 2) {
    mjtNum center[3];
    cfi_addScl3(center, capsule.pos, axis, side * capsule.size[1]);

    // tangent along the capsule: the friction pyramid keeps its direction from step to step
    if (planeBall(con + n, plane, center, capsule.size[0], margin)) {
      cfi_copy3(con[n++].frame + 3, axis);
    }
  }
  return n;
}


// a cylinder over a plane: vectors from its center to the lower disk and to that disk's lowest rim
// point
typedef struct {
  mjtNum normal[3], down[3], rim[3];
  mjtNum height;       // of the center above the plane
  mjtNum down_height;  // change of height along down: not positive
  mjtNum rim_height;   // change of height along rim: not positive
} cylinderPose;


// rim direction: the part of -normal orthogonal to the axis, or the x axis when the disk lies flat
static cylinderPose poseCylinder(cfGeomView plane, cfGeomView cylinder) {
  cylinderPose p;
  cfi_column3(p.normal, plane.mat, 2);
  cfi_column3(p.down, cylinder.mat, 2);
  p.height = heightAbove(plane, p.normal, cylinder.pos);

  // axis towards the plane
  mjtNum slope = cfi_dot3(p.normal, p.down);
  if (slope > 0) {
    cfi_scl3(p.down, p.down, -1);
    slope = -slope;
  }

  cfi_scl3(p.rim, p.down, slope);
  cfi_subFrom3(p.rim, p.normal);
  const mjtNum square = cfi_dot3(p.rim, p.rim), radius = cylinder.size[0];
  if (square < mjMINVAL * mjMINVAL) {
    cfi_column3(p.rim, cylinder.mat, 0);
    cfi_scl3(p.rim, p.rim, radius);
  } else {
    cfi_scl3(p.rim, p.rim, radius / sqrt(square));
  }

  p.rim_height = cfi_dot3(p.rim, p.normal);
  p.down_height = slope * cylinder.size[1];
  cfi_scl3(p.down, p.down, cylinder.size[1]);
  return p;
}


// lowest rim point of both disks, then the two points that make an equilateral triangle on the
// lower one
int cfi_planeCylinder(mjContact con[CF_MAXCON_PLANECYLINDER], cfGeomView plane, cfGeomView cylinder,
                      mjtNum margin) {
  const cylinderPose p = poseCylinder(plane, cylinder);
  mjtNum point[3];
  int n = 0;

  // when the lowest point is out of reach, so is everything
  for (int side = 1; side >= -1; side -= 2) {
    const mjtNum height = p.height + side * p.down_height + p.rim_height;
    if (height <= margin) {
      cfi_add3(point, cylinder.pos, p.rim);
      cfi_addToScl3(point, p.down, side);
      touchPlane(con + n++, p.normal, point, height);
    } else if (side == 1) {
      return 0;
    }
  }

  const mjtNum height = p.height + p.down_height - 0.5 * p.rim_height;
  if (height <= margin) {
    mjtNum sideways[3];
    cfi_cross(sideways, p.rim, p.down);
    cfi_normalize3(sideways);
    for (int side = 1; side >= -1; side -= 2) {
      cfi_addScl3(point, cylinder.pos, sideways, side * cylinder.size[0] * sqrt(3.0) / 2);
      cfi_addTo3(point, p.down);
      cfi_addToScl3(point, p.rim, -0.5);
      touchPlane(con + n++, p.normal, point, height);
    }
  }
  return n;
}


// corners below the center and within reach, in binary order (x fastest), four at most
int cfi_planeBox(mjContact con[CF_MAXCON_PLANEBOX], cfGeomView plane, cfGeomView box,
                 mjtNum margin) {
  mjtNum normal[3];
  cfi_column3(normal, plane.mat, 2);
  const mjtNum center = heightAbove(plane, normal, box.pos);
  int n = 0;

  for (int k = 0; k < 8 && n < CF_MAXCON_PLANEBOX; k++) {
    const mjtNum local[3] = {k & 1 ? box.size[0] : -box.size[0], k & 2 ? box.size[1] : -box.size[1],
                             k & 4 ? box.size[2] : -box.size[2]};
    mjtNum corner[3];
    cfi_mulMatVec3(corner, box.mat, local);
    const mjtNum below = cfi_dot3(normal, corner);
    if (below <= 0 && center + below <= margin) {
      cfi_addTo3(corner, box.pos);
      touchPlane(con + n++, normal, corner, center + below);
    }
  }
  return n;
}


CF_TABLE_ENTRY(cfi_collidePlaneSphere, cfi_planeSphere)
CF_TABLE_ENTRY(cfi_collidePlaneCapsule, cfi_planeCapsule)
CF_TABLE_ENTRY(cfi_collidePlaneCylinder, cfi_planeCylinder)
CF_TABLE_ENTRY(cfi_collidePlaneBox, cfi_planeBox)
