// Velocity and acceleration of anything that has a frame: body, geom, site, camera.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"

// where an object is and which body carries it
typedef struct {
  int body;
  const mjtNum *pos, *mat;
} cfObjectFrame;


static cfObjectFrame objectFrame(const mjModel* m, const mjData* d, int type, int id) {
  CF_ASSERT(id >= 0);
  switch (type) {
    case mjOBJ_BODY:
      return (cfObjectFrame){id, d->xipos + 3 * id, d->ximat + 9 * id};
    case mjOBJ_XBODY:
      return (cfObjectFrame){id, d->xpos + 3 * id, d->xmat + 9 * id};
    case mjOBJ_GEOM:
      return (cfObjectFrame){m->geom_bodyid[id], d->geom_xpos + 3 * id, d->geom_xmat + 9 * id};
    case mjOBJ_SITE:
      return (cfObjectFrame){m->site_bodyid[id], d->site_xpos + 3 * id, d->site_xmat + 9 * id};
    case mjOBJ_CAMERA:
      return (cfObjectFrame){m->cam_bodyid[id], d->cam_xpos + 3 * id, d->cam_xmat + 9 * id};
    default:
      mju_error("object type %d has no spatial frame", type);
      return (cfObjectFrame){0, d->xpos, d->xmat};
  }
}


// com-based motion vector of the carrier, moved to the object
static void motionAt(mjtNum res[6], const mjModel* m, const mjData* d, const mjtNum* motion,
                     cfObjectFrame frame, int flg_local) {
  const mjtNum* com = d->subtree_com + 3 * m->body_rootid[frame.body];
  cfi_transformSpatial(res, motion + 6 * frame.body, 0, frame.pos, com,
                       flg_local ? frame.mat : NULL);
}


void mj_objectVelocity(const mjModel* m, const mjData* d, int objtype, int objid, mjtNum res[6],
                       int flg_local) {
  const cfObjectFrame frame = objectFrame(m, d, objtype, objid);
  cfi_zero6(res);
  if (m->body_weldid[frame.body] != 0) {
    motionAt(res, m, d, d->cvel, frame, flg_local);
  }
}


// spatial acceleration plus the centripetal part, omega x v, that makes it the point's own
void mj_objectAcceleration(const mjModel* m, const mjData* d, int objtype, int objid, mjtNum res[6],
                           int flg_local) {
  const cfObjectFrame frame = objectFrame(m, d, objtype, objid);
  cfi_zero6(res);
  if (m->body_weldid[frame.body] != 0) {
    mjtNum velocity[6], centripetal[3];
    motionAt(res, m, d, d->cacc, frame, flg_local);
    motionAt(velocity, m, d, d->cvel, frame, flg_local);
    cfi_cross(centripetal, velocity, velocity + 3);
    cfi_addTo3(res + 3, centripetal);
  }
}
