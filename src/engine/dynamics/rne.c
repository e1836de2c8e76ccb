// Recursive Newton-Euler in com-based coordinates.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "dynamics/runs.h"
#include "dynamics/spatialforce.h"
#include "math/inline.h"
#include "model/flags.h"
#include "model/indexset.h"

// acceleration of the world: gravity enters as if everything were lifted.  Its children read it as
// a lane and two numbers, so this is how it is stored.
void cfi_worldAcceleration(mjtNum cacc[6], const mjModel* m) {
  if (cfi_disabled(m, mjDSBL_GRAVITY)) {
    cfi_zero6(cacc);
    return;
  }
  const mjtNum* gravity = m->opt.gravity;
  cfi_laneStore(cacc, cfi_laneSet(0, 0, 0, gravity[0] * -1));
  cacc[4] = gravity[1] * -1;
  cacc[5] = gravity[2] * -1;
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


// numbers of two bodies side by side: accelerations of both, then velocities of both
static inline void pairMotions(cfLane motion[6], const mjtNum* const cacc[2],
                               const mjtNum* const cvel[2]) {
  motion[0] = cfi_laneLoad(cacc[0]);
  motion[1] = cfi_laneLoad(cacc[1]);
  motion[2] = cfi_laneLoad(cvel[0]);
  motion[3] = cfi_laneLoad(cvel[1]);
  cfi_laneTranspose(motion);
  motion[4] = cfi_laneSet(cacc[0][4], cacc[1][4], cvel[0][4], cvel[1][4]);
  motion[5] = cfi_laneSet(cacc[0][5], cacc[1][5], cvel[0][5], cvel[1][5]);
}


// four numbers of two inertias, each pair twice
static inline void pairNumbers(cfLane pair[4], const mjtNum* first, const mjtNum* second) {
  pair[0] = pair[2] = cfi_laneLoad(first);
  pair[1] = pair[3] = cfi_laneLoad(second);
  cfi_laneTranspose(pair);
}


// inertias times motions, in the order of sums of one
static inline void mulPairs(cfLane res[6], const mjtNum* const cinert[2], const cfLane motion[6]) {
  cfLane low[4], mid[4], high[4];
  pairNumbers(low, cinert[0], cinert[1]);
  pairNumbers(mid, cinert[0] + 4, cinert[1] + 4);
  pairNumbers(high, cinert[0] + 6, cinert[1] + 6);
  const cfLane xx = low[0], yy = low[1], zz = low[2], xy = low[3], xz = mid[0], yz = mid[1];
  const cfLane hx = high[0], hy = high[1], hz = high[2], mass = high[3];
  const cfLane a = motion[0], b = motion[1], c = motion[2];
  const cfLane u = motion[3], v = motion[4], w = motion[5];
  const cfLane ax = cfi_laneAddMul(cfi_laneAddMul(cfi_laneMul(xx, a), xy, b), xz, c);
  const cfLane ay = cfi_laneAddMul(cfi_laneAddMul(cfi_laneMul(xy, a), yy, b), yz, c);
  const cfLane az = cfi_laneAddMul(cfi_laneAddMul(cfi_laneMul(xz, a), yz, b), zz, c);
  res[0] = cfi_laneAddMul(cfi_laneSubMul(ax, hz, v), hy, w);
  res[1] = cfi_laneSubMul(cfi_laneAddMul(ay, hz, u), hx, w);
  res[2] = cfi_laneAddMul(cfi_laneSubMul(az, hy, u), hx, v);
  res[3] = cfi_laneAddMul(cfi_laneSubMul(cfi_laneMul(hz, b), hy, c), mass, u);
  res[4] = cfi_laneAddMul(cfi_laneSubMul(cfi_laneMul(hx, c), hz, a), mass, v);
  res[5] = cfi_laneAddMul(cfi_laneSubMul(cfi_laneMul(hy, a), hx, b), mass, w);
}


static inline cfHalfLane firstHalf(cfLane a) {
  return cfi_halfSet(cfi_laneAt(a, 0), cfi_laneAt(a, 1));
}


static inline cfHalfLane secondHalf(cfLane a) {
  return cfi_halfSet(cfi_laneAt(a, 2), cfi_laneAt(a, 3));
}


// component of a cross product, of both bodies
static inline cfHalfLane crossOne(cfHalfLane a1, cfHalfLane b2, cfHalfLane a2, cfHalfLane b1) {
  return cfi_halfSub(cfi_halfMul(a1, b2), cfi_halfMul(a2, b1));
}


// bodyForce of two bodies: the same operations on each number
static inline void twoForces(mjtNum* const force[2], const mjtNum* const cinert[2],
                             const mjtNum* const cvel[2], const mjtNum* const cacc[2]) {
  cfLane motion[6], product[6];
  cfHalfLane v[6], p[6], f[6];
  pairMotions(motion, cacc, cvel);
  mulPairs(product, cinert, motion);
  for (int k = 0; k < 6; k++) {
    v[k] = secondHalf(motion[k]);
    p[k] = secondHalf(product[k]);
  }
  f[0] = cfi_halfAdd(crossOne(v[1], p[2], v[2], p[1]), crossOne(v[4], p[5], v[5], p[4]));
  f[1] = cfi_halfAdd(crossOne(v[2], p[0], v[0], p[2]), crossOne(v[5], p[3], v[3], p[5]));
  f[2] = cfi_halfAdd(crossOne(v[0], p[1], v[1], p[0]), crossOne(v[3], p[4], v[4], p[3]));
  f[3] = crossOne(v[1], p[5], v[2], p[4]);
  f[4] = crossOne(v[2], p[3], v[0], p[5]);
  f[5] = crossOne(v[0], p[4], v[1], p[3]);
  for (int k = 0; k < 6; k++) {
    f[k] = cfi_halfAdd(firstHalf(product[k]), f[k]);
  }
  for (int i = 0; i < 2; i++) {
    cfi_laneStore(force[i], cfi_laneSet(cfi_halfAt(f[0], i), cfi_halfAt(f[1], i),
                                        cfi_halfAt(f[2], i), cfi_halfAt(f[3], i)));
    cfi_halfStore(force[i] + 4, cfi_halfSet(cfi_halfAt(f[4], i), cfi_halfAt(f[5], i)));
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


// forces that the accelerations need, two bodies at a time
static inline __attribute__((always_inline)) void bodyForces(const mjModel* m, const mjData* d,
                                                             const cfRnePart* part) {
  const int *treeid = m->body_treeid, base = part->base;
  const cfIndexSet bodies = part->bodies;
  int other = 0;
  for (int b = bodies.first == 0; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b);
    if (treeid[i] < 0) {
      continue;
    }
    if (!other) {
      other = i;
      continue;
    }
    const mjtNum* const cinert[2] = {d->cinert + 10 * other, d->cinert + 10 * i};
    const mjtNum* const cvel[2] = {d->cvel + 6 * other, d->cvel + 6 * i};
    const mjtNum* const cacc[2] = {part->cacc + 6 * (other - base), part->cacc + 6 * (i - base)};
    mjtNum* const force[2] = {part->force + 6 * (other - base), part->force + 6 * (i - base)};
    twoForces(force, cinert, cvel, cacc);
    other = 0;
  }
  if (other) {
    const int k = other - base;
    bodyForce(part->force + 6 * k, d->cinert + 10 * other, d->cvel + 6 * other, part->cacc + 6 * k);
  }
}


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
  }
  bodyForces(m, d, part);

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
