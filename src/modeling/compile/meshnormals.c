// Normals: of triangles, of vertices.
#include "base/assert.h"
#include "compile/mesh.h"

#include <math.h>

#include "compile/placement.h"
#include "math/inline.h"

// cosine below which a triangle's normal does not count for a vertex of a mesh with sharp edges
static const double SHARP = 0.8;


double cfi_triangleNormal(double normal[3], const double* a, const double* b, const double* c) {
  double ab[3], ac[3];
  cfi_sub3(ab, b, a);
  cfi_sub3(ac, c, a);
  cfi_cross(normal, ab, ac);
  return cfi_norm3(normal);
}


// unit normal of triangle i and twice its area
static double faceNormal(const cfMesh* mesh, int i, double normal[3]) {
  CF_ASSERT_INDEX(i, mesh->nface);
  const int* face = mesh->face;
  cfi_triangleNormal(normal, cfi_corner(mesh, face, i, 0), cfi_corner(mesh, face, i, 1),
                     cfi_corner(mesh, face, i, 2));
  return cfi_unit(normal, 3);
}


// add a weighted normal; sums are kept in single precision
static void addNormal(float to[3], const double normal[3], double weight) {
  for (int k = 0; k < 3; k++) {
    to[k] = (float)(to[k] + normal[k] * weight);
  }
}


// what triangles at sharp edges have contributed
static void removeSharp(const cfMesh* mesh, float* normal) {
  CF_ASSERT(normal != NULL);
  const size_t count = 3 * (size_t)mesh->nvert;
  float* sharp = (float*)cfi_poolAlloc(&mesh->draft->pool, count, sizeof(float));
  for (int i = 0; i < mesh->nface; i++) {
    double triangle[3];
    const double weight = faceNormal(mesh, i, triangle);
    for (int k = 0; k < 3; k++) {
      const size_t v = 3 * (size_t)mesh->face[3 * (size_t)i + k];
      double mean[3] = {normal[v], normal[v + 1], normal[v + 2]};
      cfi_unit(mean, 3);
      if (cfi_dot3(triangle, mean) < SHARP) {
        addNormal(sharp + v, triangle, weight);
      }
    }
  }
  for (size_t i = 0; i < count; i++) {
    normal[i] -= sharp[i];
  }
}


static void scaleToUnit(float n[3]) {
  const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  const bool is_short = !(length > mjMINVAL);
  for (int k = 0; k < 3; k++) {
    n[k] = is_short ? (k == 2) : n[k] / length;
  }
}


cfFloats cfi_vertexNormals(const cfMesh* mesh, bool is_smooth) {
  const cfFloats normal = cfi_newFloats(&mesh->draft->pool, 3 * (size_t)mesh->nvert);
  for (int i = 0; i < mesh->nface; i++) {
    double triangle[3];
    const double weight = faceNormal(mesh, i, triangle);
    for (int k = 0; k < 3; k++) {
      addNormal(normal.item + 3 * (size_t)mesh->face[3 * (size_t)i + k], triangle, weight);
    }
  }
  if (!is_smooth) {
    removeSharp(mesh, normal.item);
  }
  for (int i = 0; i < mesh->nvert; i++) {
    scaleToUnit(normal.item + 3 * (size_t)i);
  }
  return normal;
}
