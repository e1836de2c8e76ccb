// cortenforge run: simulate a model, record and plot it, and say how it went.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/cortenforge.h>

#include "canvas.h"
#include "cli.h"
#include "webpage.h"

enum { STEPS_KEPT = 16 };  // a state is kept every so many steps

typedef struct {
  const char *model_path, *time, *ctrl, *record, *plot, *plot_file, *key, *seed, *save, *html;
  cliVideoOptions video;
  cliParts parts;
  const char* plugin;
  bool as_json, quiet, hash;
} runOptions;

typedef struct {
  mjModel* m;
  mjData *d, *before;  // `before` is the state ahead of the last step, for explanations
  mjData* shown;       // `d` with everything that follows from it, for rows and pictures
  cliControl control;
  cliSeries recorded, plotted;
  cliSoft soft;
  FILE *record, *report;  // `report` is where the summary goes
  cliVideo video;
  cliRecording recording;
  double duration, start, wall;
  double steps, wanted_steps;
  long long contacts;
  int worst_contacts;
  bool is_unstable, records_hash, has_video, is_video_broken, has_page;
} simulation;

// number of the signal that asked for an end
static volatile int asked_to_stop;


static void onSignal(int number) {
  asked_to_stop = number;
}


static double seconds(void) {
  return cfi_clock();
}


static bool hasBadState(const mjData* d) {
  return d->warning[mjWARN_BADQPOS].number || d->warning[mjWARN_BADQVEL].number ||
         d->warning[mjWARN_BADQACC].number;
}


static void showProgress(const simulation* s, bool done) {
  const double part = s->wanted_steps > 0 ? s->steps / s->wanted_steps : 1;
  cli_progress(done, "%5.1f %%  t = %.3f s  %.0f steps  %.0f steps/s  %d contacts", 100 * part,
               s->d->time, s->steps, s->wall > 0 ? s->steps / s->wall : 0, s->d->ncon);
}


// ---- recording: one CSV row per step

// a column's name, in quotes where it would not be one column otherwise
static void writeLabel(FILE* out, const char* label) {
  const bool needs_quotes = label[strcspn(label, ",\"\r\n")] != '\0';
  fputs(needs_quotes ? ",\"" : ",", out);
  for (const char* p = label; *p; p++) {
    fputs(*p == '"' ? "\"" : "", out);
    fputc(*p, out);
  }
  fputs(needs_quotes ? "\"" : "", out);
}


static bool openRecord(simulation* s, const char* path) {
  const bool is_stdout = !strcmp(path, "-");
  s->record = is_stdout ? stdout : cfi_fileOpen(path, "w");
  s->report = is_stdout ? stderr : stdout;
  if (!s->record) {
    cli_error("%s: %s", path, strerror(errno));
    return false;
  }
  fputs("time", s->record);
  for (int k = 0; k < s->recorded.count; k++) {
    writeLabel(s->record, s->recorded.signal[k].label);
  }
  fputs(s->records_hash ? ",hash\n" : "\n", s->record);
  return true;
}


static void writeRecord(simulation* s, const mjData* shown) {
  s->recorded.rows = 0;
  if (cli_sample(&s->recorded, s->m, shown)) {
    for (int k = 0; k <= s->recorded.count; k++) {
      fprintf(s->record, k ? ",%.17g" : "%.17g", s->recorded.value[k]);
    }
    if (s->records_hash) {
      fprintf(s->record, ",%016llx", (unsigned long long)cf_stateHash(s->m, s->d));
    }
    fputc('\n', s->record);
  }
}


