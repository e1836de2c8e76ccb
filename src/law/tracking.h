// Law of cameras and lights: their frames in every tracking mode.
#ifndef CF_LAW_TRACKING_H
#define CF_LAW_TRACKING_H

// what cameras and lights have in common: what carries them, what they look at, how they track
typedef struct {
  int body, target, mode;
} lawTracker;


CF_LAW bool lawTracksCom(lawTracker t) {
  return t.mode == mjCAMLIGHT_TRACKCOM || t.mode == mjCAMLIGHT_TARGETBODYCOM;
}


CF_LAW bool lawKeepsAxes(lawTracker t) {
  return t.mode == mjCAMLIGHT_TRACK || t.mode == mjCAMLIGHT_TRACKCOM;
}


CF_LAW bool lawLooksAtTarget(lawTracker t) {
  return (t.mode == mjCAMLIGHT_TARGETBODY || t.mode == mjCAMLIGHT_TARGETBODYCOM) && t.target >= 0;
}


// Frame origin or subtree center of a body, as the mode requires.
CF_LAW const cfNum* lawTrackedPoint(cfLaw c, lawTracker t, int body) {
  return lawTracksCom(t) ? &CF_NOW(c, subtree_com, 3 * body) : &CF_NOW(c, xpos, 3 * body);
}


// A point that is fixed to a body.
CF_LAW void lawBodyPoint(cfLaw c, cfNum res[3], int body, const cfNum local[3]) {
  cfNum turned[3];
  numMulMatVec3(turned, &CF_NOW(c, xmat, 9 * body), local);
  numAdd3(res, turned, &CF_NOW(c, xpos, 3 * body));
}


// Camera axes as columns: z away from the target, x level with the ground, y completes.
CF_LAW void lawLookAt(cfNum xmat[9], const cfNum eye[3], const cfNum target[3]) {
  const cfNum up[3] = {numOf(0), numOf(0), numOf(1)};
  cfNum x[3], y[3], z[3];
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


CF_LAW void lawPlaceCamera(cfLaw c, int i, cfNum xpos[3], cfNum xmat[9]) {
  const lawTracker t = {CF_KIND(c, cam_bodyid, i), CF_KIND(c, cam_targetbodyid, i),
                        CF_KIND(c, cam_mode, i)};
  CF_ASSERT(i >= 0 && t.body >= 0);
  cfNum local[3], quat[4];
  if (lawKeepsAxes(t)) {
    if (lawTracksCom(t)) {
      CF_SHARED(local, c, cam_poscom0, 3 * i, 3);
    } else {
      CF_SHARED(local, c, cam_pos0, 3 * i, 3);
    }
    CF_SHARED(xmat, c, cam_mat0, 9 * i, 9);
    numAdd3(xpos, lawTrackedPoint(c, t, t.body), local);
    return;
  }
  CF_SHARED(local, c, cam_pos, 3 * i, 3);
  lawBodyPoint(c, xpos, t.body, local);
  if (lawLooksAtTarget(t)) {
    lawLookAt(xmat, xpos, lawTrackedPoint(c, t, t.target));
  } else {
    CF_SHARED(quat, c, cam_quat, 4 * i, 4);
    numMulQuat(quat, &CF_NOW(c, xquat, 4 * t.body), quat);
    numTurnMat(xmat, quat);
  }
}


CF_LAW void lawPlaceLight(cfLaw c, int i, cfNum xpos[3], cfNum xdir[3]) {
  const lawTracker t = {CF_KIND(c, light_bodyid, i), CF_KIND(c, light_targetbodyid, i),
                        CF_KIND(c, light_mode, i)};
  CF_ASSERT(i >= 0 && t.body >= 0);
  cfNum local[3];
  if (lawKeepsAxes(t)) {
    if (lawTracksCom(t)) {
      CF_SHARED(local, c, light_poscom0, 3 * i, 3);
    } else {
      CF_SHARED(local, c, light_pos0, 3 * i, 3);
    }
    CF_SHARED(xdir, c, light_dir0, 3 * i, 3);
    numAdd3(xpos, lawTrackedPoint(c, t, t.body), local);
  } else {
    CF_SHARED(local, c, light_pos, 3 * i, 3);
    CF_SHARED(xdir, c, light_dir, 3 * i, 3);
    if (t.body == 0) {
      numCopy3(xpos, local);
    } else {
      lawBodyPoint(c, xpos, t.body, local);
      numTurn(xdir, xdir, &CF_NOW(c, xquat, 4 * t.body));
    }
    if (lawLooksAtTarget(t)) {
      numSub3(xdir, lawTrackedPoint(c, t, t.target), xpos);
    }
  }
  numNormalize3(xdir);
}

#endif  // CF_LAW_TRACKING_H
