// Bad numbers in the inputs of a step: counters, resets and finiteness as recorded with
// MuJoCo 3.5.0 (tests/data/bad/record.py).
#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_test.h"

typedef struct {
  char model[100], array[40], value[20];
  int index, disableflags;
  int counter[2 * mjNWARNING];  // number and lastinfo of each warning
  double time;
  int finite, error;
} Row;


static bool readRow(FILE* file, Row* row) {
  if (fscanf(file, "%99s %39s %d %19s %d", row->model, row->array, &row->index, row->value,
             &row->disableflags) != 5) {
    return false;
  }
  for (int k = 0; k < 2 * mjNWARNING; k++) {
    CF_EQ_INT(fscanf(file, "%d", row->counter + k), 1);
  }
  return fscanf(file, "%lf %d %d", &row->time, &row->finite, &row->error) == 3;
}


static mjtNum* inputArray(mjData* d, const char* name) {
  const struct {
    const char* name;
    mjtNum* array;
  } input[] = {{"qpos", d->qpos},
               {"qvel", d->qvel},
               {"act", d->act},
               {"ctrl", d->ctrl},
               {"qfrc_applied", d->qfrc_applied},
               {"xfrc_applied", d->xfrc_applied},
               {"mocap_pos", d->mocap_pos},
               {"mocap_quat", d->mocap_quat},
               {"userdata", d->userdata}};
  for (size_t k = 0; k < sizeof(input) / sizeof(input[0]); k++) {
    if (!strcmp(name, input[k].name)) {
      return input[k].array;
    }
  }
  CF_FAIL("unknown array %s\n", name);
  return NULL;
}


static bool allFinite(const mjtNum* x, int n) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) {
      return false;
    }
  }
  return true;
}


static void stepTimes(const mjModel* m, mjData* d, int count) {
  for (int k = 0; k < count; k++) {
    mj_step(m, d);
  }
}


// the reference multiplies bad numbers by zeros of dense Jacobians, so that they reach dofs that
// have nothing to do with them: a wrench or pose of a body without dofs, or a huge number without
// reset. Here the run may stay finite in these cases; the counter of the array itself must be
// right.
static bool isBetter(const Row* row, const mjModel* m, const mjData* d) {
  const bool is_wrench = !strcmp(row->array, "xfrc_applied"),
             is_mocap = !strncmp(row->array, "mocap", 5);
  const bool is_static = is_mocap || (is_wrench && m->body_treeid[row->index / 6] < 0);
  if (is_static) {
    return row->counter[2 * mjWARN_BADQACC] > 0 && d->warning[mjWARN_BADQACC].number == 0;
  }
  return (m->opt.disableflags & mjDSBL_AUTORESET) && !row->finite &&
         d->warning[mjWARN_BADQPOS].number == row->counter[2 * mjWARN_BADQPOS];
}


// counters and end of the run are the recorded ones; lastinfo where the array itself was checked
static bool isRecorded(const Row* row, const mjModel* m, const mjData* d, int finite, int error) {
  const bool is_direct =
      !strcmp(row->array, "qpos") || !strcmp(row->array, "qvel") || !strcmp(row->array, "ctrl");
  const bool has_info = is_direct && !(m->opt.disableflags & mjDSBL_AUTORESET);
  bool same = finite == row->finite && error == row->error && fabs(d->time - row->time) < 1e-12;
  for (int k = 0; k < mjNWARNING; k++) {
    same &= d->warning[k].number == row->counter[2 * k];
    same &= !has_info || d->warning[k].lastinfo == row->counter[2 * k + 1];
  }
  return same;
}


// 1 if the run differs from the recorded one; says in what
static int compareRun(const Row* row, const mjModel* m, const mjData* d, int error) {
  const int finite = allFinite(d->qpos, (int)m->nq) && allFinite(d->qvel, (int)m->nv);
  if (isRecorded(row, m, d, finite, error) || (finite && !error && isBetter(row, m, d))) {
    return 0;
  }

  print_error("%s %s[%d] = %s, disableflags %d: time %g (%g), finite %d (%d), error %d (%d)\n",
              row->model, row->array, row->index, row->value, row->disableflags, d->time, row->time,
              finite, row->finite, error, row->error);
  for (int k = 0; k < mjNWARNING; k++) {
    print_error("  warning %d: %d at %d (%d at %d)\n", k, d->warning[k].number,
                d->warning[k].lastinfo, row->counter[2 * k], row->counter[2 * k + 1]);
  }
  return 1;
}


static int runRow(const Row* row, mjModel* m) {
  m->opt.disableflags = row->disableflags;
  mjData* d = mj_makeData(m);
  stepTimes(m, d, 3);
  inputArray(d, row->array)[row->index] = strtod(row->value, NULL);
  int error = CF_TRY_STATEMENT(stepTimes(m, d, 5));
  int wrong = compareRun(row, m, d, error);
  CF_EQ_INT(d->pstack, 0);

  // a reset always brings the simulation back
  mj_resetData(m, d);
  stepTimes(m, d, 3);
  CF_TRUE(allFinite(d->qpos, (int)m->nq));
  CF_EQ_INT(d->warning[mjWARN_BADQPOS].number, 0);
  mj_deleteData(d);
  return wrong;
}


static mjModel* loadModel(const char* path) {
  char full[1000], error[1000] = "";
  snprintf(full, sizeof(full), "%s/%s", CF_SOURCE_DIR, path);
  mjModel* m = mj_loadXML(full, NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("cannot load %s: %s\n", full, error);
  }
  return m;
}


CF_TEST(badNumbers__every_input_of_ten_models__recorded_counters_and_resets) {
  FILE* file = fopen(CF_SOURCE_DIR "/tests/data/bad/bad.txt", "r");
  CF_TRUE(file != NULL);
  Row row;
  char loaded[100] = "";
  mjModel* m = NULL;
  int runs = 0, wrong = 0;
  cf_guardClear();
  while (readRow(file, &row)) {
    if (strcmp(row.model, loaded)) {
      mj_deleteModel(m);
      m = loadModel(row.model);
      snprintf(loaded, sizeof(loaded), "%s", row.model);
    }
    wrong += runRow(&row, m);
    runs++;
  }
  printf("%d runs, %d differ\n", runs, wrong);
  CF_EQ_INT(wrong, 0);
  CF_TRUE(runs > 1000);
  mj_deleteModel(m);
  fclose(file);
}

CF_TEST_MAIN("robust/bad_numbers")
