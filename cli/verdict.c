// What passes in `compare`.
//
// Reals may differ by max(1e-10, 10 * noise) in compiled models and max(1e-8, 10 * noise) after a
// step, where noise is what the reference differs from itself by: in the folder's manifest, or from
// a perturbed state, whichever is larger. Counts of contacts and rows have to be equal; other
// integers and flags of a step too, unless the same field differs in the perturbed reference.  A
// model is shaky where the reference does not agree with itself about the counts, or where noise is
// above 0.1: there any step passes.  --strict knows neither noise nor shaky models.
#include <math.h>
#include <string.h>

#include "yardstick.h"

static const double shaky_noise = 0.1, noise_factor = 10;


static const char* const outcome_names[] = {
    [OUTCOME_NONE] = "no result",
    [OUTCOME_OK] = "ok",
    [OUTCOME_BOTH_REJECT] = "both-reject",
    [OUTCOME_WE_REJECT] = "we-reject",
    [OUTCOME_WE_ACCEPT] = "we-accept-bad",
    [OUTCOME_NO_HANDOVER] = "mjb-rejected",
    [OUTCOME_ERROR] = "error",
    [OUTCOME_SKIPPED] = "skipped",
    [OUTCOME_CRASH] = "crash",
    [OUTCOME_TIMEOUT] = "timeout",
};


const char* cli_outcomeName(cliOutcome outcome) {
  return outcome_names[outcome];
}


static bool isContact(const cfDifference* f) {
  return !strcmp(f->part, "contact");
}


// the largest error of a list; NULL when it is empty
static const cfDifference* worstOf(const cliErrors* e, bool reals_only, bool contacts_only) {
  const cfDifference* worst = NULL;
  for (int k = 0; k < e->count; k++) {
    const cfDifference* f = &e->item[k];
    if ((!reals_only || !f->is_exact) && (!contacts_only || isContact(f)) &&
        (!worst || f->error > worst->error)) {
      worst = f;
    }
  }
  return worst;
}


static double errorOf(const cfDifference* f) {
  return f ? f->error : 0;
}


static bool differsIn(const cliErrors* e, const cfDifference* field) {
  for (int k = 0; k < e->count; k++) {
    if (!strcmp(e->item[k].field, field->field) && !strcmp(e->item[k].part, field->part)) {
      return true;
    }
  }
  return false;
}


// fields that have to be equal and are not, those left out that differ in the perturbed reference
// too
static int countUnequal(const cliComparison* c, bool contacts_only) {
  int n = 0;
  for (int k = 0; k < c->step.count; k++) {
    const cfDifference* f = &c->step.item[k];
    n += f->is_exact && (!contacts_only || isContact(f)) && !differsIn(&c->noise, f);
  }
  return n;
}


// the steps, or the contact lists alone
static bool stepsPass(const cliComparison* c, const cliVerdict* v, bool contacts_only,
                      bool is_strict) {
  if (c->outcome != OUTCOME_OK && c->outcome != OUTCOME_WE_REJECT) {
    return false;
  }
  if (!is_strict && (v->noise > shaky_noise || c->noise_mismatches)) {
    return true;
  }
  const double error = contacts_only ? v->contact_error : v->step_error;
  const double allowed = is_strict ? 0 : noise_factor * v->noise;
  const int mismatches = contacts_only ? c->contact_mismatches : c->count_mismatches;
  return !mismatches && !countUnequal(c, contacts_only) &&
         error <= fmax(CF_TOLERANCE_STEP, allowed);
}


static bool passes(const cliComparison* c, const cliVerdict* v, double model_noise, cliKind kind,
                   bool is_strict) {
  if (c->outcome == OUTCOME_BOTH_REJECT) {
    return true;
  }
  const double allowed = is_strict ? 0 : noise_factor * model_noise;
  const bool model =
      c->outcome == OUTCOME_OK && v->model_error <= fmax(CF_TOLERANCE_MODEL, allowed);
  if (kind == KIND_MODEL) {
    return model;
  }
  if (kind == KIND_CONTACT) {
    return stepsPass(c, v, true, is_strict);
  }
  return (kind == KIND_STEP || model) && stepsPass(c, v, false, is_strict);
}


cliVerdict cli_judge(const cliComparison* c, const cliCase* item, cliKind kind, bool strict) {
  cliVerdict v = {.model_worst = worstOf(&c->model, false, false),
                  .step_worst = worstOf(&c->step, false, false)};
  v.model_error = c->outcome == OUTCOME_WE_REJECT ? INFINITY : errorOf(v.model_worst);
  v.step_error = errorOf(worstOf(&c->step, true, false));
  v.contact_error = errorOf(worstOf(&c->step, true, true));
  v.noise = fmax(item->step_noise, errorOf(worstOf(&c->noise, true, false)));
  v.strict = passes(c, &v, 0, kind, true);
  v.passed = strict ? v.strict : passes(c, &v, item->model_noise, kind, false);
  return v;
}
