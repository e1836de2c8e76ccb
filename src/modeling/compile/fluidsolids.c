// Fluid coefficients of a geom: virtual mass and inertia of its equivalent ellipsoid.
//
// Lamb (1932), art. 114-115: the kinetic energy of the fluid around a moving ellipsoid with
// semi-axes a, b, c follows from kappa_a = abc * integral over [0, inf) of dl / ((a^2 + l)
// sqrt((a^2 + l)(b^2 + l)(c^2 + l))).  The integral is taken by 15-point Gauss-Kronrod quadrature
// after the substitution l = x^3 / (1 - x)^2.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "compile/placement.h"
#include "compile/solids.h"
#include "math/libm.h"

enum { QUADRATURE_POINTS = 15 };

// per point: l(x), weight, dl/dx
static const double quadrature[QUADRATURE_POINTS][3] = {
    {7.865151709349917e-08, 0.01146766, 5.538677720489877e-05},
    {1.7347976913907274e-05, 0.03154605, 0.002080868285293228},
    {0.0003548008144506193, 0.05239501, 0.016514126520723166},
    {0.002846636252924549, 0.07032663, 0.07261900344370877},
    {0.014094260903596077, 0.08450236, 0.23985243401862602},
    {0.053063261727396636, 0.09517529, 0.6868318249020725},
    {0.17041978741317773, 0.10221647, 1.8551129519182894},
    {0.5, 0.10474107, 5.0},
    {1.4036301548686991, 0.10221647, 14.060031152313941},
    {3.9353484827022642, 0.09517529, 43.28941239611009},
    {11.644841677041734, 0.08450236, 156.58546376397112},
    {39.53187807410903, 0.07032663, 747.9826085305024},
    {177.5711362220801, 0.05239501, 5827.4042950027115},
    {1429.4772912937397, 0.03154605, 116754.0197944512},
    {54087.416549217705, 0.01146766, 25482945.327264845},
};


// kappa of the first axis; the other two may be exchanged
static double addedMassKappa(double a, double b, double c) {
  // the integration variable is scaled to the size of the body
  const double scale = cfi_pow(a * a * a * b * c, 0.4);
  const double aa = 1.0 / (a * a), bb = 1.0 / (b * b), cc = 1.0 / (c * c);
  double sum = 0;
  for (int i = 0; i < QUADRATURE_POINTS; i++) {
    const double l = scale * quadrature[i][0];
    const double fa = 1 + l * aa, root = sqrt(fa * (1 + l * bb) * (1 + l * cc));
    sum += scale * quadrature[i][2] / (fa * root) * quadrature[i][1];
  }
  return sum * aa;
}


// semi-axes of the ellipsoid that stands for a shape
static void equivalentAxes(double axis[3], int type, const double size[3]) {
  if (!cfi_shapeBox(axis, type, size)) {
    memcpy(axis, size, 3 * sizeof(double));
  }
}


void cfi_fluidCoefficients(double fluid[mjNFLUID], int type, const double size[3], double ellipsoid,
                           const double coefs[5]) {
  double axis[3], kappa[3], square[3];
  equivalentAxes(axis, type, size);
  for (int k = 0; k < 3; k++) {
    kappa[k] = addedMassKappa(axis[k], axis[(k + 1) % 3], axis[(k + 2) % 3]);
    square[k] = axis[k] * axis[k];
  }
  const double volume = 4.0 / 3.0 * mjPI * axis[0] * axis[1] * axis[2];

  fluid[0] = ellipsoid;
  memcpy(fluid + 1, coefs, 5 * sizeof(double));
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double gap = square[i] - square[j];
    const double below = fabs(2 * gap + (square[i] + square[j]) * (kappa[i] - kappa[j]));
    const double factor = gap * gap * fabs(kappa[j] - kappa[i]) / cfi_fmax(CF_EPS, below);
    fluid[6 + k] = volume * kappa[k] / cfi_fmax(CF_EPS, 2 - kappa[k]);
    fluid[9 + k] = volume * factor / 5;
  }
}
