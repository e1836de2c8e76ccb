// Meshes made by formula, written into a specification as vertices, normals and triangles.
#include <limits.h>
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "compile/placement.h"
#include "compile/surface.h"
#include "math/inline.h"
#include "math/libm.h"
#include "spec/spec.h"

enum { MAX_RESOLUTION = 1024 };

// a surface being written
typedef struct {
  cfPool pool;
  cfFloats vert, normal;  // counts are the room
  cfInts face;
  size_t nvert, nface;  // what is written
} shapeWriter;


static void addPoint(shapeWriter* w, double x, double y, double z) {
  CF_ASSERT(3 * w->nvert < w->vert.count);
  float* to = w->vert.item + 3 * w->nvert++;
  to[0] = (float)x;
  to[1] = (float)y;
  to[2] = (float)z;
}


static void addFace(shapeWriter* w, int a, int b, int c) {
  CF_ASSERT(3 * w->nface < w->face.count);
  int* to = w->face.item + 3 * w->nface++;
  to[0] = a;
  to[1] = b;
  to[2] = c;
}


static void reserve(shapeWriter* w, size_t nvert, size_t nface) {
  w->vert = cfi_newFloats(&w->pool, 3 * nvert);
  w->face = cfi_newInts(&w->pool, 3 * nface);
}


//---------------------------------- hemisphere ----------------------------------------------------

// row r of vertices has 4*r of them; how many stand before it
static int hemisphereRow(int r) {
  return r == 0 ? 0 : 2 * r * (r - 1) + 1;
}


