// Support functions.  Ties go to the side that MuJoCo chooses: zero counts as positive, the first
// best vertex wins.
#include "collision/convex/shape.h"

#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/convex/ccd.h"
#include "collision/convex/support.h"
#include "math/inline.h"
#include "math/simd/lanetest.h"
#include "model/hullstart.h"

enum { HILL_CLIMB_MIN = 10 };  // meshes with fewer vertices are searched exhaustively


static inline mjtNum sided(mjtNum x, mjtNum size) {
  return x >= 0 ? size : -size;
}


void cfi_supportPoint(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  (void)dir;
  cfi_copy3(res, s->pos);
}


void cfi_supportSegment(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  mjtNum axis[3];
  cfi_column3(axis, s->mat, 2);
  cfi_addScl3(res, s->pos, axis, sided(cfi_dot3(axis, dir), s->size[1]));
}


static void supportSphere(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  cfi_addScl3(res, s->pos, dir, s->size[0]);
}


static void supportCapsule(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const cfVec3 local = cfi_turnBack(s, dir);
  const mjtNum radius = s->size[0];
  cfi_putPoint(s, local.x * radius, local.y * radius, local.z * radius + sided(local.z, s->size[1]),
               res);
}


static void supportEllipsoid(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const mjtNum* size = s->size;
  const cfVec3 local = cfi_turnBack(s, dir),
               scaled = {local.x * size[0], local.y * size[1], local.z * size[2]};
  const mjtNum square = cfi_dotVec(scaled, scaled);
  if (square < mjMINVAL * mjMINVAL) {
    cfi_putPoint(s, size[0], 0, 0, res);
  } else {
    const mjtNum inverse = 1 / sqrt(square);
    cfi_putPoint(s, scaled.x * (inverse * size[0]), scaled.y * (inverse * size[1]),
                 scaled.z * (inverse * size[2]), res);
  }
}


static void supportCylinder(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const cfVec3 local = cfi_turnBack(s, dir);
  const mjtNum square = local.x * local.x + local.y * local.y;
  const mjtNum scale = square >= mjMINVAL * mjMINVAL ? s->size[0] / sqrt(square) : 0;
  cfi_putPoint(s, scale * local.x, scale * local.y, sided(local.z, s->size[1]), res);
}


static void supportBox(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const cfVec3 local = cfi_turnBack(s, dir);
  const mjtNum x = sided(local.x, s->size[0]), y = sided(local.y, s->size[1]),
               z = sided(local.z, s->size[2]);
  s->vertex = (x > 0) | (y > 0) << 1 | (z > 0) << 2;
  cfi_putPoint(s, x, y, z, res);
}


// Kernels of the fast tier call no function by its address: only then is it known how much stack
// they take
static inline void callSupport(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
#ifdef CF_DIRECT_CALLS
  if (s->support == cfi_supportPoint) {
    cfi_supportPoint(s, dir, res);
  } else if (s->support == cfi_supportSegment) {
    cfi_supportSegment(s, dir, res);
  } else if (s->type == mjGEOM_SPHERE) {
    supportSphere(s, dir, res);
  } else if (s->type == mjGEOM_CAPSULE) {
    supportCapsule(s, dir, res);
  } else if (s->support == cfi_supportHull) {
    cfi_supportHull(s, dir, res);
  } else if (s->support == cfi_supportSmallHull) {
    cfi_supportSmallHull(s, dir, res);
  } else if (s->type == mjGEOM_MESH) {
    cfi_supportMesh(s, dir, res);
  } else {
    supportBox(s, dir, res);  // without width: the others are ready
  }
#else
  s->support(s, dir, res);
#endif
}


// ---------------------------------------- poses in lanes

