// Geometry of flexes, one flex at a time, in the order of the stage.
#ifndef CF_FLEX_FLEX_H
#define CF_FLEX_FLEX_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// value of body_simple for bodies that only slide, apart from all others: their dofs take forces as
// they are
enum { CF_SIMPLE_SLIDING = 2 };

// a part of the stage, for one flex
typedef void cfFlexPart(const mjModel* m, mjData* d, int f);

cfFlexPart cfi_placeVertices;  // flexvert_xpos, from bodies or from the nodes of a grid
cfFlexPart cfi_boundElements;  // flexelem_aabb, radius included
cfFlexPart cfi_refitTree;      // bvh_aabb_dyn of the tree over the elements
cfFlexPart cfi_measureEdges;   // flexedge_length and, where something makes use of it, flexedge_J
cfFlexPart cfi_measureStrain;  // flexvert_length and flexvert_J: strain around surface vertices

#endif  // CF_FLEX_FLEX_H
