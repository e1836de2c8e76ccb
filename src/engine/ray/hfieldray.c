// Rays against height fields: a base box below, and above it a grid of triangles with vertical
// walls around.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/simd/lanetest.h"
#include "ray/local.h"

// one height field: grid, half extents in x and y, height, base; spacing of the grid
typedef struct {
  int nrow, ncol;
  const float* data;
  const mjtNum* size;
  mjtNum dx, dy;
} heightGrid;


static heightGrid gridOf(const mjModel* m, int field) {
  CF_ASSERT_INDEX(field, m->nhfield);
  heightGrid g = {.nrow = m->hfield_nrow[field],
                  .ncol = m->hfield_ncol[field],
                  .data = m->hfield_data + m->hfield_adr[field],
                  .size = m->hfield_size + 4 * field};
  g.dx = 2.0 * g.size[0] / (g.ncol - 1);
  g.dy = 2.0 * g.size[1] / (g.nrow - 1);
  return g;
}


static void gridPoint(mjtNum res[3], const heightGrid* g, int r, int c) {
  CF_ASSERT(r >= 0 && r < g->nrow && c >= 0 && c < g->ncol);
  cfi_set3(res, g->dx * c - g->size[0], g->dy * r - g->size[1],
           g->data[r * g->ncol + c] * g->size[2]);
}


// a box shifted along z
static mjtNum shiftedBox(const cfLocalRay* ray, mjtNum shift, const mjtNum size[3], mjtNum* face,
                         mjtNum* normal) {
  cfLocalRay moved = *ray;
  moved.origin[2] -= shift;
  if (!cfi_rayMeetsSphere((const mjtNum[3]){0, 0, 0}, cfi_dot3(size, size), moved.origin,
                          moved.dir)) {
    for (int k = 0; face && k < 6; k++) {
      face[k] = -1;
    }
    return -1;
  }
  return cfi_rayBox(&moved, size, face, normal);
}


// grid cells that the ray passes between x0 and x1, one cell wider on every side
typedef struct {
  int row0, row1, col0, col1;
} rayCells;

static rayCells cellsBetween(const heightGrid* g, const cfLocalRay* ray, mjtNum x0, mjtNum x1) {
  mjtNum p[3], q[3];
  cfi_rayPoint(p, ray, x0);
  cfi_rayPoint(q, ray, x1);
  const mjtNum c0 = (p[0] + g->size[0]) / g->dx, c1 = (q[0] + g->size[0]) / g->dx;
  const mjtNum r0 = (p[1] + g->size[1]) / g->dy, r1 = (q[1] + g->size[1]) / g->dy;
  return (rayCells){.col0 = cfi_maxInt(0, (int)floor(cfi_min(c0, c1)) - 1),
                    .col1 = cfi_minInt(g->ncol - 1, (int)ceil(cfi_max(c0, c1)) + 1),
                    .row0 = cfi_maxInt(0, (int)floor(cfi_min(r0, r1)) - 1),
                    .row1 = cfi_minInt(g->nrow - 1, (int)ceil(cfi_max(r0, r1)) + 1)};
}


// the two triangles of a cell, wound so that their normals point up
static void rayCell(const heightGrid* g, const cfLocalRay* ray, const cfRayPlane* plane, int r,
                    int c, cfRayHit* best) {
  CF_ASSERT(r + 1 < g->nrow && c + 1 < g->ncol);
  mjtNum corner[3], opposite[3], side[2][3], normal[3];
  gridPoint(corner, g, r, c);
  gridPoint(opposite, g, r + 1, c + 1);
  gridPoint(side[0], g, r, c + 1);
  gridPoint(side[1], g, r + 1, c);
  if (cfi_takeHit(best, cfi_rayTriangle(ray, plane, corner, side[0], opposite, normal))) {
    cfi_copy3(best->normal, normal);
  }
  if (cfi_takeHit(best, cfi_rayTriangle(ray, plane, corner, opposite, side[1], normal))) {
    cfi_copy3(best->normal, normal);
  }
}


// a row of cells seen along the ray: lanes 0 and 1 are the two axes of the plane for its lower grid
// points, lanes 2 and 3 for the upper ones
typedef struct {
  cfLane axis[3];  // coordinates of the axes
  cfLane along_y;  // their products with the y of the grid points
} rowShadow;

static rowShadow rowSeen(const heightGrid* g, const cfLocalRay* ray, const cfRayPlane* plane,
                         int r) {
  const mjtNum *u = plane->u, *v = plane->v, low = g->dy * r - g->size[1] - ray->origin[1],
               high = g->dy * (r + 1) - g->size[1] - ray->origin[1];
  rowShadow row;
  for (int k = 0; k < 3; k++) {
    row.axis[k] = cfi_laneSet(u[k], v[k], u[k], v[k]);
  }
  row.along_y = cfi_laneMul(row.axis[1], cfi_laneSet(low, low, high, high));
  return row;
}


// one side of a cell: which of the four coordinates of its shadow are positive, and negative
typedef struct {
  int positive, negative;
} cellSide;

