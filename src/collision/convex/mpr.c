// The legacy convex collider on libccd.
#include "collision/convex/mpr.h"

#include <limits.h>
#include <math.h>

#include <ccd/ccd.h>
#include <ccd/vec3.h>
#include <mujoco/mujoco.h>

#include "math/inline.h"

_Static_assert(sizeof(ccd_real_t) == sizeof(mjtNum), "libccd must be built with double precision");


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


// ---------------------------------------- callbacks of libccd

// a shape as libccd asks for it.  The search for a first portal has no limit of its own and turns
// for ever on some flat shapes: after so many questions the answer lies behind the origin, which
// ends it without contact
typedef struct {
  cfConvex* shape;
  int questions_left;
} mprObject;

static mprObject* objectOf(const void* obj) {
  return (mprObject*)(uintptr_t)obj;
}


static void onCenter(const void* obj, ccd_vec3_t* center) {
  cfi_convexCenter(objectOf(obj)->shape, center->v);
}


static bool isExhausted(mprObject* o, const ccd_vec3_t* dir, ccd_vec3_t* res) {
  if (o->questions_left-- > 0) {
    return false;
  }
  cfi_scl3(res->v, dir->v, -1);
  return true;
}


static void onSupport(const void* obj, const ccd_vec3_t* dir, ccd_vec3_t* res) {
  mprObject* o = objectOf(obj);
  if (!isExhausted(o, dir, res)) {
    cfi_mprSupport(o->shape, dir->v, res->v);
  }
}


static void onPrismSupport(const void* obj, const ccd_vec3_t* dir, ccd_vec3_t* res) {
  mprObject* o = objectOf(obj);
  if (!isExhausted(o, dir, res)) {
    o->shape->support(o->shape, dir->v, res->v);
  }
}


static void startUpwards(const void* a, const void* b, ccd_vec3_t* dir) {
  (void)a, (void)b;
  ccdVec3Set(dir, 0, 0, 1);
}


static ccd_t makeSolver(const mjModel* m) {
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.mpr_tolerance = ccd.epa_tolerance = m->opt.ccd_tolerance;
  ccd.max_iterations = m->opt.ccd_iterations > 0 ? (unsigned long)m->opt.ccd_iterations : 0;
  ccd.first_dir = ccdFirstDirDefault;
  ccd.center1 = ccd.center2 = onCenter;
  ccd.support1 = ccd.support2 = onSupport;
  return ccd;
}


static bool isNull(const mjtNum v[3]) {
  const ccd_vec3_t dir = {{v[0], v[1], v[2]}};
  return ccdVec3Eq(&dir, ccd_vec3_origin);
}


// penetration with a direction; false if apart
static bool penetrate(const ccd_t* ccd, cfConvex* a, cfConvex* b, mjtNum* depth, mjtNum dir[3],
                      mjtNum pos[3]) {
  enum { QUESTIONS_MIN = 1000 };
  ccd_vec3_t found_dir, found_pos;
  const int questions = QUESTIONS_MIN + 2 * cfi_minInt((int)ccd->max_iterations, INT_MAX / 4);
  mprObject first = {a, questions}, second = {b, questions};
  if (ccdMPRPenetration(&first, &second, ccd, depth, &found_dir, &found_pos) != 0) {
    return false;
  }
  cfi_copy3(dir, found_dir.v);
  cfi_copy3(pos, found_pos.v);
  return isfinite(*depth + cfi_dot3(dir, dir) + cfi_dot3(pos, pos)) && !isNull(dir);
}


int cfi_mprContact(const mjModel* m, cfConvex* a, cfConvex* b, mjContact* con, mjtNum margin) {
  const ccd_t ccd = makeSolver(m);
  mjtNum depth;
  if (!penetrate(&ccd, a, b, &depth, con->frame, con->pos)) {
    return 0;
  }
  con->dist = margin - depth;
  cfi_zero3(con->frame + 3);
  if (a->geom >= 0 && b->geom >= 0) {
    cfi_fixNormal(con, a, b);
  }
  return 1;
}


bool cfi_mprPrism(const mjModel* m, cfConvex* prism, cfConvex* b, mjtNum* depth, mjtNum dir[3],
                  mjtNum pos[3]) {
  ccd_t ccd = makeSolver(m);
  ccd.first_dir = startUpwards;
  ccd.support1 = onPrismSupport;
  return penetrate(&ccd, prism, b, depth, dir, pos);
}
