// Poses of bodies and geoms, centers of mass, inertias and motion axes.
#include "team/team.h"

// pose of a body in the frame of its parent while its joints act on it
typedef struct {
  cfReal pos[3], quat[4];
} teamPose;


// a hinge or ball joint turns the body about its anchor, a slide joint moves it; axis and anchor
// are left in the parent's frame
CF_TEAM_FN void moveByJoint(const cfTeam* t, teamPose* p, int joint) {
  const cfTeamModel* m = t->m;
  CF_ASSERT_INDEX(joint, t->m->njnt);
  const cfReal *qpos = CF_WORLD(t, qpos) + m->jnt_qposadr[joint],
               *arm = CF_FORM(t, jnt_pos) + 3 * joint;
  const cfReal* local = CF_FORM(t, jnt_axis) + 3 * joint;
  cfReal axis[3], anchor[3], lever[3], turn[4];
  numTurn(axis, local, p->quat);
  numTurn(lever, arm, p->quat);
  numAdd3(anchor, p->pos, lever);
  numCopy3(CF_WORLD(t, xaxis) + 3 * joint, axis);
  numCopy3(CF_WORLD(t, xanchor) + 3 * joint, anchor);
  const int type = m->jnt_type[joint];
  if (type == mjJNT_SLIDE) {
    numAddScaled3(p->pos, p->pos, axis, qpos[0] - CF_OWN(t, qpos0)[m->jnt_qposadr[joint]]);
    return;
  }
  if (type == mjJNT_BALL) {
    numCopy(turn, qpos, 4);
    numUnitize4(turn);
  } else {
    const cfReal half = CF_R(0.5) * (qpos[0] - CF_OWN(t, qpos0)[m->jnt_qposadr[joint]]);
    turn[0] = teamCos(half);
    numScale3(turn + 1, local, teamSin(half));
  }
  numMulQuat(p->quat, p->quat, turn);
  numTurn(lever, arm, p->quat);
  numSub3(p->pos, anchor, lever);
}


// where a body is in the frame of its parent
CF_TEAM_FN void placeInParent(const cfTeam* t, int body) {
  const cfTeamModel* m = t->m;
  CF_ASSERT(body > 0 && body < t->m->nbody);
  const int first = m->body_jntadr[body], count = m->body_jntnum[body];
  teamPose p;
  if (count == 1 && m->jnt_type[first] == mjJNT_FREE) {
    const cfReal* qpos = CF_WORLD(t, qpos) + m->jnt_qposadr[first];
    numCopy3(p.pos, qpos);
    numCopy(p.quat, qpos + 3, 4);
    numUnitize4(p.quat);
    numCopy3(CF_WORLD(t, xaxis) + 3 * first, CF_FORM(t, jnt_axis) + 3 * first);
    numCopy3(CF_WORLD(t, xanchor) + 3 * first, qpos);
  } else {
    numCopy3(p.pos, CF_OWN(t, body_pos) + 3 * body);
    numCopy(p.quat, CF_OWN(t, body_quat) + 4 * body, 4);
    for (int j = first; j < first + count; j++) {
      moveByJoint(t, &p, j);
    }
    numUnitize4(p.quat);
  }
  numCopy3(CF_WORLD(t, xpos) + 3 * body, p.pos);
  numCopy(CF_WORLD(t, xquat) + 4 * body, p.quat, 4);
}


// from the frame of a body to that of the world
CF_TEAM_FN void teamPointAt(const cfTeam* t, cfReal res[3], int body, const cfReal local[3]) {
  cfReal turned[3];
  numTurn(turned, local, CF_WORLD(t, xquat) + 4 * body);
  numAdd3(res, turned, CF_WORLD(t, xpos) + 3 * body);
}


// poses in the world, level by level, and what is attached to joints
CF_TEAM_FN void placeBodies(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  cfReal *xpos = CF_WORLD(t, xpos), *xquat = CF_WORLD(t, xquat);
  if (t->thread == 0) {
    numSet3(xpos, 0, 0, 0);
    xquat[0] = 1;
    numSet3(xquat + 1, 0, 0, 0);
  }
  for (int i = 1 + t->thread; i < m->nbody; i += CF_TEAM_WIDTH) {
    placeInParent(t, i);
  }
  teamSync(t);
  for (int level = 1; level < m->nlevel; level++) {
    for (int k = m->level_adr[level] + t->thread; k < m->level_adr[level + 1]; k += CF_TEAM_WIDTH) {
      const int i = m->level_body[k], parent = m->body_parentid[i];
      teamPointAt(t, xpos + 3 * i, parent, xpos + 3 * i);
      numMulQuat(xquat + 4 * i, xquat + 4 * parent, xquat + 4 * i);
    }
    teamSync(t);
  }
}


