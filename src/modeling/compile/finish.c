// Last steps on a filled model: total mass, arena size, constants, springs from time constants,
// length ranges.
#include "base/assert.h"
#include "compile/phases.h"

#include <math.h>

#include "compile/constants.h"
#include "compile/parallel.h"
#include "math/libm.h"
#include "model/data.h"

//---------------------------------- arena ---------------------------------------------------------

// room for stack and arena in bytes: the user's, or a generous guess in whole megabytes
void cfi_fillArenaSize(cfDraft* draft) {
  mjModel* m = draft->model;
  const mjSpec* spec = &draft->spec->pub;
  if (spec->memory != -1) {
    m->narena = spec->memory;
    return;
  }

  // stack: square of the constraints plus a share for every element
  const mjtSize ncon = m->nconmax == -1 ? 100 : m->nconmax, nefc = m->njmax == -1 ? 500 : m->njmax;
  const mjtSize side = nefc + m->neq + m->nv;
  const mjtSize elements = m->nq + m->nv + m->nu + m->na + m->nbody + m->njnt + m->ngeom +
                           m->nsite + m->neq + m->ntendon + m->nwrap;
  const mjtSize guess = 5 * side * side + 20 * elements;
  const mjtSize numbers = spec->nstack != -1 ? spec->nstack : (guess > 1000 ? guess : 1000);

  // arena: contacts, constraint rows, Jacobians and the square of the rows
  const mjtSize per_row = 8 * sizeof(int) + 14 * sizeof(mjtNum),
                per_entry = sizeof(int) + sizeof(mjtNum);
  const mjtSize bytes = numbers * (mjtSize)sizeof(mjtNum) + ncon * (mjtSize)sizeof(mjContact) +
                        nefc * per_row + m->nv * 3 * (mjtSize)sizeof(int) +
                        nefc * m->nv * 2 * per_entry + nefc * nefc * per_entry;
  const mjtSize megabyte = 1 << 20;
  m->narena = (bytes + megabyte - 1) / megabyte * megabyte;
}


//---------------------------------- springs -------------------------------------------------------

// stiffness and damping of joints that ask for a time constant and a damping ratio
static void setSpringDampers(cfDraft* draft) {
  mjModel* m = draft->model;
  for (int j = 0; j < m->njnt; j++) {
    const cfJointDraft* joint = (const cfJointDraft*)cfi_parts(draft, mjOBJ_JOINT)->item[j];
    const double time = joint->attr.springdamper[0], ratio = joint->attr.springdamper[1];
    if (time <= 0 || ratio <= 0) {
      continue;
    }
    const int adr = m->jnt_dofadr[j], dofs = cfi_jointDofs(m->jnt_type[j]);
    mjtNum weight = 0;
    for (int k = 0; k < dofs; k++) {
      weight += m->dof_invweight0[adr + k];
    }
    const mjtNum inertia = dofs / cfi_fmax(mjMINVAL, weight);
    m->jnt_stiffness[j] = inertia / cfi_fmax(mjMINVAL, time * time * ratio * ratio);
    for (int k = 0; k < dofs; k++) {
      m->dof_damping[adr + k] = 2 * inertia / cfi_fmax(mjMINVAL, time);
    }
  }
}


//---------------------------------- length ranges -------------------------------------------------

// data of the model, with instances of plugins or without
static void makeData(cfDraft* draft, bool with_plugins) {
  if (!cfi_makeDataInto(draft->model, with_plugins, &draft->data)) {
    cfi_fail(draft, NULL, "could not create mjData");
  }
}


static void dropData(cfDraft* draft) {
  mj_deleteData(draft->data);
  draft->data = NULL;
}


// one actuator; a worker makes its own data, plugins included, when it gets the first one to
// simulate
static void setRangeOf(cfDraft* draft, const void* argument, int actuator) {
  CF_ASSERT(actuator >= 0);
  char error[200] = "";
  if (!draft->data && cfi_simulatesRange(draft->model, actuator, (const mjLROpt*)argument)) {
    makeData(draft, true);
  }
  if (!mj_setLengthRange(draft->model, draft->data, actuator, (const mjLROpt*)argument, error,
                         sizeof(error))) {
    cfi_fail(draft, cfi_parts(draft, mjOBJ_ACTUATOR)->item[actuator], "%s", error);
  }
}


