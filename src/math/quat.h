// Unit quaternions (w, x, y, z) and poses.  A result may be the same array as an argument.
#ifndef CF_MATH_QUAT_H
#define CF_MATH_QUAT_H

#include "math/libm.h"
#include "math/vec3.h"

static inline void cfi_set4(mjtNum res[4], mjtNum w, mjtNum x, mjtNum y, mjtNum z) {
  res[0] = w, res[1] = x, res[2] = y, res[3] = z;
}


static inline void cfi_unitQuat(mjtNum res[4]) {
  cfi_set4(res, 1, 0, 0, 0);
}


// exactly (1,0,0,0): the rotation that many model elements have
static inline int cfi_isUnitQuat(const mjtNum q[4]) {
  return (q[0] == 1) & (q[1] == 0) & (q[2] == 0) & (q[3] == 0);
}


static inline mjtNum cfi_norm4(const mjtNum q[4]) {
  return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}


// scale to unit length unless it has it within mjMINVAL; (1,0,0,0) when shorter than mjMINVAL;
// returns the length before
static inline mjtNum cfi_normalize4(mjtNum q[4]) {
  const mjtNum length = cfi_norm4(q);
  if (length < mjMINVAL) {
    cfi_unitQuat(q);
  } else if (fabs(length - 1) > mjMINVAL) {
    const mjtNum s = 1 / length;
    cfi_set4(q, q[0] * s, q[1] * s, q[2] * s, q[3] * s);
  }
  return length;
}


// Is the length within mjMINVAL of one, found out from its square without a root?  This is exact:
// the squares whose rounded root is 1 - 9*2^-53 to 1 + 4*2^-52 are 1 - 18*2^-53 to 1 + 9*2^-52, and
// these are the doubles within 2*mjMINVAL of one.  What is not a number counts as one.
static inline int cfi_isUnitSquare(mjtNum square) {
  return !(fabs(square - 1) > 2 * mjMINVAL);
}


