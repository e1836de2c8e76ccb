// Rays against flexes: spheres at vertices, capsules along edges, triangles of elements.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "ray/local.h"

// a flex under a ray, and the nearest hit with the vertex next to it
typedef struct {
  const mjModel* m;
  int flex;
  const mjtNum* xpos;  // vertices of the flex
  const mjtNum *pnt, *vec;
  bool wants_normal;
  cfRayHit hit;
  int vertex;
} flexRay;


// does the ray meet the box around all vertices, grown by the radius
static bool meetsFlexBox(const flexRay* r) {
  static const mjtNum unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int n = r->m->flex_vertnum[r->flex];
  mjtNum center[3], half[3];
  for (int k = 0; k < 3; k++) {
    mjtNum low = r->xpos[k], high = low;
    for (int v = 1; v < n; v++) {
      low = cfi_min(low, r->xpos[3 * v + k]);
      high = cfi_max(high, r->xpos[3 * v + k]);
    }
    low -= r->m->flex_radius[r->flex];
    high += r->m->flex_radius[r->flex];
    center[k] = 0.5 * (low + high);
    half[k] = 0.5 * (high - low);
  }
  const cfLocalRay ray = cfi_localRay(center, unit, r->pnt, r->vec);
  return cfi_rayBox(&ray, half, NULL, NULL) >= 0;
}


// keep a hit with the nearest of n vertices, the first of equals
static void takeFlexHit(flexRay* r, mjtNum x, const mjtNum normal[3], const int* vertex, int n) {
  if (!cfi_takeHit(&r->hit, x)) {
    return;
  }
  mjtNum point[3], nearest = INFINITY;
  cfi_copy3(r->hit.normal, normal);
  cfi_addScl3(point, r->pnt, r->vec, x);
  for (int k = 0; k < n; k++) {
    const mjtNum distance = cfi_dist3(r->xpos + 3 * vertex[k], point);
    if (distance < nearest) {
      nearest = distance;
      r->vertex = vertex[k];
    }
  }
}


static void meetEdges(flexRay* r) {
  const mjModel* m = r->m;
  const int start = m->flex_edgeadr[r->flex], end = start + m->flex_edgenum[r->flex];
  for (int e = start; e < end; e++) {
    // of two ends equally near the second counts
    const int ends[2] = {m->flex_edge[2 * e + 1], m->flex_edge[2 * e]};
    const mjtNum *from = r->xpos + 3 * ends[1], *to = r->xpos + 3 * ends[0];
    mjtNum axis[3], middle[3], quat[4], mat[9], normal[3] = {0, 0, 0};
    cfi_sub3(axis, to, from);
    cfi_add3(middle, from, to);
    cfi_scl3(middle, middle, 0.5);
    const mjtNum half_length = 0.5 * cfi_normalize3(axis);
    const mjtNum size[3] = {m->flex_radius[r->flex], half_length, 0};
    mju_quatZ2Vec(quat, axis);
    cfi_quat2Mat(mat, quat);
    const mjtNum x = mju_rayGeom(middle, mat, size, r->pnt, r->vec, mjGEOM_CAPSULE,
                                 r->wants_normal ? normal : NULL);
    takeFlexHit(r, x, normal, ends, 2);
  }
}


static void meetVertices(flexRay* r) {
  static const mjtNum unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const mjtNum size[3] = {r->m->flex_radius[r->flex], 0, 0};
  for (int v = 0; v < r->m->flex_vertnum[r->flex]; v++) {
    mjtNum normal[3] = {0, 0, 0};
    const mjtNum x = mju_rayGeom(r->xpos + 3 * v, unit, size, r->pnt, r->vec, mjGEOM_SPHERE,
                                 r->wants_normal ? normal : NULL);
    takeFlexHit(r, x, normal, &v, 1);
  }
}


// a triangle, or the four faces of a tetrahedron
static void meetElement(flexRay* r, const cfLocalRay* ray, const cfRayPlane* plane,
                        const int* corner, int dim) {
  static const int side[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
  for (int k = 0; k < (dim == 2 ? 1 : 4); k++) {
    const int vertex[3] = {corner[side[k][0]], corner[side[k][1]], corner[side[k][2]]};
    mjtNum normal[3] = {0, 0, 0};
    const mjtNum x = cfi_rayTriangle(ray, plane, r->xpos + 3 * vertex[0], r->xpos + 3 * vertex[1],
                                     r->xpos + 3 * vertex[2], r->wants_normal ? normal : NULL);
    takeFlexHit(r, x, normal, vertex, 3);
  }
}


// all triangles, or the tetrahedra of one layer
static void meetFaces(flexRay* r, int layer) {
  const mjModel* m = r->m;
  const int dim = m->flex_dim[r->flex];
  const int* corner = m->flex_elem + m->flex_elemdataadr[r->flex];
  const cfRayPlane plane = cfi_rayPlane(r->vec);
  cfLocalRay ray;
  cfi_copy3(ray.origin, r->pnt);
  cfi_copy3(ray.dir, r->vec);
  for (int e = 0; e < m->flex_elemnum[r->flex]; e++) {
    if (dim == 2 || m->flex_elemlayer[m->flex_elemadr[r->flex] + e] == layer) {
      meetElement(r, &ray, &plane, corner + e * (dim + 1), dim);
    }
  }
}


mjtNum mj_rayFlex(const mjModel* m, const mjData* d, int flex_layer, mjtByte flg_vert,
                  mjtByte flg_edge, mjtByte flg_face, mjtByte flg_skin, int flexid,
                  const mjtNum pnt[3], const mjtNum vec[3], int vertid[1], mjtNum normal[3]) {
  CF_ASSERT(0 <= flexid && flexid < m->nflex);
  const bool shows_skin = m->flex_dim[flexid] > 1 && flg_skin;
  flexRay r = {.m = m,
               .flex = flexid,
               .xpos = d->flexvert_xpos + 3 * m->flex_vertadr[flexid],
               .pnt = pnt,
               .vec = vec,
               .wants_normal = normal != NULL,
               .hit = {-1, {0, 0, 0}}};
  if (normal) {
    cfi_zero3(normal);
  }
  if (!meetsFlexBox(&r)) {
    return -1;
  }

  // a skin is as thick as its edges; vertices are hidden in edges
  if (flg_edge || shows_skin) {
    meetEdges(&r);
  } else if (flg_vert) {
    meetVertices(&r);
  }
  if (m->flex_dim[flexid] > 1 && (flg_face || flg_skin)) {
    meetFaces(&r, flg_skin ? 0 : flex_layer);
  }
  if (r.hit.x >= 0 && normal) {
    cfi_copy3(normal, r.hit.normal);
  }
  if (r.hit.x >= 0 && vertid) {
    *vertid = r.vertex;
  }
  return r.hit.x;
}
