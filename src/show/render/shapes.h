// Shapes that every model has, as display lists.
#ifndef CF_RENDER_SHAPES_H
#define CF_RENDER_SHAPES_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// display list of a shape is con->baseBuiltin + one of these; unit sizes
typedef enum {
  CF_SHAPE_SPHERE,
  CF_SHAPE_DOME,  // upper half of a sphere on top of the plane z = 1
  CF_SHAPE_BOWL,  // its lower counterpart below z = -1
  CF_SHAPE_DRUM,  // closed cylinder from z = -1 to 1
  CF_SHAPE_TUBE,  // the same without its ends
  CF_SHAPE_HAZE,  // colored rim in front of a skybox
  CF_SHAPE_CUBE,
  CF_SHAPE_CONE,  // from z = 0 to 1
  CF_SHAPE_COUNT
} cfShape;

bool cfi_makeShapes(const mjModel* m, mjrContext* con);

// planes of the model with their grids; list 0 is a plane of two by two units
bool cfi_makePlanes(const mjModel* m, mjrContext* con);

// first of n new display lists, with mju_error and false if there is none
bool cfi_newLists(unsigned int* base, int* range, int n);

#endif  // CF_RENDER_SHAPES_H
