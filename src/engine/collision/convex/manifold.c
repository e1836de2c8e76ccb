// Contact manifold of two polyhedra: where a face of one lies flat on a face or an edge of the
// other, clip one by the other and keep the corners of what is left.
//
//   EPA face -> features of A and B (vertex, edge or face) -> normals that they may stand for
//   -> a facing pair -> two polygons -> clipped polygon -> contacts
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "collision/convex/feature.h"
#include "collision/convex/polytope.h"
#include "math/inline.h"

// a repeated vertex lowers the dimension; the second point of an edge comes second
static cfTouchingFeature featureOf(const cfPolytope* pt, int face, const cfConvex* s,
                                   bool is_first) {
  CF_ASSERT(face >= 0);
  cfTouchingFeature f = {.shape = s};
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


static bool findFacing(const cfFeatureDirs* a, const cfFeatureDirs* b, int* i, int* j) {
  for (*i = 0; *i < a->count; ++*i) {
    for (*j = 0; *j < b->count; ++*j) {
      if (cfi_dot3(a->dir[*i], b->dir[*j]) < -CF_FACING) {
        return true;
      }
    }
  }
  return false;
}


static bool findLevel(const cfFeatureDirs* edges, const cfFeatureDirs* faces, int* edge,
                      int* face) {
  for (*face = 0; *face < faces->count; ++*face) {
    for (*edge = 0; *edge < edges->count; ++*edge) {
      if (fabs(cfi_dot3(edges->dir[*edge], faces->dir[*face])) < CF_LEVEL) {
        return true;
      }
    }
  }
  return false;
}


// ---------------------------------------- clipping

// cut the polygon by the plane through an edge, parallel to the face normal; keep the inner side
static void clipByEdge(cfPolygon* out, const cfPolygon* in, const mjtNum p[3], const mjtNum q[3],
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
static mjtNum quadArea(const cfPolygon* poly, const int corner[4]) {
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
static bool growCorner(const cfPolygon* poly, int corner[4], int which, mjtNum* area) {
  CF_ASSERT_INDEX(which, 4);
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
static void largestQuad(const cfPolygon* poly, int best[4]) {
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
  CF_ASSERT(count >= 0);
  for (int k = 0; k < count; k++) {
    if (cfi_isSamePoint(q->x2 + 3 * k, point)) {
      return true;
    }
  }
  return false;
}


// corners of the clipped polygon become contacts: at most four of them if asked for, each once
static void putPolygon(cfCcd* q, const cfPolygon* poly, const mjtNum depth[3]) {
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
static void clipInto(cfCcd* q, const cfPolygon* frame, cfPolygon* subject, const mjtNum normal[3],
                     const mjtNum depth[3]) {
  cfPolygon other, *in = subject, *out = &other;
  if (frame->count < 3) {
    return;
  }
  for (int k = 0; k < frame->count; k++) {
    clipByEdge(out, in, frame->point[k], frame->point[(k + 1) % frame->count], normal);
    cfPolygon* swapped = in;
    in = out;
    out = swapped;
  }
  if (in->count) {
    putPolygon(q, in, depth);
  }
}


// the edge of a feature lies in a face of the other shape
static void edgeOnFace(cfCcd* q, const cfTouchingFeature* edge, const cfFeatureDirs* edges,
                       const cfTouchingFeature* face, const cfFeatureDirs* faces, mjtNum depth_sign,
                       mjtNum depth) {
  int e, f;
  if (!findLevel(edges, faces, &e, &f)) {
    return;
  }
  cfPolygon segment = {.count = 2}, frame;
  mjtNum push[3];
  cfi_copy3(segment.point[0], edge->point[0]);
  cfi_copy3(segment.point[1], edges->end[e]);
  cfi_facePolygon(&frame, face->shape, faces->id[f]);
  cfi_scl3(push, faces->dir[f], depth_sign * depth);
  clipInto(q, &frame, &segment, faces->dir[f], push);
}


void cfi_manifold(const cfPolytope* pt, int face, cfCcd* q, const cfConvex* a, const cfConvex* b) {
  CF_ASSERT(face >= 0);
  const cfTouchingFeature fa = featureOf(pt, face, a, true), fb = featureOf(pt, face, b, false);
  cfFeatureDirs na, nb;
  mjtNum to_b[3], to_a[3];
  int i, j;
  cfi_sub3(to_b, q->x2, q->x1);
  cfi_sub3(to_a, q->x1, q->x2);
  const mjtNum depth = sqrt(cfi_dot3(to_b, to_b));
  cfi_featureNormals(&na, &fa, to_a);
  cfi_featureNormals(&nb, &fb, to_b);

  if (findFacing(&na, &nb, &i, &j)) {
    cfPolygon pa, pb;
    mjtNum push[3];
    cfi_facePolygon(&pa, a, na.id[i]);
    cfi_facePolygon(&pb, b, nb.id[j]);
    cfi_scl3(push, nb.dir[j], depth);
    clipInto(q, &pa, &pb, na.dir[i], push);
  } else if (fa.dim < 3 && fa.dim <= fb.dim) {
    cfi_featureEdges(&na, &fa);
    edgeOnFace(q, &fa, &na, &fb, &nb, 1, depth);
  } else if (fb.dim < 3) {
    cfi_featureEdges(&nb, &fb);
    edgeOnFace(q, &fb, &nb, &fa, &na, -1, depth);
  }
}
