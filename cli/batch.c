// cortenforge batch: many worlds of one model at once, with control noise and randomized
// parameters.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/batch.h>

#include "cli.h"
#include "randomize.h"
#include "worlds.h"

enum { WORLDS_DEFAULT = 1024, STEPS_DEFAULT = 1000 };

// what the command line asks for
typedef struct {
  double worlds, steps, threads, lanes, noise, seed;
  struct {
    const char *worlds, *steps, *threads, *lanes, *noise, *seed;
  } text;
  const char *backend, *tier, *precision, *randomize, *plugin, *out, *integrator;
  bool as_json, is_quiet;
} batchRequest;


static double seconds(void) {
  return cfi_clock();
}


// ---------------------------------------- arguments

typedef struct {
  const char *option, *text;
  double *value, low, high;
} wholeNumber;


static bool readWhole(const wholeNumber* n) {
  if (n->text && !cli_number(n->option, n->text, n->value)) {
    return false;
  }
  if (*n->value < n->low || *n->value > n->high || *n->value != floor(*n->value)) {
    cli_error("%s %s: expected a whole number from %.0f to %.0f", n->option, n->text, n->low,
              n->high);
    return false;
  }
  return true;
}


static const cliOption option_table[] = {
    {"--worlds", "N", offsetof(batchRequest, text.worlds)},
    {"--steps", "N", offsetof(batchRequest, text.steps)},
    {"--threads", "N", offsetof(batchRequest, text.threads)},
    {"--lanes", "N", offsetof(batchRequest, text.lanes)},
    {"--noise", "X", offsetof(batchRequest, text.noise)},
    {"--seed", "N", offsetof(batchRequest, text.seed)},
    {"--backend", "cpu|cuda", offsetof(batchRequest, backend)},
    {"--tier", "auto|base|fast", offsetof(batchRequest, tier)},
    {"--precision", "double|single", offsetof(batchRequest, precision)},
    {"--randomize", "FILE", offsetof(batchRequest, randomize)},
    {"--plugin", "FILE", offsetof(batchRequest, plugin)},
    {"--integrator", "NAME", offsetof(batchRequest, integrator)},
    {"--out", "FILE", offsetof(batchRequest, out)},
    {"--json", NULL, offsetof(batchRequest, as_json)},
    {"--quiet", NULL, offsetof(batchRequest, is_quiet)},
};


// number of positional arguments, or -1 with a message
static int readRequest(int argc, char** argv, batchRequest* r) {
  const int n = cli_parse(&cli_batch, argc, argv, r);
  const char* noise = r->text.noise;
  const wholeNumber whole[] = {{"--worlds", r->text.worlds, &r->worlds, 1, 1e7},
                               {"--steps", r->text.steps, &r->steps, 1, 1e9},
                               {"--threads", r->text.threads, &r->threads, 0, 256},
                               {"--lanes", r->text.lanes, &r->lanes, 0, 8},
                               {"--seed", r->text.seed, &r->seed, 0, 0x1p53}};
  for (int k = 0; n >= 0 && k < 5; k++) {
    if (!readWhole(whole + k)) {
      return -1;
    }
  }
  if (n >= 0 && r->lanes != 0 && r->lanes != 1 && r->lanes != 4 && r->lanes != 8) {
    cli_error("--lanes %s: expected 0, 1, 4 or 8", r->text.lanes);
    return -1;
  }
  if (n >= 0 && noise && (!cli_number("--noise", noise, &r->noise) || r->noise < 0)) {
    cli_error("--noise %s: expected 0 or more", noise);
    return -1;
  }
  if (n > 1) {
    cli_error("one model at a time");
    return -1;
  }
  return n;
}


// one of the words, by its place; the first one where nothing is said
static bool readWord(const char* option, const char* text, const char* const words[], int count,
                     const char* expected, int* value) {
  *value = 0;
  for (int k = 0; text && k < count; k++) {
    if (strcmp(text, words[k]) == 0) {
      *value = k;
      return true;
    }
  }
  if (text) {
    cli_error("%s %s: expected %s", option, text, expected);
  }
  return !text;
}


static bool readBackend(const batchRequest* r, cfBatchOptions* options) {
  static const char* const backends[] = {"cpu", "cuda"};
  static const char* const tiers[] = {"auto", "base", "fast"};
  static const char* const precisions[] = {"double", "single"};
  int backend, tier, precision;
  if (!readWord("--backend", r->backend, backends, 2, "cpu or cuda", &backend) ||
      !readWord("--tier", r->tier, tiers, 3, "auto, base or fast", &tier) ||
      !readWord("--precision", r->precision, precisions, 2, "double or single", &precision)) {
    return false;
  }
  options->backend = (cftBackend)backend;
  options->tier = (cftTier)tier;
  options->precision = (cftPrecision)precision;
  return true;
}


// ---------------------------------------- running

typedef struct {
  double seconds, contacts, rows, iterations;
  uint64_t hash;   // of the positions of all worlds
  bool is_broken;  // the device failed
} batchResult;


