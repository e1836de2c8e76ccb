// Deformable bodies.
#include <mujoco/mujoco.h>

void mj_flex(const mjModel* m, mjData* d) {
  (void)d;
  if (m->nflex > 0) {
    mju_error("flex: not implemented");
  }
}