// Rows and frames of the state that was reached.  A step leaves energy, sensors, contacts and
// frames of the state before it; they are computed again beside the simulation, with the controls
// of the next step, so that everything in a row belongs to its time.
static void sampleAll(simulation* s) {
  const bool draws =
      s->has_video && !s->is_video_broken && cli_isFrameDue(&s->video, s->d->time - s->start);
  if (!draws && !s->plotted.count && !s->record) {
    return;
  }
  mj_copyData(s->shown, s->m, s->d);
  cli_applyControl(&s->control, s->m, s->shown, (int)fmod(s->steps, INT_MAX));
  if (draws || cli_isDerived(&s->plotted) || cli_isDerived(&s->recorded)) {
    mj_forward(s->m, s->shown);
  }
  if (draws) {
    s->is_video_broken = !cli_addFrames(&s->video, s->shown, s->d->time - s->start);
  }
  if (s->plotted.count) {
    cli_sample(&s->plotted, s->m, s->shown);
  }
  if (s->record) {
    writeRecord(s, s->shown);
  }
}


static void stepOnce(simulation* s) {
  cli_applyControl(&s->control, s->m, s->d, (int)fmod(s->steps, INT_MAX));
  if (fmod(s->steps, STEPS_KEPT) == 0) {
    mj_copyData(s->before, s->m, s->d);
  }
  s->has_page = s->has_page && cli_recordStep(&s->recording, s->d);
  const double start = seconds(), time = s->d->time;
  mj_step(s->m, s->d);
  s->wall += seconds() - start;
  s->steps++;
  s->contacts += s->d->ncon;
  s->worst_contacts = s->d->ncon > s->worst_contacts ? s->d->ncon : s->worst_contacts;
  s->is_unstable = hasBadState(s->d);
  if (!s->is_unstable) {
    cli_softWatch(&s->soft, s->m, s->d, time);
  }
}


// step until the time is over, the state is bad, a signal asks for an end, or the record cannot be
// written any more
static void simulate(simulation* s, const runOptions* o) {
  const double interval = cli_isTerminal(stderr) ? 0.1 : 2;
  double shown = seconds();
  s->start = s->d->time;
  s->wanted_steps = cli_stepCount(s->m, s->duration);
  cli_onStop(onSignal);
  sampleAll(s);
  while (s->steps < s->wanted_steps && !asked_to_stop) {
    stepOnce(s);
    if (s->is_unstable) {
      break;
    }
    sampleAll(s);
    if (s->record && ferror(s->record)) {
      break;
    }
    if (!o->quiet && seconds() - shown > interval) {
      showProgress(s, false);
      shown = seconds();
    }
  }
  if (!o->quiet) {
    showProgress(s, true);
  }
}


// repeat the last few steps one by one to find the state just before the trouble
static void findLastGoodState(simulation* s) {
  mjData* probe = mj_copyData(NULL, s->m, s->before);
  const double first = STEPS_KEPT * floor((s->steps - 1) / STEPS_KEPT);
  for (double k = first; probe && k < s->steps - 1; k++) {
    cli_applyControl(&s->control, s->m, probe, (int)fmod(k, INT_MAX));
    mj_step(s->m, probe);
    mj_copyData(s->before, s->m, probe);
  }
  mj_deleteData(probe);
}


// the state that the summary is about: a bad state was reset, so the one before it
static mjData* lastState(const simulation* s) {
  return s->is_unstable ? s->before : s->d;
}


static void jsonArray(cliJson* j, const char* key, const mjtNum* value, mjtSize n) {
  cli_jsonOpen(j, key, '[');
  for (mjtSize k = 0; k < n; k++) {
    cli_jsonNumber(j, NULL, value[k]);
  }
  cli_jsonClose(j, ']');
}


static void jsonState(cliJson* j, const mjModel* m, const mjData* d) {
  cli_jsonOpen(j, "state", '{');
  cli_jsonNumber(j, "time", d->time);
  jsonArray(j, "qpos", d->qpos, m->nq);
  jsonArray(j, "qvel", d->qvel, m->nv);
  jsonArray(j, "act", d->act, m->na);
  cli_jsonClose(j, '}');
}


