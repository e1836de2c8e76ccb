// Worlds of a batch beside lone worlds that are told the same: mjModels edited by hand, mjDatas
// stepped one by one.  Whatever a batch can be asked for has the same bits in both.
#ifndef CF_WORLDS_H
#define CF_WORLDS_H

#include <stdbool.h>

#include <cortenforge/batch.h>

#include "base/arena.h"
#include "base/error.h"
#include "batch/batch.h"
#include "cf_forms.h"
#include "cf_test.h"
#include "compile/constants.h"
#include "device/noise.h"
#include "model/data.h"
#include "pipeline/advance.h"

enum { CF_MOST_WORLDS = 16 };

// one lone world
typedef struct {
  mjModel* m;
  mjData *d, *before;  // before the call
  cfWorldStatus status;
} cfLoneWorld;

typedef struct {
  cfBatch* batch;
  cfBatchOptions options;
  char* outputs;
  int n;
  cfLoneWorld world[CF_MOST_WORLDS];
  mjData* scratch;  // of constants
  bool has_bounds;  // sizes or frames were set
  const char* name;
  long compared;  // fields of worlds
} cfTwins;


// ---------------------------------------- random numbers

typedef struct {
  uint64_t state;
} cfDice;

static inline uint32_t cf_roll(cfDice* dice) {
  dice->state = dice->state * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)(dice->state >> 33);
}

static inline int cf_below(cfDice* dice, int n) {
  return (int)(cf_roll(dice) % (uint32_t)n);
}

// between -1 and 1
static inline mjtNum cf_even(cfDice* dice) {
  return (mjtNum)cf_roll(dice) / (mjtNum)(1u << 30) - 1;
}


// ---------------------------------------- life

static inline cfTwins* cf_makeTwins(const mjModel* m, int n, const cfBatchOptions* options,
                                    const char* name) {
  char error[300] = "";
  cfBatch* batch = cf_makeBatch(m, n, options, error, sizeof(error));
  if (!batch) {
    return NULL;
  }
  cfTwins* t = calloc(1, sizeof(*t));
  t->batch = batch;
  t->options = *options;
  t->outputs = strdup(options->outputs ? options->outputs : "sensordata");
  t->n = n;
  t->name = name;
  mjModel roomy = *m;  // constants are found whatever the arena
  roomy.narena = 1 << 24;
  t->scratch = mj_makeData(&roomy);
  for (int w = 0; w < n; w++) {
    t->world[w] =
        (cfLoneWorld){.m = mj_copyModel(NULL, m), .d = mj_makeData(m), .before = mj_makeData(m)};
  }
  return t;
}


static inline void cf_freeTwins(cfTwins* t) {
  for (int w = 0; w < t->n; w++) {
    mj_deleteData(t->world[w].d);
    mj_deleteData(t->world[w].before);
    mj_deleteModel(t->world[w].m);
  }
  mj_deleteData(t->scratch);
  cf_freeBatch(t->batch);
  free(t->outputs);
  free(t);
}


// ---------------------------------------- calls

// what follows from edited numbers, of a world that is awake
static inline void cf_finishLone(cfTwins* t, mjModel* m) {
  const int flags = m->opt.enableflags;
  m->opt.enableflags &= ~(int)mjENBL_SLEEP;
  mj_resetData(m, t->scratch);
  if (t->has_bounds) {
    cfi_refitGeoms(m, cf_batchModel(t->batch), t->scratch);
  }
  mj_setConst(m, t->scratch);
  m->opt.enableflags = flags;
}


static inline void cf_addWarnings(cfLoneWorld* own, const mjWarningStat* before) {
  for (int k = 0; k < mjNWARNING; k++) {
    mjWarningStat* now = own->d->warning + k;
    own->status.warning[k] += now->number;
    now->lastinfo = now->number ? now->lastinfo : before[k].lastinfo;
    now->number += before[k].number;
  }
}


static jmp_buf cf_way_out;

static inline void cf_leaveLone(const char* text) {
  (void)text;
  longjmp(cf_way_out, 1);
}


// how a step or another call of a lone world ends: true if it does not raise an error
static inline bool cf_tryLone(cfTwins* t, int w, bool (*call)(cfTwins* t, int w, int n), int n) {
  const cfHandler before = _mjPRIVATE__get_tls_error_fn();
  volatile bool is_good = false;
  _mjPRIVATE__set_tls_error_fn(cf_leaveLone);
  if (!setjmp(cf_way_out)) {
    is_good = call(t, w, n);
  }
  _mjPRIVATE__set_tls_error_fn(before);
  return is_good;
}


