// Potential and kinetic energy.
#include "dynamics/energy.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "model/awake.h"
#include "model/flags.h"
#include "model/jointkind.h"

static mjtNum gravityEnergy(const mjModel* m, const mjData* d) {
  mjtNum energy = 0;
  for (int i = 1; i < m->nbody; i++) {
    energy -= m->body_mass[i] * cfi_dot3(m->opt.gravity, d->xipos + 3 * i);
  }
  return energy;
}


// squared distance of a joint from its spring reference
static mjtNum jointStretch(const mjModel* m, const mjData* d, int joint) {
  CF_ASSERT_INDEX(joint, m->njnt);
  const int type = m->jnt_type[joint], adr = m->jnt_qposadr[joint];
  const mjtNum *q = d->qpos + adr, *rest = m->qpos_spring + adr;
  if (cfi_isScalarJoint(type)) {
    return cfi_square(q[0] - rest[0]);
  }

  mjtNum offset[3], turn[3], square = 0;
  const int quat = cfi_jointLinear(type);
  if (quat) {
    cfi_sub3(offset, q, rest);
    square += cfi_dot3(offset, offset);
  }
  cfi_subQuat(turn, q + quat, rest + quat);
  return square + cfi_dot3(turn, turn);
}


static mjtNum jointSpringEnergy(const mjModel* m, const mjData* d, bool some_rest) {
  mjtNum energy = 0;
  for (int j = 0; j < m->njnt; j++) {
    const mjtNum stiffness = m->jnt_stiffness[j];
    const bool counts = !some_rest || d->body_awake[m->jnt_bodyid[j]] == mjS_AWAKE;
    if (stiffness != 0 && counts) {
      energy += 0.5 * stiffness * jointStretch(m, d, j);
    }
  }
  return energy;
}


// springs of tendons pull outside the interval of their rest lengths
static mjtNum tendonSpringEnergy(const mjModel* m, const mjData* d, bool some_rest) {
  mjtNum energy = 0;
  for (int t = 0; t < m->ntendon; t++) {
    if (some_rest && cfi_sleepState(m, d, mjOBJ_TENDON, t) != mjS_AWAKE) {
      continue;
    }
    const mjtNum length = d->ten_length[t], *range = m->tendon_lengthspring + 2 * t;
    const mjtNum stretch = cfi_max(0, length - range[1]) + cfi_max(0, range[0] - length);
    energy += 0.5 * m->tendon_stiffness[t] * stretch * stretch;
  }
  return energy;
}


// edges of one-dimensional flexes
static mjtNum flexSpringEnergy(const mjModel* m, const mjData* d) {
  mjtNum energy = 0;
  for (int f = 0; f < m->nflex; f++) {
    const mjtNum stiffness = m->flex_edgestiffness[f];
    if (m->flex_rigid[f] || stiffness == 0 || m->flex_dim[f] > 1) {
      continue;
    }
    for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
      if (!m->flexedge_rigid[e]) {
        energy += 0.5 * stiffness * cfi_square(m->flexedge_length0[e] - d->flexedge_length[e]);
      }
    }
  }
  return energy;
}


// reads: xipos, qpos, ten_length, flexedge_length.  writes: energy[0].
void mj_energyPos(const mjModel* m, mjData* d) {
  const bool some_rest = cfi_someAsleep(m, d);
  d->energy[0] = cfi_disabled(m, mjDSBL_GRAVITY) ? 0 : gravityEnergy(m, d);
  if (!cfi_disabled(m, mjDSBL_SPRING)) {
    d->energy[0] += jointSpringEnergy(m, d, some_rest);
    d->energy[0] += tendonSpringEnergy(m, d, some_rest);
    d->energy[0] += flexSpringEnergy(m, d);
  }
  d->flg_energypos = 1;
}


// part of qvel'*M*qvel that the row of dof i brings: its diagonal once, the rest twice
static mjtNum rowEnergy(const mjModel* m, const mjData* d, int i) {
  CF_ASSERT_INDEX(i, m->nv);
  const int adr = m->M_rowadr[i], last = m->M_rownnz[i] - 1;
  mjtNum before = 0;
  for (int k = 0; k < last; k++) {
    before += d->M[adr + k] * d->qvel[m->M_colind[adr + k]];
  }
  return d->qvel[i] * (d->M[adr + last] * d->qvel[i] + 2 * before);
}


// qvel'*M*qvel/2; dofs at rest, those of sleeping trees among them, bring nothing.
// reads: M, qvel.  writes: energy[1].
void mj_energyVel(const mjModel* m, mjData* d) {
  mjtNum twice = 0;
  for (int i = 0; i < m->nv; i++) {
    if (d->qvel[i] != 0) {
      twice += rowEnergy(m, d, i);
    }
  }
  d->energy[1] = 0.5 * twice;
  d->flg_energyvel = 1;
}


void cfi_updateEnergyPos(const mjModel* m, mjData* d) {
  if (d->flg_energypos) {
    return;
  }
  if (cfi_enabled(m, mjENBL_ENERGY)) {
    mj_energyPos(m, d);
  } else {
    d->energy[0] = d->energy[1] = 0;
  }
}


void cfi_updateEnergyVel(const mjModel* m, mjData* d) {
  if (cfi_enabled(m, mjENBL_ENERGY) && !d->flg_energyvel) {
    mj_energyVel(m, d);
  }
}
