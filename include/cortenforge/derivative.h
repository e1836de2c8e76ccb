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
  mjtByte no_analytic;  // finite differences for every column, as mjd_transitionFD
} cfTransitionOptions;

/// Linearize one step: d(next state) = A*d(state) + B*d(control).
///
/// The state is (position in tangent coordinates, velocity, activation), as in `mjd_transitionFD`.
/// Columns of velocities, of activations with integrator or filter dynamics, and of controls of
/// stateless actuators are analytic; columns of positions are finite differences.  Analytic columns
/// need a step without constraint rows; where there are some, and for what has no closed form
/// (muscles, user callbacks, saturated actuators, implicit integrators whose matrix depends on
/// velocity), finite differences are taken.
///
/// @param d     center of the linearization; its state is the same afterwards
/// @param opt   options, NULL for the defaults
/// @param A     (2*nv + na) x (2*nv + na), row-major, or NULL
/// @param B     (2*nv + na) x nu, row-major, or NULL
/// @note Raises an error for RK4 and for models with delays, as `mjd_transitionFD` does.
MJAPI void cf_transition(const mjModel* m, mjData* d, const cfTransitionOptions* opt, mjtNum* A,
                         mjtNum* B);

/// Return the largest |a - b| / max(1, |a|, |b|) of two arrays; NaN in either gives infinity.
MJAPI mjtNum cf_maxRelativeError(const mjtNum* a, const mjtNum* b, int n);

/// Return the largest relative error of the analytic columns of `cf_transition` against centered
/// finite differences.
MJAPI mjtNum cf_validateTransition(const mjModel* m, mjData* d, mjtNum eps);

/// Return the relative change of the finite differences of a step when eps is divided by ten.
///
/// A small number shows that the differences have converged; a large one that the step is not
/// smooth here, or that eps is so small that rounding dominates.
MJAPI mjtNum cf_transitionConvergence(const mjModel* m, mjData* d, mjtNum eps);

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
