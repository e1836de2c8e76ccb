// What the parts of the table of speeds share: scenes, courses of states, blocks of steps, lines.
#ifndef CF_BENCH_TABLE_H
#define CF_BENCH_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

enum { STATES = 8, STEPS_BETWEEN = 50, WORLDS = 64 };

// how the table is made
typedef struct {
  int rounds, nthread;
  int nwrong;  // results that differ where they must be equal, and models that were left out
} tableOptions;

extern tableOptions table;

// what is needed of the reference
typedef struct {
  __typeof__(mj_loadXML)* loadXML;
  __typeof__(mj_loadModel)* loadModel;
  __typeof__(mj_deleteModel)* deleteModel;
  __typeof__(mj_makeData)* makeData;
  __typeof__(mj_deleteData)* deleteData;
  __typeof__(mj_setState)* setState;
  __typeof__(mj_step)* step;
  __typeof__(&mju_user_error) onError;
  __typeof__(&mju_user_warning) onWarning;
} referenceLibrary;

extern referenceLibrary reference;

void loadReference(const char* path);

typedef struct {
  const char *name, *path;
  int count;     // of the model's figure, side by side; 0: the model as it is, and its keyframe
  int nstep;     // steps per block; fixed, so that hashes of all machines are of the same steps
  bool is_file;  // named on the command line
} scene;

// a model with states along a run
typedef struct {
  mjModel *m, *other;  // ours, and the reference's
  mjtNum* state;
  int count, nstate, nstep;  // states, numbers per state, steps per block
} course;

// one side of a comparison: seconds per step, what a step had to do, where it ended
typedef struct {
  double seconds, contacts, rows, iterations;
  uint64_t hash;
} pace;

// seconds of single steps, for what is usual and what is rare
typedef struct {
  double* step;
  int n, most;
} stepTimes;

double secondsNow(void);

// End the program, or leave the model that is being measured (leaveModel).
void stop(const char* what, const char* why);

uint64_t hashNumbers(uint64_t hash, const mjtNum* x, int n);

course makeCourse(const scene* s, int count);
void freeCourse(course* c);

// Two sides in turn over all states; the shortest times of each state are kept, and those of single
// steps where `times` has room for them.
void compare(const course* c, pace* one, mjData* d_one, bool one_is_reference, pace* two,
             mjData* d_two, stepTimes times[2]);

// Lines of the table.
void printHead(void);
void printRow(const char* what, const char* scene_name, const char* how, const pace* ours,
              double other);
void printNote(const char* what, const char* scene_name, const char* how, const char* format, ...);
void expectHash(const char* what, const scene* s, uint64_t actual, uint64_t expected);

// Parts of the table.
void benchThreads(const scene* s);
void benchLanes(const scene* s);

#endif  // CF_BENCH_TABLE_H