static void summarizeJson(const simulation* s, const runOptions* o) {
  const mjData* last = lastState(s);
  const double simulated = last->time - s->start;
  cliJson j = {.out = s->report};
  cli_jsonOpen(&j, NULL, '{');
  cli_jsonText(&j, "model", o->model_path ? o->model_path : "embedded humanoid");
  cli_jsonInt(&j, "steps", (long long)s->steps);
  cli_jsonNumber(&j, "timestep", s->m->opt.timestep);
  cli_jsonNumber(&j, "simulated_seconds", simulated);
  cli_jsonNumber(&j, "wall_seconds", s->wall);
  cli_jsonNumber(&j, "steps_per_second", s->wall > 0 ? s->steps / s->wall : 0);
  cli_jsonNumber(&j, "real_time_factor", s->wall > 0 ? simulated / s->wall : 0);
  cli_jsonNumber(&j, "potential_energy", s->shown->energy[0]);
  cli_jsonNumber(&j, "kinetic_energy", s->shown->energy[1]);
  cli_jsonNumber(&j, "mean_contacts", s->steps > 0 ? (double)s->contacts / s->steps : 0);
  cli_jsonInt(&j, "max_contacts", s->worst_contacts);
  cli_softJson(&s->soft, s->m, s->shown, &j);
  cli_jsonInt(&j, "warnings", cli_countWarnings(s->d));
  cli_jsonInt(&j, "unstable", s->is_unstable);
  cli_jsonInt(&j, "stopped_by_signal", asked_to_stop);
  jsonState(&j, s->m, last);
  if (o->hash) {
    char hash[20];
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)cf_stateHash(s->m, last));
    cli_jsonText(&j, "state_hash", hash);
  }
  cli_jsonClose(&j, '}');
}


