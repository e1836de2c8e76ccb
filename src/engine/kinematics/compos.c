// Inertias and motion axes in coordinates centered at the com of the kinematic tree.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "kinematics/runs.h"
#include "law/number_one.h"
#include "model/jointkind.h"

#include "law/joints.h"
#include "math/inline.h"
#include "model/indexset.h"

// A vector as it is read and added up a moment after it was stored (of a loop over plain numbers
// gcc makes vectors that reach over two bodies)
typedef struct {
  cfHalfLane xy;
  mjtNum z;
} cfMoment;


static inline cfMoment loadMoment(const mjtNum vec[3]) {
  return (cfMoment){cfi_halfLoad(vec), vec[2]};
}


static inline void storeMoment(mjtNum vec[3], cfMoment moment) {
  cfi_halfStore(vec, moment.xy);
  vec[2] = moment.z;
}


static inline cfMoment addMoments(cfMoment a, cfMoment b) {
  return (cfMoment){cfi_halfAdd(a.xy, b.xy), a.z + b.z};
}


static inline cfMoment scaleMoment(cfMoment moment, mjtNum scale) {
  return (cfMoment){cfi_halfScl(moment.xy, scale), moment.z * scale};
}


// first moment to center; a massless subtree keeps the inertial frame of its body
static inline void momentToCom(const mjModel* m, mjData* d, int body, cfMoment moment) {
  CF_ASSERT_INDEX(body, m->nbody);
  const mjtNum mass = m->body_subtreemass[body];
  mjtNum* com = d->subtree_com + 3 * body;
  if (mass < mjMINVAL) {
    cfi_copy3(com, d->xipos + 3 * body);
  } else {
    storeMoment(com, scaleMoment(moment, 1.0 / mass));
  }
}


// reads: xipos.  writes: subtree_com; that of sleeping bodies is kept and enters its parent's.
// moment: where those of roots go, NULL: into that of the world
static inline __attribute__((always_inline)) void subtreeCom(const mjModel* m, mjData* d,
                                                             cfIndexSet bodies, cfIndexSet children,
                                                             bool some_rest, mjtNum* moment) {
  for (int b = 0; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b);
    storeMoment(d->subtree_com + 3 * i, scaleMoment(loadMoment(d->xipos + 3 * i), m->body_mass[i]));
  }

  // children come after their parents, so a body's moment is complete when it is its turn.  Most
  // parents are the body before: their moment stays in registers
  cfMoment held = {0};
  int holder = 0;
  for (int c = children.count - 1; c >= 0; c--) {
    const int i = cfi_at(children, c);
    if (i == 0) {
      continue;
    }
    const int parent = m->body_parentid[i];
    mjtNum *com = d->subtree_com + 3 * i, *up = d->subtree_com + 3 * parent;
    if (some_rest && d->body_awake[i] == mjS_ASLEEP) {
      cfi_addToScl3(up, com, m->body_subtreemass[i]);
      continue;
    }
    const cfMoment own = holder == i ? held : loadMoment(com);
    if (moment && parent == 0) {
      storeMoment(moment + 3 * i, own);
    } else {
      const cfMoment sum = addMoments(loadMoment(up), own);
      if (!some_rest && parent == i - 1 && parent > 0) {
        held = sum;
        holder = parent;
      } else {
        storeMoment(up, sum);
      }
    }
    momentToCom(m, d, i, own);
  }
}


// motion axes of one joint
static void jointAxes(const mjModel* m, mjData* d, int joint, int body) {
  CF_ASSERT(joint >= 0 && joint < m->njnt && m->jnt_bodyid[joint] == body);
  mjtNum offset[3];
  cfi_sub3(offset, d->subtree_com + 3 * m->body_rootid[body], d->xanchor + 3 * joint);
  lawMotionAxes(d->cdof + 6 * m->jnt_dofadr[joint], m->jnt_type[joint], d->xaxis + 3 * joint,
                d->xmat + 9 * body, offset);
}


static inline __attribute__((always_inline)) void bodyInertia(const mjModel* m, mjData* d,
                                                              int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  const mjtNum *com = d->subtree_com + 3 * m->body_rootid[body], *ximat = d->ximat + 9 * body;
  const mjtNum* moments = m->body_inertia + 3 * body;
  mjtNum offset[3];
  cfi_sub3(offset, d->xipos + 3 * body, com);
  cfi_inertCom(d->cinert + 10 * body, moments, ximat, offset, m->body_mass[body]);
}


static inline __attribute__((always_inline)) void bodyInertias(const mjModel* m, mjData* d,
                                                               cfIndexSet bodies) {
  for (int b = bodies.first == 0; b < bodies.count; b++) {
    const int i = cfi_at(bodies, b);
    bodyInertia(m, d, i);
    for (int j = m->body_jntadr[i]; j < m->body_jntadr[i] + m->body_jntnum[i]; j++) {
      jointAxes(m, d, j, i);
    }
  }
}


// the world is heavy, but does not move
static void worldInertia(mjData* d) {
  for (int k = 0; k < 10; k++) {
    d->cinert[k] = 0;
  }
}


// stage COMPOS.  reads: xipos, ximat, xmat, xanchor, xaxis.  writes: subtree_com, cinert, cdof.
void mj_comPos(const mjModel* m, mjData* d) {
  const cfIndexSet bodies = cfi_awakeBodies(m, d);
  subtreeCom(m, d, bodies, cfi_awakeParents(m, d), bodies.count < m->nbody, NULL);
  momentToCom(m, d, 0, loadMoment(d->subtree_com));
  worldInertia(d);
  bodyInertias(m, d, bodies);
}


void cfi_comPosRun(const mjModel* m, mjData* d, cfIndexSet bodies, mjtNum* moment) {
  CF_ASSERT(bodies.first > 0 && moment);
  subtreeCom(m, d, bodies, bodies, false, moment);
  bodyInertias(m, d, bodies);
}


void cfi_comPosWorld(const mjModel* m, mjData* d, const mjtNum* moment) {
  cfi_scl3(d->subtree_com, d->xipos, m->body_mass[0]);
  for (int i = (int)m->nbody - 1; i > 0; i--) {
    i = m->body_rootid[i];
    cfi_addTo3(d->subtree_com, moment + 3 * i);
  }
  momentToCom(m, d, 0, loadMoment(d->subtree_com));
  worldInertia(d);
}