// corners of a box by vertex: the products and sums of cfi_putPoint
static void placeCorners(cfConvex* s, const cfLane column[3], cfLane pos) {
  cfLane side[3][2];
  for (int k = 0; k < 3; k++) {
    side[k][0] = cfi_laneMul(column[k], cfi_laneSpread(-s->size[k]));
    side[k][1] = cfi_laneMul(column[k], cfi_laneSpread(s->size[k]));
  }
  for (int k = 0; k < 4; k++) {
    const cfLane xy = cfi_laneAdd(side[0][k & 1], side[1][k >> 1]);
    cfi_laneStore(s->place[k], cfi_laneAdd(cfi_laneAdd(xy, side[2][0]), pos));
    cfi_laneStore(s->place[k + 4], cfi_laneAdd(cfi_laneAdd(xy, side[2][1]), pos));
  }
}


void cfi_readyConvex(cfConvex* s) {
  const mjtNum *R = s->mat, *p = s->pos, *size = s->size;
  const bool is_box = s->type == mjGEOM_BOX;

  // a box without width has its vertices numbered otherwise
  if (s->is_ready || !(is_box || s->type == mjGEOM_ELLIPSOID || s->type == mjGEOM_CYLINDER) ||
      (is_box && !(size[0] > 0 && size[1] > 0 && size[2] > 0))) {
    return;
  }
  s->is_ready = true;
  cfLane column[3] = {cfi_laneLoad(R), cfi_laneLoad(R + 3), cfi_laneSet(R[6], R[7], R[8], 0)};
  for (int k = 0; k < 3; k++) {
    cfi_laneStore(s->row[k], column[k]);
    column[k] = cfi_laneSet(R[k], R[k + 3], R[k + 6], 0);
  }
  const cfLane pos = cfi_laneSet(p[0], p[1], p[2], 0);
  if (is_box) {
    placeCorners(s, column, pos);
    return;
  }
  for (int k = 0; k < 3; k++) {
    cfi_laneStore(s->place[k], column[k]);
  }
  cfi_laneStore(s->place[3], pos);
}


// direction in the frame of a shape that is ready
static inline cfLane turnedBack(const cfConvex* s, const mjtNum dir[3]) {
  const cfLane xy = cfi_laneAdd(cfi_laneMul(cfi_laneLoad(s->row[0]), cfi_laneSpreadFrom(dir)),
                                cfi_laneMul(cfi_laneLoad(s->row[1]), cfi_laneSpreadFrom(dir + 1)));
  return cfi_laneAdd(xy, cfi_laneMul(cfi_laneLoad(s->row[2]), cfi_laneSpreadFrom(dir + 2)));
}


static inline cfLane placedPoint(const cfConvex* s, cfLane x, cfLane y, cfLane z) {
  const cfLane xy = cfi_laneAdd(cfi_laneMul(cfi_laneLoad(s->place[0]), x),
                                cfi_laneMul(cfi_laneLoad(s->place[1]), y));
  return cfi_laneAdd(cfi_laneAdd(xy, cfi_laneMul(cfi_laneLoad(s->place[2]), z)),
                     cfi_laneLoad(s->place[3]));
}


static inline cfLane cornerAlong(cfConvex* s, const mjtNum dir[3]) {
  s->vertex = cfi_guessCorner(cfi_laneAtLeastMask(turnedBack(s, dir), cfi_laneSpread(0)) & 7);
  return cfi_laneLoad(s->place[s->vertex]);
}


static inline cfLane ellipsoidAlong(cfConvex* s, const mjtNum dir[3]) {
  const mjtNum* size = s->size;
  const cfLane extent = cfi_laneSet(size[0], size[1], size[2], 0),
               scaled = cfi_laneMul(turnedBack(s, dir), extent),
               squares = cfi_laneMul(scaled, scaled);
  const mjtNum square = cfi_laneAt(squares, 0) + cfi_laneAt(squares, 1) + cfi_laneAt(squares, 2);
  if (square < mjMINVAL * mjMINVAL) {
    return placedPoint(s, cfi_laneSpread(size[0]), cfi_laneSpread(0), cfi_laneSpread(0));
  }
  const cfLane point = cfi_laneMul(scaled, cfi_laneMul(cfi_laneSpread(1 / sqrt(square)), extent));
  return placedPoint(s, cfi_laneSpreadAt(point, 0), cfi_laneSpreadAt(point, 1),
                     cfi_laneSpreadAt(point, 2));
}


