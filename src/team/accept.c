// Which models the fast tier steps, and the counts that its plan begins with.
#include <stdio.h>

#include "base/assert.h"
#include "model/flags.h"
#include "team/tier.h"


static bool refuseTeam(char* reason, size_t nreason, const char* what) {
  snprintf(reason, nreason, "%s", what);
  return false;
}


// actuators carry the weight of bodies, or nobody does because passive forces are off
static bool hasActuatedLift(const mjModel* m) {
  bool is_actuated = cfi_disabled(m, mjDSBL_SPRING) && cfi_disabled(m, mjDSBL_DAMPER);
  for (int j = 0; j < m->njnt; j++) {
    is_actuated |= m->jnt_actgravcomp[j];
  }
  return is_actuated;
}


// options and parts that the tier does not have
static const char* foreignPart(const mjModel* m) {
  const struct {
    bool is_used;
    const char* name;
  } list[] = {
      {m->nplugin > 0, "plugins"},
      {m->nflex > 0, "flexes"},
      {m->nmocap > 0, "mocap bodies"},
      {m->ngravcomp > 0 && hasActuatedLift(m), "gravity compensation by actuators"},
      {m->nhistory > 0, "delays"},
      {m->opt.solver != mjSOL_NEWTON, "solvers other than Newton"},
      {m->opt.noslip_iterations > 0, "noslip iterations"},
      {m->opt.density > 0 || m->opt.viscosity > 0, "fluid forces"},
      {m->opt.integrator == mjINT_IMPLICIT, "the implicit integrator"},
      {m->opt.integrator > mjINT_IMPLICITFAST, "the spring-damper integrator"},
      {(m->opt.enableflags & mjENBL_ENERGY) != 0, "energy"},
      {(m->opt.enableflags & mjENBL_OVERRIDE) != 0, "contact override"},
      {(m->opt.enableflags & mjENBL_SLEEP) != 0, "sleep"},
      {(m->opt.enableflags & mjENBL_MULTICCD) != 0, "multiccd"},
      {(m->opt.disableflags & (mjDSBL_WARMSTART | mjDSBL_REFSAFE)) != 0,
       "disabled warmstart or refsafe"},
      {(m->opt.enableflags & mjENBL_INVDISCRETE) != 0, "invdiscrete"},
  };
  for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
    if (list[k].is_used) {
      return list[k].name;
    }
  }
  return NULL;
}


static const char* foreignActuator(const mjModel* m, int u) {
  CF_ASSERT_INDEX(u, m->nu);
  const int joint = m->actuator_trnid[2 * u], trn = m->actuator_trntype[u];
  if (trn != mjTRN_JOINT && trn != mjTRN_JOINTINPARENT && trn != mjTRN_TENDON) {
    return "actuators of anything but joints and tendons";
  }
  if (trn != mjTRN_TENDON && m->jnt_type[joint] != mjJNT_HINGE &&
      m->jnt_type[joint] != mjJNT_SLIDE) {
    return "actuators of joints other than hinges and slides";
  }
  if (m->actuator_gaintype[u] != mjGAIN_FIXED && m->actuator_gaintype[u] != mjGAIN_AFFINE) {
    return "actuator gains other than fixed and affine";
  }
  if (m->actuator_biastype[u] != mjBIAS_NONE && m->actuator_biastype[u] != mjBIAS_AFFINE) {
    return "actuator biases other than affine";
  }
  const int dyn = m->actuator_dyntype[u];
  if (dyn != mjDYN_NONE && dyn != mjDYN_INTEGRATOR && dyn != mjDYN_FILTER &&
      dyn != mjDYN_FILTEREXACT) {
    return "activation dynamics other than integrator and filter";
  }
  return m->actuator_delay[u] ? "actuators with a delay" : NULL;
}


bool cfi_teamAccepts(const mjModel* m, char* reason, size_t nreason) {
  const char* foreign = foreignPart(m);
  foreign = foreign ? foreign : cfi_teamForeignRows(m);
  for (int u = 0; !foreign && u < m->nu; u++) {
    foreign = foreignActuator(m, u);
  }
  if (foreign) {
    return refuseTeam(reason, nreason, foreign);
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


// does integration solve with another matrix than M
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
    const bool turns = m->jnt_type[j] == mjJNT_BALL || m->jnt_type[j] == mjJNT_FREE;
    shape.is_lean &= !turns || !may_spring;
  }
  return shape;
}


const char* cfi_teamForeignWorld(const mjModel* world, const mjModel* m) {
  const char* foreign = foreignPart(world);
  foreign = foreign ? foreign : cfi_teamForeignRows(world);
  for (int i = 0; !foreign && i < m->nv; i++) {
    if ((world->dof_frictionloss[i] == 0) != (m->dof_frictionloss[i] == 0)) {
      foreign = "friction loss that some worlds have and others have not";
    }
  }
  if (!foreign && cfi_teamIsDrawn(world) && !cfi_teamIsDrawn(m)) {
    foreign = "springs or dampers of tendons that some worlds have and the model has not";
  }
  return !foreign && world->opt.timestep != m->opt.timestep ? "timesteps of worlds" : foreign;
}
