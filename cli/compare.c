// cortenforge compare: models through MuJoCo 3.5.0 and through us, field by field.  twins.c runs
// one model, verdict.c judges it; here are the options and the reports.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "yardstick.h"

typedef struct {
  cliTwinPlan twins;
  cliCases cases;
  cliComparison* result;  // one per model, shared with the children
  cliKind kind;
  bool is_strict, is_verbose, is_quiet;
  int passed, failed, skipped, rejected;
  FILE* csv;
  cliJson* json;  // NULL: a table
} compareRun;


static void compareOne(void* user, int k) {
  compareRun* run = user;
  cli_compareTwins(&run->twins, run->cases.item[k].path, &run->result[k]);
}


// ---- reports of one model

static void printFields(const char* what, const cliErrors* e, const cliErrors* noise) {
  for (int k = 0; k < e->count; k++) {
    const cfDifference* f = &e->item[k];
    double shaken = 0;
    for (int i = 0; noise && i < noise->count; i++) {
      if (!strcmp(noise->item[i].field, f->field) && !strcmp(noise->item[i].part, f->part)) {
        shaken = noise->item[i].error;
      }
    }
    printf("      %-5s %s%s%-24s %.3g", what, f->part, f->part[0] ? "." : "", f->field, f->error);
    printf(noise ? " (noise %.3g)\n" : "\n", shaken);
  }
}


static const char* worstName(const cfDifference* f) {
  return f ? f->field : "-";
}


static void printRow(const compareRun* run, int k, const cliVerdict* v) {
  const cliComparison* c = &run->result[k];
  const char* mark = c->outcome == OUTCOME_SKIPPED ? "skip" : v->passed ? "ok" : "FAIL";
  printf("%-4s %-12s %8.2g %-20.20s %8.2g %-20.20s %8.2g %8.2g  %s\n", mark,
         cli_outcomeName(c->outcome), v->model_error, worstName(v->model_worst), v->step_error,
         worstName(v->step_worst), v->contact_error, v->noise, run->cases.item[k].name);
  if (c->note[0] && (run->is_verbose || (!v->passed && c->outcome != OUTCOME_SKIPPED))) {
    printf("      %s\n", c->note);
  }
  if (run->is_verbose) {
    printFields("model", &c->model, NULL);
    printFields("step", &c->step, &c->noise);
  }
}


static void writeCsv(FILE* out, const cliCase* item, const cliComparison* c, const cliVerdict* v) {
  fprintf(out, "%s,%s,%.3g,%.3g,%.3g,%g,%d,%d,%s,%s,%s\n", item->name, cli_outcomeName(c->outcome),
          v->model_error, v->step_error, v->contact_error, v->noise, v->strict, v->passed,
          worstName(v->model_worst), worstName(v->step_worst), item->path);
}


static void writeFields(cliJson* j, const char* key, const cliErrors* e) {
  cli_jsonOpen(j, key, '{');
  for (int k = 0; k < e->count; k++) {
    char name[200];
    snprintf(name, sizeof(name), "%s%s%s", e->item[k].part, e->item[k].part[0] ? "." : "",
             e->item[k].field);
    cli_jsonNumber(j, name, e->item[k].error);
  }
  cli_jsonClose(j, '}');
}


static void writeJson(cliJson* j, const cliCase* item, const cliComparison* c,
                      const cliVerdict* v) {
  cli_jsonOpen(j, NULL, '{');
  cli_jsonText(j, "model", item->name);
  cli_jsonText(j, "outcome", cli_outcomeName(c->outcome));
  cli_jsonInt(j, "passed", v->passed);
  cli_jsonInt(j, "strict", v->strict);
  cli_jsonInt(j, "steps", c->steps);
  cli_jsonNumber(j, "model_error", v->model_error);
  cli_jsonNumber(j, "step_error", v->step_error);
  cli_jsonNumber(j, "contact_error", v->contact_error);
  cli_jsonNumber(j, "noise", v->noise);
  cli_jsonText(j, "note", c->note);
  writeFields(j, "model_fields", &c->model);
  writeFields(j, "step_fields", &c->step);
  cli_jsonClose(j, '}');
}


