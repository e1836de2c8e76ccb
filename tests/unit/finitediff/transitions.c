// cf_transition against differences of whole steps, column by column, on models of files.
//
//   transitions [--list N] [--nv MOST] [--states N] FILE_OR_FOLDER...
//
// Every model is linearized with every integrator, with and without contacts, in several states.  A
// column counts where differences with two steps agree with each other (elsewhere the step has a
// kink nearby, or rounding dominates); there cf_transition must agree with them.  Exit status 1
// where it does not, 2 where nothing was compared.
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/derivative.h>

static const mjtNum allowed = 2e-5;   // of the largest entry of the column, or of 1
static const mjtNum smooth = 2e-6;    // differences with steps of 1e-5 and 1e-6 agree so far
static const mjtNum straight = 1e-5;  // and the slope on one side with that of both

typedef struct {
  int models, linearized, analytic, compared, rough, wrong, unread;
  int list, most, states;
} tally;

static unsigned state_of_random;

// reproducible, in [-1, 1)
static mjtNum randomNumber(void) {
  state_of_random = state_of_random * 1664525u + 1013904223u;
  return (state_of_random >> 8) / 8388608.0 - 1;
}


// ---------------------------------------- comparison

typedef struct {
  int nx, nu;
  mjtNum *A, *B;
} linearized;

static linearized allocate(const mjModel* m) {
  const int nx = (int)(2 * m->nv + m->na), nu = (int)m->nu;
  return (linearized){nx, nu, calloc((size_t)(nx * nx) + 1, sizeof(mjtNum)),
                      calloc((size_t)(nx * nu) + 1, sizeof(mjtNum))};
}

static mjtNum entry(const linearized* l, int row, int column) {
  return column < l->nx ? l->A[row * l->nx + column] : l->B[row * l->nu + column - l->nx];
}

// largest difference of a column, relative to its size
static mjtNum columnError(const linearized* a, const linearized* b, int column) {
  mjtNum error = 0, size = 1;
  for (int r = 0; r < a->nx; r++) {
    const mjtNum x = entry(a, r, column), y = entry(b, r, column);
    if (!isfinite(x) || !isfinite(y)) {
      return INFINITY;
    }
    error = fmax(error, fabs(x - y));
    size = fmax(size, fabs(y));
  }
  return error / size;
}


// forward differences at 1e-6 and 1e-7 without their error of first order: the slope on one side
static void extrapolate(linearized* near, const linearized* far) {
  for (int k = 0; k < near->nx * near->nx; k++) {
    near->A[k] = (10 * near->A[k] - far->A[k]) / 9;
  }
  for (int k = 0; k < near->nx * near->nu; k++) {
    near->B[k] = (10 * near->B[k] - far->B[k]) / 9;
  }
}


static void compareState(const mjModel* m, mjData* d, const char* name, tally* t) {
  enum { FOUND, FINE, COARSE, SIDE, FAR, NWAY };
  static const cfTransitionOptions how[NWAY] = {{.eps = 1e-6},
                                                {.eps = 1e-6, .no_analytic = 1},
                                                {.eps = 1e-5, .no_analytic = 1},
                                                {.eps = 1e-7, .no_analytic = 1, .one_sided = 1},
                                                {.eps = 1e-6, .no_analytic = 1, .one_sided = 1}};
  linearized way[NWAY];
  mjtByte* column = calloc((size_t)(2 * m->nv + m->na + m->nu) + 1, 1);
  for (int k = 0; k < NWAY; k++) {
    way[k] = allocate(m);
    cf_transitionColumns(m, d, &how[k], way[k].A, way[k].B, k ? NULL : column);
  }
  extrapolate(&way[SIDE], &way[FAR]);
  t->linearized++;
  for (int c = 0; c < way[FOUND].nx + way[FOUND].nu; c++) {
    t->analytic += column[c] != CF_COLUMN_STEP;
    if (!(columnError(&way[COARSE], &way[FINE], c) < smooth &&
          columnError(&way[SIDE], &way[FINE], c) < straight)) {
      t->rough++;
      continue;
    }
    t->compared += column[c] != CF_COLUMN_STEP;
    const mjtNum error = columnError(&way[FOUND], &way[FINE], c);
    if (!(error < allowed) && t->wrong++ < t->list) {
      printf("%s integrator %d flags %x: column %d of %d + %d (kind %d) differs by %.2g\n", name,
             m->opt.integrator, m->opt.disableflags, c, way[FOUND].nx, way[FOUND].nu, column[c],
             error);
    }
  }
  for (int k = 0; k < NWAY; k++) {
    free(way[k].A);
    free(way[k].B);
  }
  free(column);
}


