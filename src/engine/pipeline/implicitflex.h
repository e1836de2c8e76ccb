// The convex problem of a step with implicit stiffness of flexes (implicitflex.c).
#ifndef CF_PIPELINE_IMPLICITFLEX_H
#define CF_PIPELINE_IMPLICITFLEX_H

#include <mujoco/mujoco.h>

#include "flex/stiffness.h"

// the problem, with what is known at the present point
typedef struct {
  const mjModel* m;
  mjData* d;
  cfFlexStiffness K;
  cfFlexStiffness trial;  // with K.part REST: the elasticity that K leaves out, at other positions
  mjtNum* awake;          // nv: 1, 0 for dofs of trees that sleep
  mjtNum *b, *a, *Ha;     // nv
  mjtNum* gradient;       // nv
  mjtNum* inverse;        // nv: of the diagonal
  mjtNum* block;          // 9 per dof: inverse of the 3x3 block that starts there, or zeros
  mjtNum *jar, *weight;   // nefc: J*a - aref; D of rows that act
  mjtNum* row;            // nefc: scratch
  mjtNum row_cost;
} cfImplicitProblem;

// res = H*vec
void cfi_mulImplicitFlex(const cfImplicitProblem* p, mjtNum* res, const mjtNum* vec);

// everything at a point a
void cfi_moveImplicitFlex(cfImplicitProblem* p, const mjtNum* a);

// the minimum, from a start that must not be p->a
void cfi_solveImplicitFlex(cfImplicitProblem* p, const mjtNum* start);

// Where strains are too large for the stiffness at the start of the step, go on from the minimum
// to one of the true incremental potential (largestrain.c).
void cfi_refineLargeStrain(cfImplicitProblem* p);

#endif  // CF_PIPELINE_IMPLICITFLEX_H
