// Advancing the state by one timestep, common to all integrators.
#ifndef CF_PIPELINE_ADVANCE_H
#define CF_PIPELINE_ADVANCE_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "model/indexset.h"

// advance history, activations, velocities, positions, time and plugins.  Positions move with qvel,
// or with the new d->qvel (semi-implicit) when it is NULL.  May put trees to sleep.
void cfi_advance(const mjModel* m, mjData* d, const mjtNum* act_dot, const mjtNum* qacc,
                 const mjtNum* qvel);

// the same by runs of bodies (model/deal.h), where neither plugins nor a contact solver have a say:
// first histories, activations and time, then velocities, positions and warm start of each run
bool cfi_mayAdvanceRuns(const mjModel* m);
void cfi_beginRuns(const mjModel* m, mjData* d);
void cfi_advanceRun(const mjModel* m, mjData* d, const mjtNum* qacc, cfIndexSet joints,
                    cfIndexSet dofs);

// semi-implicit Euler; skip_factor: qH and qHDiagInv are those of the last call
void cfi_eulerSkip(const mjModel* m, mjData* d, int skip_factor);

// True if a model may have actuators whose slope every integrator takes implicitly.
//
// slow: qacc of a step with the matrix whose factor is given becomes that of a step with them,
// their limits held at its end; without diaginv the factor is qLU.  add: res += forces that they
// lose on the way to the end of a step with qacc.
bool cfi_mayHaveStiffGains(const mjModel* m);
void cfi_slowStiffGains(const mjModel* m, mjData* d, mjtNum* qacc, const mjtNum* LD,
                        const mjtNum* diaginv, cfIndexSet dofs);
void cfi_addStiffGains(const mjModel* m, mjData* d, mjtNum* res, const mjtNum* qacc);

// does Euler's step integrate the damping of these dofs implicitly
bool cfi_hasImplicitDamping(const mjModel* m, cfIndexSet dofs);

// does Euler's step need the factor of M + h*diag(damping), and may it be made with that of M
bool cfi_mayDampAhead(const mjModel* m, const mjData* d);

// mj_checkAcc; true: the state was reset and everything computed anew
bool cfi_checkAcc(const mjModel* m, mjData* d);

// implicit and implicitfast; skip_factor: qLU or qH are those of the last call
void cfi_implicitSkip(const mjModel* m, mjData* d, int skip_factor);

// res = (M - h*dF/dv)*qacc with the derivatives of the model's implicit integrator; writes qDeriv,
// qLU or qH
void cfi_mulImplicit(const mjModel* m, mjData* d, mjtNum* res, const mjtNum* qacc);

// the implicit spring-damper integrator.  reads: forces, M.  writes: qH, qHDiagInv, the state.
void cfi_springDamper(const mjModel* m, mjData* d);

// res = (M + h*D + h^2*K)*vec and stiffness = h*K*qvel: what its discrete-time acceleration solves
// is (M + h*D + h^2*K)*qacc + h*K*qvel = qfrc_smooth + qfrc_constraint
void cfi_mulSpringDamper(const mjModel* m, mjData* d, mjtNum* res, mjtNum* stiffness,
                         const mjtNum* vec);

// qfrc_smooth and qacc_smooth with implicit stiffness of flexes; nothing without such flexes.
// reads: everything that constraints need.  writes: qfrc_smooth, qacc_smooth, qacc_warmstart.
void cfi_implicitFlex(const mjModel* m, mjData* d);

// forward dynamics whose outputs the next call overwrites: no sensors, and no cameras, lights and
// energy unless callbacks or plugins may look at them
void cfi_forwardInner(const mjModel* m, mjData* d);

// accelerations of bodies and forces on them (cacc, cfrc_ext, cfrc_int), where no sensor has asked
// for them in this step: after the acceleration, and before the state is advanced
void cfi_reactions(const mjModel* m, mjData* d);

// accelerations and forces of bodies that a step computes too: not, those of the state before it,
// or those of the last evaluation of Runge-Kutta
typedef enum { REACTS_NOT, REACTS_FIRST, REACTS_LAST } cfReacts;

// mj_step, with these where they are wanted
void cfi_stepReacting(const mjModel* m, mjData* d, bool reacts);

// true if a step of the model has several evaluations, so that those of the last one are others
bool cfi_hasLastReactions(const mjModel* m);

// mj_step and mj_RungeKutta with those of the last evaluation, for models where that is another
void cfi_stepReactingLast(const mjModel* m, mjData* d);
void cfi_rungeKuttaReacting(const mjModel* m, mjData* d, cfReacts reacts);

// one step of an integrator (mjtIntegrator)
void cfi_integrate(const mjModel* m, mjData* d, int integrator);

#endif  // CF_PIPELINE_ADVANCE_H
