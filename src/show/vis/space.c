// Between room and model space, and where the camera is in either.
//
// A scene may place the model in a room: room = scale * (translate + rotate(model)). Cameras are in
// room space. The two eyes of a scene are averaged wherever one camera is meant.
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "math/inline.h"
#include "vis/space.h"


// the model's pose in the room, without scale
static void modelPose(mjtNum pos[3], mjtNum quat[4], const mjvScene* scn) {
  for (int k = 0; k < 3; k++) {
    pos[k] = scn->translate[k];
  }
  for (int k = 0; k < 4; k++) {
    quat[k] = scn->rotate[k];
  }
}


// raise an error for a scene that cannot be transformed; true, and the pose is taken as it is, for
// one that asks for no transformation
static bool keepsPose(mjtNum pos[3], mjtNum quat[4], const mjtNum given_pos[3],
                      const mjtNum given_quat[4], const mjvScene* scn) {
  if (scn->scale < mjMINVAL) {
    mju_error("mjvScene scale too small");
  }
  if (!scn->enabletransform) {
    cfi_copy3(pos, given_pos);
    cfi_copy4(quat, given_quat);
  }
  return !scn->enabletransform;
}


void mjv_room2model(mjtNum modelpos[3], mjtNum modelquat[4], const mjtNum roompos[3],
                    const mjtNum roomquat[4], const mjvScene* scn) {
  if (keepsPose(modelpos, modelquat, roompos, roomquat, scn)) {
    return;
  }
  mjtNum pos[3], quat[4], inverse_pos[3], inverse_quat[4];
  modelPose(pos, quat, scn);
  mju_negPose(inverse_pos, inverse_quat, pos, quat);
  mju_mulPose(modelpos, modelquat, inverse_pos, inverse_quat, roompos, roomquat);
  cfi_scl3(modelpos, modelpos, 1.0 / scn->scale);
}


void mjv_model2room(mjtNum roompos[3], mjtNum roomquat[4], const mjtNum modelpos[3],
                    const mjtNum modelquat[4], const mjvScene* scn) {
  if (keepsPose(roompos, roomquat, modelpos, modelquat, scn)) {
    return;
  }
  mjtNum pos[3], quat[4];
  modelPose(pos, quat, scn);
  mju_mulPose(roompos, roomquat, pos, quat, modelpos, modelquat);
  cfi_scl3(roompos, roompos, scn->scale);
}


// one eye in room space
static cfEye eyeInRoom(const mjvGLCamera* camera) {
  cfEye eye;
  for (int k = 0; k < 3; k++) {
    eye.pos[k] = camera->pos[k];
    eye.forward[k] = camera->forward[k];
    eye.up[k] = camera->up[k];
  }
  return eye;
}


// one eye in model space: its axes go through a quaternion with x left, y up, z forward
static cfEye eyeInModel(const mjvGLCamera* camera, const mjvScene* scn) {
  cfEye eye = eyeInRoom(camera);
  cfi_normalize3(eye.forward);
  cfi_normalize3(eye.up);
  mjtNum left[3];
  cfi_cross(left, eye.up, eye.forward);
  cfi_normalize3(left);

  mjtNum axes[9], quat[4], pos[3], turned[4];
  for (int k = 0; k < 3; k++) {
    axes[3 * k] = left[k];
    axes[3 * k + 1] = eye.up[k];
    axes[3 * k + 2] = eye.forward[k];
  }
  cfi_mat2Quat(quat, axes);
  mjv_room2model(pos, turned, eye.pos, quat, scn);
  cfi_quat2Mat(axes, turned);
  cfi_copy3(eye.pos, pos);
  cfi_column3(eye.up, axes, 1);
  cfi_column3(eye.forward, axes, 2);
  return eye;
}


// midway between two eyes
static cfEye middleEye(const cfEye pair[2]) {
  cfEye eye;
  for (int k = 0; k < 3; k++) {
    eye.pos[k] = 0.5 * pair[0].pos[k] + 0.5 * pair[1].pos[k];
    eye.forward[k] = 0.5 * pair[0].forward[k] + 0.5 * pair[1].forward[k];
    eye.up[k] = 0.5 * pair[0].up[k] + 0.5 * pair[1].up[k];
  }
  cfi_normalize3(eye.forward);
  cfi_normalize3(eye.up);
  return eye;
}


