// Features of polyhedra: the vertex, edge or face with which one touches, and what may lie around
// it.
#ifndef CF_COLLISION_CONVEX_FEATURE_H
#define CF_COLLISION_CONVEX_FEATURE_H

#include "collision/convex/shape.h"

enum { CF_POLYGON_MAX = 150 };

#define CF_FACING 0.99999872    // cosine of 1.6e-3: normals that count as parallel or opposite
#define CF_LEVEL 0.00159999931  // sine of the same angle: an edge that counts as lying in a face

// the feature of one shape that touches: 1, 2 or 3 different vertices of the EPA face
typedef struct {
  const cfConvex* shape;
  int dim;
  int id[3];
  const mjtNum* point[3];
} cfTouchingFeature;

// directions that a feature may stand for: normals of faces (id: which face) or edges (end: their
// other vertex)
typedef struct {
  int count;
  int id[CF_POLYGON_MAX];
  mjtNum dir[CF_POLYGON_MAX][3];
  mjtNum end[CF_POLYGON_MAX][3];
} cfFeatureDirs;

typedef struct {
  int count;
  mjtNum point[2 * CF_POLYGON_MAX][3];
} cfPolygon;

// normals of the faces that hold the whole feature; the contact normal decides for boxes where the
// vertices do not tell
void cfi_featureNormals(cfFeatureDirs* dirs, const cfTouchingFeature* f, const mjtNum normal[3]);

// edges that start at the feature's first vertex
void cfi_featureEdges(cfFeatureDirs* dirs, const cfTouchingFeature* f);

// corners of a face in the world
void cfi_facePolygon(cfPolygon* poly, const cfConvex* s, int face);

#endif  // CF_COLLISION_CONVEX_FEATURE_H
