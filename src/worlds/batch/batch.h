// Parts of a batch that its files share.
//
// A world is a record: the fields that a step reads from the step before (all of writer INPUT, and
// the energies, which sensors see a stage late) and the outputs that were asked for, end to end.
// Every worker thread has one mjData; it takes a world's record in, steps, and puts the record
// back.  Where more than that lives from step to step (sleep, plugins) every world has an mjData of
// its own.
#ifndef CF_BATCH_BATCH_H
#define CF_BATCH_BATCH_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cortenforge/batch.h>

#include "base/pace.h"
#include "base/platform.h"
#include "tables/fields.h"

// steps of worlds in lanes after which they are put in order again
enum { CF_BATCH_TEXT = 400, CF_BATCH_THREADS = 256, CF_BATCH_PIECE = 10 };

// a field in the records of worlds
typedef struct {
  const cfFieldInfo* info;
  size_t offset, bytes;  // in the record
  bool is_state;         // the caller may set it
  bool is_carried;       // the next step reads it
} cfBatchPart;

// a field of the model that differs between worlds
typedef struct {
  char name[48];            // as users write it
  const cfFieldInfo* info;  // NULL: the statistics
  size_t bytes;             // per world
  char* value;              // of all worlds
  char* live;               // what the caller sees and writes, taken over by the next call; or NULL
  bool is_derived;          // it follows from others
  bool is_set;              // the caller has set it
} cfBatchParameter;

// a world among those that are stepped in lanes, in their order
typedef struct {
  int world;
  uint64_t kind;  // rows, contacts and iterations of its last step
} cfBatchPlace;

typedef struct {
  struct cfBatch_* batch;
  mjData* data;
  mjModel* model;              // with the parameters of one world; NULL while worlds have none
  jmp_buf way_out;             // where an error leads
  char text[CF_BATCH_TEXT];    // of the last error
  cfThread thread;             // of all but the first
  struct cfLaneGroup_* lanes;  // worlds that it steps together; NULL: one after the other
} cfBatchWorker;

// what is done with one world; runs on a worker, and may end by an error
typedef void (*cfBatchTask)(cfBatchWorker* worker, int world);

struct cfBatch_ {
  mjModel* model;
  cfBatchOptions options;
  bool is_persistent;      // each world has an mjData of its own, whatever the model
  struct mjBatch_* owner;  // simulations that it serves; or NULL
  int nworld;
  char error[CF_BATCH_TEXT];

  cfBatchPart* part;
  int npart;
  bool wants_reactions, has_last_reactions;  // these: of the last evaluation of Runge-Kutta
  size_t stride;                             // bytes of a record
  char* record;
  char*
      kept;  // records before a call in pieces, whose lost worlds take them back; made when needed
  mjData** whole;  // data of each world; NULL: records do
  cfWorldStatus* status;

  cfBatchParameter* parameter;
  int nparameter;
  const struct cfLaneKernels_* kernels;  // of lanes; NULL: worlds are stepped one after the other
  cfBatchPlace* place;                   // of all worlds, where there are lanes
  int nplace;                            // the first ones, which take part in the call

  struct cfCuda_* cuda;             // worlds on a GPU; NULL: on the CPU
  char tier_reason[CF_BATCH_TEXT];  // why the fast tier does not step them; empty: it does

  // workers; the first one is the caller's thread
  cfBatchWorker* worker;
  int nworker, nslot;  // that run; places for them
  cfMutex guard;
  cfCondition begin, end;
  int round;     // counts the jobs that are shared
  bool is_open;  // threads may begin the job
  int working;   // threads in the job, but for the caller
  cfPace pace;   // whether threads help in steps
  bool is_ending;

  // the call: bytes of the worlds that take part, NULL: all; these worlds, in a list that is made
  // when needed; what drives and records them, NULL: nothing
  const mjtByte* mask;
  int* chosen;
  int nchosen;
  struct cfCourse_* course;

  // the job: a task for worlds
  cfBatchTask task;
  const int* world;  // NULL: the first ntask
  int ntask;
  atomic_int next;
  atomic_int nfailed;
  bool is_trial;                // it leaves the mjData of worlds alone
  bool is_stepping;             // an error loses a world
  char job[CF_BATCH_TEXT];      // the first error of the job
  char trouble[CF_BATCH_TEXT];  // an error that has lost a world; empty: none has
  int nstep;                    // of steps
  int first_step;               // of the call, that the job begins with
  int key;                      // of resets
};

// cf_makeBatch; persistent: each world has an mjData of its own
cfBatch* cfi_makeBatch(const mjModel* m, int nworld, const cfBatchOptions* options,
                       bool is_persistent, char* error, int nerror);

// fail with a message: 0
int cfi_batchFail(cfBatch* batch, const char* format, ...) __attribute__((format(printf, 2, 3)));

// `world` names `nworld` worlds of the batch
int cfi_batchHasWorlds(cfBatch* batch, const int* world, int nworld);

// call a function that may raise an error, which is a failure with its text then
int cfi_batchGuard(cfBatch* batch, int (*call)(cfBatch* batch, const mjModel* m), const mjModel* m);

// run a task for worlds on all threads; returns how many ended by an error, of which the first is
// told in batch->job
int cfi_batchRun(cfBatch* batch, cfBatchTask task, const int* world, int nworld);
// the same for a task that works on the data of workers alone
int cfi_batchTry(cfBatch* batch, cfBatchTask task, const int* world, int nworld);
int cfi_batchThreads(const cfBatch* batch);  // how many are wanted
int cfi_batchStartWorkers(cfBatch* batch);
void cfi_batchStopWorkers(cfBatch* batch);