static void checkNear(const mjvScene* scn) {
  if (scn->camera[0].frustum_near < mjMINVAL || scn->camera[1].frustum_near < mjMINVAL) {
    mju_error("mjvScene frustum_near too small");
  }
}


static void writeEye(const cfEye* eye, mjtNum* headpos, mjtNum* forward, mjtNum* up) {
  if (headpos) {
    cfi_copy3(headpos, eye->pos);
  }
  if (forward) {
    cfi_copy3(forward, eye->forward);
  }
  if (up) {
    cfi_copy3(up, eye->up);
  }
}


cfEye cfi_eyeInModel(const mjvScene* scn) {
  checkNear(scn);
  const cfEye pair[2] = {eyeInModel(scn->camera, scn), eyeInModel(scn->camera + 1, scn)};
  return middleEye(pair);
}


void mjv_cameraInModel(mjtNum headpos[3], mjtNum forward[3], mjtNum up[3], const mjvScene* scn) {
  const cfEye eye = cfi_eyeInModel(scn);
  writeEye(&eye, headpos, forward, up);
}


void mjv_cameraInRoom(mjtNum headpos[3], mjtNum forward[3], mjtNum up[3], const mjvScene* scn) {
  checkNear(scn);
  const cfEye pair[2] = {eyeInRoom(scn->camera), eyeInRoom(scn->camera + 1)};
  const cfEye eye = middleEye(pair);
  writeEye(&eye, headpos, forward, up);
}


// height of the view: at unit distance for a perspective camera, everywhere for an orthographic one
static mjtNum viewHeight(const mjvGLCamera* camera) {
  const float height = camera->frustum_top - camera->frustum_bottom;
  return camera->orthographic ? height : height / camera->frustum_near;
}


mjtNum mjv_frustumHeight(const mjvScene* scn) {
  const mjvGLCamera* eye = scn->camera;
  if (eye[0].orthographic != eye[1].orthographic) {
    mju_error("cannot average frustums of perspective and orthographic cameras");
  }
  if (!eye[0].orthographic) {
    checkNear(scn);
  }
  return 0.5 * (viewHeight(eye) + viewHeight(eye + 1));
}


// the rotation about z that takes (0, 1) to the horizontal part of `forward`
void mjv_alignToCamera(mjtNum res[3], const mjtNum vec[3], const mjtNum forward[3]) {
  mjtNum ahead[2] = {forward[0], forward[1]};
  mju_normalize(ahead, 2);
  const mjtNum x = vec[0] * ahead[1] + vec[1] * ahead[0];
  const mjtNum y = vec[1] * ahead[1] - vec[0] * ahead[0];
  cfi_set3(res, x, y, vec[2]);
}


mjvGLCamera mjv_averageCamera(const mjvGLCamera* cam1, const mjvGLCamera* cam2) {
  if (cam1->orthographic != cam2->orthographic) {
    mju_error("cannot average perspective and orthographic cameras");
  }

  // directions: normalized sums, up made orthogonal to forward
  const cfEye a = eyeInRoom(cam1), b = eyeInRoom(cam2);
  mjtNum forward[3], up[3];
  cfi_add3(forward, a.forward, b.forward);
  cfi_normalize3(forward);
  cfi_add3(up, a.up, b.up);
  cfi_addToScl3(up, forward, -cfi_dot3(up, forward));
  cfi_normalize3(up);

  mjvGLCamera mean = {.orthographic = cam1->orthographic};
  for (int k = 0; k < 3; k++) {
    mean.pos[k] = (float)((a.pos[k] + b.pos[k]) * 0.5);
    mean.forward[k] = (float)forward[k];
    mean.up[k] = (float)up[k];
  }
#define MEAN(field) mean.field = 0.5f * (cam1->field + cam2->field)
  MEAN(frustum_center);
  MEAN(frustum_width);
  MEAN(frustum_bottom);
  MEAN(frustum_top);
  MEAN(frustum_near);
  MEAN(frustum_far);
#undef MEAN
  return mean;
}
