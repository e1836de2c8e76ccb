// Height field against a convex geom: every grid triangle under the geom becomes a prism down to
// the base, and the prisms are collided one by one in the frame of the field.
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/collider.h"
#include "collision/convex/ccd.h"
#include "collision/convex/mpr.h"
#include "collision/flex/flex.h"
#include "math/inline.h"
#include "math/simd/lane.h"
#include "model/flags.h"

typedef struct {
  const mjModel* m;
  const float* data;
  int nrow, ncol;
  const mjtNum* size;  // half x, half y, top, base
  mjtNum dx, dy, margin;
} heightField;

// extent of the geom in the frame of the field
typedef struct {
  mjtNum low[3], high[3];
} extent;


static heightField fieldOf(const mjModel* m, int geom, mjtNum margin) {
  CF_ASSERT(m->geom_type[geom] == mjGEOM_HFIELD);
  const int id = m->geom_dataid[geom];
  heightField f = {.m = m,
                   .data = m->hfield_data + m->hfield_adr[id],
                   .nrow = m->hfield_nrow[id],
                   .ncol = m->hfield_ncol[id],
                   .size = m->hfield_size + 4 * id,
                   .margin = margin};
  f.dx = 2.0 * f.size[0] / (f.ncol - 1);
  f.dy = 2.0 * f.size[1] / (f.nrow - 1);
  return f;
}


// nothing in common with the box of the field
static bool isOutside(const heightField* f, const extent* e) {
  const mjtNum *s = f->size, *low = e->low, *high = e->high;
  return low[0] > s[0] || high[0] < -s[0] || low[1] > s[1] || high[1] < -s[1] || low[2] > s[2] ||
         high[2] < -s[3];
}


static extent extentOf(cfConvex* s) {
  extent e;
  for (int k = 0; k < 3; k++) {
    mjtNum dir[3] = {0, 0, 0}, point[3];
    dir[k] = 1;
    s->support(s, dir, point);
    e.high[k] = point[k];
    dir[k] = -1;
    s->support(s, dir, point);
    e.low[k] = point[k];
  }
  return e;
}


// shift the prism along its strip: the grid point becomes the newest of its three columns
static void addColumn(const heightField* f, cfConvex* prism, int row, int col) {
  CF_ASSERT(row >= 0 && col >= 0);
  mjtNum(*corner)[4] = prism->place;
  for (int k = 0; k < 2; k++) {
    cfi_laneStore(corner[k], cfi_laneLoad(corner[k + 1]));
    cfi_laneStore(corner[k + 3], cfi_laneLoad(corner[k + 4]));
  }
  const mjtNum x = f->dx * col - f->size[0], y = f->dy * row - f->size[1];
  const mjtNum top = f->data[row * f->ncol + col] * f->size[2] + f->margin;
  cfi_laneStore(corner[2], cfi_laneSet(x, y, -f->size[3], 0));
  cfi_laneStore(corner[5], cfi_laneSet(x, y, top, 0));
}


// depth, direction and point of contact; false if apart
static bool collidePrism(const heightField* f, const mjData* d, cfConvex* prism, cfConvex* s,
                         mjtNum* depth, mjtNum dir[3], mjtNum pos[3]) {
  if (cfi_disabled(f->m, mjDSBL_NATIVECCD)) {
    return cfi_mprPrism(f->m, prism, s, depth, dir, pos);
  }
  cfCcd q;
  q.max_iterations = f->m->opt.ccd_iterations;
  q.tolerance = f->m->opt.ccd_tolerance;
  q.max_contacts = 1;
  q.cutoff = 0;
  if (!(cfi_ccd(&q, prism, s, (mjData*)(uintptr_t)d) < 0)) {
    return false;
  }
  *depth = -q.dist;
  cfi_sub3(dir, q.x1, q.x2);
  cfi_normalize3(dir);
  for (int k = 0; k < 3; k++) {
    pos[k] = 0.5 * (q.x1[k] + q.x2[k]);
  }
  return dir[0] != 0 || dir[1] != 0 || dir[2] != 0;
}


static bool isBelow(const cfConvex* prism, mjtNum z) {
  return prism->place[3][2] < z && prism->place[4][2] < z && prism->place[5][2] < z;
}