// products and sums as in cfi_castShadow
static inline cellSide sideShadow(const heightGrid* g, const cfLocalRay* ray, const rowShadow* row,
                                  int r, int c) {
  CF_ASSERT(r + 1 < g->nrow);
  const float* height = g->data + r * g->ncol + c;
  const mjtNum x = g->dx * c - g->size[0] - ray->origin[0],
               low = height[0] * g->size[2] - ray->origin[2],
               high = height[g->ncol] * g->size[2] - ray->origin[2];
  const cfLane xy = cfi_laneAdd(cfi_laneMul(row->axis[0], cfi_laneSpread(x)), row->along_y);
  const cfLane shadow =
      cfi_laneAdd(xy, cfi_laneMul(row->axis[2], cfi_laneSet(low, low, high, high)));
  const cfLane zero = cfi_laneSpread(0);
  return (cellSide){cfi_laneLessMask(zero, shadow), cfi_laneLessMask(shadow, zero)};
}


// does the ray pass a cell for sure?  All four corners lie on one side of an axis of the plane
static inline bool passesCell(cellSide a, cellSide b) {
  const int positive = a.positive & b.positive, negative = a.negative & b.negative;
  return ((positive & positive >> 2) | (negative & negative >> 2)) != 0;
}


// the cells in order of rows and columns; the shadow of a side serves the cells on both its sides
static void raySurface(const heightGrid* g, const cfLocalRay* ray, rayCells cells, cfRayHit* best) {
  const cfRayPlane plane = cfi_rayPlane(ray->dir);
  for (int r = cells.row0; r < cells.row1; r++) {
    const rowShadow row = rowSeen(g, ray, &plane, r);
    cellSide left = sideShadow(g, ray, &row, r, cells.col0);
    for (int c = cells.col0; c < cells.col1; c++) {
      const cellSide right = sideShadow(g, ray, &row, r, c + 1);
      if (!passesCell(left, right)) {
        rayCell(g, ray, &plane, r, c, best);
      }
      left = right;
    }
  }
}


// height of the terrain's edge above a point of wall k: 0, 1 at x = -+size, 2, 3 at y = -+size
static mjtNum wallHeight(const heightGrid* g, int k, const mjtNum p[3]) {
  CF_ASSERT_INDEX(k, 4);
  const bool is_x = k < 2;
  const int count = is_x ? g->nrow : g->ncol, stride = is_x ? g->ncol : 1;
  const int first = k % 2 == 0 ? 0 : (is_x ? g->ncol - 1 : (g->nrow - 1) * g->ncol);
  const mjtNum t = is_x ? (p[1] + g->size[1]) / g->dy : (p[0] + g->size[0]) / g->dx;
  const mjtNum cell = cfi_max(0, cfi_min(count - 2, floor(t)));
  const mjtNum a = g->data[first + (int)cell * stride],
               b = g->data[first + ((int)cell + 1) * stride];
  return a * (cell + 1 - t) + b * (t - cell);
}


static void rayWalls(const heightGrid* g, const cfLocalRay* ray, const mjtNum face[6],
                     cfRayHit* best) {
  for (int k = 0; k < 4; k++) {
    mjtNum p[3];
    cfi_rayPoint(p, ray, face[k]);
    if (face[k] >= 0 && p[2] / g->size[2] < wallHeight(g, k, p) && cfi_takeHit(best, face[k])) {
      cfi_zero3(best->normal);
      best->normal[k / 2] = k % 2 ? 1 : -1;
    }
  }
}


mjtNum mj_rayHfield(const mjModel* m, const mjData* d, int geomid, const mjtNum pnt[3],
                    const mjtNum vec[3], mjtNum normal[3]) {
  if (!cfi_isGeomOf(m, geomid, mjGEOM_HFIELD, normal, "mj_rayHfield", "height field")) {
    return -1;
  }
  const mjtNum* axes = d->geom_xmat + 9 * geomid;
  const heightGrid g = gridOf(m, m->geom_dataid[geomid]);
  const cfLocalRay ray = cfi_localRay(d->geom_xpos + 3 * geomid, axes, pnt, vec);
  const mjtNum base[3] = {g.size[0], g.size[1], g.size[3] * 0.5},
               top[3] = {g.size[0], g.size[1], g.size[2] * 0.5};
  cfRayHit best;
  mjtNum face[6];
  best.x = shiftedBox(&ray, -base[2], base, NULL, best.normal);

  // the part of the ray inside the box around the terrain: from its first to its last face
  const mjtNum enter = shiftedBox(&ray, top[2], top, face, NULL);
  if (enter >= 0) {
    mjtNum x0 = 0, x1 = enter;
    for (int k = 0; k < 6; k++) {
      if (face[k] > x1) {
        x0 = enter;
        x1 = face[k];
      }
    }
    raySurface(&g, &ray, cellsBetween(&g, &ray, x0, x1), &best);
    rayWalls(&g, &ray, face, &best);
  }
  if (normal && best.x >= 0) {
    cfi_mulMatVec3(normal, axes, best.normal);
  }
  return best.x;
}
