// Solids and shells: volume, inertia, bounds and fluid coefficients of geom shapes.
#ifndef CF_COMPILE_SOLIDS_H
#define CF_COMPILE_SOLIDS_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// volume of a solid, area of a shell; 0 for planes and shapes without formula
double cfi_shapeVolume(int type, const double size[3], bool is_shell);

// diagonal inertia of a shape of given mass
void cfi_shapeInertia(double inertia[3], int type, const double size[3], bool is_shell,
                      double mass);

// radius of the bounding sphere; 0: unbounded
double cfi_shapeRadius(int type, const double size[3]);

// half sizes of the bounding box centered at the shape; false for planes and shapes with data of
// their own
bool cfi_shapeBox(double half[3], int type, const double size[3]);

// coefficients of the ellipsoid fluid model
void cfi_fluidCoefficients(double fluid[mjNFLUID], int type, const double size[3], double ellipsoid,
                           const double coefs[5]);

// the first size that must be positive and is not, of planes the last alone; -1: there is none
int cfi_badSize(int type, const double size[3]);

#endif  // CF_COMPILE_SOLIDS_H
