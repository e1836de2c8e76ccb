// Spatial (6D) algebra in com-based coordinates: motion and force vectors are (angular, linear),
// an inertia is ten numbers: xx yy zz xy xz yz of the rotational part, mass*offset, mass.
#ifndef CF_MATH_SPATIAL_H
#define CF_MATH_SPATIAL_H

#include "math/vec3.h"

// Stores are as wide as the loads of the functions below: a vector that is read where shorter ones
// were stored a moment ago waits for them.
static inline void cfi_zero6(mjtNum res[6]) {
  cfi_laneStore(res, cfi_laneSpread(0));
  cfi_halfStore(res + 4, cfi_halfSet(0, 0));
}


// as in cfi_copy6 all numbers are read first
static inline void cfi_scl6(mjtNum res[6], const mjtNum a[6], mjtNum s) {
  const cfLane head = cfi_laneMul(cfi_laneLoad(a), cfi_laneSpread(s));
  const mjtNum r4 = a[4] * s, r5 = a[5] * s;
  cfi_laneStore(res, head);
  res[4] = r4, res[5] = r5;
}


static inline void cfi_add6(mjtNum res[6], const mjtNum a[6], const mjtNum b[6]) {
  const cfLane head = cfi_laneAdd(cfi_laneLoad(a), cfi_laneLoad(b));
  const mjtNum r4 = a[4] + b[4], r5 = a[5] + b[5];
  cfi_laneStore(res, head);
  res[4] = r4, res[5] = r5;
}


static inline void cfi_addTo6(mjtNum res[6], const mjtNum a[6]) {
  cfi_add6(res, res, a);
}


static inline void cfi_subFrom6(mjtNum res[6], const mjtNum a[6]) {
  for (int k = 0; k < 6; k++) {
    res[k] -= a[k];
  }
}


static inline void cfi_addToScl6(mjtNum res[6], const mjtNum a[6], mjtNum s) {
  const cfLane head = cfi_laneAddMul(cfi_laneLoad(res), cfi_laneLoad(a), cfi_laneSpread(s));
  const mjtNum r4 = res[4] + a[4] * s, r5 = res[5] + a[5] * s;
  cfi_laneStore(res, head);
  res[4] = r4, res[5] = r5;
}


// dot product in the order of sums of the general one (four lanes, then the rest)
static inline mjtNum cfi_dot6(const mjtNum a[6], const mjtNum b[6]) {
  const mjtNum even = a[0] * b[0] + a[2] * b[2], odd = a[1] * b[1] + a[3] * b[3];
  const mjtNum rest = a[4] * b[4] + a[5] * b[5];
  return (even + odd) + rest;
}


// res = vel x motion
static inline void cfi_crossMotion(mjtNum res[6], const mjtNum vel[6], const mjtNum motion[6]) {
  mjtNum carried[3], coupled[3];
  cfi_cross(carried, vel, motion + 3);
  cfi_cross(coupled, vel + 3, motion);
  cfi_cross(res, vel, motion);
  cfi_add3(res + 3, carried, coupled);
}


// res = vel x* force
static inline void cfi_crossForce(mjtNum res[6], const mjtNum vel[6], const mjtNum force[6]) {
  mjtNum carried[3], coupled[3];
  cfi_cross(carried, vel, force);
  cfi_cross(coupled, vel + 3, force + 3);
  cfi_cross(res + 3, vel, force + 3);
  cfi_add3(res, carried, coupled);
}


// com-based inertia of a body with principal moments, orientation R and offset from the com
static inline void cfi_inertCom(mjtNum res[10], const mjtNum moments[3], const mjtNum R[9],
                                const mjtNum offset[3], mjtNum mass) {
  // R*diag(moments)*R' and the parallel axis theorem, entries in the order xx yy zz xy xz yz
  const mjtNum x = offset[0], y = offset[1], z = offset[2];
  const mjtNum a = moments[0], b = moments[1], c = moments[2];
  const mjtNum Rx[3] = {R[0] * a, R[1] * b, R[2] * c};
  const mjtNum Ry[3] = {R[3] * a, R[4] * b, R[5] * c};
  const mjtNum Rz[3] = {R[6] * a, R[7] * b, R[8] * c};
  const mjtNum xx = cfi_dot3(R, Rx) + mass * (y * y + z * z);
  const mjtNum yy = cfi_dot3(R + 3, Ry) + mass * (x * x + z * z);
  const mjtNum zz = cfi_dot3(R + 6, Rz) + mass * (x * x + y * y);
  const mjtNum xy = cfi_dot3(R, Ry) - mass * x * y;
  const mjtNum xz = cfi_dot3(R, Rz) - mass * x * z;
  const mjtNum yz = cfi_dot3(R + 3, Rz) - mass * y * z;
  cfi_set3(res, xx, yy, zz);
  cfi_set3(res + 3, xy, xz, yz);
  cfi_scl3(res + 6, offset, mass);
  res[9] = mass;
}


