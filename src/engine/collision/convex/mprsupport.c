// Support points with libccd's conventions; MuJoCo also takes them where a plane meets an
// ellipsoid.
#include <math.h>

#include <mujoco/mujoco.h>

#include "collision/convex/mpr.h"
#include "collision/convex/planehull.h"
#include "math/inline.h"


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
      cfi_chooseVertex(s, dir);
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
