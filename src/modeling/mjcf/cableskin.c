// Skin of a cable made of boxes: two sheets of vertices, upper and lower, closed around the border.
//
// Bones stand in a grid, one row per point of the cable.  Without a subgrid every vertex hangs on
// one bone; with it, vertices between the bones follow the cubic surface through 4 x 4 bones: in
// each direction a cubic Hermite spline whose slopes are central differences, one-sided at the
// border.  The weight of a bone is the product of its weights in the two directions.
#include "base/assert.h"
#include "mjcf/cable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// grid of bones, grid of vertices in each sheet
typedef struct {
  int bone_rows, bone_columns;
  int subgrid;  // vertices between neighboring bones
  int rows, columns;
} skinGrid;


//---------------------------------- sheets --------------------------------------------------------

static void addSkinFace(mjsSkin* skin, int a, int b, int c) {
  CF_ASSERT(a >= 0 && b >= 0 && c >= 0);
  int* face = (int*)cfi_growVec((cfVec*)skin->face, 3, sizeof(int));
  face[0] = a;
  face[1] = b;
  face[2] = c;
}


// two triangles between the edge a-b of the upper sheet and the same edge of the lower one, seen
// from outside on the right of a-b; on its left where `is_turned`
static void addBorder(mjsSkin* skin, int sheet, int a, int b, bool is_turned) {
  if (is_turned) {
    addSkinFace(skin, a, sheet + b, b);
    addSkinFace(skin, a, sheet + a, sheet + b);
  } else {
    addSkinFace(skin, a, b, sheet + b);
    addSkinFace(skin, a, sheet + b, sheet + a);
  }
}


// two triangles of the square with this corner
static void addSquare(mjsSkin* skin, const skinGrid* g, int corner, bool is_lower) {
  const int right = corner + 1, up = corner + g->columns, across = up + 1;
  addSkinFace(skin, corner, is_lower ? across : up, is_lower ? up : across);
  addSkinFace(skin, corner, is_lower ? right : across, is_lower ? across : right);
}


static void addSheet(const cfCable* c, mjsSkin* skin, const skinGrid* g, int first) {
  CF_ASSERT(first >= 0);
  for (int row = 0; row < g->rows; row++) {
    for (int column = 0; column < g->columns; column++) {
      cfi_growVec((cfVec*)skin->vert, 3, sizeof(float));
      if (c->has_texcoord) {
        float* uv = (float*)cfi_growVec((cfVec*)skin->texcoord, 2, sizeof(float));
        uv[0] = (float)row / (float)(g->rows - 1);
        uv[1] = (float)column / (float)(g->columns - 1);
      }
      if (row < g->rows - 1 && column < g->columns - 1) {
        addSquare(skin, g, first + row * g->columns + column, first > 0);
      }
    }
  }
}


// long borders, then the two ends
static void addBorders(mjsSkin* skin, const skinGrid* g) {
  const int n = g->columns, sheet = g->rows * n, last = (g->rows - 1) * n;
  for (int row = 0; row < g->rows - 1; row++) {
    addBorder(skin, sheet, row * n, row * n + n, true);
  }
  for (int row = 0; row < g->rows - 1; row++) {
    addBorder(skin, sheet, row * n + n - 1, row * n + 2 * n - 1, false);
  }
  for (int column = 0; column < n - 1; column++) {
    addBorder(skin, sheet, column, column + 1, false);
  }
  for (int column = 0; column < n - 1; column++) {
    addBorder(skin, sheet, last + column, last + column + 1, true);
  }
}


//---------------------------------- bones ---------------------------------------------------------

// bones of a row stand side by side over the width of the boxes
static void addBones(const cfCable* c, mjsSkin* skin, const skinGrid* g) {
  const mjsGeom* geom = (const mjsGeom*)c->geom->attr;
  for (int row = 0; row < g->bone_rows; row++) {
    const bool is_end = row == g->bone_rows - 1;
    char name[300];
    if (row > 0 && row >= g->bone_rows - 2) {
      snprintf(name, sizeof(name), "%sB_last", c->prefix);
    } else {
      cfi_cablePartName(c, "B", row, name, sizeof(name));
    }
    for (int column = 0; column < g->bone_columns; column++) {
      mjs_appendString(skin->bodyname, name);
      float* pos = (float*)cfi_growVec((cfVec*)skin->bindpos, 3, sizeof(float));
      float* quat = (float*)cfi_growVec((cfVec*)skin->bindquat, 4, sizeof(float));
      const bool is_right = column == g->bone_columns - 1, is_middle = column > 0 && !is_right;
      pos[0] = is_end ? (float)(-2 * geom->size[0]) : 0;
      pos[1] = (float)(is_middle ? 0 : is_right ? geom->size[1] : -geom->size[1]);
      quat[0] = 1;
    }
  }
}


