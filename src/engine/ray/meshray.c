// Rays against meshes (by their bounding volume tree), skins and signed distance fields.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/sdf/distance.h"
#include "math/simd/lane3.h"
#include "math/simd/lanetest.h"
#include "model/extension.h"
#include "ray/local.h"
#include "ray/objects.h"


static void loadVertex(mjtNum res[3], const float* vert, int id) {
  const float* v = vert + 3 * (size_t)id;
  cfi_set3(res, v[0], v[1], v[2]);
}


static mjtNum rayFace(const cfLocalRay* ray, const cfRayPlane* plane, const float* vert,
                      const int face[3], mjtNum* normal) {
  mjtNum v[3][3];
  for (int k = 0; k < 3; k++) {
    loadVertex(v[k], vert, face[k]);
  }
  return cfi_rayTriangle(ray, plane, v[0], v[1], v[2], normal);
}


// a ray for the boxes of a tree: origin and inverse of each component of its direction
typedef struct {
  cfLane origin, inverse;
} slabRay;

static slabRay slabRayOf(const cfLocalRay* ray) {
  const mjtNum *p = ray->origin, *v = ray->dir;
  return (slabRay){cfi_laneSet(p[0], p[1], p[2], 0),
                   cfi_laneDiv(cfi_laneSpread(1), cfi_laneSet(v[0], v[1], v[2], 1))};
}


// does the ray pass an axis-aligned box given as center and half sizes?  One axis per lane; where a
// number is none, the later of two counts
static inline bool meetsSlab(const slabRay* ray, const mjtNum aabb[6]) {
  const cfLane center = cfi_laneLoad(aabb), half = cfi_laneLoadLast3(aabb + 3);
  const cfLane a = cfi_laneMul(cfi_laneSub(cfi_laneSub(center, half), ray->origin), ray->inverse),
               b = cfi_laneMul(cfi_laneSub(cfi_laneAdd(center, half), ray->origin), ray->inverse);
  const cfLane low = cfi_laneMin(a, b), high = cfi_laneMax(b, a);
  mjtNum enter = 0, leave = INFINITY;
  for (int k = 0; k < 3; k++) {
    const mjtNum x = cfi_laneAt(low, k), y = cfi_laneAt(high, k);
    enter = enter > x ? enter : x;
    leave = leave < y ? leave : y;
  }
  return enter < leave;
}


// walk the tree depth first; nodes that were touched are marked for drawing if the model asks for
// it
static cfRayHit walkMeshTree(const mjModel* m, const mjData* d, int mesh, const cfLocalRay* ray,
                             bool wants_normal) {
  CF_ASSERT_INDEX(mesh, m->nmesh);
  const int adr = m->mesh_bvhadr[mesh];
  const int* face_of = m->bvh_nodeid + adr;
  const int* child = m->bvh_child + 2 * adr;
  const float* vert = m->mesh_vert + 3 * (size_t)m->mesh_vertadr[mesh];
  const cfRayPlane plane = cfi_rayPlane(ray->dir);
  const slabRay slab = slabRayOf(ray);
  const bool marks = m->vis.global.bvactive;
  cfRayHit best = {.x = -1};
  int stack[mjMAXTREEDEPTH + 1], depth = 0;
  if (marks) {
    cfi_noteMarks(cfi_dataExtension(d), adr + m->mesh_bvhnum[mesh]);
  }

  stack[depth++] = 0;
  while (depth) {
    const int node = stack[--depth];
    if (!meetsSlab(&slab, m->bvh_aabb + 6 * (adr + node))) {
      continue;
    }
    bool is_used = face_of[node] < 0;
    if (!is_used) {
      mjtNum normal[3];
      const int* face = m->mesh_face + 3 * (face_of[node] + m->mesh_faceadr[mesh]);
      is_used = cfi_takeHit(&best, rayFace(ray, &plane, vert, face, wants_normal ? normal : NULL));
      if (is_used && wants_normal) {
        cfi_copy3(best.normal, normal);
      }
    } else {
      for (int k = 0; k < 2; k++) {
        if (child[2 * node + k] < 0) {
          continue;
        }
        if (depth >= mjMAXTREEDEPTH) {
          mju_error("mj_rayMesh: the tree of mesh %d is deeper than %d", mesh, mjMAXTREEDEPTH);
          return best;
        }
        stack[depth++] = child[2 * node + k];
      }
    }
    if (marks && is_used) {
      d->bvh_active[adr + node] = 1;
    }
  }
  return best;
}


