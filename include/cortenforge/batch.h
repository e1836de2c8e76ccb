// Many worlds of one model, stepped together.
//
// A batch owns a copy of the model and the state of every world.  Worlds are independent: each has
// the bits that a lone mjData would have, whatever the number of threads.  Fields are read and
// written by name, for all worlds or for chosen ones, and model parameters (masses, friction,
// gains, sizes of geoms, ...) may differ from world to world.  A world that becomes unstable or
// raises an error is reset or frozen and counted; the others go on.
//
// Functions that can fail return 1, or 0 with a message in cf_batchError and nothing changed.
// A batch is used by one thread at a time; different batches are independent.
#ifndef CORTENFORGE_BATCH_H_
#define CORTENFORGE_BATCH_H_

#include <stdint.h>

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cfBatch_ cfBatch;
struct DLManagedTensor;           // of dlpack.h
struct DLManagedTensorVersioned;  // of dlpack.h since version 1.0

/// Where the worlds are stepped.
typedef enum cftBackend_ {
  CF_BACKEND_CPU = 0,
  CF_BACKEND_CUDA = 1,  // an NVIDIA GPU; needs its driver and the file cortenforge.kernels
} cftBackend;

/// What happens to a world whose numbers are bad or that raises an error.
typedef enum cftUnstable_ {
  CF_UNSTABLE_RESET = 0,   // it starts again from the reset state
  CF_UNSTABLE_FREEZE = 1,  // it keeps the state before the call that failed, until it is reset
} cftUnstable;

/// How values of several worlds follow each other.
typedef enum cftOrder_ {
  CF_ORDER_WORLD = 0,  // all values of a world, then the next world
  CF_ORDER_FIELD = 1,  // one value of all worlds, then the next value
} cftOrder;

/// Element type of a field.
typedef enum cftElement_ {
  CF_ELEMENT_NUM = 0,      // mjtNum
  CF_ELEMENT_INT = 1,      // int
  CF_ELEMENT_BYTE = 2,     // mjtByte
  CF_ELEMENT_CONTACT = 3,  // mjContact
  CF_ELEMENT_OTHER = 4,    // anything else; cfBatchField.nbyte says how long
} cftElement;

/// How worlds on a GPU are stepped.
typedef enum cftTier_ {
  CF_TIER_AUTO = 0,  // the fast tier where it has all that the model and the outputs need
  CF_TIER_BASE = 1,  // one thread per world, the engine's own code: the bits of the CPU
  CF_TIER_FAST = 2,  // a team of threads per world: equal to rounding; no batch where it cannot
} cftTier;

/// Numbers of the fast tier; worlds are kept in double precision between calls.
typedef enum cftPrecision_ {
  CF_PRECISION_DOUBLE = 0,
  CF_PRECISION_SINGLE = 1,
} cftPrecision;

/// Which state of a step the outputs cacc, cfrc_int and cfrc_ext belong to; one matters for RK4
/// alone.
typedef enum cftReactions_ {
  CF_REACTIONS_FIRST = 0,  // the state before the step, as sensors see them
  CF_REACTIONS_LAST = 1,   // the last of the four evaluations, to which the other outputs belong:
                           // cfrc_ext is then what mj_rnePostConstraint gives after mj_step
} cftReactions;

typedef struct cfBatchOptions_ {
  cftBackend backend;
  int nthread;  // threads that step, the caller included; 0: one per processor
  cftUnstable unstable;
  const char* outputs;  // fields of mjData that are kept after a step besides the state, separated
                        // by spaces or commas; NULL: sensordata
  int ncontact;         // contacts kept per world when outputs name `contact`
  mjtNum noise_scale;   // control noise, relative to the control range; 0: none
  mjtNum noise_rate;    // its correlation time in seconds
  uint64_t seed;        // of the noise; each world has its own sequence
  int nlane;            // worlds per vector register: 4 (AVX2), 8 (AVX-512) or 1 (one after the
                        // other); 0: what suits model and processor.  Results are the same
  mjtSize narena;       // on a GPU: bytes of arena that worlds have at first; 0: as a trial run of
                   // one world needs.  Worlds that need more are stepped again with the model's
  cftTier tier;            // on a GPU
  cftPrecision precision;  // of the fast tier
  cftReactions reactions;  // of RK4; on a GPU CF_REACTIONS_FIRST alone
} cfBatchOptions;

