// Bending coefficients of surfaces: quadratic curvature energy of the flap of two triangles at an
// edge (Wardetzky et al., "Discrete quadratic curvature energies"), with the correction for curved
// rest shapes (Garg et al., "Cubic shells").
#include "compile/flexdata.h"

#include <math.h>

#include "math/inline.h"

// two triangles at an edge: vectors from the ends of the edge, cotangents of the angles there
typedef struct {
  double edge[3];
  double arm[2][2][3];  // from end i to the opposite vertex of side s: arm[s][i]
  double cot[2][2];     // angle of triangle s at end i: cot[s][i]
  double area;
} flapShape;


static flapShape measureFlap(const double* pos, const int vertex[4]) {
  flapShape flap;
  double doubled = 0;
  cfi_sub3(flap.edge, pos + 3 * (size_t)vertex[1], pos + 3 * (size_t)vertex[0]);
  for (int s = 0; s < 2; s++) {
    double normal[3];
    for (int i = 0; i < 2; i++) {
      double* arm = flap.arm[s][i];
      cfi_sub3(arm, pos + 3 * (size_t)vertex[2 + s], pos + 3 * (size_t)vertex[i]);
      cfi_cross(normal, flap.edge, arm);
      const double along = cfi_dot3(flap.edge, arm);
      flap.cot[s][i] = (i == 0 ? along : -along) / sqrt(cfi_dot3(normal, normal));
    }
    doubled += sqrt(cfi_dot3(normal, normal));
  }
  flap.area = doubled / 2;
  return flap;
}


// heights of both triangles, pointing away from the edge, scaled alike with its length
static double cosineOfFold(const flapShape* flap) {
  double height[2][3];
  for (int s = 0; s < 2; s++) {
    cfi_scl3(height[s], flap->arm[s][0], flap->cot[s][1]);
    cfi_addToScl3(height[s], flap->arm[s][1], flap->cot[s][0]);
  }
  return -cfi_dot3(height[0], height[1]) / cfi_dot3(flap->edge, flap->edge);
}


static void bendEdge(double* out, const flapShape* flap, double mu, double thickness) {
  const double(*cot)[2] = flap->cot;
  const double weight[4] = {cot[0][1] + cot[1][1], cot[0][0] + cot[1][0], -(cot[0][0] + cot[0][1]),
                            -(cot[1][0] + cot[1][1])};
  const double stiffness = 3 * mu * thickness * thickness * thickness / (24 * flap->area);
  const double scale = cosineOfFold(flap) * stiffness;
  for (int k = 0; k < 16; k++) {
    out[k] = weight[k / 4] * weight[k % 4] * scale;
  }

  // volume spanned by the flap: zero for a flat rest shape
  double normal[3];
  const double length2 = cfi_dot3(flap->edge, flap->edge);
  cfi_cross(normal, flap->edge, flap->arm[0][0]);
  out[16] = cfi_dot3(normal, flap->arm[1][0]) * (cot[0][0] - cot[0][1]) * (cot[1][1] - cot[1][0]) *
            stiffness / (length2 * sqrt(length2));
}


// shear modulus of a plate of rigidity 3*mu*thickness^3/24: the material's, as in MuJoCo, or that
// with which the plate is the textbook's
static double plateModulus(const cfFlexData* flex, const mjsFlex* attr) {
  const double nu = attr->poisson;
  return flex->is_textbook ? 2 * attr->young / (3 * (1 - nu * nu)) : attr->young / (2 * (1 + nu));
}


double cfi_flexRigidityOf(const cfFlexData* flex, const mjsFlex* attr) {
  const double t = attr->thickness;
  return flex->bending ? 3 * plateModulus(flex, attr) * t * t * t / 24 : 0;
}


void cfi_setFlexBending(cfPool* pool, cfFlexData* flex, const mjsFlex* attr) {
  flex->bending =
      (double*)cfi_poolAlloc(pool, CF_BENDING_SIZE * (size_t)flex->nedge, sizeof(double));
  const double mu = plateModulus(flex, attr);
  for (int e = 0; e < flex->nedge; e++) {
    const int* vertex = flex->flap + 4 * (size_t)e;
    if (vertex[3] >= 0) {
      const flapShape flap = measureFlap(flex->vertpos, vertex);
      bendEdge(flex->bending + CF_BENDING_SIZE * (size_t)e, &flap, mu, attr->thickness);
      flex->is_folded |= fabs(cosineOfFold(&flap)) < 0.5;
    }
  }
}
