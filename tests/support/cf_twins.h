// One model in MuJoCo's library and in ours, side by side: the runner of all comparisons with the
// reference that step or call single stages.  What is compared, and how, stands in the tables
// (model/compare.h).
#ifndef CF_TWINS_H
#define CF_TWINS_H

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_reference.h"
#include "model/compare.h"

enum { CF_FIELDS_MAX = 1000 };

typedef struct {
  mjModel *ref_m, *m;
  mjData *ref_d, *d;
} cfTwins;


// ---- errors of both libraries come back to cf_twinsError where that is set

static jmp_buf cf_twinsError;
static char cf_twinsMessage[400];

static inline void cf_catchError(const char* text) {
  snprintf(cf_twinsMessage, sizeof(cf_twinsMessage), "%s", text);
  longjmp(cf_twinsError, 1);
}


static inline void cf_dropWarning(const char* text) {
  (void)text;
}


static inline void cf_catchErrors(void) {
  mju_user_error = cf_catchError;
  mju_user_warning = cf_dropWarning;
  *(void (**)(const char*))cf_referenceSymbol("mju_user_error") = cf_catchError;
  *(void (**)(const char*))cf_referenceSymbol("mju_user_warning") = cf_dropWarning;
}


// ---- life

// model of the reference from a file; NULL with a message if it refuses it
static inline mjModel* cf_readReference(const char* path) {
  const char* end = strrchr(path, '.');
  char error[500] = "";
  mjModel* m = end && !strcmp(end, ".mjb") ? CF_REF(mj_loadModel)(path, NULL)
                                           : CF_REF(mj_loadXML)(path, NULL, error, sizeof(error));
  if (!m) {
    printf("%s: %s\n", path, error);
  }
  return m;
}


// model of the reference from text; NULL with a message
static inline mjModel* cf_compileReference(const char* xml) {
  char error[500] = "";
  mjSpec* spec = CF_REF(mj_parseXMLString)(xml, NULL, error, sizeof(error));
  mjModel* m = spec ? CF_REF(mj_compile)(spec, NULL) : NULL;
  if (!m) {
    printf("no model: %s%s\n", error, spec ? CF_REF(mjs_getError)(spec) : "");
  }
  CF_REF(mj_deleteSpec)(spec);
  return m;
}


// the same model in our library, by way of its binary form; NULL if we refuse it
static inline mjModel* cf_handOver(const mjModel* ref_m) {
  const mjtSize size = CF_REF(mj_sizeModel)(ref_m);
  void* bytes = malloc((size_t)size);
  CF_REF(mj_saveModel)(ref_m, NULL, bytes, (int)size);
  mjModel* m = mj_loadModelBuffer(bytes, (int)size);
  free(bytes);
  return m;
}


// twins of a model, which they own; m is NULL if we refuse it
static inline cfTwins cf_makeTwins(mjModel* ref_m) {
  mjModel* m = cf_handOver(ref_m);
  return (cfTwins){ref_m, m, CF_REF(mj_makeData)(ref_m), m ? mj_makeData(m) : NULL};
}


static inline void cf_freeTwins(cfTwins t) {
  CF_REF(mj_deleteData)(t.ref_d);
  CF_REF(mj_deleteModel)(t.ref_m);
  mj_deleteData(t.d);
  mj_deleteModel(t.m);
}


// ---- running

// our state becomes the reference's
static inline void cf_passState(cfTwins t) {
  const size_t size = (size_t)mj_stateSize(t.m, mjSTATE_INTEGRATION);
  mjtNum* state = malloc(sizeof(mjtNum) * (size + 1));
  CF_REF(mj_getState)(t.ref_m, t.ref_d, state, mjSTATE_INTEGRATION);
  mj_setState(t.m, t.d, state, mjSTATE_INTEGRATION);
  free(state);
}


// both step from the reference's state
static inline void cf_stepTwins(cfTwins t) {
  cf_passState(t);
  CF_REF(mj_step)(t.ref_m, t.ref_d);
  mj_step(t.m, t.d);
}


// ---- comparison

// the worst difference in what these writers write; what has to be equal differs infinitely
static inline cfDifference cf_worstWritten(const mjModel* m, const mjData* d, const mjData* ref,
                                           uint64_t writers) {
  static cfDifference list[CF_FIELDS_MAX];
  const int count = cfi_compareWritten(m, d, ref, writers, list, CF_FIELDS_MAX);
  cfDifference worst = {"", "-", 0, 0};
  for (int k = 0; k < count && k < CF_FIELDS_MAX; k++) {
    list[k].error = list[k].is_exact ? INFINITY : list[k].error;
    worst = list[k].error > worst.error ? list[k] : worst;
  }
  return worst;
}


// the same over everything
static inline cfDifference cf_worstTwin(cfTwins t) {
  return cf_worstWritten(t.m, t.d, t.ref_d, UINT64_MAX);
}

#endif  // CF_TWINS_H
