// Signed distance from points to a triangle surface: a tree of bounding spheres finds the nearest
// triangle, and the pseudonormal of the nearest face, edge or vertex decides the sign (Baerentzen
// and Aanaes 2005, "Signed distance computation using the angle weighted pseudonormal").
#include "compile/surfacedistance.h"

#include <float.h>
#include <math.h>

#include "base/assert.h"
#include "base/sort.h"
#include "math/inline.h"
#include "math/libm.h"

// bounding sphere of a range of triangles; leaves have one triangle
typedef struct {
  double center[3], radius;
  int child[2];  // -1 in leaves
  int triangle;
} sphereNode;

// triangle to be sorted along an axis
typedef struct {
  double key;
  int rank, triangle;
} sphereKey;

struct cfDistanceField {
  const cfMesh* mesh;
  sphereNode* node;
  int count;
  int* order;  // triangles, permuted as the tree is built
  sphereKey* key;
  double (*facenormal)[3];
  double (*edgenormal)[3];  // three per triangle: 01, 12, 20
  double (*vertnormal)[3];
};

// nearest place found so far: weights of the corners tell the place and the feature
typedef struct {
  double distance;
  double weight[3];
  int triangle;
} nearestPlace;


static const double* corner(const cfDistanceField* f, int triangle, int k) {
  return cfi_corner(f->mesh, f->mesh->face, triangle, k % 3);
}


//---------------------------------- tree ----------------------------------------------------------

static int compareKeys(const void* a, const void* b) {
  const sphereKey *p = (const sphereKey*)a, *q = (const sphereKey*)b;
  return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : p->rank - q->rank;
}


// order a range along an axis by the first corners
static void sortRange(cfDistanceField* f, int begin, int end, int axis) {
  CF_ASSERT(begin <= end && axis >= 0 && axis < 3);
  for (int i = begin; i < end; i++) {
    f->key[i] = (sphereKey){corner(f, f->order[i], 0)[axis], i, f->order[i]};
  }
  cfi_sort(f->key + begin, (size_t)(end - begin), sizeof(sphereKey), compareKeys);
  for (int i = begin; i < end; i++) {
    f->order[i] = f->key[i].triangle;
  }
}


// sphere around the mean of all corners; returns the longest axis of their box
static int boundSphere(const cfDistanceField* f, sphereNode* node, int begin, int end) {
  CF_ASSERT(begin < end);
  double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX}, square = 0;
  for (int i = 3 * begin; i < 3 * end; i++) {
    const double* p = corner(f, f->order[i / 3], i);
    for (int k = 0; k < 3; k++) {
      node->center[k] += p[k];
      low[k] = cfi_fmin(low[k], p[k]);
      high[k] = cfi_fmax(high[k], p[k]);
    }
  }
  for (int k = 0; k < 3; k++) {
    node->center[k] /= 3 * (end - begin);
  }
  for (int i = 3 * begin; i < 3 * end; i++) {
    double offset[3];
    cfi_sub3(offset, node->center, corner(f, f->order[i / 3], i));
    square = cfi_fmax(square, cfi_dot3(offset, offset));
  }
  node->radius = sqrt(square);
  const int axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
  return high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
}


// node over a range, its children after it; halves keep the depth below 32
static int buildSphereNode(cfDistanceField* f, int begin, int end) {
  CF_ASSERT(begin < end);
  const int index = f->count++;
  sphereNode* node = f->node + index;
  node->child[0] = node->child[1] = -1;
  const int axis = boundSphere(f, node, begin, end);
  if (end - begin == 1) {
    node->triangle = f->order[begin];
    return index;
  }
  sortRange(f, begin, end, axis);
  const int middle = (begin + end) / 2;
  node->child[0] = buildSphereNode(f, begin, middle);
  node->child[1] = buildSphereNode(f, middle, end);
  return index;
}


//---------------------------------- pseudonormals -------------------------------------------------

// scale to unit length; a zero vector has no direction and stays so
static void direction(double to[3], const double from[3], const double* origin) {
  cfi_copy3(to, from);
  if (origin) {
    cfi_subFrom3(to, origin);
  }
  const double length = cfi_norm3(to);
  for (int k = 0; k < 3; k++) {
    to[k] /= length;
  }
}


// edge of a triangle, by its vertices in order
typedef struct {
  int low, high, triangle, k;
} sharedEdge;


static int compareShared(const void* a, const void* b) {
  const sharedEdge *p = (const sharedEdge*)a, *q = (const sharedEdge*)b;
  if (p->low != q->low) {
    return p->low < q->low ? -1 : 1;
  }
  if (p->high != q->high) {
    return p->high < q->high ? -1 : 1;
  }
  return p->triangle != q->triangle ? (p->triangle > q->triangle) - (p->triangle < q->triangle)
                                    : p->k - q->k;
}


