// Features of boxes and meshes.
#include "collision/convex/feature.h"

#include <math.h>

#include "base/assert.h"
#include "math/inline.h"

static void toWorld(const cfConvex* s, mjtNum x, mjtNum y, mjtNum z, mjtNum res[3]) {
  const mjtNum local[3] = {x, y, z};
  cfi_mulMatVec3(res, s->mat, local);
  cfi_addTo3(res, s->pos);
}


// ---------------------------------------- boxes: face 2k is on the positive side of axis k
// and 2k + 1 on the negative one

static void addBoxFace(cfFeatureDirs* dirs, const cfConvex* s, int axis, int sign) {
  CF_ASSERT(axis >= 0 && axis < 3 && (sign == 1 || sign == -1));
  mjtNum* res = dirs->dir[dirs->count];
  cfi_column3(res, s->mat, axis);
  cfi_scl3(res, res, sign);
  dirs->id[dirs->count++] = 2 * axis + (sign < 0);
}


// side that all vertices of the feature share along an axis: 1, -1, or 0 for none
static int commonSide(const cfTouchingFeature* f, int axis) {
  CF_ASSERT_INDEX(axis, 3);
  int positive = 0;
  for (int k = 0; k < f->dim; k++) {
    positive += (f->id[k] >> axis) & 1;
  }
  return positive == f->dim ? 1 : (positive == 0 ? -1 : 0);
}


// the face whose normal is close to the contact normal, if the vertices do not tell
static void boxFaceAlong(cfFeatureDirs* dirs, const cfConvex* s, const mjtNum normal[3]) {
  mjtNum local[3];
  cfi_mulMatTVec3(local, s->mat, normal);
  const mjtNum length = sqrt(cfi_dot3(local, local));
  dirs->count = 0;
  for (int k = 0; k < 6 && !dirs->count; k++) {
    const int sign = k % 2 ? -1 : 1;
    if (sign * (local[k / 2] * (1 / length)) > CF_FACING) {
      addBoxFace(dirs, s, k / 2, sign);
    }
  }
}


static void boxNormals(cfFeatureDirs* dirs, const cfTouchingFeature* f, const mjtNum normal[3]) {
  dirs->count = 0;
  for (int axis = 0; axis < 3; axis++) {
    const int side = commonSide(f, axis);
    if (side) {
      addBoxFace(dirs, f->shape, axis, side);
    }
  }
  if (dirs->count != 4 - f->dim) {
    boxFaceAlong(dirs, f->shape, normal);
  }
}


// the three edges at a corner
static void boxEdges(cfFeatureDirs* dirs, const cfTouchingFeature* f) {
  const mjtNum* size = f->shape->size;
  mjtNum corner[3];
  for (int k = 0; k < 3; k++) {
    corner[k] = (f->id[0] >> k) & 1 ? size[k] : -size[k];
  }
  for (int k = 0; k < 3; k++) {
    toWorld(f->shape, k == 0 ? -corner[0] : corner[0], k == 1 ? -corner[1] : corner[1],
            k == 2 ? -corner[2] : corner[2], dirs->end[k]);
  }
  dirs->count = 3;
}


// corners of a face, clockwise from outside, as products of signs with the half sizes
static void boxPolygon(cfPolygon* poly, const cfConvex* s, int face) {
  CF_ASSERT_INDEX(face, 6);
  static const signed char corner[6][4][3] = {
      {{1, 1, 1}, {1, 1, -1}, {1, -1, -1}, {1, -1, 1}},
      {{-1, 1, -1}, {-1, 1, 1}, {-1, -1, 1}, {-1, -1, -1}},
      {{-1, 1, -1}, {1, 1, -1}, {1, 1, 1}, {-1, 1, 1}},
      {{-1, -1, 1}, {1, -1, 1}, {1, -1, -1}, {-1, -1, -1}},
      {{-1, 1, 1}, {1, 1, 1}, {1, -1, 1}, {-1, -1, 1}},
      {{1, 1, -1}, {-1, 1, -1}, {-1, -1, -1}, {1, -1, -1}},
  };
  for (int k = 0; k < 4; k++) {
    const signed char* c = corner[face][k];
    toWorld(s, c[0] * s->size[0], c[1] * s->size[1], c[2] * s->size[2], poly->point[k]);
  }
  poly->count = 4;
}


// ---------------------------------------- meshes: polygons of the hull, and those at each
// vertex

typedef struct {
  const int* at;      // where the polygons of the mesh start
  const int* around;  // list of polygons at a vertex
  int count;
} vertexPolygons;

static vertexPolygons polygonsAt(const cfConvex* s, int vertex) {
  CF_ASSERT(vertex >= 0);
  const mjModel* m = s->m;
  const int mesh = m->geom_dataid[s->geom], v = m->mesh_vertadr[mesh] + vertex;
  return (vertexPolygons){m->mesh_polyadr + mesh, m->mesh_polymap + m->mesh_polymapadr[v],
                          m->mesh_polymapnum[v]};
}