// means over the worlds of an output
static double meanOutput(cfBatch* batch, const char* name) {
  const int n = cf_batchSize(batch);
  int* value = malloc(sizeof(int) * (size_t)n);
  double sum = 0;
  if (value && cf_batchGet(batch, name, NULL, n, CF_ORDER_WORLD, value)) {
    for (int w = 0; w < n; w++) {
      sum += value[w];
    }
  }
  free(value);
  return sum / n;
}


static uint64_t hashPositions(cfBatch* batch) {
  const int nq = (int)cf_batchModel(batch)->nq;
  uint64_t hash = 0x9E3779B97F4A7C15u;
  mjtNum* qpos = malloc(sizeof(mjtNum) * (size_t)(nq + 1));
  for (int w = 0; qpos && w < cf_batchSize(batch); w++) {
    cf_batchGet(batch, "qpos", &w, 1, CF_ORDER_WORLD, qpos);
    for (int k = 0; k < nq; k++) {
      uint64_t word;
      memcpy(&word, qpos + k, sizeof(word));
      hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
      hash ^= hash >> 32;
    }
  }
  free(qpos);
  return hash;
}


// steps in portions, with a line of progress
static batchResult runWorlds(cfBatch* batch, int steps, bool is_quiet) {
  batchResult r = {0};
  const int portion = steps < 20 ? 1 : steps / 20;
  int samples = 0;
  for (int done = 0; done < steps; samples++) {
    const int n = steps - done < portion ? steps - done : portion;
    const double start = seconds();
    if (!cf_batchStep(batch, n) || !cf_batchWait(batch)) {
      cli_error("%s", cf_batchError(batch));
      r.is_broken = true;
      return r;
    }
    r.seconds += seconds() - start;
    done += n;
    r.contacts += meanOutput(batch, "ncon");
    r.rows += meanOutput(batch, "nefc");
    if (!is_quiet) {
      cli_progress(done == steps, "%d of %d steps, %.0f world-steps/s, %lld lost", done, steps,
                   (double)done * cf_batchSize(batch) / r.seconds, (long long)cf_batchLost(batch));
    }
  }
  r.contacts /= samples;
  r.rows /= samples;
  r.hash = hashPositions(batch);
  return r;
}


static void printResult(const batchRequest* request, cfBatch* batch, const batchResult* r) {
  const double rate = request->steps * request->worlds / r->seconds;
  const double bytes = (double)cf_batchWorldBytes(batch);
  if (request->as_json) {
    cliJson j = {.out = stdout};
    char hash[17];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)r->hash);
    cli_jsonOpen(&j, NULL, '{');
    cli_jsonInt(&j, "worlds", (long long)request->worlds);
    cli_jsonInt(&j, "steps", (long long)request->steps);
    cli_jsonInt(&j, "lanes", cf_batchLanes(batch));
    cli_jsonText(&j, "tier", cf_batchTier(batch, NULL) == CF_TIER_FAST ? "fast" : "base");
    cli_jsonNumber(&j, "world_steps_per_second", rate);
    cli_jsonNumber(&j, "contacts", r->contacts);
    cli_jsonNumber(&j, "rows", r->rows);
    cli_jsonInt(&j, "lost", cf_batchLost(batch));
    cli_jsonNumber(&j, "bytes_per_world", bytes);
    cli_jsonText(&j, "hash", hash);
    cli_jsonClose(&j, '}');
    return;
  }
  printf("%.0f worlds, %.0f steps each, %d per register: %.0f world-steps/s\n", request->worlds,
         request->steps, cf_batchLanes(batch), rate);
  if (request->backend && strcmp(request->backend, "cuda") == 0) {
    const char* reason;
    const bool is_fast = cf_batchTier(batch, &reason) == CF_TIER_FAST;
    printf("%s tier%s%s\n", is_fast ? "fast" : "base",
           is_fast ? "" : ", not the fast one: ", reason);
  }
  printf("per world: %.0f bytes, %.1f contacts, %.1f rows; %lld lost\n", bytes, r->contacts,
         r->rows, (long long)cf_batchLost(batch));
  printf("hash of all positions %016llx\n", (unsigned long long)r->hash);
}


// does the processor step a batch that the chosen device does not: then the device is to blame
static bool cpuTakes(const mjModel* m, const cfBatchOptions* options) {
  cfBatchOptions plain = *options;
  plain.backend = CF_BACKEND_CPU;
  plain.tier = CF_TIER_AUTO;
  plain.precision = CF_PRECISION_DOUBLE;
  cfBatch* batch = options->backend == CF_BACKEND_CPU ? NULL : cf_makeBatch(m, 1, &plain, NULL, 0);
  cf_freeBatch(batch);
  return batch;
}


