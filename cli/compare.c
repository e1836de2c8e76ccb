// cortenforge compare: one model through MuJoCo 3.5.0 and through us, field by field.
//
// The compiled models are compared array by array.  Then both engines step the reference's model,
// ours starting every step from the reference's state, and every array of mjData is compared:
//   error = max|a - b| / (1e-6 + max|reference|)
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mujoco/mjxmacro.h>

#include "cli.h"

enum { FIELD_MAX = 1000 };
typedef struct {
  struct {
    const char* name;
    double error;
  } field[FIELD_MAX];
  int count;
} fieldErrors;

typedef struct {
  const char *model_path, *reference_path;
  int steps;
  double tolerance;
  bool as_json;
} compareOptions;

typedef struct {
  fieldErrors model, data;
  int size_mismatches, count_mismatches;
  bool is_compiled;  // our compiler accepted the file
} comparison;


static void keepWorst(fieldErrors* e, const char* name, double error) {
  int k = 0;
  while (k < e->count && strcmp(e->field[k].name, name)) {
    k++;
  }
  if (k == e->count) {
    if (e->count == FIELD_MAX) {
      return;
    }
    e->field[e->count].name = name;
    e->field[e->count++].error = 0;
  }
  if (!(error <= e->field[k].error)) {
    e->field[k].error = error;
  }
}


static double errorReal(const mjtNum* ref, const mjtNum* ours, long n) {
  double scale = 1e-6, worst = 0;
  for (long i = 0; i < n; i++) {
    scale = fmax(scale, fabs(ref[i]));
  }
  for (long i = 0; i < n; i++) {
    double off = fabs(ref[i] - ours[i]);
    if (isnan(off) && !(isnan(ref[i]) && isnan(ours[i]))) {
      return INFINITY;
    }
    worst = off > worst ? off : worst;
  }
  return worst / scale;
}


static double errorFloat(const float* ref, const float* ours, long n) {
  double scale = 1e-6, worst = 0;
  for (long i = 0; i < n; i++) {
    scale = fmax(scale, fabs((double)ref[i]));
    worst = fmax(worst, fabs((double)ref[i] - (double)ours[i]));
  }
  return worst / scale;
}


static double errorAny(const char* type, const void* ref, const void* ours, long n, size_t size) {
  if (n <= 0 || ref == ours) {
    return 0;
  }
  if (!ref || !ours) {
    return INFINITY;
  }
  if (!strcmp(type, "mjtNum")) {
    return errorReal(ref, ours, n);
  }
  if (!strcmp(type, "float")) {
    return errorFloat(ref, ours, n);
  }
  return memcmp(ref, ours, (size_t)n * size) ? 1 : 0;
}


