// Interpolated flexes: elastic forces between the nodes of a grid, and their implicit step.
#ifndef CF_FLEX_GRID_H
#define CF_FLEX_GRID_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "flex/stiffness.h"

// numbers per element that flex_stiffness reserves; a grid's matrix lies in the place of its
// elements
enum { PACKED_GRID = 21 };

// the flex is interpolated and elastic
bool cfi_hasGridForces(const mjModel* m, int f);

// qfrc_spring, qfrc_damper += elastic and damping forces of an interpolated flex
void cfi_gridForces(const mjModel* m, mjData* d, int f, bool has_spring, bool has_damper);

// elastic energy of an interpolated flex
mjtNum cfi_gridEnergy(const mjModel* m, mjData* d, int f);

// the dofs of nodes as a dense system of their own (gridimplicit.c)
typedef struct {
  int ndof;           // dofs of all nodes; 0: there is nothing to do
  int* dof;           // their global numbers
  mjtNum* H;          // ndof x ndof, factored
  int ncoupling;      // entries of the system that couple a node to other dofs
  int *row, *column;  // node dof by its place in dof, other dof by its global number
  mjtNum* coupling;
} cfGridSystem;

// the part of a symmetric or full sparse system that concerns nodes, with (h^2 + h*damping)*K
// added; everything on the stack of d
cfGridSystem cfi_gridSystem(const mjModel* m, mjData* d, const mjtNum* system, const int* rownnz,
                            const int* rowadr, const int* colind);

// replace the accelerations of node dofs in qacc, the solution without grids, by the solution of
// the reduced system
void cfi_solveGrid(const mjModel* m, mjData* d, const cfGridSystem* grid, mjtNum* qacc,
                   const mjtNum* qfrc);

// the same for matrices that are put together elsewhere: true if a flex has such a part; the part
// over the dofs of its nodes, on the stack of d; res += what cfi_solveGrid adds to the forces
bool cfi_gridIsStiff(const mjModel* m, int f);
cfClique cfi_gridClique(const mjModel* m, mjData* d, int f);
void cfi_subGridVelocity(mjtNum* res, const mjModel* m, mjData* d, int f);

#endif  // CF_FLEX_GRID_H
