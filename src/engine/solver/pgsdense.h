// Sweeps of projected Gauss-Seidel over a dense matrix.
#ifndef CF_SOLVER_PGSDENSE_H
#define CF_SOLVER_PGSDENSE_H

#include <stdbool.h>

#include "solver/dual.h"
#include "solver/dualplanar.h"

// rows that are solved together: an elliptic contact, or up to four scalar rows
typedef struct {
  int row, count;
  int slot;                                   // of the first row
  const mjtNum* line[8];                      // rows of A; those behind the last are zero
  const mjContact* con;                       // NULL: scalar rows
  mjtNum block[CF_BLOCK_MAX * CF_BLOCK_MAX];  // of a contact: its part of A
  cfPlanar planar;                            // of a contact of three rows
} cfDenseUnit;

// each unit begins on a whole vector, so that its forces are read and written as one
typedef struct {
  int nunit, width;  // slots of all units
  int nsweep;        // sweeps made
  cfDenseUnit* unit;
  mjtNum *force, *b, *inverse, *lowest, *highest;  // width each, zeros between units
  mjtNum* res;                                     // width: b + A*force, kept up to date
} cfDenseSweep;

// bounds of a scalar force: none, friction loss, non-negative
void cfi_boundForce(const mjData* d, int row, mjtNum* lowest, mjtNum* highest);

// false where the matrix is sparse for good, or memory is short
bool cfi_beginDenseSweep(cfDenseSweep* s, const cfDual* dual);

// all units once, forces to efc_force; returns the improvement
mjtNum cfi_sweepDense(cfDenseSweep* s, mjData* d);

#endif  // CF_SOLVER_PGSDENSE_H
