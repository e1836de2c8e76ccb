// Rollouts: one model from many initial states, each with controls of its own, on all processors.
//
// Every rollout has the bits that a lone mjData gives, whatever the number of threads and the order
// in which they come to it.
#ifndef CORTENFORGE_ROLLOUT_H_
#define CORTENFORGE_ROLLOUT_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What to roll out. Arrays are given by the caller; those that may be NULL say so.
typedef struct cfRollout_ {
  int nroll;                    // number of rollouts
  int nstep;                    // steps of each
  const mjtNum* initial_state;  // nroll x size of mjSTATE_FULLPHYSICS
  const mjtNum* initial_warm;   // nroll x nv, start of the solver (qacc_warmstart); NULL: zero
  unsigned int control_spec;    // what control holds, bits of mjtState; 0: mjSTATE_CTRL
  const mjtNum* control;        // nroll x nstep x size of control_spec; NULL: the inputs of a reset
  mjtNum* state;       // nroll x nstep x size of mjSTATE_FULLPHYSICS, after each step; NULL
  mjtNum* sensordata;  // nroll x nstep x nsensordata, after each step; NULL
} cfRollout;

/// Roll out. Returns the number of rollouts that became unstable (bad numbers in qpos, qvel or
/// qacc), whose remaining rows repeat the last state; -1 after `mju_error` on bad arguments.
///
/// `d` are `ndata` simulations of `m` to work with, one per thread at most; their content may be
/// overwritten, and which of them did which rollout is not defined. `pool` says how many threads
/// there are; NULL: the caller works alone. The model must not change meanwhile.
///
/// Several rollouts of a model with lanes (docs/batch.md) are worlds of a batch that the call makes
/// and frees; rollouts of other models allocate nothing. To roll out repeatedly,
/// keep a batch and call cf_batchRollout instead.
MJAPI int cf_rollout(const mjModel* m, mjData* const* d, int ndata, mjThreadPool* pool,
                     const cfRollout* rollout);

#ifdef __cplusplus
}
#endif

#endif  // CORTENFORGE_ROLLOUT_H_