static inline cfLane cylinderAlong(cfConvex* s, const mjtNum dir[3]) {
  const cfLane local = turnedBack(s, dir), squares = cfi_laneMul(local, local);
  const mjtNum square = cfi_laneAt(squares, 0) + cfi_laneAt(squares, 1);
  const mjtNum scale = square >= mjMINVAL * mjMINVAL ? s->size[0] / sqrt(square) : 0;
  const cfLane rim = cfi_laneMul(cfi_laneSpread(scale), local);
  return placedPoint(s, cfi_laneSpreadAt(rim, 0), cfi_laneSpreadAt(rim, 1),
                     cfi_laneSpread(sided(cfi_laneAt(local, 2), s->size[1])));
}


// the corner of a prism: of the upper triangle for directions that do not point down, of the lower
// one otherwise
static inline const mjtNum* prismCorner(const cfConvex* s, const mjtNum dir[3]) {
  const mjtNum(*p)[4] = s->place + (dir[2] < 0 ? cfi_branched(0) : cfi_branched(3));
  const mjtNum along0 = cfi_dot3(p[0], dir), along1 = cfi_dot3(p[1], dir),
               along2 = cfi_dot3(p[2], dir);
  if (along1 > along0) {
    return p[along2 > along1 ? cfi_branched(2) : cfi_branched(1)];
  }
  return p[along2 > along0 ? cfi_branched(2) : cfi_branched(0)];
}


// support point of a shape that is ready
static inline cfLane pointAlong(cfConvex* s, const mjtNum dir[3]) {
  CF_ASSERT(s->is_ready);
  if (s->type == mjGEOM_BOX) {
    return cornerAlong(s, dir);
  }
  if (s->type == mjGEOM_HFIELD) {
    return cfi_laneLoad(prismCorner(s, dir));
  }
  return s->type == mjGEOM_ELLIPSOID ? ellipsoidAlong(s, dir) : cylinderAlong(s, dir);
}


static inline void supportInto(cfConvex* s, const mjtNum dir[3], mjtNum res[4]) {
  if (s->is_ready) {
    cfi_laneStore(res, pointAlong(s, dir));
  } else {
    callSupport(s, dir, res);
  }
}


// the difference of two support points
static inline void joinSupports(cfMinkowski* v, const cfConvex* a, const cfConvex* b,
                                const mjtNum dir[3], const mjtNum back[3]) {
  if (a->margin > 0) {
    cfi_addToScl3(v->a, dir, 0.5 * a->margin);
  }
  if (b->margin > 0) {
    cfi_addToScl3(v->b, back, 0.5 * b->margin);
  }
  cfi_sub3(v->p, v->a, v->b);
  v->ia = a->vertex;
  v->ib = b->vertex;
}


void cfi_supportPlain(cfMinkowski* v, cfConvex* a, cfConvex* b, const mjtNum dir[3],
                      const mjtNum back[3]) {
  if (a->walks_hull && b->walks_hull) {
    cfi_supportTwoHulls(a, dir, v->a, b, back, v->b);
  } else {
    callSupport(a, dir, v->a);
    callSupport(b, back, v->b);
  }
  joinSupports(v, a, b, dir, back);
}


// kept whole: without calls the common case needs no stack frame
static __attribute__((noinline)) void supportMixed(cfMinkowski* v, cfConvex* a, cfConvex* b,
                                                   const mjtNum dir[3], const mjtNum back[3]) {
  supportInto(a, dir, v->a);
  supportInto(b, back, v->b);
  joinSupports(v, a, b, dir, back);
}


void cfi_supportReady(cfMinkowski* v, cfConvex* a, cfConvex* b, const mjtNum dir[3],
                      const mjtNum back[3]) {
  if (a->is_ready && b->is_ready && !(a->margin > 0) && !(b->margin > 0)) {
    const cfLane x = pointAlong(a, dir), y = pointAlong(b, back);
    cfi_laneStore(v->p, cfi_laneSub(x, y));
    cfi_laneStore(v->a, x);
    cfi_laneStore(v->b, y);
    v->ia = a->vertex;
    v->ib = b->vertex;
    return;
  }
  supportMixed(v, a, b, dir, back);
}


