// What `compare` and `race` share: models from files and folders, a process per model, the
// reference beside us.
#ifndef CF_CLI_YARDSTICK_H
#define CF_CLI_YARDSTICK_H

#include <cortenforge/compare.h>

#include "cli.h"

// ---- models: files as they are given, folders by their MANIFEST.csv or searched for *.xml and
// *.urdf
typedef struct {
  char* path;                      // to open
  char* name;                      // to print: as given, or relative to its folder
  double step_noise, model_noise;  // what the folder's manifest says, else 0
} cliCase;
typedef struct {
  cliCase* item;
  int count, capacity;
} cliCases;
// which of them: names that contain `only`, the first `limit`; false with a message if something
// cannot be read
bool cli_collect(cliCases* c, int argc, char** argv, const char* only, int limit);
void cli_casesFree(cliCases* c);

// ---- a process per model, so that a crash or a hang costs that model alone
typedef struct {
  void (*work)(void* user, int k);  // in the child; results go to memory from cli_shared
  void (*report)(
      void* user, int k,
      int signal);  // in the parent, in order; 0, or what ended the child: CLI_TIMEOUT, a signal
  void* user;
  int count, jobs, timeout;  // seconds for one
} cliApart;
bool cli_runApart(const cliApart* a);
void* cli_shared(
    size_t bytes);  // zeroed memory that children and parent share; NULL with a message

// ---- the reference library, loaded beside ours
typedef struct {
  void* handle;
  char path[4096];
  const char* found_by;  // "--reference", "MUJOCO_REFERENCE_LIB", ...
  __typeof__(mj_parseXML)* parseXML;
  __typeof__(mj_compile)* compile;
  __typeof__(mj_deleteSpec)* deleteSpec;
  __typeof__(mjs_getError)* getError;
  __typeof__(mj_sizeModel)* sizeModel;
  __typeof__(mj_saveModel)* saveModel;
  __typeof__(mj_makeData)* makeData;
  __typeof__(mj_resetDataKeyframe)* resetKey;
  __typeof__(mj_step)* step;
  __typeof__(mj_stateSize)* stateSize;
  __typeof__(mj_getState)* getState;
  __typeof__(mj_setState)* setState;
  __typeof__(mj_version)* version;
  __typeof__(&mju_user_error) user_error;
  __typeof__(&mju_user_warning) user_warning;
} cliReference;
// find and open it; says where it was found, or how to get it
bool cli_openReference(cliReference* r, const char* path);
// a model of the reference from an MJCF or URDF file; NULL with a message
mjModel* cli_loadReference(const cliReference* r, const char* path, char* error, int nerror);
// the same model in our library, by way of its binary form; NULL if we refuse it
mjModel* cli_handOver(const cliReference* r, const mjModel* m);

// ---- options of the model and sizes to leave out
bool cli_checkOptions(const char* text);  // "cone=1,disable=4"; false with a message
void cli_changeOptions(mjOption* opt, const char* text);
bool cli_checkExclude(const char* list);  // "flex,plugin"; false with a message
const char* cli_excludedBy(const mjModel* m,
                           const char* list);  // the size of the list that is not zero, or NULL

// quasi-random controls of step k in the middle `share` of their ranges
void cli_quasiControls(const mjModel* m, mjData* d, int k, double share);

// whole number of an option within bounds; false with a message
bool cli_count(const char* option, const char* text, double low, double high, int* value);

// a CSV file to write, none for path NULL; false with a message
bool cli_openCsv(FILE** out, const char* path);

// ---- compare: what happened to one model
typedef enum {
  OUTCOME_NONE,         // the child said nothing
  OUTCOME_OK,           // both loaded it and all steps were made
  OUTCOME_BOTH_REJECT,  // neither library accepts the file
  OUTCOME_WE_REJECT,    // the reference accepts it; steps are compared on its model
  OUTCOME_WE_ACCEPT,    // the reference rejects it
  OUTCOME_NO_HANDOVER,  // we refuse the reference's binary model
  OUTCOME_ERROR,        // one of the libraries stopped with an error
  OUTCOME_SKIPPED,      // --exclude
  OUTCOME_CRASH,
  OUTCOME_TIMEOUT,
} cliOutcome;

enum { FIELD_MAX = 1000 };
typedef struct {  // worst error of every field that differed at least once
  cfDifference item[FIELD_MAX];
  int count;
} cliErrors;

typedef struct {
  cliOutcome outcome;
  cliErrors model, step,
      noise;  // noise: the reference against itself from a state perturbed by 1e-13
  // steps in which counts of contacts or rows differ, those of contacts alone, and the first of the
  // reference against itself
  int count_mismatches, contact_mismatches, noise_mismatches;
  int steps;  // compared
  char note[400];
} cliComparison;

typedef struct {
  const cliReference* reference;
  const char *options, *exclude;
  int steps;
} cliTwinPlan;
// one model through both libraries
void cli_compareTwins(const cliTwinPlan* plan, const char* path, cliComparison* c);

// ---- compare: verdicts
typedef enum { KIND_BOTH, KIND_MODEL, KIND_STEP, KIND_CONTACT } cliKind;
typedef struct {
  bool passed, strict;  // by the rule of the run; without any allowance for noise
  double model_error, step_error, contact_error, noise;
  const cfDifference *model_worst, *step_worst;  // NULL: nothing differs
} cliVerdict;
cliVerdict cli_judge(const cliComparison* c, const cliCase* item, cliKind kind, bool strict);
const char* cli_outcomeName(cliOutcome outcome);

#endif  // CF_CLI_YARDSTICK_H
