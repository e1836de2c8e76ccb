// One table of speeds: one core, threads inside a step, worlds in lanes, loading.
//
//   build/bench/table [-r ROUNDS] [-t THREADS] [-o FILE.csv] REFERENCE.so [MODEL...]
//
// Without models: those of models/ (run where that is), some of them many times in one world.  With
// models: each file in all four ways, from its first keyframe where it has one.
//
// Every block of steps starts from a recorded state, in all that is compared; the shortest of
// several rounds counts, for each state.  Ratios above 1: ours is faster than what it is compared
// with, which is MuJoCo on one core, and one thread of ours for threads.  Beside each time stand
// the contacts, rows and iterations of a step and a hash of the states at the ends of the blocks:
// figures of two machines or two days can be compared where the hashes agree.  The hash of threads
// and of lanes must be that of one world on one thread; exit code 1 where it is not, or where a
// model was left out.
//
// Further lines: for threads, the mean and percentiles of single steps (the shortest block says
// nothing about a busy machine); for lanes, the shares of a step that are spent in lanes, in moving
// data and world by world, and why stages leave the lanes (tables/features.def).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table.h"

tableOptions table = {.rounds = 5, .nthread = 2};
static FILE* csv;

static const scene core_scenes[] = {
    {"humanoid", "models/humanoid.xml", 1, 100, false},
    {"22 humanoids", "models/humanoid.xml", 22, 8, false},
    {"100 humanoids", "models/humanoid.xml", 100, 2, false},
    {"arm with gripper", "models/robots/arm_gripper.xml", 1, 100, false},
    {"planar runner", "models/robots/planar_runner.xml", 1, 100, false},
    {"quadruped", "models/robots/quadruped.xml", 1, 100, false},
    {"hand", "models/robots/hand.xml", 1, 100, false},
    {"stack", "models/stack.xml", 1, 100, false},
    {"muscles", "models/muscles.xml", 1, 100, false},
};
enum { CORE_SCENES = sizeof(core_scenes) / sizeof(*core_scenes), THREAD_SCENES = 3 };

static const scene lane_scenes[] = {
    {"humanoid", "models/humanoid.xml", 1, 100, false},
    {"planar runner", "models/robots/planar_runner.xml", 1, 100, false},
    {"arm with gripper", "models/robots/arm_gripper.xml", 1, 100, false},
};
enum { LANE_SCENES = sizeof(lane_scenes) / sizeof(*lane_scenes) };


// ---------------------------------------- lines

void printHead(void) {
  printf("%-8s %-18s %-10s %12s %12s %7s %9s %8s %6s %17s\n", "what", "scene", "how", "ours us",
         "other us", "ratio", "contacts", "rows", "iter", "hash");
  if (csv) {
    fprintf(csv, "what,scene,how,ours_us,other_us,ratio,contacts,rows,iterations,hash\n");
  }
}


void printRow(const char* what, const char* scene_name, const char* how, const pace* ours,
              double other) {
  const double us = 1e6 * ours->seconds, ratio = other / ours->seconds;
  printf("%-8s %-18s %-10s %12.3f %12.3f %7.2f %9.1f %8.1f %6.2f  %016llx\n", what, scene_name, how,
         us, 1e6 * other, ratio, ours->contacts, ours->rows, ours->iterations,
         (unsigned long long)ours->hash);
  fflush(stdout);
  if (csv) {
    fprintf(csv, "%s,%s,%s,%.3f,%.3f,%.3f,%.2f,%.2f,%.3f,%016llx\n", what, scene_name, how, us,
            1e6 * other, ratio, ours->contacts, ours->rows, ours->iterations,
            (unsigned long long)ours->hash);
  }
}


void expectHash(const char* what, const scene* s, uint64_t actual, uint64_t expected) {
  if (actual != expected) {
    printf("%-8s %-18s hash %016llx, one thread and one world give %016llx\n", what, s->name,
           (unsigned long long)actual, (unsigned long long)expected);
    table.nwrong++;
  }
}


void printNote(const char* what, const char* scene_name, const char* how, const char* format, ...) {
  va_list args;
  va_start(args, format);
  printf("%-8s %-18s %-10s ", what, scene_name, how);
  vprintf(format, args);
  printf("\n");
  va_end(args);
  fflush(stdout);
}


// ---------------------------------------- parts

