// Sensors of frames: position, orientation, velocity and acceleration of bodies, geoms, sites and
// cameras, absolute or relative to another frame; the sensors of an inertial measurement unit;
// subtrees.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "sensor/sensor.h"


cfSensorFrame cfi_objectFrame(const cfSensor* s, int objtype, int objid) {
  CF_ASSERT(objid >= 0);
  const mjData* d = s->d;
  switch (objtype) {
    case mjOBJ_XBODY:
      return (cfSensorFrame){d->xpos + 3 * objid, d->xmat + 9 * objid};
    case mjOBJ_BODY:
      return (cfSensorFrame){d->xipos + 3 * objid, d->ximat + 9 * objid};
    case mjOBJ_GEOM:
      return (cfSensorFrame){d->geom_xpos + 3 * objid, d->geom_xmat + 9 * objid};
    case mjOBJ_SITE:
      return (cfSensorFrame){d->site_xpos + 3 * objid, d->site_xmat + 9 * objid};
    case mjOBJ_CAMERA:
      return (cfSensorFrame){d->cam_xpos + 3 * objid, d->cam_xmat + 9 * objid};
    default:
      mju_error("sensor %d: object type %d has no frame", s->id, objtype);
      return (cfSensorFrame){d->xpos, d->xmat};
  }
}


// orientation as body orientation times the local one, which is exact where the matrix is rounded
static void objectQuat(mjtNum quat[4], const cfSensor* s, int objtype, int objid) {
  CF_ASSERT(objid >= 0);
  const mjModel* m = s->m;
  int body = objid;
  const mjtNum* local = NULL;
  switch (objtype) {
    case mjOBJ_XBODY:
      break;
    case mjOBJ_BODY:
      local = m->body_iquat;
      break;
    case mjOBJ_GEOM:
      body = m->geom_bodyid[objid];
      local = m->geom_quat;
      break;
    case mjOBJ_SITE:
      body = m->site_bodyid[objid];
      local = m->site_quat;
      break;
    case mjOBJ_CAMERA:
      body = m->cam_bodyid[objid];
      local = m->cam_quat;
      break;
    default:
      mju_error("sensor %d: object type %d has no orientation", s->id, objtype);
      body = 0;
  }
  if (local) {
    cfi_mulQuat(quat, s->d->xquat + 4 * body, local + 4 * objid);
  } else {
    cfi_copy4(quat, s->d->xquat + 4 * body);
  }
}


// express a global vector in the reference frame, if there is one
static void toReference(mjtNum out[3], const cfSensor* s, const mjtNum v[3]) {
  if (s->refid < 0) {
    cfi_copy3(out, v);
  } else {
    cfi_mulMatTVec3(out, cfi_objectFrame(s, s->reftype, s->refid).mat, v);
  }
}


void cfi_senseFramePos(const cfSensor* s, mjtNum* out) {
  mjtNum pos[3];
  cfi_copy3(pos, cfi_objectFrame(s, s->objtype, s->objid).pos);
  if (s->refid >= 0) {
    cfi_subFrom3(pos, cfi_objectFrame(s, s->reftype, s->refid).pos);
  }
  toReference(out, s, pos);
}


void cfi_senseFrameAxis(const cfSensor* s, mjtNum* out) {
  CF_ASSERT(s->type >= mjSENS_FRAMEXAXIS && s->type <= mjSENS_FRAMEZAXIS);
  mjtNum axis[3];
  cfi_column3(axis, cfi_objectFrame(s, s->objtype, s->objid).mat, s->type - mjSENS_FRAMEXAXIS);
  toReference(out, s, axis);
}


void cfi_senseFrameQuat(const cfSensor* s, mjtNum* out) {
  mjtNum quat[4];
  objectQuat(quat, s, s->objtype, s->objid);
  if (s->refid >= 0) {
    mjtNum ref[4];
    objectQuat(ref, s, s->reftype, s->refid);
    cfi_negQuat(ref, ref);
    cfi_mulQuat(quat, ref, quat);
  }
  cfi_copy4(out, quat);
}


