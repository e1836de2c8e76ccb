// Vectors of 3, 4 and 6 numbers, rotations and spatial algebra in the words of the laws.
//
// The operations and their order are those of math/vec3.h, quat.h and spatial.h, which are the same
// vocabulary tuned for one world (number_one.h names them).  Where those branch on data, worlds
// together choose the same value.  A result may be the same array as an argument.
#ifndef CF_LAW_VEC_H
#define CF_LAW_VEC_H

// n: a constant
CF_LAW_LEAF void numCopy(cfNum* res, const cfNum* a, int n) {
  CF_LAW_UNROLL
  for (int k = 0; k < n; k++) {
    res[k] = a[k];
  }
}


CF_LAW_LEAF void numSet3(cfNum res[3], cfNum x, cfNum y, cfNum z) {
  res[0] = x, res[1] = y, res[2] = z;
}


CF_LAW_LEAF void numZero3(cfNum res[3]) {
  numSet3(res, numOf(0), numOf(0), numOf(0));
}


CF_LAW_LEAF void numCopy3(cfNum res[3], const cfNum a[3]) {
  numSet3(res, a[0], a[1], a[2]);
}


CF_LAW_LEAF void numScale3(cfNum res[3], const cfNum a[3], cfNum s) {
  numSet3(res, a[0] * s, a[1] * s, a[2] * s);
}