static void reportOne(void* user, int k, int signal) {
  compareRun* run = user;
  cliComparison* c = &run->result[k];
  if (signal) {
    c->outcome = signal == CLI_TIMEOUT ? OUTCOME_TIMEOUT : OUTCOME_CRASH;
    snprintf(c->note, sizeof(c->note), "signal %d", signal);
  }
  cliVerdict v = cli_judge(c, &run->cases.item[k], run->kind, run->is_strict);
  const bool is_skipped = c->outcome == OUTCOME_SKIPPED;
  run->skipped += is_skipped;
  run->passed += !is_skipped && v.passed;
  run->failed += !is_skipped && !v.passed;
  run->rejected += c->outcome == OUTCOME_BOTH_REJECT;
  if (run->json) {
    writeJson(run->json, &run->cases.item[k], c, &v);
  } else if (!run->is_quiet || (!v.passed && !is_skipped)) {
    printRow(run, k, &v);
  }
  if (run->csv) {
    writeCsv(run->csv, &run->cases.item[k], c, &v);
  }
}


// ---- the whole run

static void openReport(compareRun* run, cliJson* j) {
  if (run->json) {
    cli_jsonOpen(j, NULL, '{');
    cli_jsonText(j, "reference", run->twins.reference->path);
    cli_jsonOpen(j, "models", '[');
  } else if (!run->is_quiet) {
    printf("     %-12s %8s %-20s %8s %-20s %8s %8s  %s\n", "outcome", "model", "worst field",
           "step", "worst field", "contact", "noise", "model file");
  }
  if (run->csv) {
    fprintf(
        run->csv,
        "model,verdict,model_error,step_error,contact_error,noise,strict,passed,model_worst,step_worst,path\n");
  }
}


static void closeReport(const compareRun* run, cliJson* j) {
  if (run->json) {
    cli_jsonClose(j, ']');
    cli_jsonInt(j, "passed", run->passed);
    cli_jsonInt(j, "failed", run->failed);
    cli_jsonInt(j, "skipped", run->skipped);
    cli_jsonClose(j, '}');
    return;
  }
  if (run->rejected) {
    printf("%d of them are refused by MuJoCo and by us\n", run->rejected);
  }
  printf("%d passed, %d failed, %d skipped\n", run->passed, run->failed, run->skipped);
}


static int runAll(compareRun* run, int jobs, int timeout) {
  run->result = cli_shared((size_t)run->cases.count * sizeof(cliComparison));
  if (!run->result) {
    return CLI_IO;
  }
  cliJson j = {.out = stdout};
  run->json = run->json ? &j : NULL;
  openReport(run, &j);
  const cliApart apart = {compareOne, reportOne, run, run->cases.count, jobs, timeout};
  const bool good = cli_runApart(&apart);
  closeReport(run, &j);
  if (good && !run->passed && !run->failed) {
    cli_error("nothing was compared");
  }
  return !good || run->passed + run->failed == 0 ? CLI_IO : run->failed ? CLI_BAD_MODEL : CLI_OK;
}


static bool readKind(const char* text, cliKind* kind) {
  static const char* const names[] = {"both", "model", "step", "contact"};
  for (int k = 0; text && k < 4; k++) {
    if (!strcmp(text, names[k])) {
      *kind = (cliKind)k;
      return true;
    }
  }
  if (text) {
    cli_error("--kind %s: expected both, model, step or contact", text);
  }
  return !text;
}


typedef struct {
  const char *library, *steps, *kind, *options, *exclude, *only, *limit, *jobs, *timeout, *csv;
  bool is_strict, is_verbose, is_quiet, as_json;
} compareRequest;

static const cliOption option_table[] = {
    {"--reference", "LIB", offsetof(compareRequest, library)},
    {"--steps", "N", offsetof(compareRequest, steps)},
    {"--kind", "both|model|step|contact", offsetof(compareRequest, kind)},
    {"--option", "K=V", offsetof(compareRequest, options)},
    {"--exclude", "N", offsetof(compareRequest, exclude)},
    {"--only", "TEXT", offsetof(compareRequest, only)},
    {"--limit", "N", offsetof(compareRequest, limit)},
    {"--jobs", "N", offsetof(compareRequest, jobs)},
    {"--timeout", "S", offsetof(compareRequest, timeout)},
    {"--csv", "FILE", offsetof(compareRequest, csv)},
    {"--strict", NULL, offsetof(compareRequest, is_strict)},
    {"--verbose", NULL, offsetof(compareRequest, is_verbose)},
    {"--quiet", NULL, offsetof(compareRequest, is_quiet)},
    {"--json", NULL, offsetof(compareRequest, as_json)},
};


