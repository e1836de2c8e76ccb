// Stage SOLVE: MuJoCo's solver, or the one that the model has chosen.
#include <limits.h>
#include <math.h>

#include <mujoco/mujoco.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/likely.h"
#include "collision/halves.h"
#include "constraint/product.h"
#include "contactsolver/contactsolver.h"
#include "contactsolver/stage.h"
#include "math/dense.h"
#include "model/flags.h"
#include "model/timer.h"
#include "solver/solver.h"


// ---------------------------------------- contacts

void cfi_finishContacts(const mjModel* m, mjData* d) {
  const cfContactSetting* setting = cfi_contactSetting(m);
  if (CF_SELDOM(setting) && setting->solver->contacts) {
    setting->solver->contacts(m, d);
  }
}


// stage COLLISION.  reads: geom_xpos, geom_xmat, xipos, ximat, flexvert_xpos, body_awake.
// writes: contact, ncon, bvh_active; clears all other arrays in the arena
void mj_collision(const mjModel* m, mjData* d) {
  cfi_collide(m, d);
  cfi_finishContacts(m, d);
}


// ---------------------------------------- parameters of contacts

int cfi_pairOfContact(const mjModel* m, const mjContact* con) {
  for (int p = 0; p < m->npair; p++) {
    const int g1 = m->pair_geom1[p], g2 = m->pair_geom2[p];
    if ((g1 == con->geom[0] && g2 == con->geom[1]) || (g1 == con->geom[1] && g2 == con->geom[0])) {
      return p;
    }
  }
  return -1;
}


// one value out of those of two geoms, either of which may be NaN: not set
static mjtNum shareValue(cftContactShare share, mjtNum a, mjtNum b) {
  if (isnan(a) || isnan(b)) {
    return isnan(a) ? b : a;
  }
  if (share == CF_CONTACT_MEAN) {
    return 0.5 * (a + b);
  }
  return (share == CF_CONTACT_MAX) == (a > b) ? a : b;
}


// values of a contact: of its pair, else of its geoms, else of the model
static void contactValues(const mjModel* m, const cfContactSetting* setting, const mjContact* con,
                          mjtNum* value) {
  const cfContactSolver* solver = setting->solver;
  const size_t n = (size_t)solver->nparameter;
  const int pair = cfi_pairOfContact(m, con), g1 = con->geom[0], g2 = con->geom[1];
  const mjtNum* of_pair = pair < 0 ? NULL : setting->own + ((size_t)m->ngeom + (size_t)pair) * n;
  const int more = g1 < 0 || g2 < 0 ? 0 : m->geom_priority[g1] - m->geom_priority[g2];
  CF_ASSERT(g1 < m->ngeom && g2 < m->ngeom);

  for (size_t k = 0; k < n; k++) {
    mjtNum a = g1 < 0 ? NAN : setting->own[(size_t)g1 * n + k];
    mjtNum b = g2 < 0 ? NAN : setting->own[(size_t)g2 * n + k];
    if (more && !isnan(a) && !isnan(b)) {
      a = more > 0 ? a : NAN;
      b = more > 0 ? NAN : b;
    }
    mjtNum found =
        of_pair && !isnan(of_pair[k]) ? of_pair[k] : shareValue(solver->parameter[k].share, a, b);
    value[k] = isnan(found) ? setting->parameter[k] : found;
  }
}


static const mjtNum* allContactValues(const mjModel* m, mjData* d,
                                      const cfContactSetting* setting) {
  const int n = setting->solver->nparameter;
  mjtNum* value = mj_stackAllocNum(d, (size_t)d->ncon * (size_t)n + 1);
  for (int i = 0; i < d->ncon; i++) {
    if (setting->own) {
      contactValues(m, setting, d->contact + i, value + (size_t)i * (size_t)n);
    } else {
      cfi_copy(value + (size_t)i * (size_t)n, setting->parameter, n);
    }
  }
  return value;
}


// ---------------------------------------- results

// a dof that a row acts on, for the text of the warning
static int dofOfRow(const mjModel* m, const mjData* d, int row) {
  CF_ASSERT_INDEX(row, d->nefc);
  if (mj_isSparse(m)) {
    return d->efc_J_rownnz[row] ? d->efc_J_colind[d->efc_J_rowadr[row]] : 0;
  }
  for (int i = 0; i < m->nv; i++) {
    if (d->efc_J[(size_t)row * (size_t)m->nv + (size_t)i] != 0) {
      return i;
    }
  }
  return 0;
}


// a gain that is not finite everywhere is none; returns the dof of the warning, -1: none
static int dropBadGain(const cfContactProblem* p, int bad) {
  for (int i = 1; i < p->m->nv && !isnan(p->gain[0]); i++) {
    if (!isfinite(p->gain[i])) {
      p->gain[0] = NAN;
      bad = bad < 0 ? i : bad;
    }
  }
  return bad;
}


