// Elementary functions of CF_LANES worlds: the formulas of math/libm.h, so the same bits as one
// world alone.  Worlds outside of the range of these formulas are computed one after the other.
#include "math/libm.h"

#ifndef CF_SYSTEM_LIBM

typedef uint64_t cfLaneWord __attribute__((vector_size(8 * CF_LANES), may_alias));

#define CF_LIBM(name) lane##name
#define CF_LIBM_REAL cfVec
#define CF_LIBM_WORD cfLaneWord
#define CF_LIBM_TEST cfMask
#define CF_LIBM_BITS(x) ((cfLaneWord)(x))
#define CF_LIBM_NUMBER(w) ((cfVec)(w))
#define CF_LIBM_PICK(odd, a, b) laneSelect((cfMask) - (odd), a, b)
#include "math/libm_growth.h"
#include "math/libm_sincos.h"


static __attribute__((noinline)) void laneHardSinCos(cfVec* sine, cfVec* cosine, cfVec x) {
  for (int w = 0; w < CF_LANES; w++) {
    mjtNum s, c;
    cfi_sinCos(&s, &c, x[w]);
    (*sine)[w] = s;
    (*cosine)[w] = c;
  }
}


static inline void laneSinCos(cfVec* sine, cfVec* cosine, cfVec x) {
  const laneAngle a = laneReduceAngle(x);
  if (laneAny(laneIsHard(x, a))) {
    laneHardSinCos(sine, cosine, x);
  } else {
    laneSinCosOfAngle(sine, cosine, a);
  }
}


static __attribute__((noinline)) cfVec laneHardExp(cfVec x) {
  for (int w = 0; w < CF_LANES; w++) {
    x[w] = cfi_exp(x[w]);
  }
  return x;
}


static inline cfVec laneExp(cfVec x) {
  return laneAny(~(laneAbs(x) < 708.0)) ? laneHardExp(x) : laneExpOf(x);
}

#else  // the system's functions, world by world

static inline void laneSinCos(cfVec* sine, cfVec* cosine, cfVec x) {
  for (int w = 0; w < CF_LANES; w++) {
    mjtNum s, c;
    cfi_sinCos(&s, &c, x[w]);
    (*sine)[w] = s;
    (*cosine)[w] = c;
  }
}


static inline cfVec laneExp(cfVec x) {
  for (int w = 0; w < CF_LANES; w++) {
    x[w] = cfi_exp(x[w]);
  }
  return x;
}

#endif  // CF_SYSTEM_LIBM
