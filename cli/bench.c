// cortenforge bench: steps per second and time per stage with control noise, as MuJoCo's speed test
// measures.
#include <stdlib.h>

#include <math.h>

#include "cli.h"

enum { STEPS_DEFAULT = 10000 };


static mjtNum microseconds(void) {
  return 1e6 * cfi_clock();
}


typedef struct {
  double wall_us, contacts, rows, iterations;
} benchResult;


static benchResult measure(const mjModel* m, mjData* d, int steps, double noise) {
  benchResult r = {0};
  cliControl control = {.kind = CONTROL_NOISE, .scale = noise};
  for (int k = 0; k < steps; k++) {
    cli_applyControl(&control, m, d, k);
    const mjtNum start = microseconds();
    mj_step(m, d);
    r.wall_us += microseconds() - start;
    r.contacts += d->ncon;
    r.rows += d->nefc;
    for (int i = 0; i < mju_max(1, mju_min(d->nisland, mjNISLAND)); i++) {
      r.iterations += d->solver_niter[i];
    }
  }
  return r;
}


static void printStages(const mjData* d, int steps) {
  printf("\nstage                 us/step\n");
  for (int k = 0; k < mjNTIMER; k++) {
    if (d->timer[k].number) {
      printf("  %-18s %8.2f\n", mjTIMERSTRING[k], d->timer[k].duration / steps);
    }
  }
}


// a reset in the middle: times of a simulation that blew up say little
static void reportTrouble(const mjData* d) {
  const int count = cli_countWarnings(d);
  if (count) {
    cli_error("%d warnings; 'cortenforge run' explains them", count);
  }
}


// --steps and --noise; false with a message
static bool readNumbers(const char* steps_text, const char* noise_text, double* steps,
                        double* noise) {
  if ((steps_text && !cli_number("--steps", steps_text, steps)) ||
      (noise_text && !cli_number("--noise", noise_text, noise))) {
    return false;
  }
  if (*steps < 1 || *steps > 1e9 || *steps != floor(*steps)) {
    cli_error("--steps %s: expected a whole number from 1 to 1000000000", steps_text);
    return false;
  }
  return true;
}


typedef struct {
  const char *steps, *noise;
  bool as_json;
} benchRequest;

static const cliOption option_table[] = {{"--steps", "N", offsetof(benchRequest, steps)},
                                         {"--noise", "S", offsetof(benchRequest, noise)},
                                         {"--json", NULL, offsetof(benchRequest, as_json)}};


static int runBench(int argc, char** argv) {
  benchRequest request = {NULL, NULL, false};
  double steps = STEPS_DEFAULT, noise = 0.01;
  int n = cli_parse(&cli_bench, argc, argv, &request);
  if (n > 1) {
    cli_error("one model at a time");
  }
  if (n < 0 || n > 1 || !readNumbers(request.steps, request.noise, &steps, &noise)) {
    return CLI_USAGE;
  }
  cliExit code;
  mjModel* m = cli_load(n ? argv[0] : NULL, &code);
  if (!m) {
    return code;
  }
  mjData* d = mj_makeData(m);
  if (m->nkey > 0) {
    mj_resetDataKeyframe(m, d, 0);
  }
  mjcb_time = microseconds;
  benchResult r = measure(m, d, (int)steps, noise);
  mjcb_time = NULL;

  if (request.as_json) {
    cliJson j = {.out = stdout};
    cli_jsonOpen(&j, NULL, '{');
    cli_jsonNumber(&j, "steps_per_second", 1e6 * steps / r.wall_us);
    cli_jsonNumber(&j, "us_per_step", r.wall_us / steps);
    cli_jsonNumber(&j, "contacts", r.contacts / steps);
    cli_jsonNumber(&j, "rows", r.rows / steps);
    cli_jsonNumber(&j, "iterations", r.iterations / steps);
    cli_jsonOpen(&j, "stages_us", '{');
    for (int k = 0; k < mjNTIMER; k++) {
      cli_jsonNumber(&j, mjTIMERSTRING[k], d->timer[k].duration / steps);
    }
    cli_jsonClose(&j, '}');
    cli_jsonClose(&j, '}');
  } else {
    printf("%.0f steps/s, %.2f us/step, %.1f x real time\n", 1e6 * steps / r.wall_us,
           r.wall_us / steps, 1e6 * steps * m->opt.timestep / r.wall_us);
    printf("contacts %.2f, rows %.2f, iterations %.2f per step\n", r.contacts / steps,
           r.rows / steps, r.iterations / steps);
    printStages(d, (int)steps);
  }
  reportTrouble(d);
  mj_deleteData(d);
  mj_deleteModel(m);
  return CLI_OK;
}


const cliCommand cli_bench = {
    "bench",
    "[MODEL] [--steps N] [--noise S] [--json]",
    "steps per second and time per stage",
    "DESCRIPTION\n"
    "  Steps MODEL with quasi-random control noise, as MuJoCo's speed test does, and prints steps per second,\n"
    "  contacts, constraint rows and solver iterations per step, and microseconds per pipeline stage.\n\n"
    "OPTIONS\n"
    "  --steps N  (10000)\n"
    "  --noise S  noise relative to the control range (0.01)\n",
    runBench,
    CLI_OPTIONS(option_table)};
