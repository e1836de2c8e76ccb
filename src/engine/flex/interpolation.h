// Points that are interpolated from the nodes of a grid: Lagrange polynomials of first or second
// order in each direction of the unit cube, nodes varying fastest along z.
#ifndef CF_FLEX_INTERPOLATION_H
#define CF_FLEX_INTERPOLATION_H

#include <mujoco/mujoco.h>

// weights of the order + 1 nodes along one axis at s in [0, 1], and their derivatives
void cfi_axisWeights(mjtNum weight[3], mjtNum s, int order);
void cfi_axisSlopes(mjtNum slope[3], mjtNum s, int order);

// weight of one node at a point of the unit cube
mjtNum cfi_nodeWeight(const mjtNum at[3], int node, int order);

// nodes of a flex in the world, three numbers each
void cfi_placeNodes(mjtNum* x, const mjModel* m, const mjData* d, int f);

// gradient of the position at the center of the cube with respect to its coordinates, row-major
void cfi_centerGradient(mjtNum gradient[9], const mjtNum* x, int order);

// rotation from the world to the rest orientation of the grid, and the nodes turned by it about the
// origin and moved to the center of the rest cube.  Velocities likewise, unless NULL
void cfi_turnToRest(mjtNum quat[4], mjtNum* x, mjtNum* velocity, const mjModel* m, const mjData* d,
                    int f);

#endif  // CF_FLEX_INTERPOLATION_H