// axes and anchors of joints in the world, centers of mass, poses of geoms
CF_TEAM_FN void placeAttached(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  for (int j = t->thread; j < m->njnt; j += CF_TEAM_WIDTH) {
    const int parent = m->body_parentid[m->jnt_bodyid[j]];
    cfReal *xaxis = CF_WORLD(t, xaxis) + 3 * j, *xanchor = CF_WORLD(t, xanchor) + 3 * j;
    numTurn(xaxis, xaxis, CF_WORLD(t, xquat) + 4 * parent);
    teamPointAt(t, xanchor, parent, xanchor);
  }
  for (int i = t->thread; i < m->nbody; i += CF_TEAM_WIDTH) {
    teamPointAt(t, CF_WORLD(t, xipos) + 3 * i, i, CF_FORM(t, body_ipos) + 3 * i);
  }
  for (int g = t->thread; g < m->ngeom; g += CF_TEAM_WIDTH) {
    const int body = m->geom_bodyid[g];
    cfReal quat[4];
    teamPointAt(t, CF_WORLD(t, geom_xpos) + 3 * g, body, CF_FORM(t, geom_pos) + 3 * g);
    numMulQuat(quat, CF_WORLD(t, xquat) + 4 * body, CF_FORM(t, geom_quat) + 4 * g);
    numTurnMat(CF_WORLD(t, geom_xmat) + 9 * g, quat);
  }
  teamSync(t);
}


// centers of mass of trees
CF_TEAM_FN void centerTrees(const cfTeam* t) {
  const cfTeamModel* m = t->m;
  const cfReal* xipos = CF_WORLD(t, xipos);
  cfReal* com = CF_WORLD(t, subtree_com);
  for (int k = t->thread; k < 3 * m->nroot; k += CF_TEAM_WIDTH) {
    const int tree = k / 3, axis = k - 3 * tree, root = m->root_body[tree];
    const cfReal mass = CF_OWN(t, body_subtreemass)[root];
    cfReal sum = 0;
    for (int i = root; i < m->root_end[tree]; i++) {
      sum += CF_OWN(t, body_mass)[i] * xipos[3 * i + axis];
    }
    com[3 * root + axis] = mass < CF_TEAM_MIN ? xipos[3 * root + axis] : sum / mass;
  }
  teamSync(t);
}


CF_TEAM_FN void bodyInertia(const cfTeam* t, int body) {
  const cfTeamModel* m = t->m;
  CF_ASSERT(body > 0 && body < t->m->nbody);
  cfReal quat[4], R[9], offset[3];
  numMulQuat(quat, CF_WORLD(t, xquat) + 4 * body, CF_FORM(t, body_iquat) + 4 * body);
  numTurnMat(R, quat);
  numSub3(offset, CF_WORLD(t, xipos) + 3 * body,
          CF_WORLD(t, subtree_com) + 3 * m->body_rootid[body]);
  numInertCom(CF_WORLD(t, cinert) + 10 * body, CF_OWN(t, body_inertia) + 3 * body, R, offset,
              CF_OWN(t, body_mass)[body]);
}


// motion axis of a dof about the center of mass of its tree
CF_TEAM_FN void motionAxis(const cfTeam* t, int dof) {
  const cfTeamModel* m = t->m;
  CF_ASSERT_INDEX(dof, t->m->nv);
  const int joint = m->dof_jntid[dof], body = m->dof_bodyid[dof], type = m->jnt_type[joint];
  const int local = m->dof_local[dof] - (cfi_hasQuat(type) ? cfi_jointLinear(type) : 0);
  cfReal axis[3], offset[3], R[9], *res = CF_WORLD(t, cdof) + 6 * dof;
  numCopy3(axis, CF_WORLD(t, xaxis) + 3 * joint);
  if (local < 0 || type == mjJNT_SLIDE) {
    numSet3(res, 0, 0, 0);
    if (type == mjJNT_SLIDE) {
      numCopy3(res + 3, axis);
    } else {
      numSet3(res + 3, local == -3, local == -2, local == -1);
    }
    return;
  }
  if (type != mjJNT_HINGE) {
    numTurnMat(R, CF_WORLD(t, xquat) + 4 * body);
    CF_TEAM_UNROLL
    for (int k = 0; k < 3; k++) {
      axis[k] = local == 0 ? R[3 * k] : local == 1 ? R[3 * k + 1] : R[3 * k + 2];
    }
  }
  numSub3(offset, CF_WORLD(t, subtree_com) + 3 * m->body_rootid[body],
          CF_WORLD(t, xanchor) + 3 * joint);
  numCopy3(res, axis);
  numCross(res + 3, axis, offset);
}


// stage KINEMATICS.  reads: qpos.  writes: xpos, xquat, xipos, xanchor, xaxis, geom_xpos,
// geom_xmat, subtree_com of roots, cinert, cdof.
CF_TEAM_FN void cfi_teamKinematics(const cfTeam* t) {
  placeBodies(t);
  placeAttached(t);
  centerTrees(t);
  for (int i = 1 + t->thread; i < t->m->nbody; i += CF_TEAM_WIDTH) {
    bodyInertia(t, i);
  }
  for (int k = t->thread; k < t->m->nv; k += CF_TEAM_WIDTH) {
    motionAxis(t, k);
  }
  teamSync(t);
}
