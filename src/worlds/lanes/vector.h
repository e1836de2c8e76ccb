// One number of CF_LANES worlds, and small vectors of them.  Included once per width.
//
// The operations on each lane are those of math/vec3.h, quat.h and spatial.h in the same order;
// where these branch on data, a select picks the same value.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <mujoco/mujoco.h>

#if CF_LANES > 1
#include <immintrin.h>
#endif

// arrays of numbers are read as vectors: these alias their own numbers, and nothing else
typedef mjtNum cfVec __attribute__((vector_size(8 * CF_LANES)));
typedef int64_t cfMask __attribute__((vector_size(8 * CF_LANES), may_alias));

#define CF_LANE_INLINE static inline __attribute__((always_inline))


CF_LANE_INLINE cfVec laneOf(mjtNum x) {
  return x - (cfVec){0};
}


CF_LANE_INLINE cfVec laneSelect(cfMask mask, cfVec a, cfVec b) {
  return (cfVec)(((cfMask)a & mask) | ((cfMask)b & ~mask));
}


CF_LANE_INLINE cfVec laneSqrt(cfVec a) {
#if CF_LANES == 8
  return (cfVec)_mm512_sqrt_pd((__m512d)a);
#elif CF_LANES == 4
  return (cfVec)_mm256_sqrt_pd((__m256d)a);
#else
  a[0] = sqrt(a[0]);
  return a;
#endif
}


CF_LANE_INLINE cfVec laneAbs(cfVec a) {
  return (cfVec)((cfMask)a & ((cfMask){0} + INT64_MAX));
}


CF_LANE_INLINE cfVec laneClip(cfVec x, cfVec low, cfVec high) {
  const cfVec raised = laneSelect(x < low, low, x);
  return laneSelect(raised > high, high, raised);
}


// bit w: lane w is set
CF_LANE_INLINE unsigned laneBits(cfMask mask) {
#if CF_LANES == 8
  return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
#elif CF_LANES == 4
  return (unsigned)_mm256_movemask_pd((__m256d)mask);
#else
  return mask[0] != 0;
#endif
}


// lanes whose bit is set
CF_LANE_INLINE cfMask laneOfBits(unsigned bits) {
#if CF_LANES == 1
  const cfMask bit = {1};
#else
  cfMask bit;
  for (int w = 0; w < CF_LANES; w++) {
    bit[w] = 1 << w;
  }
#endif
  return (((cfMask){0} + (int64_t)bits) & bit) != 0;
}


CF_LANE_INLINE bool laneAny(cfMask mask) {
  return laneBits(mask) != 0;
}


CF_LANE_INLINE bool laneNone(cfMask mask) {
  return !laneAny(mask);
}


CF_LANE_INLINE cfVec laneMax(cfVec a, cfVec b) {
  return laneSelect(a >= b, a, b);
}


// ---------------------------------------- vectors

CF_LANE_INLINE void laneSet3(cfVec res[3], cfVec x, cfVec y, cfVec z) {
  res[0] = x, res[1] = y, res[2] = z;
}


CF_LANE_INLINE void laneCopy(cfVec* res, const cfVec* a, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = a[k];
  }
}


// numbers of the model, the same in all worlds
CF_LANE_INLINE void laneSpread(cfVec* res, const mjtNum* a, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = laneOf(a[k]);
  }
}


CF_LANE_INLINE void laneZero(cfVec* res, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = (cfVec){0};
  }
}


CF_LANE_INLINE void laneScale(cfVec* res, const cfVec* a, cfVec s, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = a[k] * s;
  }
}


CF_LANE_INLINE void laneAdd(cfVec* res, const cfVec* a, const cfVec* b, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = a[k] + b[k];
  }
}


CF_LANE_INLINE void laneSub(cfVec* res, const cfVec* a, const cfVec* b, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = a[k] - b[k];
  }
}


// res += s*a
CF_LANE_INLINE void laneAddScaled(cfVec* res, const cfVec* a, cfVec s, int n) {
  for (int k = 0; k < n; k++) {
    res[k] = res[k] + a[k] * s;
  }
}


CF_LANE_INLINE cfVec laneDot3(const cfVec a[3], const cfVec b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}


