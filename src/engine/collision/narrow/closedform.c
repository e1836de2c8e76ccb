// Colliders of closed form: the laws of contacts (law/closedforms.h, boxes.h, capsulebox.h) for one
// world.
#include "collision/collider.h"

#include <stdbool.h>

#include "base/assert.h"
#include "law/number_one.h"

#include "law/closedforms.h"

#include "law/boxes.h"
#include "law/capsulebox.h"

static lawView viewOf(cfGeomView geom) {
  return (lawView){geom.pos, geom.mat, geom.size};
}


// a collider, and beside it the entry of the table, so that it is compiled into it
#define CF_CLOSED_FORM(collider, entry, law)                                                    \
  int collider(mjContact* con, cfGeomView a, cfGeomView b, mjtNum margin) {                     \
    return law(CF_ONE_WORLD, con, viewOf(a), viewOf(b), margin);                                \
  }                                                                                             \
                                                                                                \
                                                                                                \
  __attribute__((flatten)) int entry(const mjModel* m, const mjData* d, mjContact* con, int g1, \
                                     int g2, mjtNum margin) {                                   \
    return collider(con, cfi_viewGeom(m, d, g1), cfi_viewGeom(m, d, g2), margin);               \
  }

CF_CLOSED_FORM(cfi_planeSphere, cfi_collidePlaneSphere, lawPlaneSphere)
CF_CLOSED_FORM(cfi_planeCapsule, cfi_collidePlaneCapsule, lawPlaneCapsule)
CF_CLOSED_FORM(cfi_planeCylinder, cfi_collidePlaneCylinder, lawPlaneCylinder)
CF_CLOSED_FORM(cfi_planeBox, cfi_collidePlaneBox, lawPlaneBox)
CF_CLOSED_FORM(cfi_sphereSphere, cfi_collideSphereSphere, lawTouchBalls)
CF_CLOSED_FORM(cfi_sphereCapsule, cfi_collideSphereCapsule, lawSphereCapsule)
CF_CLOSED_FORM(cfi_sphereCylinder, cfi_collideSphereCylinder, lawSphereCylinder)
CF_CLOSED_FORM(cfi_sphereBox, cfi_collideSphereBox, lawSphereBox)
CF_CLOSED_FORM(cfi_capsuleCapsule, cfi_collideCapsuleCapsule, lawCapsules)
CF_CLOSED_FORM(cfi_capsuleBox, cfi_collideCapsuleBox, lawCapsuleBox)
CF_CLOSED_FORM(cfi_boxBox, cfi_collideBoxBox, lawBoxes)


int cfi_pruneBoxBox(mjContact* con, int ncon, cfGeomView a, cfGeomView b, mjtNum margin) {
  return lawPruneBoxes(CF_ONE_WORLD, con, ncon, viewOf(a), viewOf(b), margin);
}
