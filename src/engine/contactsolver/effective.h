// The matrix that turns forces of a step into its accelerations.
//
// A contact force that is found with another matrix than the integrator solves with is wrong by the
// ratio of the two: with strong dampers contacts open and close in turns, grasps creep.  The
// integrator advances velocities by h*a with
//
//   A*a = b + J'f,   A = S + N + cliques
//
//   Euler               S = M + h*diag(damping)
//   implicit(fast)      S + N = M - h*dF/dv, S its symmetric part; N = 0 for implicitfast
//   RK4                 S = M
//   grids of nodes      cliques (h^2 + h*damping)*K with the two implicit integrators
//   implicit stiffness  cliques h*D + h^2*K of flexes, with all but RK4
//
// and b = qfrc_smooth - h*K*qvel.
#ifndef CF_CONTACTSOLVER_EFFECTIVE_H
#define CF_CONTACTSOLVER_EFFECTIVE_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "flex/stiffness.h"

typedef struct {
  const mjModel* m;
  mjData* d;
  mjtNum* S;      // nD: symmetric, in the pattern D of the model
  mjtNum* N;      // nD: antisymmetric; NULL: none
  mjtNum* force;  // nv: b
  int nclique;
  const cfClique* clique;
  bool has_stiffness;    // flexes with implicit stiffness are part of it
  cfFlexStiffness flex;  // theirs
} cfEffective;

// The matrix of this step, on the stack of d.  Writes qDeriv with the implicit integrators.
cfEffective cfi_effective(const mjModel* m, mjData* d);

// True if flexes with implicit stiffness are part of the matrix of this step.
bool cfi_effectiveStiffness(const mjModel* m);

// Entry of M in the pattern D.
static inline mjtNum cfi_massInD(const mjModel* m, const mjData* d, int k) {
  return m->mapM2D[k] >= 0 ? d->M[m->mapM2D[k]] : 0;
}

// Let qfrc_smooth and qacc_smooth hold the forces of flexes at the end of the step, so that the
// integrator, which does not know their stiffness, finds the accelerations a.
void cfi_endStiffness(const cfEffective* effective, const mjtNum* a);

#endif  // CF_CONTACTSOLVER_EFFECTIVE_H