CF_LAW_LEAF void numAdd3(cfNum res[3], const cfNum a[3], const cfNum b[3]) {
  numSet3(res, a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}


CF_LAW_LEAF void numSub3(cfNum res[3], const cfNum a[3], const cfNum b[3]) {
  numSet3(res, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}


// res = a + s*b
CF_LAW_LEAF void numAddScaled3(cfNum res[3], const cfNum a[3], const cfNum b[3], cfNum s) {
  numSet3(res, a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]);
}


CF_LAW_LEAF cfNum numDot3(const cfNum a[3], const cfNum b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}


CF_LAW_LEAF void numCross(cfNum res[3], const cfNum a[3], const cfNum b[3]) {
  numSet3(res, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}


// Unit length, (1,0,0) when shorter than mjMINVAL; returns the length before.
CF_LAW_LEAF cfNum numNormalize3(cfNum a[3]) {
  const cfNum length = numSqrt(numDot3(a, a)), scale = 1 / length;
  const cfIs is_zero = length < numOf(mjMINVAL);
  numSet3(a, numChoose(is_zero, numOf(1), a[0] * scale), numChoose(is_zero, numOf(0), a[1] * scale),
          numChoose(is_zero, numOf(0), a[2] * scale));
  return length;
}


// Column k of a matrix by rows.
CF_LAW_LEAF void numColumn3(cfNum res[3], const cfNum R[9], int k) {
  CF_ASSERT_INDEX(k, 3);
  numSet3(res, R[k], R[k + 3], R[k + 6]);
}


// R*v
CF_LAW_LEAF void numMulMatVec3(cfNum res[3], const cfNum R[9], const cfNum v[3]) {
  numSet3(res, numDot3(R, v), numDot3(R + 3, v), numDot3(R + 6, v));
}


// R'*v
CF_LAW_LEAF void numMulMatTVec3(cfNum res[3], const cfNum R[9], const cfNum v[3]) {
  numSet3(res, R[0] * v[0] + R[3] * v[1] + R[6] * v[2], R[1] * v[0] + R[4] * v[1] + R[7] * v[2],
          R[2] * v[0] + R[5] * v[1] + R[8] * v[2]);
}


// Frame (rows x, y, z) from x and a hint for y, zero where there is none: y is then the world's, or
// its z where x is within 60 degrees of y.
CF_LAW_LEAF void numCompleteFrame(cfNum frame[9]) {
  cfNum *x = frame, *y = frame + 3, *z = frame + 6;
  numNormalize3(x);
  const cfIs has_no_hint = numDot3(y, y) < numOf(0.25);
  const cfIs is_far = (x[1] < numOf(0.5)) & (x[1] > numOf(-0.5));
  const cfNum up = numChoose(is_far, numOf(1), numOf(0));
  numSet3(y, numChoose(has_no_hint, numOf(0), y[0]), numChoose(has_no_hint, up, y[1]),
          numChoose(has_no_hint, 1 - up, y[2]));
  numAddScaled3(y, y, x, -numDot3(x, y));
  numNormalize3(y);
  numCross(z, x, y);
}

// ---------------------------------------- quaternions

// Unit length, (1,0,0,0) when shorter than mjMINVAL; what has it within mjMINVAL keeps its numbers.
CF_LAW_LEAF void numUnitize4(cfNum q[4]) {
  CF_LAW_EXACT
  const cfNum length = numSqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const cfIs is_zero = length<numOf(mjMINVAL), is_off = numAbs(length - 1)> numOf(mjMINVAL);
  const cfNum scale = numChoose(is_off, 1 / length, numOf(1));
  q[0] = numChoose(is_zero, numOf(1), q[0] * scale);
  numSet3(q + 1, numChoose(is_zero, numOf(0), q[1] * scale),
          numChoose(is_zero, numOf(0), q[2] * scale), numChoose(is_zero, numOf(0), q[3] * scale));
}


CF_LAW_LEAF void numMulQuat(cfNum res[4], const cfNum a[4], const cfNum b[4]) {
  const cfNum w = a[0], x = a[1], y = a[2], z = a[3];
  const cfNum s = b[0], i = b[1], j = b[2], k = b[3];
  res[0] = w * s - x * i - y * j - z * k;
  res[1] = w * i + x * s + y * k - z * j;
  res[2] = w * j - x * k + y * s + z * i;
  res[3] = w * k + x * j - y * i + z * s;
}


// Rotate a vector: v + 2*u x (w*v + u x v) for q = (w, u).
CF_LAW_LEAF void numTurn(cfNum res[3], const cfNum v[3], const cfNum q[4]) {
  const cfNum w = q[0], x = q[1], y = q[2], z = q[3];
  const cfNum side[3] = {w * v[0] + y * v[2] - z * v[1], w * v[1] + z * v[0] - x * v[2],
                         w * v[2] + x * v[1] - y * v[0]};
  cfNum swing[3];
  numCross(swing, q + 1, side);
  numAddScaled3(res, v, swing, numOf(2));
}


// Turn q, which is normalized first, by a local angular velocity for the time h.
CF_LAW_LEAF void numTurnBy(cfNum q[4], const cfNum velocity[3], cfNum h) {
  cfNum axis[3], turn[4];
  numCopy3(axis, velocity);
  const cfNum angle = h * numNormalize3(axis), half = angle * (cfReal)0.5;
  const cfIs is_still = angle == 0;
  cfNum sine;
  numSinCos(half, &sine, turn);
  numScale3(turn + 1, axis, sine);
  numSet3(turn + 1, numChoose(is_still, numOf(0), turn[1]), numChoose(is_still, numOf(0), turn[2]),
          numChoose(is_still, numOf(0), turn[3]));
  numUnitize4(q);
  numMulQuat(q, q, turn);
}


// Rotation matrix by rows.
CF_LAW_LEAF void numTurnMat(cfNum R[9], const cfNum q[4]) {
  CF_LAW_EXACT
  const cfNum w = q[0], x = q[1], y = q[2], z = q[3];
  const cfNum ww = w * w, xx = x * x, yy = y * y, zz = z * z;
  R[0] = ww + xx - yy - zz;
  R[4] = ww - xx + yy - zz;
  R[8] = ww - xx - yy + zz;
  R[1] = 2 * (x * y - w * z), R[3] = 2 * (x * y + w * z);
  R[2] = 2 * (x * z + w * y), R[6] = 2 * (x * z - w * y);
  R[5] = 2 * (y * z - w * x), R[7] = 2 * (y * z + w * x);
}

// ---------------------------------------- spatial vectors: rotation first

CF_LAW_LEAF cfNum numDot6(const cfNum a[6], const cfNum b[6]) {
  const cfNum even = a[0] * b[0] + a[2] * b[2], odd = a[1] * b[1] + a[3] * b[3];
  const cfNum rest = a[4] * b[4] + a[5] * b[5];
  return (even + odd) + rest;
}


// velocity x motion
CF_LAW_LEAF void numCrossMotion(cfNum res[6], const cfNum vel[6], const cfNum motion[6]) {
  cfNum carried[3], coupled[3];
  numCross(carried, vel, motion + 3);
  numCross(coupled, vel + 3, motion);
  numCross(res, vel, motion);
  numAdd3(res + 3, carried, coupled);
}


// velocity x* force
CF_LAW_LEAF void numCrossForce(cfNum res[6], const cfNum vel[6], const cfNum force[6]) {
  cfNum carried[3], coupled[3];
  numCross(carried, vel, force);
  numCross(coupled, vel + 3, force + 3);
  numCross(res + 3, vel, force + 3);
  numAdd3(res, carried, coupled);
}


// Inertia (xx yy zz xy xz yz, first moments, mass) times a motion.
CF_LAW_LEAF void numMulInertia(cfNum res[6], const cfNum inert[10], const cfNum vec[6]) {
  const cfNum xy = inert[3], xz = inert[4], yz = inert[5];
  const cfNum hx = inert[6], hy = inert[7], hz = inert[8], mass = inert[9];
  const cfNum a = vec[0], b = vec[1], c = vec[2], u = vec[3], v = vec[4], w = vec[5];
  numSet3(res, inert[0] * a + xy * b + xz * c - hz * v + hy * w,
          xy * a + inert[1] * b + yz * c + hz * u - hx * w,
          xz * a + yz * b + inert[2] * c - hy * u + hx * v);
  numSet3(res + 3, hz * b - hy * c + mass * u, hx * c - hz * a + mass * v,
          hy * a - hx * b + mass * w);
}


// Inertia of a body about a point, from its principal moments, their orientation R, the offset of
// its center and its mass: R*diag(moments)*R' and the parallel axis theorem.
CF_LAW_LEAF void numInertCom(cfNum res[10], const cfNum moments[3], const cfNum R[9],
                             const cfNum offset[3], cfNum mass) {
  const cfNum x = offset[0], y = offset[1], z = offset[2];
  const cfNum a = moments[0], b = moments[1], c = moments[2];
  const cfNum Rx[3] = {R[0] * a, R[1] * b, R[2] * c};
  const cfNum Ry[3] = {R[3] * a, R[4] * b, R[5] * c};
  const cfNum Rz[3] = {R[6] * a, R[7] * b, R[8] * c};
  res[0] = numDot3(R, Rx) + mass * (y * y + z * z);
  res[1] = numDot3(R + 3, Ry) + mass * (x * x + z * z);
  res[2] = numDot3(R + 6, Rz) + mass * (x * x + y * y);
  res[3] = numDot3(R, Ry) - mass * x * y;
  res[4] = numDot3(R, Rz) - mass * x * z;
  res[5] = numDot3(R + 3, Rz) - mass * y * z;
  numScale3(res + 6, offset, mass);
  res[9] = mass;
}


// Motion axis of a hinge at an offset from the center of mass.
CF_LAW_LEAF void numHingeCom(cfNum res[6], const cfNum axis[3], const cfNum offset[3]) {
  numCross(res + 3, axis, offset);
  numCopy3(res, axis);
}

#endif  // CF_LAW_VEC_H
