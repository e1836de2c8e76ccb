// Support functions.  Ties go to the side that MuJoCo chooses: zero counts as positive, the first
// best vertex wins.
#include "collision/convex/shape.h"

#include <float.h>
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "collision/convex/vec.h"
#include "math/inline.h"
#include "model/hullstart.h"

enum { HILL_CLIMB_MIN = 10 };  // meshes with fewer vertices are searched exhaustively


// from the frame of the shape to the world
static inline void putPoint(const cfConvex* s, mjtNum x, mjtNum y, mjtNum z, mjtNum res[3]) {
  const mjtNum *R = s->mat, *p = s->pos;
  cfi_set3(res, R[0] * x + R[1] * y + R[2] * z + p[0], R[3] * x + R[4] * y + R[5] * z + p[1],
           R[6] * x + R[7] * y + R[8] * z + p[2]);
}


// direction in the frame of the shape
static inline cfVec turnBack(const cfConvex* s, const mjtNum dir[3]) {
  const mjtNum *R = s->mat, x = dir[0], y = dir[1], z = dir[2];
  return (cfVec){R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z,
                 R[2] * x + R[5] * y + R[8] * z};
}


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
  const cfVec local = turnBack(s, dir);
  const mjtNum radius = s->size[0];
  putPoint(s, local.x * radius, local.y * radius, local.z * radius + sided(local.z, s->size[1]),
           res);
}


static void supportEllipsoid(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const mjtNum* size = s->size;
  const cfVec local = turnBack(s, dir),
              scaled = {local.x * size[0], local.y * size[1], local.z * size[2]};
  const mjtNum square = cfi_dotVec(scaled, scaled);
  if (square < mjMINVAL * mjMINVAL) {
    putPoint(s, size[0], 0, 0, res);
  } else {
    const mjtNum inverse = 1 / sqrt(square);
    putPoint(s, scaled.x * (inverse * size[0]), scaled.y * (inverse * size[1]),
             scaled.z * (inverse * size[2]), res);
  }
}


static void supportCylinder(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const cfVec local = turnBack(s, dir);
  const mjtNum square = local.x * local.x + local.y * local.y;
  const mjtNum scale = square >= mjMINVAL * mjMINVAL ? s->size[0] / sqrt(square) : 0;
  putPoint(s, scale * local.x, scale * local.y, sided(local.z, s->size[1]), res);
}


static void supportBox(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const cfVec local = turnBack(s, dir);
  const mjtNum x = sided(local.x, s->size[0]), y = sided(local.y, s->size[1]),
               z = sided(local.z, s->size[2]);
  s->vertex = (x > 0) | (y > 0) << 1 | (z > 0) << 2;
  putPoint(s, x, y, z, res);
}


// ---------------------------------------- meshes

static inline mjtNum along(const cfConvex* s, cfVec dir, int vertex) {
  const float* v = s->vert + 3 * vertex;
  return dir.x * (mjtNum)v[0] + dir.y * (mjtNum)v[1] + dir.z * (mjtNum)v[2];
}


static inline void chosenVertex(const cfConvex* s, mjtNum res[3]) {
  const float* v = s->vert + 3 * s->vertex;
  putPoint(s, v[0], v[1], v[2], res);
}


// all vertices; the last choice is compared first, so that it wins a tie
static void supportMesh(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const cfVec local = turnBack(s, dir);
  int best = s->vertex >= 0 ? s->vertex : 0;
  mjtNum most = s->vertex >= 0 ? along(s, local, best) : -FLT_MAX;
  for (int k = 0; k < s->nvert; k++) {
    const mjtNum value = along(s, local, k);
    if (value > most) {
      most = value;
      best = k;
    }
  }
  s->vertex = best;
  chosenVertex(s, res);
}


// a walk uphill over the hull graph
typedef struct {
  cfVec dir;
  mjtNum most;
  int at, before;
} hullWalk;

// on to the best neighbor; false where none is better
static inline bool climb(const cfConvex* s, hullWalk* w) {
  mjtNum most = w->most;
  w->before = w->at;
  for (const int* e = s->edge + s->edge_adr[w->before]; *e >= 0; e++) {
    const mjtNum value = along(s, w->dir, s->global_id[*e]);
    if (value > most) {
      most = value;
      w->at = *e;
    }
  }
  w->most = most;
  return w->at != w->before;
}


// a vertex this much higher than all its neighbors is the peak of the hull, to which all walks
// lead: neither rounding nor the flaws of a hull reach as far.  Where heights are almost equal, the
// way to them decides
static inline mjtNum clearDrop(const cfConvex* s) {
  const mjtNum relative_drop = 1e-9;
  return relative_drop * s->m->geom_rbound[s->geom];
}


// the peak, found from a start near to it; -1 if it does not stand out
static int findPeak(const cfConvex* s, cfVec dir) {
  int at = s->start ? s->start[cfi_hullDirection(dir.x, dir.y, dir.z)] : 0;
  if (at <= 0 || at >= s->nhull) {
    return -1;
  }
  mjtNum height = along(s, dir, s->global_id[at]);
  for (;;) {
    hullWalk w = {.dir = dir, .most = -FLT_MAX, .at = at};
    climb(s, &w);
    if (!(w.most > height)) {
      return height - w.most > clearDrop(s) ? at : -1;
    }
    height = w.most;
    at = w.at;
  }
}