// ---------------------------------------- prisms

static void supportPrism(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  cfi_copy3(res, prismCorner(s, dir));
}


cfConvex cfi_convexPrism(const mjModel* m, int geom) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  static const mjtNum origin[3] = {0, 0, 0}, unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  return (cfConvex){.m = m,
                    .geom = geom,
                    .type = mjGEOM_HFIELD,
                    .pos = origin,
                    .mat = unit,
                    .size = origin,
                    .support = supportPrism,
                    .vertex = -1,
                    .hull_vertex = -1,
                    .is_ready = true};
}


// ---------------------------------------- geoms

void cfi_attachHull(cfConvex* s, const float* vert, int nvert, const int* graph, const int* start,
                    mjtNum radius) {
  CF_ASSERT(vert && nvert > 0);
  s->vert = vert;
  s->nvert = nvert;
  s->support = cfi_supportMesh;
  s->radius = radius;
  if (graph) {
    const int hull = graph[0];
    s->edge_adr = graph + 2;
    s->global_id = s->edge_adr + hull;
    s->edge = s->global_id + hull;
    s->nhull = hull;
    s->start = start;
    if (s->nvert >= HILL_CLIMB_MIN) {
      s->walks_hull = !cfi_hasFewVertices(s) || hull != s->nvert;
      s->support = s->walks_hull ? cfi_supportHull : cfi_supportSmallHull;
    }
  }
}


// models whose choices from step to step a predictor of branches remembers: in a heap of a hundred
// meshes guesses cost more than they bring
enum { FEW_GEOMS = 64 };

static void attachMesh(cfConvex* s, const mjData* d) {
  const mjModel* m = s->m;
  const int mesh = m->geom_dataid[s->geom], graph = m->mesh_graphadr[mesh];
  cfi_attachHull(s, m->mesh_vert + 3 * (size_t)m->mesh_vertadr[mesh], m->mesh_vertnum[mesh],
                 graph >= 0 ? m->mesh_graph + graph : NULL, cfi_hullStarts(d, mesh),
                 m->geom_rbound[s->geom]);
  s->guesses = m->ngeom <= FEW_GEOMS;
}


cfConvex cfi_convexShape(int type, const mjtNum* pos, const mjtNum* mat, const mjtNum* size,
                         mjtNum margin) {
  static const cfSupport support_of[] = {[mjGEOM_SPHERE] = supportSphere,
                                         [mjGEOM_CAPSULE] = supportCapsule,
                                         [mjGEOM_ELLIPSOID] = supportEllipsoid,
                                         [mjGEOM_CYLINDER] = supportCylinder,
                                         [mjGEOM_BOX] = supportBox,
                                         [mjGEOM_MESH] = NULL,
                                         [mjGEOM_SDF] = NULL};
  // field by field: clearing the whole first would take longer than all the rest
  cfConvex s;
  s.m = NULL;
  s.geom = -1;
  s.type = type;
  s.pos = pos;
  s.mat = mat;
  s.size = size;
  s.margin = margin;
  s.walks_hull = false;
  s.vertex = s.hull_vertex = -1;
  s.vert = NULL;
  s.nvert = 0;
  s.edge_adr = s.global_id = s.edge = s.start = NULL;
  s.nhull = 0;
  s.radius = 0;
  s.guesses = false;
  s.corner = NULL;
  s.is_ready = false;
  CF_ASSERT(s.type <= mjGEOM_SDF);
  s.support = support_of[s.type];
  return s;
}


