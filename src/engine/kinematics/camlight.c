// World frames of cameras, positions and directions of lights, in every tracking mode.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/frame.h"
#include "model/indexset.h"

// what cameras and lights have in common: who carries them, whom they look at, how they track
typedef struct {
  int body, target;
  mjtCamLight mode;
} cfTracker;


static inline bool tracksCom(cfTracker t) {
  return t.mode == mjCAMLIGHT_TRACKCOM || t.mode == mjCAMLIGHT_TARGETBODYCOM;
}


static inline bool keepsOrientation(cfTracker t) {
  return t.mode == mjCAMLIGHT_TRACK || t.mode == mjCAMLIGHT_TRACKCOM;
}


static inline bool looksAtTarget(cfTracker t) {
  return (t.mode == mjCAMLIGHT_TARGETBODY || t.mode == mjCAMLIGHT_TARGETBODYCOM) && t.target >= 0;
}


// frame origin or subtree com of a body, as the mode asks for
static inline const mjtNum* trackedPoint(cfTracker t, const mjData* d, int body) {
  return (tracksCom(t) ? d->subtree_com : d->xpos) + 3 * body;
}


// neither carrier nor target has moved
static bool trackerRests(cfTracker t, const mjData* d) {
  return d->body_awake[t.body] != mjS_AWAKE &&
         (t.target < 0 || d->body_awake[t.target] != mjS_AWAKE);
}


// camera axes as columns: z away from the target, x level with the ground, y completes
static void lookAt(mjtNum xmat[9], const mjtNum eye[3], const mjtNum target[3]) {
  const mjtNum up[3] = {0, 0, 1};
  mjtNum axes[9];
  cfi_sub3(axes + 6, eye, target);
  cfi_normalize3(axes + 6);
  cfi_cross(axes, up, axes + 6);
  cfi_normalize3(axes);
  cfi_cross(axes + 3, axes + 6, axes);
  cfi_normalize3(axes + 3);
  cfi_transpose3(xmat, axes);
}


static void placeCamera(const mjModel* m, mjData* d, int i, cfTracker t) {
  CF_ASSERT_INDEX(i, m->ncam);
  mjtNum *xpos = d->cam_xpos + 3 * i, *xmat = d->cam_xmat + 9 * i;
  if (keepsOrientation(t)) {
    const mjtNum* offset = (tracksCom(t) ? m->cam_poscom0 : m->cam_pos0) + 3 * i;
    cfi_copy9(xmat, m->cam_mat0 + 9 * i);
    cfi_add3(xpos, trackedPoint(t, d, t.body), offset);
    return;
  }

  cfi_bodyPoint(xpos, d, t.body, m->cam_pos + 3 * i);
  if (looksAtTarget(t)) {
    lookAt(xmat, xpos, trackedPoint(t, d, t.target));
  } else {
    cfi_placeAxes(xmat, d, m->cam_quat + 4 * i, t.body, mjSAMEFRAME_NONE);
  }
}


static void placeLight(const mjModel* m, mjData* d, int i, cfTracker t) {
  CF_ASSERT_INDEX(i, m->nlight);
  mjtNum *xpos = d->light_xpos + 3 * i, *xdir = d->light_xdir + 3 * i;
  if (keepsOrientation(t)) {
    const mjtNum* offset = (tracksCom(t) ? m->light_poscom0 : m->light_pos0) + 3 * i;
    cfi_copy3(xdir, m->light_dir0 + 3 * i);
    cfi_add3(xpos, trackedPoint(t, d, t.body), offset);
  } else {
    if (t.body == 0) {
      cfi_copy3(xpos, m->light_pos + 3 * i);
      cfi_copy3(xdir, m->light_dir + 3 * i);
    } else {
      cfi_bodyPoint(xpos, d, t.body, m->light_pos + 3 * i);
      cfi_turn(xdir, m->light_dir + 3 * i, d->xquat + 4 * t.body);
    }
    if (looksAtTarget(t)) {
      cfi_sub3(xdir, trackedPoint(t, d, t.target), xpos);
    }
  }
  cfi_normalize3(xdir);
}


// stage CAMLIGHT.  reads: xpos, xquat, xmat, subtree_com.
// writes: cam_xpos, cam_xmat, light_xpos, light_xdir.
void mj_camlight(const mjModel* m, mjData* d) {
  const bool some_rest = cfi_awakeBodies(m, d).count < m->nbody;

  for (int i = 0; i < m->ncam; i++) {
    const cfTracker t = {m->cam_bodyid[i], m->cam_targetbodyid[i], (mjtCamLight)m->cam_mode[i]};
    if (!some_rest || !trackerRests(t, d)) {
      placeCamera(m, d, i, t);
    }
  }

  for (int i = 0; i < m->nlight; i++) {
    const cfTracker t = {m->light_bodyid[i], m->light_targetbodyid[i],
                         (mjtCamLight)m->light_mode[i]};
    if (!some_rest || !trackerRests(t, d)) {
      placeLight(m, d, i, t);
    }
  }
}