int cfi_findPeak(const cfConvex* s, const mjtNum dir[3]) {
  return findPeak(s, cfi_loadVec(dir));
}


// first walk of a shape: from its first vertex, unless a hint leads to the peak; false if nothing
// is left to do
static bool beginFirstWalk(const cfConvex* s, hullWalk* w) {
  const int peak = findPeak(s, w->dir);
  w->at = peak >= 0 ? peak : 0;
  return peak < 0;
}


// later walks: from the last choice, which is not compared, so that the walk always leaves it for
// the best neighbor.  It would come back to a peak in two more steps
static inline bool beginNextWalk(const cfConvex* s, hullWalk* w) {
  const int start = w->at;
  const mjtNum height = along(s, w->dir, s->global_id[start]);
  const bool goes = climb(s, w);
  if (height - w->most > clearDrop(s)) {
    w->at = start;
    return false;
  }
  return goes;
}


static inline bool beginWalk(const cfConvex* s, const mjtNum dir[3], hullWalk* w) {
  *w = (hullWalk){.dir = turnBack(s, dir), .most = -FLT_MAX, .at = s->hull_vertex};
  return w->at < 0 ? beginFirstWalk(s, w) : beginNextWalk(s, w);
}


static inline void endWalk(cfConvex* s, const hullWalk* w, mjtNum res[3]) {
  s->hull_vertex = w->at;
  s->vertex = s->global_id[w->at];
  chosenVertex(s, res);
}


static void supportHull(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  hullWalk w;
  bool goes = beginWalk(s, dir, &w);
  while (goes) {
    goes = climb(s, &w);
  }
  endWalk(s, &w, res);
}


// two walks in turn: every step waits for the one before it, so that two chains take little longer
// than one
void cfi_supportTwoHulls(cfConvex* a, const mjtNum dir_a[3], mjtNum res_a[3], cfConvex* b,
                         const mjtNum dir_b[3], mjtNum res_b[3]) {
  hullWalk wa, wb;
  bool goes_a = beginWalk(a, dir_a, &wa), goes_b = beginWalk(b, dir_b, &wb);
  while (goes_a && goes_b) {
    goes_a = climb(a, &wa);
    goes_b = climb(b, &wb);
  }
  while (goes_a) {
    goes_a = climb(a, &wa);
  }
  while (goes_b) {
    goes_b = climb(b, &wb);
  }
  endWalk(a, &wa, res_a);
  endWalk(b, &wb, res_b);
}


// ---------------------------------------- prisms

// the upper triangle for directions that do not point down, the lower one otherwise
static void supportPrism(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const mjtNum(*p)[3] = (const mjtNum(*)[3])s->prism + (dir[2] < 0 ? 0 : 3);
  const mjtNum along0 = cfi_dot3(p[0], dir), along1 = cfi_dot3(p[1], dir),
               along2 = cfi_dot3(p[2], dir);
  const int first = along1 > along0 ? 1 : 0;
  cfi_copy3(res, p[along2 > (first ? along1 : along0) ? 2 : first]);
}


cfConvex cfi_convexPrism(const mjModel* m, int geom, mjtNum point[6][3]) {
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
                    .prism = point};
}


// ---------------------------------------- geoms

static void attachMesh(cfConvex* s, const mjData* d) {
  const mjModel* m = s->m;
  const int mesh = m->geom_dataid[s->geom], graph = m->mesh_graphadr[mesh];
  s->vert = m->mesh_vert + 3 * (size_t)m->mesh_vertadr[mesh];
  s->nvert = m->mesh_vertnum[mesh];
  s->support = supportMesh;
  if (graph >= 0) {
    const int hull = m->mesh_graph[graph];
    s->edge_adr = m->mesh_graph + graph + 2;
    s->global_id = s->edge_adr + hull;
    s->edge = s->global_id + hull;
    s->nhull = hull;
    s->start = cfi_hullStarts(d, mesh);
    if (s->nvert >= HILL_CLIMB_MIN) {
      s->support = supportHull;
      s->walks_hull = true;
    }
  }
}


cfConvex cfi_convexGeom(const mjModel* m, const mjData* d, int geom, mjtNum margin) {
  static const cfSupport support_of[] = {[mjGEOM_SPHERE] = supportSphere,
                                         [mjGEOM_CAPSULE] = supportCapsule,
                                         [mjGEOM_ELLIPSOID] = supportEllipsoid,
                                         [mjGEOM_CYLINDER] = supportCylinder,
                                         [mjGEOM_BOX] = supportBox,
                                         [mjGEOM_MESH] = NULL,
                                         [mjGEOM_SDF] = NULL};
  // field by field: clearing the whole first would take longer than all the rest
  cfConvex s;
  s.m = m;
  s.geom = geom;
  s.type = m->geom_type[geom];
  s.pos = d->geom_xpos + 3 * geom;
  s.mat = d->geom_xmat + 9 * geom;
  s.size = m->geom_size + 3 * geom;
  s.margin = margin;
  s.walks_hull = false;
  s.vertex = s.hull_vertex = -1;
  s.vert = NULL;
  s.nvert = 0;
  s.edge_adr = s.global_id = s.edge = s.start = NULL;
  s.nhull = 0;
  s.prism = NULL;
  CF_ASSERT(s.type <= mjGEOM_SDF);
  s.support = support_of[s.type];
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
    cfi_addTo3(res, s->prism[k]);
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
  return turned;
}
