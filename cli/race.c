// cortenforge race: time of a step in MuJoCo 3.5.0 over ours, both in one process.
//
// The reference records states along a trajectory with small control noise.  Each timed block of
// either library starts from the same recorded state and gets the same controls, so that neither
// runs an easier path.  Blocks come in pairs, ours first in every other pair; the median of the
// ratios counts, with a 95 % interval by resampling the pairs.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "yardstick.h"

enum { STATES = 50, RECORDED = 2000, RESAMPLES = 1000 };
static const double recording_seconds = 10, control_share = 0.1;

// sums over the timed steps of one library
typedef struct {
  double seconds;
  long steps, contacts, rows, iterations;
} racePace;

typedef struct {
  bool is_timed;
  double ratio, low, high;  // median and its interval
  racePace reference, ours;
  char note[200];  // why it was not timed
} raceResult;

typedef struct {
  cliReference reference;
  cliCases cases;
  raceResult* result;
  const char *options, *exclude;
  int pairs;
  double block_seconds;
  double log_sum, slowest;
  int timed, skipped, failed, not_slower;
  const char* slowest_name;
  FILE* csv;
  bool as_json;
  cliJson json;
} raceRun;

// one library at the start
typedef struct {
  __typeof__(mj_step)* step;
  __typeof__(mj_setState)* setState;
  const mjModel* m;
  mjData* d;
  racePace* pace;
} racer;


static double secondsNow(void) {
  return cfi_clock();
}


// n steps from a state; their time
static double runBlock(const racer* r, const mjtNum* state, int n, int first) {
  double total = 0;
  r->setState(r->m, r->d, state, mjSTATE_INTEGRATION);
  for (int k = 0; k < n; k++) {
    cli_quasiControls(r->m, r->d, first + k, control_share);
    const double start = secondsNow();
    r->step(r->m, r->d);
    total += secondsNow() - start;

    r->pace->contacts += r->d->ncon;
    r->pace->rows += r->d->nefc;
    const int islands = r->d->nisland < mjNISLAND ? r->d->nisland : mjNISLAND;
    for (int i = 0; i < (islands > 1 ? islands : 1); i++) {
      r->pace->iterations += r->d->solver_niter[i];
    }
  }
  r->pace->steps += n;
  r->pace->seconds += total;
  return total;
}


// states along the reference's trajectory; how many, and the seconds that a step takes
static int recordStates(const cliReference* r, const mjModel* m, mjData* d, mjtNum* state, int size,
                        double* per_step) {
  int count = 0;
  const double start = secondsNow();
  for (int k = 0; k < RECORDED && secondsNow() - start < recording_seconds; k++) {
    if (k % (RECORDED / STATES) == 0) {
      r->getState(m, d, state + (size_t)size * (size_t)count++, mjSTATE_INTEGRATION);
    }
    cli_quasiControls(m, d, k, control_share);
    r->step(m, d);
    *per_step = (secondsNow() - start) / (k + 1);
  }
  return count;
}


static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}


static double middle(double* value, int n) {
  qsort(value, (size_t)n, sizeof(double), ascending);
  return value[n / 2];
}


// median of the ratios and the 2.5 and 97.5 percentiles of the medians of resampled ratios
static void summarizeRatios(raceResult* result, double* ratio, int n, double* scratch) {
  double medians[RESAMPLES];
  unsigned seed = 1;
  for (int x = 0; x < RESAMPLES; x++) {
    for (int p = 0; p < n; p++) {
      seed = seed * 1664525u + 1013904223u;
      scratch[p] = ratio[(seed >> 8) % (unsigned)n];
    }
    medians[x] = middle(scratch, n);
  }
  qsort(medians, RESAMPLES, sizeof(double), ascending);
  result->low = medians[RESAMPLES / 40];
  result->high = medians[RESAMPLES - RESAMPLES / 40];
  result->ratio = middle(ratio, n);
}


