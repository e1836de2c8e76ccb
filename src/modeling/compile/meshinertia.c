// Volume, center of mass and inertia of meshes, of unit density.
//
// A closed surface is a sum of pyramids from one point to the triangles, counted with sign where
// the surface is exact, without where inertia is 'legacy', or over the convex hull's triangles; a
// shell is a sum of the triangles themselves.  Products of inertia: Tonon (2005), "Explicit exact
// formulas for the 3-D tetrahedron inertia tensor".
#include "base/assert.h"
#include "base/sort.h"
#include "compile/mesh.h"

#include <math.h>

#include "compile/bodyinertia.h"
#include "math/inline.h"

// triangles that carry the mass, and how they count
typedef struct {
  const cfMesh* mesh;
  const int* face;
  int nface;
  bool is_shell, is_unsigned;
} massSurface;

// sums over triangles
typedef struct {
  double total;  // area or volume
  double center[3];
} massSum;


//---------------------------------- orientation ---------------------------------------------------

typedef struct {
  int from, to;
} halfEdge;


static int compareEdges(const void* a, const void* b) {
  const halfEdge *e = (const halfEdge*)a, *f = (const halfEdge*)b;
  return e->from != f->from ? (e->from > f->from) - (e->from < f->from)
                            : (e->to > f->to) - (e->to < f->to);
}


void cfi_checkOrientation(const cfMesh* mesh) {
  CF_ASSERT(mesh->nface >= 0);
  const double min_area = sqrt(mjMINVAL);
  halfEdge* edge =
      (halfEdge*)cfi_poolAlloc(&mesh->draft->pool, 3 * (size_t)mesh->nface + 1, sizeof(halfEdge));
  size_t count = 0;
  for (int i = 0; i < mesh->nface; i++) {
    double normal[3];
    const int* corner = mesh->face + 3 * (size_t)i;
    double length =
        cfi_triangleNormal(normal, mesh->vert + 3 * (size_t)corner[0],
                           mesh->vert + 3 * (size_t)corner[1], mesh->vert + 3 * (size_t)corner[2]);
    if (0.5 * length > min_area) {
      for (int k = 0; k < 3; k++) {
        edge[count++] = (halfEdge){corner[k], corner[(k + 1) % 3]};
      }
    }
  }
  cfi_sort(edge, count, sizeof(halfEdge), compareEdges);
  for (size_t i = 1; i < count; i++) {
    if (!compareEdges(edge + i - 1, edge + i)) {
      cfi_fail(
          mesh->draft, &mesh->part->part,
          "faces of mesh '%s' have inconsistent orientation. Please check the faces containing the "
          "vertices %d and %d.",
          mesh->part->part.name, edge[i].from + 1, edge[i].to + 1);
    }
  }
}


//---------------------------------- sums over triangles -------------------------------------------

// area, unit normal and center of a triangle
static double triangleArea(double normal[3], double center[3], const double* a, const double* b,
                           const double* c) {
  for (int k = 0; k < 3; k++) {
    center[k] = (a[k] + b[k] + c[k]) / 3;
  }
  const double length = cfi_triangleNormal(normal, a, b, c);
  if (length < mjMINVAL) {
    return 0;
  }
  for (int k = 0; k < 3; k++) {
    normal[k] /= length;
  }
  return 0.5 * length;
}


// measure of a triangle seen from a point: its area, or the volume of the pyramid
static double triangleMass(const massSurface* s, double area, const double normal[3],
                           const double arm[3]) {
  if (s->is_shell) {
    return area;
  }
  const double volume = cfi_dot3(arm, normal) * area / 3;
  return s->is_unsigned ? fabs(volume) : volume;
}


static void divideSum(massSum* sum) {
  for (int k = 0; k < 3 && sum->total >= mjMINVAL; k++) {
    sum->center[k] /= sum->total;
  }
}


// total area and mean of the triangles' centers
static massSum surfaceCenter(const cfMesh* mesh) {
  massSum sum = {0, {0, 0, 0}};
  for (int i = 0; i < mesh->nface; i++) {
    double normal[3], center[3];
    double area =
        triangleArea(normal, center, cfi_corner(mesh, mesh->face, i, 0),
                     cfi_corner(mesh, mesh->face, i, 1), cfi_corner(mesh, mesh->face, i, 2));
    cfi_addToScl3(sum.center, center, area);
    sum.total += area;
  }
  divideSum(&sum);
  return sum;
}


// measure and center of mass, pyramids having their apex in a given point
static massSum massCenter(const massSurface* s, const double apex[3]) {
  massSum sum = {0, {0, 0, 0}};
  for (int i = 0; i < s->nface; i++) {
    double normal[3], center[3], arm[3];
    double area =
        triangleArea(normal, center, cfi_corner(s->mesh, s->face, i, 0),
                     cfi_corner(s->mesh, s->face, i, 1), cfi_corner(s->mesh, s->face, i, 2));
    cfi_sub3(arm, center, apex);
    const double mass = triangleMass(s, area, normal, arm);
    sum.total += mass;
    for (int k = 0; k < 3; k++) {
      sum.center[k] += mass * (center[k] * 3.0 / 4.0 + apex[k] / 4.0);
    }
  }
  divideSum(&sum);
  return sum;
}


