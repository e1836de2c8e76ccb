// Derivatives of a step beyond MuJoCo's: analytic where that is exact, and tools to check them.
#ifndef CORTENFORGE_DERIVATIVE_H_
#define CORTENFORGE_DERIVATIVE_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How `cf_transition` works.  A zeroed struct means the defaults.
typedef struct cfTransitionOptions_ {
  mjtNum eps;           // step of the finite differences; 0: 1e-6
  mjtByte one_sided;    // forward instead of centered differences
  mjtByte no_analytic;  // finite differences of whole steps for every column, as mjd_transitionFD
} cfTransitionOptions;

/// How a column of A or B came about.
typedef enum cftColumn_ {
  CF_COLUMN_STEP = 0,  // whole steps differenced
  CF_COLUMN_STAGE,     // forces differenced, the answer of the step to them in closed form
  CF_COLUMN_CLOSED     // closed form throughout
} cftColumn;

/// Linearize one step: d(next state) = A*d(state) + B*d(control).
///
/// The state is (position in tangent coordinates, velocity, activation), as in `mjd_transitionFD`.
/// How velocities answer to a change of the forces is known in closed form, constraints and the
/// matrix of the integrator included (implicit function theorem at the active rows of the solver's
/// solution).  The change of the forces is in closed form for velocities of models without medium,
/// flexes, muscles, limits of the force on tendons, and armature on spatial tendons, whose
/// integrator's matrix does not depend on velocity; else it is the difference of the stages that
/// compute the forces.  Whole steps are differenced where a callback or plugin is installed, with
/// RK4, sleeping, models of actuators or contacts (docs/extending.md), implicit stiffness, noslip,
/// interpolated flexes under an implicit integrator, a thread pool, and where the solver has not
/// converged.  As in `mjd_transitionFD`, the matrix of an implicit integrator does not change with
/// controls and activations.  Where controls are not clamped (`mjDSBL_CLAMPCTRL`) their ranges do
/// not matter, whereas `mjd_transitionFD` leaves columns of controls beyond their range zero.
///
/// @param d     center of the linearization; its state is the same afterwards
/// @param opt   options, NULL for the defaults
/// @param A     (2*nv + na) x (2*nv + na), row-major, or NULL
/// @param B     (2*nv + na) x nu, row-major, or NULL
/// @note Raises an error for models with delays, as `mjd_transitionFD` does.
MJAPI void cf_transition(const mjModel* m, mjData* d, const cfTransitionOptions* opt, mjtNum* A,
                         mjtNum* B);

/// The same, and say of each column how it came about.
///
/// @param column   2*nv + na + nu values of `cftColumn`, or NULL; those of a matrix that is not
///                 wanted are CF_COLUMN_STEP
MJAPI void cf_transitionColumns(const mjModel* m, mjData* d, const cfTransitionOptions* opt,
                                mjtNum* A, mjtNum* B, mjtByte* column);

/// Return the largest |a - b| / max(1, |a|, |b|) of two arrays; NaN in either gives infinity, and
/// so do arrays without elements.
MJAPI mjtNum cf_maxRelativeError(const mjtNum* a, const mjtNum* b, int n);

/// What a comparison of two linearizations has found.
typedef struct cfTransitionCheck_ {
  mjtNum error;     // largest relative error; infinite where nothing was compared
  int ncompared;    // columns compared, out of
  int ncolumn;      // 2*nv + na + nu
  int row, column;  // where the largest error is, -1: nowhere; controls follow the state
} cfTransitionCheck;

/// Compare the columns of `cf_transition` that are not differences of whole steps with centered
/// differences of whole steps.
///
/// @param column   2*nv + na + nu values of `cftColumn`: CF_COLUMN_STEP were not compared; or NULL
MJAPI cfTransitionCheck cf_checkTransition(const mjModel* m, mjData* d, mjtNum eps,
                                           mjtByte* column);

/// Return the error of `cf_checkTransition`; infinite where there was nothing to compare.
MJAPI mjtNum cf_validateTransition(const mjModel* m, mjData* d, mjtNum eps);

/// Return the relative change of the finite differences of a step when eps is divided by ten.
///
/// A small number shows that the differences have converged; a large one that the step is not
/// smooth here, or that eps is so small that rounding dominates.  Infinite without any column.
MJAPI mjtNum cf_transitionConvergence(const mjModel* m, mjData* d, mjtNum eps);

/// Integrators beyond those of `mjtIntegrator`, for `m->opt.integrator`.
///
/// In MJCF `<option cortenforge:integrator="springdamper"/>`; `cf_withIntegrator` takes it too.
typedef enum cftIntegrator_ {
  CF_INTEGRATOR_SPRING_DAMPER = 4  // that of cf_stepSpringDamper
} cftIntegrator;

/// Advance by one step of the implicit spring-damper integrator.
///
/// Solves (M + h*D + h^2*K)*v_new = M*v + h*(f - f_damper) where D and K are the damping and
/// stiffness of the joints: stiff joint springs and dampers stay stable at any time step.  Other
/// forces are explicit.  `m->opt.integrator` is ignored.
MJAPI void cf_stepSpringDamper(const mjModel* m, mjData* d);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_DERIVATIVE_H_