static void runPairs(const raceRun* run, raceResult* result, racer theirs, racer ours,
                     const mjtNum* state, int size, int states, int steps) {
  double* ratio = calloc(2 * (size_t)run->pairs, sizeof(double));
  if (!ratio) {
    snprintf(result->note, sizeof(result->note), "out of memory");
    return;
  }
  // warm up
  runBlock(&theirs, state, steps, 0);
  runBlock(&ours, state, steps, 0);
  *theirs.pace = *ours.pace = (racePace){0};

  for (int p = 0; p < run->pairs; p++) {
    const mjtNum* from = state + (size_t)size * (size_t)(p % states);
    const racer* first = p % 2 ? &theirs : &ours;
    const racer* second = p % 2 ? &ours : &theirs;
    const double a = runBlock(first, from, steps, 1000 * p),
                 b = runBlock(second, from, steps, 1000 * p);
    ratio[p] = p % 2 ? a / b : b / a;
  }
  summarizeRatios(result, ratio, run->pairs, ratio + run->pairs);
  result->is_timed = true;
  free(ratio);
}


static void raceModels(const raceRun* run, raceResult* result, const mjModel* m,
                       const mjModel* mine) {
  const cliReference* r = &run->reference;
  mjData *d = r->makeData(m), *q = mj_makeData(mine);
  int size = r->stateSize(m, mjSTATE_INTEGRATION);
  mjtNum* state = malloc(sizeof(mjtNum) * STATES * ((size_t)size + 1));
  if (!state) {
    snprintf(result->note, sizeof(result->note), "out of memory");
    return;
  }
  if (m->nkey > 0) {
    r->resetKey(m, d, 0);
  }
  double per_step = 1;
  int states = recordStates(r, m, d, state, size, &per_step);
  const double steps = run->block_seconds / per_step;
  const racer theirs = {r->step, r->setState, m, d, &result->reference};
  const racer ours = {mj_step, mj_setState, mine, q, &result->ours};
  runPairs(run, result, theirs, ours, state, size, states, steps < 1 ? 1 : (int)steps);
  free(state);
}


static void raceOne(void* user, int k) {
  const raceRun* run = user;
  raceResult* result = &run->result[k];
  char error[1000] = "";
  mjModel* m = cli_loadReference(&run->reference, run->cases.item[k].path, error, sizeof(error));
  if (!m) {
    snprintf(result->note, sizeof(result->note), "skipped: MuJoCo refuses it");
    return;
  }
  if (cli_excludedBy(m, run->exclude)) {
    snprintf(result->note, sizeof(result->note), "skipped: excluded");
    return;
  }
  cli_changeOptions(&m->opt, run->options);
  mjModel* mine = cli_handOver(&run->reference, m);
  if (!mine) {
    snprintf(result->note, sizeof(result->note), "we refuse its binary form");
    return;
  }
  raceModels(run, result, m, mine);
}


// ---- reports

static double perStep(const racePace* p, double sum) {
  return p->steps ? sum / (double)p->steps : 0;
}


static void countResult(raceRun* run, const raceResult* r, const char* name) {
  run->timed += r->is_timed;
  run->skipped += !r->is_timed && !strncmp(r->note, "skipped", 7);
  run->failed += !r->is_timed && strncmp(r->note, "skipped", 7) != 0;
  if (!r->is_timed) {
    return;
  }
  run->log_sum += log(r->ratio);
  run->not_slower += r->ratio >= 1;
  if (!run->slowest_name || r->ratio < run->slowest) {
    run->slowest = r->ratio;
    run->slowest_name = name;
  }
}