// ---------------------------------------- states

// does a step from here stay a step, or end in a reset?
static bool isSound(const mjModel* m, const mjData* d) {
  mjData* next = mj_copyData(NULL, m, d);
  memset(next->warning, 0, sizeof(next->warning));
  mj_step(m, next);
  const bool is_sound = !next->warning[mjWARN_BADQPOS].number &&
                        !next->warning[mjWARN_BADQVEL].number &&
                        !next->warning[mjWARN_BADQACC].number;
  mj_deleteData(next);
  return is_sound;
}


// at rest with random controls; after a while; somewhere in motion
static void prepareState(const mjModel* m, mjData* d, int state) {
  mj_resetDataKeyframe(m, d, m->nkey ? 0 : -1);
  for (int u = 0; u < m->nu; u++) {
    const mjtNum* range = m->actuator_ctrlrange + 2 * u;
    const mjtNum x = randomNumber();
    d->ctrl[u] = m->actuator_ctrllimited[u]
                     ? 0.5 * (range[0] + range[1] + x * (range[1] - range[0]))
                     : 2 * x;
  }
  for (int k = 0; k < m->na; k++) {
    d->act[k] += 0.3 * (1 + randomNumber());
  }
  for (int k = 0; state == 1 && k < 60; k++) {
    mj_step(m, d);
  }
  if (state != 2) {
    return;
  }
  mjtNum* v = calloc((size_t)m->nv + 1, sizeof(mjtNum));
  for (int i = 0; i < m->nv; i++) {
    v[i] = 0.05 * randomNumber();
    d->qvel[i] = randomNumber();
  }
  mj_integratePos(m, d->qpos, v, 1);
  free(v);
}


static void compareModel(mjModel* m, const char* name, tally* t) {
  mjData* d = mj_makeData(m);
  const int flags = m->opt.disableflags;
  t->models++;
  for (int integrator = mjINT_EULER; integrator <= mjINT_IMPLICITFAST; integrator++) {
    if (integrator == mjINT_RK4 && (m->opt.enableflags & mjENBL_FWDINV)) {
      continue;  // discrete inverse dynamics has no RK4
    }
    for (int contacts = 0; contacts < 2; contacts++) {
      for (int state = 0; state < t->states; state++) {
        m->opt.integrator = integrator;
        m->opt.disableflags = contacts ? flags : flags | mjDSBL_CONTACT;
        state_of_random = (unsigned)(100 * t->models + state);
        prepareState(m, d, t->states == 1 ? (t->models + integrator) % 3 : state);
        if (isSound(m, d)) {
          compareState(m, d, name, t);
        }
      }
    }
  }
  mj_deleteData(d);
}


static void compareFile(const char* path, tally* t) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    t->unread++;
  } else if (m->nv <= t->most && !m->nhistory) {
    compareModel(m, path, t);
  }
  mj_deleteModel(m);
}


// ---------------------------------------- files

static int byName(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}


static void compareAll(const char* path, tally* t) {
  DIR* folder = opendir(path);
  if (!folder) {
    if (strlen(path) > 4 && strcmp(path + strlen(path) - 4, ".xml") == 0) {
      compareFile(path, t);
    }
    return;
  }
  char* list[2000];
  size_t count = 0;
  for (struct dirent* e = readdir(folder); e && count < 2000; e = readdir(folder)) {
    if (e->d_name[0] != '.') {
      list[count] = malloc(strlen(path) + strlen(e->d_name) + 2);
      sprintf(list[count++], "%s/%s", path, e->d_name);
    }
  }
  closedir(folder);
  qsort(list, count, sizeof(list[0]), byName);
  for (size_t k = 0; k < count; k++) {
    compareAll(list[k], t);
    free(list[k]);
  }
}


static void silence(const char* text) {
  (void)text;
}


int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  tally t = {.list = 20, .most = 60, .states = 3};
  mju_user_warning = silence;
  for (int k = 1; k < argc; k++) {
    const char* const name[3] = {"--list", "--nv", "--states"};
    int* const number[3] = {&t.list, &t.most, &t.states};
    int option = 0;
    while (option < 3 && strcmp(argv[k], name[option]) != 0) {
      option++;
    }
    if (option == 3) {
      compareAll(argv[k], &t);
    } else if (++k < argc) {
      *number[option] = atoi(argv[k]);
    }
  }
  printf(
      "%d models (%d cannot be read), %d linearizations, %d columns not from whole steps: %d "
      "compared, %d of all columns not smooth, %d wrong\n",
      t.models, t.unread, t.linearized, t.analytic, t.compared, t.rough, t.wrong);
  return t.wrong ? 1 : t.compared ? 0 : 2;
}
