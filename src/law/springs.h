// Law of springs and dampers of joints and tendons.
#ifndef CF_LAW_SPRINGS_H
#define CF_LAW_SPRINGS_H

// Force of a spring on one coordinate.
CF_LAW cfNum lawSpring(cfNum stiffness, cfNum q, cfNum rest) {
  return -stiffness * (q - rest);
}


// Angle of a unit quaternion, the shorter way round; its vector part becomes the axis.
CF_LAW cfNum lawTurnAngle(cfNum quat[4]) {
  const cfNum sine = numNormalize3(quat + 1), angle = 2 * numAtan2(sine, quat[0]);
  return numChoose(angle > (cfReal)mjPI, angle - (cfReal)(2 * mjPI), angle);
}


// Torque of a spring on an orientation, -k * log(rest^-1 * q), in the frame of the body.
CF_LAW void lawRotationSpring(cfNum torque[3], const cfNum quat[4], const cfNum rest[4],
                              cfNum stiffness) {
  const cfNum back[4] = {rest[0], -rest[1], -rest[2], -rest[3]};
  cfNum turn[4];
  numCopy(turn, quat, 4);
  numUnitize4(turn);
  numMulQuat(turn, back, turn);
  const cfNum angle = lawTurnAngle(turn);
  numScale3(torque, turn + 1, angle);
  numScale3(torque, torque, -stiffness);
}


// Pull of a tendon's spring, which acts outside a dead band.
CF_LAW cfNum lawTendonSpring(cfNum stiffness, cfNum length, cfNum low, cfNum high) {
  return stiffness * (numClip(length, low, high) - length);
}


CF_LAW cfNum lawDamper(cfNum damping, cfNum velocity) {
  return -damping * velocity;
}

#endif  // CF_LAW_SPRINGS_H