// what is not finite becomes zero; counted once per step, with the dof it was seen at
static void dropBadNumbers(const cfContactProblem* p) {
  int bad = -1;
  for (int r = 0; r < p->d->nefc; r++) {
    if (!isfinite(p->force[r])) {
      p->force[r] = 0;
      bad = bad < 0 ? dofOfRow(p->m, p->d, r) : bad;
    }
  }
  for (int i = 0; i < p->m->nv; i++) {
    if (!isfinite(p->drift[i])) {
      p->drift[i] = 0;
      bad = bad < 0 ? i : bad;
    }
  }
  bad = dropBadGain(p, bad);
  if (bad >= 0) {
    mj_warning(p->d, mjWARN_BADQACC, bad);
  }
}


// first dof whose acceleration a solver that writes all results itself left not finite, -1: none
static int badAcceleration(const mjModel* m, const mjData* d) {
  for (int i = 0; i < m->nv; i++) {
    if (!isfinite(d->qacc[i]) || !isfinite(d->qfrc_constraint[i])) {
      return i;
    }
  }
  return -1;
}


static int boundedState(mjtNum force, mjtNum bound) {
  if (fabs(force) < bound) {
    return mjCNSTRSTATE_QUADRATIC;
  }
  return force > 0 ? mjCNSTRSTATE_LINEARNEG : mjCNSTRSTATE_LINEARPOS;
}


// state of each row, from its force
static void stateOfRows(mjData* d) {
  CF_ASSERT(d->ne + d->nf <= d->nefc);
  for (int r = 0; r < d->ne; r++) {
    d->efc_state[r] = mjCNSTRSTATE_QUADRATIC;
  }
  for (int r = d->ne; r < d->ne + d->nf; r++) {
    d->efc_state[r] = boundedState(d->efc_force[r], d->efc_frictionloss[r]);
  }
  for (int r = d->ne + d->nf; r < d->nefc; r++) {
    const bool is_cone = d->efc_type[r] == mjCNSTR_CONTACT_ELLIPTIC;
    const int nrow = is_cone ? d->contact[d->efc_id[r]].dim : 1;
    const int state = d->efc_force[r] != 0 ? mjCNSTRSTATE_QUADRATIC : mjCNSTRSTATE_SATISFIED;
    for (const int end = r + nrow; r < end; r++) {
      d->efc_state[r] = state;
    }
    r--;
  }
}


// copies by island, for the reader
static void fillIslands(const mjModel* m, mjData* d) {
  if (d->nisland == 0 || cfi_disabled(m, mjDSBL_ISLAND)) {
    return;
  }
  cfi_gather(d->ifrc_smooth, d->qfrc_smooth, d->map_idof2dof, d->nidof);
  cfi_gather(d->iacc_smooth, d->qacc_smooth, d->map_idof2dof, d->nidof);
  cfi_gather(d->iacc, d->qacc, d->map_idof2dof, d->nidof);
  cfi_gather(d->ifrc_constraint, d->qfrc_constraint, d->map_idof2dof, d->nidof);
  cfi_gather(d->iefc_aref, d->efc_aref, d->map_iefc2efc, d->nefc);
  cfi_gather(d->iefc_force, d->efc_force, d->map_iefc2efc, d->nefc);
  for (int r = 0; r < d->nefc; r++) {
    d->iefc_state[r] = d->efc_state[d->map_iefc2efc[r]];
  }
}


// everything that follows from the forces of the rows
static void applyForces(const cfContactProblem* p) {
  const mjModel* m = p->m;
  mjData* d = p->d;
  dropBadNumbers(p);
  cfi_copy(d->efc_force, p->force, d->nefc);
  mj_mulJacVec(m, d, d->efc_b, d->qacc_smooth);
  for (int r = 0; r < d->nefc; r++) {
    d->efc_b[r] -= d->efc_aref[r];
  }
  stateOfRows(d);
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
  mj_solveM(m, d, d->qacc, d->qfrc_constraint, 1);
  for (int i = 0; i < m->nv; i++) {
    d->qacc[i] += d->qacc_smooth[i];
  }
  fillIslands(m, d);
}


// results that a solver wrote itself: a bad number makes all of them those without constraints
static void checkComplete(const cfContactProblem* p) {
  const int bad = badAcceleration(p->m, p->d);
  if (bad >= 0) {
    mj_warning(p->d, mjWARN_BADQACC, bad);
    cfi_zero(p->force, p->d->nefc);
    cfi_zero(p->drift, p->m->nv);
    p->gain[0] = NAN;
    applyForces(p);
  }
}


// ---------------------------------------- drift

// Drift and gain lie at the end of the arena's results; the private block knows where they end.
static size_t driftBytes(const mjModel* m) {
  return 2 * sizeof(mjtNum) * (size_t)m->nv;
}


