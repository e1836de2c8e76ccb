// The legacy convex collider on libccd.
#include "collision/convex/mpr.h"

#include <limits.h>
#include <math.h>

#include <ccd/ccd.h>
#include <ccd/vec3.h>
#include <mujoco/mujoco.h>

#include "math/inline.h"

_Static_assert(sizeof(ccd_real_t) == sizeof(mjtNum), "libccd must be built with double precision");


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