// velocity as seen from a moving reference: v - v_ref + r x w_ref
static void subtractReferenceVelocity(const cfSensor* s, mjtNum vel[6]) {
  CF_ASSERT(s->refid >= 0);
  mjtNum ref[6], arm[3], carried[3];
  mj_objectVelocity(s->m, s->d, s->reftype, s->refid, ref, 0);
  cfi_subFrom6(vel, ref);
  cfi_sub3(arm, cfi_objectFrame(s, s->objtype, s->objid).pos,
           cfi_objectFrame(s, s->reftype, s->refid).pos);
  cfi_cross(carried, arm, ref);
  cfi_addTo3(vel + 3, carried);
}


void cfi_senseFrameVel(const cfSensor* s, mjtNum* out) {
  mjtNum vel[6];
  mj_objectVelocity(s->m, s->d, s->objtype, s->objid, vel, 0);
  if (s->refid >= 0) {
    subtractReferenceVelocity(s, vel);
  }
  toReference(out, s, s->type == mjSENS_FRAMELINVEL ? vel + 3 : vel);
}


// accelerations and interaction forces of bodies, computed once for all sensors that need them
static void needAccelerations(const cfSensor* s) {
  if (!s->d->flg_rnepost) {
    mj_rnePostConstraint(s->m, s->d);
  }
}


void cfi_senseFrameAcc(const cfSensor* s, mjtNum* out) {
  mjtNum acc[6];
  needAccelerations(s);
  mj_objectAcceleration(s->m, s->d, s->objtype, s->objid, acc, 0);
  cfi_copy3(out, s->type == mjSENS_FRAMELINACC ? acc + 3 : acc);
}


void cfi_senseMagnetometer(const cfSensor* s, mjtNum* out) {
  CF_ASSERT_INDEX(s->objid, s->m->nsite);
  cfi_mulMatTVec3(out, s->d->site_xmat + 9 * s->objid, s->m->opt.magnetic);
}


void cfi_senseVelocimeter(const cfSensor* s, mjtNum* out) {
  mjtNum vel[6];
  mj_objectVelocity(s->m, s->d, mjOBJ_SITE, s->objid, vel, 1);
  cfi_copy3(out, vel + 3);
}


void cfi_senseGyro(const cfSensor* s, mjtNum* out) {
  mjtNum vel[6];
  mj_objectVelocity(s->m, s->d, mjOBJ_SITE, s->objid, vel, 1);
  cfi_copy3(out, vel);
}


void cfi_senseAccelerometer(const cfSensor* s, mjtNum* out) {
  mjtNum acc[6];
  needAccelerations(s);
  mj_objectAcceleration(s->m, s->d, mjOBJ_SITE, s->objid, acc, 1);
  cfi_copy3(out, acc + 3);
}


// force or torque between the site's body and its parent, at the site in site axes
void cfi_senseInteraction(const cfSensor* s, mjtNum* out) {
  CF_ASSERT(s->type == mjSENS_FORCE || s->type == mjSENS_TORQUE);
  const int body = s->m->site_bodyid[s->objid];
  mjtNum wrench[6];
  needAccelerations(s);
  cfi_transformSpatial(wrench, s->d->cfrc_int + 6 * body, 1, s->d->site_xpos + 3 * s->objid,
                       s->d->subtree_com + 3 * s->m->body_rootid[body],
                       s->d->site_xmat + 9 * s->objid);
  cfi_copy3(out, s->type == mjSENS_FORCE ? wrench + 3 : wrench);
}


void cfi_senseSubtreeCom(const cfSensor* s, mjtNum* out) {
  CF_ASSERT_INDEX(s->objid, s->m->nbody);
  cfi_copy3(out, s->d->subtree_com + 3 * s->objid);
}


static void needSubtreeVelocity(const cfSensor* s) {
  if (!s->d->flg_subtreevel) {
    mj_subtreeVel(s->m, s->d);
  }
}


void cfi_senseSubtreeLinvel(const cfSensor* s, mjtNum* out) {
  needSubtreeVelocity(s);
  cfi_copy3(out, s->d->subtree_linvel + 3 * s->objid);
}


void cfi_senseSubtreeAngmom(const cfSensor* s, mjtNum* out) {
  needSubtreeVelocity(s);
  cfi_copy3(out, s->d->subtree_angmom + 3 * s->objid);
}
