// Frames of bodies, geoms, sites, cameras and lights; centers of mass, inertias, motion axes.
// The order of operations is that of kinematics/kinematics.c, compos.c and camlight.c.

// pose of a body while its joints act on it
typedef struct {
  cfVec quat[4], pos[3], lever[3];
  const mjtNum* arm;  // anchor of the last joint in the frame of the body
} lanePose;

static const mjtNum lane_origin[3] = {0, 0, 0};


static inline bool laneSame3(const mjtNum a[3], const mjtNum b[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}


CF_LANE_INLINE void lanePointAt(cfVec res[3], const cfLaneGroup* g, int body, const cfVec v[3]) {
  cfVec turned[3];
  numMulMatVec3(turned, CF_AT(xmat) + 9 * body, v);
  numAdd3(res, turned, CF_AT(xpos) + 3 * body);
}


CF_LANE_INLINE void laneBodyPoint(cfVec res[3], const cfLaneGroup* g, int body,
                                  const mjtNum local[3]) {
  cfVec v[3];
  laneSpread(v, local, 3);
  lanePointAt(res, g, body, v);
}


static void laneRestPose(lanePose* p, const cfLaneGroup* g, int body) {
  const mjModel* m = g->m;
  const int mocap = m->body_mocapid[body], parent = m->body_parentid[body];
  if (mocap >= 0) {
    numCopy3(p->pos, CF_AT(mocap_pos) + 3 * mocap);
    numCopy(p->quat, CF_AT(mocap_quat) + 4 * mocap, 4);
    numUnitize4(p->quat);
  } else if (parent == 0) {
    CF_COPY_OF(p->pos, body_pos, 3 * body, 3)
    CF_COPY_OF(p->quat, body_quat, 4 * body, 4)
  } else {
    cfVec pos[3], quat[4];
    CF_COPY_OF(pos, body_pos, 3 * body, 3)
    CF_COPY_OF(quat, body_quat, 4 * body, 4)
    lanePointAt(p->pos, g, parent, pos);
    numMulQuat(p->quat, CF_AT(xquat) + 4 * parent, quat);
  }
}


static void laneFreePose(lanePose* p, const cfLaneGroup* g, int joint) {
  const cfVec* qpos = CF_AT(qpos) + g->m->jnt_qposadr[joint];
  numCopy3(p->pos, qpos);
  numCopy(p->quat, qpos + 3, 4);
  numUnitize4(p->quat);
  numCopy3(CF_AT(xanchor) + 3 * joint, qpos);
  laneSpread(CF_AT(xaxis) + 3 * joint, g->m->jnt_axis + 3 * joint, 3);
}


static inline void laneTurnArm(lanePose* p) {
  if (laneSame3(p->arm, lane_origin)) {
    numZero3(p->lever);
  } else {
    cfVec arm[3];
    laneSpread(arm, p->arm, 3);
    numTurn(p->lever, arm, p->quat);
  }
}


// rotation of a ball or hinge joint in the frame of its body
static inline void laneJointTurn(cfVec turn[4], const cfLaneGroup* g, int joint) {
  const mjModel* m = g->m;
  if (m->jnt_type[joint] == mjJNT_BALL) {
    numCopy(turn, CF_AT(qpos) + m->jnt_qposadr[joint], 4);
    numUnitize4(turn);
    return;
  }
  const mjtNum* axis = m->jnt_axis + 3 * joint;
  const cfVec s = CF_AT(half)[2 * joint];
  turn[0] = CF_AT(half)[2 * joint + 1];
  for (int k = 0; k < 3; k++) {
    turn[1 + k] = axis[k] * s;
  }
}


static void laneMoveByJoint(lanePose* p, const cfLaneGroup* g, int joint) {
  const mjModel* m = g->m;
  const mjtNum* anchor = m->jnt_pos + 3 * joint;
  cfVec *xaxis = CF_AT(xaxis) + 3 * joint, *xanchor = CF_AT(xanchor) + 3 * joint;
  cfVec axis[3];
  laneSpread(axis, m->jnt_axis + 3 * joint, 3);
  numTurn(xaxis, axis, p->quat);
  if (!laneSame3(anchor, p->arm)) {
    p->arm = anchor;
    laneTurnArm(p);
  }
  numAdd3(xanchor, p->lever, p->pos);
  if (m->jnt_type[joint] == mjJNT_SLIDE) {
    const int q = m->jnt_qposadr[joint];
    numAddScaled3(p->pos, p->pos, xaxis, CF_AT(qpos)[q] - CF_OF(qpos0, q));
  } else {
    cfVec turn[4];
    laneJointTurn(turn, g, joint);
    numMulQuat(p->quat, p->quat, turn);
    laneTurnArm(p);
    numSub3(p->pos, xanchor, p->lever);
  }
}


// sine and cosine of half the angles of hinges
static void laneHalfAngles(cfLaneGroup* g) {
  const mjModel* m = g->m;
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_type[j] == mjJNT_HINGE) {
      const int q = m->jnt_qposadr[j];
      const cfVec angle = 0.5 * (CF_AT(qpos)[q] - CF_OF(qpos0, q));
      numSinCos(angle, CF_AT(half) + 2 * j, CF_AT(half) + 2 * j + 1);
    }
  }
}