static mjtNum* openDrift(const mjModel* m, mjData* d) {
  cfExtension* extension = cfi_dataExtension(d);
  const size_t bytes = driftBytes(m);
  if (extension->drift_end != d->parena || extension->drift_end < bytes) {
    if (!cfi_arenaAlloc(d, bytes, _Alignof(mjtNum))) {
      extension->drift_end = 0;
      return NULL;
    }
    extension->drift_end = d->parena;
  }
  mjtNum* drift = (mjtNum*)((char*)d->arena + extension->drift_end - bytes);
  cfi_zero(drift, m->nv);
  drift[m->nv] = NAN;
  return drift;
}


const mjtNum* cfi_contactDrift(const mjModel* m, const mjData* d) {
  const cfExtension* extension = cfi_dataExtension(d);
  const size_t bytes = driftBytes(m), end = extension->drift_end;
  return end && end >= bytes && end <= d->parena ? (mjtNum*)((char*)d->arena + end - bytes) : NULL;
}


const mjtNum* cfi_contactGain(const mjModel* m, const mjData* d) {
  const mjtNum* drift = cfi_contactDrift(m, d);
  return drift && !isnan(drift[m->nv]) ? drift + m->nv : NULL;
}


// ---------------------------------------- stage

// no force at all: there is no room for the solver
static void solveNothing(const mjModel* m, mjData* d, size_t bytes) {
  mj_warning(d, mjWARN_CNSTRFULL, (int)(bytes < INT_MAX ? bytes : INT_MAX));
  cfi_zero(d->efc_force, d->nefc);
  cfi_zeroInt(d->efc_state, d->nefc);
  fillIslands(m, d);
}


// scratch for values of contacts and forces of rows
static size_t problemBytes(const mjData* d, const cfContactSolver* solver) {
  const size_t ncon = (size_t)d->ncon, nefc = (size_t)d->nefc;
  return sizeof(mjtNum) * (ncon * (size_t)solver->nparameter + nefc + 64);
}


// stack beyond the workspace that a positional solver takes: lists of its groups, and what the
// stages need that it calls between its substeps, kinematics, inertia, rows
static size_t stageBytes(const mjModel* m, const mjData* d, const cfContactSolver* solver) {
  const size_t nv = (size_t)m->nv, nbody = (size_t)m->nbody;
  const size_t lists = sizeof(int) * (5 * nv + 3 * (size_t)d->nefc + 3 * (size_t)m->ntree);
  return solver->is_positional ? sizeof(mjtNum) * (20 * nbody + 10 * nv + 1000) + lists : 0;
}


static void solveChosen(const mjModel* m, mjData* d, const cfContactSetting* setting) {
  if (!d->nefc) {
    cfi_dataExtension(d)->drift_end = 0;
    return;
  }
  const cfContactSolver* solver = setting->solver;
  mjtNum* drift = openDrift(m, d);
  cfContactProblem problem = {m,    d,     setting->parameter,          NULL,
                              NULL, drift, drift ? drift + m->nv : NULL};
  size_t bytes = problemBytes(d, solver);
  if (!problem.drift || !cfi_stackFits(d, bytes, _Alignof(mjtNum))) {
    solveNothing(m, d, bytes);
    return;
  }
  mj_markStack(d);
  problem.contact = allContactValues(m, d, setting);
  problem.force = mj_stackAllocNum(d, (size_t)d->nefc);
  cfi_zero(problem.force, d->nefc);

  bytes = solver->workspace ? solver->workspace(&problem) : 0;
  if (cfi_stackFits(d, bytes + stageBytes(m, d, solver), 64)) {
    void* workspace = bytes ? mj_stackAllocByte(d, bytes, 64) : NULL;
    if (solver->prepare) {
      solver->prepare(&problem, workspace);
    }
    if (solver->solve(&problem, workspace) == CF_CONTACT_FORCES) {
      applyForces(&problem);
    } else {
      checkComplete(&problem);
    }
  } else {
    solveNothing(m, d, bytes);
  }
  mj_freeStack(d);
}


// stage SOLVE.  reads: efc_ and island arrays, qacc_smooth, qfrc_smooth, qacc_warmstart, M, qLD.
// writes: efc_b, efc_force, efc_state, qfrc_constraint, qacc, i... copies, solver statistics.
void mj_fwdConstraint(const mjModel* m, mjData* d) {
  cfi_fwdConstraint(m, d, NULL);
}


void cfi_fwdConstraint(const mjModel* m, mjData* d, const cfStart* known) {
  const mjtNum start = cfi_now();
  cfi_zero(d->qfrc_constraint, m->nv);
  const cfContactSetting* setting = cfi_contactSetting(m);
  if (CF_OFTEN(!setting) && d->nefc) {
    cfi_solveRows(m, d, known);
  } else {
    cfi_zeroInt(d->solver_niter, mjNISLAND);
    cfi_copy(d->qacc, d->qacc_smooth, m->nv);
    if (CF_SELDOM(setting)) {
      solveChosen(m, d, setting);
    }
  }
  cfi_addTime(d, mjTIMER_CONSTRAINT, start, 1);
}
