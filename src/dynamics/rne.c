// Recursive Newton-Euler in com-based coordinates.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "dynamics/runs.h"
#include "dynamics/spatialforce.h"
#include "math/inline.h"
#include "model/flags.h"
#include "model/indexset.h"

// acceleration of the world: gravity enters as if everything were lifted
void cfi_worldAcceleration(mjtNum cacc[6], const mjModel* m) {
  cfi_zero6(cacc);
  if (!cfi_disabled(m, mjDSBL_GRAVITY)) {
    cfi_scl3(cacc + 3, m->opt.gravity, -1);
  }
}


static inline void bodyAcceleration(mjtNum cacc[6], const mjtNum parent[6], const mjModel* m,
                                    const mjData* d, int body, const mjtNum* qacc) {
  CF_ASSERT(body > 0 && body < m->nbody);
  const int first = m->body_dofadr[body], count = m->body_dofnum[body];
  cfi_copy6(cacc, parent);
  if (count == 1) {
    cfi_addToScl6(cacc, d->cdof_dot + 6 * first, d->qvel[first]);
    if (qacc) {
      cfi_addToScl6(cacc, d->cdof + 6 * first, qacc[first]);
    }
  } else if (count > 1) {
    mjtNum part[6];
    cfi_mulDofVec(part, d->cdof_dot + 6 * first, d->qvel + first, count);
    cfi_addTo6(cacc, part);
    if (qacc) {
      cfi_mulDofVec(part, d->cdof + 6 * first, qacc + first, count);
      cfi_addTo6(cacc, part);
    }
  }
}


// inertia times acceleration and times velocity, both at once
static inline void bodyForce(mjtNum force[6], const mjtNum cinert[10], const mjtNum cvel[6],
                             const mjtNum cacc[6]) {
  cfHalfLane motion[6], product[6];
  mjtNum momentum[6], gyroscopic[6];
  for (int k = 0; k < 6; k++) {
    motion[k] = cfi_halfSet(cacc[k], cvel[k]);
  }
  cfi_mulInertPair(product, cinert, motion);
  for (int k = 0; k < 6; k++) {
    momentum[k] = cfi_halfAt(product[k], 1);
  }
  cfi_crossForce(gyroscopic, cvel, momentum);
  for (int k = 0; k < 6; k++) {
    force[k] = cfi_halfAt(product[k], 0) + gyroscopic[k];
  }
}


void cfi_bodyAcceleration(mjtNum cacc[6], const mjtNum parent[6], const mjModel* m, const mjData* d,
                          int body, const mjtNum* qacc) {
  bodyAcceleration(cacc, parent, m, d, body, qacc);
}


void cfi_bodyForce(mjtNum force[6], const mjData* d, int body, const mjtNum cacc[6]) {
  CF_ASSERT(body > 0);
  bodyForce(force, d->cinert + 10 * body, d->cvel + 6 * body, cacc);
}


// scratch of so many bodies needs no arena
enum { FEW_BODIES = 8 };


// bodies, and their numbers in scratch: the world's are the first, those of body i the i - base'th
typedef struct {
  cfIndexSet bodies, children, dofs;
  int base;
  mjtNum *cacc, *force;
} cfRnePart;


static inline __attribute__((always_inline)) void rnePart(const mjModel* m, const mjData* d,
                                                          const cfRnePart* part, const mjtNum* qacc,
                                                          mjtNum* result) {
  // outward: accelerations and the forces they need; what belongs to no tree moves with the world
  // and passes nothing on
  const int *parentid = m->body_parentid, *treeid = m->body_treeid, base = part->base;
  mjtNum *cacc = part->cacc, *force = part->force;
  const cfIndexSet bodies = part->bodies, children = part->children, dofs = part->dofs;
  cfi_worldAcceleration(cacc, m);
  for (int b = bodies.first == 0; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b), parent = parentid[i], k = i - base;
    if (treeid[i] < 0) {
      continue;
    }
    bodyAcceleration(cacc + 6 * k, treeid[parent] < 0 ? cacc : cacc + 6 * (parent - base), m, d, i,
                     qacc);
    bodyForce(force + 6 * k, d->cinert + 10 * i, d->cvel + 6 * i, cacc + 6 * k);
  }

  // inward: a joint carries everything behind it
  for (int c = children.count - 1; c >= 0; c--) {
    const int i = cfi_at(children, c), parent = parentid[i];
    if (treeid[parent] >= 0) {
      cfi_addTo6(force + 6 * (parent - base), force + 6 * (i - base));
    }
  }

  for (int v = 0; v < dofs.count; v++) {
    const int i = cfi_at(dofs, v);
    result[i] = cfi_dot6(d->cdof + 6 * i, force + 6 * (m->dof_bodyid[i] - base));
  }
}


// result = M*qacc + c(qpos, qvel), without the first term unless flg_acc
// reads: qvel, qacc, cdof, cdof_dot, cinert, cvel.
void mj_rne(const mjModel* m, mjData* d, int flg_acc, mjtNum* result) {
  mjtNum few[12 * FEW_BODIES], *cacc = few;
  if (m->nbody > FEW_BODIES) {
    mj_markStack(d);
    cacc = mj_stackAllocNum(d, 12 * (size_t)m->nbody);
  }
  const cfRnePart all = {
      cfi_awakeBodies(m, d), cfi_awakeParents(m, d), cfi_awakeDofs(m, d), 0, cacc,
      cacc + 6 * m->nbody};
  rnePart(m, d, &all, flg_acc ? d->qacc : NULL, result);
  if (m->nbody > FEW_BODIES) {
    mj_freeStack(d);
  }
}


void cfi_rneRun(const mjModel* m, mjData* d, cfIndexSet bodies, cfIndexSet dofs) {
  CF_ASSERT(bodies.first > 0);
  mj_markStack(d);
  mjtNum* cacc = mj_stackAllocNum(d, 12 * (size_t)(bodies.count + 1));
  const cfRnePart part = {bodies,           bodies, dofs,
                          bodies.first - 1, cacc,   cacc + 6 * (bodies.count + 1)};
  rnePart(m, d, &part, NULL, d->qfrc_bias);
  mj_freeStack(d);
}
