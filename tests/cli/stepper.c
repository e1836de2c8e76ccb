// What `cortenforge run --record` has to write, made by a program of its own on the C API.
//   stepper MODEL KEY STEPS none|key|CSV [HASH]
// prints a row for the start and one for each step: time, energies, contacts, qpos, qvel, ctrl,
// sensors, positions of bodies, centers of mass, and the state's hash.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/cortenforge.h>
#include <mujoco/mujoco.h>

enum { ROWS_MAX = 100 };

// controls from a table of rows: time, ctrl
typedef struct {
  const char* kind;
  int key, rows;
  double row[ROWS_MAX][50];
} controlTable;


static void readTable(controlTable* c, const mjModel* m, const char* path) {
  FILE* in = fopen(path, "r");
  char line[4000];
  while (in && c->rows < ROWS_MAX && fgets(line, sizeof(line), in)) {
    char* p = line;
    for (int k = 0; k <= m->nu; k++, p++) {
      c->row[c->rows][k] = strtod(p, &p);
    }
    c->rows++;
  }
  if (!in || fclose(in)) {
    exit(9);
  }
}


static void control(const controlTable* c, const mjModel* m, mjData* d) {
  if (!strcmp(c->kind, "key")) {
    mju_copy(d->ctrl, m->key_ctrl + c->key * m->nu, (int)m->nu);
  }
  for (int r = 0; r < c->rows; r++) {
    if (c->row[r][0] <= d->time + 1e-12) {
      mju_copy(d->ctrl, c->row[r] + 1, (int)m->nu);
    }
  }
}


static void printNumbers(const mjtNum* x, mjtSize n) {
  for (mjtSize k = 0; k < n; k++) {
    printf(",%.17g", x[k]);
  }
}


static void printRow(const mjModel* m, const mjData* d, unsigned long long hash) {
  printf("%.17g", d->time);
  printNumbers(d->energy, 2);
  printf(",%d", d->ncon);
  printNumbers(d->qpos, m->nq);
  printNumbers(d->qvel, m->nv);
  printNumbers(d->ctrl, m->nu);
  printNumbers(d->sensordata, m->nsensordata);
  printNumbers(d->xpos, 3 * m->nbody);
  printNumbers(d->subtree_com, 3 * m->nbody);
  printf(",%016llx\n", hash);
}


int main(int argc, char** argv) {
  char error[1000] = "";
  static controlTable c;
  mjModel* m = argc == 5 ? mj_loadXML(argv[1], NULL, error, sizeof(error)) : NULL;
  if (!m) {
    fprintf(stderr, "stepper MODEL KEY STEPS none|key|CSV: %s\n", error);
    return 9;
  }
  m->opt.enableflags |= mjENBL_ENERGY;
  mjData *d = mj_makeData(m), *shown = mj_makeData(m);
  const int key = atoi(argv[2]), steps = atoi(argv[3]);
  if (key >= 0) {
    mj_resetDataKeyframe(m, d, key);
  }
  c.kind = argv[4];
  c.key = key;
  if (strcmp(c.kind, "none") && strcmp(c.kind, "key")) {
    readTable(&c, m, c.kind);
  }
  for (int k = 0; k <= steps; k++) {
    // the state at this time, with the controls that the next step takes
    mj_copyData(shown, m, d);
    control(&c, m, shown);
    mj_forward(m, shown);
    printRow(m, shown, (unsigned long long)cf_stateHash(m, d));
    control(&c, m, d);
    mj_step(m, d);
  }
  mj_deleteData(shown);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