/// One field that a batch can read or write.
typedef struct cfBatchField_ {
  const char* name;
  cftElement element;
  int nbyte;             // bytes per element
  mjtSize count;         // elements per world
  mjtByte is_writable;   // state, control or model parameter
  mjtByte is_parameter;  // belongs to the model
} cfBatchField;

/// What happened to one world since the batch was made.
typedef struct cfWorldStatus_ {
  int64_t nstep;            // steps taken
  int nlost;                // times it became unstable or raised an error
  mjtByte is_frozen;        // it does not step until it is reset
  int warning[mjNWARNING];  // how often each warning was raised
  int64_t nagain;           // on a GPU: steps of `nstep` that the base tier took in global memory,
                            // because the fast tier or local memory could not
  char reason[120];         // why it was lost the last time; empty: it never was
} cfWorldStatus;

MJAPI void cf_defaultBatchOptions(cfBatchOptions* options);

/// Make a batch of `nworld` worlds in their reset state.
///
/// @param m        copied; later changes of it have no effect on the batch
/// @param options  NULL: defaults
/// @param error    receives a message when the result is NULL; may be NULL
MJAPI cfBatch* cf_makeBatch(const mjModel* m, int nworld, const cfBatchOptions* options,
                            char* error, int nerror);
MJAPI void cf_freeBatch(cfBatch* batch);

/// Return the message of the last call on this batch that failed; empty if none did.
///
/// A step that loses worlds has not failed: cfWorldStatus says why they are lost.
MJAPI const char* cf_batchError(const cfBatch* batch);

MJAPI int cf_batchSize(const cfBatch* batch);
MJAPI const mjModel* cf_batchModel(const cfBatch* batch);

/// Return how many worlds are stepped together in one vector register: 8, 4 or 1.
///
/// It is 1 where the processor has no such registers or the model needs a feature without a lane
/// form (docs/batch.md lists them).
MJAPI int cf_batchLanes(const cfBatch* batch);

/// Return the tier that steps the worlds: CF_TIER_BASE or CF_TIER_FAST.
///
/// Whether parameters that were set since the last step suit the fast one, the next step finds out.
///
/// @param reason  receives why it is not the fast one; may be NULL
MJAPI cftTier cf_batchTier(const cfBatch* batch, const char** reason);

/// Return the bytes that one more world takes, model parameters included.
MJAPI mjtSize cf_batchWorldBytes(const cfBatch* batch);

/// Describe a field: an array or a number of mjData that is kept, or a parameter of the model.
///
/// Parameters have the names of mjModel's arrays ("body_mass") or "opt." and the name of an option
/// ("opt.gravity").
MJAPI int cf_batchField(cfBatch* batch, const char* name, cfBatchField* field);

/// Copy a field out of or into worlds.
///
/// @param world   ids of `nworld` worlds; NULL: the first `nworld`
/// @param values  `nworld` times cfBatchField.count elements of its type
/// @note Derived constants of the model follow its parameters, as mj_setConst computes them.
///       Bounding volumes follow sizes and frames of geoms ("geom_size", "geom_pos", ...); masses
///       and inertias do not, they are parameters of their own.
MJAPI int cf_batchGet(cfBatch* batch, const char* name, const int* world, int nworld,
                      cftOrder order, void* values);
MJAPI int cf_batchSet(cfBatch* batch, const char* name, const int* world, int nworld,
                      cftOrder order, const void* values);

/// Copy state vectors, as mj_getState and mj_setState do; `sig` is a combination of mjtState.
MJAPI int cf_batchGetState(cfBatch* batch, unsigned int sig, const int* world, int nworld,
                           mjtNum* state);
MJAPI int cf_batchSetState(cfBatch* batch, unsigned int sig, const int* world, int nworld,
                           const mjtNum* state);

/// Take `nstep` steps in every world that is not frozen.
MJAPI int cf_batchStep(cfBatch* batch, int nstep);

/// The same in some worlds alone: those whose byte in `mask` is not zero, all if it is NULL.
///
/// The others stay as they are, their outputs, counters and noise included.
/// @return 0 with a message for a mask and worlds on a GPU
MJAPI int cf_batchStepMasked(cfBatch* batch, const mjtByte* mask, int nstep);

/// Compute everything but the next state in every world that is not frozen: mj_forward.
MJAPI int cf_batchForward(cfBatch* batch);

