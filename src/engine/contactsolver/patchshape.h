// Contact surface of two pressure fields as a few points with area and pressure.
#ifndef CF_CONTACTSOLVER_PATCHSHAPE_H
#define CF_CONTACTSOLVER_PATCHSHAPE_H

#include "contactsolver/field.h"

enum { PATCH_REFINE_MAX = 8, PATCH_SPLIT_MAX = 16 };

// places of a pattern of so many rings, cells of the grid that gathers small polygons, points
#define PATCH_SAMPLES(rings) (1 + 4 * (rings) * ((rings) + 1))
#define PATCH_CELLS(rings) ((2 * (rings) + 1) * (2 * (rings) + 1))
#define PATCH_POINTS(rings) (PATCH_CELLS(rings) + 4 * PATCH_SPLIT_MAX)

// a point of a patch
typedef struct {
  mjtNum pos[3];     // relative to the center of the patch
  mjtNum normal[3];  // unit, from the first geom to the second
  mjtNum area;
  mjtNum pressure;
  mjtNum gradient;  // what pressure grows by per approach along the normal
} cfPatchPoint;

// what a patch is made of
typedef struct {
  cfPressureField field[2];
  int rings;         // refinement
  mjtNum normal[3];  // from the first geom to the second, on the whole
  mjtNum size;       // no place of the patch is further from its center
} cfPatchPair;

// Numbers of scratch that cfi_patchPoints needs.
size_t cfi_patchScratch(const cfPatchPair* pair);

// Points of the patch of two fields, whose planes are the exact ones so far; returns their number,
// at most PATCH_POINTS.
int cfi_patchPoints(cfPatchPair* pair, mjtNum* scratch, cfPatchPoint* point);

#endif  // CF_CONTACTSOLVER_PATCHSHAPE_H
