#include "contactsolver/huntlaw.h"

#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "contactsolver/patch.h"
#include "math/inline.h"
#include "math/libm.h"

const cfContactParameter cfi_huntParameter[NHUNT] = {
    {"stiffness", 1e7, 0, 1e15, CF_CONTACT_MEAN, "N/m^1.5", "force per depth to the power 3/2"},
    {"dissipation", 1, 0, 1e6, CF_CONTACT_MEAN, "s/m", "part of the force per velocity, times 2/3"},
    {"static_friction", -1, -1, 1e6, CF_CONTACT_MAX, "-",
     "coefficient at rest; negative: sliding friction of the contact"},
    {"dynamic_friction", -1, -1, 1e6, CF_CONTACT_MAX, "-",
     "coefficient of fast sliding; negative: as at rest"},
    {"stribeck_velocity", 0.01, 1e-9, 1e6, CF_CONTACT_MAX, "m/s",
     "velocity at which most of the fall from static to dynamic friction has happened"},
    {"stiction_velocity", 1e-5, 1e-9, 1, CF_CONTACT_MAX, "m/s",
     "slip at which friction has 71 % of its strength"},
    {"modulus", 0, 0, 1e15, CF_CONTACT_MEAN, "Pa",
     "pressure inside a geom where its depth is the thickness: contact patches; 0: points, or a "
     "rigid geom if the other one has a modulus"},
    {"thickness", -1, -1, 1e10, CF_CONTACT_MEAN, "m",
     "depth at which pressure is the modulus; negative: half the smallest width of the shape, of a "
     "plane none: it is rigid"},
    {"refinement", 2, 1, 8, CF_CONTACT_MODEL, "count",
     "rings of places at which a patch follows curved surfaces"},
};

mjtNum cfi_huntRow(const mjData* d, const cfContactBlock* block, mjtNum y, mjtNum* slope) {
  const int r = block->row;
  const mjtNum x = y - d->efc_aref[r], D = d->efc_D[r];
  const bool is_dry = block->type == mjCNSTR_FRICTION_DOF || block->type == mjCNSTR_FRICTION_TENDON;
  *slope = 0;
  if (is_dry && fabs(x) >= d->efc_R[r] * d->efc_frictionloss[r]) {
    return x > 0 ? -d->efc_frictionloss[r] : d->efc_frictionloss[r];
  }
  if (block->type >= mjCNSTR_LIMIT_JOINT && x >= 0) {
    return 0;
  }
  *slope = D;
  return -D * x;
}


// normal force of a point of a patch: area times pressure, which grows with the approach
static mjtNum patchLaw(const cfHuntLaw* law, mjtNum h, mjtNum u, mjtNum* slope) {
  const mjtNum area = law->patch[PATCH_AREA], stiffness = area * law->patch[PATCH_GRADIENT];
  const mjtNum elastic = area * law->patch[PATCH_PRESSURE] - stiffness * h * u;
  const mjtNum damped = 1 - law->damping * u;
  if (elastic <= 0 || damped <= 0) {
    return 0;
  }
  *slope = stiffness * h * damped + elastic * law->damping;
  return elastic * damped;
}


// normal force at velocity u, and minus its slope
static mjtNum normalLaw(const cfHuntLaw* law, mjtNum h, mjtNum u, mjtNum* slope) {
  const mjtNum depth = law->depth - h * u, damped = 1 - law->damping * u;
  *slope = 0;
  if (law->patch) {
    return patchLaw(law, h, u, slope);
  }
  if (depth <= 0 || damped <= 0) {
    return 0;
  }
  const mjtNum root = sqrt(depth), elastic = law->stiffness * depth * root;
  *slope = 1.5 * law->stiffness * root * h * damped + elastic * law->damping;
  return elastic * damped;
}


void cfi_huntContact(const cfHuntLaw* law, int dim, mjtNum h, const mjtNum* y, mjtNum* force,
                     mjtNum* W) {
  const int n = dim;
  mjtNum slope, sum = law->stiction * law->stiction, g[6] = {0};
  CF_ASSERT(n >= 1 && n <= 6);
  force[0] = normalLaw(law, h, law->start[0] + h * y[0], &slope);
  for (int k = 1; k < n; k++) {
    const mjtNum slip = law->mu[k] * (law->start[k] + h * y[k]);
    sum += slip * slip;
    g[k] = law->mu[k] * slip;
  }
  const mjtNum inverse = 1 / sqrt(cfi_max(mjMINVAL * mjMINVAL, sum));
  for (int k = 1; k < n; k++) {
    force[k] = -law->normal * g[k] * inverse;
  }
  if (!W) {
    return;
  }
  memset(W, 0, sizeof(mjtNum) * (size_t)(n * n));
  W[0] = h * slope;
  for (int i = 1; i < n; i++) {
    for (int j = 1; j < n; j++) {
      const mjtNum same = i == j ? law->mu[i] * law->mu[i] : 0;
      W[i * n + j] = h * law->normal * inverse * (same - g[i] * g[j] * inverse * inverse);
    }
  }
}


cfHuntLaw cfi_huntLaw(const cfContactProblem* p, const cfContactBlock* block, bool with_patches) {
  CF_ASSERT_INDEX(block->contact, p->d->ncon);
  const mjContact* con = p->d->contact + block->contact;
  const mjtNum* value = p->contact + (size_t)block->contact * NHUNT;
  cfHuntLaw law = {.stiffness = value[HUNT_STIFFNESS],
                   .damping = 1.5 * value[HUNT_DISSIPATION],
                   .depth = p->d->efc_margin[block->row] - p->d->efc_pos[block->row]};
  if (with_patches && cfi_patchOf(con)[PATCH_AREA] > 0) {
    law.patch = cfi_patchOf(con);
  }
  for (int k = 0; k < block->dim; k++) {
    law.start[k] = cfi_blockDot(block, k, p->d->qvel);
  }
  const mjtNum slip = block->dim > 2 ? cfi_hypot(law.start[1], law.start[2]) : 0;
  const mjtNum fall = slip / value[HUNT_STRIBECK];
  const mjtNum at_rest = value[HUNT_STATIC] < 0 ? con->friction[0] : value[HUNT_STATIC];
  const mjtNum fast = value[HUNT_DYNAMIC] < 0 ? at_rest : value[HUNT_DYNAMIC];
  const mjtNum mu = fast + (at_rest - fast) * cfi_exp(-fall * fall);
  for (int k = 1; k < block->dim; k++) {
    law.mu[k] = con->friction[k - 1] * mu / con->friction[0];
  }
  law.stiction = mu * value[HUNT_STICTION];
  return law;
}
