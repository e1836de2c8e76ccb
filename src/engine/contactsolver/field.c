#include "contactsolver/field.h"

#include <math.h>

#include "base/assert.h"
#include "math/inline.h"

// planes that differ by this part are the same: they would be counted twice
static const mjtNum samePlane = 1e-9;


// ---------------------------------------- which geoms have one

bool cfi_hasField(const mjModel* m, int geom) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  switch (m->geom_type[geom]) {
    case mjGEOM_PLANE:
    case mjGEOM_SPHERE:
    case mjGEOM_CAPSULE:
    case mjGEOM_ELLIPSOID:
    case mjGEOM_CYLINDER:
    case mjGEOM_BOX:
      return true;
    case mjGEOM_MESH:
      return m->geom_dataid[geom] >= 0 && m->mesh_polynum[m->geom_dataid[geom]] >= 4;
    default:
      return false;
  }
}


// distance of a polygon of a hull from the geom's center
static mjtNum polygonOffset(const mjModel* m, int mesh, int poly) {
  const int vertex = m->mesh_vertadr[mesh] + m->mesh_polyvert[m->mesh_polyvertadr[poly]];
  const float* at = m->mesh_vert + 3 * vertex;
  const mjtNum* normal = m->mesh_polynormal + 3 * poly;
  return normal[0] * at[0] + normal[1] * at[1] + normal[2] * at[2];
}


// distance of the nearest polygon of the hull from the geom's center
static mjtNum meshThickness(const mjModel* m, int geom) {
  const int mesh = m->geom_dataid[geom], from = m->mesh_polyadr[mesh];
  mjtNum least = INFINITY;
  for (int k = from; k < from + m->mesh_polynum[mesh]; k++) {
    least = cfi_min(least, polygonOffset(m, mesh, k));
  }
  return cfi_max(least, mjMINVAL);
}


mjtNum cfi_fieldThickness(const mjModel* m, int geom) {
  const mjtNum* size = m->geom_size + 3 * geom;
  switch (m->geom_type[geom]) {
    case mjGEOM_SPHERE:
    case mjGEOM_CAPSULE:
      return size[0];
    case mjGEOM_CYLINDER:
      return cfi_min(size[0], size[1]);
    case mjGEOM_BOX:
    case mjGEOM_ELLIPSOID:
      return cfi_min(size[0], cfi_min(size[1], size[2]));
    case mjGEOM_MESH:
      return meshThickness(m, geom);
    default:
      return 0;
  }
}


int cfi_fieldRoom(const mjModel* m, int geom, int samples) {
  switch (m->geom_type[geom]) {
    case mjGEOM_PLANE:
      return 1;
    case mjGEOM_BOX:
      return 6;
    case mjGEOM_MESH:
      return m->mesh_polynum[m->geom_dataid[geom]];
    default:
      return samples + 2;
  }
}


// ---------------------------------------- planes

static bool isSamePlane(const cfFieldPlane* p, const cfFieldPlane* q, mjtNum scale, mjtNum length) {
  mjtNum differ = fabs(p->b - q->b) / length;
  for (int k = 0; k < 3; k++) {
    differ = cfi_max(differ, fabs(p->a[k] - q->a[k]));
  }
  return differ < samePlane * scale;
}


static void addPlane(cfPressureField* f, const mjtNum a[3], mjtNum b) {
  cfFieldPlane plane = {{a[0], a[1], a[2]}, b};
  const mjtNum length = cfi_max(mjMINVAL, f->m->geom_rbound[f->geom]);
  for (int k = 0; k < f->nplane; k++) {
    if (isSamePlane(f->plane + k, &plane, f->scale, length)) {
      return;
    }
  }
  CF_ASSERT(f->nplane < f->room);
  f->plane[f->nplane++] = plane;
}


// the plane at `offset` from the center along an outward normal
static void addFieldFace(cfPressureField* f, const mjtNum normal[3], mjtNum offset) {
  mjtNum a[3];
  for (int k = 0; k < 3; k++) {
    a[k] = -f->scale * normal[k];
  }
  addPlane(f, a, f->scale * offset - cfi_dot3(a, f->center));
}


// two faces across an axis of the geom
static void addFaces(cfPressureField* f, int axis, mjtNum offset) {
  for (int side = -1; side <= 1; side += 2) {
    const mjtNum normal[3] = {side * f->mat[axis], side * f->mat[3 + axis],
                              side * f->mat[6 + axis]};
    addFieldFace(f, normal, offset);
  }
}


// A vertex of the mesh in the frame of the other geom.
static void vertexInOther(const cfPressureField* f, int vertex, int other, mjtNum res[3]) {
  const float* at = f->m->mesh_vert + 3 * vertex;
  const mjtNum local[3] = {at[0], at[1], at[2]};
  mjtNum world[3];
  cfi_mulMatVec3(world, f->mat, local);
  cfi_addTo3(world, f->d->geom_xpos + 3 * f->geom);
  cfi_subFrom3(world, f->d->geom_xpos + 3 * other);
  cfi_mulMatTVec3(res, f->d->geom_xmat + 9 * other, world);
}


