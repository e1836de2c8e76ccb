// Distances of geoms outside of the collision stage.
#include <stdbool.h>

#include "base/assert.h"
#include "collision/collider.h"
#include "math/inline.h"
#include "model/flags.h"

// a pair in the order of types that colliders ask for
typedef struct {
  int g1, g2;
  bool is_swapped;
  mjfCollision collider;
} typedPair;

static typedPair orderPair(const mjModel* m, int geom1, int geom2) {
  CF_ASSERT(0 <= geom1 && geom1 < m->ngeom && 0 <= geom2 && geom2 < m->ngeom);
  const bool swap = m->geom_type[geom1] > m->geom_type[geom2];
  const int g1 = swap ? geom2 : geom1, g2 = swap ? geom1 : geom2;
  return (typedPair){g1, g2, swap, mjCOLLISIONFUNC[m->geom_type[g1]][m->geom_type[g2]]};
}


// pairs that are measured by GJK instead of by their contacts
static bool isMeasured(const mjModel* m, mjfCollision collider) {
  return (collider == cfi_collideConvex || collider == cfi_collideBoxBox) &&
         !cfi_disabled(m, mjDSBL_NATIVECCD);
}


// nearest of the contacts within distmax.  The contact point is midway, its normal goes from g1 to
// g2
static mjtNum nearestContact(const mjModel* m, const mjData* d, const typedPair* p, mjtNum distmax,
                             mjtNum fromto[6]) {
  mjContact con[mjMAXCONPAIR];
  const mjContact* nearest = NULL;
  const int n = p->collider(m, d, con, p->g1, p->g2, distmax);
  mjtNum dist = distmax;
  for (int i = 0; i < n; i++) {
    if (con[i].dist < dist) {
      nearest = con + i;
      dist = nearest->dist;
    }
  }
  if (fromto && nearest) {
    const mjtNum half = (p->is_swapped ? -0.5 : 0.5) * dist;
    cfi_addScl3(fromto, nearest->pos, nearest->frame, -half);
    cfi_addScl3(fromto + 3, nearest->pos, nearest->frame, half);
  }
  return dist;
}


// smallest distance of two geoms, at most distmax; negative when they overlap.
// fromto: nearest points on geom1 and geom2, zeros when the distance is distmax
mjtNum mj_geomDistance(const mjModel* m, const mjData* d, int geom1, int geom2, mjtNum distmax,
                       mjtNum fromto[6]) {
  if (fromto) {
    mju_zero(fromto, 6);
  }
  const typedPair p = orderPair(m, geom1, geom2);
  if (!p.collider) {
    return distmax;
  }
  if (isMeasured(m, p.collider)) {
    return cfi_convexDistance(m, d, geom1, geom2, distmax, fromto);
  }
  return nearestContact(m, d, &p, distmax, fromto);
}


// above the limit by more than rounding, so that equal distances of two pairs stay comparable
static mjtNum raisedLimit(mjtNum limit) {
  const mjtNum slack = 1e-9;
  return cfi_max(0, limit) * (1 + slack) + slack;
}


// bounding spheres are farther apart than the limit, and the distance of such a pair is that of its
// surfaces
static bool areBallsBeyond(const mjModel* m, const mjData* d, const typedPair* p, mjtNum limit) {
  const int type1 = m->geom_type[p->g1], type2 = m->geom_type[p->g2];
  if (type1 < mjGEOM_SPHERE || type2 > mjGEOM_MESH || cfi_disabled(m, mjDSBL_NATIVECCD)) {
    return false;
  }
  const mjtNum *c1 = d->geom_xpos + 3 * p->g1, *c2 = d->geom_xpos + 3 * p->g2;
  const mjtNum reach = raisedLimit(limit) + m->geom_rbound[p->g1] + m->geom_rbound[p->g2];
  mjtNum offset[3];
  cfi_sub3(offset, c1, c2);
  return cfi_dot3(offset, offset) > reach * reach && cfi_isOwnCollider(type1, type2);
}


mjtNum cfi_distanceBelow(const mjModel* m, const mjData* d, int geom1, int geom2, mjtNum distmax,
                         mjtNum limit, mjtNum fromto[6]) {
  CF_ASSERT(geom1 >= 0 && geom1 < m->ngeom && geom2 >= 0 && geom2 < m->ngeom);
  const typedPair p = orderPair(m, geom1, geom2);
  if (!p.collider || areBallsBeyond(m, d, &p, limit)) {
    return distmax;
  }
  if (isMeasured(m, p.collider)) {
    return cfi_convexDistance(m, d, geom1, geom2,
                              distmax > 0 ? cfi_min(distmax, raisedLimit(limit)) : distmax, fromto);
  }
  return nearestContact(m, d, &p, distmax, fromto);
}
