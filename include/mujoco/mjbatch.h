// Many simulations of one model: the functions mjb_ that later versions of MuJoCo have, for
// programs that use them.  cortenforge/batch.h has what they stand on, and more.
//
// Simulations are rows of numbers (mjSTATE_INTEGRATION) that the caller reads and writes; a call
// takes them in, steps them in vector lanes and threads, and puts them back.  Each simulation has
// the bits of a lone mjData, whatever the number of threads.  One that raises an error keeps the
// state before the call; mjb_status lists it, mjb_error says why, and the others go on.
//
// Calls with arguments that cannot be (ids out of range or given twice, negative counts) raise
// mju_error and change nothing.  A batch is used by one thread at a time.
#ifndef MUJOCO_MJBATCH_H_
#define MUJOCO_MJBATCH_H_

#include <mujoco/mjdata.h>
#include <mujoco/mjexport.h>
#include <mujoco/mjmodel.h>
#include <mujoco/mjtnum.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mjBatch_ mjBatch;

// what mjb_apply runs on a simulation
typedef void (*mjfBatchFunc)(const mjModel* m, mjData* d, int sim, void* arg);

typedef struct mjBatchConfig_ {
  int nthread;         // threads, the caller's included; 0 or less: one per processor
  mjtByte persistent;  // every simulation has an mjData of its own, which no lanes can step
} mjBatchConfig;

// what mjb_rollout records after each step
typedef struct mjBatchRecord_ {
  const char* field;  // field of mjData, as for mjb_output; NULL: a state
  int spec;           // the state: bits of mjtState
  void* buf;          // simulations of the call x steps x size
} mjBatchRecord;

// One thread per processor, not persistent.
MJAPI void mjb_defaultConfig(mjBatchConfig* config);

// Make `nsim` simulations of a copy of the model, in the reset state.  NULL and a message: it
// cannot be done.  config, error: may be NULL.
MJAPI mjBatch* mjb_makeBatch(const mjModel* m, int nsim, const mjBatchConfig* config,
                             char* error, int error_sz);
MJAPI void mjb_deleteBatch(mjBatch* b);

// Numbers, threads and model of a batch.
MJAPI int mjb_nsim(const mjBatch* b);
MJAPI int mjb_nthread(const mjBatch* b);
MJAPI int mjb_persistent(const mjBatch* b);
MJAPI const mjModel* mjb_model(const mjBatch* b);

// Numbers of a row: mj_stateSize(m, mjSTATE_INTEGRATION).
MJAPI int mjb_nstate(const mjBatch* b);

// The rows of all simulations, in the order of mj_getState; what is written there is where the next
// call starts.
MJAPI mjtNum* mjb_state(mjBatch* b);

// A component (one bit of mjtState) in the first row; the next row is mjb_nstate numbers further.
// NULL: it is no such bit.  size: may be NULL.
MJAPI mjtNum* mjb_stateComponent(mjBatch* b, int component, int* size);

// Warnings of all simulations (nsim x mjNWARNING), since they were made or reset.
MJAPI mjWarningStat* mjb_warning(mjBatch* b);

// In the calls below `ids` names `nid` simulations, NULL: all; they return how many have failed.

// Take `nstep` steps, then compute what belongs to the new state up to a stage (mjtStage).
MJAPI int mjb_step(mjBatch* b, const int* ids, int nid, int nstep, int stage);

// Compute up to a stage; mjSTAGE_ACC: mj_forward.
MJAPI int mjb_forward(mjBatch* b, const int* ids, int nid, int stage);

// Reset to keyframes (one per simulation of the call; -1, or NULL for all: none), then compute up
// to a stage.
MJAPI int mjb_reset(mjBatch* b, const int* ids, int nid, const int* key, int stage);

// Take `nstep` steps.  control: inputs (bits of control_spec) before each step, simulations of the
// call x nstep x size; NULL: they stay what they are.  A simulation that raises a warning stops;
// its further records repeat the last ones.
MJAPI int mjb_rollout(mjBatch* b, const int* ids, int nid, int nstep, const mjtNum* control,
                      int control_spec, const mjBatchRecord* record, int nrecord);

// Run a function on the mjData of each simulation.  save: the state, and the outputs, are kept.
MJAPI int mjb_apply(mjBatch* b, const int* ids, int nid, mjfBatchFunc func, void* arg, int save);

// Of each simulation: did its last call raise an error, and which ("": none).
MJAPI const int* mjb_status(const mjBatch* b);
MJAPI const char* mjb_error(const mjBatch* b, int sim);

// Keep a field of mjData after every call (nsim x size elements of elemsize bytes); zero until
// then.  NULL: there is no such field, or its size changes from step to step.
MJAPI void* mjb_output(mjBatch* b, const char* name, int* size, int* elemsize);

// Give a parameter of the model ("body_mass", "opt.gravity", ...) a value per simulation, which the
// caller reads and writes (nsim x size).  NULL: simulations share it (docs/batch.md says which they
// do).  Constants that follow from it are found by the next call that has the simulation; values
// that no model can have make the simulation fail.
MJAPI void* mjb_expand(mjBatch* b, const char* name, int* size, int* elemsize);

// The same for what has values per simulation already, constants included; NULL: it has none.
MJAPI const void* mjb_expanded(mjBatch* b, const char* name, int* size, int* elemsize);

// Find the constants of simulations now.
MJAPI int mjb_setConst(mjBatch* b, const int* ids, int nid);

// Run simulation i on models[i], which the caller keeps and which have the sizes of the batch's
// model; NULL: on the batch's.  Not together with mjb_expand.
MJAPI void mjb_setModels(mjBatch* b, const mjModel* const* models);

// Write the model of a simulation into `m`, a copy of mjb_model; its state, and the whole mjData of
// a persistent batch, into `d`.
MJAPI void mjb_getModel(mjBatch* b, int sim, mjModel* m);
MJAPI void mjb_getData(mjBatch* b, int sim, mjData* d);

#ifdef __cplusplus
}
#endif

#endif  // MUJOCO_MJBATCH_H_
