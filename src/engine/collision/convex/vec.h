// 3-vectors by value: inside the loops of GJK and EPA they stay in registers, where arrays would go
// through memory. Products and sums in the order of their namesakes in math/vec3.h.
#ifndef CF_COLLISION_CONVEX_VEC_H
#define CF_COLLISION_CONVEX_VEC_H

#include <mujoco/mjtnum.h>

typedef struct {
  mjtNum x, y, z;
} cfVec3;

static inline cfVec3 cfi_loadVec(const mjtNum a[3]) {
  return (cfVec3){a[0], a[1], a[2]};
}


static inline void cfi_storeVec(mjtNum res[3], cfVec3 a) {
  res[0] = a.x, res[1] = a.y, res[2] = a.z;
}


static inline cfVec3 cfi_addVec(cfVec3 a, cfVec3 b) {
  return (cfVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}


static inline cfVec3 cfi_subVec(cfVec3 a, cfVec3 b) {
  return (cfVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}


static inline cfVec3 cfi_sclVec(cfVec3 a, mjtNum s) {
  return (cfVec3){a.x * s, a.y * s, a.z * s};
}


static inline mjtNum cfi_dotVec(cfVec3 a, cfVec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}


static inline cfVec3 cfi_crossVec(cfVec3 a, cfVec3 b) {
  return (cfVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif  // CF_COLLISION_CONVEX_VEC_H
