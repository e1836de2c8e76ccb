// cortenforge run: simulate a model, record and plot it, and say how it went.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cortenforge/cortenforge.h>

#include "canvas.h"
#include "cli.h"

typedef struct {
  const char *model_path, *time, *ctrl, *record, *plot, *plot_file, *key, *seed, *save;
  cliVideoOptions video;
  cliParts parts;
  bool as_json, quiet, hash;
} runOptions;

typedef struct {
  mjModel* m;
  mjData *d, *before;  // `before` is the state ahead of the last step, for explanations
  cliControl control;
  cliSeries recorded, plotted;
  cliSoft soft;
  FILE* record;
  cliVideo video;
  double duration, wall;
  long long steps, contacts;
  int worst_contacts;
  bool is_unstable, records_hash, has_video, is_video_broken;
} simulation;


static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}


static bool hasBadState(const mjData* d) {
  return d->warning[mjWARN_BADQPOS].number || d->warning[mjWARN_BADQVEL].number ||
         d->warning[mjWARN_BADQACC].number;
}


static void showProgress(const simulation* s, bool done) {
  const double part = s->duration > 0 ? fmin(1, s->d->time / s->duration) : 1;
  fprintf(stderr, "\r%5.1f %%  t = %.3f s  %lld steps  %.0f steps/s  %d contacts   %s", 100 * part,
          s->d->time, s->steps, s->wall > 0 ? (double)s->steps / s->wall : 0, s->d->ncon,
          done ? "\n" : "");
}


// ---- recording: one CSV row per step
static bool openRecord(simulation* s, const char* path) {
  s->record = fopen(path, "w");
  if (!s->record) {
    fprintf(stderr, "cortenforge run: %s: %s\n", path, strerror(errno));
    return false;
  }
  fputs("time", s->record);
  for (int k = 0; k < s->recorded.count; k++) {
    fprintf(s->record, ",%s", s->recorded.signal[k].label);
  }
  fputs(s->records_hash ? ",hash\n" : "\n", s->record);
  return true;
}


static void writeRecord(simulation* s, const mjData* d) {
  s->recorded.rows = 0;
  if (cli_sample(&s->recorded, s->m, d)) {
    for (int k = 0; k <= s->recorded.count; k++) {
      fprintf(s->record, k ? ",%.17g" : "%.17g", s->recorded.value[k]);
    }
    if (s->records_hash) {
      fprintf(s->record, ",%016llx", (unsigned long long)cf_stateHash(s->m, d));
    }
    fputc('\n', s->record);
  }
}


static void sampleAll(simulation* s, mjData* d) {
  if (s->has_video && !s->is_video_broken) {
    s->is_video_broken = !cli_addFrames(&s->video, d);
  }
  if (s->plotted.count) {
    cli_sample(&s->plotted, s->m, d);
  }
  if (s->record) {
    writeRecord(s, d);
  }
}


// the first sample: energies and sensors of the initial state, computed beside the simulation
static void sampleStart(simulation* s) {
  mj_copyData(s->before, s->m, s->d);
  mj_forward(s->m, s->before);
  sampleAll(s, s->before);
}


// step until the time is over or the state is bad
static void simulate(simulation* s, const runOptions* o) {
  const bool shows_progress = !o->quiet;
  const double interval = isatty(STDERR_FILENO) ? 0.1 : 2;
  double shown = seconds();
  const double half_step = 0.5 * s->m->opt.timestep;
  sampleStart(s);
  while (s->d->time < s->duration - half_step) {
    cli_applyControl(&s->control, s->m, s->d, (int)s->steps);
    if (s->steps % 16 == 0) {
      mj_copyData(s->before, s->m, s->d);
    }
    const double start = seconds();
    mj_step(s->m, s->d);
    const double now = seconds();
    s->wall += now - start;
    s->steps++;
    s->contacts += s->d->ncon;
    s->worst_contacts = s->d->ncon > s->worst_contacts ? s->d->ncon : s->worst_contacts;
    if (hasBadState(s->d)) {
      s->is_unstable = true;
      break;
    }
    sampleAll(s, s->d);
    cli_softWatch(&s->soft, s->m, s->d);
    if (shows_progress && now - shown > interval) {
      showProgress(s, false);
      shown = now;
    }
  }
  if (shows_progress) {
    showProgress(s, true);
  }
}


