// Acceleration of a tendon's length at zero joint acceleration, d/dt(J)*qvel, without forming
// dJ/dt.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/chain.h"
#include "kinematics/tendon.h"
#include "kinematics/tendonpath.h"
#include "math/inline.h"

// velocity of a point fixed to a body, and its acceleration when all qacc are zero
typedef struct {
  mjtNum velocity[3], drift[3];
} cfPointMotion;


// the axes of ball and free joints use the velocity of their parent here; the difference to the
// moving axes vanishes in the product with qvel
static void pointMotion(cfPointMotion* p, const mjModel* m, const mjData* d, const mjtNum point[3],
                        int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  const mjtNum* cvel = d->cvel + 6 * body;
  mjtNum offset[3], bias[6], centripetal[3];
  cfi_pointOffset(offset, m, d, point, body);
  cfi_pointColumn(p->velocity, cvel, offset);

  cfi_zero6(bias);
  for (int i = cfi_lastDof(m, body); i >= 0; i = m->dof_parentid[i]) {
    cfi_addToScl6(bias, d->cdof_dot + 6 * i, d->qvel[i]);
  }
  cfi_pointColumn(p->drift, bias, offset);
  cfi_cross(centripetal, cvel, p->velocity);
  cfi_addTo3(p->drift, centripetal);
}


// second derivative of |p1 - p0|: dir*(a1 - a0) + |v across dir|^2 / distance
static mjtNum pieceDrift(const mjModel* m, const mjData* d, const cfStretch* s) {
  cfPointMotion end[2];
  mjtNum dir[3], velocity[3], drift[3];
  cfi_sub3(dir, s->point[1], s->point[0]);
  const mjtNum distance = cfi_normalize3(dir);
  for (int k = 0; k < 2; k++) {
    pointMotion(&end[k], m, d, s->point[k], s->body[k]);
  }

  cfi_sub3(velocity, end[1].velocity, end[0].velocity);
  cfi_sub3(drift, end[1].drift, end[0].drift);
  cfi_addToScl3(velocity, dir, -cfi_dot3(dir, velocity));
  const mjtNum inverse = distance > mjMINVAL ? 1 / distance : 0;
  return cfi_dot3(dir, drift) + cfi_dot3(velocity, velocity) * inverse;
}


mjtNum cfi_tendonDrift(const mjModel* m, const mjData* d, int tendon) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  // the Jacobian of a fixed tendon is constant
  if (cfi_isFixedTendon(m, tendon)) {
    return 0;
  }

  cfTendonWalk walk = cfi_startTendon(m, tendon);
  cfStretch stretch;
  mjtNum sum = 0;
  int what;
  while ((what = cfi_walkTendon(&walk, &stretch, m, d)) != CF_PATH_END) {
    if (what == CF_PATH_PULLEY) {
      continue;
    }
    if (stretch.geom >= 0) {
      mju_error("tendon %d: armature with geom wrapping is not supported", tendon);
    }
    if (stretch.body[0] != stretch.body[1]) {
      sum += pieceDrift(m, d, &stretch) / stretch.divisor;
    }
  }
  return sum;
}