static void lanePlaceBodies(cfLaneGroup* g) {
  const mjModel* m = g->m;
  const mjtNum unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  numZero3(CF_AT(xpos));
  numZero3(CF_AT(xipos));
  laneSpread(CF_AT(xquat), unit, 4);
  laneSpread(CF_AT(xmat), unit, 9);
  laneSpread(CF_AT(ximat), unit, 9);
  for (int i = 1; i < m->nbody; i++) {
    const int first = m->body_jntadr[i], count = m->body_jntnum[i];
    lanePose p;
    if (count == 1 && m->jnt_type[first] == mjJNT_FREE) {
      laneFreePose(&p, g, first);
    } else {
      laneRestPose(&p, g, i);
      p.arm = lane_origin;
      numZero3(p.lever);
      for (int j = first; j < first + count; j++) {
        laneMoveByJoint(&p, g, j);
      }
      numUnitize4(p.quat);
    }
    numCopy3(CF_AT(xpos) + 3 * i, p.pos);
    numCopy(CF_AT(xquat) + 4 * i, p.quat, 4);
    numTurnMat(CF_AT(xmat) + 9 * i, p.quat);
  }
}


// ---------------------------------------- what is attached to bodies

static inline void lanePlaceOrigin(cfVec xpos[3], const cfLaneGroup* g, const mjtNum pos[3],
                                   int body, int same) {
  if (same == mjSAMEFRAME_BODY) {
    numCopy3(xpos, CF_AT(xpos) + 3 * body);
  } else if (same == mjSAMEFRAME_INERTIA) {
    numCopy3(xpos, CF_AT(xipos) + 3 * body);
  } else {
    laneBodyPoint(xpos, g, body, pos);
  }
}


static inline void lanePlaceAxes(cfVec xmat[9], const cfLaneGroup* g, const mjtNum quat[4],
                                 int body, int same) {
  if (same == mjSAMEFRAME_NONE) {
    cfVec local[4], xquat[4];
    laneSpread(local, quat, 4);
    numMulQuat(xquat, CF_AT(xquat) + 4 * body, local);
    numTurnMat(xmat, xquat);
    return;
  }
  const bool as_body = same == mjSAMEFRAME_BODY || same == mjSAMEFRAME_BODYROT;
  numCopy(xmat, (as_body ? CF_AT(xmat) : CF_AT(ximat)) + 9 * body, 9);
}


static void lanePlaceWorldGeom(cfLaneGroup* g, int geom) {
  mjtNum xmat[9];
  cfi_quat2Mat(xmat, g->m->geom_quat + 4 * geom);
  laneSpread(CF_AT(geom_xpos) + 3 * geom, g->m->geom_pos + 3 * geom, 3);
  laneSpread(CF_AT(geom_xmat) + 9 * geom, xmat, 9);
}


#ifdef CF_LANE_HAS_OWN
// something that is attached to a body in another place of each world
typedef struct {
  cfVec *xpos, *xmat;
  const cfVec *pos, *quat;  // in the frame of the body
  int body;
  unsigned char same[CF_LANES];  // mjtSameFrame
} laneAttached;