// sum of x_a*x_b over a tetrahedron with one corner in the origin, or over a triangle, of unit
// measure
static double product(const double p[3][3], int a, int b) {
  CF_ASSERT(a >= 0 && a < 3 && b >= 0 && b < 3);
  return 2 * (p[0][a] * p[0][b] + p[1][a] * p[1][b] + p[2][a] * p[2][b]) + p[0][a] * p[1][b] +
         p[0][b] * p[1][a] + p[0][a] * p[2][b] + p[0][b] * p[2][a] + p[1][a] * p[2][b] +
         p[1][b] * p[2][a];
}


// inertia about a point (xx, yy, zz, xy, xz, yz) and measure
static double massInertia(const massSurface* s, const double about[3], double inertia[6]) {
  static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
  double P[6] = {0, 0, 0, 0, 0, 0}, total = 0;
  for (int i = 0; i < s->nface; i++) {
    double p[3][3], normal[3], center[3];
    for (int k = 0; k < 3; k++) {
      cfi_sub3(p[k], cfi_corner(s->mesh, s->face, i, k), about);
    }
    const double area = triangleArea(normal, center, p[0], p[1], p[2]);
    double mass = triangleMass(s, area, normal, center);
    total += mass;
    for (int k = 0; k < 6; k++) {
      P[k] += mass / (s->is_shell ? 12 : 20) * product((const double(*)[3])p, first[k], second[k]);
    }
  }
  for (int k = 0; k < 3; k++) {
    inertia[k] = P[k == 0] + P[k == 2 ? 1 : 2];
    inertia[3 + k] = -P[3 + k];
  }
  return total;
}


//---------------------------------- verdicts ------------------------------------------------------

static void checkMass(const cfMesh* mesh, double total, bool is_shell) {
  const char* name = mesh->part->part.name;
  if (total >= mjMINVAL) {
    return;
  }
  if (is_shell) {
    cfi_fail(mesh->draft, &mesh->part->part, "mesh surface area is too small: %s", name);
  }
  if (total < 0) {
    cfi_fail(mesh->draft, &mesh->part->part, "mesh volume is negative (misoriented triangles): %s",
             name);
  }
  cfi_fail(mesh->draft, &mesh->part->part,
           "mesh volume is too small: %s . Try setting inertia to shell", name);
}


static void checkMoments(const cfMesh* mesh, const double moment[3]) {
  const double slack_abs = 1e-9, slack_rel = 1e-6;
  const char* name = mesh->part->part.name;
  if (moment[2] <= 0) {
    cfi_fail(mesh->draft, &mesh->part->part, "eigenvalue of mesh inertia must be positive: %s",
             name);
  }
  for (int k = 0; k < 3; k++) {
    if (moment[(k + 1) % 3] + moment[(k + 2) % 3] < moment[k] * (1.0 - slack_rel) - slack_abs) {
      cfi_fail(mesh->draft, &mesh->part->part, "eigenvalues of mesh inertia violate A + B >= C: %s",
               name);
    }
  }
}


// half sizes of the solid box with the same moments and measure
static void equivalentBox(double half[3], const double moment[3], double total) {
  half[0] = 0.5 * sqrt(6 * (moment[1] + moment[2] - moment[0]) / total);
  half[1] = 0.5 * sqrt(6 * (moment[0] + moment[2] - moment[1]) / total);
  half[2] = 0.5 * sqrt(6 * (moment[0] + moment[1] - moment[2]) / total);
}


void cfi_meshInertia(const cfMesh* mesh, cfMeshData* out) {
  CF_ASSERT(mesh->nvert > 0 && out);
  const bool is_convex = mesh->inertia == mjMESH_INERTIA_CONVEX;
  massSurface s = {mesh, is_convex ? mesh->hullface : mesh->face,
                   is_convex ? mesh->nhullface : mesh->nface, mesh->inertia == mjMESH_INERTIA_SHELL,
                   mesh->inertia == mjMESH_INERTIA_LEGACY};
  massSum surface = surfaceCenter(mesh);
  checkMass(mesh, surface.total, true);
  massSum mass = massCenter(&s, surface.center);
  checkMass(mesh, mass.total, s.is_shell);

  double inertia[6], moment[3];
  out->volume = massInertia(&s, mass.center, inertia);
  cfi_principalAxes(moment, out->quat, inertia);
  checkMoments(mesh, moment);
  equivalentBox(out->boxsize, moment, out->volume);
  cfi_copy3(out->pos, mass.center);
}