// up to two entries that two lists share, in the order of the first
static int commonEntries(int res[2], const int* a, int na, const int* b, int nb) {
  CF_ASSERT(na >= 0 && nb >= 0);
  int count = 0;
  for (int i = 0; i < na && count < 2; i++) {
    for (int j = 0; j < nb && count < 2; j++) {
      if (a[i] == b[j]) {
        res[count++] = a[i];
      }
    }
  }
  return count;
}


static void addMeshFace(cfFeatureDirs* dirs, const cfConvex* s, int face) {
  CF_ASSERT(face >= 0);
  const int mesh = s->m->geom_dataid[s->geom];
  const mjtNum* normal = s->m->mesh_polynormal + 3 * (s->m->mesh_polyadr[mesh] + face);
  cfi_mulMatVec3(dirs->dir[dirs->count], s->mat, normal);
  dirs->id[dirs->count++] = face;
}


// faces that contain all vertices of the feature
static void meshNormals(cfFeatureDirs* dirs, const cfTouchingFeature* f) {
  const vertexPolygons first = polygonsAt(f->shape, f->id[0]);
  dirs->count = 0;
  if (f->dim == 1) {
    for (int k = 0; k < cfi_minInt(first.count, CF_POLYGON_MAX); k++) {
      addMeshFace(dirs, f->shape, first.around[k]);
    }
    return;
  }
  int shared[2], unique[2];
  const vertexPolygons second = polygonsAt(f->shape, f->id[1]);
  int count = commonEntries(shared, first.around, first.count, second.around, second.count);
  if (f->dim == 3 && count) {
    const vertexPolygons third = polygonsAt(f->shape, f->id[2]);
    count = cfi_minInt(1, commonEntries(unique, shared, count, third.around, third.count));
    shared[0] = count ? unique[0] : 0;
  }
  for (int k = 0; k < count; k++) {
    addMeshFace(dirs, f->shape, shared[k]);
  }
}


// in every polygon at the vertex, the edge to the previous vertex
static void meshEdges(cfFeatureDirs* dirs, const cfTouchingFeature* f) {
  const mjModel* m = f->shape->m;
  const vertexPolygons polygons = polygonsAt(f->shape, f->id[0]);
  dirs->count = cfi_minInt(polygons.count, CF_POLYGON_MAX);
  for (int k = 0; k < dirs->count; k++) {
    const int poly = *polygons.at + polygons.around[k], n = m->mesh_polyvertnum[poly];
    const int* vertex = m->mesh_polyvert + m->mesh_polyvertadr[poly];
    for (int i = 0; i < n; i++) {
      if (vertex[i] == f->id[0]) {
        const float* v = f->shape->vert + 3 * vertex[(i + n - 1) % n];
        toWorld(f->shape, v[0], v[1], v[2], dirs->end[k]);
        break;
      }
    }
  }
}


static void meshPolygon(cfPolygon* poly, const cfConvex* s, int face) {
  CF_ASSERT(face >= 0);
  const mjModel* m = s->m;
  const int p = m->mesh_polyadr[m->geom_dataid[s->geom]] + face;
  const int* vertex = m->mesh_polyvert + m->mesh_polyvertadr[p];
  poly->count = cfi_minInt(m->mesh_polyvertnum[p], CF_POLYGON_MAX);
  for (int k = 0; k < poly->count; k++) {
    const float* v = s->vert + 3 * vertex[poly->count - 1 - k];
    toWorld(s, v[0], v[1], v[2], poly->point[k]);
  }
}


// ---------------------------------------- either kind

void cfi_featureNormals(cfFeatureDirs* dirs, const cfTouchingFeature* f, const mjtNum normal[3]) {
  dirs->count = 0;
  if (f->shape->type == mjGEOM_BOX) {
    boxNormals(dirs, f, normal);
  } else if (f->shape->type == mjGEOM_MESH) {
    meshNormals(dirs, f);
  }
}


void cfi_featureEdges(cfFeatureDirs* dirs, const cfTouchingFeature* f) {
  dirs->count = 0;
  if (f->dim == 2) {
    cfi_copy3(dirs->end[0], f->point[1]);
    dirs->count = 1;
  } else if (f->shape->type == mjGEOM_BOX) {
    boxEdges(dirs, f);
  } else if (f->shape->type == mjGEOM_MESH) {
    meshEdges(dirs, f);
  }
  for (int k = 0; k < dirs->count; k++) {
    cfi_sub3(dirs->dir[k], dirs->end[k], f->point[0]);
    cfi_normalize3(dirs->dir[k]);
  }
}


void cfi_facePolygon(cfPolygon* poly, const cfConvex* s, int face) {
  poly->count = 0;
  if (s->type == mjGEOM_BOX) {
    boxPolygon(poly, s, face);
  } else if (s->type == mjGEOM_MESH) {
    meshPolygon(poly, s, face);
  }
}
