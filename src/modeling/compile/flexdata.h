// Flexes as the compiler needs them: topology, rest shape and elastic coefficients of one flex.
//
// Vertices, edges and elements are numbered within the flex; all memory is of the draft's pool.
#ifndef CF_COMPILE_FLEXDATA_H
#define CF_COMPILE_FLEXDATA_H

#include <stdbool.h>

#include "compile/bvh.h"
#include "compile/draft.h"

enum {
  CF_STIFFNESS_SIZE = 21,  // coefficients of an element, upper triangle over its edges
  CF_BENDING_SIZE = 17,    // coefficients of an edge
};

typedef struct cfFlexData {
  int dim, order;  // order of the interpolation, 0 for none
  int nvert, nnode, nedge, nelem, nshell, nevpair, ntexcoord, nelemtexcoord;
  bool is_rigid;     // all vertices on one body
  bool is_centered;  // vertices, or nodes, at the origins of their bodies
  bool is_interpolated;
  bool has_bending;          // a surface whose folds resist, by elastic2d or a model of bending
  bool is_folded;            // at rest by 60 degrees or more, somewhere
  bool is_textbook;          // young and poisson are those of textbooks
  int *vertbody, *nodebody;  // body ids, -1 for interpolated vertices
  int* elem;                 // dim + 1 vertices per element
  int *edge, *elemedge;      // 2 vertices per edge, lower first; edges of elements
  int* flap;               // 4 vertices per edge of a surface: both ends, then opposite ones or -1
  int *shell, *elemlayer;  // dim vertices per fragment; distance of elements from the surface
  int* evpair;             // element and vertex
  int* elemtexcoord;
  const float* texcoord;
  const double *vert, *node;  // as given, in the frames of bodies; NULL for zeros
  double *vertpos, *nodepos;  // in the world, at the reference configuration
  double* vert0;              // vertices in the unit box around the flex
  double *stiffness, *bending;
  double size[3];  // half sizes of the box
  cfBvh bvh;
} cfFlexData;

// edges of an element and the local vertices at their ends
int cfi_flexEdgeCount(int dim);
const int (*cfi_flexEdgeEnds(int dim))[2];

// edges in the order of their first element; with them the flaps of a surface
void cfi_findFlexEdges(cfPool* pool, cfFlexData* flex);

// surface of the flex, layers of elements below it, elements and vertices close to each other
void cfi_findFlexSurface(cfPool* pool, cfFlexData* flex);

// coefficients of strain energy: of elements, and of the matrix between nodes where vertices are
// interpolated
void cfi_setFlexStiffness(cfPool* pool, cfFlexData* flex, const mjsFlex* attr);
void cfi_setNodeStiffness(cfPool* pool, cfFlexData* flex, const mjsFlex* attr);

// coefficients of bending energy of a surface
void cfi_setFlexBending(cfPool* pool, cfFlexData* flex, const mjsFlex* attr);

// rigidity of the plate to which those coefficients add up; 0 without bending
double cfi_flexRigidityOf(const cfFlexData* flex, const mjsFlex* attr);

#endif  // CF_COMPILE_FLEXDATA_H
