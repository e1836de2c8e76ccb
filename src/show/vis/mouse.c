// Mouse movements: of the camera, of the target of the selected body, of the whole model.
#include <math.h>
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "math/inline.h"
#include "math/libm.h"
#include "vis/space.h"

// An orthographic view is moved at this share of what its height suggests, as MuJoCo does.
static const mjtNum orthographic_share = 0.15;


// mouse movement (dx, dy) as a vector in world axes; zero for a zoom
static void mouseVector(mjtNum res[3], int action, mjtNum dx, mjtNum dy, const mjtNum forward[3]) {
  // for each action the coefficients of dx and dy in the camera's horizontal frame
  static const struct {
    mjtNum dx[3], dy[3];
  } direction[] = {
      [mjMOUSE_ROTATE_V] = {{0, 0, 1}, {1, 0, 0}},
      [mjMOUSE_ROTATE_H] = {{0, 1, 0}, {1, 0, 0}},
      [mjMOUSE_MOVE_V] = {{1, 0, 0}, {0, 0, -1}},
      [mjMOUSE_MOVE_H] = {{1, 0, 0}, {0, -1, 0}},
      [mjMOUSE_ZOOM] = {{0, 0, 0}, {0, 0, 0}},
      [mjMOUSE_MOVE_V_REL] = {{1, 0, 0}, {0, 0, -1}},
      [mjMOUSE_MOVE_H_REL] = {{1, 0, 0}, {0, -1, 0}},
  };
  if (action <= mjMOUSE_NONE || action > mjMOUSE_MOVE_H_REL) {
    mju_error("unexpected mouse action %d", action);
    return;
  }
  mjtNum vec[3];
  for (int k = 0; k < 3; k++) {
    vec[k] = direction[action].dx[k] * dx + direction[action].dy[k] * dy;
  }
  mjv_alignToCamera(res, vec, forward);
}


//---------------------------------- camera --------------------------------------------------------

// keep angles and distance in their ranges
static void limitCamera(mjvCamera* cam, mjtNum extent) {
  if (cam->azimuth > 180) {
    cam->azimuth -= 360;
  }
  if (cam->azimuth < -180) {
    cam->azimuth += 360;
  }
  cam->elevation = cfi_clip(cam->elevation, -89, 89);
  cam->distance = cfi_clip(cam->distance, 0.01 * extent, 100 * extent);
}


// the point looked at follows the mouse
static void dragLookat(int action, mjtNum dx, mjtNum dy, const mjvScene* scn, mjvCamera* cam) {
  const cfEye eye = cfi_eyeInModel(scn);
  mjtNum motion[3], offset[3];
  mouseVector(motion, action, dx, dy, eye.forward);
  cfi_sub3(offset, cam->lookat, eye.pos);
  const mjtNum scale = mjv_frustumHeight(scn) * cfi_dot3(offset, eye.forward);
  cfi_addToScl3(cam->lookat, motion, cam->orthographic ? -scale * orthographic_share : -scale);
}


// the point looked at moves along the camera's own axes
static void driveLookat(int action, mjtNum dx, mjtNum dy, const mjvScene* scn, mjvCamera* cam) {
  const cfEye eye = cfi_eyeInModel(scn);
  mjtNum right[3];
  cfi_cross(right, eye.forward, eye.up);
  cfi_addToScl3(cam->lookat, action == mjMOUSE_MOVE_V_REL ? eye.up : eye.forward, dy);
  cfi_addToScl3(cam->lookat, right, dx);
}


void mjv_moveCamera(const mjModel* m, int action, mjtNum reldx, mjtNum reldy, const mjvScene* scn,
                    mjvCamera* cam) {
  const mjtNum extent = m->stat.extent;
  const bool is_move =
      action != mjMOUSE_ZOOM && action != mjMOUSE_ROTATE_V && action != mjMOUSE_ROTATE_H;
  if (cam->type == mjCAMERA_FIXED) {
    return;
  }
  if (action <= mjMOUSE_NONE || action > mjMOUSE_MOVE_H_REL) {
    mju_error("unexpected mouse action %d", action);
    return;
  }

  // a tracking camera keeps looking at its body
  if (is_move && cam->type == mjCAMERA_TRACKING) {
    return;
  }
  if (action == mjMOUSE_ZOOM) {
    cam->distance -= cfi_log(1 + cam->distance / extent / 3) * reldy * 9 * extent;
  } else if (!is_move) {
    cam->azimuth -= reldx * 180.0;
    cam->elevation -= reldy * 180.0;
  } else if (action == mjMOUSE_MOVE_V || action == mjMOUSE_MOVE_H) {
    dragLookat(action, reldx, reldy, scn, cam);
  } else {
    driveLookat(action, reldx, reldy, scn, cam);
  }
  limitCamera(cam, extent);
}


//---------------------------------- target of the selected body
//------------------------------------

// target and target of the selected point move together
static void shiftTarget(mjvPerturb* pert, const mjtNum direction[3], mjtNum distance) {
  cfi_addToScl3(pert->refpos, direction, distance);
  cfi_addToScl3(pert->refselpos, direction, distance);
}