// vertices on one bone each
static void hangVertices(mjsSkin* skin, const skinGrid* g) {
  const int sheet = g->rows * g->columns;
  const float weight[2] = {1, 1};
  for (int i = 0; i < sheet; i++) {
    const int id[2] = {i, sheet + i};
    mjs_appendIntVec(skin->vertid, id, 2);
    mjs_appendFloatVec(skin->vertweight, weight, 2);
  }
}


//---------------------------------- subgrid -------------------------------------------------------

// 1D data of a cubic: values at both ends, slopes at both ends
enum { VALUE0, VALUE1, SLOPE0, SLOPE1, SPLINE_DATA };

// coefficients of 1, t, t^2, t^3 from the data
static const double hermite[4][SPLINE_DATA] = {
    {1, 0, 0, 0}, {0, 0, 1, 0}, {-3, 3, -2, -1}, {2, -2, 1, 1}};


// data of a cubic between the second and the third of four neighbors; is_first: there is no first
// one, is_last: no fourth
static void splineData(double data[SPLINE_DATA][4], bool is_first, bool is_last) {
  memset(data, 0, SPLINE_DATA * sizeof(data[0]));
  data[VALUE0][1] = data[VALUE1][2] = 1;
  data[SLOPE0][is_first ? 1 : 0] = is_first ? -1 : -0.5;
  data[SLOPE0][2] = is_first ? 1 : 0.5;
  data[SLOPE1][1] = is_last ? -1 : -0.5;
  data[SLOPE1][is_last ? 2 : 3] = is_last ? 1 : 0.5;
}


// 2D data in the order values, slopes along, slopes across, twists; each at (0,0), (1,0), (1,1),
// (0,1)
static void surfaceData(int q, int* along, int* across) {
  const int corner = q % 4, kind = q / 4;
  *along = (corner == 1 || corner == 2) + (kind & 1 ? SLOPE0 : VALUE0);
  *across = (corner >= 2) + (kind & 2 ? SLOPE0 : VALUE0);
}


// values of all products of powers at the places of a square, times the coefficients: places x 16
// data. Sums run in MuJoCo's order, because weights that cancel to exactly zero are left out.
static double* placesByData(const skinGrid* g) {
  const int n = 2 + g->subgrid;
  const double step = 1.0 / (1 + g->subgrid);
  double coefficient[16 * 16];
  double* powers = (double*)mju_malloc(sizeof(double) * 16 * (size_t)(n * n));
  double* result = (double*)mju_malloc(sizeof(double) * 16 * (size_t)(n * n));
  for (int p = 0; p < n * n; p++) {
    for (int k = 0; k < 16; k++) {
      double product = 1;
      for (int i = 0; i < k / 4; i++) {
        product *= p / n * step;
      }
      for (int i = 0; i < k % 4; i++) {
        product *= p % n * step;
      }
      powers[16 * p + k] = product;
    }
  }
  for (int k = 0; k < 16; k++) {
    for (int q = 0; q < 16; q++) {
      int along, across;
      surfaceData(q, &along, &across);
      coefficient[16 * k + q] = hermite[k / 4][along] * hermite[k % 4][across];
    }
  }
  mju_mulMatMat(result, powers, coefficient, n * n, 16, 16);
  mju_free(powers);
  return result;
}


// weights of the 4 x 4 bones around the square between bones (row, column) and (row + 1, column +
// 1)
static void squareWeights(double* weight, const double* by_data, const skinGrid* g, int row,
                          int column) {
  CF_ASSERT(row >= 0 && column >= 0);
  const int n = 2 + g->subgrid;
  double along[SPLINE_DATA][4], across[SPLINE_DATA][4], stencil[16 * 16];
  splineData(along, row == 0, row == g->bone_rows - 2);
  splineData(across, column == 0, column == g->bone_columns - 2);
  for (int q = 0; q < 16; q++) {
    int a, b;
    surfaceData(q, &a, &b);
    for (int bone = 0; bone < 16; bone++) {
      stencil[16 * q + bone] = along[a][bone / 4] * across[b][bone % 4];
    }
  }
  mju_mulMatMat(weight, by_data, stencil, n * n, 16, 16);
}