// points of row r: four straight sides of a square between pole and equator, pushed out to the
// sphere
static void hemispherePoints(shapeWriter* w, int r, int nrow) {
  CF_ASSERT(r >= 0 && nrow > 0);
  static const double equator[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
  const double factor = (double)r / nrow;
  for (int side = 0; side < 4; side++) {
    double start[3], end[3];
    for (int k = 0; k < 3; k++) {
      double pole = k == 2, from = k == 2 ? 0 : equator[side][k],
             to = k == 2 ? 0 : equator[side + 1][k];
      start[k] = pole + factor * (from - pole);
      end[k] = pole + factor * (to - pole);
    }
    for (int i = 0; i < r; i++) {
      double p[3];
      for (int k = 0; k < 3; k++) {
        p[k] = start[k] + i * ((end[k] - start[k]) / r);
      }
      const double length = cfi_norm3(p);
      addPoint(w, p[0] / length, p[1] / length, p[2] / length);
    }
  }
}


// triangles between row r and the next one
static void hemisphereBand(shapeWriter* w, int r) {
  CF_ASSERT(r >= 0);
  const int inner = hemisphereRow(r), outer = hemisphereRow(r + 1), ninner = 4 * r,
            nouter = 4 * (r + 1);
  for (int side = 0; side < 4; side++) {
    for (int i = 0; i <= r; i++) {
      const int a = i + r * side, b = i + (r + 1) * side;
      addFace(w, inner + a % ninner, outer + b % nouter, outer + (b + 1) % nouter);
      if (i < r) {
        addFace(w, inner + a % ninner, outer + (b + 1) % nouter, inner + (a + 1) % ninner);
      }
    }
  }
}


static void makeHemisphere(shapeWriter* w, const double* param, mjsMesh* mesh) {
  (void)mesh;
  const int nrow = (int)param[0] + 1, ring = 4 * nrow, start = hemisphereRow(nrow);
  reserve(w, (size_t)(start + ring + 1), (size_t)(4 * nrow * nrow + ring));
  addPoint(w, 0, 0, 1);
  for (int r = 1; r <= nrow; r++) {
    hemispherePoints(w, r, nrow);
  }
  addPoint(w, 0, 0, 0);
  for (int side = 0; side < 4; side++) {
    addFace(w, 0, 1 + side, 1 + (side + 1) % 4);
  }
  for (int r = 1; r < nrow; r++) {
    hemisphereBand(w, r);
  }
  for (int i = 0; i < ring; i++) {
    addFace(w, start + i, start + ring, start + (i + 1) % ring);
  }
}


//---------------------------------- sphere --------------------------------------------------------

// midpoints of edges, listed at the smaller end; no vertex has more than six edges
typedef struct {
  int end[6], mid[6], count;
} edgeList;


static int midpoint(shapeWriter* w, edgeList* list, int a, int b) {
  edgeList* edges = list + (a < b ? a : b);
  const int end = a < b ? b : a;
  for (int i = 0; i < edges->count; i++) {
    if (edges->end[i] == end) {
      return edges->mid[i];
    }
  }
  const float *p = w->vert.item + 3 * a, *q = w->vert.item + 3 * b;
  float m[3];
  for (int k = 0; k < 3; k++) {
    m[k] = (p[k] + q[k]) / 2.0f;
  }
  const float length = sqrtf(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
  CF_ASSERT(edges->count < 6);
  edges->end[edges->count] = end;
  edges->mid[edges->count++] = (int)w->nvert;
  addPoint(w, m[0] / length, m[1] / length, m[2] / length);
  return (int)w->nvert - 1;
}


// every triangle becomes four
static void subdivide(shapeWriter* w, size_t nvert) {
  CF_ASSERT(nvert > 0);
  edgeList* list = (edgeList*)cfi_poolAlloc(&w->pool, nvert, sizeof(edgeList));
  const cfInts old = w->face;
  const size_t nold = w->nface;
  w->face = cfi_newInts(&w->pool, 12 * nold);
  w->nface = 0;
  for (size_t i = 0; i < nold; i++) {
    const int* v = old.item + 3 * i;
    int ab = midpoint(w, list, v[0], v[1]), bc = midpoint(w, list, v[1], v[2]),
        ca = midpoint(w, list, v[2], v[0]);
    addFace(w, v[0], ab, ca);
    addFace(w, v[1], bc, ab);
    addFace(w, v[2], ca, bc);
    addFace(w, ab, bc, ca);
  }
}


// icosahedron: twelve vertices in three golden rectangles
static void makeSphere(shapeWriter* w, const double* param, mjsMesh* mesh) {
  static const signed char face[20][3] = {
      {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
      {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
      {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  (void)mesh;
  const int levels = (int)param[0];
  const size_t nface = (size_t)20 << 2 * levels;
  reserve(w, nface / 2 + 2, 20);
  const float golden = (float)((1.0 + sqrt(5.0)) / 2.0);
  const double length = sqrt(1.0 + golden * golden);
  for (int i = 0; i < 12; i++) {
    // short side along one axis, long side along the next
    float v[3] = {0, 0, 0};
    v[i / 4] = i & 1 ? 1 : -1;
    v[(i / 4 + 1) % 3] = i & 2 ? -golden : golden;
    addPoint(w, v[0] / length, v[1] / length, v[2] / length);
  }
  for (int i = 0; i < 20; i++) {
    addFace(w, face[i][0], face[i][1], face[i][2]);
  }
  for (int level = 0; level < levels; level++) {
    subdivide(w, w->nvert);
  }
}


//---------------------------------- superquadrics -------------------------------------------------

// sign(x) * |x|^e (Barr 1981)
static double signedPower(double x, double e) {
  return copysign(cfi_pow(fabs(x), e), x);
}


// rings of res points from south to north pole
static void makeSupersphere(shapeWriter* w, const double* param, mjsMesh* mesh) {
  (void)mesh;
  const int res = (int)param[0];
  const double e = param[1], n = param[2];
  reserve(w, (size_t)(res - 1) * (size_t)res + 2, 2 * (size_t)res * (size_t)(res - 1));
  addPoint(w, 0, 0, -1);
  for (int k = res; k < res * res; k++) {
    double latitude = -mjPI / 2 + k / res * mjPI / res,
           longitude = -mjPI + k % res * 2 * mjPI / res;
    const double radius = signedPower(cfi_cos(latitude), n);
    addPoint(w, radius * signedPower(cfi_cos(longitude), e),
             radius * signedPower(cfi_sin(longitude), e), signedPower(cfi_sin(latitude), n));
  }
  addPoint(w, 0, 0, 1);

  // row 0 is the cap at the south pole, the last row the one at the north pole
  for (int row = 0; row < res; row++) {
    const int below = 1 + (row - 1) * res, above = 1 + row * res;
    for (int j = 0; j < res; j++) {
      const int next = (j + 1) % res;
      if (row == 0) {
        addFace(w, 0, above + next, above + j);
      } else if (row == res - 1) {
        addFace(w, below + j, below + next, (int)w->nvert - 1);
      } else {
        addFace(w, below + j, below + next, above + j);
        addFace(w, below + next, above + next, above + j);
      }
    }
  }
}


static void makeSupertorus(shapeWriter* w, const double* param, mjsMesh* mesh) {
  (void)mesh;
  const int res = (int)param[0];
  const double radius = param[1], s = param[2], t = param[3];
  reserve(w, (size_t)res * (size_t)res, 2 * (size_t)res * (size_t)res);
  for (int i = 0; i < res * res; i++) {
    const double u = 2 * mjPI * (i / res) / res, v = 2 * mjPI * (i % res) / res;
    const double arm = 1 + radius * signedPower(cfi_cos(v), s);
    addPoint(w, arm * signedPower(cfi_cos(u), t), arm * signedPower(cfi_sin(u), t),
             radius * signedPower(cfi_sin(v), s));
  }
  for (int i = 0; i < res * res; i++) {
    int row = i / res * res, next_row = (i / res + 1) % res * res, col = i % res,
        next_col = (col + 1) % res;
    addFace(w, row + col, next_row + col, row + next_col);
    addFace(w, next_row + col, next_row + next_col, row + next_col);
  }
}


//---------------------------------- tactile surfaces ----------------------------------------------

// borders of n cells over [-1, 1], drawn to the middle by gamma, in radians of a field of view in
// degrees
static double* cellBorders(cfPool* pool, int n, double fov, double gamma) {
  CF_ASSERT(n > 0);
  double* border = (double*)cfi_poolAlloc(pool, (size_t)n + 1, sizeof(double));
  double step = 2.0 / n, at = -1;
  for (int i = 0; i <= n; i++, at += step) {
    const double drawn = gamma ? gamma * cfi_pow(at, 5) + (1 - gamma) * at : at;
    border[i] = fov * mjPI / 180 * drawn;
  }
  return border;
}


// three normals per vertex: outward and along both angles
static void addFrame(shapeWriter* w, double azimuth, double elevation) {
  const double ca = cfi_cos(azimuth), sa = cfi_sin(azimuth), ce = cfi_cos(elevation),
               se = cfi_sin(elevation);
  double frame[3][3] = {{0, 0, 0}, {ce * ca, 0, ce * sa}, {-se * sa, ce, se * ca}};
  cfi_unit(frame[1], 3);
  cfi_unit(frame[2], 3);
  cfi_cross(frame[0], frame[2], frame[1]);
  for (int k = 0; k < 9; k++) {
    w->normal.item[9 * w->nvert + k] = (float)frame[k / 3][k % 3];
  }
}


// cells of a sphere seen from its center
static void makeWedge(shapeWriter* w, const double* param, mjsMesh* mesh) {
  (void)mesh;
  const int nx = (int)param[0], ny = (int)param[1];
  const double* x = cellBorders(&w->pool, nx, param[2], param[4]);
  const double* y = cellBorders(&w->pool, ny, param[3], param[4]);
  reserve(w, (size_t)nx * (size_t)ny, 0);
  w->normal = cfi_newFloats(&w->pool, 9 * (size_t)nx * (size_t)ny);
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < ny; j++) {
      const double azimuth = 0.5 * (x[i + 1] + x[i]), elevation = 0.5 * (y[j + 1] + y[j]);
      addFrame(w, azimuth, elevation);
      addPoint(w, cfi_cos(elevation) * cfi_sin(azimuth), cfi_sin(elevation),
               -cfi_cos(elevation) * cfi_cos(azimuth));
    }
  }
}


// centers of the cells of a square, joined by triangles
static void makePlate(shapeWriter* w, const double* param, mjsMesh* mesh) {
  const int nx = (int)param[0], ny = (int)param[1];
  const double dx = 2. / nx, dy = 2. / ny;
  reserve(w, (size_t)nx * (size_t)ny, 2 * (size_t)(nx - 1) * (size_t)(ny - 1));
  w->normal = cfi_newFloats(&w->pool, 9 * (size_t)nx * (size_t)ny);
  for (int i = 0; i < nx * ny; i++) {
    for (int k = 0; k < 3; k++) {
      w->normal.item[9 * i + 4 * k] = 1;
    }
    addPoint(w, -1 + (i / ny + 0.5) * dx, -1 + (i % ny + 0.5) * dy, -1);
  }
  for (int i = 0; i + 1 < nx; i++) {
    for (int j = 0; j + 1 < ny; j++) {
      const int corner = i * ny + j;
      addFace(w, corner, corner + ny, corner + 1);
      addFace(w, corner + ny + 1, corner + 1, corner + ny);
    }
  }
  mesh->inertia = mjMESH_INERTIA_SHELL;
}


// regular polygon at the bottom, a smaller one or a point at the top
static void makeCone(shapeWriter* w, const double* param, mjsMesh* mesh) {
  (void)mesh;
  const int nedge = (int)param[0];
  const double radius = param[1];
  reserve(w, 2 * (size_t)nedge, 0);
  for (int i = 0; i < (radius > 0 ? 2 * nedge : nedge); i++) {
    const bool is_top = i >= nedge;
    const double angle = 2 * i * mjPI / nedge, r = is_top ? radius : 1;
    addPoint(w, r * cfi_cos(angle), r * cfi_sin(angle), is_top ? 1 : -1);
  }
  if (!(radius > 0)) {
    addPoint(w, 0, 0, 1);
  }
}


//---------------------------------- entry ---------------------------------------------------------

// bounds of one parameter, and what is said when it is outside
typedef struct {
  double low, high;
  bool is_above_low;  // the lower bound itself is outside
  const char* too_low;
  const char* too_high;
} paramBounds;

typedef struct {
  mjtMeshBuiltin builtin;
  int nparam;
  const char* wrong_count;
  void (*make)(shapeWriter* w, const double* param, mjsMesh* mesh);
  paramBounds bounds[5];
} builtinShape;

static const char fov0[] = "fov[0] must be a float between (0, 180] degrees";
static const char fov1[] = "`fov[1]` must be a float between (0, 90] degrees";
static const char gamma_range[] = "`gamma` must be a nonnegative float between [0, 1]";
static const char resolution_low[] = "Horizontal and vertical resolutions must be positive";
static const char resolution_high[] = "mesh resolution must not be greater than 1024";
static const char torus_radius[] = "Supertorus radius must be in (0, 1]";

static const builtinShape builtin_shapes[] = {
    {mjMESH_BUILTIN_HEMISPHERE,
     1,
     "Hemisphere mesh type requires 1 parameter",
     makeHemisphere,
     {{0, 10, false, "Hemisphere resolution cannot be negative",
       "Hemisphere resolution cannot be greater than 10"}}},
    {mjMESH_BUILTIN_SPHERE,
     1,
     "Sphere mesh type requires 1 parameter",
     makeSphere,
     {{0, 4, false, "Sphere subdivision cannot be negative",
       "Sphere subdivision cannot be greater than 4"}}},
    {mjMESH_BUILTIN_SUPERSPHERE,
     3,
     "Supersphere mesh type requires 3 parameters",
     makeSupersphere,
     {{3, MAX_RESOLUTION, false, "Supersphere resolution must be greater than 2", resolution_high},
      {0, INFINITY, false, "Supersphere 'e' cannot be negative", ""},
      {0, INFINITY, false, "Supersphere 'n' cannot be negative", ""}}},
    {mjMESH_BUILTIN_SUPERTORUS,
     4,
     "Supertorus mesh type requires 4 parameters",
     makeSupertorus,
     {{3, MAX_RESOLUTION, false, "Supertorus resolution must be greater than 3", resolution_high},
      {0, 1, true, torus_radius, torus_radius},
      {0, INFINITY, true, "Supertorus 's' must be greater than 0", ""},
      {0, INFINITY, true, "Supertorus 't' must be greater than 0", ""}}},
    {mjMESH_BUILTIN_WEDGE,
     5,
     "Wedge builtin mesh types require 5 parameters",
     makeWedge,
     {{1, MAX_RESOLUTION, false, resolution_low, resolution_high},
      {1, MAX_RESOLUTION, false, resolution_low, resolution_high},
      {0, 180, true, fov0, fov0},
      {0, 90, true, fov1, fov1},
      {0, 1, false, gamma_range, gamma_range}}},
    {mjMESH_BUILTIN_PLATE,
     2,
     "Plate builtin mesh type requires 2 parameters",
     makePlate,
     {{1, MAX_RESOLUTION, false, resolution_low, resolution_high},
      {1, MAX_RESOLUTION, false, resolution_low, resolution_high}}},
    {mjMESH_BUILTIN_CONE,
     2,
     "Cone mesh type requires 2 parameters",
     makeCone,
     {{1, MAX_RESOLUTION, false, "Cone must have a positive number of edges", resolution_high},
      {-INFINITY, INFINITY, false, "Cone radius must be a number", ""}}},
};


// what is wrong with the parameters, or NULL; counts are cut to whole numbers first
static const char* checkParams(const builtinShape* shape, double* param) {
  for (int k = 0; k < shape->nparam; k++) {
    const paramBounds* b = &shape->bounds[k];
    const bool is_count = b->high == MAX_RESOLUTION || k == 0;
    const double value = is_count && fabs(param[k]) < INT_MAX ? (int)param[k] : param[k];
    if (!(value >= b->low) || (b->is_above_low && value == b->low)) {
      return b->too_low;
    }
    if (value > b->high) {
      return b->too_high;
    }
  }
  return NULL;
}


int mjs_makeMesh(mjsMesh* mesh, mjtMeshBuiltin builtin, double* params, int nparams) {
  cfSpec* spec = cfi_element(mesh->element)->spec;
  const builtinShape* shape = NULL;
  for (size_t k = 0; k < sizeof(builtin_shapes) / sizeof(builtin_shapes[0]); k++) {
    shape = builtin_shapes[k].builtin == builtin ? &builtin_shapes[k] : shape;
  }
  if (!shape) {
    cfi_setError(spec, false, "Error: Unsupported mesh type");
    return 1;
  }
  const char* trouble = nparams != shape->nparam ? shape->wrong_count : checkParams(shape, params);
  if (trouble) {
    cfi_setError(spec, false, "Error: %s", trouble);
    return -1;
  }
  shapeWriter w;
  memset(&w, 0, sizeof(w));
  shape->make(&w, params, mesh);
  mjs_setFloat(mesh->uservert, w.vert.item, (int)(3 * w.nvert));
  if (w.normal.count) {
    mjs_setFloat(mesh->usernormal, w.normal.item, (int)w.normal.count);
  }
  if (w.face.count) {
    mjs_setInt(mesh->userface, w.face.item, (int)(3 * w.nface));
  }
  cfi_poolFree(&w.pool);
  return 0;
}