// lanes in which the frame relates to those of its body in one way
static cfMask laneRelated(const laneAttached* a, int same) {
  cfMask is_related;
  for (int w = 0; w < CF_LANES; w++) {
    is_related[w] = -(int64_t)(a->same[w] == same);
  }
  return is_related;
}


// each world as its frames relate to each other
static void lanePlaceOwn(const cfLaneGroup* g, const laneAttached* a) {
  const int body = a->body;
  cfVec xpos[3], xmat[9], quat[4];
  for (int same = mjSAMEFRAME_NONE; same <= mjSAMEFRAME_INERTIAROT; same++) {
    const cfMask is_related = laneRelated(a, same);
    if (laneNone(is_related)) {
      continue;
    }
    const bool as_body = same == mjSAMEFRAME_BODY || same == mjSAMEFRAME_BODYROT;
    if (same == mjSAMEFRAME_BODY || same == mjSAMEFRAME_INERTIA) {
      numCopy3(xpos, (as_body ? CF_AT(xpos) : CF_AT(xipos)) + 3 * body);
    } else {
      lanePointAt(xpos, g, body, a->pos);
    }
    if (same == mjSAMEFRAME_NONE) {
      numMulQuat(quat, CF_AT(xquat) + 4 * body, a->quat);
      numTurnMat(xmat, quat);
    } else {
      numCopy(xmat, (as_body ? CF_AT(xmat) : CF_AT(ximat)) + 9 * body, 9);
    }
    for (int k = 0; k < 3; k++) {
      a->xpos[k] = laneSelect(is_related, xpos[k], a->xpos[k]);
    }
    for (int k = 0; k < 9; k++) {
      a->xmat[k] = laneSelect(is_related, xmat[k], a->xmat[k]);
    }
  }
}


// the same for geoms of the world, which stand still
static void lanePlaceOwnWorldGeom(const cfLaneGroup* g, int geom) {
  mjtNum* lanes = g->geom_xmat + CF_LANES * 9 * geom;
  for (int w = 0; w < CF_LANES; w++) {
    mjtNum xmat[9];
    cfi_quat2Mat(xmat, g->model[w]->geom_quat + 4 * geom);
    for (int k = 0; k < 9; k++) {
      lanes[CF_LANES * k + w] = xmat[k];
    }
  }
  CF_COPY_OF(CF_AT(geom_xpos) + 3 * geom, geom_pos, 3 * geom, 3)
}


// what is attached to bodies, where worlds have frames of their own
#define CF_ATTACHED(xpos_, xmat_, pos_, quat_, same_, k, body_) \
  laneAttached a = {CF_AT(xpos_) + 3 * (k),                     \
                    CF_AT(xmat_) + 9 * (k),                     \
                    CF_SIZES(pos_, 3 * (k)),                    \
                    CF_SIZES(quat_, 4 * (k)),                   \
                    body_,                                      \
                    {0}};                                       \
  for (int w = 0; w < CF_LANES; w++) {                          \
    a.same[w] = g->model[w]->same_[k];                          \
  }                                                             \
  lanePlaceOwn(g, &a);

static void lanePlaceOwnAttached(cfLaneGroup* g) {
  const mjModel* m = g->m;
  for (int i = 1; i < m->nbody; i++) {
    CF_ATTACHED(xipos, ximat, body_ipos, body_iquat, body_sameframe, i, i)
  }
  for (int k = 0; k < m->ngeom; k++) {
    if (m->geom_bodyid[k] == 0) {
      lanePlaceOwnWorldGeom(g, k);
    } else {
      CF_ATTACHED(geom_xpos, geom_xmat, geom_pos, geom_quat, geom_sameframe, k, m->geom_bodyid[k])
    }
  }
  for (int s = 0; s < m->nsite; s++) {
    CF_ATTACHED(site_xpos, site_xmat, site_pos, site_quat, site_sameframe, s, m->site_bodyid[s])
  }
}
#undef CF_ATTACHED
#endif


