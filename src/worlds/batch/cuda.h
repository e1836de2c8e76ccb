// Worlds on an NVIDIA GPU.
//
// The driver is opened at run time (libcuda.so.1), so nothing of CUDA is needed to build or to run
// on a CPU.  Kernels come from the file `cortenforge.kernels` beside the library (tools/gpu).
// Records of worlds lie in device memory in the form that they have on the host; the host has a
// copy of each field that is fetched when somebody reads it.  Steps are queued on a stream of the
// batch and run while the caller goes on.
#ifndef CF_BATCH_CUDA_H
#define CF_BATCH_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/platform.h"
#include "batch/batch.h"
#include "device/job.h"
#include "team/tier.h"

typedef uint64_t cfDevicePointer;

// CUDA_MEMCPY2D of the driver's interface
typedef struct {
  size_t from_x, from_y;
  int from_kind;
  const void* from_host;
  cfDevicePointer from_device;
  void* from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  int to_kind;
  void* to_host;
  cfDevicePointer to_device;
  void* to_array;
  size_t to_pitch;
  size_t width, height;
} cfCopy2d;

enum { CF_CUDA_HOST = 1, CF_CUDA_DEVICE = 2 };

// the functions of the driver, by their names there; zero is success
typedef struct {
#define CF_CUDA_FUNCTION(name, arguments) int(*name) arguments;
#include "batch/cudadriver.def"
#undef CF_CUDA_FUNCTION
} cfCudaDriver;

// what the driver offers, opened once per process; NULL and a reason when there is none
const cfCudaDriver* cfi_cudaDriver(char* reason, size_t nreason);

// A thread that starts the driver while the batch is prepared.  It alone has driver, device and
// context of the batch until it is joined.
typedef struct {
  cfThread thread;
  bool is_beside;      // it has not been joined
  int result;          // of the driver
  const char* failed;  // what that is of
  char reason[300];    // why there is no driver
} cfCudaStart;

typedef struct cfCuda_ {
  cfCudaStart start;
  const cfCudaDriver* driver;
  int device;
  void *context, *module, *stream;
  void* kernel;
  size_t local_bytes;  // of local memory per world; 0: it needs too much, all is in the pool
  bool is_rounded;     // with rounded sizes in the arena
  size_t data_bytes;   // sizeof(mjData) on the device
  int block;           // threads of a block

  cfDevicePointer model, record, part, status, mask, job, pool, parameter;
  cfDevicePointer order, load_count, load_begin;  // of worlds by their load; 0: too few for that
  cfDevicePointer* value;                         // of each parameter
  int nvalue;
  size_t pool_bytes;  // per world
  int nslot;          // worlds that the pool holds
  bool* is_fresh;     // per part: the host's copy is that of the device
  bool is_shared;     // somebody has the address of device memory, so no copy stays fresh
  bool has_new_parameters;
  bool has_status;           // the host's counters of worlds are those of the device
  int64_t opened[2];         // worlds that the launches of the fast tier left open
  int owed;                  // steps of the fast tier that may have left worlds open; 0: none
  size_t trial_arena;        // bytes that a trial run took
  cfTeamShape trial;         // most contacts and rows of a longer one, for the fast tier
  struct cfCudaTeam_* team;  // the fast tier; NULL: the base tier steps all worlds
  bool may_team;             // it can step this model, if parameters of worlds allow it

  // while parameters are sent to it: their place on the host, its first world, a reason against
  char* own_portion;
  int own_first;
  _Atomic(const char*) own_foreign;
} cfCuda;

// all return 0 with a message in batch->error when they fail
int cfi_cudaPrepare(cfBatch* batch);  // before the rest of the batch is made
int cfi_cudaOpen(cfBatch* batch);
void cfi_cudaClose(cfBatch* batch);
int cfi_cudaRun(cfBatch* batch, cftDeviceTask task, int nstep, int key, const mjtByte* mask);
int cfi_cudaWait(cfBatch* batch);

// a field of all worlds between the host's records and the device's; NULL: all that is carried
int cfi_cudaFetch(cfBatch* batch, const cfBatchPart* part);
int cfi_cudaSend(cfBatch* batch, const cfBatchPart* part);
int cfi_cudaFetchStatus(cfBatch* batch);

// the fast tier: tried on the host, chosen and opened, closed, steps that leave worlds open for the
// base tier where it could not finish them
void cfi_cudaTryTeam(cfBatch* batch);
int cfi_cudaOpenTeam(cfBatch* batch);
void cfi_cudaCloseTeam(cfBatch* batch);
int cfi_cudaOwnTeam(cfBatch* batch);               // after parameters of worlds have changed
bool cfi_cudaHasTeam(const cfBatch* batch);        // for the next step
int cfi_cudaStepTeam(cfBatch* batch, int nstep);   // all worlds, queued
int cfi_cudaFinishTeam(cfBatch* batch, int nstep,  // waits for it, and again those that it left
                       int* left);                 // open; left: still open
size_t cfi_cudaTeamBytes(const cfBatch* batch);    // of shared memory per world

// before somebody looks at the worlds: those that the fast tier left open are finished
int cfi_cudaSettle(cfBatch* batch);

// steps of opening; the driver's start is beside the caller until somebody asks whether it was good
void cfi_cudaStart(cfCuda* c);
int cfi_cudaStarted(cfBatch* batch);
void cfi_cudaJoin(cfCuda* c);
int cfi_cudaCheck(cfBatch* batch, int result, const char* what);
int cfi_cudaAllows(cfBatch* batch);
int cfi_cudaLoadKernels(cfBatch* batch);
int cfi_cudaLoadTeam(cfBatch* batch, void** module);  // 0 and a message: there are none
void cfi_cudaTryArena(cfBatch* batch);
int cfi_cudaChooseMemory(cfBatch* batch);
int cfi_cudaSendModel(cfBatch* batch);
int cfi_cudaSendParameters(cfBatch* batch);
int cfi_cudaAllocate(cfBatch* batch, cfDevicePointer* memory, size_t bytes, const char* what);

#endif  // CF_BATCH_CUDA_H
