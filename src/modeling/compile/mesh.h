// A mesh on its way from a surface to the arrays of mjModel.
#ifndef CF_COMPILE_MESH_H
#define CF_COMPILE_MESH_H

#include "compile/asset.h"
#include "compile/surface.h"

// a mesh while it is processed; triangles index vertices
typedef struct {
  cfDraft* draft;
  const cfMeshDraft* part;
  int inertia;   // mjtMeshInertia
  double* vert;  // 3 per vertex
  int nvert;
  const int* face;  // 3 per triangle
  int nface;
  const int* hull;  // convex hull in the layout of mesh_graph, NULL where there is none
  int nhull;
  const int* hullface;  // triangles of the hull
  int nhullface;
} cfMesh;

// from a surface as it was read to the arrays of the model; obj: as OBJ files have it
void cfi_buildMesh(cfDraft* draft, const cfMeshDraft* part, cfMeshUse use, cfSurface s, bool is_obj,
                   cfMeshData* out);

// the surface of a mesh that a plugin makes
cfSurface cfi_fieldSurface(cfDraft* draft, const cfMeshDraft* mesh);

// convex hull of the vertices; fails where there is none
void cfi_buildHull(cfMesh* mesh);

// a normal per vertex, averaged over its triangles by area; smooth: over sharp edges too
cfFloats cfi_vertexNormals(const cfMesh* mesh, bool is_smooth);

// normal of a triangle; its length before scaling
double cfi_triangleNormal(double normal[3], const double* a, const double* b, const double* c);

// frame, volume and equivalent box; fails where the surface encloses nothing
void cfi_meshInertia(const cfMesh* mesh, cfMeshData* out);

// fails where two triangles run along an edge in the same direction
void cfi_checkOrientation(const cfMesh* mesh);

// coplanar triangles joined to polygons; their normals are set by cfi_polygonNormals once the mesh
// is in place
void cfi_buildPolygons(const cfMesh* mesh, cfMeshData* out);
void cfi_polygonNormals(const cfMesh* mesh, cfMeshData* out);

// octree with the signed distance to the surface at its corners
void cfi_buildOctree(const cfMesh* mesh, const double aamm[6], cfOctree* out);

// a finished mesh as one block, a product to be kept between compilations, and back; the arrays
// stay in the block
const unsigned char* cfi_packMesh(cfPool* pool, const cfMeshData* mesh);
void cfi_unpackMesh(const unsigned char* data, size_t size, cfMeshData* mesh);

static inline const double* cfi_corner(const cfMesh* mesh, const int* face, int i, int k) {
  return mesh->vert + 3 * (size_t)face[3 * (size_t)i + k];
}

#endif  // CF_COMPILE_MESH_H
