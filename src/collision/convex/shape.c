// Support functions.  Ties go to the side that MuJoCo chooses: zero counts as positive, the first best vertex wins.
#include "collision/convex/shape.h"

#include <float.h>
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"

enum { HILL_CLIMB_MIN = 10 };  // meshes with fewer vertices are searched exhaustively


static void toWorld(const cfConvex* s, const mjtNum local[3], mjtNum res[3]) {
  cfi_mulMatVec3(res, s->mat, local);
  cfi_addTo3(res, s->pos);
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
  mjtNum local[3];
  cfi_mulMatTVec3(local, s->mat, dir);
  const mjtNum end = sided(local[2], s->size[1]);
  cfi_scl3(local, local, s->size[0]);
  local[2] += end;
  toWorld(s, local, res);
}


static void supportEllipsoid(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  mjtNum local[3];
  cfi_mulMatTVec3(local, s->mat, dir);
  cfi_set3(local, local[0] * s->size[0], local[1] * s->size[1], local[2] * s->size[2]);
  const mjtNum square = cfi_dot3(local, local);
  if (square < mjMINVAL * mjMINVAL) {
    cfi_set3(local, s->size[0], 0, 0);
  } else {
    const mjtNum inverse = 1 / sqrt(square);
    for (int k = 0; k < 3; k++) {
      local[k] *= inverse * s->size[k];
    }
  }
  toWorld(s, local, res);
}


static void supportCylinder(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  mjtNum local[3];
  cfi_mulMatTVec3(local, s->mat, dir);
  const mjtNum square = local[0] * local[0] + local[1] * local[1];
  const mjtNum scale = square >= mjMINVAL * mjMINVAL ? s->size[0] / sqrt(square) : 0;
  cfi_set3(local, scale * local[0], scale * local[1], sided(local[2], s->size[1]));
  toWorld(s, local, res);
}


static void supportBox(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  mjtNum local[3];
  cfi_mulMatTVec3(local, s->mat, dir);
  s->vertex = 0;
  for (int k = 0; k < 3; k++) {
    local[k] = sided(local[k], s->size[k]);
    s->vertex |= local[k] > 0 ? 1 << k : 0;
  }
  toWorld(s, local, res);
}


// ---------------------------------------- meshes

static inline mjtNum along(const cfConvex* s, const mjtNum dir[3], int vertex) {
  const float* v = s->vert + 3 * vertex;
  return dir[0] * (mjtNum)v[0] + dir[1] * (mjtNum)v[1] + dir[2] * (mjtNum)v[2];
}


static void chosenVertex(const cfConvex* s, mjtNum res[3]) {
  const float* v = s->vert + 3 * s->vertex;
  const mjtNum local[3] = {v[0], v[1], v[2]};
  toWorld(s, local, res);
}


// all vertices; the last choice is compared first, so that it wins a tie
static void supportMesh(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  mjtNum local[3];
  cfi_mulMatTVec3(local, s->mat, dir);
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


// walk uphill over the hull graph from the last choice.  The start itself is not compared: the walk always leaves
// it for its best neighbor first
static void supportHull(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  mjtNum local[3], most = -FLT_MAX;
  cfi_mulMatTVec3(local, s->mat, dir);
  int at = s->hull_vertex >= 0 ? s->hull_vertex : 0, before = -1;
  while (at != before) {
    before = at;
    for (const int* e = s->edge + s->edge_adr[before]; *e >= 0; e++) {
      const mjtNum value = along(s, local, s->global_id[*e]);
      if (value > most) {
        most = value;
        at = *e;
      }
    }
  }
  s->hull_vertex = at;
  s->vertex = s->global_id[at];
  chosenVertex(s, res);
}


// ---------------------------------------- prisms

// the upper triangle for directions that do not point down, the lower one otherwise
static void supportPrism(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const int first = dir[2] < 0 ? 0 : 3;
  int best = first;
  for (int k = first + 1; k < first + 3; k++) {
    if (cfi_dot3(s->prism[k], dir) > cfi_dot3(s->prism[best], dir)) {
      best = k;
    }
  }
  cfi_copy3(res, s->prism[best]);
}


cfConvex cfi_convexPrism(const mjModel* m, int geom) {
  return (cfConvex){.m = m, .geom = geom, .type = mjGEOM_HFIELD, .support = supportPrism, .vertex = -1, .hull_vertex = -1};
}


// ---------------------------------------- geoms

static void attachMesh(cfConvex* s) {
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
    if (s->nvert >= HILL_CLIMB_MIN) {
      s->support = supportHull;
    }
  }
}


cfConvex cfi_convexGeom(const mjModel* m, const mjData* d, int geom, mjtNum margin) {
  static const cfSupport support_of[] = {[mjGEOM_SPHERE] = supportSphere,     [mjGEOM_CAPSULE] = supportCapsule,
                                         [mjGEOM_ELLIPSOID] = supportEllipsoid, [mjGEOM_CYLINDER] = supportCylinder,
                                         [mjGEOM_BOX] = supportBox,           [mjGEOM_MESH] = NULL,
                                         [mjGEOM_SDF] = NULL};
  cfConvex s = {.m = m,
                .geom = geom,
                .type = m->geom_type[geom],
                .size = m->geom_size + 3 * geom,
                .margin = margin,
                .vertex = -1,
                .hull_vertex = -1};
  CF_ASSERT(s.type <= mjGEOM_SDF);
  cfi_copy3(s.pos, d->geom_xpos + 3 * geom);
  cfi_copy9(s.mat, d->geom_xmat + 9 * geom);
  s.support = support_of[s.type];
  if (s.type == mjGEOM_MESH || s.type == mjGEOM_SDF) {
    attachMesh(&s);
  }
  return s;
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


void cfi_rotateConvex(cfConvex* s, const mjtNum origin[3], const mjtNum rotation[9]) {
  mjtNum mat[9], arm[3], moved[3];
  cfi_mulMatMat3(mat, rotation, s->mat);
  cfi_copy9(s->mat, mat);
  cfi_sub3(arm, origin, s->pos);
  cfi_mulMatVec3(moved, rotation, arm);
  cfi_subFrom3(moved, arm);
  cfi_subFrom3(s->pos, moved);
}