// after an error: say which world it was and why it is lost, and clean its data
void cfi_batchNoteError(cfBatchWorker* worker, int world, mjData* d);
// after bad numbers
void cfi_batchNoteNumbers(cfWorldStatus* status, const mjData* d);

// the records: choose the fields, allocate, free; take a world in and put it back
int cfi_batchMakeRecords(cfBatch* batch);
void cfi_batchFreeRecords(cfBatch* batch);
mjData* cfi_batchTake(cfBatchWorker* worker, int world);
void cfi_batchPut(cfBatchWorker* worker, int world);
void cfi_batchPutState(cfBatchWorker* worker, int world);  // without the outputs
bool cfi_batchTakes(const cfBatchPart* part);
void cfi_batchTakeInto(const cfBatch* batch, int world, mjData* d);
void cfi_batchPutFrom(const cfBatch* batch, int world, mjData* d, bool with_outputs);
// a part of an mjData as the record of a world would have it; places without contacts are zero
void cfi_batchCopyPart(const cfBatch* batch, const cfBatchPart* part, int world, const mjData* d,
                       char* values);
const cfFieldInfo* cfi_batchOutputInfo(const char* name);  // NULL: mjData has none that can be kept
const cfBatchPart* cfi_batchPart(const cfBatch* batch, const char* name);
bool cfi_batchWantsReactions(const cfBatch* batch);  // cacc, cfrc_int or cfrc_ext
char* cfi_batchValue(const cfBatch* batch, const cfBatchPart* part, int world);
bool cfi_batchKeepRecords(cfBatch* batch);     // false: no memory
void cfi_batchTakeBackFrozen(cfBatch* batch);  // those kept of worlds that are lost

// steps of worlds on the CPU, with the parameters that were taken over
int cfi_batchSteps(cfBatch* batch, const mjtByte* mask, int nstep);

// what was written into live parameters, of all worlds or of one, counts from now on, or is refused
// with a message and counts never; the live values are those of worlds, all of them; make a
// parameter live: NULL and a message
int cfi_batchTakeLive(cfBatch* batch);
int cfi_batchTakeLiveOf(cfBatch* batch, int world);
void cfi_batchShowLive(cfBatch* batch);
char* cfi_batchLive(cfBatch* batch, const char* name);

// step `k` of a job, in a call that drives and records worlds; it writes nothing but controls
bool cfi_courseIsControl(const cfBatch* batch);
void cfi_courseDrive(const cfBatch* batch, const mjModel* m, mjData* d, int world, int k);
void cfi_courseRecord(const cfBatch* batch, const mjModel* m, const mjData* d, int world, int k);

// around steps: a world counts as lost until it has left well
void cfi_batchEnter(cfWorldStatus* status);
void cfi_batchLeave(cfWorldStatus* status);
void cfi_batchNoise(const cfBatch* batch, const mjModel* m, mjData* d, int world, int64_t step);
void cfi_batchGatherWarnings(cfWorldStatus* status, const mjData* d);
// the warnings so far; those of a world with bad numbers: a step that resets it forgets what steps
// before it have raised
void cfi_batchSeeWarnings(int seen[mjNWARNING], const mjData* d);
void cfi_batchGatherLost(cfWorldStatus* status, const mjModel* m, const mjData* d,
                         const int seen[mjNWARNING]);

// lanes: chosen with the batch, made and freed with the workers
int cfi_batchChooseLanes(cfBatch* batch);
int cfi_batchMakeLanes(cfBatchWorker* worker);
void cfi_batchFreeLanes(cfBatchWorker* worker);
bool cfi_batchHasLanes(const cfBatch* batch);  // for the next step
void cfi_batchStepGroup(cfBatchWorker* worker, int group);
int cfi_batchGroups(const cfBatch* batch);

// the order in which worlds come into lanes: made with the batch, found anew before steps; what a
// world had to do in its last step
int cfi_batchMakeOrder(cfBatch* batch);
void cfi_batchOrder(cfBatch* batch);
void cfi_batchWeigh(cfBatchPlace* place, const mjData* d);

// parameters: the model of a world, the fields that may be set
const mjModel* cfi_batchWorldModel(cfBatchWorker* worker, int world);
// the parameters of a world, copied into a model of the same sizes
void cfi_batchCopyParameters(const cfBatch* batch, int world, mjModel* m);
// the same without copies: `m` reads the shared arrays and those of the world where they are
void cfi_batchPointModel(mjModel* m, const cfBatch* batch, int world);
int cfi_batchAllows(cfBatch* batch, const char* name, const cfFieldInfo** info);
const void* cfi_batchShared(const cfBatch* batch, const char* name, const cfFieldInfo* info);
cfBatchParameter* cfi_batchParameter(cfBatch* batch, const char* name);
cfBatchParameter* cfi_batchAddParameter(cfBatch* batch, const char* name, const cfFieldInfo* info);
int cfi_batchDerive(cfBatch* batch, const char* name, const int* world, int nworld);
bool cfi_batchHasConstants(const char* name);  // that follow from this parameter
void cfi_batchFreeParameters(cfBatch* batch);
// do worlds have shapes, margins, or frames of what is attached to bodies, of their own
bool cfi_batchHasForms(const cfBatch* batch);
// the name by which users know a parameter, as long as the library is there
const char* cfi_batchParameterName(const char* name);
// do `count` numbers of a parameter lie in its range
int cfi_batchChecksNumbers(cfBatch* batch, const char* name, size_t count, const char* values);
// can a model have the values that worlds have of this parameter
int cfi_batchChecksValues(cfBatch* batch, const char* name, const int* world, int nworld);

#endif  // CF_BATCH_BATCH_H
