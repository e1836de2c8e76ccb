// A ray in the frame of a shape, and the nearest hit found so far.
#ifndef CF_RAY_LOCAL_H
#define CF_RAY_LOCAL_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "math/inline.h"

// points origin + x*dir, x >= 0; dir need not have unit length
typedef struct {
  mjtNum origin[3], dir[3];
} cfLocalRay;

// nearest hit: x < 0 means none; the normal is local and not normalized where the shape says so
typedef struct {
  mjtNum x;
  mjtNum normal[3];
} cfRayHit;

static inline cfLocalRay cfi_localRay(const mjtNum pos[3], const mjtNum mat[9], const mjtNum pnt[3],
                                      const mjtNum vec[3]) {
  cfLocalRay ray;
  mjtNum offset[3];
  cfi_sub3(offset, pnt, pos);
  cfi_mulMatTVec3(ray.origin, mat, offset);
  cfi_mulMatTVec3(ray.dir, mat, vec);
  return ray;
}


// a call for a geom of one type: no normal yet; on another geom an error and false
static inline bool cfi_isGeomOf(const mjModel* m, int geom, mjtGeom type, mjtNum normal[3],
                                const char* function, const char* what) {
  if (normal) {
    cfi_zero3(normal);
  }
  if (m->geom_type[geom] == (int)type && m->geom_dataid[geom] >= 0) {
    return true;
  }
  mju_error("%s: geom %d is not a %s", function, geom, what);
  return false;
}


static inline void cfi_rayPoint(mjtNum point[3], const cfLocalRay* ray, mjtNum x) {
  cfi_addScl3(point, ray->origin, ray->dir, x);
}


// keep a hit if it is the first or nearer; true if it was taken
static inline bool cfi_takeHit(cfRayHit* hit, mjtNum x) {
  if (x < 0 || (hit->x >= 0 && x >= hit->x)) {
    return false;
  }
  hit->x = x;
  return true;
}

// two axes that span the plane normal to a direction, for projecting triangles along the ray
typedef struct {
  mjtNum u[3], v[3];
} cfRayPlane;
cfRayPlane cfi_rayPlane(const mjtNum dir[3]);

// foot of a point on that plane, seen from the ray
static inline void cfi_castShadow(mjtNum shadow[2], const cfRayPlane* plane, const cfLocalRay* ray,
                                  const mjtNum point[3]) {
  mjtNum offset[3];
  cfi_sub3(offset, point, ray->origin);
  shadow[0] = cfi_dot3(plane->u, offset);
  shadow[1] = cfi_dot3(plane->v, offset);
}


// where the ray meets a triangle, -1 for a miss; normal (NULL allowed) has unit length
mjtNum cfi_rayTriangle(const cfLocalRay* ray, const cfRayPlane* plane, const mjtNum v0[3],
                       const mjtNum v1[3], const mjtNum v2[3], mjtNum* normal);

// nearest hit of a box around the origin; face[2*axis + (1 if positive side)] gets every face's x,
// -1 for a miss
mjtNum cfi_rayBox(const cfLocalRay* ray, const mjtNum size[3], mjtNum* face, mjtNum* normal);

// does the ray (pnt, vec) pass the sphere around pos with the given squared radius?
bool cfi_rayMeetsSphere(const mjtNum pos[3], mjtNum radius_sqr, const mjtNum pnt[3],
                        const mjtNum vec[3]);

#endif  // CF_RAY_LOCAL_H