// worlds with the parameters asked for; NULL with a message and *code set
static cfBatch* makeWorlds(const mjModel* m, const batchRequest* r, cliExit* code) {
  cfBatchOptions options;
  cf_defaultBatchOptions(&options);
  options.nthread = (int)r->threads;
  options.nlane = (int)r->lanes;
  options.noise_scale = r->noise;
  options.seed = (uint64_t)r->seed;
  options.outputs = "ncon nefc";
  *code = CLI_USAGE;
  if (!readBackend(r, &options)) {
    return NULL;
  }
  char error[400];
  cfBatch* batch = cf_makeBatch(m, (int)r->worlds, &options, error, sizeof(error));
  if (!batch) {
    cli_error("%s", error);
    *code = cpuTakes(m, &options) ? CLI_IO : CLI_BAD_MODEL;
    return NULL;
  }
  *code = r->randomize ? cli_randomize(batch, r->randomize, r->seed) : CLI_OK;
  return batch;
}


static int runBatch(int argc, char** argv) {
  batchRequest request = {.worlds = WORLDS_DEFAULT, .steps = STEPS_DEFAULT, .noise = 0.01};
  const int n = readRequest(argc, argv, &request);
  if (n < 0) {
    return CLI_USAGE;
  }
  if (request.out && !cli_hasSuffix(request.out, ".npy") && !cli_hasSuffix(request.out, ".csv")) {
    cli_error("--out %s: expected a name that ends in .npy or .csv", request.out);
    return CLI_USAGE;
  }
  const int integrator = request.integrator ? cli_findIntegrator(request.integrator) : 0;
  if (integrator < 0) {
    return CLI_USAGE;
  }
  if (!cli_loadPlugins(request.plugin)) {
    return CLI_IO;
  }
  cliExit code;
  mjModel* m = cli_load(n ? argv[0] : NULL, &code);
  if (!m) {
    return code;
  }
  m->opt.integrator = request.integrator ? integrator : m->opt.integrator;
  cfBatch* batch = makeWorlds(m, &request, &code);
  if (batch && code == CLI_OK) {
    const batchResult result = runWorlds(batch, (int)request.steps, request.is_quiet);
    if (!result.is_broken) {
      printResult(&request, batch, &result);
    }
    code = result.is_broken || cf_batchLost(batch) ? CLI_UNSTABLE : CLI_OK;
    if (request.out && !result.is_broken && !cli_writeWorlds(batch, request.out)) {
      code = CLI_IO;
    }
  }
  cf_freeBatch(batch);
  mj_deleteModel(m);
  return code;
}


const cliCommand cli_batch = {
    "batch",
    "[MODEL] [--worlds N] [--steps N] [--backend cpu|cuda] [--tier auto|base|fast] [--precision double|single] [--threads N] [--lanes N] [--noise X] [--seed N] [--randomize FILE] [--integrator NAME] [--out FILE] [--plugin FILE] [--json] [--quiet]",
    "many worlds of one model at once",
    "DESCRIPTION\n"
    "  Steps N worlds of a model (- is standard input, without one the embedded humanoid) and prints world-steps per second,\n"
    "  memory per world, contacts and rows, worlds lost, and a hash of all positions, which is the same\n"
    "  for every number of threads.  A world that becomes unstable starts again and is counted.\n\n"
    "OPTIONS\n"
    "  --worlds N        worlds (1024)\n"
    "  --steps N         steps of each (1000)\n"
    "  --backend NAME    cpu (default), or cuda: an NVIDIA GPU, with its driver and the file\n"
    "                    cortenforge.kernels beside the library (make gpu)\n"
    "  --tier NAME       on a GPU: base (the engine's own code, one thread per world), fast (a team of\n"
    "                    threads per world), or auto, the default: fast where it has all that is needed\n"
    "  --precision NAME  of the fast tier: double (default) or single\n"
    "  --threads N       threads; 0, the default: one per processor\n"
    "  --lanes N         worlds stepped together in a vector register: 4, 8, or 1 for one after the other;\n"
    "                    0, the default: what suits model and processor.  Results are the same\n"
    "  --noise X         control noise, relative to the control range (0.01)\n"
    "  --seed N          of noise and random parameters (0)\n"
    "  --integrator NAME Euler, RK4, implicit, implicitfast or springdamper\n"
    "  --randomize FILE  draw model parameters and initial states per world: lines FIELD scale|add LOW HIGH,\n"
    "                    such as 'body_mass scale 0.8 1.2' or 'qpos add -0.1 0.1'; # starts a comment.\n"
    "                    Sizes of meshes and the like stay, turns and axes keep unit length.  A world that\n"
    "                    becomes unstable starts again from the model's own initial state\n"
    "  --out FILE        write the states that were reached, a row for each world: time, qpos, qvel, act; a table\n"
    "                    with names (.csv) or an array for numpy.load (.npy)\n"
    "  --plugin FILE     load plugins and extensions first, files with commas between them (docs/extending.md)\n"
    "  --json            machine-readable result\n"
    "  --quiet           no progress\n\n"
    "EXIT STATUS\n"
    "  0 success; 1 bad model; 2 usage; 3 input or output, or no such device; 4 worlds were lost\n",
    runBatch,
    CLI_OPTIONS(option_table)};
