// Law of joints: how positions follow velocities, the axes of motion, the coupling of two joints.
// Included after model/jointkind.h.
#ifndef CF_LAW_JOINTS_H
#define CF_LAW_JOINTS_H

// Positions of a joint after the time h at a velocity.
CF_LAW void lawAdvanceJoint(cfNum* qpos, const cfNum* qvel, int type, cfNum h) {
  CF_ASSERT(type >= mjJNT_FREE && type <= mjJNT_HINGE);
  const int nlinear = cfi_jointLinear(type);
  for (int k = 0; k < nlinear; k++) {
    qpos[k] = qpos[k] + h * qvel[k];
  }
  if (cfi_hasQuat(type)) {
    numTurnBy(qpos + nlinear, qvel + nlinear, h);
  }
}


// Three rotations about the axes of a body, of ball joints and the second half of free ones.
CF_LAW void lawBallAxes(cfNum* cdof, const cfNum xmat[9], const cfNum offset[3]) {
  for (int k = 0; k < 3; k++) {
    cfNum axis[3];
    numColumn3(axis, xmat, k);
    numHingeCom(cdof + 6 * k, axis, offset);
  }
}


// Motion axes of the dofs of a joint; offset: from its anchor to the center of mass of its tree.
CF_LAW void lawMotionAxes(cfNum* cdof, int type, const cfNum xaxis[3], const cfNum xmat[9],
                          const cfNum offset[3]) {
  CF_ASSERT(type >= mjJNT_FREE && type <= mjJNT_HINGE);
  switch ((mjtJoint)type) {
    case mjJNT_HINGE:
      numHingeCom(cdof, xaxis, offset);
      break;
    case mjJNT_SLIDE:
      numZero3(cdof);
      numCopy3(cdof + 3, xaxis);
      break;
    case mjJNT_BALL:
      lawBallAxes(cdof, xmat, offset);
      break;
    case mjJNT_FREE:
      // three translations along the axes of the world
      for (int k = 0; k < 18; k++) {
        cdof[k] = numOf(k % 7 == 3);
      }
      lawBallAxes(cdof + 18, xmat, offset);
      break;
  }
}


// What a coupled joint adds to its reference position: a polynomial of the other's displacement,
// a[1]*x + ... + a[4]*x^4; and its slope.
CF_LAW cfNum lawCoupling(const cfNum a[5], cfNum x, cfNum* slope) {
  *slope = a[1] + 2 * a[2] * x + 3 * a[3] * x * x + 4 * a[4] * x * x * x;
  return a[1] * x + a[2] * x * x + a[3] * x * x * x + a[4] * x * x * x * x;
}

#endif  // CF_LAW_JOINTS_H
