// Shared by the subcommands of `cortenforge`.  They use the public API alone.
#ifndef CF_CLI_H
#define CF_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <mujoco/mujoco.h>

#include "system.h"

// exit codes, part of the contract with scripts
typedef enum {
  CLI_OK = 0,
  CLI_BAD_MODEL = 1,
  CLI_USAGE = 2,
  CLI_IO = 3,
  CLI_UNSTABLE = 4,
} cliExit;

// one option of a subcommand
typedef struct {
  const char* name;   // with the dashes, "--time"
  const char* value;  // what stands for its value, "T" or "cpu|cuda"; NULL for a switch
  size_t offset;      // of its text, or of the bool of a switch, in the structure that is filled
} cliOption;
#define CLI_OPTIONS(table) table, (int)(sizeof(table) / sizeof(table[0]))

// what one subcommand is
typedef struct {
  const char* name;
  const char* synopsis;
  const char* summary;
  const char* help;  // man-page style text
  int (*run)(int argc, char** argv);
  const cliOption* options;
  int noption;
} cliCommand;

extern const cliCommand cli_info, cli_compare, cli_compile, cli_run, cli_bench, cli_race,
    cli_schema, cli_completion, cli_batch, cli_render, cli_view, cli_doctor, cli_adopt, cli_train,
    cli_replay;
const cliCommand* cli_command(int k);  // in the order of the help, NULL behind the last
extern const char cli_humanoid[];      // the embedded model

// ---- messages, to standard error behind the name of the command; with --json those of a command
// that fails also stand in the JSON
void cli_error(const char* format, ...) __attribute__((format(printf, 1, 2)));
void cli_warning(const char* format, ...) __attribute__((format(printf, 1, 2)));
void cli_usage(const cliCommand* command);  // how it is to be called
void cli_setCommand(const char* name);
const char* cli_firstErrors(int k);  // message k that was printed, NULL behind the last

// take `word` if it is more like `name` than `nearest` is, which is empty at first; what is too
// different is never taken
void cli_nearest(const char* name, const char* word, char nearest[64]);

// ---- arguments: options in any order with the positional ones
// fill `values`, the structure that the command's options point into; return the number of
// positional arguments left in argv[0..], or -1 with a message on stderr
int cli_parse(const cliCommand* command, int argc, char** argv, void* values);

// a finite number from an option's text; false with a message
bool cli_number(const char* option, const char* text, double* value);

// ---- progress: one line that is written over on a terminal, lines of their own elsewhere
void cli_progress(bool done, const char* format, ...) __attribute__((format(printf, 2, 3)));

// false, with a message, for "-" where nothing is written to standard output; NULL is no file
bool cli_namesFile(const char* option, const char* path);

// open a text file for reading, past its byte order mark; "-" is standard input; NULL with a
// message and *code set
FILE* cli_openText(const char* path, cliExit* code);

// ---- what can be read only once: "-", pipes and devices
typedef struct {
  char* bytes;  // a zero stands behind them
  size_t size;
  bool is_binary;  // an MJB
} cliStream;
bool cli_isStream(const char* path);
const cliStream* cli_readStream(const char* path, char* error,
                                int size);     // kept; NULL with a reason
const char* cli_streamFile(const char* path);  // a file with the same bytes; NULL with a message
bool cli_isReadable(const char* path, char* error, int size);  // a file, not a folder

// libraries with plugins and extensions, commas between their names; NULL for none; false with a
// message
bool cli_loadPlugins(const char* list);
bool cli_hasSuffix(const char* path, const char* suffix);  // and something before it

// ---- models
// load XML, URDF or MJB by extension; "-" is standard input, NULL the embedded humanoid; on failure
// NULL and *code set
mjModel* cli_load(const char* path, cliExit* code);

// the same without a word: what is wrong, or a warning, goes to `error`
mjModel* cli_open(const char* path, char* error, int size, cliExit* code);

// how many steps simulate `duration` seconds
double cli_stepCount(const mjModel* m, double duration);

// number of the keyframe with this name or number, or -1 with a message
int cli_findKeyframe(const mjModel* m, const char* text);

// the same with exchangeable parts; NULL for those that are not given
typedef struct {
  const char *preset, *solver, *gain, *integrator;
} cliParts;

// integrators by name; -1 with a message
const char* cli_integratorName(int integrator);
int cli_findIntegrator(const char* name);

mjModel* cli_loadWith(const char* path, const cliParts* parts, cliExit* code);
void cli_listParts(FILE* out);          // all that can be chosen, with parameters and examples
void cli_printParts(const mjModel* m);  // those that a model uses
const char* cli_nameOf(const mjModel* m, int type, int id, char buffer[64]);  // name, or "type 7"

