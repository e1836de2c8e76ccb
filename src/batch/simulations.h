// Simulations of mujoco/mjbatch.h: rows of numbers in front of a batch of worlds.
//
// The batch inside has the outputs that were asked for so far; another output makes it anew, with
// what worlds and parameters had.
#ifndef CF_BATCH_SIMULATIONS_H
#define CF_BATCH_SIMULATIONS_H

#include <mujoco/mjbatch.h>

#include "batch/batch.h"
#include "batch/course.h"

// a field of mjData that is kept
typedef struct {
  const cfFieldInfo* info;
  size_t bytes;  // of a simulation
  char* values;  // of all; NULL: only records of rollouts need it
} simulationOutput;

struct mjBatch_ {
  cfBatch* worlds;
  mjModel* model;
  cfBatchOptions options;
  bool is_persistent;
  int nsim, nstate;
  mjtNum* state;
  mjWarningStat* warning;
  int* status;
  char* error;             // CF_BATCH_TEXT bytes each
  const mjModel** models;  // of callers; NULL: that of the batch
  simulationOutput* output;
  int noutput, nkept;  // asked for; kept by the batch inside

  // the call: simulations that take part, as a list without those that have failed, and as bytes;
  // their places in the list of the caller
  int *list, *place;
  mjtByte* mask;
  int n, ncalled;
  int nstep, stage;
  const int* key;
  mjfBatchFunc function;
  void* argument;
  bool saves;
};

// text of a simulation's error
char* cfi_simulationError(const mjBatch* b, int sim);
void cfi_failSimulation(mjBatch* b, int sim, const char* text);

// make the batch inside anew if there are outputs that it does not keep; 0 and a message: it cannot
int cfi_openSimulations(mjBatch* b, char* error, int nerror);

// a field that the batch inside is to keep, -1: mjData has no such field to keep
int cfi_addSimulationOutput(mjBatch* b, const char* name);

// rows and warnings of a simulation to its world, and back with the outputs
void cfi_takeRow(const mjBatch* b, int sim);
void cfi_putRow(const mjBatch* b, int sim);

#endif  // CF_BATCH_SIMULATIONS_H
