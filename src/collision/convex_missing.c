// Stand-ins for colliders that are not written yet: weak, so that the real ones replace them at
// link time.
#include "collision/collider.h"

#define CF_MISSING_COLLIDER(name)                                                           \
  __attribute__((weak)) int name(const mjModel* m, const mjData* d, mjContact* con, int g1, \
                                 int g2, mjtNum margin) {                                   \
    (void)d, (void)con, (void)margin;                                                       \
    mju_error(#name ": not implemented (geom types %d and %d)", m->geom_type[g1],           \
              m->geom_type[g2]);                                                            \
    return 0;                                                                               \
  }
CF_MISSING_COLLIDER(cfi_collideConvex)
CF_MISSING_COLLIDER(cfi_collidePlaneConvex)
CF_MISSING_COLLIDER(cfi_collideHfieldConvex)
CF_MISSING_COLLIDER(cfi_collideHfieldSdf)
CF_MISSING_COLLIDER(cfi_collideMeshSdf)
CF_MISSING_COLLIDER(cfi_collideSdf)
#undef CF_MISSING_COLLIDER


__attribute__((weak)) mjtNum cfi_convexDistance(const mjModel* m, const mjData* d, int g1, int g2,
                                                mjtNum distmax, mjtNum fromto[6]) {
  (void)m, (void)d, (void)g1, (void)g2, (void)fromto;
  mju_error("cfi_convexDistance: not implemented");
  return distmax;
}
