// Words of the laws (number_one.h says what they mean) for the worlds of a group of lanes.
// Included once per width, after batch/lanes/vector.h and the access to the group (kernels.h).
#include "law/scalar.h"

typedef cfVec cfNum;
typedef cfMask cfIs;
typedef const cfLaneGroup* cfLaw;

#define CF_KIND(c, name, k) ((c)->m->name[k])
#define CF_NUM(c, name, k) CF_OF_GROUP(c, name, k)
#define CF_NOW(c, name, k) (((const cfVec*)(c)->name)[k])
#define CF_SHARED(res, c, name, k, n) laneSpread(res, (c)->m->name + (k), n)
#define CF_STEP(c) CF_STEP_OF_GROUP(c)

#define numOf(x) laneOf(x)
#define numMax laneMax
#define numClip laneClip
#define numAbs laneAbs
#define numSqrt laneSqrt
#define numChoose laneSelect
#define CF_LAW_UNROLL
#define CF_LAW_EXACT
#define numNot(is) (~(is))
#define numAnd(is, too) ((is) & (too))
#define numOr(is, other) ((is) | (other))
#define numAll(is) laneNone(~(is))
#define numNone laneNone
#define CF_LAW_SOONER(is) false
#define numExp laneExp
#define numSinCos(x, sine, cosine) laneSinCos(sine, cosine, x)


CF_LANE_INLINE cfVec numAtan2(cfVec y, cfVec x) {
  for (int w = 0; w < CF_LANES; w++) {
    y[w] = cfi_atan2(y[w], x[w]);
  }
  return y;
}


// Power of a number, in a function of its own: gcc 12 may keep upper halves of registers in use on
// a way that is seldom taken, and libm would wait for them (tools/check_uppers.py).
static __attribute__((noinline)) mjtNum lanePower(mjtNum base, mjtNum exponent) {
#ifdef __AVX__
  __builtin_ia32_vzeroupper();
#endif
  return cfi_power(base, exponent);
}

#undef realPower
#define realPower lanePower


CF_LANE_INLINE cfVec numPower(cfVec base, mjtNum exponent) {
  if (exponent == 1) {
    return base;
  }
  cfVec power = base * base;
  for (int w = 0; w < CF_LANES && exponent != 2; w++) {
    power[w] = lanePower(base[w], exponent);
  }
  return power;
}
