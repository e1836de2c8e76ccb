// Flex collisions are not written yet: say so as soon as one is due, and stay silent when it cannot
// happen.
#include "collision/flexseam.h"

#include <stdbool.h>

#include "collision/narrow/pair.h"

// does any vertex come within reach of a plane or of a geom's bounding sphere
static bool geomNearFlex(const mjModel* m, const mjData* d, int g, int f) {
  const mjtNum reach =
      m->flex_radius[f] + cfi_overrideMargin(m, m->geom_margin[g] + m->flex_margin[f]);
  mjtNum low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int v = 0; v < m->flex_vertnum[f]; v++) {
    const mjtNum* x = d->flexvert_xpos + 3 * (m->flex_vertadr[f] + v);
    mjtNum offset[3];
    cfi_sub3(offset, x, d->geom_xpos + 3 * g);
    if (m->geom_type[g] == mjGEOM_PLANE &&
        cfi_dotColumn3(d->geom_xmat + 9 * g, 2, offset) <= reach) {
      return true;
    }
    for (int k = 0; k < 3; k++) {
      low[k] = cfi_min(low[k], x[k]);
      high[k] = cfi_max(high[k], x[k]);
    }
  }
  if (m->geom_type[g] == mjGEOM_PLANE) {
    return false;
  }
  const mjtNum bound = m->geom_rbound[g] + reach, *center = d->geom_xpos + 3 * g;
  for (int k = 0; k < 3; k++) {
    if (center[k] + bound < low[k] || center[k] - bound > high[k]) {
      return false;
    }
  }
  return true;
}


void cfi_collideFlexPair(const mjModel* m, mjData* d, int mover1, int mover2) {
  const int f = mover2 - m->nbody;
  if (mover1 >= m->nbody) {
    mju_error("collision of flex %d with flex %d: not implemented", (int)(mover1 - m->nbody), f);
  }
  for (int k = 0; k < m->body_geomnum[mover1]; k++) {
    const int g = m->body_geomadr[mover1] + k;
    const bool masked = !(m->geom_contype[g] & m->flex_conaffinity[f]) &&
                        !(m->flex_contype[f] & m->geom_conaffinity[g]);
    if (!masked && geomNearFlex(m, d, g, f)) {
      mju_error("collision of geom %d with flex %d: not implemented", g, f);
    }
  }
}


void cfi_collideFlexSelf(const mjModel* m, mjData* d) {
  (void)d;
  for (int f = 0; f < m->nflex; f++) {
    const bool collides = !m->flex_rigid[f] && (m->flex_contype[f] & m->flex_conaffinity[f]);
    if (collides && (m->flex_internal[f] || m->flex_selfcollide[f] != mjFLEXSELF_NONE)) {
      mju_error("self-collision of flex %d: not implemented", f);
    }
  }
}
