// Solver statistics in mjData.
#ifndef CF_SOLVER_STATS_H
#define CF_SOLVER_STATS_H

#include <mujoco/mjdata.h>

// keep the record of one iteration where there is room; island -1 is all rows, recorded as island 0
static inline void cfi_saveStat(mjData* d, int island, int iteration, const mjSolverStat* stat) {
  int slot = island < 0 ? 0 : island;
  if (slot < mjNISLAND && iteration < mjNSOLVER) {
    d->solver[slot * mjNSOLVER + iteration] = *stat;
  }
}

// add iterations and set the number of nonzeros
static inline void cfi_saveTotals(mjData* d, int island, int iterations, int nnz) {
  int slot = island < 0 ? 0 : island;
  if (slot < mjNISLAND) {
    d->solver_niter[slot] += iterations;
    d->solver_nnz[slot] = nnz;
  }
}

#endif  // CF_SOLVER_STATS_H