static inline bool cf_resetLone(cfTwins* t, int w, int key) {
  cfLoneWorld* own = t->world + w;
  if (key < 0) {
    mj_resetData(own->m, own->d);
  } else {
    mj_resetDataKeyframe(own->m, own->d, key);
  }
  return true;
}


// what a call does with a world: its counters, and what happens when it is lost
static inline void cf_callLone(cfTwins* t, int w, bool (*call)(cfTwins* t, int w, int n), int n) {
  cfLoneWorld* own = t->world + w;
  mjData* d = own->d;
  mjWarningStat before[mjNWARNING];
  if (own->status.is_frozen) {
    return;
  }
  mj_copyData(own->before, own->m, d);
  memcpy(before, d->warning, sizeof(before));
  memset(d->warning, 0, sizeof(before));
  const bool is_good = cf_tryLone(t, w, call, n);
  cf_addWarnings(own, before);
  own->status.nlost += !is_good;
  // a world that cannot be reset stays as it was before the call, too
  const bool is_reset = is_good || cf_tryLone(t, w, cf_resetLone, -1);
  if (!is_reset) {
    cfi_arenaReset(d);
  }
  if (!is_reset || (!is_good && t->options.unstable == CF_UNSTABLE_FREEZE)) {
    mj_copyData(d, own->m, own->before);
    own->status.is_frozen = 1;
  }
}


// steps until the numbers are bad
static inline bool cf_stepLone(cfTwins* t, int w, int nstep) {
  cfLoneWorld* own = t->world + w;
  mjData* d = own->d;
  for (int k = 0; k < nstep; k++) {
    if (t->options.noise_scale > 0) {
      const cfNoise noise = {t->options.noise_scale, t->options.noise_rate, t->options.seed};
      cfi_addNoise(&noise, own->m, d, w, own->status.nstep);
    }
    cfi_stepReacting(own->m, d, k == nstep - 1 && cfi_batchWantsReactions(t->batch));
    own->status.nstep++;
    if (cfi_badNumbers(d)) {
      return false;
    }
  }
  return true;
}


// worlds of the mask, all without one
static inline void cf_stepSomeTwins(cfTwins* t, const mjtByte* mask, int nstep) {
  CF_TRUE(mask ? cf_batchStepMasked(t->batch, mask, nstep) : cf_batchStep(t->batch, nstep));
  for (int w = 0; w < t->n && nstep; w++) {
    if (!mask || mask[w]) {
      cf_callLone(t, w, cf_stepLone, nstep);
    }
  }
}


static inline void cf_stepTwins(cfTwins* t, int nstep) {
  cf_stepSomeTwins(t, NULL, nstep);
}


static inline bool cf_forwardLone(cfTwins* t, int w, int n) {
  cfLoneWorld* own = t->world + w;
  (void)n;
  mj_forward(own->m, own->d);
  if (cfi_batchWantsReactions(t->batch)) {
    cfi_reactions(own->m, own->d);
  }
  return true;
}


static inline void cf_forwardSomeTwins(cfTwins* t, const mjtByte* mask) {
  CF_TRUE(mask ? cf_batchForwardMasked(t->batch, mask) : cf_batchForward(t->batch));
  for (int w = 0; w < t->n; w++) {
    if (!mask || mask[w]) {
      cf_callLone(t, w, cf_forwardLone, 0);
    }
  }
}


static inline void cf_forwardTwins(cfTwins* t) {
  cf_forwardSomeTwins(t, NULL);
}


// all of them or, where one raises an error, none
static inline void cf_resetTwins(cfTwins* t, const mjtByte* mask, int key) {
  const bool is_good = cf_batchReset(t->batch, mask, key);
  for (int w = 0; w < t->n; w++) {
    cfLoneWorld* own = t->world + w;
    if (is_good && (!mask || mask[w])) {
      CF_TRUE(cf_tryLone(t, w, cf_resetLone, key));
      own->status.is_frozen = 0;
    }
  }
}


// ---------------------------------------- comparison

static inline const cfFieldInfo* cf_dataField(const char* name) {
  const cfFieldInfo* info = cfi_findField(&cfi_dataFields, name);
  return info ? info : cfi_findField(&cfi_dataScalars, name);
}


