// Questions about geoms and contacts outside of the collision stage.
#include <stdbool.h>

#include "base/assert.h"
#include "collision/collider.h"
#include "math/inline.h"
#include "model/flags.h"

// smallest distance of two geoms, at most distmax; negative when they overlap.
// fromto: nearest points on geom1 and geom2, zeros when the distance is distmax
mjtNum mj_geomDistance(const mjModel* m, const mjData* d, int geom1, int geom2, mjtNum distmax,
                       mjtNum fromto[6]) {
  if (fromto) {
    mju_zero(fromto, 6);
  }

  CF_ASSERT(0 <= geom1 && geom1 < m->ngeom && 0 <= geom2 && geom2 < m->ngeom);

  // colliders take geoms by type
  const bool swap = m->geom_type[geom1] > m->geom_type[geom2];
  const int g1 = swap ? geom2 : geom1, g2 = swap ? geom1 : geom2;
  const mjfCollision collider = mjCOLLISIONFUNC[m->geom_type[g1]][m->geom_type[g2]];
  if (!collider) {
    return distmax;
  }
  if ((collider == cfi_collideConvex || collider == cfi_collideBoxBox) &&
      !cfi_disabled(m, mjDSBL_NATIVECCD)) {
    return cfi_convexDistance(m, d, geom1, geom2, distmax, fromto);
  }

  // contacts within distmax, the nearest of them
  mjContact con[mjMAXCONPAIR];
  const mjContact* nearest = NULL;
  const int n = collider(m, d, con, g1, g2, distmax);
  mjtNum dist = distmax;
  for (int i = 0; i < n; i++) {
    if (con[i].dist < dist) {
      nearest = con + i;
      dist = nearest->dist;
    }
  }

  // the contact point is midway, its normal goes from g1 to g2
  if (fromto && nearest) {
    const mjtNum half = (swap ? -0.5 : 0.5) * dist;
    cfi_addScl3(fromto, nearest->pos, nearest->frame, -half);
    cfi_addScl3(fromto + 3, nearest->pos, nearest->frame, half);
  }
  return dist;
}


// force and torque of a contact in its frame, zero when it is not in the constraint rows
void mj_contactForce(const mjModel* m, const mjData* d, int id, mjtNum result[6]) {
  mju_zero(result, 6);
  if (id < 0 || id >= d->ncon || d->contact[id].efc_address < 0) {
    return;
  }
  const mjContact* con = d->contact + id;
  const mjtNum* force = d->efc_force + con->efc_address;
  if (mj_isPyramidal(m)) {
    mju_decodePyramid(result, force, con->friction, con->dim);
  } else {
    mju_copy(result, force, con->dim);
  }
}
