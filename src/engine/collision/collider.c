// The table of colliders by pair of geom types, and what it was before user programs changed it.
#include "collision/collider.h"

// rows: type of geom 1, columns: type of geom 2; only type 1 <= type 2 is used, the rest stays
// empty. a pair without entry does not collide
#define CF_COLLIDERS                                                                              \
  [mjGEOM_PLANE] =                                                                                \
      {[mjGEOM_SPHERE] = cfi_collidePlaneSphere,    [mjGEOM_CAPSULE] = cfi_collidePlaneCapsule,   \
       [mjGEOM_ELLIPSOID] = cfi_collidePlaneConvex, [mjGEOM_CYLINDER] = cfi_collidePlaneCylinder, \
       [mjGEOM_BOX] = cfi_collidePlaneBox,          [mjGEOM_MESH] = cfi_collidePlaneConvex,       \
       [mjGEOM_SDF] = cfi_collidePlaneConvex},                                                    \
  [mjGEOM_HFIELD] =                                                                               \
      {[mjGEOM_SPHERE] = cfi_collideHfieldConvex,    [mjGEOM_CAPSULE] = cfi_collideHfieldConvex,  \
       [mjGEOM_ELLIPSOID] = cfi_collideHfieldConvex, [mjGEOM_CYLINDER] = cfi_collideHfieldConvex, \
       [mjGEOM_BOX] = cfi_collideHfieldConvex,       [mjGEOM_MESH] = cfi_collideHfieldConvex,     \
       [mjGEOM_SDF] = cfi_collideHfieldSdf},                                                      \
  [mjGEOM_SPHERE] = {[mjGEOM_SPHERE] = cfi_collideSphereSphere,                                   \
                     [mjGEOM_CAPSULE] = cfi_collideSphereCapsule,                                 \
                     [mjGEOM_ELLIPSOID] = cfi_collideConvex,                                      \
                     [mjGEOM_CYLINDER] = cfi_collideSphereCylinder,                               \
                     [mjGEOM_BOX] = cfi_collideSphereBox,                                         \
                     [mjGEOM_MESH] = cfi_collideConvex,                                           \
                     [mjGEOM_SDF] = cfi_collideSdf},                                              \
  [mjGEOM_CAPSULE] = {[mjGEOM_CAPSULE] = cfi_collideCapsuleCapsule,                               \
                      [mjGEOM_ELLIPSOID] = cfi_collideConvex,                                     \
                      [mjGEOM_CYLINDER] = cfi_collideConvex,                                      \
                      [mjGEOM_BOX] = cfi_collideCapsuleBox,                                       \
                      [mjGEOM_MESH] = cfi_collideConvex,                                          \
                      [mjGEOM_SDF] = cfi_collideSdf},                                             \
  [mjGEOM_ELLIPSOID] = {[mjGEOM_ELLIPSOID] = cfi_collideConvex,                                   \
                        [mjGEOM_CYLINDER] = cfi_collideConvex,                                    \
                        [mjGEOM_BOX] = cfi_collideConvex,                                         \
                        [mjGEOM_MESH] = cfi_collideConvex,                                        \
                        [mjGEOM_SDF] = cfi_collideSdf},                                           \
  [mjGEOM_CYLINDER] = {[mjGEOM_CYLINDER] = cfi_collideConvex,                                     \
                       [mjGEOM_BOX] = cfi_collideConvex,                                          \
                       [mjGEOM_MESH] = cfi_collideConvex,                                         \
                       [mjGEOM_SDF] = cfi_collideSdf},                                            \
  [mjGEOM_BOX] = {[mjGEOM_BOX] = cfi_collideBoxBox,                                               \
                  [mjGEOM_MESH] = cfi_collideConvex,                                              \
                  [mjGEOM_SDF] = cfi_collideSdf},                                                 \
  [mjGEOM_MESH] = {[mjGEOM_MESH] = cfi_collideConvex, [mjGEOM_SDF] = cfi_collideSdf},             \
  [mjGEOM_SDF] = {[mjGEOM_SDF] = cfi_collideSdf}

mjfCollision mjCOLLISIONFUNC[mjNGEOMTYPES][mjNGEOMTYPES] = {CF_COLLIDERS};
static const mjfCollision own_colliders[mjNGEOMTYPES][mjNGEOMTYPES] = {CF_COLLIDERS};


bool cfi_isOwnCollider(int type1, int type2) {
  return mjCOLLISIONFUNC[type1][type2] == own_colliders[type1][type2];
}
