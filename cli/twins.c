// One model through MuJoCo and through us.
//
// Both compile the file, and the compiled models are compared.  Then both step the reference's
// model: before each step our state is set to the reference's, and afterwards all of mjData is
// compared.  A third simulation, the reference's own from a state perturbed by 1e-13, shows how far
// rounding alone moves this model.
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/schema.h>

#include "yardstick.h"

static const double perturbation = 1e-13;

// where errors of both libraries come back to; each model has a process of its own
static jmp_buf on_error;
static char error_text[400];


static void catchError(const char* text) {
  snprintf(error_text, sizeof(error_text), "%s", text);
  longjmp(on_error, 1);
}


static void ignoreWarning(const char* text) {
  (void)text;
}


// one line of text
static void writeNote(cliComparison* c, const char* when, const char* text) {
  snprintf(c->note, sizeof(c->note), "%s%s%.300s", when, when[0] ? ": " : "", text);
  for (char* p = c->note; *p; p++) {
    *p = *p == '\n' || *p == '\r' ? ' ' : *p;
  }
}


// remember the worst error of every field
static void keepWorst(cliErrors* all, const cfDifference* found, int count) {
  for (int i = 0; i < count; i++) {
    int k = 0;
    while (k < all->count && (strcmp(all->item[k].field, found[i].field) ||
                              strcmp(all->item[k].part, found[i].part))) {
      k++;
    }
    if (k < all->count) {
      all->item[k].error = fmax(all->item[k].error, found[i].error);
    } else if (k < FIELD_MAX) {
      all->item[all->count++] = found[i];
    }
  }
}


static bool sameCounts(const mjData* a, const mjData* b) {
  return a->ncon == b->ncon && a->nefc == b->nefc && a->ne == b->ne && a->nf == b->nf &&
         a->nl == b->nl;
}


static void compareAfterStep(cliErrors* e, const mjModel* m, const mjData* d,
                             const mjData* reference) {
  cfDifference found[FIELD_MAX];
  const int count = cf_compareData(m, d, reference, found, FIELD_MAX);
  keepWorst(e, found, count < FIELD_MAX ? count : FIELD_MAX);
}


// relative noise on every number of the state but the time
static void perturb(mjtNum* state, int size, unsigned* seed) {
  for (int j = 1; j < size; j++) {
    *seed = *seed * 1664525u + 1013904223u;
    state[j] *= 1 + 2 * perturbation * ((*seed >> 8) / 16777216.0 - 0.5);
  }
}


static void stepTwins(cliComparison* c, const cliReference* r, const mjModel* m,
                      const mjModel* ours, int steps) {
  mjData *d = r->makeData(m), *shaken = r->makeData(m), *q = mj_makeData(ours);
  int size = r->stateSize(m, mjSTATE_INTEGRATION);
  mjtNum* state = malloc(sizeof(mjtNum) * ((size_t)size + 1));
  unsigned seed = 1;
  if (m->nkey > 0) {
    r->resetKey(m, d, 0);
    mj_resetDataKeyframe(ours, q, 0);
  }
  for (int k = 0; k < steps && state; k++) {
    cli_quasiControls(m, d, k, 1);
    r->getState(m, d, state, mjSTATE_INTEGRATION);
    mj_setState(ours, q, state, mjSTATE_INTEGRATION);
    perturb(state, size, &seed);
    r->setState(m, shaken, state, mjSTATE_INTEGRATION);

    r->step(m, d);
    mj_step(ours, q);
    r->step(m, shaken);
    compareAfterStep(&c->step, ours, q, d);
    compareAfterStep(&c->noise, ours, shaken, d);
    c->count_mismatches += !sameCounts(q, d);
    c->contact_mismatches += q->ncon != d->ncon;
    c->noise_mismatches += !sameCounts(shaken, d);
    c->steps++;
  }
  free(state);
}


// the attribute that the message of the reference calls unknown, if it is an extension of ours
static bool findExtension(const char* message, char name[64]) {
  const char* start = strstr(message, "unrecognized attribute: '");
  if (!start || sscanf(start, "unrecognized attribute: '%63[^']", name) != 1) {
    return false;
  }
  cfSchemaAttribute row;
  for (int i = 0; cf_schemaAttribute(i, &row); i++) {
    if (row.is_extension && strcmp(row.name, name) == 0) {
      return true;
    }
  }
  return false;
}


// both compilers; the reference's model if there is one to go on with
static mjModel* compileTwins(const cliTwinPlan* plan, const char* path, cliComparison* c) {
  char theirs[1000] = "", ours[1000] = "";
  mjModel* m = cli_loadReference(plan->reference, path, theirs, sizeof(theirs));
  if (m && cli_excludedBy(m, plan->exclude)) {
    c->outcome = OUTCOME_SKIPPED;
    const char* size = cli_excludedBy(m, plan->exclude);
    snprintf(c->note, sizeof(c->note), "excluded: %.*s", (int)strcspn(size, ","), size);
    return NULL;
  }
  mjModel* compiled = mj_loadXML(path, NULL, ours, sizeof(ours));
  if (!m) {
    char name[64];
    c->outcome = compiled ? OUTCOME_WE_ACCEPT : OUTCOME_BOTH_REJECT;
    if (compiled && findExtension(theirs, name)) {
      c->outcome = OUTCOME_SKIPPED;
      snprintf(c->note, sizeof(c->note), "extension: %s", name);
    } else {
      writeNote(c, "MuJoCo", theirs);
    }
    mj_deleteModel(compiled);
    return NULL;
  }
  c->outcome = compiled ? OUTCOME_OK : OUTCOME_WE_REJECT;
  if (compiled) {
    cfDifference found[FIELD_MAX];
    const int count = cf_compareModels(compiled, m, found, FIELD_MAX);
    keepWorst(&c->model, found, count < FIELD_MAX ? count : FIELD_MAX);
    mj_deleteModel(compiled);
  } else {
    writeNote(c, "our compiler", ours);
  }
  return m;
}


void cli_compareTwins(const cliTwinPlan* plan, const char* path, cliComparison* c) {
  const char* volatile phase = "while compiling";
  *plan->reference->user_error = mju_user_error = catchError;
  *plan->reference->user_warning = mju_user_warning = ignoreWarning;
  if (setjmp(on_error)) {
    c->outcome = OUTCOME_ERROR;
    writeNote(c, phase, error_text);
    return;
  }
  mjModel* m = compileTwins(plan, path, c);
  if (!m) {
    return;
  }
  cli_changeOptions(&m->opt, plan->options);
  phase = "in the hand-over";
  mjModel* ours = cli_handOver(plan->reference, m);
  if (!ours) {
    c->outcome = OUTCOME_NO_HANDOVER;
    return;
  }
  phase = "while stepping";
  stepTwins(c, plan->reference, m, ours, plan->steps);
}
