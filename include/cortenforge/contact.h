// Contacts beyond MuJoCo: exchangeable formulations of the contact problem, chosen per model.
//
// MuJoCo's formulation is `lcp`: a convex problem that PGS, CG or Newton (`m->opt.solver`) solves.
// Every model has it unless something else is chosen in MJCF (`cortenforge:solver` on <option>) or
// by the functions below.  Also built in: `xpbd` (position-based, compliant or rigid) and
// `hunt_crossley` (compliant points with physical parameters).  A program adds its own by
// registering a table of functions.  docs/solvers.md compares them.
#ifndef CORTENFORGE_CONTACT_H_
#define CORTENFORGE_CONTACT_H_

#include <stddef.h>

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Most parameters that a solver may have.
#define CF_CONTACT_PARAMETERS 16

/// Who may set a parameter, and how two geoms agree on it where both do.
///
/// A value for a pair of geoms wins; then comes that of the geom with the higher priority; among
/// geoms of equal priority what is said here; without any of these the value of the model.
typedef enum cftContactShare_ {
  CF_CONTACT_MODEL = 0,  // only the model
  CF_CONTACT_MEAN = 1,   // geoms and pairs, too: mean of two geoms
  CF_CONTACT_MAX = 2,    // larger of two geoms
  CF_CONTACT_MIN = 3,    // smaller of two geoms
} cftContactShare;

/// A parameter of a contact solver.
///
/// Where -1 is both the initial value and the lower bound, it stands for "not given": nothing else
/// below zero is allowed then.
typedef struct cfContactParameter_ {
  const char* name;
  mjtNum initial, lower, upper;  // initial value; smallest and largest that is allowed
  cftContactShare share;
  const char* unit;  // "count": whole numbers only
  const char* doc;
} cfContactParameter;

/// What a solver sees of a step, after the smooth dynamics and before the integrator.
///
/// Rows are those of `d` (efc_J, efc_pos, efc_margin, ...): d->ne of equalities, then d->nf of
/// friction loss, then d->nl of limits, then contacts.  qacc_smooth is what would happen without.
typedef struct cfContactProblem_ {
  const mjModel* m;
  mjData* d;                // to be read, and for scratch between mj_markStack and mj_freeStack
  const mjtNum* parameter;  // values of the model
  const mjtNum* contact;    // ncon x nparameter: values of each contact
  mjtNum* force;            // nefc, out: force of each row; zero at first
  mjtNum* drift;  // nv, out: velocity with which positions move beyond qvel; zero at first
  mjtNum* gain;   // nv, out: what the step adds to qvel; NaN at first: what the integrator says
} cfContactProblem;

/// What `solve` has done.
typedef enum cftContactResult_ {
  CF_CONTACT_FORCES = 0,    // wrote force (and drift): everything else follows from it
  CF_CONTACT_COMPLETE = 1,  // wrote all results of the stage into `d` itself
} cftContactResult;

/// A formulation of the contact problem: a constant table of functions.
///
/// A solver works on one step, keeps nothing between steps, calls no heap and is deterministic.
/// After CF_CONTACT_FORCES the stage makes efc_force, efc_state, qfrc_constraint and qacc; a force
/// that is not finite counts as zero and as a warning (mjWARN_BADQACC), the same for drift.  After
/// CF_CONTACT_COMPLETE an acceleration that is not finite is a warning, too, and the step has no
/// forces of constraints.
typedef struct cfContactSolver_ {
  const char* name;
  int nparameter;
  const cfContactParameter* parameter;

  /// 1: the solver moves positions by `drift`, so that stages of a step mean nothing to it; the
  /// integrator RK4 then becomes Euler.
  mjtByte is_positional;

  /// 1: the forces are right where flexes have implicit stiffness, as those of `lcp` and
  /// `hunt_crossley` are; 0: a model with such flexes refuses the solver.  What the solver sees of
  /// them are the forces with which MuJoCo's problem finds the acceleration of the step.
  mjtByte knows_stiffness;

  /// Bytes of scratch for this step.  NULL: none.  Where they do not fit the arena, a warning is
  /// counted (mjWARN_CNSTRFULL) and constraints have no force in this step.
  size_t (*workspace)(const cfContactProblem* problem);

  /// Fill the scratch.  NULL if there is nothing to do before `solve`.
  void (*prepare)(const cfContactProblem* problem, void* workspace);

  /// Find the forces.
  cftContactResult (*solve)(const cfContactProblem* problem, void* workspace);

  /// Change the contacts that colliders found, at the end of the collision stage.  NULL: they stay.
  void (*contacts)(const mjModel* m, mjData* d);
} cfContactSolver;

/// Add a solver to those that can be chosen by name.
///
/// @return 1; 0 with a warning if a solver of that name exists, something is missing or out of
///         order in the table
/// @note The table must stay where it is.  Call this before models are loaded that name it.  Safe
///       to call from several threads.
MJAPI int cf_registerContactSolver(const cfContactSolver* solver);

/// Choose the contact solver of a model, starting with the next step.
///
/// @param m          nothing in `m->opt` changes: `m->opt.solver` stays what `lcp` uses
/// @param name       of a solver; NULL or "lcp" restores MuJoCo's
/// @param parameter  first values in the order of its table; NULL: those it had in this model
/// @param nparameter how many; the rest keeps its values
/// @param error      receives a message when the result is 0; may be NULL
/// @return 1, or 0 and `m` as it was: unknown name, too many or bad parameters, no memory
/// @note Not to be called while another thread steps with the same `m`.  A solver that moves
///       positions is a warning (mju_warning) where the integrator is RK4, which becomes Euler; a
///       file or a specification that says both does not compile.
MJAPI int cf_setContactSolver(mjModel* m, const char* name, const mjtNum* parameter, int nparameter,
                              char* error, int nerror);

/// Set one parameter of a solver, chosen or not: of the model, a geom or a contact pair.
///
/// @param objtype  mjOBJ_MODEL (id is ignored), mjOBJ_GEOM or mjOBJ_PAIR
/// @return 1, or 0 with a message: unknown solver, parameter or object, value out of bounds, a
///         parameter that only the model has, no whole number for a count, no memory
MJAPI int cf_setContactParameter(mjModel* m, const char* solver, const char* parameter,
                                 mjtObj objtype, int id, mjtNum value, char* error, int nerror);

/// Return the value of a parameter; NaN where there is none: unknown, or not set for that object.
MJAPI mjtNum cf_contactParameter(const mjModel* m, const char* solver, const char* parameter,
                                 mjtObj objtype, int id);

/// Return 1 if a contact of `d` is a point of a contact patch of `hunt_crossley`, with the area
/// [m^2] that it stands for and the elastic pressure [Pa] there at the start of the step; else 0.
///
/// @param contact  place in d->contact
/// @param area, pressure  where to write; may be NULL
MJAPI int cf_contactPatch(const mjModel* m, const mjData* d, int contact, mjtNum* area,
                          mjtNum* pressure);

/// Return the solver that a model uses.
MJAPI const cfContactSolver* cf_contactSolver(const mjModel* m);

/// Return solver number k of those that can be chosen, `lcp` first; NULL behind the last.
MJAPI const cfContactSolver* cf_contactSolverAt(int k);

/// Return the solver of that name; NULL if there is none.
MJAPI const cfContactSolver* cf_findContactSolver(const char* name);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_CONTACT_H_
