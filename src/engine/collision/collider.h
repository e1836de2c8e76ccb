// Colliders: what the narrow phase calls for a pair of geoms.
//
// A closed-form collider is pure geometry: two views in, contacts out (two at most, four of a
// plane with a box or cylinder, mjMAXCONPAIR of two boxes), no model, no data; its formula is in
// law/.  It fills dist, pos and the first six numbers of frame (normal from geom 1 to
// geom 2, then a tangent hint or zeros) and nothing else; the driver adds parameters and completes
// the frame. A model collider has MuJoCo's mjfCollision signature because it needs meshes, height
// fields or options. All of them sit in the public table mjCOLLISIONFUNC, which user programs may
// change.
#ifndef CF_COLLISION_COLLIDER_H
#define CF_COLLISION_COLLIDER_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// one geom as a collider sees it: world center, row-major 3x3 orientation, type-specific sizes
typedef struct {
  const mjtNum *pos, *mat, *size;
} cfGeomView;


// geom g of the model as a view
static inline cfGeomView cfi_viewGeom(const mjModel* m, const mjData* d, int g) {
  return (cfGeomView){d->geom_xpos + 3 * g, d->geom_xmat + 9 * g, m->geom_size + 3 * g};
}


// closed forms: number of contacts no farther apart than margin, in MuJoCo's order
int cfi_planeSphere(mjContact* con, cfGeomView plane, cfGeomView sphere, mjtNum margin);
int cfi_planeCapsule(mjContact* con, cfGeomView plane, cfGeomView capsule, mjtNum margin);
int cfi_planeCylinder(mjContact* con, cfGeomView plane, cfGeomView cylinder, mjtNum margin);
int cfi_planeBox(mjContact* con, cfGeomView plane, cfGeomView box, mjtNum margin);
int cfi_sphereSphere(mjContact* con, cfGeomView a, cfGeomView b, mjtNum margin);
int cfi_sphereCapsule(mjContact* con, cfGeomView sphere, cfGeomView capsule, mjtNum margin);
int cfi_sphereCylinder(mjContact* con, cfGeomView sphere, cfGeomView cylinder, mjtNum margin);
int cfi_sphereBox(mjContact* con, cfGeomView sphere, cfGeomView box, mjtNum margin);
int cfi_capsuleCapsule(mjContact* con, cfGeomView a, cfGeomView b, mjtNum margin);
int cfi_capsuleBox(mjContact* con, cfGeomView capsule, cfGeomView box, mjtNum margin);
int cfi_boxBox(mjContact* con, cfGeomView a, cfGeomView b, mjtNum margin);

// drop contacts of a box pair that lie outside the boxes or repeat a later one; returns how many
// stay
int cfi_pruneBoxBox(mjContact* con, int ncon, cfGeomView a, cfGeomView b, mjtNum margin);

// entries of the table; the driver prunes the contacts of box : box
int cfi_collidePlaneSphere(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                           mjtNum margin);
int cfi_collidePlaneCapsule(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                            mjtNum margin);
int cfi_collidePlaneCylinder(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                             mjtNum margin);
int cfi_collidePlaneBox(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                        mjtNum margin);
int cfi_collideSphereSphere(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                            mjtNum margin);
int cfi_collideSphereCapsule(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                             mjtNum margin);
int cfi_collideSphereCylinder(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                              mjtNum margin);
int cfi_collideSphereBox(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                         mjtNum margin);
int cfi_collideCapsuleCapsule(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                              mjtNum margin);
int cfi_collideCapsuleBox(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                          mjtNum margin);
int cfi_collideBoxBox(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                      mjtNum margin);

// iterative colliders (folders convex/, hfield/, sdf/)
int cfi_collideConvex(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                      mjtNum margin);
int cfi_collidePlaneConvex(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                           mjtNum margin);
int cfi_collideHfieldConvex(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                            mjtNum margin);
int cfi_collideHfieldSdf(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                         mjtNum margin);
int cfi_collideSdf(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                   mjtNum margin);

// smallest distance of two convex geoms, negative when they overlap, distmax when farther apart.
// fromto (may be NULL) receives the nearest points on g1 and g2 and is left as it is beyond
// distmax. the geoms come in the caller's order, not sorted by type
mjtNum cfi_convexDistance(const mjModel* m, const mjData* d, int g1, int g2, mjtNum distmax,
                          mjtNum fromto[6]);

// as mj_geomDistance where the distance is below the limit; otherwise some number that is not
mjtNum cfi_distanceBelow(const mjModel* m, const mjData* d, int g1, int g2, mjtNum distmax,
                         mjtNum limit, mjtNum fromto[6]);

// the table still holds our collider for these types
bool cfi_isOwnCollider(int type1, int type2);

#endif  // CF_COLLISION_COLLIDER_H
