// Elastic coefficients of flexes.
//
// An element stores the energy of squared edge lengths.  Stretching the edge between vertices i and
// j strains the element by the symmetric part of g_i g_j^T, where g_i is the gradient of vertex i's
// shape function: everything follows from the Gram matrix of these gradients.  With interpolation
// the energy is that of small displacements of nodes, integrated over the box by Gauss points.
#include "compile/flexdata.h"

#include <math.h>

#include "base/assert.h"
#include "math/inline.h"

// first and second parameter of Lame
typedef struct {
  double lambda, mu;
} lameParameters;


static lameParameters lameOf(const mjsFlex* attr) {
  const double E = attr->young, nu = attr->poisson;
  return (lameParameters){E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))};
}


// the energy of a material with these parameters is mu*tr(E^2) + lambda*tr(E)^2 per volume, which
// of a textbook's has twice the lambda.  A sheet is thin: no stress acts across it
static lameParameters textbookLame(const mjsFlex* attr, bool is_surface) {
  const double E = attr->young, nu = attr->poisson;
  lameParameters lame = lameOf(attr);
  lame.lambda = (is_surface ? E * nu / (1 - nu * nu) : lame.lambda) / 2;
  return lame;
}


//---------------------------------- elements ------------------------------------------------------

// triangle: the gradient of a vertex is perpendicular to the opposite side, of length side / (2
// area).  Returns the area, Gram matrix of the sides in `gram`
static double sidesOfTriangle(const double* const x[3], double gram[4][4]) {
  double side[3][3], normal[3];
  for (int i = 0; i < 3; i++) {
    cfi_sub3(side[i], x[(i + 2) % 3], x[(i + 1) % 3]);
  }
  cfi_cross(normal, side[1], side[2]);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      gram[i][j] = cfi_dot3(side[i], side[j]);
    }
  }
  return cfi_norm3(normal) / 2;
}


// tetrahedron: the gradient of a vertex is the area vector of the opposite face / (3 volume).
// Returns the volume, Gram matrix of twice the area vectors in `gram`
static double facesOfTetrahedron(const double* const x[4], double gram[4][4]) {
  static const int opposite[4][3] = {{1, 2, 3}, {2, 0, 3}, {0, 1, 3}, {2, 1, 0}};
  double normal[4][3], side[3];
  for (int i = 0; i < 4; i++) {
    double side1[3], side2[3];
    cfi_sub3(side1, x[opposite[i][1]], x[opposite[i][0]]);
    cfi_sub3(side2, x[opposite[i][2]], x[opposite[i][0]]);
    cfi_cross(normal[i], side1, side2);
  }
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      gram[i][j] = cfi_dot3(normal[i], normal[j]);
    }
  }
  cfi_sub3(side, x[3], x[0]);
  return fabs(cfi_dot3(normal[3], side)) / 6;
}


// energy of pairs of edges, upper triangle row by row
static void fillMetric(double* out, int dim, double gram[4][4], lameParameters lame) {
  const int(*ends)[2] = cfi_flexEdgeEnds(dim);
  const int count = cfi_flexEdgeCount(dim);
  for (int a = 0; a < count; a++) {
    const int i = ends[a][0], j = ends[a][1];
    for (int b = a; b < count; b++) {
      const int k = ends[b][0], l = ends[b][1];
      const double traces = gram[i][j] * gram[k][l];
      const double product = (gram[i][k] * gram[j][l] + gram[i][l] * gram[j][k]) / 2;
      *out++ = lame.mu * product + lame.lambda * traces;
    }
  }
}


void cfi_setFlexStiffness(cfPool* pool, cfFlexData* flex, const mjsFlex* attr) {
  flex->stiffness =
      (double*)cfi_poolAlloc(pool, CF_STIFFNESS_SIZE * (size_t)flex->nelem, sizeof(double));
  const bool is_surface = flex->dim == 2 && attr->elastic2d >= 2 && attr->thickness > 0;
  if (!is_surface && flex->dim != 3) {
    return;
  }
  const lameParameters material = flex->is_textbook ? textbookLame(attr, is_surface) : lameOf(attr);
  for (int e = 0; e < flex->nelem; e++) {
    const double* x[4];
    double gram[4][4];
    for (int k = 0; k <= flex->dim; k++) {
      x[k] = flex->vertpos + 3 * (size_t)flex->elem[(flex->dim + 1) * (size_t)e + k];
    }
    const double content = is_surface ? sidesOfTriangle(x, gram) : facesOfTetrahedron(x, gram);
    const double scale = is_surface ? 1 / (4 * content * content) : 1 / (36 * content * content);
    for (int k = 0; k < 16; k++) {
      const int row = k / 4, column = k % 4;
      gram[row][column] = row <= flex->dim && column <= flex->dim ? gram[row][column] * scale : 0;
    }
    const double usual = is_surface ? content / 4 * attr->thickness : content;
    const double volume = is_surface && flex->is_textbook ? content * attr->thickness : usual;
    const lameParameters lame = {material.lambda * volume, material.mu * volume};
    fillMetric(flex->stiffness + CF_STIFFNESS_SIZE * (size_t)e, flex->dim, gram, lame);
  }
}