/// The same in some worlds alone, as cf_batchStepMasked.
MJAPI int cf_batchForwardMasked(cfBatch* batch, const mjtByte* mask);

/// Reset worlds: those whose byte in `mask` is not zero, all if it is NULL.
///
/// @param key  keyframe to start from; -1: none
MJAPI int cf_batchReset(cfBatch* batch, const mjtByte* mask, int key);

/// Many steps with controls for each of them, and a history of what happens.  `nworld` is that of
/// the batch; rows of worlds without a part in it are neither read nor written.
typedef struct cfBatchRollout_ {
  int nrow;                   // rows of controls and of the history
  int nsubstep;               // steps that each row takes; 0: 1
  const mjtByte* mask;        // worlds that take part, as in cf_batchStepMasked; NULL: all
  unsigned int control_spec;  // what `control` holds, bits of mjtState; 0: mjSTATE_CTRL
  const mjtNum* control;      // nworld x nrow x its size, set before the first step of each row;
                              // NULL: inputs stay what they are
  unsigned int state_spec;    // what `state` holds, bits of mjtState; 0: mjSTATE_FULLPHYSICS
  mjtNum* state;              // nworld x nrow x its size, after each row; NULL: none
  int nrecord;                // fields with a history
  const char* const* record;  // their names: states, and outputs of the batch
  void* const* history;       // of each: nworld x nrow x cfBatchField.count elements of its type
} cfBatchRollout;

/// Step worlds from where they are, in lanes where the model has them.
///
/// A world that is lost ends as in cf_batchStep.  From the row on in which that happens its rows
/// repeat the one before; without one they have what the world has after the call.  The same holds
/// for worlds that are frozen.
/// @return 0 with a message for a name that worlds do not keep, and for worlds on a GPU
MJAPI int cf_batchRollout(cfBatch* batch, const cfBatchRollout* rollout);

MJAPI int cf_batchStatus(cfBatch* batch, int world, cfWorldStatus* status);

/// Return how often worlds were lost, all together.
MJAPI int64_t cf_batchLost(cfBatch* batch);

/// Return how often the fast tier left a world open because it had no room for its contacts and
/// rows or met bad numbers, all calls together: a second launch with more room stepped it.
///
/// @param by_base  receives how many of them the base tier had to step after that; may be NULL
MJAPI int64_t cf_batchOpened(cfBatch* batch, int64_t* by_base);

/// Give the address of a field in the memory of the GPU.
///
/// World w has its values at `address` + w * `stride` (bytes), elements as cf_batchField says. What
/// is written there is read by the next step.  Work on it belongs on cf_batchStream, or behind
/// cf_batchWait.
/// @return 0 with a message where worlds are on the CPU or the field is not in their records
MJAPI int cf_batchDevicePointer(cfBatch* batch, const char* name, void** address, mjtSize* stride);

/// Give a field of all worlds as a DLPack tensor of `nworld` rows, on the CPU or on the GPU.
///
/// NumPy, torch, JAX and CuPy read and write it in place (examples/batch_torch.py).  The caller
/// ends it by its `deleter`, or hands it on in a capsule named "dltensor"; the memory belongs to
/// the batch and must not be used after cf_freeBatch.  On a GPU the rules of cf_batchDevicePointer
/// hold, and parameters have no tensors.
///
/// Numbers that are written into a parameter count from the next call on, as if cf_batchSet had
/// been called: constants of the model follow.  What cf_batchSet would refuse makes that call fail
/// and change nothing, until it is mended.  cf_batchGet, cf_batchSet and derived constants show in
/// the tensor.
/// @return NULL with a message where the field is not made of numbers or not kept
MJAPI struct DLManagedTensor* cf_batchTensor(cfBatch* batch, const char* name);

/// The same with the struct of DLPack 1.0, for capsules named "dltensor_versioned".  The flag of
/// tensors that may only be read is set for results of steps.
MJAPI struct DLManagedTensorVersioned* cf_batchTensorVersioned(cfBatch* batch, const char* name);

/// Let what was written into tensors of parameters count now; every other call does so, too.
MJAPI int cf_batchCommit(cfBatch* batch);

/// Return the CUDA stream (CUstream) on which the steps of a batch are queued; NULL on the CPU.
MJAPI void* cf_batchStream(const cfBatch* batch);

/// Wait until everything that was queued is done.
MJAPI int cf_batchWait(cfBatch* batch);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_BATCH_H_