// by how much a plane must separate shapes so that GJK says so too; infinite where another
// algorithm decides
static mjtNum clearGap(const heightField* f, const cfConvex* s) {
  const mjtNum rounding = 1e-9 * (1 + f->size[0] + f->size[1]);
  if (cfi_disabled(f->m, mjDSBL_NATIVECCD)) {
    return INFINITY;
  }
  return fabs(s->margin) + 2 * fabs(f->m->opt.ccd_tolerance) + rounding;
}


// the plane of the upper triangle separates prism and geom
static bool isAbove(const cfConvex* prism, const cfConvex* s, mjtNum gap) {
  mjtNum e1[3], e2[3], normal[3], offset[3];
  cfi_sub3(e1, prism->place[4], prism->place[3]);
  cfi_sub3(e2, prism->place[5], prism->place[3]);
  cfi_cross(normal, e1, e2);
  if (normal[2] < 0) {
    cfi_scl3(normal, normal, -1);
  }
  cfi_sub3(offset, s->pos, prism->place[3]);
  const mjtNum length = cfi_norm3(normal), height = cfi_dot3(normal, offset);
  return height - gap * length > cfi_reachAlong(s->type, s->size, s->mat, normal, length);
}


// a strip of two triangles per cell between two rows
static int collideRow(const heightField* f, const mjData* d, cfConvex* s, int row, int col0,
                      int col1, mjtNum bottom, mjContact* con, int room) {
  CF_ASSERT(room >= 0);
  cfConvex prism = cfi_convexPrism(f->m, s->geom);
  const mjtNum gap = clearGap(f, s);
  int count = 0;
  addColumn(f, &prism, row + 1, col0);
  addColumn(f, &prism, row, col0);
  for (int k = 2 * (col0 + 1); k < 2 * (col1 + 1) && count < room; k++) {
    mjtNum depth;
    addColumn(f, &prism, row + (k % 2 ? 0 : 1), k / 2);
    if (isBelow(&prism, bottom) || isAbove(&prism, s, gap)) {
      continue;
    }
    if (collidePrism(f, d, &prism, s, &depth, con[count].frame, con[count].pos)) {
      con[count++].dist = -depth;
    }
  }
  return count;
}


// contacts from the frame of the field to the world
static void contactsToWorld(const mjData* d, int field, mjContact* con, int count) {
  const mjtNum *pos = d->geom_xpos + 3 * field, *mat = d->geom_xmat + 9 * field;
  for (int k = 0; k < count; k++) {
    mjtNum local[3];
    cfi_copy3(local, con[k].frame);
    cfi_mulMatVec3(con[k].frame, mat, local);
    cfi_zero3(con[k].frame + 3);
    cfi_copy3(local, con[k].pos);
    cfi_mulMatVec3(con[k].pos, mat, local);
    cfi_addTo3(con[k].pos, pos);
  }
}


// whole number to an index in [0, last]; what is no number, or too large for an int, stays in range
static int gridIndex(mjtNum x, int last) {
  return x > 0 ? (x < last ? (int)x : last) : 0;
}


// cells of the grid below an extent: [low, high) by column and row
typedef struct {
  int low[2], high[2];
} cellRange;

static cellRange cellsBelow(const heightField* f, const extent* e) {
  const int last[2] = {f->ncol - 1, f->nrow - 1};
  cellRange r;
  for (int k = 0; k < 2; k++) {
    const mjtNum half = f->size[k];
    r.low[k] = gridIndex(floor((e->low[k] + half) / (2.0 * half) * last[k]), last[k]);
    r.high[k] = gridIndex(ceil((e->high[k] + half) / (2.0 * half) * last[k]), last[k]);
  }
  return r;
}


static extent ballExtent(const mjtNum center[3], mjtNum radius) {
  extent e;
  for (int k = 0; k < 3; k++) {
    e.low[k] = center[k] - radius;
    e.high[k] = center[k] + radius;
  }
  return e;
}


static extent inflated(const extent* e, mjtNum margin) {
  extent r;
  for (int k = 0; k < 3; k++) {
    r.low[k] = e->low[k] - margin;
    r.high[k] = e->high[k] + margin;
  }
  return r;
}