// repeat the last few steps one by one to find the state just before the trouble
static void findLastGoodState(simulation* s) {
  mjData* probe = mj_copyData(NULL, s->m, s->before);
  long long first = (s->steps - 1) / 16 * 16;
  for (long long k = first; probe && k < s->steps - 1; k++) {
    cli_applyControl(&s->control, s->m, probe, (int)k);
    mj_step(s->m, probe);
    mj_copyData(s->before, s->m, probe);
  }
  mj_deleteData(probe);
}


// the state that the summary is about: a bad state was reset, so the one before it
static mjData* lastState(const simulation* s) {
  return s->is_unstable ? s->before : s->d;
}


static void summarizeJson(const simulation* s, const runOptions* o) {
  mjData* last = lastState(s);
  cliJson j = {.out = stdout};
  cli_jsonOpen(&j, NULL, '{');
  cli_jsonText(&j, "model", o->model_path ? o->model_path : "embedded humanoid");
  cli_jsonInt(&j, "steps", s->steps);
  cli_jsonNumber(&j, "simulated_seconds", last->time);
  cli_jsonNumber(&j, "wall_seconds", s->wall);
  cli_jsonNumber(&j, "steps_per_second", s->wall > 0 ? (double)s->steps / s->wall : 0);
  cli_jsonNumber(&j, "real_time_factor", s->wall > 0 ? last->time / s->wall : 0);
  cli_jsonNumber(&j, "potential_energy", last->energy[0]);
  cli_jsonNumber(&j, "kinetic_energy", last->energy[1]);
  cli_jsonNumber(&j, "mean_contacts", s->steps ? (double)s->contacts / (double)s->steps : 0);
  cli_jsonInt(&j, "max_contacts", s->worst_contacts);
  cli_softJson(&s->soft, s->m, last, &j);
  cli_jsonInt(&j, "warnings", cli_countWarnings(s->d));
  cli_jsonInt(&j, "unstable", s->is_unstable);
  if (o->hash) {
    char hash[20];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)cf_stateHash(s->m, last));
    cli_jsonText(&j, "state_hash", hash);
  }
  cli_jsonClose(&j, '}');
}


static void summarizeText(const simulation* s, const runOptions* o) {
  mjData* last = lastState(s);
  printf("model             %s\n", o->model_path ? o->model_path : "embedded humanoid");
  printf("simulated         %.3f s in %lld steps of %g s\n", last->time, s->steps,
         s->m->opt.timestep);
  printf("speed             %.0f steps/s, %.1f x real time\n",
         s->wall > 0 ? (double)s->steps / s->wall : 0, s->wall > 0 ? last->time / s->wall : 0);
  printf("energy            potential %.6g J, kinetic %.6g J\n", last->energy[0], last->energy[1]);
  printf("contacts          mean %.2f, most %d\n",
         s->steps ? (double)s->contacts / (double)s->steps : 0, s->worst_contacts);
  cli_softText(&s->soft, s->m, last);
  printf("warnings          %d\n", cli_countWarnings(s->d));
  for (int k = 0; k < mjNWARNING; k++) {
    if (s->d->warning[k].number) {
      printf("  %d x %s\n", s->d->warning[k].number,
             mju_warningText(k, (size_t)s->d->warning[k].lastinfo));
    }
  }
  if (o->hash) {
    printf("state hash        %016llx\n", (unsigned long long)cf_stateHash(s->m, last));
  }
}


// --time and --seed; false with a message
static bool readNumbers(const runOptions* o, double* duration, double* seed) {
  *duration = 10;
  *seed = 0;
  if (o->time && !cli_number("--time", o->time, duration)) {
    return false;
  }
  if (*duration < 0) {
    fprintf(stderr, "cortenforge run: --time %s: a duration cannot be negative\n", o->time);
    return false;
  }
  if (o->seed && !cli_number("--seed", o->seed, seed)) {
    return false;
  }
  if (*seed < 0 || *seed > 1e6 || *seed != floor(*seed)) {
    fprintf(stderr, "cortenforge run: --seed %s: expected a whole number from 0 to 1000000\n",
            o->seed);
    return false;
  }
  return true;
}


