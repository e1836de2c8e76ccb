// Flexcomps made on the sides of a box: boxes, cylinders, ellipsoids.  In three dimensions every
// triangle of the surface is joined with a point in the center; in two the box has no lid.
#include "mjcf/flexcomp.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "math/libm.h"

// a side: the axis across it and the two along it
typedef struct {
  int across, along[2];
} flexSide;
static const flexSide sides[3] = {{2, {0, 1}}, {1, {0, 2}}, {0, {1, 2}}};

// two triangles of a cell, by steps along the axes of the side
typedef int flexCell[2][3][2];
static const flexCell forward_cell = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
static const flexCell backward_cell = {{{1, 0}, {0, 0}, {0, 1}}, {{1, 0}, {0, 1}, {1, 1}}};
static const flexCell bottom_cell = {{{0, 0}, {1, 1}, {1, 0}}, {{0, 0}, {0, 1}, {1, 1}}};
static const flexCell solid_cell = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {0, 1}, {1, 1}}};

// which way triangles of each side run, low and high end of the axis, so that they face outwards
static const flexCell* const cells[3][2] = {
    {&bottom_cell, &forward_cell},
    {&forward_cell, &backward_cell},
    {&backward_cell, &forward_cell},
};

typedef struct {
  cfFlexcomp* f;
  cfVec place;  // ints, point at each place of the box, plus one
  int npoint;
  bool needs_texcoord;
} flexShell;

static int* placeOf(const flexShell* shell, const int at[3]) {
  const int* count = shell->f->count;
  return cfi_ints(&shell->place) +
         ((size_t)at[0] * (size_t)count[1] + (size_t)at[1]) * (size_t)count[2] + (size_t)at[2];
}

// divide a vector by its length, unless that is tiny or one
static void unitAxis(double* v, int n) {
  double square = 0;
  for (int k = 0; k < n; k++) {
    square += v[k] * v[k];
  }
  const double length = sqrt(square);
  for (int k = 0; k < n && square >= 1e-14 && fabs(length - 1) > 1e-14; k++) {
    v[k] /= length;
  }
}

// from a place of the box to the point of the shape
static void shapePoint(const cfFlexcomp* f, const int at[3], double p[3]) {
  double factor[3];
  for (int k = 0; k < 3; k++) {
    p[k] = 2.0 * at[k] / (f->count[k] - 1) - 1;
    factor[k] = 0.5 * f->spacing[k] * (f->count[k] - 1);
  }
  if (f->type == CF_FLEXCOMP_CYLINDER) {
    const double side = cfi_fmax(fabs(p[0]), fabs(p[1]));
    unitAxis(p, 2);
    factor[0] *= side;
    factor[1] *= side;
  } else if (f->type == CF_FLEXCOMP_ELLIPSOID) {
    unitAxis(p, 3);
  }
  for (int k = 0; k < 3; k++) {
    p[k] *= factor[k];
  }
}

static void addShellTexcoord(flexShell* shell, const flexSide* side, const int at[3]) {
  float* t = (float*)cfi_growVec(&shell->f->texcoord, 2, sizeof(float));
  for (int k = 0; k < 2; k++) {
    const int axis = side->along[k], last = shell->f->count[axis] - 1;
    t[k] = (float)at[axis] / (float)(last > 1 ? last : 1);
  }
}

// points of a side that no side before it has
static void addSidePoints(flexShell* shell, const flexSide* side, int level) {
  cfFlexcomp* f = shell->f;
  int at[3];
  at[side->across] = level;
  for (int i = 0; i < f->count[side->along[0]]; i++) {
    for (int j = 0; j < f->count[side->along[1]]; j++) {
      at[side->along[0]] = i;
      at[side->along[1]] = j;
      int* place = placeOf(shell, at);
      if (*place) {
        continue;
      }
      *place = ++shell->npoint;
      shapePoint(f, at, (double*)cfi_growVec(&f->point, 3, sizeof(double)));
      if (shell->needs_texcoord) {
        addShellTexcoord(shell, side, at);
      }
    }
  }
}

static void addSideCell(flexShell* shell, const flexSide* side, const int low[3],
                        const flexCell* cell) {
  cfFlexcomp* f = shell->f;
  const bool is_solid = f->flex->dim == 3;
  for (int s = 0; s < 2; s++) {
    int* element = (int*)cfi_growVec(&f->element, is_solid ? 4 : 3, sizeof(int));
    if (is_solid) {
      *element++ = 0;
    }
    for (int v = 0; v < 3; v++) {
      int at[3] = {low[0], low[1], low[2]};
      at[side->along[0]] += (*cell)[s][v][0];
      at[side->along[1]] += (*cell)[s][v][1];
      *element++ = *placeOf(shell, at) - (is_solid ? 0 : 1);
    }
  }
}

static void addSideCells(flexShell* shell, const flexSide* side, int level, const flexCell* cell) {
  const int* count = shell->f->count;
  int at[3];
  at[side->across] = level;
  for (int i = 0; i < count[side->along[0]] - 1; i++) {
    for (int j = 0; j < count[side->along[1]] - 1; j++) {
      at[side->along[0]] = i;
      at[side->along[1]] = j;
      addSideCell(shell, side, at, cell);
    }
  }
}

bool cfi_makeFlexShell(cfFlexcomp* f) {
  const int dim = f->flex->dim, *count = f->count;
  if (count[0] < 2 || count[1] < 2 || count[2] < 2) {
    return cfi_badFlexcomp(f, "Count too small");
  }
  flexShell shell = {
      .f = f,
      .needs_texcoord = !cfi_countFloats(&f->texcoord) && !cfi_isEmptyString(f->flex->material)};
  cfi_assignVec(&shell.place, NULL, (size_t)count[0] * (size_t)count[1] * (size_t)count[2],
                sizeof(int));

  // the center; without it there still is a texture coordinate for it
  if (dim == 3) {
    cfi_growVec(&f->point, 3, sizeof(double));
  }
  if (shell.needs_texcoord) {
    cfi_growVec(&f->texcoord, 2, sizeof(float));
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < 3; k++) {
      for (int end = 0; end < 2; end++) {
        const flexSide* side = &sides[k];
        const int level = end ? count[side->across] - 1 : 0;
        if (k == 0 && end == 1 && dim == 2) {
          continue;
        }
        if (pass == 0) {
          addSidePoints(&shell, side, level);
        } else {
          addSideCells(&shell, side, level, dim == 3 ? &solid_cell : cells[k][end]);
        }
      }
    }
  }
  cfi_freeMember(&shell.place, CF_MEMBER_INTVEC);
  return true;
}
