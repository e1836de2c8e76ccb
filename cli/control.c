// Controls for `run`, `bench` and `compare`: noise, a keyframe, or a table from a CSV file.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// CSV with a header line and rows: time, ctrl_0, ..., ctrl_{nu-1}
static bool readTable(cliControl* c, const mjModel* m, const char* path, cliExit* code) {
  *code = CLI_IO;
  FILE* f = fopen(path, "r");
  if (!f) {
    fprintf(stderr, "cortenforge: %s: %s\n", path, strerror(errno));
    return false;
  }
  size_t width = (size_t)m->nu + 1, capacity = 0, line_size = 0;
  char* line = NULL;
  int number = 0;
  bool good = true;
  while (good && getline(&line, &line_size, f) >= 0) {
    if (!number++) {
      continue;
    }
    if ((size_t)c->rows == capacity) {
      capacity = capacity ? 2 * capacity : 256;
      double* grown = realloc(c->table, capacity * width * sizeof(double));
      if (!grown) {
        good = false;
        break;
      }
      c->table = grown;
    }
    char* p = line;
    for (size_t k = 0; k < width && good; k++) {
      char* end;
      c->table[(size_t)c->rows * width + k] = strtod(p, &end);
      if (end == p) {
        fprintf(stderr, "cortenforge: %s:%d: expected %d numbers (time and %d controls), found %d\n", path,
                number, (int)width, (int)m->nu, (int)k);
        good = false;
      }
      p = *end == ',' ? end + 1 : end;
    }
    c->rows += good;
  }
  free(line);
  fclose(f);
  return good;
}


bool cli_controlFrom(cliControl* c, const mjModel* m, const char* text, int seed, cliExit* code) {
  *c = (cliControl){.kind = CONTROL_NONE, .seed = seed, .scale = 0.01};
  *code = CLI_USAGE;
  if (!text || !strcmp(text, "none")) {
    return true;
  }
  if (!strncmp(text, "noise", 5)) {
    c->kind = CONTROL_NOISE;
    return text[5] == '\0' || (text[5] == ':' && cli_number("--ctrl noise", text + 6, &c->scale));
  }
  if (!strncmp(text, "keyframe", 8)) {
    c->kind = CONTROL_KEY;
    c->key = text[8] == ':' ? mj_name2id(m, mjOBJ_KEY, text + 9) : 0;
    if (c->key < 0 || c->key >= m->nkey) {
      fprintf(stderr, "cortenforge: --ctrl %s: the model has no such keyframe\n", text);
      return false;
    }
    return true;
  }
  if (!strncmp(text, "csv:", 4)) {
    c->kind = CONTROL_TABLE;
    return readTable(c, m, text + 4, code);
  }
  fprintf(stderr, "cortenforge: --ctrl %s: expected none, noise[:SCALE], keyframe[:NAME] or csv:FILE\n", text);
  return false;
}


// quasi-random point of this step in the control range, as MuJoCo's speed test does
static void applyNoise(const cliControl* c, const mjModel* m, mjData* d, int step) {
  for (int u = 0; u < m->nu; u++) {
    double center = 0, radius = 1;
    if (m->actuator_ctrllimited[u]) {
      center = 0.5 * (m->actuator_ctrlrange[2 * u] + m->actuator_ctrlrange[2 * u + 1]);
      radius = 0.5 * (m->actuator_ctrlrange[2 * u + 1] - m->actuator_ctrlrange[2 * u]);
    }
    d->ctrl[u] = center + c->scale * radius * (2 * mju_Halton(step + 1 + 977 * c->seed, u + 2) - 1);
  }
}


// latest row whose time is not after now
static void applyTable(const cliControl* c, const mjModel* m, mjData* d) {
  size_t width = (size_t)m->nu + 1;
  int low = 0, high = c->rows;
  while (low < high) {
    int middle = (low + high) / 2;
    if (c->table[(size_t)middle * width] <= d->time + 1e-12) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low > 0) {
    memcpy(d->ctrl, c->table + (size_t)(low - 1) * width + 1, (width - 1) * sizeof(double));
  }
}


void cli_applyControl(const cliControl* c, const mjModel* m, mjData* d, int step) {
  if (c->kind == CONTROL_NOISE) {
    applyNoise(c, m, d, step);
  } else if (c->kind == CONTROL_KEY) {
    memcpy(d->ctrl, m->key_ctrl + (size_t)c->key * (size_t)m->nu, (size_t)m->nu * sizeof(mjtNum));
  } else if (c->kind == CONTROL_TABLE) {
    applyTable(c, m, d);
  }
}


void cli_controlFree(cliControl* c) {
  free(c->table);
  c->table = NULL;
}
