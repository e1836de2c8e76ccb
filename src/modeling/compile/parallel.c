// Independent pieces of one compilation on several threads.
//
// Every worker has a copy of the draft with a pool of its own, takes the next piece until there is
// none, and notes what failed. Pieces are handed out in order, so that when one fails all before it
// have been started; those behind it are dropped. At the end the pools become part of the draft's.
#include "compile/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/platform.h"
#include "compile/phases.h"

enum { MAX_WORKERS = 16, STACK_BYTES = 4 << 20, PAGE_BYTES = 1 << 14 };

// what became of a piece; texts in the worker's pool, NULL when there is none
typedef struct {
  const char *failure, *warning;
} pieceOutcome;

// shared by the workers
typedef struct {
  cfPieceJob* job;
  const void* argument;
  int count;
  atomic_int next;
  pieceOutcome* outcome;
} pieceCrew;

typedef struct {
  pieceCrew* crew;
  cfDraft draft;
  cfThread thread;
  bool is_running;
  void* stack;
} pieceWorker;


// one piece; a failure is noted and keeps later pieces from being started
static void runPiece(pieceWorker* worker, int index) {
  CF_ASSERT(index >= 0);
  pieceCrew* crew = worker->crew;
  cfDraft* draft = &worker->draft;
  jmp_buf here;
  draft->escape = &here;
  draft->nfailed = 0;
  draft->message[0] = draft->warning[0] = 0;
  if (setjmp(here) == 0) {
    crew->job(draft, crew->argument, index);
  } else {
    crew->outcome[index].failure = cfi_poolText(&draft->pool, draft->message);
    atomic_store(&crew->next, crew->count);
  }
  if (draft->warning[0]) {
    crew->outcome[index].warning = cfi_poolText(&draft->pool, draft->warning);
  }
}


static void* workOnPieces(void* argument) {
  pieceWorker* worker = (pieceWorker*)argument;
  pieceCrew* crew = worker->crew;
  const cfDraftScope scope = cfi_enterDraft(&worker->draft);
  for (int i = atomic_fetch_add(&crew->next, 1); i < crew->count;
       i = atomic_fetch_add(&crew->next, 1)) {
    runPiece(worker, i);
  }
  mj_deleteData(worker->draft.data);
  cfi_leaveDraft(scope);
  return NULL;
}


// start a worker on a stack of its own: stacks that glibc keeps for later threads hold memory of
// the loader, which another allocator would free when the library stands in a namespace of its own
// (dlmopen)
static void startWorker(pieceWorker* worker) {
  worker->stack = cfi_alignedAlloc(PAGE_BYTES, STACK_BYTES);
  worker->is_running = worker->stack && cfi_threadStart(&worker->thread, workOnPieces, worker,
                                                        worker->stack, STACK_BYTES);
}


// the calling thread works too; a thread that cannot be started is done without
static void runCrew(pieceWorker* worker, int nworker) {
  CF_ASSERT(nworker > 0);
  for (int i = 1; i < nworker; i++) {
    startWorker(worker + i);
  }
  workOnPieces(worker);
  for (int i = 1; i < nworker; i++) {
    if (worker[i].is_running) {
      cfi_threadJoin(worker[i].thread);
    }
    cfi_alignedFree(worker[i].stack);
  }
}


// messages of the pieces in order
static void reportPieces(cfDraft* draft, const pieceCrew* crew) {
  for (int i = 0; i < crew->count; i++) {
    const pieceOutcome* outcome = crew->outcome + i;
    if (outcome->warning) {
      memcpy(draft->warning, outcome->warning, strlen(outcome->warning) + 1);
    }
    if (outcome->failure) {
      memcpy(draft->message, outcome->failure, strlen(outcome->failure) + 1);
      draft->nfailed = 1;
      cfi_stopIfFailed(draft);
    }
  }
}


static int workersFor(const cfDraft* draft, int count, int nthread) {
  CF_ASSERT(count >= 0 && nthread > 0);
  int n = draft->compiler->usethread ? nthread : 1;
  n = n > count ? count : n;
  if (n <= 1) {
    return n;  // the system need not be asked, which opens a file
  }
  const int processors = cfi_processors();
  n = n > processors ? processors : n;
  return n > MAX_WORKERS ? MAX_WORKERS : n;
}


void cfi_runPieces(cfDraft* draft, cfPieceJob* job, const void* argument, int count, int nthread) {
  const int nworker = workersFor(draft, count, nthread);
  pieceWorker* worker =
      nworker > 1 ? (pieceWorker*)calloc((size_t)nworker, sizeof(pieceWorker)) : NULL;
  if (!worker) {
    for (int i = 0; i < count; i++) {
      job(draft, argument, i);
    }
    return;
  }
  CF_ASSERT(!draft->nfailed);
  pieceCrew crew = {.job = job, .argument = argument, .count = count};
  crew.outcome = (pieceOutcome*)cfi_poolAlloc(&draft->pool, (size_t)count, sizeof(pieceOutcome));
  for (int i = 0; i < nworker; i++) {
    worker[i].crew = &crew;
    worker[i].draft = *draft;
    worker[i].draft.pool = (cfPool){.blocks = NULL};
    worker[i].draft.data = NULL;
  }
  runCrew(worker, nworker);
  for (int i = 0; i < nworker; i++) {
    cfi_poolJoin(&draft->pool, &worker[i].draft.pool);
  }
  free(worker);
  reportPieces(draft, &crew);
}
