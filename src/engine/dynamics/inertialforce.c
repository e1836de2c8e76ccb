// M*vec from body inertias, without M: accelerations outward, forces inward. Linear in the number
// of dofs, where M itself needs a product of six numbers for every dof and each dof above it.
#include "dynamics/inertia.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "model/flags.h"

// the pattern of M leaves out what the armature of a tendon couples between branches, and so do the
// numbers that a step uses
bool cfi_hasInertialForce(const mjModel* m) {
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_armature[t] != 0) {
      return false;
    }
  }
  return !cfi_enabled(m, mjENBL_SLEEP);
}


void cfi_inertialForce(const mjModel* m, mjData* d, mjtNum* res, const mjtNum* vec) {
  CF_ASSERT(res != vec && cfi_hasInertialForce(m));
  const int nbody = (int)m->nbody, *parentid = m->body_parentid;
  mj_markStack(d);
  mjtNum* motion = mj_stackAllocNum(d, 12 * (size_t)nbody);
  mjtNum* force = motion + 6 * (size_t)nbody;

  // bodies of no tree do not move, and pass no force on
  cfi_zero6(motion);
  for (int b = 1; b < nbody; b++) {
    mjtNum* own = motion + 6 * b;
    if (m->body_treeid[b] < 0) {
      cfi_zero6(own);
      cfi_zero6(force + 6 * b);
      continue;
    }
    cfi_copy6(own, motion + 6 * parentid[b]);
    const int first = m->body_dofadr[b];
    for (int i = first; i < first + m->body_dofnum[b]; i++) {
      cfi_addToScl6(own, d->cdof + 6 * i, vec[i]);
    }
    cfi_mulInertVec(force + 6 * b, d->cinert + 10 * b, own);
  }
  for (int b = nbody - 1; b > 0; b--) {
    if (m->body_treeid[parentid[b]] >= 0) {
      cfi_addTo6(force + 6 * parentid[b], force + 6 * b);
    }
  }
  for (int i = 0; i < m->nv; i++) {
    res[i] = cfi_dot6(d->cdof + 6 * i, force + 6 * m->dof_bodyid[i]) + m->dof_armature[i] * vec[i];
  }
  mj_freeStack(d);
}
