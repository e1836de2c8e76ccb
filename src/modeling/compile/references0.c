// References at qpos0: anchors of equality constraints, offsets of cameras and lights.
#include "base/assert.h"
#include "compile/constants.h"

// express a point of body `from` in the frame of body `to`
static void mapPoint(const mjData* d, mjtNum res[3], const mjtNum point[3], int from, int to) {
  CF_ASSERT(from >= 0 && to >= 0);
  mjtNum world[3];
  mju_mulMatVec3(world, d->xmat + 9 * from, point);
  for (int k = 0; k < 3; k++) {
    world[k] += d->xpos[3 * from + k] - d->xpos[3 * to + k];
  }
  mju_mulMatTVec3(res, d->xmat + 9 * to, world);
}


// connect: second anchor such that both coincide at qpos0; site forms carry no data
static void connectAnchor(mjModel* m, const mjData* d, int eq) {
  CF_ASSERT_INDEX(eq, m->neq);
  mjtNum* data = m->eq_data + mjNEQDATA * eq;
  if (m->eq_objtype[eq] == mjOBJ_SITE) {
    mju_zero(data, mjNEQDATA);
  } else if (m->eq_objtype[eq] == mjOBJ_BODY) {
    mapPoint(d, data + 3, data, m->eq_obj1id[eq], m->eq_obj2id[eq]);
  } else {
    mju_error("mj_setConst: invalid objtype in connect constraint %d", eq);
  }
}


// weld: anchor in body 1 and relative orientation, unless the user gave a relative pose
static void weldPose(mjModel* m, const mjData* d, int eq) {
  CF_ASSERT(m->eq_type[eq] == mjEQ_WELD);
  mjtNum* data = m->eq_data + mjNEQDATA * eq;
  mjtNum* relquat = data + 6;
  if (m->eq_objtype[eq] == mjOBJ_SITE) {
    return;
  }
  if (m->eq_objtype[eq] != mjOBJ_BODY) {
    mju_error("mj_setConst: invalid objtype in weld constraint %d", eq);
  }
  if (!mju_isZero(relquat, 4)) {
    mju_normalize4(relquat);
    return;
  }
  const int body1 = m->eq_obj1id[eq], body2 = m->eq_obj2id[eq];
  mjtNum inverse[4];
  mapPoint(d, data + 3, data, body2, body1);
  mju_negQuat(inverse, d->xquat + 4 * body1);
  mju_mulQuat(relquat, inverse, d->xquat + 4 * body2);
}


void cfi_setEqualityAnchors(mjModel* m, const mjData* d) {
  for (int e = 0; e < m->neq; e++) {
    if (m->eq_type[e] == mjEQ_CONNECT) {
      connectAnchor(m, d, e);
    } else if (m->eq_type[e] == mjEQ_WELD) {
      weldPose(m, d, e);
    }
  }
}


// offset of a viewing object from its body, and from the center of the subtree it looks at
static void viewOffset(const mjData* d, const mjtNum xpos[3], int body, int target, mjtNum pos0[3],
                       mjtNum poscom0[3]) {
  const int focus = target >= 0 ? target : body;
  mju_sub3(pos0, xpos, d->xpos + 3 * body);
  mju_sub3(poscom0, xpos, d->subtree_com + 3 * focus);
}


void cfi_setViewOffsets(mjModel* m, const mjData* d) {
  for (int c = 0; c < m->ncam; c++) {
    viewOffset(d, d->cam_xpos + 3 * c, m->cam_bodyid[c], m->cam_targetbodyid[c],
               m->cam_pos0 + 3 * c, m->cam_poscom0 + 3 * c);
  }
  for (int l = 0; l < m->nlight; l++) {
    viewOffset(d, d->light_xpos + 3 * l, m->light_bodyid[l], m->light_targetbodyid[l],
               m->light_pos0 + 3 * l, m->light_poscom0 + 3 * l);
  }
  mju_copy(m->cam_mat0, d->cam_xmat, 9 * m->ncam);
  mju_copy(m->light_dir0, d->light_xdir, 3 * m->nlight);
}