static void writeJsonResult(cliJson* j, const raceResult* r, const char* name) {
  cli_jsonOpen(j, NULL, '{');
  cli_jsonText(j, "model", name);
  cli_jsonText(j, "note", r->note);
  cli_jsonNumber(j, "ratio", r->is_timed ? r->ratio : NAN);
  cli_jsonNumber(j, "low", r->low);
  cli_jsonNumber(j, "high", r->high);
  cli_jsonNumber(j, "reference_us", 1e6 * perStep(&r->reference, r->reference.seconds));
  cli_jsonNumber(j, "our_us", 1e6 * perStep(&r->ours, r->ours.seconds));
  cli_jsonNumber(j, "contacts", perStep(&r->reference, (double)r->reference.contacts));
  cli_jsonNumber(j, "rows", perStep(&r->reference, (double)r->reference.rows));
  cli_jsonNumber(j, "iterations_reference",
                 perStep(&r->reference, (double)r->reference.iterations));
  cli_jsonNumber(j, "iterations_ours", perStep(&r->ours, (double)r->ours.iterations));
  cli_jsonClose(j, '}');
}


// the same numbers as a row of the table or a line of the CSV file
static void writeNumbers(FILE* out, const char* format, const raceResult* r, const char* name) {
  const racePace *a = &r->reference, *b = &r->ours;
  fprintf(out, format, r->ratio, r->low, r->high, 1e6 * perStep(a, a->seconds),
          1e6 * perStep(b, b->seconds), perStep(a, (double)a->contacts),
          perStep(a, (double)a->rows), perStep(a, (double)a->iterations),
          perStep(b, (double)b->iterations), name);
}


static void reportResult(void* user, int k, int signal) {
  raceRun* run = user;
  raceResult* r = &run->result[k];
  const char* name = run->cases.item[k].name;
  if (signal) {
    r->is_timed = false;
    snprintf(r->note, sizeof(r->note), signal == CLI_TIMEOUT ? "timeout" : "crash, signal %d",
             signal);
  } else if (!r->is_timed && !r->note[0]) {
    snprintf(r->note, sizeof(r->note), "stopped with an error");
  }
  countResult(run, r, name);
  if (run->as_json) {
    writeJsonResult(&run->json, r, name);
  } else if (r->is_timed) {
    writeNumbers(stdout, "%7.3f  %6.3f - %6.3f %10.2f %10.2f %8.1f %8.1f %7.2f %7.2f  %s\n", r,
                 name);
  } else {
    printf("      -  %s  %s\n", r->note, name);
  }
  if (run->csv && r->is_timed) {
    writeNumbers(run->csv, "%.3f,%.3f,%.3f,%.2f,%.2f,%.1f,%.1f,%.2f,%.2f,%s\n", r, name);
  }
}


static void openTable(raceRun* run) {
  run->json = (cliJson){.out = stdout};
  if (run->as_json) {
    cli_jsonOpen(&run->json, NULL, '{');
    cli_jsonOpen(&run->json, "models", '[');
  } else {
    printf("%7s  %15s %10s %10s %8s %8s %7s %7s  %s\n", "ratio", "95 % interval", "MuJoCo us",
           "our us", "contacts", "rows", "iter", "our it", "model");
  }
  if (run->csv) {
    fprintf(
        run->csv,
        "ratio,low,high,reference_us,our_us,contacts,rows,iterations_reference,iterations_ours,model\n");
  }
}


static void closeTable(raceRun* run) {
  const double mean = run->timed ? exp(run->log_sum / run->timed) : 0;
  if (run->as_json) {
    cli_jsonClose(&run->json, ']');
    cli_jsonNumber(&run->json, "geometric_mean", mean);
    cli_jsonInt(&run->json, "timed", run->timed);
    cli_jsonInt(&run->json, "failed", run->failed);
    cli_jsonInt(&run->json, "skipped", run->skipped);
    cli_jsonClose(&run->json, '}');
  } else if (run->timed) {
    printf("geometric mean %.3f over %d models, %d of them at 1 or above; slowest %.3f %s\n", mean,
           run->timed, run->not_slower, run->slowest, run->slowest_name);
    printf("%d timed, %d failed, %d skipped\n", run->timed, run->failed, run->skipped);
  }
}


typedef struct {
  const char *library, *pairs, *block, *options, *exclude, *only, *limit, *timeout, *csv;
  bool as_json;
} raceRequest;

