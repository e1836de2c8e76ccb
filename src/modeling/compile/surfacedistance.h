// Signed distance from points to a triangle surface.
#ifndef CF_COMPILE_SURFACEDISTANCE_H
#define CF_COMPILE_SURFACEDISTANCE_H

#include "compile/mesh.h"

typedef struct cfDistanceField cfDistanceField;

// prepare queries; memory from the mesh's pool
const cfDistanceField* cfi_newDistanceField(const cfMesh* mesh);

// distance to the surface, negative inside
double cfi_signedDistance(const cfDistanceField* field, const double point[3]);

#endif  // CF_COMPILE_SURFACEDISTANCE_H
