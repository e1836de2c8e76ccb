// Signed distances are not written yet.
#include <mujoco/mujoco.h>

#include "collision/sdf/distance.h"


bool cfi_hasSignedDistance(const mjModel* m, int geom) {
  (void)m, (void)geom;
  return true;
}


mjtNum cfi_geomSignedDistance(const mjModel* m, const mjData* d, int geom, const mjtNum local[3]) {
  (void)m, (void)d, (void)geom, (void)local;
  mju_error("signed distance of geoms: not implemented");
  return 0;
}


void cfi_geomDistanceGradient(const mjModel* m, const mjData* d, int geom, const mjtNum local[3], mjtNum res[3]) {
  (void)m, (void)d, (void)geom, (void)local, (void)res;
  mju_error("gradient of the signed distance of geoms: not implemented");
}
