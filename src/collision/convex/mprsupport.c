// Support points with libccd's conventions; MuJoCo also takes them where a plane meets a mesh.
#include <math.h>

#include <mujoco/mujoco.h>

#include "collision/convex/mpr.h"
#include "math/inline.h"


static mjtNum vertexAlong(const cfConvex* s, const mjtNum dir[3], int vertex) {
  const float* v = s->vert + 3 * vertex;
  return dir[0] * (mjtNum)v[0] + dir[1] * (mjtNum)v[1] + dir[2] * (mjtNum)v[2];
}


// best of all vertices, the first of equals
static void searchVertices(cfConvex* s, const mjtNum dir[3]) {
  mjtNum most = -1e10;
  s->vertex = 0;
  for (int k = 0; k < s->nvert; k++) {
    const mjtNum value = vertexAlong(s, dir, k);
    if (value > most) {
      most = value;
      s->vertex = k;
    }
  }
}


// uphill over the hull graph to the last of the best neighbors, unless the first walk has a
// shortcut to the peak
static void climbHull(cfConvex* s, const mjtNum dir[3]) {
  const int peak = s->hull_vertex < 0 ? cfi_findPeak(s, dir) : -1;
  int at = peak >= 0 ? peak : cfi_maxInt(s->hull_vertex, 0), before = peak;
  mjtNum most = vertexAlong(s, dir, s->global_id[at]);
  while (at != before) {
    before = at;
    for (const int* e = s->edge + s->edge_adr[before]; *e >= 0; e++) {
      const mjtNum value = vertexAlong(s, dir, s->global_id[*e]);
      if (value > most) {
        most = value;
        at = *e;
      }
    }
  }
  s->hull_vertex = at;
  s->vertex = s->global_id[at];
}


static void localSupport(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  const mjtNum* size = s->size;
  switch (s->type) {
    case mjGEOM_SPHERE:
      cfi_scl3(res, dir, size[0]);
      break;
    case mjGEOM_CAPSULE:
      cfi_scl3(res, dir, size[0]);
      res[2] += cfi_sign(dir[2]) * size[1];
      break;
    case mjGEOM_ELLIPSOID:
      cfi_set3(res, dir[0] * size[0], dir[1] * size[1], dir[2] * size[2]);
      cfi_normalize3(res);
      cfi_set3(res, res[0] * size[0], res[1] * size[1], res[2] * size[2]);
      break;
    case mjGEOM_CYLINDER: {
      const mjtNum across = sqrt(dir[0] * dir[0] + dir[1] * dir[1]);
      const bool has_side = across > mjMINVAL;
      cfi_set3(res, has_side ? dir[0] / across * size[0] : 0,
               has_side ? dir[1] / across * size[0] : 0, cfi_sign(dir[2]) * size[1]);
      break;
    }
    case mjGEOM_BOX:
      cfi_set3(res, cfi_sign(dir[0]) * size[0], cfi_sign(dir[1]) * size[1],
               cfi_sign(dir[2]) * size[2]);
      break;
    default: {
      if (s->edge_adr) {
        climbHull(s, dir);
      } else {
        searchVertices(s, dir);
      }
      const float* v = s->vert + 3 * s->vertex;
      cfi_set3(res, v[0], v[1], v[2]);
    }
  }
}


void cfi_mprSupport(cfConvex* s, const mjtNum dir[3], mjtNum res[3]) {
  mjtNum local[3], point[3];
  if (s->type == mjGEOM_FLEX) {
    s->support(s, dir, res);
    return;
  }
  cfi_mulMatTVec3(local, s->mat, dir);
  localSupport(s, local, point);
  cfi_addToScl3(point, local, s->margin / 2);
  cfi_mulMatVec3(res, s->mat, point);
  cfi_addTo3(res, s->pos);
}