static int prepare(simulation* s, const runOptions* o) {
  cliExit code;
  double seed;
  if (!readNumbers(o, &s->duration, &seed)) {
    return CLI_USAGE;
  }
  s->m = cli_loadWith(o->model_path, &o->parts, &code);
  if (!s->m) {
    return code;
  }
  if (!(s->m->opt.timestep > 0)) {
    fprintf(stderr, "cortenforge run: the model's time step is %g; it must be positive\n",
            s->m->opt.timestep);
    return CLI_BAD_MODEL;
  }
  s->m->opt.enableflags |= mjENBL_ENERGY;
  s->d = mj_makeData(s->m);
  s->before = mj_makeData(s->m);
  if (!s->d || !s->before || !cli_softOpen(&s->soft, s->m)) {
    return CLI_BAD_MODEL;
  }
  if (o->key) {
    const int key = mj_name2id(s->m, mjOBJ_KEY, o->key);
    if (key < 0) {
      fprintf(stderr, "cortenforge run: the model has no keyframe '%s'\n", o->key);
      return CLI_USAGE;
    }
    mj_resetDataKeyframe(s->m, s->d, key);
  }
  if (!cli_controlFrom(&s->control, s->m, o->ctrl, (int)seed, &code)) {
    return code;
  }
  if (o->plot && !cli_addSignals(&s->plotted, s->m, o->plot)) {
    return CLI_USAGE;
  }
  s->records_hash = o->hash;
  if (o->record) {
    if (!cli_addSignals(&s->recorded, s->m, o->plot ? o->plot : "energy,ncon,qpos,qvel")) {
      return CLI_USAGE;
    }
    if (!openRecord(s, o->record)) {
      return CLI_IO;
    }
  }
  s->has_video = o->video.path;
  return s->has_video ? (int)cli_openVideo(&s->video, s->m, &o->video) : CLI_OK;
}


// the film is complete; says where it is
static int finishVideo(simulation* s, const runOptions* o) {
  const int frames = s->video.frames;
  const cliExit code = cli_closeVideo(&s->video);
  s->has_video = false;
  if (code == CLI_OK && !s->is_video_broken) {
    fprintf(o->as_json ? stderr : stdout, "video             %s, %d frames\n", o->video.path,
            frames);
    return CLI_OK;
  }
  return CLI_IO;
}


static int finish(simulation* s, const runOptions* o) {
  int code = CLI_OK;
  if (s->record && (ferror(s->record) || fclose(s->record))) {
    fprintf(stderr, "cortenforge run: could not write %s\n", o->record);
    code = CLI_IO;
  }
  s->record = NULL;
  if (s->is_unstable) {
    findLastGoodState(s);
  }
  if (o->as_json) {
    summarizeJson(s, o);
  } else {
    summarizeText(s, o);
  }
  if (s->has_video && finishVideo(s, o) != CLI_OK) {
    code = CLI_IO;
  }
  if (s->plotted.count) {
    const char* path = o->plot_file ? o->plot_file : "plot.svg";
    if (cli_writePlot(&s->plotted, path, o->model_path ? o->model_path : "humanoid")) {
      fprintf(o->as_json ? stderr : stdout, "plot              %s\n", path);
    } else {
      code = CLI_IO;
    }
  }
  if (s->is_unstable) {
    cli_explainUnstable(stderr, s->m, s->before, s->d, &s->soft);
    code = CLI_UNSTABLE;
  }
  return code;
}


// the model with the parts that were chosen, as a binary
static int saveParts(const mjModel* m, const char* path) {
  FILE* file = fopen(path, "wb");
  if (!file) {
    fprintf(stderr, "cortenforge run: could not write %s\n", path);
    return CLI_IO;
  }
  fclose(file);
  mj_saveModel(m, path, NULL, 0);
  return CLI_OK;
}


static const cliOption option_table[] = {
    {"--time", "T", offsetof(runOptions, time)},
    {"--ctrl", "C", offsetof(runOptions, ctrl)},
    {"--record", "FILE", offsetof(runOptions, record)},
    {"--plot-file", "FILE", offsetof(runOptions, plot_file)},
    {"--plot", "SIGNALS", offsetof(runOptions, plot)},
    {"--key", "NAME", offsetof(runOptions, key)},
    {"--seed", "N", offsetof(runOptions, seed)},
    {"--hash", NULL, offsetof(runOptions, hash)},
    {"--video", "FILE", offsetof(runOptions, video.path)},
    {"--camera", "C", offsetof(runOptions, video.camera)},
    {"--size", "WxH", offsetof(runOptions, video.size)},
    {"--fps", "N", offsetof(runOptions, video.rate)},
    {"--preset", "NAME", offsetof(runOptions, parts.preset)},
    {"--contact-solver", "NAME", offsetof(runOptions, parts.solver)},
    {"--gain", "A=M", offsetof(runOptions, parts.gain)},
    {"--save", "FILE", offsetof(runOptions, save)},
    {"--json", NULL, offsetof(runOptions, as_json)},
    {"--quiet", NULL, offsetof(runOptions, quiet)},
};


