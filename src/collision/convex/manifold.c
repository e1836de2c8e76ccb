// Contact manifold of two polyhedra: where a face of one lies flat on a face or an edge of the
// other, clip one by the other and keep the corners of what is left.
//
//   EPA face -> features of A and B (vertex, edge or face) -> normals that these features may stand
//   for
//   -> a facing pair -> two polygons -> clipped polygon -> contacts
#include <math.h>
#include <string.h>

#include "collision/convex/polytope.h"
#include "math/inline.h"

enum { POLYGON_MAX = 150 };

static const mjtNum facing = 0.99999872;  // cosine of 1.6e-3: normals that count as opposite
static const mjtNum level =
    0.00159999931;  // sine of the same angle: an edge that counts as lying in a face

// the feature of one shape that touches: 1, 2 or 3 different vertices of the EPA face
typedef struct {
  const cfConvex* shape;
  int dim;
  int id[3];
  const mjtNum* point[3];
} touchingFeature;

// directions that a feature may stand for: normals of faces (id: which face) or edges (end: their
// other vertex)
typedef struct {
  int count;
  int id[POLYGON_MAX];
  mjtNum dir[POLYGON_MAX][3];
  mjtNum end[POLYGON_MAX][3];
} featureDirs;

typedef struct {
  int count;
  mjtNum point[2 * POLYGON_MAX][3];
} polygon;


static void toWorld(const cfConvex* s, mjtNum x, mjtNum y, mjtNum z, mjtNum res[3]) {
  const mjtNum local[3] = {x, y, z};
  cfi_mulMatVec3(res, s->mat, local);
  cfi_addTo3(res, s->pos);
}


// a repeated vertex lowers the dimension; the second point of an edge comes second
static touchingFeature featureOf(const cfPolytope* pt, int face, const cfConvex* s, bool is_first) {
  touchingFeature f = {.shape = s};
  for (int k = 0; k < 3; k++) {
    const cfMinkowski* v = pt->vertex + pt->face[face].vertex[k];
    f.id[k] = is_first ? v->ia : v->ib;
    f.point[k] = is_first ? v->a : v->b;
  }
  if (f.id[0] != f.id[1]) {
    f.dim = f.id[2] == f.id[0] || f.id[2] == f.id[1] ? 2 : 3;
  } else if (f.id[0] != f.id[2]) {
    f.id[1] = f.id[2];
    f.point[1] = f.point[2];
    f.dim = 2;
  } else {
    f.dim = 1;
  }
  return f;
}


// ---------------------------------------- boxes: face 2k is the positive side of axis k, 2k + 1
// the negative

static void addBoxFace(featureDirs* dirs, const cfConvex* s, int axis, int sign) {
  mjtNum* res = dirs->dir[dirs->count];
  cfi_column3(res, s->mat, axis);
  cfi_scl3(res, res, sign);
  dirs->id[dirs->count++] = 2 * axis + (sign < 0);
}


// side that all vertices of the feature share along an axis: 1, -1, or 0 for none
static int commonSide(const touchingFeature* f, int axis) {
  int positive = 0;
  for (int k = 0; k < f->dim; k++) {
    positive += (f->id[k] >> axis) & 1;
  }
  return positive == f->dim ? 1 : (positive == 0 ? -1 : 0);
}


// the face whose normal is close to the contact normal, if the vertices do not tell
static void boxFaceAlong(featureDirs* dirs, const cfConvex* s, const mjtNum normal[3]) {
  mjtNum local[3];
  cfi_mulMatTVec3(local, s->mat, normal);
  const mjtNum length = sqrt(cfi_dot3(local, local));
  dirs->count = 0;
  for (int k = 0; k < 6 && !dirs->count; k++) {
    const int sign = k % 2 ? -1 : 1;
    if (sign * (local[k / 2] * (1 / length)) > facing) {
      addBoxFace(dirs, s, k / 2, sign);
    }
  }
}