// steps in one direction, which one number of a file asks for: a thousand times the usual ones
static const double most_range_steps = 1e6;


// forces that would keep an actuator from reaching its ends are switched off
static void setLengthRanges(cfDraft* draft) {
  mjModel* m = draft->model;
  const mjLROpt* opt = &draft->compiler->LRopt;
  const mjOption saved = m->opt;
  m->opt.disableflags = mjDSBL_FRICTIONLOSS | mjDSBL_CONTACT | mjDSBL_SPRING | mjDSBL_DAMPER |
                        mjDSBL_GRAVITY | mjDSBL_ACTUATION;
  if (opt->timestep > 0) {
    m->opt.timestep = opt->timestep;
  }
  int nsimulated = 0;
  for (int u = 0; u < m->nu; u++) {
    nsimulated += cfi_simulatesRange(m, u, opt);
  }

  // threads where there is enough to do for them, counted in dofs and tendon points times steps
  enum { WORTH_A_THREAD = 100000 };
  const double steps = 2 * opt->inttotal / cfi_fmax(mjMINVAL, m->opt.timestep);
  if (nsimulated && steps / 2 > most_range_steps) {
    cfi_fail(
        draft, NULL,
        "lengthrange: inttotal of %g with a time step of %g is %.3g steps for each end of a range, at most %.0f are allowed",
        opt->inttotal, m->opt.timestep, steps / 2, most_range_steps);
  }
  const bool is_long = (nsimulated - 1) * steps * (double)(m->nv + m->nwrap) > WORTH_A_THREAD;
  cfi_runPieces(draft, setRangeOf, opt, m->nu, is_long ? nsimulated : 1);
  m->opt = saved;
}


//---------------------------------- statistics ----------------------------------------------------

// the user's statistics win over computed ones
static void overrideStatistics(mjModel* m, const mjStatistic* given) {
  const struct {
    mjtNum* value;
    mjtNum given;
  } numbers[] = {{&m->stat.extent, given->extent},
                 {&m->stat.meaninertia, given->meaninertia},
                 {&m->stat.meanmass, given->meanmass},
                 {&m->stat.meansize, given->meansize}};
  for (int k = 0; k < 4; k++) {
    if (cfi_isGiven(numbers[k].given)) {
      *numbers[k].value = numbers[k].given;
    }
  }
  if (cfi_isGiven(given->center[0])) {
    mju_copy3(m->stat.center, given->center);
  }
}


//---------------------------------- constants -----------------------------------------------------


// does a tree start asleep
static bool startsAsleep(const mjModel* m) {
  for (int t = 0; t < m->ntree; t++) {
    if (m->tree_sleep_policy[t] == mjSLEEP_INIT) {
      return true;
    }
  }
  return false;
}


void cfi_finishConstants(cfDraft* draft) {
  mjModel* m = draft->model;
  const int disabled = m->opt.disableflags, enabled = m->opt.enableflags;
  m->opt.disableflags |= mjDSBL_CONTACT;
  m->opt.enableflags &= ~mjENBL_SLEEP;
  makeData(draft, false);
  mj_setConst(m, draft->data);
  setSpringDampers(draft);
  if (m->nplugin) {
    dropData(draft);
  }
  setLengthRanges(draft);
  draft->spec->computed = m->stat;
  overrideStatistics(m, &draft->spec->pub.stat);
  dropData(draft);

  // one step shows whether the model can be simulated at all; with sleeping trees, making data does
  const bool is_asleep = (enabled & mjENBL_SLEEP) && startsAsleep(m);
  if (is_asleep) {
    m->opt.disableflags = disabled;
    m->opt.enableflags = enabled;
  }
  makeData(draft, true);
  if (!is_asleep) {
    mj_step(m, draft->data);
  }
  dropData(draft);
  m->opt.disableflags = disabled;
  m->opt.enableflags = enabled;
}