// the geom in the frame of the field
static cfConvex moveIntoField(cfMovedPose* pose, const mjModel* m, const mjData* d, int geom,
                              int field) {
  const mjtNum* mat = d->geom_xmat + 9 * field;
  cfConvex s = cfi_convexGeom(m, d, geom, 0);
  mjtNum offset[3];
  cfi_sub3(offset, s.pos, d->geom_xpos + 3 * field);
  cfi_mulMatTVec3(pose->pos, mat, offset);
  cfi_mulMatTMat3(pose->mat, mat, s.mat);
  s.pos = pose->pos;
  s.mat = pose->mat;
  return s;
}


static void fixNormals(const mjModel* m, const mjData* d, mjContact* con, int count, int field,
                       int geom) {
  CF_ASSERT(count >= 0 && geom >= 0 && geom < m->ngeom);
  const cfConvex a = cfi_convexPrism(m, field), b = cfi_convexGeom(m, d, geom, 0);
  for (int k = 0; k < count; k++) {
    cfi_fixNormal(con + k, &a, &b);
  }
}


int cfi_collideHfieldConvex(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                            mjtNum margin) {
  CF_ASSERT(m->geom_type[g1] == mjGEOM_HFIELD);
  const heightField f = fieldOf(m, g1, margin);
  cfMovedPose pose;
  cfConvex s = moveIntoField(&pose, m, d, g2, g1);

  // bounding sphere of the geom, then its box
  const extent ball = ballExtent(s.pos, m->geom_rbound[g2] + margin);
  if (isOutside(&f, &ball)) {
    return 0;
  }
  const extent e = extentOf(&s), box = inflated(&e, margin);
  if (isOutside(&f, &box)) {
    return 0;
  }

  const cellRange cells = cellsBelow(&f, &e);
  s.margin = margin;
  int count = 0;
  for (int row = cells.low[1]; row < cells.high[1] && count < mjMAXCONPAIR; row++) {
    count += collideRow(&f, d, &s, row, cells.low[0], cells.high[0], e.low[2], con + count,
                        mjMAXCONPAIR - count);
  }
  contactsToWorld(d, g1, con, count);
  if (cfi_disabled(m, mjDSBL_NATIVECCD)) {
    fixNormals(m, d, con, count, g1, g2);
  }
  return count;
}


// ---------------------------------------- flexes

static extent cornerExtent(const cfSoftShape* s) {
  extent e;
  cfi_copy3(e.low, s->corner[0]);
  cfi_copy3(e.high, s->corner[0]);
  for (int i = 1; i < s->n; i++) {
    for (int k = 0; k < 3; k++) {
      e.low[k] = cfi_min(e.low[k], s->corner[i][k]);
      e.high[k] = cfi_max(e.high[k], s->corner[i][k]);
    }
  }
  return e;
}


static void pointIntoField(mjtNum point[3], const mjData* d, int field) {
  mjtNum offset[3];
  cfi_sub3(offset, point, d->geom_xpos + 3 * field);
  cfi_mulMatTVec3(point, d->geom_xmat + 9 * field, offset);
}


// boxes and columns are chosen by the corners alone, without the radius of the flex, as in MuJoCo
int cfi_collideHfieldSoft(const mjModel* m, const mjData* d, mjContact* con, int geom,
                          cfSoftShape s, mjtNum margin) {
  const heightField f = fieldOf(m, geom, margin);
  pointIntoField(s.center, d, geom);
  for (int k = 0; k < s.n; k++) {
    pointIntoField(s.corner[k], d, geom);
  }
  const extent e = cornerExtent(&s), box = inflated(&e, margin);
  if (isOutside(&f, &box)) {
    return 0;
  }
  const cellRange cells = cellsBelow(&f, &e);
  cfConvex shape = cfi_convexSoft(m, &s);
  int count = 0;
  for (int row = cells.low[1]; row < cells.high[1] && count < mjMAXCONPAIR; row++) {
    count += collideRow(&f, d, &shape, row, cells.low[0], cells.high[0], e.low[2], con + count,
                        mjMAXCONPAIR - count);
  }
  contactsToWorld(d, geom, con, count);
  return count;
}
