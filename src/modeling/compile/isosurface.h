// The surface on which a function of space is zero.
#ifndef CF_COMPILE_ISOSURFACE_H
#define CF_COMPILE_ISOSURFACE_H

#include "compile/surface.h"

// values at the points of a grid, x fastest
typedef struct {
  const float* value;
  int size[3];  // points per axis
} cfGrid;

// triangles between negative and other values; vertices in units of the grid, one normal per vertex
cfSurface cfi_isoSurface(cfPool* pool, cfGrid grid);

#endif  // CF_COMPILE_ISOSURFACE_H