static inline void cf_tellDifference(const cfTwins* t, const cfFieldInfo* info, int world,
                                     const char* mine, const char* alone, size_t bytes,
                                     const char* when) {
  size_t at = 0;
  while (at < bytes && mine[at] == alone[at]) {
    at++;
  }
  at -= at % info->size;
  char text[100] = "";
  if (info->type == CF_TYPE_mjtNum) {
    mjtNum x, y;
    memcpy(&x, mine + at, sizeof(x));
    memcpy(&y, alone + at, sizeof(y));
    snprintf(text, sizeof(text), "%.17g, alone %.17g", x, y);
  } else if (info->type == CF_TYPE_int) {
    int x, y;
    memcpy(&x, mine + at, sizeof(x));
    memcpy(&y, alone + at, sizeof(y));
    snprintf(text, sizeof(text), "%d, alone %d", x, y);
  }
  print_error("%s: after %s %s[%zu] of world %d of %d (%d lanes, %d threads) is %s\n", t->name,
              when, info->name, at / info->size, world, t->n, cf_batchLanes(t->batch),
              t->options.nthread, text);
}


// contacts field by field: what no solver of cones has written is not compared
static inline bool cf_sameContacts(const mjModel* m, const mjContact* a, const mjContact* b,
                                   int n) {
  bool is_same = true;
  for (int k = 0; k < cfi_contactFields.count; k++) {
    const cfFieldInfo* info = cfi_contactFields.field + k;
    const bool is_of_cones = !strcmp(info->name, "mu") || !strcmp(info->name, "H");
    for (int c = 0; c < n && !(is_of_cones && m->opt.cone != mjCONE_ELLIPTIC); c++) {
      is_same &= !memcmp((const char*)(a + c) + info->offset, (const char*)(b + c) + info->offset,
                         info->size * (size_t)info->length);
    }
  }
  return is_same;
}


// one field of all worlds; false, and told: some differ
static inline bool cf_sameField(cfTwins* t, const cfFieldInfo* info, const char* when) {
  cfBatchField field;
  if (!cf_batchField(t->batch, info->name, &field)) {
    CF_FAIL("%s\n", cf_batchError(t->batch));
  }
  const size_t bytes = (size_t)field.count * (size_t)field.nbyte;
  char* all = calloc(bytes * (size_t)t->n + 1, 1);
  CF_TRUE(cf_batchGet(t->batch, info->name, NULL, t->n, CF_ORDER_WORLD, all));
  bool is_same = true;
  for (int w = 0; w < t->n && is_same; w++) {
    const mjData* d = t->world[w].d;
    const char *mine = all + bytes * (size_t)w, *alone = cfi_fieldElements(info, d);
    if (info->type == CF_TYPE_mjContact) {
      const int n = d->ncon < (int)field.count ? d->ncon : (int)field.count;
      is_same = cf_sameContacts(t->world[w].m, (const mjContact*)(const void*)mine, d->contact, n);
    } else {
      is_same = !bytes || !memcmp(mine, alone, bytes);
    }
    if (!is_same) {
      cf_tellDifference(t, info, w, mine, alone, bytes, when);
    }
    t->compared++;
  }
  free(all);
  return is_same;
}


static inline bool cf_isAsked(const cfTwins* t, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = t->outputs; (at = strstr(at, name)); at += length) {
    const bool begins = at == t->outputs || at[-1] == ' ';
    if (begins && (at[length] == ' ' || !at[length])) {
      return true;
    }
  }
  return false;
}


static inline bool cf_sameStatus(cfTwins* t, const char* when) {
  bool is_same = true;
  for (int w = 0; w < t->n; w++) {
    cfWorldStatus mine;
    const cfWorldStatus* alone = &t->world[w].status;
    CF_TRUE(cf_batchStatus(t->batch, w, &mine));
    is_same &= mine.nstep == alone->nstep && mine.nlost == alone->nlost &&
               mine.is_frozen == alone->is_frozen && (alone->nlost > 0) == (mine.reason[0] != 0) &&
               !memcmp(mine.warning, alone->warning, sizeof(mine.warning));
  }
  if (!is_same) {
    print_error("%s: after %s the status of worlds differs\n", t->name, when);
  }
  return is_same;
}


// the state, what is carried, and all outputs
static inline bool cf_sameTwins(cfTwins* t, const char* when) {
  bool is_same = cf_sameStatus(t, when);
  const cfFieldTable* const table[] = {&cfi_dataFields, &cfi_dataScalars};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < table[i]->count; k++) {
      const cfFieldInfo* info = table[i]->field + k;
      if (info->type != CF_TYPE_mjTimerStat &&
          (info->writer == CF_WRITER_INPUT || cf_isAsked(t, info->name))) {
        is_same &= cf_sameField(t, info, when);
      }
    }
  }
  return is_same;
}

#endif  // CF_WORLDS_H
