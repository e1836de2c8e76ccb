// A convex shape as GJK sees it: a pose, and the farthest point along a direction.
#ifndef CF_COLLISION_CONVEX_SHAPE_H
#define CF_COLLISION_CONVEX_SHAPE_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

typedef struct cfConvex_ cfConvex;

// farthest point of the shape along a unit direction, in world coordinates; remembers the vertex it
// chose
typedef void (*cfSupport)(cfConvex* shape, const mjtNum dir[3], mjtNum res[3]);

struct cfConvex_ {
  const mjModel* m;
  int geom, type;
  const mjtNum *pos, *mat, *size;  // pose: that of the geom in mjData, or of a moved copy
  mjtNum margin;                   // the shape is inflated by half of it
  cfSupport support;
  bool walks_hull;  // support climbs the hull graph, from hull_vertex on
  int vertex;  // chosen vertex of boxes (bit k: positive side of axis k) and meshes, -1: none yet
  int hull_vertex;  // where the walk over the hull graph starts, -1: at its first vertex

  // meshes: vertices, and the hull graph where there is one
  const float* vert;
  int nvert;
  const int *edge_adr, *global_id, *edge;
  int nhull;
  const int* start;  // hints for the first walk over the hull, by direction; NULL: none
  mjtNum radius;     // of the sphere around its frame
  bool guesses;      // a branch on the chosen vertex pays (support.h)

  mjtNum (*corner)[3];  // of elements of flexes; storage of the caller

  // the pose in lanes, for boxes, ellipsoids and cylinders that are made ready, and prisms
  bool is_ready;
  mjtNum row[3][4];    // of mat
  mjtNum place[8][4];  // boxes: corners by vertex; prisms: three corners below, three above;
                       // others: columns of mat, then pos
};

// a shape without mesh; pose and size live as long as it is used
cfConvex cfi_convexShape(int type, const mjtNum* pos, const mjtNum* mat, const mjtNum* size,
                         mjtNum margin);

// the vertices of a mesh, for a shape that is one, and the graph of its hull or NULL, with hints or
// NULL; radius: of the sphere around its frame
void cfi_attachHull(cfConvex* shape, const float* vert, int nvert, const int* graph,
                    const int* start, mjtNum radius);

// a geom at its pose in mjData
cfConvex cfi_convexGeom(const mjModel* m, const mjData* d, int geom, mjtNum margin);

// the column of a height field between two triangles, in the frame of the field; its corners are
// put into place by the caller
cfConvex cfi_convexPrism(const mjModel* m, int geom);

// prepare a shape for several support points; needed again after its pose changed
void cfi_readyConvex(cfConvex* shape);

// shapes that sphere and capsule become when their radius is treated as a margin
void cfi_supportPoint(cfConvex* shape, const mjtNum dir[3], mjtNum res[3]);
void cfi_supportSegment(cfConvex* shape, const mjtNum dir[3], mjtNum res[3]);

// support points of two shapes that walk their hulls, as one after the other would give them
void cfi_supportTwoHulls(cfConvex* a, const mjtNum dir_a[3], mjtNum res_a[3], cfConvex* b,
                         const mjtNum dir_b[3], mjtNum res_b[3]);

// the one hull vertex that is farthest along a direction in the frame of the shape; -1 if others
// are almost as far or no hint says where to look
int cfi_findPeak(const cfConvex* shape, const mjtNum dir[3]);

// how far a shape without mesh reaches along a direction, times the direction's length; infinite
// for others
mjtNum cfi_reachAlong(int type, const mjtNum size[3], const mjtNum mat[9], const mjtNum dir[3],
                      mjtNum length);

// two geoms without mesh are separated along the line between their centers, by more than the
// margin and tolerances
bool cfi_clearlyApart(const mjModel* m, const mjData* d, int g1, int g2, mjtNum margin);

// some point inside
void cfi_convexCenter(const cfConvex* shape, mjtNum res[3]);

// a pose of its own for a shape that is moved
typedef struct {
  mjtNum pos[3], mat[9];
} cfMovedPose;

// a shape turned about a point; the pose lives as long as the result is used
cfConvex cfi_rotateConvex(cfMovedPose* pose, const cfConvex* shape, const mjtNum origin[3],
                          const mjtNum rotation[9]);

#endif  // CF_COLLISION_CONVEX_SHAPE_H