// res = inertia*vec
static inline void cfi_mulInertVec(mjtNum res[6], const mjtNum inert[10], const mjtNum vec[6]) {
  const mjtNum xy = inert[3], xz = inert[4], yz = inert[5];
  const mjtNum hx = inert[6], hy = inert[7], hz = inert[8], mass = inert[9];
  const mjtNum a = vec[0], b = vec[1], c = vec[2], u = vec[3], v = vec[4], w = vec[5];
  cfi_set3(res, inert[0] * a + xy * b + xz * c - hz * v + hy * w,
           xy * a + inert[1] * b + yz * c + hz * u - hx * w,
           xz * a + yz * b + inert[2] * c - hy * u + hx * v);
  cfi_set3(res + 3, hz * b - hy * c + mass * u, hx * c - hz * a + mass * v,
           hy * a - hx * b + mass * w);
}


// the same for two vectors at once, whose numbers lie side by side; the order of sums is that of
// one
static inline void cfi_mulInertPair(cfHalfLane res[6], const mjtNum inert[10],
                                    const cfHalfLane vec[6]) {
  const mjtNum xy = inert[3], xz = inert[4], yz = inert[5];
  const mjtNum hx = inert[6], hy = inert[7], hz = inert[8], mass = inert[9];
  const cfHalfLane a = vec[0], b = vec[1], c = vec[2], u = vec[3], v = vec[4], w = vec[5];
  const cfHalfLane ax =
      cfi_halfAdd(cfi_halfAdd(cfi_halfScl(a, inert[0]), cfi_halfScl(b, xy)), cfi_halfScl(c, xz));
  const cfHalfLane ay =
      cfi_halfAdd(cfi_halfAdd(cfi_halfScl(a, xy), cfi_halfScl(b, inert[1])), cfi_halfScl(c, yz));
  const cfHalfLane az =
      cfi_halfAdd(cfi_halfAdd(cfi_halfScl(a, xz), cfi_halfScl(b, yz)), cfi_halfScl(c, inert[2]));
  res[0] = cfi_halfAdd(cfi_halfSub(ax, cfi_halfScl(v, hz)), cfi_halfScl(w, hy));
  res[1] = cfi_halfSub(cfi_halfAdd(ay, cfi_halfScl(u, hz)), cfi_halfScl(w, hx));
  res[2] = cfi_halfAdd(cfi_halfSub(az, cfi_halfScl(u, hy)), cfi_halfScl(v, hx));
  res[3] = cfi_halfAdd(cfi_halfSub(cfi_halfScl(b, hz), cfi_halfScl(c, hy)), cfi_halfScl(u, mass));
  res[4] = cfi_halfAdd(cfi_halfSub(cfi_halfScl(c, hx), cfi_halfScl(a, hz)), cfi_halfScl(v, mass));
  res[5] = cfi_halfAdd(cfi_halfSub(cfi_halfScl(a, hy), cfi_halfScl(b, hx)), cfi_halfScl(w, mass));
}


// motion axis of a hinge at offset from the com
static inline void cfi_hingeCom(mjtNum res[6], const mjtNum axis[3], const mjtNum offset[3]) {
  cfi_copy3(res, axis);
  cfi_cross(res + 3, axis, offset);
}


// motion axis of a slide
static inline void cfi_slideCom(mjtNum res[6], const mjtNum axis[3]) {
  cfi_zero3(res);
  cfi_copy3(res + 3, axis);
}


// res = sum of n motion axes (6 numbers each) weighted by vec
static inline void cfi_mulDofVec(mjtNum res[6], const mjtNum* dof, const mjtNum* vec, int n) {
  if (n <= 0) {
    cfi_zero6(res);
    return;
  }
  cfi_scl6(res, dof, vec[0]);
  for (int i = 1; i < n; i++) {
    cfi_addToScl6(res, dof + 6 * i, vec[i]);
  }
}


// motion or force vector from a frame at oldpos to one at newpos; rot (may be NULL) turns new into
// old and both positions are given in the old frame
static inline void cfi_transformSpatial(mjtNum res[6], const mjtNum vec[6], int is_force,
                                        const mjtNum newpos[3], const mjtNum oldpos[3],
                                        const mjtNum* rot) {
  // the part that feels the lever arm: the torque of a force, the velocity of a motion
  const int moved = is_force ? 0 : 3, kept = 3 - moved;
  mjtNum arm[3], shift[3], half[2][3];
  cfi_sub3(arm, newpos, oldpos);
  cfi_cross(shift, arm, vec + kept);
  cfi_sub3(half[moved / 3], vec + moved, shift);
  cfi_copy3(half[kept / 3], vec + kept);

  for (int k = 0; k < 2; k++) {
    if (rot) {
      cfi_mulMatTVec3(res + 3 * k, rot, half[k]);
    } else {
      cfi_copy3(res + 3 * k, half[k]);
    }
  }
}

#endif  // CF_MATH_SPATIAL_H
