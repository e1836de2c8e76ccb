// Forward kinematics: joint positions to the world frames of bodies, geoms and sites.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/frame.h"
#include "math/scan.h"
#include "model/flags.h"
#include "model/indexset.h"
#include "model/sleep.h"

// sine and cosine of half the angles of the next joints, computed one library call after the other
enum { JOINTS_AHEAD = 32 };
typedef struct {
  int first, end;  // joints
  mjtNum half[JOINTS_AHEAD][2];
} jointAngles;

// pose of a body while its joints act on it one after the other.  The vector from the origin to the
// anchor of the last joint is kept: joints often share their anchor, and often it is the origin.
typedef struct {
  mjtNum quat[4];
  mjtNum pos[3];
  const mjtNum* arm;  // anchor in the frame of the body, NULL: the origin
  mjtNum lever[3];    // arm turned by quat
  jointAngles* ahead;
} cfPose;


static inline bool isSame3(const mjtNum a[3], const mjtNum b[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}


// position and orientation come straight from qpos
static void freePose(cfPose* pose, const mjModel* m, mjData* d, int joint) {
  CF_ASSERT(m->jnt_type[joint] == mjJNT_FREE);
  const mjtNum* qpos = d->qpos + m->jnt_qposadr[joint];
  cfi_copy3(pose->pos, qpos);
  cfi_copy4(pose->quat, qpos + 3);
  cfi_unitize4(pose->quat);
  cfi_copy3(d->xanchor + 3 * joint, qpos);
  cfi_copy3(d->xaxis + 3 * joint, m->jnt_axis + 3 * joint);
}


// where the body would be with all its joints at zero; mocap bodies are children of the world
static void restPose(cfPose* pose, const mjModel* m, const mjData* d, int body) {
  CF_ASSERT(body > 0 && body < m->nbody);
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


// the next joints, from one on that is not there yet; out of line, where it saves no registers of
// the loop over bodies
static __attribute__((noinline)) void lookAhead(jointAngles* ahead, const mjModel* m,
                                                const mjData* d, int joint) {
  CF_ASSERT_INDEX(joint, m->njnt);
  ahead->first = joint;
  ahead->end = cfi_minInt((int)m->njnt, joint + JOINTS_AHEAD);
  for (int j = joint; j < ahead->end; j++) {
    if (m->jnt_type[j] == mjJNT_HINGE) {
      const int q = m->jnt_qposadr[j];
      const mjtNum half = 0.5 * (d->qpos[q] - m->qpos0[q]);
      ahead->half[j - joint][0] = sin(half);
      ahead->half[j - joint][1] = cos(half);
    }
  }
}


// joints are asked for in increasing order
static inline const mjtNum* halfAngle(jointAngles* ahead, const mjModel* m, const mjData* d,
                                      int joint) {
  if (joint >= ahead->end) {
    lookAhead(ahead, m, d, joint);
  }
  CF_ASSERT(joint >= ahead->first && joint < ahead->end);
  return ahead->half[joint - ahead->first];
}


// rotation of a ball or hinge joint in the frame of its body
static inline void jointTurn(mjtNum turn[4], jointAngles* ahead, const mjModel* m, const mjData* d,
                             int joint) {
  CF_ASSERT_INDEX(joint, m->njnt);
  if (m->jnt_type[joint] == mjJNT_BALL) {
    cfi_copy4(turn, d->qpos + m->jnt_qposadr[joint]);
    cfi_unitize4(turn);
    return;
  }
  const mjtNum *axis = m->jnt_axis + 3 * joint, *half = halfAngle(ahead, m, d, joint);
  const mjtNum s = half[0], c = half[1];
  cfi_laneStore(turn, cfi_laneSet(c, axis[0] * s, axis[1] * s, axis[2] * s));
}


// reach for the anchor of the next joint
static inline void holdAnchor(cfPose* pose, const mjtNum anchor[3]) {
  if (!cfi_anyNonzero(anchor, 3)) {
    if (pose->arm) {
      pose->arm = NULL;
      cfi_zero3(pose->lever);
    }
  } else if (!pose->arm || !isSame3(anchor, pose->arm)) {
    pose->arm = anchor;
    cfi_turn(pose->lever, anchor, pose->quat);
  }
}


// let a slide, hinge or ball joint act
static inline void moveByJoint(cfPose* pose, const mjModel* m, mjData* d, int joint) {
  CF_ASSERT_INDEX(joint, m->njnt);
  mjtNum *xaxis = d->xaxis + 3 * joint, *xanchor = d->xanchor + 3 * joint;
  cfi_turn(xaxis, m->jnt_axis + 3 * joint, pose->quat);
  holdAnchor(pose, m->jnt_pos + 3 * joint);
  cfi_add3(xanchor, pose->lever, pose->pos);

  if (m->jnt_type[joint] == mjJNT_SLIDE) {
    const int q = m->jnt_qposadr[joint];
    cfi_addToScl3(pose->pos, xaxis, d->qpos[q] - m->qpos0[q]);
    return;
  }

  // rotations leave the anchor where it is
  mjtNum turn[4];
  jointTurn(turn, pose->ahead, m, d, joint);
  cfi_mulQuat(pose->quat, pose->quat, turn);
  if (pose->arm) {
    cfi_turn(pose->lever, pose->arm, pose->quat);
  }
  cfi_sub3(pose->pos, xanchor, pose->lever);
}


// apply all joints of a body; its quaternion has unit length afterwards
static void bodyPose(cfPose* pose, const mjModel* m, mjData* d, int body) {
  CF_ASSERT(m->body_parentid[body] < body);
  const int first = m->body_jntadr[body], count = m->body_jntnum[body];
  if (count == 1 && m->jnt_type[first] == mjJNT_FREE) {
    freePose(pose, m, d, first);
    return;
  }
  restPose(pose, m, d, body);
  pose->arm = NULL;
  cfi_zero3(pose->lever);
  for (int j = first; j < first + count; j++) {
    moveByJoint(pose, m, d, j);
  }
  cfi_unitize4(pose->quat);
}


// does a sleeping body with a free joint, its quaternion of unit length, stand where qpos says?
static bool freeHasStayed(const mjModel* m, const mjData* d, int body) {
  const int joint = m->body_jntadr[body];
  if (m->jnt_type[joint] != mjJNT_FREE) {
    return false;
  }
  const mjtNum *qpos = d->qpos + m->jnt_qposadr[joint], *was = d->xquat + 4 * body;
  return isSame3(qpos, d->xpos + 3 * body) && qpos[3] == was[0] && isSame3(qpos + 4, was + 1) &&
         cfi_isUnitLength4(was);
}


// does a sleeping body stand where it was left?
static bool hasStayed(const cfPose* pose, const mjData* d, int body) {
  const mjtNum* was = d->xquat + 4 * body;
  return pose->quat[0] == was[0] && isSame3(pose->quat + 1, was + 1) &&
         isSame3(pose->pos, d->xpos + 3 * body);
}


static void worldFrame(mjData* d) {
  cfi_zero3(d->xpos);
  cfi_zero3(d->xipos);
  cfi_unitQuat(d->xquat);
  cfi_eye3(d->xmat);
  cfi_eye3(d->ximat);
}


// bodies and joints.  reads: qpos, mocap_pos, mocap_quat, body_awake.  writes: xpos, xquat, xmat,
// xanchor, xaxis; and tree_awake of trees that sleep but have been moved by the user.
static void placeBodies(const mjModel* m, mjData* d) {
  const bool may_sleep = cfi_enabled(m, mjENBL_SLEEP);
  jointAngles ahead;
  ahead.first = ahead.end = 0;
  worldFrame(d);

  for (int i = 1; i < m->nbody; i++) {
    if (may_sleep && d->body_awake[i] == mjS_STATIC) {
      continue;
    }

    // a sleeping body that was moved by the user wakes its tree
    const bool sleeps = may_sleep && m->body_jntnum[i] && d->body_awake[i] == mjS_ASLEEP;
    if (sleeps && freeHasStayed(m, d, i)) {
      continue;
    }
    cfPose pose;
    pose.ahead = &ahead;
    bodyPose(&pose, m, d, i);
    if (sleeps) {
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


// reads: xpos, xmat.  writes: xipos, ximat.
static void placeInertias(const mjModel* m, mjData* d, cfIndexSet bodies, const cfLocalAxes* kept) {
  CF_ASSERT(bodies.count <= m->nbody);
  const mjtNum *pos = m->body_ipos, *quat = m->body_iquat;
  const mjtByte* same = m->body_sameframe;
  mjtNum *xpos = d->xipos, *xmat = d->ximat;
  for (int b = 1; b < bodies.count; b++) {
    const ptrdiff_t i = cfi_at(bodies, b);
    cfi_placeFrame(xpos + 3 * i, xmat + 9 * i, d, (int)i, pos + 3 * i, quat + 4 * i,
                   (mjtSameFrame)same[i], kept ? kept + i : NULL);
  }
}


// geoms from the first to before the end, all of one body
static inline void placeGeoms(const mjModel* m, mjData* d, int body, ptrdiff_t first, ptrdiff_t end,
                              const cfLocalAxes* kept) {
  CF_ASSERT(first >= end || (end <= m->ngeom && m->geom_bodyid[first] == body));
  const mjtNum *pos = m->geom_pos, *quat = m->geom_quat;
  const mjtByte* same = m->geom_sameframe;
  mjtNum *xpos = d->geom_xpos, *xmat = d->geom_xmat;
  for (ptrdiff_t g = first; g < end; g++) {
    cfi_placeFrame(xpos + 3 * g, xmat + 9 * g, d, body, pos + 3 * g, quat + 4 * g,
                   (mjtSameFrame)same[g], kept ? kept + g : NULL);
  }
}


static void placeSites(const mjModel* m, mjData* d, bool some_rest, const cfLocalAxes* kept) {
  const mjtNum *pos = m->site_pos, *quat = m->site_quat;
  const mjtByte* same = m->site_sameframe;
  mjtNum *xpos = d->site_xpos, *xmat = d->site_xmat;
  for (ptrdiff_t s = 0; s < m->nsite; s++) {
    const int body = m->site_bodyid[s];
    CF_ASSERT_INDEX(body, m->nbody);
    if (!some_rest || d->body_awake[body] == mjS_AWAKE) {
      cfi_placeFrame(xpos + 3 * s, xmat + 9 * s, d, body, pos + 3 * s, quat + 4 * s,
                     (mjtSameFrame)same[s], kept ? kept + s : NULL);
    }
  }
}


// geoms of the world stand where the model says
static void placeWorldGeoms(const mjModel* m, mjData* d) {
  for (int g = m->body_geomadr[0]; g < m->body_geomadr[0] + m->body_geomnum[0]; g++) {
    cfi_copy3(d->geom_xpos + 3 * g, m->geom_pos + 3 * g);
    cfi_quat2Mat(d->geom_xmat + 9 * g, m->geom_quat + 4 * g);
  }
}


// what is attached to bodies; where some rest, the kept axes of all of them are not looked through.
// reads: xpos, xmat, the awake lists.  writes: xipos, ximat, geom_xpos, geom_xmat, site_xpos,
// site_xmat of awake bodies.
static void placeAttached(const mjModel* m, mjData* d) {
  const cfIndexSet bodies = cfi_awakeBodies(m, d);
  const bool some_rest = bodies.count < m->nbody;
  const cfLocalFrames none = {NULL, NULL, NULL};
  const cfLocalFrames kept = some_rest ? none : cfi_localFrames(m, d);
  placeInertias(m, d, bodies, kept.inertia);

  if (!some_rest || d->body_awake[0] == mjS_AWAKE) {
    placeWorldGeoms(m, d);
  }
  for (int b = 1; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b), first = m->body_geomadr[i];
    if (!some_rest || d->body_awake[i] == mjS_AWAKE) {
      placeGeoms(m, d, i, first, first + m->body_geomnum[i], kept.geom);
    }
  }
  placeSites(m, d, some_rest, kept.site);
}


// stage KINEMATICS.  reads: qpos, mocap_pos, mocap_quat, sleep state.
// writes: xpos, xquat, xmat, xipos, ximat, xanchor, xaxis, geom_xpos, geom_xmat, site_xpos,
// site_xmat.
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