cfConvex cfi_convexGeom(const mjModel* m, const mjData* d, int geom, mjtNum margin) {
  cfConvex s = cfi_convexShape(m->geom_type[geom], d->geom_xpos + 3 * geom, d->geom_xmat + 9 * geom,
                               m->geom_size + 3 * geom, margin);
  s.m = m;
  s.geom = geom;
  if (s.type == mjGEOM_MESH || s.type == mjGEOM_SDF) {
    attachMesh(&s, d);
  }
  return s;
}


mjtNum cfi_reachAlong(int type, const mjtNum size[3], const mjtNum mat[9], const mjtNum dir[3],
                      mjtNum length) {
  mjtNum x[3];
  cfi_mulMatTVec3(x, mat, dir);
  switch (type) {
    case mjGEOM_SPHERE:
      return size[0] * length;
    case mjGEOM_CAPSULE:
      return size[0] * length + size[1] * fabs(x[2]);
    case mjGEOM_CYLINDER:
      return size[0] * sqrt(x[0] * x[0] + x[1] * x[1]) + size[1] * fabs(x[2]);
    case mjGEOM_ELLIPSOID:
      cfi_set3(x, x[0] * size[0], x[1] * size[1], x[2] * size[2]);
      return sqrt(cfi_dot3(x, x));
    case mjGEOM_BOX:
      return size[0] * fabs(x[0]) + size[1] * fabs(x[1]) + size[2] * fabs(x[2]);
    default:
      return INFINITY;
  }
}


static bool isPrimitive(const mjModel* m, int geom) {
  return m->geom_type[geom] >= mjGEOM_SPHERE && m->geom_type[geom] <= mjGEOM_BOX;
}


// the slack is above GJK's tolerance and the rounding of positions: GJK would find no contact
// either
bool cfi_clearlyApart(const mjModel* m, const mjData* d, int g1, int g2, mjtNum margin) {
  CF_ASSERT(g1 >= 0 && g1 < m->ngeom && g2 >= 0 && g2 < m->ngeom);
  if (!isPrimitive(m, g1) || !isPrimitive(m, g2)) {
    return false;
  }
  const mjtNum rounding = 1e-9, *p1 = d->geom_xpos + 3 * g1, *p2 = d->geom_xpos + 3 * g2;
  mjtNum axis[3];
  cfi_sub3(axis, p1, p2);
  const mjtNum square = cfi_dot3(axis, axis), length = sqrt(square);
  const mjtNum extent =
      fabs(p1[0]) + fabs(p1[1]) + fabs(p1[2]) + fabs(p2[0]) + fabs(p2[1]) + fabs(p2[2]);
  const mjtNum slack = fabs(margin) + 2 * fabs(m->opt.ccd_tolerance) + rounding * (1 + extent);
  const mjtNum reach1 =
      cfi_reachAlong(m->geom_type[g1], m->geom_size + 3 * g1, d->geom_xmat + 9 * g1, axis, length);
  const mjtNum reach2 =
      cfi_reachAlong(m->geom_type[g2], m->geom_size + 3 * g2, d->geom_xmat + 9 * g2, axis, length);
  return square - slack * length > reach1 + reach2;
}


void cfi_convexCenter(const cfConvex* s, mjtNum res[3]) {
  if (s->type != mjGEOM_HFIELD) {
    cfi_copy3(res, s->pos);
    return;
  }
  cfi_zero3(res);
  for (int k = 0; k < 6; k++) {
    cfi_addTo3(res, s->place[k]);
  }
  cfi_scl3(res, res, 1.0 / 6.0);
}


cfConvex cfi_rotateConvex(cfMovedPose* pose, const cfConvex* s, const mjtNum origin[3],
                          const mjtNum rotation[9]) {
  mjtNum arm[3], moved[3];
  cfi_mulMatMat3(pose->mat, rotation, s->mat);
  cfi_sub3(arm, origin, s->pos);
  cfi_mulMatVec3(moved, rotation, arm);
  cfi_subFrom3(moved, arm);
  cfi_sub3(pose->pos, s->pos, moved);
  cfConvex turned = *s;
  turned.pos = pose->pos;
  turned.mat = pose->mat;
  turned.is_ready = false;
  return turned;
}
