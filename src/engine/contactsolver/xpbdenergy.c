// A bound on the work of equalities.
//
// Forces of rigid equalities do no work, and taking out of velocities what opens them takes energy
// out, too.  But closing what the substep before has left open is part of the displacement, and
// of the velocity that follows from it: where a light link between heavy ones snaps over within a
// few substeps, that is energy out of nothing.  So where a group ends a substep with more energy of
// motion than it has without its equalities, they act on its velocities alone: these begin as if
// there were none, and are made to agree with them once more.  Momentum stays, whatever happens.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "contactsolver/xpbdlocal.h"
#include "math/inline.h"

// part of the energy of motion that a substep may gain: errors that come and go are smaller
static const mjtNum small_gain = 2e-3;

static bool hasRigidEqualities(const xpbdWork* work, int group) {
  const cfPartition* blocks = &work->parts.blocks;
  const int first = blocks->list[blocks->adr[group]];
  return blocks->adr[group] < blocks->adr[group + 1] &&
         work->blocks.block[first].type == mjCNSTR_EQUALITY && work->law[first].is_rigid;
}


// energy of motion of a group; reads M times the velocity in scratch
static mjtNum energyOfGroup(const xpbdWork* work, int group, const mjtNum* v) {
  const cfPartition* dofs = &work->parts.dofs;
  mjtNum sum = 0;
  for (int n = dofs->adr[group]; n < dofs->adr[group + 1]; n++) {
    sum += 0.5 * v[dofs->list[n]] * work->scratch[dofs->list[n]];
  }
  return sum;
}


void cfi_xpbdKeepFree(xpbdWork* work) {
  const cfPartition* blocks = &work->parts.blocks;
  const mjModel* m = work->p->m;
  work->has_equalities = false;
  for (int group = 0; group < work->parts.count; group++) {
    if (!hasRigidEqualities(work, group)) {
      continue;
    }
    if (!work->has_equalities) {
      mju_copy(work->free_v, work->v, (int)m->nv);
      work->has_equalities = true;
    }
    for (int n = blocks->adr[group]; n < blocks->adr[group + 1]; n++) {
      const cfContactBlock* block = work->blocks.block + blocks->list[n];
      const xpbdAxis* axis = work->law[blocks->list[n]].axis;
      for (int k = 0; k < block->dim && block->type == mjCNSTR_EQUALITY; k++) {
        cfi_blockPush(block, k, -axis[k].lambda / work->h, work->free_v);
      }
    }
  }
}


bool cfi_xpbdDropGains(xpbdWork* work) {
  const cfPartition *blocks = &work->parts.blocks, *dofs = &work->parts.dofs;
  bool any = false;
  if (!work->has_equalities) {
    return false;
  }
  mj_mulM(work->p->m, work->p->d, work->scratch, work->free_v);
  for (int group = 0; group < work->parts.count; group++) {
    work->group[group].energy = energyOfGroup(work, group, work->free_v);
  }
  mj_mulM(work->p->m, work->p->d, work->scratch, work->v);
  for (int group = 0; group < work->parts.count; group++) {
    xpbdGroup* g = work->group + group;
    const mjtNum most = (1 + small_gain) * g->energy;
    g->has_gained = hasRigidEqualities(work, group) && energyOfGroup(work, group, work->v) > most;
    for (int n = dofs->adr[group]; n < dofs->adr[group + 1] && g->has_gained; n++) {
      work->v[dofs->list[n]] = work->free_v[dofs->list[n]];
    }
    for (int n = blocks->adr[group]; n < blocks->adr[group + 1] && g->has_gained; n++) {
      const cfContactBlock* block = work->blocks.block + blocks->list[n];
      for (int k = 0; k < block->dim && block->type == mjCNSTR_EQUALITY; k++) {
        work->law[blocks->list[n]].axis[k].lambda = 0;
      }
    }
    any = any || g->has_gained;
  }
  return any;
}
