// Flexcomps made on a regular grid: lines, circles, sheets, discs, blocks.
#include "mjcf/flexcomp.h"

#include <math.h>

#include "base/assert.h"
#include "math/libm.h"

// corners of a cell: those of a quad, then the same one layer up
static const int corner_step[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

// elements of a cell by corners; discs turn the diagonal in two of their quarters
static const int line_cell[1][4] = {{0, 1}};
static const int quad_cell[2][4] = {{0, 1, 2}, {0, 2, 3}};
static const int turned_cell[2][4] = {{0, 1, 3}, {1, 2, 3}};
static const int cube_cell[6][4] = {{0, 3, 1, 7}, {0, 1, 4, 7}, {1, 3, 2, 7},
                                    {1, 2, 6, 7}, {1, 5, 4, 7}, {1, 6, 5, 7}};

// coordinate of a grid point along an axis; the grid is centered
static double gridCoordinate(const cfFlexcomp* f, int axis, int i) {
  return f->spacing[axis] * (i - 0.5 * (f->count[axis] - 1));
}

// where a point stands between the ends of an axis; sheets divide in double precision, blocks in
// single
static float gridFraction(const cfFlexcomp* f, int axis, int i) {
  const int last = f->count[axis] > 2 ? f->count[axis] - 1 : 1;
  return f->flex->dim == 2 ? (float)(i / (double)last) : (float)i / (float)last;
}

static void addGridPoint(cfFlexcomp* f, const int at[3], bool needs_texcoord) {
  double* p = (double*)cfi_growVec(&f->point, 3, sizeof(double));
  for (int axis = 0; axis < f->flex->dim; axis++) {
    p[axis] = gridCoordinate(f, axis, at[axis]);
  }
  if (needs_texcoord) {
    float* t = (float*)cfi_growVec(&f->texcoord, 2, sizeof(float));
    t[0] = gridFraction(f, 0, at[0]);
    t[1] = gridFraction(f, 1, at[1]);
  }
}

// is the diagonal of the cell at a point turned, so that all diagonals of a disc look alike
static bool isTurned(const cfFlexcomp* f, const int at[3]) {
  const double eps = 1e-14;
  const double x = gridCoordinate(f, 0, at[0]), y = gridCoordinate(f, 1, at[1]);
  return f->type == CF_FLEXCOMP_DISC && ((x < -eps && y > -eps) || (x > -eps && y < -eps));
}

// elements of the cell whose low corner is given
static void addGridCell(cfFlexcomp* f, const int at[3]) {
  static const int pieces[4] = {0, 1, 2, 6};
  const int dim = f->flex->dim;
  const int(*cell)[4] = dim == 1          ? line_cell
                        : dim == 3        ? cube_cell
                        : isTurned(f, at) ? turned_cell
                                          : quad_cell;
  int* element = (int*)cfi_growVec(&f->element, (size_t)(pieces[dim] * (dim + 1)), sizeof(int));
  for (int s = 0; s < pieces[dim]; s++) {
    for (int v = 0; v <= dim; v++) {
      const int* step = corner_step[cell[s][v]];
      // the third count is a factor in sheets too, so that it has to be one there
      *element++ = dim == 1 ? at[0] + step[0]
                            : ((at[0] + step[0]) * f->count[1] + at[1] + step[1]) * f->count[2] +
                                  at[2] + step[2];
    }
  }
}

static void makeGrid(cfFlexcomp* f) {
  const int dim = f->flex->dim;
  const int n[3] = {f->count[0], dim > 1 ? f->count[1] : 1, dim > 2 ? f->count[2] : 1};
  const bool needs_texcoord =
      dim > 1 && !cfi_countFloats(&f->texcoord) && !cfi_isEmptyString(f->flex->material);
  int at[3];
  for (at[0] = 0; at[0] < n[0]; at[0]++) {
    for (at[1] = 0; at[1] < n[1]; at[1]++) {
      for (at[2] = 0; at[2] < n[2]; at[2]++) {
        bool has_cell = true;
        for (int axis = 0; axis < dim; axis++) {
          has_cell = has_cell && at[axis] < n[axis] - 1;
        }
        addGridPoint(f, at, needs_texcoord);
        if (has_cell) {
          addGridCell(f, at);
        }
      }
    }
  }
}

// closed line: the last point of the count is the first one again
static void makeCircle(cfFlexcomp* f) {
  const int n = f->count[0] - 1;
  const double angle = 2 * mjPI / n;
  const double radius = f->spacing[0] / cfi_sin(angle / 2) / 2;
  for (int i = 0; i < n; i++) {
    double* p = (double*)cfi_growVec(&f->point, 3, sizeof(double));
    int* element = (int*)cfi_growVec(&f->element, 2, sizeof(int));
    p[0] = radius * cfi_cos(angle * i);
    p[1] = radius * cfi_sin(angle * i);
    element[0] = i;
    element[1] = i == n - 1 ? 0 : i + 1;
  }
}

// squares around the center become ellipses
static void roundSquare(cfFlexcomp* f) {
  const double size[2] = {0.5 * f->spacing[0] * (f->count[0] - 1),
                          0.5 * f->spacing[1] * (f->count[1] - 1)};
  for (int i = 0; i < cfi_flexPoints(f); i++) {
    double* p = cfi_doubles(&f->point) + 3 * (size_t)i;
    const double side = cfi_fmax(fabs(p[0]), fabs(p[1]));
    const double square = p[0] * p[0] + p[1] * p[1], length = sqrt(square);
    const bool is_kept = square < 1e-14 || fabs(length - 1) <= 1e-14;
    for (int k = 0; k < 2; k++) {
      p[k] = (is_kept ? p[k] : p[k] / length) * (size[k] * side);
    }
  }
}

bool cfi_makeFlexGrid(cfFlexcomp* f) {
  CF_ASSERT(f->flex->dim >= 1 && f->flex->dim <= 3);

  // what the user gave stands before what is made
  if (f->type == CF_FLEXCOMP_SQUARE || f->type == CF_FLEXCOMP_DISC) {
    f->flex->dim = 2;
  }
  if (f->type == CF_FLEXCOMP_CIRCLE && f->flex->dim == 1) {
    makeCircle(f);
  } else {
    makeGrid(f);
  }
  if (!cfi_countInts(&f->element)) {
    return cfi_badFlexcomp(f, "No elements were created in grid");
  }
  if (f->type == CF_FLEXCOMP_DISC) {
    roundSquare(f);
  }
  return true;
}
