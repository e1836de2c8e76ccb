// Cameras and lights in every tracking mode, in the order of kinematics/camlight.c.

static inline bool laneTracksCom(int mode) {
  return mode == mjCAMLIGHT_TRACKCOM || mode == mjCAMLIGHT_TARGETBODYCOM;
}


static inline bool laneKeepsAxes(int mode) {
  return mode == mjCAMLIGHT_TRACK || mode == mjCAMLIGHT_TRACKCOM;
}


static inline bool laneLooks(int mode, int target) {
  return (mode == mjCAMLIGHT_TARGETBODY || mode == mjCAMLIGHT_TARGETBODYCOM) && target >= 0;
}


static inline const cfVec* laneTracked(const cfLaneGroup* g, int mode, int body) {
  return (laneTracksCom(mode) ? CF_AT(subtree_com) : CF_AT(xpos)) + 3 * body;
}


// columns: z away from the target, x level with the ground
static void laneLookAt(cfVec xmat[9], const cfVec eye[3], const cfVec target[3]) {
  const cfVec up[3] = {laneOf(0), laneOf(0), laneOf(1)};
  cfVec x[3], y[3], z[3];
  numSub3(z, eye, target);
  numNormalize3(z);
  numCross(x, up, z);
  numNormalize3(x);
  numCross(y, z, x);
  numNormalize3(y);
  for (int k = 0; k < 3; k++) {
    numSet3(xmat + 3 * k, x[k], y[k], z[k]);
  }
}


static void lanePlaceCamera(cfLaneGroup* g, int i) {
  const mjModel* m = g->m;
  const int mode = m->cam_mode[i], body = m->cam_bodyid[i], target = m->cam_targetbodyid[i];
  cfVec *xpos = CF_AT(cam_xpos) + 3 * i, *xmat = CF_AT(cam_xmat) + 9 * i;
  if (laneKeepsAxes(mode)) {
    cfVec offset[3];
    laneSpread(offset, (laneTracksCom(mode) ? m->cam_poscom0 : m->cam_pos0) + 3 * i, 3);
    laneSpread(xmat, m->cam_mat0 + 9 * i, 9);
    numAdd3(xpos, laneTracked(g, mode, body), offset);
    return;
  }
  laneBodyPoint(xpos, g, body, m->cam_pos + 3 * i);
  if (laneLooks(mode, target)) {
    laneLookAt(xmat, xpos, laneTracked(g, mode, target));
  } else {
    lanePlaceAxes(xmat, g, m->cam_quat + 4 * i, body, mjSAMEFRAME_NONE);
  }
}


static void lanePlaceLight(cfLaneGroup* g, int i) {
  const mjModel* m = g->m;
  const int mode = m->light_mode[i], body = m->light_bodyid[i], target = m->light_targetbodyid[i];
  cfVec *xpos = CF_AT(light_xpos) + 3 * i, *xdir = CF_AT(light_xdir) + 3 * i, local[3];
  if (laneKeepsAxes(mode)) {
    laneSpread(local, (laneTracksCom(mode) ? m->light_poscom0 : m->light_pos0) + 3 * i, 3);
    laneSpread(xdir, m->light_dir0 + 3 * i, 3);
    numAdd3(xpos, laneTracked(g, mode, body), local);
  } else {
    laneSpread(local, m->light_dir + 3 * i, 3);
    if (body == 0) {
      laneSpread(xpos, m->light_pos + 3 * i, 3);
      numCopy3(xdir, local);
    } else {
      laneBodyPoint(xpos, g, body, m->light_pos + 3 * i);
      numTurn(xdir, local, CF_AT(xquat) + 4 * body);
    }
    if (laneLooks(mode, target)) {
      numSub3(xdir, laneTracked(g, mode, target), xpos);
    }
  }
  numNormalize3(xdir);
}


static void laneCameras(cfLaneGroup* g) {
  for (int i = 0; i < g->m->ncam; i++) {
    lanePlaceCamera(g, i);
  }
  for (int i = 0; i < g->m->nlight; i++) {
    lanePlaceLight(g, i);
  }
}
