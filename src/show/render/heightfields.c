// Height fields as display lists: the ground, four walls and a bottom.
#include "base/assert.h"
#include "render/assets.h"
#include "render/gl.h"
#include "render/matrix.h"
#include "render/shapes.h"

// a height field; sizes in x and y are half widths, then heights above and below the origin
typedef struct {
  const float* data;
  int rows, columns;
  float size[4];
} hfieldView;


// coordinate of a grid line, from -size to size
static float lineAt(float size, int k, int cells) {
  return size * ((float)k / (0.5f * (float)cells) - 1.0f);
}


// point of the ground
static void groundPoint(float p[3], const hfieldView* h, int row, int column) {
  p[0] = lineAt(h->size[0], column, h->columns - 1);
  p[1] = lineAt(h->size[1], row, h->rows - 1);
  p[2] = h->data[row * h->columns + column] * h->size[2];
}


static void emitFlatTriangle(const float a[3], const float b[3], const float c[3]) {
  float normal[3];
  cfi_faceNormal(normal, a, b, c);
  cfi_gl.Normal3fv(normal);
  cfi_gl.Vertex3fv(a);
  cfi_gl.Vertex3fv(b);
  cfi_gl.Vertex3fv(c);
}


// two triangles for each cell, cut from lower left to upper right
static void emitGround(const hfieldView* h) {
  float near[2][3], far[2][3];
  cfi_gl.Begin(GL_TRIANGLES);
  for (int row = 0; row < h->rows - 1; row++) {
    for (int column = 0; column < h->columns - 1; column++) {
      for (int k = 0; k < 2; k++) {
        groundPoint(near[k], h, row, column + k);
        groundPoint(far[k], h, row + 1, column + k);
      }
      emitFlatTriangle(far[0], near[0], far[1]);
      emitFlatTriangle(near[0], near[1], far[1]);
    }
  }
  cfi_gl.End();
}


// piece of a wall under two neighboring points of the ground
static void emitWall(const hfieldView* h, const int from[2], const int to[2]) {
  float a[3], b[3];
  groundPoint(a, h, from[0], from[1]);
  groundPoint(b, h, to[0], to[1]);
  cfi_gl.Vertex3f(a[0], a[1], -h->size[3]);
  cfi_gl.Vertex3f(b[0], b[1], -h->size[3]);
  cfi_gl.Vertex3fv(b);
  cfi_gl.Vertex3fv(a);
}


// the two walls along x, or those along y; each is walked so that the outside is on the right
static void emitWalls(const hfieldView* h, bool along_x) {
  const int steps = (along_x ? h->columns : h->rows) - 1;
  const int last = (along_x ? h->rows : h->columns) - 1;
  for (int k = 0; k < steps; k++) {
    const int low[2][2] = {{along_x ? 0 : k + 1, along_x ? k : 0},
                           {along_x ? 0 : k, along_x ? k + 1 : 0}};
    const int high[2][2] = {{along_x ? last : k, along_x ? k + 1 : last},
                            {along_x ? last : k + 1, along_x ? k : last}};
    cfi_gl.Normal3f(along_x ? 0 : -1, along_x ? -1 : 0, 0);
    emitWall(h, low[0], low[1]);
    cfi_gl.Normal3f(along_x ? 0 : +1, along_x ? +1 : 0, 0);
    emitWall(h, high[0], high[1]);
  }
}


static void emitBottom(const hfieldView* h, int cells) {
  cfi_gl.Normal3f(0, 0, -1);
  for (int k = 0; k < 4 * cells * cells; k++) {
    const int row = k / (4 * cells), column = k / 4 % cells;
    const int right = k % 4 >= 2, up = k % 4 == 1 || k % 4 == 2;
    cfi_gl.Vertex3f(lineAt(h->size[0], column + right, cells), lineAt(h->size[1], row + up, cells),
                    -h->size[3]);
  }
}


void mjr_uploadHField(const mjModel* m, const mjrContext* con, int hfieldid) {
  if (!cfi_canUpload("mjr_uploadHField", "height field", hfieldid, m->nhfield)) {
    return;
  }
  hfieldView h = {m->hfield_data + m->hfield_adr[hfieldid],
                  m->hfield_nrow[hfieldid],
                  m->hfield_ncol[hfieldid],
                  {0}};
  CF_ASSERT(h.rows > 1 && h.columns > 1);
  mju_n2f(h.size, m->hfield_size + 4 * hfieldid, 4);

  const unsigned int list = con->baseHField + (unsigned int)hfieldid;
  cfi_gl.DeleteLists(list, 1);
  cfi_gl.NewList(list, GL_COMPILE);
  emitGround(&h);
  cfi_gl.Begin(GL_QUADS);
  emitWalls(&h, false);
  emitWalls(&h, true);
  emitBottom(&h, m->vis.quality.numquads);
  cfi_gl.End();
  cfi_gl.EndList();
  cfi_checkGl("mjr_uploadHField");
}


bool cfi_makeHFields(const mjModel* m, mjrContext* con) {
  if (!cfi_newLists(&con->baseHField, &con->rangeHField, (int)m->nhfield)) {
    return false;
  }
  for (int i = 0; i < m->nhfield; i++) {
    mjr_uploadHField(m, con, i);
  }
  return true;
}
