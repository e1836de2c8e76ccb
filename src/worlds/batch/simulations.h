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
  int* left;  // what lanes leave
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

// a number of a call lies in its range, or an error is raised
bool cfi_checkSimulationNumber(const char* caller, const char* what, int number, int low, int high);

// around a call: the list of those that take part, with their rows and parameters (false: an error
// was raised); the list without those that have failed; rows and outputs back, and how many failed
bool cfi_beginSimulations(mjBatch* b, const char* caller, const int* ids, int nid);
void cfi_keepGoodSimulations(mjBatch* b);
int cfi_endSimulations(mjBatch* b);

// a task for simulations of a list; an error in one of them makes it fail
void cfi_runSimulations(mjBatch* b, cfBatchTask task, const int* list, int n);
const mjModel* cfi_modelOfSimulation(cfBatchWorker* worker, int sim);

// compute up to the stage of the call
void cfi_computeStage(cfBatchWorker* worker, int sim);

#endif  // CF_BATCH_SIMULATIONS_H
