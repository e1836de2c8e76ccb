// Forward kinematics: joint positions to the world frames of bodies, geoms and sites.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/frame.h"
#include "model/flags.h"
#include "model/indexset.h"
#include "pipeline/sleep.h"

// pose of a body while its joints act on it one after the other
typedef struct {
  mjtNum pos[3], quat[4];
} cfPose;


// position and orientation come straight from qpos
static void freePose(cfPose* pose, const mjModel* m, mjData* d, int joint) {
  const mjtNum* qpos = d->qpos + m->jnt_qposadr[joint];
  cfi_copy3(pose->pos, qpos);
  cfi_copy4(pose->quat, qpos + 3);
  cfi_unitize4(pose->quat);

  cfi_copy3(d->xanchor + 3 * joint, pose->pos);
  cfi_copy3(d->xaxis + 3 * joint, m->jnt_axis + 3 * joint);
}


// where the body would be with all its joints at zero; mocap bodies are children of the world
static void restPose(cfPose* pose, const mjModel* m, const mjData* d, int body) {
  const int mocap = m->body_mocapid[body], parent = m->body_parentid[body];
  if (mocap >= 0) {
    cfi_copy3(pose->pos, d->mocap_pos + 3 * mocap);
    cfi_copy4(pose->quat, d->mocap_quat + 4 * mocap);
    cfi_unitize4(pose->quat);
  } else if (parent == 0) {
    cfi_copy3(pose->pos, m->body_pos + 3 * body);
    cfi_copy4(pose->quat, m->body_quat + 4 * body);
  } else {
    cfi_bodyPoint(pose->pos, d, parent, m->body_pos + 3 * body);
    cfi_mulQuat(pose->quat, d->xquat + 4 * parent, m->body_quat + 4 * body);
  }
}


// rotation of a ball or hinge joint in the frame of its body
static void jointTurn(mjtNum turn[4], const mjModel* m, const mjData* d, int joint) {
  const int q = m->jnt_qposadr[joint];
  if (m->jnt_type[joint] == mjJNT_BALL) {
    cfi_copy4(turn, d->qpos + q);
    cfi_unitize4(turn);
    return;
  }
  const mjtNum* axis = m->jnt_axis + 3 * joint;
  const mjtNum half = 0.5 * (d->qpos[q] - m->qpos0[q]);
  const mjtNum s = sin(half), c = cos(half);
  cfi_set4(turn, c, axis[0] * s, axis[1] * s, axis[2] * s);
}


// let a slide, hinge or ball joint act; the anchor of a rotation stays where it is
static void moveByJoint(cfPose* pose, const mjModel* m, mjData* d, int joint) {
  const mjtNum* anchor = m->jnt_pos + 3 * joint;
  const bool is_centered = anchor[0] == 0 && anchor[1] == 0 && anchor[2] == 0;
  mjtNum *xaxis = d->xaxis + 3 * joint, *xanchor = d->xanchor + 3 * joint, arm[3];

  cfi_turn(xaxis, m->jnt_axis + 3 * joint, pose->quat);
  cfi_copy3(xanchor, pose->pos);
  if (!is_centered) {
    cfi_turn(arm, anchor, pose->quat);
    cfi_addTo3(xanchor, arm);
  }

  if (m->jnt_type[joint] == mjJNT_SLIDE) {
    const int q = m->jnt_qposadr[joint];
    cfi_addToScl3(pose->pos, xaxis, d->qpos[q] - m->qpos0[q]);
    return;
  }

  mjtNum turn[4];
  jointTurn(turn, m, d, joint);
  cfi_mulQuat(pose->quat, pose->quat, turn);
  if (!is_centered) {
    cfi_turn(arm, anchor, pose->quat);
    cfi_sub3(pose->pos, xanchor, arm);
  }
}


static void bodyPose(cfPose* pose, const mjModel* m, mjData* d, int body) {
  const int first = m->body_jntadr[body], count = m->body_jntnum[body];
  if (count == 1 && m->jnt_type[first] == mjJNT_FREE) {
    freePose(pose, m, d, first);
    return;
  }

  restPose(pose, m, d, body);
  for (int j = first; j < first + count; j++) {
    moveByJoint(pose, m, d, j);
  }
  cfi_unitize4(pose->quat);
}


// a sleeping body that is not where it was left has been moved by the user: its tree must wake
static bool hasStayed(const cfPose* pose, const mjData* d, int body) {
  const mjtNum *pos = d->xpos + 3 * body, *quat = d->xquat + 4 * body;
  bool same = true;
  for (int k = 0; k < 3; k++) {
    same &= pose->pos[k] == pos[k];
  }
  for (int k = 0; k < 4; k++) {
    same &= pose->quat[k] == quat[k];
  }
  return same;
}