static void lanePlaceAttached(cfLaneGroup* g) {
  const mjModel* m = g->m;
  for (int i = 1; i < m->nbody; i++) {
    const int same = m->body_sameframe[i];
    lanePlaceOrigin(CF_AT(xipos) + 3 * i, g, m->body_ipos + 3 * i, i, same);
    lanePlaceAxes(CF_AT(ximat) + 9 * i, g, m->body_iquat + 4 * i, i, same);
  }
  for (int k = 0; k < m->ngeom; k++) {
    const int body = m->geom_bodyid[k], same = m->geom_sameframe[k];
    if (body == 0) {
      lanePlaceWorldGeom(g, k);
    } else {
      lanePlaceOrigin(CF_AT(geom_xpos) + 3 * k, g, m->geom_pos + 3 * k, body, same);
      lanePlaceAxes(CF_AT(geom_xmat) + 9 * k, g, m->geom_quat + 4 * k, body, same);
    }
  }
  for (int s = 0; s < m->nsite; s++) {
    const int body = m->site_bodyid[s], same = m->site_sameframe[s];
    lanePlaceOrigin(CF_AT(site_xpos) + 3 * s, g, m->site_pos + 3 * s, body, same);
    lanePlaceAxes(CF_AT(site_xmat) + 9 * s, g, m->site_quat + 4 * s, body, same);
  }
}


// ---------------------------------------- centers of mass, inertias, axes

static inline void laneMomentToCom(cfLaneGroup* g, int body) {
  const cfVec mass = CF_OF(body_subtreemass, body), scale = 1.0 / mass;
  const cfMask is_massless = mass < mjMINVAL;
  const cfVec* xipos = CF_AT(xipos) + 3 * body;
  cfVec* com = CF_AT(subtree_com) + 3 * body;
  for (int k = 0; k < 3; k++) {
    com[k] = laneSelect(is_massless, xipos[k], com[k] * scale);
  }
}


static void laneSubtreeCom(cfLaneGroup* g) {
  const mjModel* m = g->m;
  cfVec* com = CF_AT(subtree_com);
  for (int i = 0; i < m->nbody; i++) {
    numScale3(com + 3 * i, CF_AT(xipos) + 3 * i, CF_OF(body_mass, i));
  }
  for (int i = (int)m->nbody - 1; i > 0; i--) {
    cfVec* up = com + 3 * m->body_parentid[i];
    numAdd3(up, up, com + 3 * i);
    laneMomentToCom(g, i);
  }
  laneMomentToCom(g, 0);
}


static void laneJointAxes(cfLaneGroup* g, int joint, int body) {
  const mjModel* m = g->m;
  cfVec offset[3];
  numSub3(offset, CF_AT(subtree_com) + 3 * m->body_rootid[body], CF_AT(xanchor) + 3 * joint);
  lawMotionAxes(CF_AT(cdof) + 6 * m->jnt_dofadr[joint], m->jnt_type[joint],
                CF_AT(xaxis) + 3 * joint, CF_AT(xmat) + 9 * body, offset);
}


static void laneBodyInertia(cfLaneGroup* g, int body) {
  cfVec offset[3], moments[3];
  numSub3(offset, CF_AT(xipos) + 3 * body, CF_AT(subtree_com) + 3 * g->m->body_rootid[body]);
  CF_COPY_OF(moments, body_inertia, 3 * body, 3)
  numInertCom(CF_AT(cinert) + 10 * body, moments, CF_AT(ximat) + 9 * body, offset,
              CF_OF(body_mass, body));
}


static void laneComPos(cfLaneGroup* g) {
  const mjModel* m = g->m;
  laneSubtreeCom(g);
  laneZero(CF_AT(cinert), 10);
  for (int i = 1; i < m->nbody; i++) {
    laneBodyInertia(g, i);
    for (int j = m->body_jntadr[i]; j < m->body_jntadr[i] + m->body_jntnum[i]; j++) {
      laneJointAxes(g, j, i);
    }
  }
}


static void laneFrames(cfLaneGroup* g) {
  laneHalfAngles(g);
  lanePlaceBodies(g);
#ifdef CF_LANE_HAS_OWN
  if (g->has_own_frames) {
    lanePlaceOwnAttached(g);
  } else {
    lanePlaceAttached(g);
  }
#else
  lanePlaceAttached(g);
#endif
  laneComPos(g);
}