// True if a polygon of the mesh has a place within reach of the other geom.
static bool isPolygonNear(const cfPressureField* f, int mesh, int poly, int other, mjtNum reach) {
  const mjModel* m = f->m;
  const bool is_plane = m->geom_type[other] == mjGEOM_PLANE;
  const mjtNum* aabb = m->geom_aabb + 6 * other;
  mjtNum low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int k = 0; k < m->mesh_polyvertnum[poly]; k++) {
    mjtNum x[3];
    const int v = m->mesh_vertadr[mesh] + m->mesh_polyvert[m->mesh_polyvertadr[poly] + k];
    vertexInOther(f, v, other, x);
    for (int i = 0; i < 3; i++) {
      low[i] = cfi_min(low[i], x[i]);
      high[i] = cfi_max(high[i], x[i]);
    }
  }
  for (int i = 0; i < 3 && !is_plane; i++) {
    if (low[i] > aabb[i] + aabb[3 + i] + reach || high[i] < aabb[i] - aabb[3 + i] - reach) {
      return false;
    }
  }
  return !is_plane || low[2] < reach;
}


static void addPolygons(cfPressureField* f, int other, mjtNum reach) {
  const mjModel* m = f->m;
  const int mesh = m->geom_dataid[f->geom], from = m->mesh_polyadr[mesh];
  for (int k = from; k < from + m->mesh_polynum[mesh]; k++) {
    if (isPolygonNear(f, mesh, k, other, reach)) {
      mjtNum normal[3];
      cfi_mulMatVec3(normal, f->mat, m->mesh_polynormal + 3 * k);
      addFieldFace(f, normal, polygonOffset(m, mesh, k));
    }
  }
}


void cfi_openField(cfPressureField* f, int other, mjtNum reach, const mjtNum origin[3]) {
  const mjtNum* size = f->m->geom_size + 3 * f->geom;
  f->type = f->m->geom_type[f->geom];
  f->mat = f->d->geom_xmat + 9 * f->geom;
  cfi_sub3(f->center, f->d->geom_xpos + 3 * f->geom, origin);
  f->nplane = 0;
  if (f->type == mjGEOM_PLANE) {
    const mjtNum normal[3] = {f->mat[2], f->mat[5], f->mat[8]};
    addFieldFace(f, normal, 0);
  } else if (f->type == mjGEOM_BOX) {
    for (int k = 0; k < 3; k++) {
      addFaces(f, k, size[k]);
    }
  } else if (f->type == mjGEOM_CYLINDER) {
    addFaces(f, 2, size[1]);
  } else if (f->type == mjGEOM_MESH) {
    addPolygons(f, other, reach);
  }
  f->nexact = f->nplane;
}


// ---------------------------------------- smooth parts

// 1 - |x/a| of an ellipsoid times its shortest semi-axis
static mjtNum ellipsoidDepth(const cfPressureField* f, const mjtNum from[3], mjtNum grad[3]) {
  const mjtNum* size = f->m->geom_size + 3 * f->geom;
  const mjtNum least = cfi_min(size[0], cfi_min(size[1], size[2]));
  mjtNum local[3], slope[3], sum = 0;
  cfi_mulMatTVec3(local, f->mat, from);
  for (int k = 0; k < 3; k++) {
    sum += local[k] * local[k] / (size[k] * size[k]);
  }
  const mjtNum length = sqrt(cfi_max(mjMINVAL, sum));
  for (int k = 0; k < 3; k++) {
    slope[k] = -least * local[k] / (size[k] * size[k] * length);
  }
  cfi_mulMatVec3(grad, f->mat, slope);
  return least * (1 - length);
}


// depth below the smooth part of a shape, and its gradient
static mjtNum smoothDepth(const cfPressureField* f, const mjtNum x[3], mjtNum grad[3]) {
  const mjtNum* size = f->m->geom_size + 3 * f->geom;
  const mjtNum axis[3] = {f->mat[2], f->mat[5], f->mat[8]};
  mjtNum from[3];
  cfi_sub3(from, x, f->center);
  if (f->type == mjGEOM_ELLIPSOID) {
    return ellipsoidDepth(f, from, grad);
  }
  if (f->type != mjGEOM_SPHERE) {
    const mjtNum along = cfi_dot3(axis, from);
    const bool is_capsule = f->type == mjGEOM_CAPSULE;
    cfi_addToScl3(from, axis, -(is_capsule ? cfi_clip(along, -size[1], size[1]) : along));
  }
  const mjtNum length = cfi_norm3(from), inverse = -1 / cfi_max(mjMINVAL, length);
  for (int k = 0; k < 3; k++) {
    grad[k] = from[k] * inverse;
  }
  return size[0] - length;
}


static bool hasSmoothPart(const cfPressureField* f) {
  return f->type != mjGEOM_PLANE && f->type != mjGEOM_BOX && f->type != mjGEOM_MESH;
}


void cfi_touchField(cfPressureField* f, const mjtNum x[3]) {
  if (!hasSmoothPart(f)) {
    return;
  }
  mjtNum grad[3];
  const mjtNum value = f->scale * smoothDepth(f, x, grad);
  for (int k = 0; k < 3; k++) {
    grad[k] *= f->scale;
  }
  addPlane(f, grad, value - cfi_dot3(grad, x));
}


mjtNum cfi_fieldAt(const cfPressureField* f, const mjtNum x[3]) {
  mjtNum least = INFINITY, grad[3];
  for (int k = 0; k < f->nexact; k++) {
    least = cfi_min(least, cfi_planeAt(f->plane + k, x));
  }
  return hasSmoothPart(f) ? cfi_min(least, f->scale * smoothDepth(f, x, grad)) : least;
}