// does the ray pass the geom's box?  geom_size of meshes and fields holds its half sizes
static bool meetsGeomBox(const mjModel* m, const mjData* d, int geom, const mjtNum pnt[3],
                         const mjtNum vec[3]) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  return mju_rayGeom(d->geom_xpos + 3 * geom, d->geom_xmat + 9 * geom, m->geom_size + 3 * geom, pnt,
                     vec, mjGEOM_BOX, NULL) >= 0;
}


mjtNum mj_rayMesh(const mjModel* m, const mjData* d, int geomid, const mjtNum pnt[3],
                  const mjtNum vec[3], mjtNum normal[3]) {
  if (!cfi_isGeomOf(m, geomid, mjGEOM_MESH, normal, "mj_rayMesh", "mesh")) {
    return -1;
  }
  if (!meetsGeomBox(m, d, geomid, pnt, vec)) {
    return -1;
  }
  const mjtNum* axes = d->geom_xmat + 9 * geomid;
  const cfLocalRay ray = cfi_localRay(d->geom_xpos + 3 * geomid, axes, pnt, vec);
  const cfRayHit hit = walkMeshTree(m, d, m->geom_dataid[geomid], &ray, normal != NULL);
  if (normal && hit.x >= 0) {
    cfi_mulMatVec3(normal, axes, hit.normal);
  }
  return hit.x;
}


// sphere tracing: the distance to the surface is a safe step
mjtNum cfi_raySdf(const mjModel* m, const mjData* d, int geom, const mjtNum pnt[3],
                  const mjtNum vec[3], mjtNum* normal) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  enum { STEPS_MAX = 40 };
  const mjtNum close_enough = 1e-7, lost = 1e6;
  if (normal) {
    cfi_zero3(normal);
  }
  if (!meetsGeomBox(m, d, geom, pnt, vec)) {
    return -1;
  }
  const mjtNum* axes = d->geom_xmat + 9 * geom;
  cfLocalRay ray = cfi_localRay(d->geom_xpos + 3 * geom, axes, pnt, vec);
  cfi_normalize3(ray.dir);
  mjtNum x = 0, step = 0;
  for (int k = 0; k < STEPS_MAX && step <= lost; k++) {
    mjtNum point[3];
    cfi_rayPoint(point, &ray, x);
    step = fabs(cfi_geomSignedDistance(m, d, geom, point));
    x += step;
    if (step < close_enough) {
      if (normal) {
        cfi_rayPoint(point, &ray, x);
        cfi_geomDistanceGradient(m, d, geom, point, normal);
        cfi_normalize3(normal);
        cfi_mulMatVec3(normal, axes, normal);
      }
      return x;
    }
  }
  return -1;
}


// ---------------------------------------- skins

// corner of the face nearest to a point, the first of equals
static int nearestCorner(const float* vert, const int face[3], const mjtNum point[3]) {
  int nearest = 0;
  mjtNum least = 0;
  for (int k = 0; k < 3; k++) {
    mjtNum v[3];
    loadVertex(v, vert, face[k]);
    const mjtNum dist = cfi_dist3(point, v);
    if (!k || dist < least) {
      least = dist;
      nearest = k;
    }
  }
  return face[nearest];
}


static bool meetsVertexBox(int nvert, const float* vert, const mjtNum pnt[3], const mjtNum vec[3]) {
  CF_ASSERT(nvert >= 0);
  static const mjtNum identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  mjtNum low[3] = {0}, high[3] = {0}, pos[3], size[3];
  for (int i = 0; i < 3 * nvert; i++) {
    const int k = i % 3;
    low[k] = i < 3 || vert[i] < low[k] ? vert[i] : low[k];
    high[k] = i < 3 || vert[i] > high[k] ? vert[i] : high[k];
  }
  for (int k = 0; k < 3; k++) {
    pos[k] = 0.5 * (low[k] + high[k]);
    size[k] = 0.5 * (high[k] - low[k]);
  }
  return mju_rayGeom(pos, identity, size, pnt, vec, mjGEOM_BOX, NULL) >= 0;
}


mjtNum mju_raySkin(int nface, int nvert, const int* face, const float* vert, const mjtNum pnt[3],
                   const mjtNum vec[3], int vertid[1]) {
  if (!meetsVertexBox(nvert, vert, pnt, vec)) {
    return -1;
  }
  cfLocalRay ray;
  cfi_copy3(ray.origin, pnt);
  cfi_copy3(ray.dir, vec);
  const cfRayPlane plane = cfi_rayPlane(vec);
  cfRayHit best = {.x = -1};
  for (int i = 0; i < nface; i++) {
    if (cfi_takeHit(&best, rayFace(&ray, &plane, vert, face + 3 * i, NULL)) && vertid) {
      mjtNum point[3];
      cfi_rayPoint(point, &ray, best.x);
      *vertid = nearestCorner(vert, face + 3 * i, point);
    }
  }
  return best.x;
}