static void benchCore(const scene* s) {
  course c = makeCourse(s, STATES);
  mjData *d = mj_makeData(c.m), *other = reference.makeData(c.other);
  pace ours = {0}, theirs = {0};
  compare(&c, &theirs, other, true, &ours, d, NULL);
  printRow("core", s->name, "1 thread", &ours, theirs.seconds);
  mj_deleteData(d);
  reference.deleteData(other);
  freeCourse(&c);
}


static double loadOnce(const char* path, bool is_reference) {
  char error[500] = "";
  const double start = secondsNow();
  mjModel* m = (is_reference ? reference.loadXML : mj_loadXML)(path, NULL, error, sizeof(error));
  if (!m) {
    stop(path, error);
  }
  (is_reference ? reference.deleteModel : mj_deleteModel)(m);
  return secondsNow() - start;
}


static void benchLoad(const scene* s) {
  pace ours = {.seconds = INFINITY};
  double theirs = INFINITY;
  for (int k = 0; k < 6 * table.rounds; k++) {
    theirs = fmin(theirs, loadOnce(s->path, true));
    ours.seconds = fmin(ours.seconds, loadOnce(s->path, false));
  }
  printRow("loading", s->name, "1 thread", &ours, theirs);
}


// ---------------------------------------- models of the command line

static jmp_buf way_on;  // from an error to the next model
static char error_text[300];

static void onError(const char* text) {
  snprintf(error_text, sizeof(error_text), "%s", text);
  longjmp(way_on, 1);
}


// warnings of runs are no news here
static void onWarning(const char* text) {
  (void)text;
}


void stop(const char* what, const char* why) {
  char text[300];
  snprintf(text, sizeof(text), "%s: %s", what, why);
  if (mju_user_error) {
    onError(text);
  }
  fprintf(stderr, "table: %s\n", text);
  exit(1);
}


// The last two parts of a path without the extension, as models in folders have common names.
static void shortName(char* name, size_t size, const char* path) {
  const char* from = path + strlen(path);
  for (int nslash = 0; from > path; from--) {
    nslash += from[-1] == '/';
    if (nslash == 2) {
      break;
    }
  }
  snprintf(name, size, "%s", from);
  char* point = strrchr(name, '.');
  if (point && point != name && !strchr(point, '/')) {
    *point = 0;
  }
}


typedef void (*benchPart)(const scene* s);

// All lines of one file; what an error ends is left out, and counted.
static void benchFile(const char* path) {
  static const benchPart part[] = {benchCore, benchThreads, benchLanes, benchLoad};
  char name[100];
  shortName(name, sizeof(name), path);
  const scene s = {.name = name, .path = path, .is_file = true};
  for (volatile size_t k = 0; k < sizeof(part) / sizeof(*part); k++) {
    if (!setjmp(way_on)) {
      part[k](&s);
    } else {
      printNote("skipped", name, "", "%s", error_text);
      table.nwrong++;
      break;
    }
  }
}


static void benchFiles(char** path, int count) {
  mju_user_error = onError;
  mju_user_warning = onWarning;
  *reference.onError = onError;
  *reference.onWarning = onWarning;
  for (int k = 0; k < count; k++) {
    benchFile(path[k]);
  }
}


static void benchScenes(void) {
  for (int k = 0; k < CORE_SCENES; k++) {
    benchCore(core_scenes + k);
  }
  for (int k = 0; k < THREAD_SCENES; k++) {
    benchThreads(core_scenes + k);
  }
  for (int k = 0; k < LANE_SCENES; k++) {
    benchLanes(lane_scenes + k);
  }
  for (int k = 0; k < CORE_SCENES; k++) {
    if (core_scenes[k].count == 1) {
      benchLoad(core_scenes + k);
    }
  }
}


static int usage(void) {
  fprintf(stderr, "usage: table [-r ROUNDS] [-t THREADS] [-o FILE.csv] REFERENCE.so [MODEL...]\n");
  return 2;
}


int main(int argc, char** argv) {
  for (int o; (o = getopt(argc, argv, "r:t:o:")) != -1;) {
    if (o == 'r') {
      table.rounds = mjMAX(1, atoi(optarg));
    } else if (o == 't') {
      table.nthread = mjMAX(1, atoi(optarg));
    } else if (o == 'o') {
      csv = fopen(optarg, "w");
    } else {
      return usage();
    }
  }
  if (optind >= argc) {
    return usage();
  }
  loadReference(argv[optind]);
  printHead();
  if (optind + 1 < argc) {
    benchFiles(argv + optind + 1, argc - optind - 1);
  } else {
    benchScenes();
  }
  if (csv) {
    fclose(csv);
  }
  return table.nwrong > 0;
}