// what objects of a type are called, for a message that one is not there: "; did you mean 'hip'?",
// "; it has hip knee", or "; it has none"
const char* cli_otherNames(const mjModel* m, int type, const char* asked, char text[400]);

// keep the first warning in `text` instead of printing it, until they are released: the library's
// way to say that a file could not be written
void cli_catchWarnings(char* text, int size);
void cli_releaseWarnings(void);

// mjv_updateScene for everything there is; a scene that is full is made again with more room
void cli_updateScene(const mjModel* m, mjData* d, const mjvOption* option, const mjvPerturb* pert,
                     mjvCamera* camera, mjvScene* scn);

// the free camera: MuJoCo's where the model says what is looked at (<statistic>), else aimed so
// that what moves fills a picture of this width over height; and the camera to begin with: <global
// cameraid>, or the free one.  Positions of d are up to date
void cli_freeCamera(const mjModel* m, mjData* d, double aspect, mjvCamera* cam);
void cli_defaultCamera(const mjModel* m, mjData* d, double aspect, mjvCamera* cam);

// ---- JSON, written as it comes
typedef struct {
  FILE* out;
  int depth;
  bool has_item[32];
} cliJson;
void cli_jsonOpen(cliJson* j, const char* key, char bracket);
void cli_jsonClose(cliJson* j, char bracket);
void cli_jsonText(cliJson* j, const char* key, const char* value);
void cli_jsonNumber(cliJson* j, const char* key, double value);
void cli_jsonInt(cliJson* j, const char* key, long long value);
bool cli_hasJson(void);  // has anything been written to standard output
void cli_jsonParts(cliJson* j, const mjModel* m);

// ---- controls of a simulation
typedef struct {
  enum { CONTROL_NONE, CONTROL_NOISE, CONTROL_KEY, CONTROL_TABLE, CONTROL_WAVE } kind;
  double scale;  // of noise, relative to the control range
  int seed;
  int key;
  double* table;  // rows of time, ctrl[nu]
  int rows;
} cliControl;
// the controller of the embedded humanoid; whether a model has what it needs, controls of a state
bool cli_canWave(const mjModel* m);
void cli_wave(const mjModel* m, mjData* d);

bool cli_controlFrom(cliControl* c, const mjModel* m, const char* text, int seed, cliExit* code);
void cli_applyControl(const cliControl* c, const mjModel* m, mjData* d, int step);
void cli_controlFree(cliControl* c);

// ---- signals: numbers that are recorded and plotted
typedef struct {
  char* label;
  int kind, index;
} cliSignal;
typedef struct {
  cliSignal* signal;
  int count, room;
  double* value;  // rows of time, value[count]
  int rows, capacity;
} cliSeries;
enum { PLOT_LINES = 64 };  // as many as a plot can tell apart
bool cli_addSignals(cliSeries* s, const mjModel* m, const char* list);
void cli_limitSignals(cliSeries* s, int most);  // leave out the rest, with a message
bool cli_isDerived(const cliSeries* s);  // does one of them follow from the state by mj_forward
bool cli_sample(cliSeries* s, const mjModel* m, const mjData* d);
void cli_seriesFree(cliSeries* s);
bool cli_writePlot(const cliSeries* s, const char* path, const char* title);

// ---- soft bodies
// an element, the relative change of length of its edge that changed most, and whether a
// tetrahedron is turned inside out
typedef struct {
  int flex, element;
  double strain;
  bool is_inverted;
} cliElement;
typedef struct {
  cliElement worst;  // of all that was watched
  double worst_time;
  int inverted, most_inverted;  // elements, when last watched and at any time
} cliFlexReport;
typedef struct {
  int nflex;
  mjData* rest;  // the initial positions
  cliFlexReport* flex;
} cliSoft;
bool cli_softOpen(cliSoft* s, const mjModel* m);
void cli_softWatch(cliSoft* s, const mjModel* m, const mjData* d, double time);
void cli_softText(FILE* out, const cliSoft* s, const mjModel* m, mjData* d);
void cli_softJson(const cliSoft* s, const mjModel* m, mjData* d, cliJson* j);
void cli_softFree(cliSoft* s);

// the worst element whose corners a body moves; false if it moves none
bool cli_softWorst(const cliSoft* s, const mjModel* m, const mjData* d, int body,
                   cliElement* worst);
void cli_softDescribe(FILE* out, const mjModel* m, const cliElement* element);

// ---- trouble; positions that follow from qpos are computed in `before`, which may be the state at
// the start
void cli_explainUnstable(FILE* out, const mjModel* m, mjData* before, const mjData* after,
                         bool is_start, const cliSoft* soft);
int cli_countWarnings(const mjData* d);

#endif  // CF_CLI_H