// vertices of every bone
typedef struct {
  cfVec id, weight;
} boneVertices;


static void bindVertex(boneVertices* bone, int vertex, int sheet, double weight) {
  CF_ASSERT(vertex >= 0 && sheet >= 0);
  int* id = (int*)cfi_growVec(&bone->id, 2, sizeof(int));
  float* w = (float*)cfi_growVec(&bone->weight, 2, sizeof(float));
  id[0] = vertex;
  id[1] = vertex + sheet;
  w[0] = w[1] = (float)weight;
}


// the vertices of a square; the last squares own their far border
static void bindSquare(boneVertices* bones, const double* weight, const skinGrid* g, int row,
                       int column) {
  const int n = 1 + g->subgrid, sheet = g->rows * g->columns;
  const bool is_last_row = row == g->bone_rows - 2, is_last_column = column == g->bone_columns - 2;
  for (int i = 0; i < n + is_last_row; i++) {
    for (int k = 0; k < n + is_last_column; k++) {
      const int vertex = (row * n + i) * g->columns + column * n + k;
      const double* w = weight + 16 * (i * (n + 1) + k);
      for (int near = 0; near < 16; near++) {
        const int bone = (row + near / 4 - 1) * g->bone_columns + column + near % 4 - 1;
        if (w[near] != 0) {
          bindVertex(bones + bone, vertex, sheet, w[near]);
        }
      }
    }
  }
}


static void spreadVertices(mjsSkin* skin, const skinGrid* g) {
  const int nbone = g->bone_rows * g->bone_columns, n = 2 + g->subgrid;
  boneVertices* bones = (boneVertices*)calloc((size_t)nbone, sizeof(boneVertices));
  double* by_data = placesByData(g);
  double* weight = (double*)mju_malloc(sizeof(double) * 16 * (size_t)(n * n));
  for (int row = 0; bones && row < g->bone_rows - 1; row++) {
    for (int column = 0; column < g->bone_columns - 1; column++) {
      squareWeights(weight, by_data, g, row, column);
      bindSquare(bones, weight, g, row, column);
    }
  }
  for (int i = 0; bones && i < nbone; i++) {
    mjs_appendIntVec(skin->vertid, cfi_ints(&bones[i].id), cfi_countInts(&bones[i].id));
    mjs_appendFloatVec(skin->vertweight, cfi_floats(&bones[i].weight),
                       cfi_countFloats(&bones[i].weight));
    cfi_freeMember(&bones[i].id, CF_MEMBER_INTVEC);
    cfi_freeMember(&bones[i].weight, CF_MEMBER_FLOATVEC);
  }
  mju_free(by_data);
  mju_free(weight);
  free(bones);
}


//---------------------------------- entry ---------------------------------------------------------

static skinGrid newGrid(const cfCable* c) {
  skinGrid g = {
      .bone_rows = c->count[0], .bone_columns = c->subgrid > 0 ? 3 : 2, .subgrid = c->subgrid};
  g.subgrid = g.subgrid > 0 ? g.subgrid : 0;
  g.rows = g.bone_rows + (g.bone_rows - 1) * g.subgrid;
  g.columns = g.bone_columns + (g.bone_columns - 1) * g.subgrid;
  return g;
}


void cfi_makeCableSkin(cfCable* c) {
  const mjsGeom* geom = (const mjsGeom*)c->geom->attr;
  char name[300];
  if (geom->type != mjGEOM_BOX) {
    return;
  }
  mjsSkin* skin = mjs_addSkin(c->r->spec);
  snprintf(name, sizeof(name), "%sSkin", c->prefix);
  cfi_nameCableElement(c, skin->element, name);
  mjs_setString(skin->material, c->material ? c->material : "");
  memcpy(skin->rgba, c->rgba, sizeof(skin->rgba));
  skin->inflate = (float)(2 * geom->size[2]);
  skin->group = c->group;
  const skinGrid g = newGrid(c);
  addSheet(c, skin, &g, 0);
  addSheet(c, skin, &g, g.rows * g.columns);
  addBorders(skin, &g);
  addBones(c, skin, &g);
  if (g.subgrid > 0) {
    spreadVertices(skin, &g);
  } else {
    hangVertices(skin, &g);
  }
}