// sum of the normals of all triangles along an edge
static void edgeNormals(cfDistanceField* f) {
  const size_t count = 3 * (size_t)f->mesh->nface;
  sharedEdge* edge = (sharedEdge*)cfi_poolAlloc(&f->mesh->draft->pool, count, sizeof(sharedEdge));
  for (size_t i = 0; i < count; i++) {
    int triangle = (int)(i / 3), k = (int)(i % 3);
    const int a = f->mesh->face[i], b = f->mesh->face[3 * (size_t)triangle + (size_t)((k + 1) % 3)];
    edge[i] = (sharedEdge){a < b ? a : b, a < b ? b : a, triangle, k};
  }
  cfi_sort(edge, count, sizeof(sharedEdge), compareShared);
  for (size_t i = 0, end; i < count; i = end) {
    double sum[3] = {0, 0, 0};
    for (end = i; end < count && edge[end].low == edge[i].low && edge[end].high == edge[i].high;
         end++) {
      cfi_addTo3(sum, f->facenormal[edge[end].triangle]);
    }
    direction(sum, sum, NULL);
    for (size_t j = i; j < end; j++) {
      cfi_copy3(f->edgenormal[3 * (size_t)edge[j].triangle + (size_t)edge[j].k], sum);
    }
  }
}


// normals of triangles; those of vertices weighted by the angle
static void faceAndVertexNormals(cfDistanceField* f) {
  for (int i = 0; i < f->mesh->nface; i++) {
    double* normal = f->facenormal[i];
    cfi_triangleNormal(normal, corner(f, i, 0), corner(f, i, 1), corner(f, i, 2));
    direction(normal, normal, NULL);
    for (int k = 0; k < 3; k++) {
      double next[3], last[3];
      direction(next, corner(f, i, k + 1), corner(f, i, k));
      direction(last, corner(f, i, k + 2), corner(f, i, k));
      cfi_addToScl3(f->vertnormal[f->mesh->face[3 * (size_t)i + (size_t)k]], normal,
                    cfi_acos(cfi_dot3(next, last)));
    }
  }
  for (int i = 0; i < f->mesh->nvert; i++) {
    direction(f->vertnormal[i], f->vertnormal[i], NULL);
  }
}


const cfDistanceField* cfi_newDistanceField(const cfMesh* mesh) {
  cfPool* pool = &mesh->draft->pool;
  const size_t nface = (size_t)mesh->nface, nvert = (size_t)mesh->nvert;
  cfDistanceField* f = (cfDistanceField*)cfi_poolAlloc(pool, 1, sizeof(cfDistanceField));
  f->mesh = mesh;
  f->node = (sphereNode*)cfi_poolAlloc(pool, 2 * nface, sizeof(sphereNode));
  f->order = (int*)cfi_poolAlloc(pool, nface, sizeof(int));
  f->key = (sphereKey*)cfi_poolAlloc(pool, nface, sizeof(sphereKey));
  f->facenormal = (double(*)[3])cfi_poolAlloc(pool, nface, 3 * sizeof(double));
  f->edgenormal = (double(*)[3])cfi_poolAlloc(pool, 3 * nface, 3 * sizeof(double));
  f->vertnormal = (double(*)[3])cfi_poolAlloc(pool, nvert, 3 * sizeof(double));
  for (int i = 0; i < mesh->nface; i++) {
    f->order[i] = i;
  }
  buildSphereNode(f, 0, mesh->nface);
  faceAndVertexNormals(f);
  edgeNormals(f);
  return f;
}


//---------------------------------- queries -------------------------------------------------------

// product of two edge vectors, each given by its ends
static double dotEdges(const double* a_from, const double* a_to, const double* b_from,
                       const double* b_to) {
  double a[3], b[3];
  cfi_sub3(a, a_to, a_from);
  cfi_sub3(b, b_to, b_from);
  return cfi_dot3(a, b);
}


