// Shortest path of a string past a sphere or cylinder.
#ifndef CF_KINEMATICS_WRAP_H
#define CF_KINEMATICS_WRAP_H

#include <mujoco/mjmodel.h>

// the object that the string may touch; position, orientation and side point in the world
typedef struct {
  const mjtNum *pos, *mat;
  mjtNum radius;
  int type;            // mjWRAP_SPHERE or mjWRAP_CYLINDER
  const mjtNum* side;  // point on the side where the string runs, may be NULL
} cfWrapObject;

// string from x0 to x1: length of the part on the surface and the two points where it begins and
// ends, or -1 when the string is straight.  A side point inside the object asks for the inverse
// wrap: the string touches the surface from inside the hollow at one point, length 0.
mjtNum cfi_wrap(mjtNum points[2][3], const mjtNum x0[3], const mjtNum x1[3],
                const cfWrapObject* obj);

// inverse wrap in the plane: one point (x, y) on the circle; returns 0, or -1 when the string is
// straight
mjtNum cfi_wrapInside(mjtNum point[2], const mjtNum end[4], mjtNum radius);

#endif  // CF_KINEMATICS_WRAP_H