//---------------------------------- nodes ---------------------------------------------------------

enum { MAX_NODES = 27, MAX_POINTS = 3 };

// integration over the unit interval
typedef struct {
  int count;
  double point[MAX_POINTS], weight[MAX_POINTS];
} quadratureRule;


// the outer two of three points lie where MuJoCo puts them, at 1/2 +- 1/(2 sqrt(3/5)), which is
// outside the interval; those of Gauss are at 1/2 +- sqrt(3/5)/2
static quadratureRule gaussRule(int count, bool is_textbook) {
  quadratureRule rule = {.count = count};
  const double outer = is_textbook ? sqrt(3.0 / 5.0) : 1 / sqrt(3.0 / 5.0);
  const double inner = count == 2 ? 1 / sqrt(3.0) : outer;
  if (count == 2) {
    rule.point[0] = 0.5 - 0.5 * inner;
    rule.point[1] = 0.5 + 0.5 * inner;
    rule.weight[0] = rule.weight[1] = 0.5;
  } else {
    rule.point[0] = 0.5;
    rule.point[1] = 0.5 - 0.5 * inner;
    rule.point[2] = 0.5 + 0.5 * inner;
    rule.weight[0] = 4.0 / 9.0;
    rule.weight[1] = rule.weight[2] = 2.5 / 9.0;
  }
  return rule;
}


// values and slopes of the one-dimensional shape functions
static void shapeFunctions(double s, int order, double value[3], double slope[3]) {
  if (order == 1) {
    value[0] = 1 - s;
    value[1] = s;
    slope[0] = -1;
    slope[1] = 1;
    return;
  }
  value[0] = 2 * s * s - 3 * s + 1;
  value[1] = 4 * (s - s * s);
  value[2] = 2 * s * s - s;
  slope[0] = 4 * s - 3;
  slope[1] = 4 * (1 - 2 * s);
  slope[2] = 4 * s - 1;
}


// gradients of all nodes' shape functions in the world, at one point of the unit box
static void nodeGradients(double gradient[MAX_NODES][3], const double at[3], int order,
                          const double side[3]) {
  double value[3][3], slope[3][3];
  for (int axis = 0; axis < 3; axis++) {
    shapeFunctions(at[axis], order, value[axis], slope[axis]);
  }
  const int n = order + 1;
  for (int node = 0; node < n * n * n; node++) {
    const int digit[3] = {node / (n * n), node / n % n, node % n};
    for (int axis = 0; axis < 3; axis++) {
      double product = 1 / side[axis];
      for (int k = 0; k < 3; k++) {
        product *= k == axis ? slope[k][digit[k]] : value[k][digit[k]];
      }
      gradient[node][axis] = product;
    }
  }
}


// second derivative of the energy by displacements of two nodes along two axes, negative
static void addNodeMatrix(double* K, int nnode, double gradient[MAX_NODES][3], lameParameters lame,
                          double volume) {
  const size_t width = 3 * (size_t)nnode;
  for (int i = 0; i < nnode; i++) {
    for (int j = 0; j < nnode; j++) {
      const double *a = gradient[i], *b = gradient[j];
      const double dot = cfi_dot3(a, b);
      for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
          const double shear = ((k == l ? dot : 0) + a[l] * b[k]) / 2;
          K[width * (3 * (size_t)i + k) + 3 * (size_t)j + l] -=
              (lame.lambda * a[k] * b[l] + lame.mu * shear) * volume;
        }
      }
    }
  }
}


void cfi_setNodeStiffness(cfPool* pool, cfFlexData* flex, const mjsFlex* attr) {
  CF_ASSERT(flex->order == 1 || flex->order == 2);
  CF_ASSERT(9 * flex->nnode * flex->nnode <= CF_STIFFNESS_SIZE * flex->nelem);
  flex->stiffness =
      (double*)cfi_poolAlloc(pool, CF_STIFFNESS_SIZE * (size_t)flex->nelem, sizeof(double));
  double side[3], gradient[MAX_NODES][3];
  cfi_sub3(side, flex->nodepos + 3 * (size_t)(flex->nnode - 1), flex->nodepos);
  const double volume = side[0] * side[1] * side[2];
  const quadratureRule rule = gaussRule(flex->order + 1, flex->is_textbook);
  lameParameters lame = lameOf(attr);
  if (flex->is_textbook) {
    lame.mu *= 2;  // addNodeMatrix has half of the textbook's shear
  }
  const int n = rule.count;
  for (int p = 0; p < n * n * n; p++) {
    const int index[3] = {p / (n * n), p / n % n, p % n};
    const double at[3] = {rule.point[index[0]], rule.point[index[1]], rule.point[index[2]]};
    const double weight =
        rule.weight[index[0]] * rule.weight[index[1]] * rule.weight[index[2]] * volume;
    nodeGradients(gradient, at, flex->order, side);
    addNodeMatrix(flex->stiffness, flex->nnode, gradient, lame, weight);
  }
}
