// Models that the fast tier steps, and the counts that its plan begins with.
#include <stdio.h>

#include "backend/features.h"
#include "base/assert.h"
#include "model/flags.h"
#include "team/tier.h"


bool cfi_teamAccepts(const mjModel* m, char* reason, size_t nreason) {
  const char* refusal = cfi_teamRefusal(cfi_featuresOf(m), CF_SUPPORT_NO);
  if (refusal) {
    snprintf(reason, nreason, "%s", refusal);
    return false;
  }
  return cfi_teamPairs(m, NULL, 0, reason, nreason) >= 0;
}


int cfi_teamDepth(const mjModel* m, int body) {
  CF_ASSERT_INDEX(body, m->nbody);
  int depth = 0;
  for (; body > 0; body = m->body_parentid[body]) {
    depth++;
  }
  return depth;
}


// True if integration solves with another matrix than M.
static int isTeamDamped(const mjModel* m) {
  if (m->opt.integrator != mjINT_EULER) {
    return m->opt.integrator != mjINT_RK4;
  }
  int is_damped = 0;
  for (int i = 0; i < m->nv; i++) {
    is_damped |= m->dof_damping[i] > 0;
  }
  return is_damped && !cfi_disabled(m, mjDSBL_EULERDAMP) && !cfi_disabled(m, mjDSBL_DAMPER);
}


cfTeamShape cfi_teamShape(const mjModel* m, int ncon_max, int nefc_max) {
  cfTeamShape shape = {.is_damped = isTeamDamped(m),
                       .is_runge = m->opt.integrator == mjINT_RK4,
                       .ncon_max = ncon_max,
                       .nefc_max = nefc_max};
  for (int i = 1; i < m->nbody; i++) {
    const int depth = cfi_teamDepth(m, i);
    shape.nlevel = depth > shape.nlevel ? depth : shape.nlevel;
    shape.nroot += depth == 1;
  }
  for (int i = 0; i < m->nv; i++) {
    shape.chain = m->M_rownnz[i] > shape.chain ? m->M_rownnz[i] : shape.chain;
  }
  for (int j = 0; j < m->njnt && !cfi_disabled(m, mjDSBL_SPRING); j++) {
    shape.has_spring |= m->jnt_stiffness[j] != 0;
  }
  cfi_teamRowShape(m, &shape);
  return shape;
}


cfTeamShape cfi_teamOwnShape(const mjModel* m, int ncon_max, int nefc_max, bool has_springs) {
  cfTeamShape shape = cfi_teamShape(m, ncon_max, nefc_max);
  const bool may_spring = has_springs && !cfi_disabled(m, mjDSBL_SPRING);
  shape.has_spring |= may_spring;
  if (m->opt.integrator == mjINT_EULER) {
    shape.is_damped = !cfi_disabled(m, mjDSBL_EULERDAMP) && !cfi_disabled(m, mjDSBL_DAMPER);
  }
  for (int j = 0; j < m->njnt; j++) {
    const bool turns = cfi_hasQuat(m->jnt_type[j]);
    shape.is_lean &= !turns || !may_spring;
  }
  return shape;
}


const char* cfi_teamForeignWorld(const mjModel* world, const mjModel* m) {
  const char* refusal = cfi_teamRefusal(cfi_featuresOf(world), CF_SUPPORT_NO);
  return refusal ? refusal : cfi_teamDifference(world, m);
}
