// Geometry of primitive shapes: extents and containment.
#ifndef CF_MATH_SHAPE_H
#define CF_MATH_SHAPE_H

#include <mujoco/mjmodel.h>
#include <mujoco/mjtnum.h>

// half extents of a geom along its own axes
void cfi_geomSemiAxes(mjtNum semiaxes[3], const mjtNum size[3], int type);

// point strictly inside a primitive geom
int cfi_insideGeom(const mjtNum pos[3], const mjtNum mat[9], const mjtNum size[3], int type,
                   const mjtNum point[3]);

#endif  // CF_MATH_SHAPE_H
