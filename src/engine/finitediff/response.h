// How a step answers to changes of the forces in it.
//
// A step solves  M*a = g(x, a)  and then  W*y = M*a,  v+ = v + h*y,  where g is the sum of smooth
// and constraint forces at an acceleration a, and W the matrix of the integrator: M, M + h*damping,
// or M - h*dF/dv.  At the solution the constraint forces change with a by M - H, where H = M +
// J'*s''*J is the Hessian of the solver's cost at the active rows.  Implicit differentiation gives,
// for changes dg, d(M*a) and d(W*y) with a and y held fixed,
//   da = H^-1 (dg - d(M*a)),   dy = W^-1 (M*da + d(M*a) - d(W*y)).
// The spring-damper integrator has W*y = M*a - h*K*v; h*K*v is counted with W*y.
#ifndef CF_FINITEDIFF_RESPONSE_H
#define CF_FINITEDIFF_RESPONSE_H

#include <stdbool.h>

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>

#include "collision/broad/broad.h"
#include "solver/hessian.h"

// the matrix of the integrator: W = M, W with the pattern of M, W with that of D
typedef enum { CF_STEP_INERTIA, CF_STEP_SYMMETRIC, CF_STEP_FULL } cftStepMatrix;

// The constraint rows of the center.  Forces of nudged states keep their zones (rows that push go
// on pushing, cones keep their Hessian): with the acceleration held fixed, residuals move by much
// more than the step would let them.
typedef struct {
  int nefc, ncon;
  int *type, *id;       // nefc
  mjtNum* weight;       // nefc: D of quadratic rows; of the first row of a cone -1, else 0
  mjtNum *jar, *force;  // nefc
  mjtNum* D;            // nefc
  mjContact* contact;   // ncon: with cone Hessians
} cfFrozenRows;

typedef struct {
  const mjModel* m;
  mjData* d;
  int nv;
  mjtNum eps;     // how far states are nudged
  bool has_rows;  // H differs from M
  bool has_walk;  // nudged states need no M, only products with it
  mjtNum* dense;  // factor of H, NULL: sparse
  cfSparseHessian sparse;
  mjtNum* M;  // at the center
  cftStepMatrix matrix;
  mjtNum *W, *W_inv;     // factor of W; inverse diagonal
  mjtNum *a, *y, *next;  // accelerations of solver and integrator, velocity after the step
  mjtNum* scratch;       // 2 x nv
  mjtNum* after;         // the state after the step, mjSTATE_PHYSICS
  mjtNum *LD, *LD_inv;   // without rows: factor of M at the center
  cfFrozenRows rows;
  cfPairList near;  // what the broad phase finds at the center, where contacts are looked for
} cfStepResponse;

// forces at a and y fixed, or their changes: g, M*a, W*y without its constant part; each nv
typedef struct {
  mjtNum *force, *inertial, *step;
} cfStepForces;

// what nudged stages find: the rows of the center, other contacts, whose rows are not made yet, or
// other rows
typedef enum { CF_NUDGED_SAME, CF_NUDGED_CONTACTS, CF_NUDGED_ROWS } cftNudged;

// take the step from the present state, and find out how it answers.  All memory is on the stack of
// d; the state is the caller's to restore, everything else is left as the step made it.  False: the
// solver has not converged, or numbers are bad
bool cfi_beginResponse(cfStepResponse* r, const mjModel* m, mjData* d, mjtNum eps);

// frozenrows.c: keep the contacts, and the rows whose residuals and cone Hessians are known
void cfi_freezeContacts(cfStepResponse* r);
void cfi_freezeRows(cfStepResponse* r, const mjtNum* jar);

// are the contacts, or all rows, those of the center, a little aside?
bool cfi_areSameContacts(const cfStepResponse* r);
bool cfi_areSameRows(const cfStepResponse* r);

// add the forces of the present rows, which are those of the center
void cfi_addRowForces(const cfStepResponse* r, mjtNum* force);

cfStepForces cfi_allocForces(const cfStepResponse* r);

// forces at the present state; stages up to skipstage are taken as computed, and what follows from
// them alone is left out of M*a and W*y.  Where the constraint rows are others than at the center
// nothing is written
cftNudged cfi_stepForces(const cfStepResponse* r, int skipstage, cfStepForces* forces);

// the same, with all of M*a and W*y, where everything in d is of the center
void cfi_centerForces(const cfStepResponse* r, cfStepForces* forces);

// the rest of the step from a state at which others were found
void cfi_finishStep(const cfStepResponse* r, cftNudged done);

// dv = h*dy; the change is destroyed
void cfi_respond(const cfStepResponse* r, cfStepForces* change, mjtNum* dv);

#endif  // CF_FINITEDIFF_RESPONSE_H