static const cliOption option_table[] = {
    {"--reference", "LIB", offsetof(raceRequest, library)},
    {"--pairs", "N", offsetof(raceRequest, pairs)},
    {"--block", "MS", offsetof(raceRequest, block)},
    {"--option", "K=V", offsetof(raceRequest, options)},
    {"--exclude", "N", offsetof(raceRequest, exclude)},
    {"--only", "TEXT", offsetof(raceRequest, only)},
    {"--limit", "N", offsetof(raceRequest, limit)},
    {"--timeout", "S", offsetof(raceRequest, timeout)},
    {"--csv", "FILE", offsetof(raceRequest, csv)},
    {"--json", NULL, offsetof(raceRequest, as_json)},
};


static int runRace(int argc, char** argv) {
  static raceRun run = {.pairs = 60, .block_seconds = 0.005};
  raceRequest r = {0};
  const int n = cli_parse(&cli_race, argc, argv, &r);
  if (n == 0) {
    cli_usage(&cli_race);
  }
  int most = 1 << 30, seconds = 300, milliseconds = 5;
  if (n <= 0 || !cli_checkOptions(r.options) || !cli_checkExclude(r.exclude) ||
      !cli_count("--pairs", r.pairs, 1, 1e6, &run.pairs) ||
      !cli_count("--limit", r.limit, 1, 1e9, &most) ||
      !cli_count("--block", r.block, 1, 1e5, &milliseconds) ||
      !cli_count("--timeout", r.timeout, 1, 1e6, &seconds)) {
    return CLI_USAGE;
  }
  run.options = r.options;
  run.exclude = r.exclude;
  run.as_json = r.as_json;
  run.block_seconds = 1e-3 * milliseconds;
  if (!cli_collect(&run.cases, n, argv, r.only, most) ||
      !cli_openReference(&run.reference, r.library) || !cli_openCsv(&run.csv, r.csv)) {
    return CLI_IO;
  }
  run.result = cli_shared((size_t)run.cases.count * sizeof(raceResult));
  if (!run.result) {
    return CLI_IO;
  }
  openTable(&run);
  const cliApart apart = {raceOne, reportResult, &run, run.cases.count, 1, seconds};
  const bool good = cli_runApart(&apart);
  closeTable(&run);
  if (run.csv) {
    fclose(run.csv);
  }
  cli_casesFree(&run.cases);
  return !good || !run.timed ? CLI_IO : run.failed ? CLI_BAD_MODEL : CLI_OK;
}


const cliCommand cli_race = {
    "race",
    "FILE|FOLDER... [OPTIONS]",
    "speed against MuJoCo 3.5.0, as ratios",
    "DESCRIPTION\n"
    "  Times mj_step of MuJoCo 3.5.0 and of CortenForge in one process.  MuJoCo records states along a trajectory with\n"
    "  control noise; then blocks of steps come in pairs, both from the same state with the same controls, ours first in\n"
    "  every other pair.  Per model: MuJoCo's time over ours (above 1 we are faster), as the median over the pairs with\n"
    "  its 95 % interval; microseconds per step of both; contacts, constraint rows and solver iterations per step.\n"
    "  Closing lines: the geometric mean, and how many were timed, failed and skipped (refused by MuJoCo or excluded).\n"
    "  FOLDER as in 'cortenforge help compare'.\n\n"
    "OPTIONS\n"
    "  --pairs N         pairs of blocks (60)\n"
    "  --block MS        milliseconds of a block, in whole steps (5)\n"
    "  --option K=V,...  changed options, as in compare\n"
    "  --only TEXT       models whose name contains TEXT\n"
    "  --exclude N,...   skip models that have any of these: flex, plugin, mesh, ...\n"
    "  --limit N         the first N models\n"
    "  --timeout S       seconds for one model (300)\n"
    "  --reference LIB   MuJoCo's library; found as in compare\n"
    "  --csv FILE        a line per model\n"
    "  --json            everything, as JSON\n\n"
    "EXIT STATUS\n"
    "  0 all timed; 1 a model failed; 2 usage; 3 no reference, no models, nothing timed\n",
    runRace,
    CLI_OPTIONS(option_table)};