static void compareModels(comparison* c, const mjModel* m, const mjModel* ours) {
#define X(name)                            \
  if (m->name != ours->name) {             \
    c->size_mismatches++;                  \
    keepWorst(&c->model, #name, INFINITY); \
  }
  MJMODEL_SIZES
#undef X
  if (c->size_mismatches) {
    return;
  }
  MJMODEL_POINTERS_PREAMBLE(m)
#define XNV X
#define X(type, name, nr, nc) \
  keepWorst(&c->model, #name, \
            errorAny(#type, m->name, ours->name, (long)(m->nr) * (nc), sizeof(*m->name)));
  MJMODEL_POINTERS
#undef X
#undef XNV
}


static void compareData(comparison* c, const mjModel* m, const mjData* d, const mjData* ours) {
  if (d->ncon != ours->ncon || d->nefc != ours->nefc) {
    c->count_mismatches++;
  }
  MJDATA_POINTERS_PREAMBLE(m)
#define XNV X
#define X(type, name, nr, nc)                                                                \
  if (!strcmp(#type, "mjtNum") && strcmp(#name, "actuator_moment")) {                        \
    keepWorst(&c->data, #name,                                                               \
              errorAny(#type, d->name, ours->name, (long)(m->nr) * (nc), sizeof(*d->name))); \
  }
  MJDATA_POINTERS
#undef X
#undef XNV
  if (d->nefc == ours->nefc) {
    keepWorst(&c->data, "efc_force", errorReal(d->efc_force, ours->efc_force, d->nefc));
    keepWorst(&c->data, "efc_aref", errorReal(d->efc_aref, ours->efc_aref, d->nefc));
  }
  for (int i = 0; d->ncon == ours->ncon && i < d->ncon; i++) {
    const mjContact *a = d->contact + i, *b = ours->contact + i;
    keepWorst(&c->data, "contact.dist", fabs(a->dist - b->dist));
    keepWorst(&c->data, "contact.pos", errorReal(a->pos, b->pos, 3));
    keepWorst(&c->data, "contact.frame", errorReal(a->frame, b->frame, 9));
  }
}


// hand a model of the reference over to our library by MJB
static mjModel* handOver(const cliReference* r, const mjModel* m) {
  char path[] = "/tmp/cortenforge-compare-XXXXXX";
  int file = mkstemp(path);
  if (file < 0) {
    return NULL;
  }
  close(file);
  r->saveModel(m, path, NULL, 0);
  mjModel* ours = mj_loadModel(path, NULL);
  unlink(path);
  return ours;
}


static void stepBoth(comparison* c, const cliReference* r, const mjModel* m, const mjModel* ours,
                     int steps) {
  mjData *d = r->makeData(m), *q = mj_makeData(ours);
  int size = r->stateSize(m, mjSTATE_INTEGRATION);
  mjtNum* state = malloc(sizeof(mjtNum) * (size_t)(size > 0 ? size : 1));
  cliControl noise = {.kind = CONTROL_NOISE, .scale = 1, .seed = 1};
  if (m->nkey > 0) {
    r->resetKey(m, d, 0);
    mj_resetDataKeyframe(ours, q, 0);
  }
  for (int k = 0; k < steps && state; k++) {
    cli_applyControl(&noise, m, d, k);
    r->getState(m, d, state, mjSTATE_INTEGRATION);
    mj_setState(ours, q, state, mjSTATE_INTEGRATION);
    r->step(m, d);
    mj_step(ours, q);
    compareData(c, m, d, q);
  }
  free(state);
  mj_deleteData(q);
}


static int countAbove(const fieldErrors* e, double tolerance) {
  int n = 0;
  for (int k = 0; k < e->count; k++) {
    n += !(e->field[k].error <= tolerance);
  }
  return n;
}


static void reportText(const char* title, const fieldErrors* e, double tolerance) {
  printf("%s: %d fields, %d above %g\n", title, e->count, countAbove(e, tolerance), tolerance);
  for (int k = 0; k < e->count; k++) {
    if (!(e->field[k].error <= tolerance)) {
      printf("  %-28s %.3g\n", e->field[k].name, e->field[k].error);
    }
  }
}


static void reportJson(const comparison* c, const compareOptions* o) {
  cliJson j = {.out = stdout};
  cli_jsonOpen(&j, NULL, '{');
  cli_jsonText(&j, "model", o->model_path);
  cli_jsonInt(&j, "compiled", c->is_compiled);
  cli_jsonInt(&j, "count_mismatches", c->count_mismatches);
  const fieldErrors* both[] = {&c->model, &c->data};
  for (int k = 0; k < 2; k++) {
    cli_jsonOpen(&j, k ? "data" : "model_fields", '{');
    for (int i = 0; i < both[k]->count; i++) {
      cli_jsonNumber(&j, both[k]->field[i].name, both[k]->field[i].error);
    }
    cli_jsonClose(&j, '}');
  }
  cli_jsonClose(&j, '}');
}


static int compareModel(const compareOptions* o) {
  static comparison c;
  cliReference r;
  char error[1000] = "";
  if (!cli_openReference(&r, o->reference_path)) {
    return CLI_IO;
  }
  mjModel* m = r.loadXML(o->model_path, NULL, error, sizeof(error));
  if (!m) {
    fprintf(stderr, "cortenforge compare: MuJoCo rejects %s: %s\n", o->model_path, error);
    return CLI_BAD_MODEL;
  }
  mjModel* compiled = mj_loadXML(o->model_path, NULL, error, sizeof(error));
  if (compiled) {
    c.is_compiled = true;
    compareModels(&c, m, compiled);
    mj_deleteModel(compiled);
  } else {
    fprintf(stderr, "cortenforge compare: our compiler rejects it: %s\n", error);
  }
  mjModel* ours = handOver(&r, m);
  if (!ours) {
    return CLI_BAD_MODEL;
  }
  stepBoth(&c, &r, m, ours, o->steps);
  mj_deleteModel(ours);

  if (o->as_json) {
    reportJson(&c, o);
  } else {
    reportText("compiled model", &c.model, 1e-10);
    reportText("data after steps", &c.data, o->tolerance);
    printf("contact or row counts differ in %d of %d steps\n", c.count_mismatches, o->steps);
  }
  bool same = c.is_compiled && !countAbove(&c.model, 1e-10) && !countAbove(&c.data, o->tolerance) &&
              !c.count_mismatches;
  if (!o->as_json) {
    printf("%s\n", same ? "equal" : "DIFFERENT");
  }
  return same ? CLI_OK : CLI_BAD_MODEL;
}


static int runCompare(int argc, char** argv) {
  compareOptions o = {.steps = 20, .tolerance = 1e-8};
  const char *steps = NULL, *tolerance = NULL;
  double value;
  const cliOption options[] = {{"--reference", &o.reference_path, NULL},
                               {"--steps", &steps, NULL},
                               {"--tolerance", &tolerance, NULL},
                               {"--json", NULL, &o.as_json}};
  int n = cli_parse("compare", argc, argv, options, 4);
  if (n != 1) {
    if (n >= 0) {
      fprintf(
          stderr,
          "usage: cortenforge compare MODEL [--reference LIB] [--steps N] [--tolerance E] [--json]\n");
    }
    return CLI_USAGE;
  }
  o.model_path = argv[0];
  if (steps) {
    if (!cli_number("--steps", steps, &value) || value < 0 || value > 1e9) {
      return CLI_USAGE;
    }
    o.steps = (int)value;
  }
  if (tolerance && !cli_number("--tolerance", tolerance, &o.tolerance)) {
    return CLI_USAGE;
  }
  return compareModel(&o);
}


const cliCommand cli_compare = {
    "compare", "MODEL [--reference LIB] [--steps N] [--tolerance E] [--json]",
    "field by field against MuJoCo 3.5.0",
    "DESCRIPTION\n"
    "  Compiles MODEL with MuJoCo 3.5.0 and with CortenForge and compares every field of the model; then steps\n"
    "  both from the same states and compares every array of the data.  Exit status 0 means equal, 1 different.\n\n"
    "OPTIONS\n"
    "  --reference LIB  MuJoCo's library; default MUJOCO_REFERENCE_LIB, then the mujoco package of python3\n"
    "  --steps N        steps to compare (20)\n"
    "  --tolerance E    relative error that counts as equal in a step (1e-8)\n"
    "  --json           the worst error of every field\n",
    runCompare};