// weights of the corners at the place of a triangle nearest to a point (Ericson 2005, Real-Time
// Collision Detection, 5.1.5): a corner has one weight, a place on an edge two
static void nearestWeights(const cfDistanceField* f, int triangle, const double* p,
                           double weight[3]) {
  CF_ASSERT(triangle >= 0);
  const double* v[3] = {corner(f, triangle, 0), corner(f, triangle, 1), corner(f, triangle, 2)};
  double ahead[3], behind[3], area[3];

  // projections of the point on each edge, measured from both ends
  for (int k = 0; k < 3; k++) {
    const double *a = v[k], *b = v[(k + 1) % 3];
    ahead[k] = dotEdges(a, p, a, b);
    behind[k] = dotEdges(b, p, b, a);
  }
  cfi_zero3(weight);
  for (int k = 0; k < 3; k++) {
    if (ahead[k] <= 0 && behind[(k + 2) % 3] <= 0) {
      weight[k] = 1;
      return;
    }
  }

  // areas seen from the point; negative: the point is outside that edge
  double normal[3];
  cfi_triangleNormal(normal, v[0], v[1], v[2]);
  for (int k = 0; k < 3; k++) {
    double a[3], b[3], cross[3];
    cfi_sub3(a, v[k], p);
    cfi_sub3(b, v[(k + 1) % 3], p);
    cfi_cross(cross, a, b);
    area[k] = cfi_dot3(normal, cross);
    if (area[k] <= 0 && ahead[k] >= 0 && behind[k] >= 0) {
      double share =
          k == 2 ? behind[k] / (behind[k] + ahead[k]) : ahead[k] / (ahead[k] + behind[k]);
      weight[k] = k == 2 ? share : 1 - share;
      weight[(k + 1) % 3] = k == 2 ? 1 - share : share;
      return;
    }
  }
  const double total = area[1] + area[2] + area[0];
  weight[0] = area[1] / total;
  weight[1] = area[2] / total;
  weight[2] = 1 - weight[0] - weight[1];
}


// from the nearest place to the point
static void placeOffset(const cfDistanceField* f, int triangle, const double weight[3],
                        const double* point, double offset[3]) {
  for (int k = 0; k < 3; k++) {
    const double place = weight[0] * corner(f, triangle, 0)[k] +
                         weight[1] * corner(f, triangle, 1)[k] +
                         weight[2] * corner(f, triangle, 2)[k];
    offset[k] = point[k] - place;
  }
}


static void tryTriangle(const cfDistanceField* f, int triangle, const double* point,
                        nearestPlace* nearest) {
  double weight[3], offset[3];
  nearestWeights(f, triangle, point, weight);
  placeOffset(f, triangle, weight, point, offset);
  const double square = cfi_dot3(offset, offset);
  if (square < nearest->distance * nearest->distance) {
    nearest->distance = sqrt(square);
    cfi_copy3(nearest->weight, weight);
    nearest->triangle = triangle;
  }
}


// distance from a point to a node's sphere
static double sphereGap(const sphereNode* node, const double* point) {
  return cfi_dist3(point, node->center) - node->radius;
}


// nearer child first; what lies farther than the best found so far is left out
static void findNearest(const cfDistanceField* f, const double* point, nearestPlace* nearest) {
  enum { DEPTH = 64 };
  struct {
    int node;
    double gap;
  } stack[DEPTH];
  int height = 0;
  stack[height].node = 0;
  stack[height++].gap = -DBL_MAX;
  while (height) {
    height--;
    const sphereNode* node = f->node + stack[height].node;
    if (stack[height].gap >= nearest->distance) {
      continue;
    }
    if (node->child[0] < 0) {
      tryTriangle(f, node->triangle, point, nearest);
      continue;
    }
    CF_ASSERT(height + 2 <= DEPTH);
    double left = sphereGap(f->node + node->child[0], point),
           right = sphereGap(f->node + node->child[1], point);
    const int first = left < right ? 0 : 1;
    stack[height].node = node->child[!first];
    stack[height++].gap = first ? left : right;
    stack[height].node = node->child[first];
    stack[height++].gap = first ? right : left;
  }
}


// pseudonormal of the feature that carries a place
static const double* featureNormal(const cfDistanceField* f, const nearestPlace* place) {
  const double* w = place->weight;
  const int triangle = place->triangle;
  for (int k = 0; k < 3; k++) {
    if (w[k] == 1 && w[(k + 1) % 3] == 0 && w[(k + 2) % 3] == 0) {
      return f->vertnormal[f->mesh->face[3 * (size_t)triangle + (size_t)k]];
    }
  }
  for (int k = 0; k < 3; k++) {
    if (w[(k + 2) % 3] == 0) {
      return f->edgenormal[3 * (size_t)triangle + (size_t)k];
    }
  }
  return f->facenormal[triangle];
}


double cfi_signedDistance(const cfDistanceField* field, const double point[3]) {
  nearestPlace nearest = {DBL_MAX, {1, 0, 0}, 0};
  double offset[3];
  findNearest(field, point, &nearest);
  placeOffset(field, nearest.triangle, nearest.weight, point, offset);
  return cfi_dot3(offset, featureNormal(field, &nearest)) >= 0 ? nearest.distance
                                                               : -nearest.distance;
}
