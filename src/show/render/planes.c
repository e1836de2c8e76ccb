// Planes of a model.  They are cut into cells so that light, which is computed at corners, and fog
// come out well; cells follow the grid of the plane, or the pattern of its texture.
#include <math.h>

#include "base/assert.h"
#include "render/gl.h"
#include "render/shapes.h"

// grid lines along one side of a plane
typedef struct {
  int cells;
  double at[mjMAXPLANEGRID + 1];
} gridLines;


bool cfi_newLists(unsigned int* base, int* range, int n) {
  CF_ASSERT(n >= 0);
  *range = n;
  *base = n ? cfi_gl.GenLists(n) : 0;
  if (n && !*base) {
    *range = 0;
    mju_error("Could not allocate display lists");
    return false;
  }
  return true;
}


// lines of a side with an end: pairs of cells, and what is left over as padding at both ends
static void endingLines(gridLines* lines, mjtNum half, mjtNum spacing) {
  const mjtNum cell = mju_max(spacing, half / (mjMAXPLANEGRID - 2));
  int inner = (int)floor(half / mju_max(mjMINVAL, cell));
  inner -= inner % 2;
  const mjtNum padding = half - inner * cell;
  lines->cells = inner + 2;
  lines->at[0] = -half;
  for (int k = 1; k < lines->cells; k++) {
    lines->at[k] = -half + padding + (k - 1) * cell * 2;
  }
  lines->at[lines->cells] = lines->at[lines->cells - 1] + mju_max(0, padding);
}


// lines of an endless side: a little wider than what can be seen, moved in steps of the texture
static void endlessLines(gridLines* lines, mjtNum reach, mjtNum repeat) {
  const mjtNum period = repeat > 0 ? 2 / repeat : 2.1 * reach / (mjMAXPLANEGRID - 2);
  const double cell = (2.1 * reach + 2 * period) / mjMAXPLANEGRID;
  lines->cells = mjMAXPLANEGRID;
  for (int k = 0; k <= mjMAXPLANEGRID; k++) {
    lines->at[k] = cell * k - cell * (mjMAXPLANEGRID / 2);
  }
}


static void emitGrid(const gridLines* x, const gridLines* y) {
  CF_ASSERT(x->cells <= mjMAXPLANEGRID && y->cells <= mjMAXPLANEGRID);
  static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  cfi_gl.Begin(GL_QUADS);
  cfi_gl.Normal3f(0, 0, 1);
  for (int cell = 0; cell < x->cells * y->cells; cell++) {
    const int i = cell / y->cells, j = cell % y->cells;
    for (int k = 0; k < 4; k++) {
      cfi_gl.Vertex3f((float)x->at[i + corner[k][0]], (float)y->at[j + corner[k][1]], 0);
    }
  }
  cfi_gl.End();
}


// plane of two by two units, cut into equal cells; a model may ask for more than a grid has
static void emitUnitPlane(int cells) {
  const double d = 2.0 / cells;
  cfi_gl.Begin(GL_QUADS);
  cfi_gl.Normal3f(0, 0, 1);
  for (int k = 0; k < 4 * cells * cells; k++) {
    const int x = k / (4 * cells), y = k / 4 % cells;
    const int right = k % 4 == 1 || k % 4 == 2, up = k % 4 >= 2;
    cfi_gl.Vertex3f((float)(d * (x + right) - 1), (float)(d * (y + up) - 1), 0);
  }
  cfi_gl.End();
}


static void modelPlane(const mjModel* m, int geom) {
  gridLines lines[2];
  const mjtNum* size = m->geom_size + 3 * geom;
  const int mat = m->geom_matid[geom];
  for (int axis = 0; axis < 2; axis++) {
    if (size[axis] > 0) {
      endingLines(lines + axis, size[axis], size[2]);
    } else {
      endlessLines(lines + axis, m->vis.map.zfar * m->stat.extent,
                   mat >= 0 ? m->mat_texrepeat[2 * mat + axis] : 0);
    }
  }
  emitGrid(lines, lines + 1);
}


bool cfi_makePlanes(const mjModel* m, mjrContext* con) {
  int planes = 0;
  for (int i = 0; i < m->ngeom; i++) {
    planes += m->geom_type[i] == mjGEOM_PLANE;
  }
  if (!cfi_newLists(&con->basePlane, &con->rangePlane, planes + 1)) {
    return false;
  }
  unsigned int list = con->basePlane;
  cfi_gl.NewList(list++, GL_COMPILE);
  emitUnitPlane(m->vis.quality.numquads);
  cfi_gl.EndList();
  for (int i = 0; i < m->ngeom; i++) {
    if (m->geom_type[i] == mjGEOM_PLANE) {
      cfi_gl.NewList(list++, GL_COMPILE);
      modelPlane(m, i);
      cfi_gl.EndList();
    }
  }
  return true;
}
