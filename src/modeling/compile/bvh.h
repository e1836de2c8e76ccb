// Bounding volume hierarchies over boxes: geoms of a body, triangles of a mesh, elements of a flex.
#ifndef CF_COMPILE_BVH_H
#define CF_COMPILE_BVH_H

#include <mujoco/mujoco.h>

#include "compile/pool.h"

// a box to be put into a tree: center and half size in its own frame
typedef struct {
  const double* aabb;
  const double* pos;  // position of the box's frame, also the point that is sorted
  const double*
      quat;  // orientation of the box's frame; NULL: the aabb is in the tree's frame already
  int id;    // what a leaf stores
} cfBvhItem;

// nodes in depth-first order, root first, in the layout of mjModel
typedef struct {
  int count;
  mjtNum* aabb;  // count x 6
  int* child;    // count x 2, -1 where there is none
  int* depth;
  int* nodeid;  // item of a leaf, -1 inside
} cfBvh;

// tree over `count` items in the frame (pos, quat), split at the median of the longest side; memory
// from the pool
cfBvh cfi_buildBvh(cfPool* pool, const cfBvhItem* item, int count, const double pos[3],
                   const double quat[4]);

// bounds of an item in the frame of a tree: its position, and the inverse of its orientation
void cfi_boundItem(double low[3], double high[3], const cfBvhItem* item, const double pos[3],
                   const double inverse[4]);

// bounds of a node, which become at least a sliver thick, as center and half sizes
void cfi_boundsToBox(mjtNum aabb[6], double low[3], double high[3]);

#endif  // CF_COMPILE_BVH_H
