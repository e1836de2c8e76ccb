// cortenforge train, replay: commands of the Python package, run by the Python that has it.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "package.h"


// Python with the package, that of an environment or the one beside this program; false with a
// message
static bool findPython(char python[CLI_PATH_MAX]) {
  char beside[CLI_PATH_MAX] = "", own[CF_PATH_MAX];
  const char* environment = cfi_environment("VIRTUAL_ENV");
  const char* slash = cli_ownProgram(own) ? strrchr(own, '/') : NULL;
  if (slash) {
    snprintf(beside, sizeof(beside), "%.*s/pyenv/bin/python",
             slash - own < 1900 ? (int)(slash - own) : 1900, own);
  }
  char active[CLI_PATH_MAX] = "";
  if (environment && *environment) {
    snprintf(active, sizeof(active), "%.1900s/bin/python", environment);
  }
  const char* const candidates[] = {active, beside, "python3"};
  for (size_t k = 0; k < sizeof(candidates) / sizeof(candidates[0]); k++) {
    const bool is_path = strchr(candidates[k], '/');
    if (candidates[k][0] && (!is_path || cfi_fileIsReadable(candidates[k])) &&
        cli_runPython(candidates[k], "import cortenforge.train") == 0) {
      snprintf(python, CLI_PATH_MAX, "%s", candidates[k]);
      return true;
    }
  }
  cli_error(
      "this command is of the Python package, which %s does not have: activate an environment with it "
      "(pip install cortenforge), or in the sources 'make python'",
      active[0] ? active : "python3");
  return false;
}


// replace this program by that of the package, with the same arguments
static int runPackage(const char* command, int argc, char** argv) {
  char python[CLI_PATH_MAX];
  if (!findPython(python)) {
    return CLI_IO;
  }
  const char** words = calloc((size_t)argc + 5, sizeof(char*));
  if (!words) {
    cli_error("out of memory");
    return CLI_IO;
  }
  const char* const first[] = {python, "-m", "cortenforge", command};
  memcpy(words, first, sizeof(first));
  memcpy(words + 4, argv, (size_t)argc * sizeof(char*));
  const int status = cli_becomeProgram(words);
  if (status < 0) {
    cli_error("cannot run %s: %s", python, strerror(errno));
  }
  free(words);
  return status < 0 ? CLI_IO : status;
}


typedef struct {
  const char *out, *samples, *seed, *method, *library, *set, *option, *threads, *video;
  bool is_list, is_resume, is_quiet;
} trainRequest;

static const cliOption train_options[] = {
    {"--out", "FOLDER", offsetof(trainRequest, out)},
    {"--samples", "N", offsetof(trainRequest, samples)},
    {"--seed", "N", offsetof(trainRequest, seed)},
    {"--method", "ppo|es", offsetof(trainRequest, method)},
    {"--library", "numpy|torch", offsetof(trainRequest, library)},
    {"--set", "NAME=VALUE", offsetof(trainRequest, set)},
    {"--option", "NAME=VALUE", offsetof(trainRequest, option)},
    {"--threads", "N", offsetof(trainRequest, threads)},
    {"--resume", NULL, offsetof(trainRequest, is_resume)},
    {"--video", "FILE", offsetof(trainRequest, video)},
    {"--list", NULL, offsetof(trainRequest, is_list)},
    {"--quiet", NULL, offsetof(trainRequest, is_quiet)}};


// arguments in their order: cli_parse moves them
static char** copyOf(int argc, char** argv) {
  char** words = calloc((size_t)argc + 1, sizeof(char*));
  if (words) {
    memcpy(words, argv, (size_t)argc * sizeof(char*));
  }
  return words;
}


static int runChecked(const cliCommand* command, int argc, char** argv, void* request, int least) {
  char** words = copyOf(argc, argv);
  const int nargument = words ? cli_parse(command, argc, argv, request) : -1;
  int code = CLI_USAGE;
  if (nargument < least || nargument > 1) {
    cli_usage(command);
  } else {
    code = runPackage(command->name, argc, words);
  }
  free(words);
  return code;
}


static int runTrain(int argc, char** argv) {
  trainRequest request = {0};
  return runChecked(&cli_train, argc, argv, &request, 0);
}


typedef struct {
  const char* video;
} replayRequest;

static const cliOption replay_options[] = {{"--video", "FILE", offsetof(replayRequest, video)}};


static int runReplay(int argc, char** argv) {
  replayRequest request = {0};
  return runChecked(&cli_replay, argc, argv, &request, 1);
}


const cliCommand cli_train = {
    "train",
    "TASK [--out FOLDER] [--samples N] [--seed N] [--method M] [--library L] [--set NAME=VALUE]... [--option NAME=VALUE]... [--threads N] "
    "[--resume] [--video FILE] [--quiet] | --list",
    "train a policy for a task (by the Python package)",
    "DESCRIPTION\n"
    "  Trains a policy for a task of cortenforge.envs, such as HalfCheetah-v5 or QuadrupedFlat-v0, and records an episode.\n"
    "  Runs the Python package: that of the active environment, of build/pyenv, or of python3.\n"
    "\n"
    "OPTIONS\n"
    "  --out FOLDER         gets progress.csv, curve.svg, checkpoint.npz and replay.npz (runs/TASK-SEED)\n"
    "  --samples N          steps of all worlds together (what is known to work for the task)\n"
    "  --seed N             of the run; the same settings give the same bits on the same machine (0)\n"
    "  --method ppo|es      proximal policy optimization, or evolution strategies (ppo)\n"
    "  --library numpy|torch  that networks are computed with (numpy)\n"
    "  --set NAME=VALUE     a setting, such as worlds=256, rate=3e-4 or hidden=(128,64)\n"
    "  --option NAME=VALUE  an option of the task\n"
    "  --threads N          that step worlds, 0 for one per processor (0)\n"
    "  --resume             go on from the checkpoint in the folder\n"
    "  --video FILE         film of an episode at the end, by ffmpeg, or numbered pictures (.png)\n"
    "  --list               print the tasks\n"
    "  --quiet              no progress\n"
    "\n"
    "EXIT STATUS\n"
    "  2 usage; 3 no Python package, or a file cannot be read or written\n",
    runTrain,
    CLI_OPTIONS(train_options)};

const cliCommand cli_replay = {
    "replay",
    "FILE [--video FILE]",
    "replay a recorded episode bit by bit (by the Python package)",
    "DESCRIPTION\n"
    "  Replays an episode that train recorded: its actions from its start. The state after every step is compared with the\n"
    "  recording by its hash.\n"
    "\n"
    "OPTIONS\n"
    "  --video FILE  film of the episode, by ffmpeg, or numbered pictures (.png)\n"
    "\n"
    "EXIT STATUS\n"
    "  2 usage; 3 no Python package, or the file cannot be read; 4 a bit differs\n",
    runReplay,
    CLI_OPTIONS(replay_options)};