static void summarizeText(const simulation* s, const runOptions* o) {
  const mjData* last = lastState(s);
  const double simulated = last->time - s->start;
  FILE* out = s->report;
  fprintf(out, "model             %s\n", o->model_path ? o->model_path : "embedded humanoid");
  fprintf(out, "simulated         %.3f s in %.0f steps of %g s%s\n", simulated, s->steps,
          s->m->opt.timestep, asked_to_stop ? ", then stopped by a signal" : "");
  fprintf(out, "speed             %.0f steps/s, %.1f x real time\n",
          s->wall > 0 ? s->steps / s->wall : 0, s->wall > 0 ? simulated / s->wall : 0);
  fprintf(out, "energy            potential %.6g J, kinetic %.6g J\n", s->shown->energy[0],
          s->shown->energy[1]);
  fprintf(out, "contacts          mean %.2f, most %d\n",
          s->steps > 0 ? (double)s->contacts / s->steps : 0, s->worst_contacts);
  cli_softText(out, &s->soft, s->m, s->shown);
  fprintf(out, "warnings          %d\n", cli_countWarnings(s->d));
  for (int k = 0; k < mjNWARNING; k++) {
    if (s->d->warning[k].number) {
      fprintf(out, "  %d x %s\n", s->d->warning[k].number,
              mju_warningText(k, (size_t)s->d->warning[k].lastinfo));
    }
  }
  if (o->hash) {
    fprintf(out, "state hash        %016llx\n", (unsigned long long)cf_stateHash(s->m, last));
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
    cli_error("--time %s: a duration cannot be negative", o->time);
    return false;
  }
  if (o->seed && !cli_number("--seed", o->seed, seed)) {
    return false;
  }
  if (*seed < 0 || *seed > 1e6 || *seed != floor(*seed)) {
    cli_error("--seed %s: expected a whole number from 0 to 1000000", o->seed);
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
  if (!cli_namesFile("--plot-file", o->plot_file) || !cli_namesFile("--save", o->save) ||
      !cli_namesFile("--video", o->video.path)) {
    return CLI_USAGE;
  }
  if (o->video.path && !o->video.path[0]) {
    cli_error("--video: the name of the file is empty");
    return CLI_USAGE;
  }
  if (!cli_loadPlugins(o->plugin)) {
    return CLI_IO;
  }
  s->m = cli_loadWith(o->model_path, &o->parts, &code);
  if (!s->m) {
    return code;
  }
  if (!(s->m->opt.timestep > 0) || !isfinite(s->m->opt.timestep)) {
    cli_error("the model's time step is %g; it must be positive", s->m->opt.timestep);
    return CLI_BAD_MODEL;
  }
  s->m->opt.enableflags |= mjENBL_ENERGY;
  s->d = mj_makeData(s->m);
  s->before = mj_makeData(s->m);
  s->shown = mj_makeData(s->m);
  if (!s->d || !s->before || !s->shown || !cli_softOpen(&s->soft, s->m)) {
    return CLI_BAD_MODEL;
  }
  if (o->key) {
    const int key = cli_findKeyframe(s->m, o->key);
    if (key < 0) {
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
  cli_limitSignals(&s->plotted, PLOT_LINES);
  s->records_hash = o->hash;
  s->report = stdout;
  if (o->record) {
    if (!cli_addSignals(&s->recorded, s->m, o->plot ? o->plot : "energy,ncon,qpos,qvel")) {
      return CLI_USAGE;
    }
    if (!openRecord(s, o->record)) {
      return CLI_IO;
    }
  }
  s->has_page = o->html && cli_startRecording(&s->recording, s->m, s->d);
  s->has_video = o->video.path;
  return s->has_video ? (int)cli_openVideo(&s->video, s->m, s->d, &o->video) : CLI_OK;
}


// where notes on files go: beside a summary that programs read, not into it
static FILE* notes(const simulation* s, const runOptions* o) {
  return o->as_json ? stderr : s->report;
}


// the film is complete; says where it is
static int finishVideo(simulation* s, const runOptions* o) {
  char path[CLI_VIDEO_NAME];
  cli_videoName(&s->video, path);
  const int frames = s->video.frames;
  const cliExit code = cli_closeVideo(&s->video);
  s->has_video = false;
  if (code == CLI_OK && !s->is_video_broken) {
    fprintf(notes(s, o), "video             %s, %d frames\n", path, frames);
    return CLI_OK;
  }
  return CLI_IO;
}


// the record is complete; false with a message
static bool finishRecord(simulation* s, const runOptions* o) {
  FILE* file = s->record;
  s->record = NULL;
  bool is_good = !file || (!ferror(file) && !fflush(file));
  if (file && file != stdout) {
    is_good = !fclose(file) && is_good;
  }
  if (!is_good) {
    cli_error("could not write %s: %s", o->record, strerror(errno));
  }
  return is_good;
}


// the page with the recording; of an unstable simulation there is none
static cliExit finishPage(simulation* s, const runOptions* o) {
  if (!s->has_page || s->is_unstable) {
    cli_error("--html %s: not written, %s", o->html,
              s->is_unstable ? "the simulation is unstable" : "not enough memory");
    return CLI_IO;
  }
  snprintf(s->recording.hash, sizeof(s->recording.hash), "%016llx",
           (unsigned long long)cf_stateHash(s->m, s->d));
  const cliExit code = cli_writePage(o->model_path, o->html, &s->recording);
  if (code == CLI_OK) {
    fprintf(notes(s, o), "page              %s\n", o->html);
  }
  return code;
}


static int finish(simulation* s, const runOptions* o) {
  int code = finishRecord(s, o) ? CLI_OK : CLI_IO;
  if (s->is_unstable) {
    findLastGoodState(s);
  }
  // energies of the last state, as in the rows
  mj_copyData(s->shown, s->m, lastState(s));
  mj_forward(s->m, s->shown);
  cli_softWatch(&s->soft, s->m, s->shown, s->shown->time);
  if (o->as_json) {
    summarizeJson(s, o);
  } else {
    summarizeText(s, o);
  }
  if (s->has_video && finishVideo(s, o) != CLI_OK) {
    code = CLI_IO;
  }
  if (o->html && finishPage(s, o) != CLI_OK) {
    code = CLI_IO;
  }
  if (s->plotted.count) {
    const char* path = o->plot_file ? o->plot_file : "plot.svg";
    if (cli_writePlot(&s->plotted, path, o->model_path ? o->model_path : "humanoid")) {
      fprintf(notes(s, o), "plot              %s\n", path);
    } else {
      code = CLI_IO;
    }
  }
  if (s->is_unstable) {
    cli_explainUnstable(stderr, s->m, s->before, s->d, s->steps <= 1, &s->soft);
    code = CLI_UNSTABLE;
  }
  return code == CLI_OK && asked_to_stop ? 128 + asked_to_stop : code;
}


// the model with the parts that were chosen, as a binary
static int saveParts(const mjModel* m, const char* path) {
  char why[500];
  cli_catchWarnings(why, sizeof(why));
  mj_saveModel(m, path, NULL, 0);
  cli_releaseWarnings();
  if (why[0]) {
    cli_error("--save: %s", why);
  }
  return why[0] ? CLI_IO : CLI_OK;
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
    {"--html", "FILE", offsetof(runOptions, html)},
    {"--camera", "C", offsetof(runOptions, video.camera)},
    {"--size", "WxH", offsetof(runOptions, video.size)},
    {"--fps", "N", offsetof(runOptions, video.rate)},
    {"--preset", "NAME", offsetof(runOptions, parts.preset)},
    {"--contact-solver", "NAME", offsetof(runOptions, parts.solver)},
    {"--gain", "A=M", offsetof(runOptions, parts.gain)},
    {"--integrator", "NAME", offsetof(runOptions, parts.integrator)},
    {"--save", "FILE", offsetof(runOptions, save)},
    {"--plugin", "FILE", offsetof(runOptions, plugin)},
    {"--json", NULL, offsetof(runOptions, as_json)},
    {"--quiet", NULL, offsetof(runOptions, quiet)},
};


// options of films have no effect where none is asked for
static bool hasLooseOption(const cliVideoOptions* o) {
  const struct {
    const char *name, *value;
  } options[] = {{"--camera", o->camera}, {"--size", o->size}, {"--fps", o->rate}};
  for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++) {
    if (options[k].value && !o->path) {
      cli_error("%s %s has no effect without --video FILE", options[k].name, options[k].value);
      return true;
    }
  }
  return false;
}


// the page compiles the model from its files: parts that only options choose are not in them
static bool canBeRecorded(const runOptions* o) {
  if (o->html && !cli_hasSuffix(o->html, ".html")) {
    cli_error("--html %s: expected a name that ends in .html", o->html);
    return false;
  }
  if (o->html &&
      (o->parts.preset || o->parts.solver || o->parts.gain || o->parts.integrator || o->plugin)) {
    cli_error(
        "--html records the model as its files describe it: it goes with no --preset, --contact-solver, --gain, --integrator or --plugin; "
        "write the model with --save FILE.mjb and record that");
    return false;
  }
  return true;
}


static int runRun(int argc, char** argv) {
  runOptions o = {0};
  const int n = cli_parse(&cli_run, argc, argv, &o);
  if (n < 0 || n > 1) {
    if (n > 1) {
      cli_error("one model at a time");
    }
    return CLI_USAGE;
  }
  if (hasLooseOption(&o.video) || !canBeRecorded(&o)) {
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
  cli_freeRecording(&s.recording);
  cli_controlFree(&s.control);
  cli_seriesFree(&s.recorded);
  cli_seriesFree(&s.plotted);
  cli_softFree(&s.soft);
  mj_deleteData(s.before);
  mj_deleteData(s.shown);
  mj_deleteData(s.d);
  mj_deleteModel(s.m);
  return code;
}


const cliCommand cli_run = {
    "run",
    "[MODEL] [--time T] [--ctrl C] [--key NAME] [--record FILE] [--plot SIGNALS] [--plot-file FILE] [--seed N]"
    " [--video FILE [--camera C] [--size WxH] [--fps N]] [--html FILE] [--preset NAME]"
    " [--contact-solver NAME] [--gain A=M[:P...],...] [--integrator NAME] [--save FILE.mjb] [--plugin FILE] [--hash] [--json] [--quiet]",
    "simulate a model and sum up what happened",
    "DESCRIPTION\n"
    "  Simulates MODEL (MJCF, URDF or MJB; - is standard input, without one the embedded humanoid) with progress on standard error\n"
    "  and prints a summary: steps per second, real-time factor, energy, contacts, warnings, and\n"
    "  for each flex the energy it stores, its worst strain (relative change of length of an edge, with element and\n"
    "  time) and, for solids, how many elements are turned inside out at the end and at the worst moment.\n\n"
    "OPTIONS\n"
    "  --time T          seconds to simulate (10), from the time of the keyframe on\n"
    "  --ctrl C          none, noise[:SCALE], keyframe[:NAME], csv:FILE (rows: time of the simulation, controls) or\n"
    "                    wave (the humanoid stands and waves a hand)\n"
    "  --key NAME        start from this keyframe, name or number\n"
    "  --record FILE     write the signals of --plot (default energy,ncon,qpos,qvel) as CSV: one row for the start and\n"
    "                    one for each step, all of a row at its time, with the controls of the step that follows; - is\n"
    "                    standard output, and the summary goes to standard error then\n"
    "  --plot SIGNALS    comma-separated: energy, ncon, qpos[:JOINT], qvel[:JOINT], ctrl[:ACTUATOR],\n"
    "                    sensor[:NAME], xpos[:BODY], com[:BODY] (center of mass of the body and what hangs on it);\n"
    "                    \\, is a comma in a name; a plot shows the first 64\n"
    "  --plot-file FILE  where the plot goes, SVG (plot.svg)\n"
    "  --video FILE      film by ffmpeg, in the format that the name says; numbered PNG files where there is no\n"
    "                    ffmpeg, or if FILE ends in .png\n"
    "  --camera, --size, --fps   of the film: as in 'cortenforge help render', 640x480, 30 frames a second\n"
    "  --html FILE       one HTML file that simulates this run again in a browser and compares the bits of its end; needs\n"
    "                    the page that `make web` builds\n"
    "  --preset NAME     models of flexes and contacts: mujoco, animation, softbody\n"
    "  --contact-solver NAME  formulation of the contact problem: lcp, xpbd, ...\n"
    "  --gain A=M[:P...],...  model M of actuator A (* for all) with all its parameters P or the usual ones\n"
    "  --integrator NAME Euler, RK4, implicit, implicitfast or springdamper\n"
    "  --save FILE.mjb   write the model with these parts as a binary, which keeps them\n"
    "  --plugin FILE     load plugins and extensions first, files with commas between them (docs/extending.md)\n"
    "  --seed N          of the control noise, 0 to 1000000\n"
    "  --hash            print the hash of the final state: equal hashes mean equal bits; with --record the hash\n"
    "                    of every step, in the last column\n"
    "  --json, --quiet   machine-readable summary; no progress\n\n"
    "EXIT STATUS\n"
    "  128 + N after signal N (Ctrl-C): the summary is that of what was simulated;\n"
    "  4 and an explanation if the simulation becomes unstable: when, the joint and body that failed, what was\n"
    "  fastest, the deepest contact, the strongest actuator, for soft bodies the element (flex, number, vertices,\n"
    "  strain), and the likely cause\n",
    runRun,
    CLI_OPTIONS(option_table)};