static void worldFrame(mjData* d) {
  cfi_zero3(d->xpos);
  cfi_zero3(d->xipos);
  cfi_unitQuat(d->xquat);
  cfi_eye3(d->xmat);
  cfi_eye3(d->ximat);
}


// reads: qpos, mocap_pos, mocap_quat, body_awake.  writes: xpos, xquat, xmat, xanchor, xaxis; and
// tree_awake of trees that sleep but have been moved.
static void placeBodies(const mjModel* m, mjData* d) {
  const bool may_sleep = cfi_enabled(m, mjENBL_SLEEP);
  worldFrame(d);

  for (int i = 1; i < m->nbody; i++) {
    if (may_sleep && d->body_awake[i] == mjS_STATIC) {
      continue;
    }

    cfPose pose;
    bodyPose(&pose, m, d, i);
    if (may_sleep && m->body_jntnum[i] && d->body_awake[i] == mjS_ASLEEP) {
      if (hasStayed(&pose, d, i)) {
        continue;
      }
      d->tree_awake[m->body_treeid[i]] = 1;
    }

    cfi_copy3(d->xpos + 3 * i, pose.pos);
    cfi_copy4(d->xquat + 4 * i, pose.quat);
    cfi_turnMat(d->xmat + 9 * i, pose.quat);
  }
}


static void placeInertias(const mjModel* m, mjData* d, cfIndexSet bodies) {
  for (int b = 1; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b);
    const mjtSameFrame same = (mjtSameFrame)m->body_sameframe[i];
    cfi_placeOrigin(d->xipos + 3 * i, d, m->body_ipos + 3 * i, i, same);
    cfi_placeAxes(d->ximat + 9 * i, d, m->body_iquat + 4 * i, i, same);
  }
}


static void placeGeom(const mjModel* m, mjData* d, int g, int body) {
  const mjtSameFrame same = (mjtSameFrame)m->geom_sameframe[g];
  cfi_placeOrigin(d->geom_xpos + 3 * g, d, m->geom_pos + 3 * g, body, same);
  cfi_placeAxes(d->geom_xmat + 9 * g, d, m->geom_quat + 4 * g, body, same);
}


static void placeSite(const mjModel* m, mjData* d, int s, int body) {
  const mjtSameFrame same = (mjtSameFrame)m->site_sameframe[s];
  cfi_placeOrigin(d->site_xpos + 3 * s, d, m->site_pos + 3 * s, body, same);
  cfi_placeAxes(d->site_xmat + 9 * s, d, m->site_quat + 4 * s, body, same);
}


// reads: xpos, xquat, xmat, the awake lists.  writes: xipos, ximat, geom_x*, site_x* of what is awake
static void placeAttached(const mjModel* m, mjData* d) {
  const cfIndexSet bodies = cfi_awakeBodies(m, d);
  const bool some_rest = bodies.count < m->nbody;
  placeInertias(m, d, bodies);

  for (int b = 0; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b);
    if (some_rest && d->body_awake[i] != mjS_AWAKE) {
      continue;
    }
    for (int g = m->body_geomadr[i]; g < m->body_geomadr[i] + m->body_geomnum[i]; g++) {
      placeGeom(m, d, g, i);
    }
  }

  for (int s = 0; s < m->nsite; s++) {
    const int i = m->site_bodyid[s];
    if (!some_rest || d->body_awake[i] == mjS_AWAKE) {
      placeSite(m, d, s, i);
    }
  }
}


// stage KINEMATICS.  reads: qpos, mocap_pos, mocap_quat, sleep state.
// writes: xpos, xquat, xmat, xipos, ximat, xanchor, xaxis, geom_xpos, geom_xmat, site_xpos, site_xmat.
void mj_kinematics(const mjModel* m, mjData* d) {
  placeBodies(m, d);
  if (cfi_wake(m, d)) {
    cfi_updateSleep(m, d);
  }
  placeAttached(m, d);
}


void mj_local2Global(mjData* d, mjtNum xpos[3], mjtNum xmat[9], const mjtNum pos[3],
                     const mjtNum quat[4], int body, mjtByte sameframe) {
  if (xpos && pos) {
    cfi_placeOrigin(xpos, d, pos, body, (mjtSameFrame)sameframe);
  }
  if (xmat && quat) {
    cfi_placeAxes(xmat, d, quat, body, (mjtSameFrame)sameframe);
  }
}