static void boxNormals(featureDirs* dirs, const touchingFeature* f, const mjtNum normal[3]) {
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
static void boxEdges(featureDirs* dirs, const touchingFeature* f) {
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
static void boxPolygon(polygon* poly, const cfConvex* s, int face) {
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


// ---------------------------------------- meshes: polygons of the convex hull, and those around
// each vertex

typedef struct {
  const int *at,
      *around;  // polygons of the mesh start at *at; around: list of polygons at a vertex
  int count;
} vertexPolygons;

static vertexPolygons polygonsAt(const cfConvex* s, int vertex) {
  const mjModel* m = s->m;
  const int mesh = m->geom_dataid[s->geom], v = m->mesh_vertadr[mesh] + vertex;
  return (vertexPolygons){m->mesh_polyadr + mesh, m->mesh_polymap + m->mesh_polymapadr[v],
                          m->mesh_polymapnum[v]};
}


// up to two entries that two lists share, in the order of the first
static int commonEntries(int res[2], const int* a, int na, const int* b, int nb) {
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


static void addMeshFace(featureDirs* dirs, const cfConvex* s, int face) {
  const int mesh = s->m->geom_dataid[s->geom];
  const mjtNum* normal = s->m->mesh_polynormal + 3 * (s->m->mesh_polyadr[mesh] + face);
  cfi_mulMatVec3(dirs->dir[dirs->count], s->mat, normal);
  dirs->id[dirs->count++] = face;
}


// faces that contain all vertices of the feature
static void meshNormals(featureDirs* dirs, const touchingFeature* f) {
  const vertexPolygons first = polygonsAt(f->shape, f->id[0]);
  dirs->count = 0;
  if (f->dim == 1) {
    for (int k = 0; k < cfi_minInt(first.count, POLYGON_MAX); k++) {
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
static void meshEdges(featureDirs* dirs, const touchingFeature* f) {
  const mjModel* m = f->shape->m;
  const vertexPolygons polygons = polygonsAt(f->shape, f->id[0]);
  dirs->count = cfi_minInt(polygons.count, POLYGON_MAX);
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


static void meshPolygon(polygon* poly, const cfConvex* s, int face) {
  const mjModel* m = s->m;
  const int p = m->mesh_polyadr[m->geom_dataid[s->geom]] + face;
  const int* vertex = m->mesh_polyvert + m->mesh_polyvertadr[p];
  poly->count = cfi_minInt(m->mesh_polyvertnum[p], POLYGON_MAX);
  for (int k = 0; k < poly->count; k++) {
    const float* v = s->vert + 3 * vertex[poly->count - 1 - k];
    toWorld(s, v[0], v[1], v[2], poly->point[k]);
  }
}


// ---------------------------------------- either kind

static void featureNormals(featureDirs* dirs, const touchingFeature* f, const mjtNum normal[3]) {
  dirs->count = 0;
  if (f->shape->type == mjGEOM_BOX) {
    boxNormals(dirs, f, normal);
  } else if (f->shape->type == mjGEOM_MESH) {
    meshNormals(dirs, f);
  }
}


// edges that start at the feature's first vertex
static void featureEdges(featureDirs* dirs, const touchingFeature* f) {
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


static void facePolygon(polygon* poly, const cfConvex* s, int face) {
  poly->count = 0;
  if (s->type == mjGEOM_BOX) {
    boxPolygon(poly, s, face);
  } else if (s->type == mjGEOM_MESH) {
    meshPolygon(poly, s, face);
  }
}


static bool findFacing(const featureDirs* a, const featureDirs* b, int* i, int* j) {
  for (*i = 0; *i < a->count; ++*i) {
    for (*j = 0; *j < b->count; ++*j) {
      if (cfi_dot3(a->dir[*i], b->dir[*j]) < -facing) {
        return true;
      }
    }
  }
  return false;
}


static bool findLevel(const featureDirs* edges, const featureDirs* faces, int* edge, int* face) {
  for (*face = 0; *face < faces->count; ++*face) {
    for (*edge = 0; *edge < edges->count; ++*edge) {
      if (fabs(cfi_dot3(edges->dir[*edge], faces->dir[*face])) < level) {
        return true;
      }
    }
  }
  return false;
}


// ---------------------------------------- clipping

// cut the polygon by the plane through an edge, parallel to the face normal; keep the inner side
static void clipByEdge(polygon* out, const polygon* in, const mjtNum p[3], const mjtNum q[3],
                       const mjtNum normal[3]) {
  mjtNum edge[3], plane[3];
  cfi_sub3(edge, q, p);
  cfi_cross(plane, edge, normal);
  const mjtNum offset = cfi_dot3(plane, p);
  out->count = 0;
  for (int k = 0; k < in->count; k++) {
    const mjtNum *from = in->point[k], *to = in->point[(k + 1) % in->count];
    mjtNum from_p[3], to_p[3], run[3];
    cfi_sub3(from_p, from, p);
    cfi_sub3(to_p, to, p);
    const bool is_from_in = cfi_dot3(from_p, plane) > -mjMINVAL,
               is_to_in = cfi_dot3(to_p, plane) > -mjMINVAL;
    if (is_from_in != is_to_in) {
      cfi_sub3(run, to, from);
      const mjtNum slope = cfi_dot3(plane, run);
      const mjtNum t = slope == 0 ? 2 : (offset - cfi_dot3(plane, from)) / slope;
      if (t >= 0 && t <= 1) {
        cfi_addScl3(out->point[out->count++], from, run, t);
      }
    }
    if (is_to_in) {
      cfi_copy3(out->point[out->count++], to);
    }
  }
}


// area of the quadrilateral through four corners, from the edges of the closed path 0 3 1 2
static mjtNum quadArea(const polygon* poly, const int corner[4]) {
  static const int path[5] = {0, 3, 1, 2, 0};
  mjtNum edge[4][3], half[2][3];
  for (int k = 0; k < 4; k++) {
    cfi_sub3(edge[k], poly->point[corner[path[k + 1]]], poly->point[corner[path[k]]]);
  }
  cfi_cross(half[0], edge[0], edge[1]);
  cfi_cross(half[1], edge[2], edge[3]);
  cfi_addTo3(half[0], half[1]);
  return 0.5 * sqrt(cfi_dot3(half[0], half[0]));
}


// move one corner on to the next vertex if that makes the quadrilateral larger than *area
static bool growCorner(const polygon* poly, int corner[4], int which, mjtNum* area) {
  int moved[4];
  memcpy(moved, corner, sizeof(moved));
  moved[which] = (corner[which] + 1) % poly->count;
  const mjtNum larger = quadArea(poly, moved);
  if (larger <= *area) {
    return false;
  }
  *area = larger;
  corner[which] = moved[which];
  return true;
}


// largest quadrilateral, by rotating its corners around the polygon
static void largestQuad(const polygon* poly, int best[4]) {
  int corner[4] = {0, 1, 2, 3};
  mjtNum area = quadArea(poly, corner);
  memcpy(best, corner, sizeof(corner));
  for (; corner[0] < poly->count; corner[0]++) {
    while (growCorner(poly, corner, 3, &area)) {
      while (growCorner(poly, corner, 2, &area)) {
      }
      while (growCorner(poly, corner, 1, &area)) {
      }
      memcpy(best, corner, sizeof(corner));
    }
    for (int k = 1; k < 4 && corner[k] == corner[k - 1]; k++) {
      corner[k] = (corner[k] + 1) % poly->count;
    }
  }
}


static void putContact(cfCcd* q, int k, const mjtNum point[3], const mjtNum depth[3]) {
  cfi_copy3(q->x2 + 3 * k, point);
  cfi_sub3(q->x1 + 3 * k, point, depth);
}


static bool isListed(const cfCcd* q, int count, const mjtNum point[3]) {
  for (int k = 0; k < count; k++) {
    if (cfi_isSamePoint(q->x2 + 3 * k, point)) {
      return true;
    }
  }
  return false;
}


// corners of the clipped polygon become contacts: at most four of them if asked for, each once
static void putPolygon(cfCcd* q, const polygon* poly, const mjtNum depth[3]) {
  if (q->max_contacts < 5 && poly->count > 4) {
    int corner[4];
    largestQuad(poly, corner);
    for (int k = 0; k < 4; k++) {
      putContact(q, k, poly->point[corner[k]], depth);
    }
    q->count = 4;
    return;
  }
  const bool is_cut = poly->count > mjMAXCONPAIR;
  int count = 0;
  for (int k = 0; k < cfi_minInt(poly->count, mjMAXCONPAIR); k++) {
    if (is_cut || !isListed(q, count, poly->point[k])) {
      putContact(q, count++, poly->point[k], depth);
    }
  }
  q->count = count;
}


// clip `subject` by the outline of `frame`, whose normal is given
static void clipInto(cfCcd* q, const polygon* frame, polygon* subject, const mjtNum normal[3],
                     const mjtNum depth[3]) {
  polygon other, *in = subject, *out = &other;
  if (frame->count < 3) {
    return;
  }
  for (int k = 0; k < frame->count; k++) {
    clipByEdge(out, in, frame->point[k], frame->point[(k + 1) % frame->count], normal);
    polygon* swapped = in;
    in = out;
    out = swapped;
  }
  if (in->count) {
    putPolygon(q, in, depth);
  }
}


// the edge of a feature lies in a face of the other shape
static void edgeOnFace(cfCcd* q, const touchingFeature* edge, const featureDirs* edges,
                       const touchingFeature* face, const featureDirs* faces, mjtNum depth_sign,
                       mjtNum depth) {
  int e, f;
  if (!findLevel(edges, faces, &e, &f)) {
    return;
  }
  polygon segment = {.count = 2}, frame;
  mjtNum push[3];
  cfi_copy3(segment.point[0], edge->point[0]);
  cfi_copy3(segment.point[1], edges->end[e]);
  facePolygon(&frame, face->shape, faces->id[f]);
  cfi_scl3(push, faces->dir[f], depth_sign * depth);
  clipInto(q, &frame, &segment, faces->dir[f], push);
}


void cfi_manifold(const cfPolytope* pt, int face, cfCcd* q, const cfConvex* a, const cfConvex* b) {
  const touchingFeature fa = featureOf(pt, face, a, true), fb = featureOf(pt, face, b, false);
  featureDirs na, nb;
  mjtNum to_b[3], to_a[3];
  int i, j;
  cfi_sub3(to_b, q->x2, q->x1);
  cfi_sub3(to_a, q->x1, q->x2);
  const mjtNum depth = sqrt(cfi_dot3(to_b, to_b));
  featureNormals(&na, &fa, to_a);
  featureNormals(&nb, &fb, to_b);

  if (findFacing(&na, &nb, &i, &j)) {
    polygon pa, pb;
    mjtNum push[3];
    facePolygon(&pa, a, na.id[i]);
    facePolygon(&pb, b, nb.id[j]);
    cfi_scl3(push, nb.dir[j], depth);
    clipInto(q, &pa, &pb, na.dir[i], push);
  } else if (fa.dim < 3 && fa.dim <= fb.dim) {
    featureEdges(&na, &fa);
    edgeOnFace(q, &fa, &na, &fb, &nb, 1, depth);
  } else if (fb.dim < 3) {
    featureEdges(&nb, &fb);
    edgeOnFace(q, &fb, &nb, &fa, &na, -1, depth);
  }
}