static inline int cfi_isUnitLength4(const mjtNum q[4]) {
  return cfi_isUnitSquare(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}


// cfi_normalize4 of a quaternion that is in a lane; most have unit length already
static inline cfLane cfi_unitizeLane(cfLane q) {
  const mjtNum w = cfi_laneAt(q, 0), x = cfi_laneAt(q, 1);
  const mjtNum y = cfi_laneAt(q, 2), z = cfi_laneAt(q, 3);
  const mjtNum square = w * w + x * x + y * y + z * z;
  if (cfi_isUnitSquare(square)) {
    return q;
  }
  const mjtNum length = sqrt(square);
  return length < mjMINVAL ? cfi_laneSet(1, 0, 0, 0) : cfi_laneMul(q, cfi_laneSpread(1 / length));
}


// the same in memory
static inline void cfi_unitize4(mjtNum q[4]) {
  cfi_laneStore(q, cfi_unitizeLane(cfi_laneLoad(q)));
}


// conjugate, the inverse rotation
static inline void cfi_negQuat(mjtNum res[4], const mjtNum q[4]) {
  cfi_set4(res, q[0], -q[1], -q[2], -q[3]);
}


// (w,x,y,z)*b = w*(s,i,j,k) + x*(-i,s,-k,j) + y*(-j,k,s,-i) + z*(-k,-j,i,s), summed from left to
// right
static inline cfLane cfi_mulQuatLane(mjtNum w, mjtNum x, mjtNum y, mjtNum z, cfLane b) {
  const cfLane bx = cfi_laneMul(cfi_laneSwapInPairs(b), cfi_laneSet(-1, 1, -1, 1));
  const cfLane by = cfi_laneMul(cfi_laneSwapPairs(b), cfi_laneSet(-1, 1, 1, -1));
  const cfLane bz = cfi_laneMul(cfi_laneReverse(b), cfi_laneSet(-1, -1, 1, 1));
  cfLane sum = cfi_laneMul(cfi_laneSpread(w), b);
  sum = cfi_laneAddMul(sum, cfi_laneSpread(x), bx);
  sum = cfi_laneAddMul(sum, cfi_laneSpread(y), by);
  return cfi_laneAddMul(sum, cfi_laneSpread(z), bz);
}


// res = a*b
static inline void cfi_mulQuat(mjtNum res[4], const mjtNum a[4], const mjtNum b[4]) {
  cfi_laneStore(res, cfi_mulQuatLane(a[0], a[1], a[2], a[3], cfi_laneLoad(b)));
}


// res = q*(0, axis)
static inline void cfi_mulQuatAxis(mjtNum res[4], const mjtNum q[4], const mjtNum axis[3]) {
  const mjtNum w = q[0], x = q[1], y = q[2], z = q[3];
  const mjtNum i = axis[0], j = axis[1], k = axis[2];
  cfi_set4(res, -x * i - y * j - z * k, w * i + y * k - z * j, w * j + z * i - x * k,
           w * k + x * j - y * i);
}


// res = v + 2*u x (w*v + u x v) for q = (w, u); no branch on data
static inline void cfi_turn(mjtNum res[3], const mjtNum v[3], const mjtNum q[4]) {
  const mjtNum w = q[0], x = q[1], y = q[2], z = q[3];
  const mjtNum side[3] = {w * v[0] + y * v[2] - z * v[1], w * v[1] + z * v[0] - x * v[2],
                          w * v[2] + x * v[1] - y * v[0]};
  mjtNum swing[3];
  cfi_cross(swing, q + 1, side);
  cfi_addScl3(res, v, swing, 2);
}


// the same, and an exact copy for (1,0,0,0) even where v is not finite
static inline void cfi_rotVecQuat(mjtNum res[3], const mjtNum v[3], const mjtNum q[4]) {
  if (cfi_isUnitQuat(q)) {
    cfi_copy3(res, v);
  } else {
    cfi_turn(res, v, q);
  }
}


// rotation by angle about a unit axis
static inline void cfi_axisAngle2Quat(mjtNum res[4], const mjtNum axis[3], mjtNum angle) {
  if (angle == 0) {
    cfi_unitQuat(res);
    return;
  }
  mjtNum s, c;
  cfi_sinCos(&s, &c, angle * 0.5);
  cfi_set4(res, c, axis[0] * s, axis[1] * s, axis[2] * s);
}


// constant angular velocity that turns (1,0,0,0) into q within dt
static inline void cfi_quat2Vel(mjtNum res[3], const mjtNum q[4], mjtNum dt) {
  mjtNum axis[3] = {q[1], q[2], q[3]};
  const mjtNum sine = cfi_normalize3(axis);
  const mjtNum angle = 2 * cfi_atan2(sine, q[0]);

  // the shorter way round
  cfi_scl3(res, axis, (angle > mjPI ? angle - 2 * mjPI : angle) / dt);
}


// rotation vector from b to a in b's frame: b*exp(res) = a
static inline void cfi_subQuat(mjtNum res[3], const mjtNum a[4], const mjtNum b[4]) {
  mjtNum diff[4];
  cfi_negQuat(diff, b);
  cfi_mulQuat(diff, diff, a);
  cfi_quat2Vel(res, diff, 1);
}


// time derivative of q under an angular velocity in the world frame
static inline void cfi_derivQuat(mjtNum res[4], const mjtNum q[4], const mjtNum vel[3]) {
  const mjtNum w = q[0], x = q[1], y = q[2], z = q[3];
  const mjtNum i = vel[0], j = vel[1], k = vel[2];
  cfi_set4(res, 0.5 * (-i * x - j * y - k * z), 0.5 * (i * w + j * z - k * y),
           0.5 * (-i * z + j * w + k * x), 0.5 * (i * y - j * x + k * w));
}


// turn q by the local angular velocity for the time scale; q is normalized first
static inline void cfi_quatIntegrate(mjtNum q[4], const mjtNum vel[3], mjtNum scale) {
  mjtNum axis[3] = {vel[0], vel[1], vel[2]}, turn[4];
  const mjtNum angle = scale * cfi_normalize3(axis);
  cfi_axisAngle2Quat(turn, axis, angle);
  cfi_unitize4(q);
  cfi_mulQuat(q, q, turn);
}


// rotation matrix of q, row-major; no branch on data
static inline void cfi_turnMat(mjtNum R[9], const mjtNum q[4]) {
  const mjtNum w = q[0], x = q[1], y = q[2], z = q[3];
  const mjtNum ww = w * w, xx = x * x, yy = y * y, zz = z * z;
  const mjtNum wx = w * x, wy = w * y, wz = w * z, xy = x * y, xz = x * z, yz = y * z;
  R[0] = ww + xx - yy - zz;
  R[4] = ww - xx + yy - zz;
  R[8] = ww - xx - yy + zz;
  R[1] = 2 * (xy - wz), R[3] = 2 * (xy + wz);
  R[2] = 2 * (xz + wy), R[6] = 2 * (xz - wy);
  R[5] = 2 * (yz - wx), R[7] = 2 * (yz + wx);
}


// the same, and zeros without a sign for (1,0,0,0)
static inline void cfi_quat2Mat(mjtNum res[9], const mjtNum q[4]) {
  if (cfi_isUnitQuat(q)) {
    cfi_eye3(res);
  } else {
    cfi_turnMat(res, q);
  }
}


// quaternion of a rotation matrix, from its largest component for accuracy; length one but for
// rounding
static inline void cfi_quatOfMat(mjtNum q[4], const mjtNum R[9]) {
  const mjtNum xx = R[0], yy = R[4], zz = R[8];
  const mjtNum wx = R[7] - R[5], wy = R[2] - R[6], wz = R[3] - R[1];
  const mjtNum xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];

  if (xx + yy + zz > 0) {
    const mjtNum w = 0.5 * sqrt(1 + xx + yy + zz);
    cfi_set4(q, w, 0.25 * wx / w, 0.25 * wy / w, 0.25 * wz / w);
  } else if (xx > yy && xx > zz) {
    const mjtNum x = 0.5 * sqrt(1 + xx - yy - zz);
    cfi_set4(q, 0.25 * wx / x, x, 0.25 * xy / x, 0.25 * xz / x);
  } else if (yy > zz) {
    const mjtNum y = 0.5 * sqrt(1 - xx + yy - zz);
    cfi_set4(q, 0.25 * wy / y, 0.25 * xy / y, y, 0.25 * yz / y);
  } else {
    const mjtNum z = 0.5 * sqrt(1 - xx - yy + zz);
    cfi_set4(q, 0.25 * wz / z, 0.25 * xz / z, 0.25 * yz / z, z);
  }
}