CF_LANE_INLINE void laneCross(cfVec res[3], const cfVec a[3], const cfVec b[3]) {
  laneSet3(res, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}


// unit length, (1,0,0) when shorter than mjMINVAL
CF_LANE_INLINE void laneNormalize3(cfVec a[3]) {
  const cfVec length = laneSqrt(laneDot3(a, a)), scale = 1.0 / length;
  const cfMask is_zero = length < mjMINVAL;
  a[0] = laneSelect(is_zero, laneOf(1), a[0] * scale);
  a[1] = laneSelect(is_zero, laneOf(0), a[1] * scale);
  a[2] = laneSelect(is_zero, laneOf(0), a[2] * scale);
}


CF_LANE_INLINE void laneMulMatVec3(cfVec res[3], const cfVec R[9], const cfVec v[3]) {
  laneSet3(res, laneDot3(R, v), laneDot3(R + 3, v), laneDot3(R + 6, v));
}


// ---------------------------------------- quaternions

CF_LANE_INLINE void laneUnitize4(cfVec q[4]) {
  const cfVec square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  const cfVec length = laneSqrt(square);
  const cfMask is_zero = length<mjMINVAL, is_off = laneAbs(length - 1.0)> mjMINVAL;
  const cfVec scale = laneSelect(is_off, 1.0 / length, laneOf(1));
  q[0] = laneSelect(is_zero, laneOf(1), q[0] * scale);
  for (int k = 1; k < 4; k++) {
    q[k] = laneSelect(is_zero, laneOf(0), q[k] * scale);
  }
}


CF_LANE_INLINE void laneMulQuat(cfVec res[4], const cfVec a[4], const cfVec b[4]) {
  const cfVec w = a[0], x = a[1], y = a[2], z = a[3];
  const cfVec s = b[0], i = b[1], j = b[2], k = b[3];
  res[0] = w * s - x * i - y * j - z * k;
  res[1] = w * i + x * s + y * k - z * j;
  res[2] = w * j - x * k + y * s + z * i;
  res[3] = w * k + x * j - y * i + z * s;
}


// rotate a vector
CF_LANE_INLINE void laneTurn(cfVec res[3], const cfVec v[3], const cfVec q[4]) {
  const cfVec w = q[0], x = q[1], y = q[2], z = q[3];
  const cfVec side[3] = {w * v[0] + y * v[2] - z * v[1], w * v[1] + z * v[0] - x * v[2],
                         w * v[2] + x * v[1] - y * v[0]};
  cfVec swing[3];
  laneCross(swing, q + 1, side);
  laneSet3(res, v[0] + 2.0 * swing[0], v[1] + 2.0 * swing[1], v[2] + 2.0 * swing[2]);
}


CF_LANE_INLINE void laneTurnMat(cfVec R[9], const cfVec q[4]) {
  const cfVec w = q[0], x = q[1], y = q[2], z = q[3];
  const cfVec ww = w * w, xx = x * x, yy = y * y, zz = z * z;
  const cfVec wx = w * x, wy = w * y, wz = w * z, xy = x * y, xz = x * z, yz = y * z;
  R[0] = ww + xx - yy - zz;
  R[4] = ww - xx + yy - zz;
  R[8] = ww - xx - yy + zz;
  R[1] = 2.0 * (xy - wz), R[3] = 2.0 * (xy + wz);
  R[2] = 2.0 * (xz + wy), R[6] = 2.0 * (xz - wy);
  R[5] = 2.0 * (yz - wx), R[7] = 2.0 * (yz + wx);
}


// ---------------------------------------- spatial vectors

CF_LANE_INLINE cfVec laneDot6(const cfVec a[6], const cfVec b[6]) {
  const cfVec even = a[0] * b[0] + a[2] * b[2], odd = a[1] * b[1] + a[3] * b[3];
  const cfVec rest = a[4] * b[4] + a[5] * b[5];
  return (even + odd) + rest;
}


// velocity x motion
CF_LANE_INLINE void laneCrossMotion(cfVec res[6], const cfVec vel[6], const cfVec motion[6]) {
  cfVec carried[3], coupled[3];
  laneCross(carried, vel, motion + 3);
  laneCross(coupled, vel + 3, motion);
  laneCross(res, vel, motion);
  laneAdd(res + 3, carried, coupled, 3);
}


// velocity x* force
CF_LANE_INLINE void laneCrossForce(cfVec res[6], const cfVec vel[6], const cfVec force[6]) {
  cfVec carried[3], coupled[3];
  laneCross(carried, vel, force);
  laneCross(coupled, vel + 3, force + 3);
  laneCross(res + 3, vel, force + 3);
  laneAdd(res, carried, coupled, 3);
}


CF_LANE_INLINE void laneMulInertia(cfVec res[6], const cfVec inert[10], const cfVec vec[6]) {
  const cfVec xy = inert[3], xz = inert[4], yz = inert[5];
  const cfVec hx = inert[6], hy = inert[7], hz = inert[8], mass = inert[9];
  const cfVec a = vec[0], b = vec[1], c = vec[2], u = vec[3], v = vec[4], w = vec[5];
  res[0] = inert[0] * a + xy * b + xz * c - hz * v + hy * w;
  res[1] = xy * a + inert[1] * b + yz * c + hz * u - hx * w;
  res[2] = xz * a + yz * b + inert[2] * c - hy * u + hx * v;
  res[3] = hz * b - hy * c + mass * u;
  res[4] = hx * c - hz * a + mass * v;
  res[5] = hy * a - hx * b + mass * w;
}


// sum of n > 0 motion axes weighted by vec
CF_LANE_INLINE void laneMulDofs(cfVec res[6], const cfVec* dof, const cfVec* vec, int n) {
  laneScale(res, dof, vec[0], 6);
  for (int i = 1; i < n; i++) {
    laneAddScaled(res, dof + 6 * i, vec[i], 6);
  }
}