// move along the axes of the body: x or z by dy, y by dx
static void shiftTargetLocal(const mjtNum xmat[9], int action, mjtNum dx, mjtNum dy,
                             mjvPerturb* pert) {
  mjtNum axis[3];
  cfi_column3(axis, xmat, action == mjMOUSE_MOVE_H_REL ? 0 : 2);
  shiftTarget(pert, axis, pert->scale * dy);
  cfi_column3(axis, xmat, 1);
  shiftTarget(pert, axis, pert->scale * dx);
}


// keep the target within a right angle of the body
static void limitTargetRotation(const mjModel* m, const mjData* d, mjvPerturb* pert) {
  const int body = pert->select;
  if (body <= 0 || body >= m->nbody) {
    return;
  }
  mjtNum inertial[4], inverse[4], relative[4], axis[3];
  cfi_mulQuat(inertial, d->xquat + 4 * body, m->body_iquat + 4 * body);
  cfi_negQuat(inverse, inertial);
  cfi_mulQuat(relative, inverse, pert->refquat);
  cfi_quat2Vel(axis, relative, 1);
  if (cfi_normalize3(axis) > mjPI * 0.5) {
    cfi_axisAngle2Quat(relative, axis, mjPI * 0.5);
    cfi_mulQuat(pert->refquat, inertial, relative);
  }
}


static void rotateTarget(const mjModel* m, const mjData* d, mjtNum motion[3], mjvPerturb* pert) {
  mjtNum turn[4], turned[4];
  const mjtNum amount = cfi_normalize3(motion);
  cfi_axisAngle2Quat(turn, motion, amount * mjPI * 2);
  cfi_mulQuat(turned, turn, pert->refquat);
  cfi_normalize4(turned);
  cfi_copy4(pert->refquat, turned);
  limitTargetRotation(m, d, pert);
}


void mjv_movePerturb(const mjModel* m, const mjData* d, int action, mjtNum reldx, mjtNum reldy,
                     const mjvScene* scn, mjvPerturb* pert) {
  mjtNum motion[3];
  const cfEye eye = cfi_eyeInModel(scn);
  mouseVector(motion, action, reldx, reldy, eye.forward);
  switch ((mjtMouse)action) {
    case mjMOUSE_MOVE_V:
    case mjMOUSE_MOVE_H:
      shiftTarget(pert, motion, pert->scale);
      break;
    case mjMOUSE_MOVE_V_REL:
    case mjMOUSE_MOVE_H_REL:
      shiftTargetLocal(d->xmat + 9 * pert->select, action, reldx, reldy, pert);
      break;
    case mjMOUSE_ROTATE_V:
    case mjMOUSE_ROTATE_H:
      rotateTarget(m, d, motion, pert);
      break;
    default:
      break;
  }
}


//---------------------------------- model in its room
//----------------------------------------------

static void rotateModel(const mjtNum axis[3], mjvScene* scn) {
  mjtNum unit[3], turn[4], now[4], turned[4];
  cfi_copy3(unit, axis);
  const mjtNum amount = cfi_normalize3(unit);
  cfi_axisAngle2Quat(turn, unit, amount * mjPI);
  mju_f2n(now, scn->rotate, 4);
  cfi_mulQuat(turned, turn, now);
  cfi_normalize4(turned);
  mju_n2f(scn->rotate, turned, 4);
}


static void scaleModel(mjtNum dy, mjvScene* scn) {
  scn->scale += (float)(cfi_log(1 + scn->scale / 3) * dy * 3);
  scn->scale = scn->scale < 0.01f ? 0.01f : scn->scale > 100.0f ? 100.0f : scn->scale;
}


void mjv_moveModel(const mjModel* m, int action, mjtNum reldx, mjtNum reldy, const mjtNum roomup[3],
                   mjvScene* scn) {
  if (!scn->enabletransform) {
    return;
  }

  // horizontal directions of the room as the camera sees them
  mjtNum camera[3], ahead[3], right[3];
  mjv_cameraInRoom(NULL, camera, NULL, scn);
  cfi_addScl3(ahead, camera, roomup, -cfi_dot3(camera, roomup));
  cfi_normalize3(ahead);
  cfi_cross(right, ahead, roomup);
  cfi_normalize3(right);

  bool is_vertical =
      action == mjMOUSE_ROTATE_V || action == mjMOUSE_MOVE_V || action == mjMOUSE_MOVE_V_REL;
  mjtNum motion[3];
  switch ((mjtMouse)action) {
    case mjMOUSE_ROTATE_V:
    case mjMOUSE_ROTATE_H:
      for (int k = 0; k < 3; k++) {
        motion[k] = (is_vertical ? roomup[k] : ahead[k]) * reldx + right[k] * reldy;
      }
      rotateModel(motion, scn);
      break;
    case mjMOUSE_MOVE_V:
    case mjMOUSE_MOVE_H:
    case mjMOUSE_MOVE_V_REL:
    case mjMOUSE_MOVE_H_REL:
      for (int k = 0; k < 3; k++) {
        motion[k] = right[k] * reldx - (is_vertical ? roomup[k] : ahead[k]) * reldy;
        scn->translate[k] += (float)motion[k] * m->stat.extent;
      }
      break;
    case mjMOUSE_ZOOM:
      scaleModel(reldy, scn);
      break;
    default:
      mju_error("unexpected mouse action %d", action);
  }
}