// the same of unit length
static inline void cfi_mat2Quat(mjtNum q[4], const mjtNum R[9]) {
  cfi_quatOfMat(q, R);
  cfi_normalize4(q);
}


// res = rotate v by q, then move by pos
static inline void cfi_trnVecPose(mjtNum res[3], const mjtNum pos[3], const mjtNum q[4],
                                  const mjtNum v[3]) {
  mjtNum turned[3];
  cfi_rotVecQuat(turned, v, q);
  cfi_add3(res, turned, pos);
}


// pose of frame 2, given in frame 1, seen from where frame 1 is given
static inline void cfi_mulPose(mjtNum pos[3], mjtNum quat[4], const mjtNum pos1[3],
                               const mjtNum quat1[4], const mjtNum pos2[3], const mjtNum quat2[4]) {
  mjtNum product[4];
  cfi_mulQuat(product, quat1, quat2);
  cfi_trnVecPose(pos, pos1, quat1, pos2);
  cfi_copy4(quat, product);
  cfi_normalize4(quat);
}


// inverse pose
static inline void cfi_negPose(mjtNum res[3], mjtNum resquat[4], const mjtNum pos[3],
                               const mjtNum quat[4]) {
  cfi_negQuat(resquat, quat);
  cfi_rotVecQuat(res, pos, resquat);
  cfi_scl3(res, res, -1);
}

#endif  // CF_MATH_QUAT_H
