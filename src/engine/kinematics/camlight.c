// World frames of cameras, positions and directions of lights, in every tracking mode.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "law/number_one.h"

#include "law/tracking.h"
#include "model/indexset.h"

// neither carrier nor target has moved
static bool haveRested(const mjData* d, int body, int target) {
  return d->body_awake[body] != mjS_AWAKE && (target < 0 || d->body_awake[target] != mjS_AWAKE);
}


// stage CAMLIGHT.  reads: xpos, xquat, xmat, subtree_com.
// writes: cam_xpos, cam_xmat, light_xpos, light_xdir.
void mj_camlight(const mjModel* m, mjData* d) {
  const bool some_rest = cfi_awakeBodies(m, d).count < m->nbody;

  const cfLaw law = {m, d};
  for (int i = 0; i < m->ncam; i++) {
    if (!some_rest || !haveRested(d, m->cam_bodyid[i], m->cam_targetbodyid[i])) {
      lawPlaceCamera(law, i, d->cam_xpos + 3 * i, d->cam_xmat + 9 * i);
    }
  }

  for (int i = 0; i < m->nlight; i++) {
    if (!some_rest || !haveRested(d, m->light_bodyid[i], m->light_targetbodyid[i])) {
      lawPlaceLight(law, i, d->light_xpos + 3 * i, d->light_xdir + 3 * i);
    }
  }
}
