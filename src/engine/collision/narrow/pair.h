// One pair of geoms: filters, collider, contacts.
#ifndef CF_COLLISION_NARROW_PAIR_H
#define CF_COLLISION_NARROW_PAIR_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "collision/parameters.h"
#include "math/inline.h"
#include "model/flags.h"

// margin in force: the global one when contact override is on
static inline mjtNum cfi_overrideMargin(const mjModel* m, mjtNum margin) {
  return cfi_enabled(m, mjENBL_OVERRIDE) ? m->opt.o_margin : margin;
}


static inline mjtNum cfi_geomMargin(const mjModel* m, int g1, int g2) {
  return cfi_overrideMargin(m, m->geom_margin[g1] + m->geom_margin[g2]);
}


// is a geom's bounding sphere farther than margin above a plane geom
static inline bool cfi_sphereAbovePlane(const mjModel* m, const mjData* d, int plane, int g,
                                        mjtNum margin) {
  mjtNum offset[3];
  cfi_sub3(offset, d->geom_xpos + 3 * g, d->geom_xpos + 3 * plane);
  return cfi_dotColumn3(d->geom_xmat + 9 * plane, 2, offset) > margin + m->geom_rbound[g];
}


// are the bounding spheres of two geoms farther apart than margin; planes have no sphere (radius 0)
static inline bool cfi_spheresApart(const mjModel* m, const mjData* d, int g1, int g2,
                                    mjtNum margin) {
  const mjtNum r1 = m->geom_rbound[g1], r2 = m->geom_rbound[g2];
  if (r1 > 0 && r2 > 0) {
    const mjtNum bound = r1 + r2 + margin;
    mjtNum offset[3];
    cfi_sub3(offset, d->geom_xpos + 3 * g1, d->geom_xpos + 3 * g2);
    return cfi_dot3(offset, offset) > bound * bound;
  }
  return (r2 > 0 && m->geom_type[g1] == mjGEOM_PLANE &&
          cfi_sphereAbovePlane(m, d, g1, g2, margin)) ||
         (r1 > 0 && m->geom_type[g2] == mjGEOM_PLANE && cfi_sphereAbovePlane(m, d, g2, g1, margin));
}


// contacts of one of several threads, before they come into the arena
typedef struct {
  mjContact* con;
  int n, room;
  bool is_full;  // something was left out
} cfContactSink;

// append the contacts of two geoms that the filters let through, in the arena or, unless it is
// NULL, in a sink; is_near: their bounding spheres are known to meet
void cfi_collideGeoms(const mjModel* m, mjData* d, int g1, int g2, bool is_near,
                      cfContactSink* sink);

// the same with n contacts that somebody else has found with the collider of these geoms, ordered
// by type: their parameters; distance, position and complete frame of each, `step` numbers apart
void cfi_acceptFound(const mjModel* m, mjData* d, int g1, int g2, const cfContactParameters* p,
                     const mjtNum* found, size_t step, int n);

// append the contacts of a predefined pair
void cfi_collidePredefined(const mjModel* m, mjData* d, int pair);

#endif  // CF_COLLISION_NARROW_PAIR_H