static int runRun(int argc, char** argv) {
  runOptions o = {0};
  const int n = cli_parse(&cli_run, argc, argv, &o);
  if (n < 0 || n > 1) {
    if (n > 1) {
      fprintf(stderr, "cortenforge run: one model at a time\n");
    }
    return CLI_USAGE;
  }
  o.model_path = n == 1 ? argv[0] : NULL;

  simulation s = {0};
  int code = prepare(&s, &o);
  if (code == CLI_OK && o.save) {
    code = saveParts(s.m, o.save);
  }
  if (code == CLI_OK) {
    simulate(&s, &o);
    code = finish(&s, &o);
  }
  if (s.has_video) {
    cli_closeVideo(&s.video);
  }
  cli_controlFree(&s.control);
  cli_seriesFree(&s.recorded);
  cli_seriesFree(&s.plotted);
  cli_softFree(&s.soft);
  mj_deleteData(s.before);
  mj_deleteData(s.d);
  mj_deleteModel(s.m);
  return code;
}


const cliCommand cli_run = {
    "run",
    "[MODEL] [--time T] [--ctrl C] [--key NAME] [--record FILE] [--plot SIGNALS] [--plot-file FILE] [--seed N]"
    " [--video FILE [--camera C] [--size WxH] [--fps N]] [--preset NAME]"
    " [--contact-solver NAME] [--gain A=M[:P...],...] [--save FILE.mjb] [--hash] [--json] [--quiet]",
    "simulate a model and sum up what happened",
    "DESCRIPTION\n"
    "  Simulates MODEL (MJCF, URDF or MJB; without one the embedded humanoid) with progress on standard error\n"
    "  and prints a summary: steps per second, real-time factor, energy, contacts, warnings, and\n"
    "  for each flex the energy it stores, its worst strain (relative change of length of an edge, with element and\n"
    "  time) and, for solids, how many elements are turned inside out at the end and at the worst moment.\n\n"
    "OPTIONS\n"
    "  --time T          seconds to simulate (10)\n"
    "  --ctrl C          none, noise[:SCALE], keyframe[:NAME] or csv:FILE (rows: time, controls)\n"
    "  --key NAME        start from this keyframe\n"
    "  --record FILE     write the signals of --plot (default energy,ncon,qpos,qvel) as CSV, one row a step\n"
    "  --plot SIGNALS    comma-separated: energy, ncon, qpos[:JOINT], qvel[:JOINT], ctrl[:ACTUATOR],\n"
    "                    sensor[:NAME], xpos:BODY, com:BODY\n"
    "  --plot-file FILE  where the plot goes, SVG (plot.svg)\n"
    "  --video FILE      film by ffmpeg, in the format that the name says; numbered PNG files where there is no\n"
    "                    ffmpeg, or if FILE ends in .png\n"
    "  --camera, --size, --fps   of the film: as in 'cortenforge help render', 640x480, 30 frames a second\n"
    "  --preset NAME     models of flexes and contacts: mujoco, animation, softbody\n"
    "  --contact-solver NAME  formulation of the contact problem: lcp, xpbd, ...\n"
    "  --gain A=M[:P...],...  model M of actuator A (* for all) with all its parameters P or the usual ones\n"
    "  --save FILE.mjb   write the model with these parts as a binary, which keeps them\n"
    "  --seed N          of the control noise, 0 to 1000000\n"
    "  --hash            print the hash of the final state: equal hashes mean equal bits; with --record the hash\n"
    "                    of every step, in the last column\n"
    "  --json, --quiet   machine-readable summary; no progress\n\n"
    "EXIT STATUS\n"
    "  4 and an explanation if the simulation becomes unstable: when, the joint and body that failed, what was\n"
    "  fastest, the deepest contact, the strongest actuator, for soft bodies the element (flex, number, vertices,\n"
    "  strain), and the likely cause\n",
    runRun,
    CLI_OPTIONS(option_table)};
