// Forward kinematics: joint positions to the world frames of bodies, geoms and sites.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "kinematics/frame.h"
#include "kinematics/runs.h"
#include "math/libm.h"
#include "math/scan.h"
#include "model/flags.h"
#include "model/deal.h"
#include "model/indexset.h"
#include "model/sleep.h"

// sine and cosine of half the angles of the next joints, computed several at a time
enum { JOINTS_AHEAD = 32 };
typedef struct {
  int first, end;              // joints
  int last;                    // behind the last of them that will be asked for
  mjtNum angle[JOINTS_AHEAD];  // half angles of the hinges among them
  mjtNum half[JOINTS_AHEAD][2];
} jointAngles;

// pose of a body while its joints act on it one after the other.  The vector from the origin to the
// anchor of the last joint is kept: joints often share their anchor, and often it is the origin.
// The quaternion is never an array: numbers of a vector that was just stored cannot be read as
// another vector at once.
typedef struct {
  cfLane quat;
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
  pose->quat = cfi_unitizeLane(cfi_laneLoad(qpos + 3));
  cfi_copy3(d->xanchor + 3 * joint, qpos);
  cfi_copy3(d->xaxis + 3 * joint, m->jnt_axis + 3 * joint);
}


// where the body would be with all its joints at zero; mocap bodies are children of the world
static void restPose(cfPose* pose, const mjModel* m, const mjData* d, int body) {
  CF_ASSERT(body > 0 && body < m->nbody);
  const int mocap = m->body_mocapid[body], parent = m->body_parentid[body];
  if (mocap >= 0) {
    cfi_copy3(pose->pos, d->mocap_pos + 3 * mocap);
    pose->quat = cfi_unitizeLane(cfi_laneLoad(d->mocap_quat + 4 * mocap));
  } else if (parent == 0) {
    cfi_copy3(pose->pos, m->body_pos + 3 * body);
    pose->quat = cfi_laneLoad(m->body_quat + 4 * body);
  } else {
    cfi_bodyPoint(pose->pos, d, parent, m->body_pos + 3 * body);
    const mjtNum* q = d->xquat + 4 * parent;
    pose->quat = cfi_mulQuatLane(q[0], q[1], q[2], q[3], cfi_laneLoad(m->body_quat + 4 * body));
  }
}