static int runCompare(int argc, char** argv) {
  static compareRun run;
  static cliReference reference;
  cliJson wanted;
  compareRequest r = {0};
  const int n = cli_parse(&cli_compare, argc, argv, &r);
  if (n == 0) {
    cli_usage(&cli_compare);
  }
  int most = 1 << 30, processes = cfi_processors(), seconds = 120;
  run.twins.steps = 20;
  if (n <= 0 || !readKind(r.kind, &run.kind) || !cli_checkOptions(r.options) ||
      !cli_checkExclude(r.exclude) || !cli_count("--steps", r.steps, 0, 1e6, &run.twins.steps) ||
      !cli_count("--limit", r.limit, 1, 1e9, &most) ||
      !cli_count("--jobs", r.jobs, 1, 1000, &processes) ||
      !cli_count("--timeout", r.timeout, 1, 1e6, &seconds)) {
    return CLI_USAGE;
  }
  if (!cli_collect(&run.cases, n, argv, r.only, most) ||
      !cli_openReference(&reference, r.library) || !cli_openCsv(&run.csv, r.csv)) {
    return CLI_IO;
  }
  run.twins.reference = &reference;
  run.twins.options = r.options;
  run.twins.exclude = r.exclude;
  run.is_strict = r.is_strict;
  run.is_verbose = r.is_verbose;
  run.is_quiet = r.is_quiet;
  run.json = r.as_json ? &wanted : NULL;
  const int code = runAll(&run, processes, seconds);
  if (run.csv) {
    fclose(run.csv);
  }
  cli_casesFree(&run.cases);
  return code;
}


const cliCommand cli_compare = {
    "compare",
    "FILE|FOLDER... [OPTIONS]",
    "field by field against MuJoCo 3.5.0",
    "DESCRIPTION\n"
    "  Takes models through MuJoCo 3.5.0 and through CortenForge.  Both compile each model, and every field of the\n"
    "  compiled models is compared: integers, names and flags have to be equal, reals to 1e-10.  Then both make the\n"
    "  same steps, each from MuJoCo's own state, and every array of mjData, the contacts among them, is compared\n"
    "  after each step: within max(1e-8, 10 x noise), where noise is what a perturbation of the state by 1e-13 does\n"
    "  to MuJoCo's own result, or what the column step_noise of the folder's MANIFEST.csv says, whichever is larger.\n"
    "  The error of an array is its largest difference over its largest number (at least 1e-6).\n"
    "  A FOLDER stands for the models that its MANIFEST.csv lists in the column path, or else for all .xml and\n"
    "  .urdf files in it and below that are models of their own.  Each model runs in a process of its own.\n\n"
    "  One line per model: outcome, worst error and its field for the compiled model and for the steps, worst error\n"
    "  of the contacts, noise.  A model that both libraries refuse passes.  Closing line: N passed, N failed,\n"
    "  N skipped.\n\n"
    "OPTIONS\n"
    "  --kind KIND       judge only 'model' (compiled), 'step' or 'contact' (contact lists); default model and step\n"
    "  --option K=V,...  change options before stepping: integrator, solver, cone, jacobian, iterations,\n"
    "                    noslip_iterations, and bits to add: disable, enable\n"
    "  --steps N         steps to compare (20)\n"
    "  --strict          no allowance for noise\n"
    "  --only TEXT       models whose name contains TEXT\n"
    "  --exclude N,...   skip models that have any of these: flex, plugin, mesh, ... (sizes of mjModel)\n"
    "  --limit N         the first N models\n"
    "  --jobs N          models at a time (number of processors)\n"
    "  --timeout S       seconds for one model (120)\n"
    "  --reference LIB   MuJoCo's library; default: MUJOCO_REFERENCE_LIB, then build/refenv (make setup-test), then\n"
    "                    the mujoco package of python3 (pip install mujoco==3.5.0)\n"
    "  --verbose         every field that differs at all\n"
    "  --quiet           only what fails, and the closing line\n"
    "  --csv FILE        a line per model\n"
    "  --json            everything, as JSON\n\n"
    "EXIT STATUS\n"
    "  0 all pass; 1 a model fails; 2 usage; 3 no reference, no models, nothing compared\n",
    runCompare,
    CLI_OPTIONS(option_table)};
