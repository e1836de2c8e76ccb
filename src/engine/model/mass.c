// Total mass of a model.
#include <mujoco/mujoco.h>

#include "math/inline.h"

mjtNum mj_getTotalmass(const mjModel* m) {
  mjtNum total = 0;
  for (int i = 1; i < m->nbody; i++) {
    total += m->body_mass[i];
  }
  return total;
}


// the caller recomputes the constants that depend on mass (mj_setConst)
void mj_setTotalmass(mjModel* m, mjtNum newmass) {
  const mjtNum ratio = newmass / cfi_max(mjMINVAL, mj_getTotalmass(m));
  const mjtNum scale = cfi_max(mjMINVAL, ratio);
  for (int i = 1; i < m->nbody; i++) {
    m->body_mass[i] *= scale;
    cfi_scl3(m->body_inertia + 3 * i, m->body_inertia + 3 * i, scale);
  }
}