// the next joints, from one on that is not there yet; out of line, where it saves no registers of
// the loop over bodies
static __attribute__((noinline)) void lookAhead(jointAngles* ahead, const mjModel* m,
                                                const mjData* d, int joint) {
  CF_ASSERT(joint >= 0 && joint < ahead->last && ahead->last <= m->njnt);
  ahead->first = joint;
  ahead->end = cfi_minInt(ahead->last, joint + JOINTS_AHEAD);
  int hinge[JOINTS_AHEAD], nhinge = 0;
  mjtNum half[JOINTS_AHEAD][2];
  for (int j = joint; j < ahead->end; j++) {
    if (m->jnt_type[j] == mjJNT_HINGE) {
      const int q = m->jnt_qposadr[j];
      ahead->angle[nhinge] = 0.5 * (d->qpos[q] - m->qpos0[q]);
      hinge[nhinge++] = j - joint;
    }
  }
  cfi_sinCosOf(half, ahead->angle, nhinge);
  for (int k = 0; k < nhinge; k++) {
    memcpy(ahead->half[hinge[k]], half[k], sizeof(half[k]));
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
static inline cfLane jointTurn(jointAngles* ahead, const mjModel* m, const mjData* d, int joint) {
  CF_ASSERT_INDEX(joint, m->njnt);
  if (m->jnt_type[joint] == mjJNT_BALL) {
    return cfi_unitizeLane(cfi_laneLoad(d->qpos + m->jnt_qposadr[joint]));
  }
  const mjtNum *axis = m->jnt_axis + 3 * joint, *half = halfAngle(ahead, m, d, joint);
  const mjtNum s = half[0], c = half[1];
  return cfi_laneSet(c, axis[0] * s, axis[1] * s, axis[2] * s);
}


// a vector of the body as it stands now
static inline void turnWithPose(mjtNum res[3], const mjtNum v[3], const cfPose* pose) {
  const cfLane q = pose->quat;
  const mjtNum quat[4] = {cfi_laneAt(q, 0), cfi_laneAt(q, 1), cfi_laneAt(q, 2), cfi_laneAt(q, 3)};
  cfi_turn(res, v, quat);
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
    turnWithPose(pose->lever, anchor, pose);
  }
}


// let a slide, hinge or ball joint act
static inline void moveByJoint(cfPose* pose, const mjModel* m, mjData* d, int joint) {
  CF_ASSERT_INDEX(joint, m->njnt);
  mjtNum *xaxis = d->xaxis + 3 * joint, *xanchor = d->xanchor + 3 * joint;
  turnWithPose(xaxis, m->jnt_axis + 3 * joint, pose);
  holdAnchor(pose, m->jnt_pos + 3 * joint);
  cfi_add3(xanchor, pose->lever, pose->pos);

  if (m->jnt_type[joint] == mjJNT_SLIDE) {
    const int q = m->jnt_qposadr[joint];
    cfi_addToScl3(pose->pos, xaxis, d->qpos[q] - m->qpos0[q]);
    return;
  }

  // rotations leave the anchor where it is
  const cfLane q = pose->quat;
  pose->quat = cfi_mulQuatLane(cfi_laneAt(q, 0), cfi_laneAt(q, 1), cfi_laneAt(q, 2),
                               cfi_laneAt(q, 3), jointTurn(pose->ahead, m, d, joint));
  if (pose->arm) {
    turnWithPose(pose->lever, pose->arm, pose);
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
  pose->quat = cfi_unitizeLane(pose->quat);
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
  mjtNum quat[4];
  cfi_laneStore(quat, pose->quat);
  return quat[0] == was[0] && isSame3(quat + 1, was + 1) && isSame3(pose->pos, d->xpos + 3 * body);
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
static __attribute__((noinline)) void placeBodies(const mjModel* m, mjData* d, int first, int end,
                                                  int last_joint) {
  const bool may_sleep = cfi_enabled(m, mjENBL_SLEEP);
  jointAngles ahead;
  ahead.first = ahead.end = 0;
  ahead.last = last_joint;

  for (int i = first; i < end; i++) {
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
    cfi_laneStore(d->xquat + 4 * i, pose.quat);
    cfi_turnMat(d->xmat + 9 * i, d->xquat + 4 * i);
  }
}


static inline __attribute__((always_inline)) void placeInertias(const mjModel* m, mjData* d,
                                                                cfIndexSet bodies) {
  CF_ASSERT(bodies.count <= m->nbody);
  for (int b = bodies.first == 0; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b);
    const mjtSameFrame same = (mjtSameFrame)m->body_sameframe[i];
    cfi_placeOrigin(d->xipos + 3 * i, d, m->body_ipos + 3 * i, i, same);
    cfi_placeAxes(d->ximat + 9 * i, d, m->body_iquat + 4 * i, i, same);
  }
}


static void placeGeom(const mjModel* m, mjData* d, int g, int body) {
  CF_ASSERT(g >= 0 && g < m->ngeom && m->geom_bodyid[g] == body);
  const mjtSameFrame same = (mjtSameFrame)m->geom_sameframe[g];
  cfi_placeOrigin(d->geom_xpos + 3 * g, d, m->geom_pos + 3 * g, body, same);
  cfi_placeAxes(d->geom_xmat + 9 * g, d, m->geom_quat + 4 * g, body, same);
}


static void placeSite(const mjModel* m, mjData* d, int s, int body) {
  CF_ASSERT(s >= 0 && s < m->nsite && m->site_bodyid[s] == body);
  const mjtSameFrame same = (mjtSameFrame)m->site_sameframe[s];
  cfi_placeOrigin(d->site_xpos + 3 * s, d, m->site_pos + 3 * s, body, same);
  cfi_placeAxes(d->site_xmat + 9 * s, d, m->site_quat + 4 * s, body, same);
}


// geoms of the world stand where the model says
static void placeWorldGeoms(const mjModel* m, mjData* d) {
  for (int g = m->body_geomadr[0]; g < m->body_geomadr[0] + m->body_geomnum[0]; g++) {
    cfi_copy3(d->geom_xpos + 3 * g, m->geom_pos + 3 * g);
    cfi_quat2Mat(d->geom_xmat + 9 * g, m->geom_quat + 4 * g);
  }
}


static inline __attribute__((always_inline)) void placeGeoms(const mjModel* m, mjData* d,
                                                             cfIndexSet bodies, bool some_rest) {
  for (int b = bodies.first == 0; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b);
    if (some_rest && d->body_awake[i] != mjS_AWAKE) {
      continue;
    }
    for (int g = m->body_geomadr[i]; g < m->body_geomadr[i] + m->body_geomnum[i]; g++) {
      placeGeom(m, d, g, i);
    }
  }
}


static void placeSites(const mjModel* m, mjData* d, bool some_rest) {
  for (int s = 0; s < m->nsite; s++) {
    const int i = m->site_bodyid[s];
    if (!some_rest || d->body_awake[i] == mjS_AWAKE) {
      placeSite(m, d, s, i);
    }
  }
}


// what is attached to bodies.  reads: xpos, xquat, xmat, the awake lists.  writes: xipos, ximat,
// geom_xpos, geom_xmat, site_xpos, site_xmat of awake bodies.
static void placeAttached(const mjModel* m, mjData* d) {
  const cfIndexSet bodies = cfi_awakeBodies(m, d);
  const bool some_rest = bodies.count < m->nbody;
  placeInertias(m, d, bodies);

  if (!some_rest || d->body_awake[0] == mjS_AWAKE) {
    placeWorldGeoms(m, d);
  }
  placeGeoms(m, d, bodies, some_rest);
  placeSites(m, d, some_rest);
}


// stage KINEMATICS.  reads: qpos, mocap_pos, mocap_quat, sleep state.
// writes: xpos, xquat, xmat, xipos, ximat, xanchor, xaxis, geom_xpos, geom_xmat, site_xpos,
// site_xmat.
void mj_kinematics(const mjModel* m, mjData* d) {
  worldFrame(d);
  placeBodies(m, d, 1, (int)m->nbody, (int)m->njnt);
  if (CF_SELDOM(cfi_wake(m, d))) {
    cfi_updateSleep(m, d);
  }
  placeAttached(m, d);
}


void cfi_placeRun(const mjModel* m, mjData* d, cfIndexSet bodies) {
  CF_ASSERT(bodies.first > 0 && !cfi_enabled(m, mjENBL_SLEEP));
  placeBodies(m, d, bodies.first, bodies.first + bodies.count, cfi_endJoint(m, bodies));
  placeInertias(m, d, bodies);
  placeGeoms(m, d, bodies, false);
}


void cfi_placeWorld(const mjModel* m, mjData* d) {
  worldFrame(d);
  placeWorldGeoms(m, d);
}


void cfi_placeSites(const mjModel* m, mjData* d) {
  placeSites(m, d, false);
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
