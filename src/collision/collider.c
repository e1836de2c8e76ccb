// The table of colliders by pair of geom types, and the closed forms in its signature.
#include "collision/collider.h"

// one closed form as a table entry
#define CF_PAIR(entry, collider)                                                            \
  static int entry(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,       \
                   mjtNum margin) {                                                         \
    return collider(con, cfi_viewGeom(m, d, g1), cfi_viewGeom(m, d, g2), margin);           \
  }
CF_PAIR(pairPlaneSphere, cfi_planeSphere)
CF_PAIR(pairPlaneCapsule, cfi_planeCapsule)
CF_PAIR(pairPlaneCylinder, cfi_planeCylinder)
CF_PAIR(pairPlaneBox, cfi_planeBox)
CF_PAIR(pairSphereSphere, cfi_sphereSphere)
CF_PAIR(pairSphereCapsule, cfi_sphereCapsule)
CF_PAIR(pairSphereCylinder, cfi_sphereCylinder)
CF_PAIR(pairSphereBox, cfi_sphereBox)
CF_PAIR(pairCapsuleCapsule, cfi_capsuleCapsule)
CF_PAIR(pairCapsuleBox, cfi_capsuleBox)
#undef CF_PAIR


int cfi_collideBoxBox(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                      mjtNum margin) {
  return cfi_boxBox(con, cfi_viewGeom(m, d, g1), cfi_viewGeom(m, d, g2), margin);
}


// rows: type of geom 1, columns: type of geom 2; only type 1 <= type 2 is used, the rest stays empty.
// a pair without entry does not collide
mjfCollision mjCOLLISIONFUNC[mjNGEOMTYPES][mjNGEOMTYPES] = {
    [mjGEOM_PLANE] = {[mjGEOM_SPHERE] = pairPlaneSphere,
                      [mjGEOM_CAPSULE] = pairPlaneCapsule,
                      [mjGEOM_ELLIPSOID] = cfi_collidePlaneConvex,
                      [mjGEOM_CYLINDER] = pairPlaneCylinder,
                      [mjGEOM_BOX] = pairPlaneBox,
                      [mjGEOM_MESH] = cfi_collidePlaneConvex,
                      [mjGEOM_SDF] = cfi_collidePlaneConvex},
    [mjGEOM_HFIELD] = {[mjGEOM_SPHERE] = cfi_collideHfieldConvex,
                       [mjGEOM_CAPSULE] = cfi_collideHfieldConvex,
                       [mjGEOM_ELLIPSOID] = cfi_collideHfieldConvex,
                       [mjGEOM_CYLINDER] = cfi_collideHfieldConvex,
                       [mjGEOM_BOX] = cfi_collideHfieldConvex,
                       [mjGEOM_MESH] = cfi_collideHfieldConvex,
                       [mjGEOM_SDF] = cfi_collideHfieldSdf},
    [mjGEOM_SPHERE] = {[mjGEOM_SPHERE] = pairSphereSphere,
                       [mjGEOM_CAPSULE] = pairSphereCapsule,
                       [mjGEOM_ELLIPSOID] = cfi_collideConvex,
                       [mjGEOM_CYLINDER] = pairSphereCylinder,
                       [mjGEOM_BOX] = pairSphereBox,
                       [mjGEOM_MESH] = cfi_collideConvex,
                       [mjGEOM_SDF] = cfi_collideSdf},
    [mjGEOM_CAPSULE] = {[mjGEOM_CAPSULE] = pairCapsuleCapsule,
                        [mjGEOM_ELLIPSOID] = cfi_collideConvex,
                        [mjGEOM_CYLINDER] = cfi_collideConvex,
                        [mjGEOM_BOX] = pairCapsuleBox,
                        [mjGEOM_MESH] = cfi_collideConvex,
                        [mjGEOM_SDF] = cfi_collideSdf},
    [mjGEOM_ELLIPSOID] = {[mjGEOM_ELLIPSOID] = cfi_collideConvex,
                          [mjGEOM_CYLINDER] = cfi_collideConvex,
                          [mjGEOM_BOX] = cfi_collideConvex,
                          [mjGEOM_MESH] = cfi_collideConvex,
                          [mjGEOM_SDF] = cfi_collideSdf},
    [mjGEOM_CYLINDER] = {[mjGEOM_CYLINDER] = cfi_collideConvex,
                         [mjGEOM_BOX] = cfi_collideConvex,
                         [mjGEOM_MESH] = cfi_collideConvex,
                         [mjGEOM_SDF] = cfi_collideSdf},
    [mjGEOM_BOX] = {[mjGEOM_BOX] = cfi_collideBoxBox,
                    [mjGEOM_MESH] = cfi_collideConvex,
                    [mjGEOM_SDF] = cfi_collideSdf},
    [mjGEOM_MESH] = {[mjGEOM_MESH] = cfi_collideConvex, [mjGEOM_SDF] = cfi_collideMeshSdf},
    [mjGEOM_SDF] = {[mjGEOM_SDF] = cfi_collideSdf},
};
