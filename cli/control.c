// Controls for `run`, `bench` and `compare`: noise, a keyframe, or a table from a CSV file.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// room for one more row; false when memory is out
static bool growTable(cliControl* c, size_t* capacity, size_t width) {
  if ((size_t)c->rows < *capacity) {
    return true;
  }
  const size_t larger = *capacity ? 2 * *capacity : 256;
  double* grown = realloc(c->table, larger * width * sizeof(double));
  if (!grown) {
    cli_error("out of memory for the controls");
    return false;
  }
  c->table = grown;
  *capacity = larger;
  return true;
}


// how many comma-separated finite numbers a line has; up to width of them go to row
static size_t readRow(double* row, size_t width, const char* line) {
  size_t count = 0;
  for (const char* p = line;; p++) {
    char* end;
    const double value = strtod(p, &end);
    if (end == p || !isfinite(value)) {
      return count;
    }
    if (count < width) {
      row[count] = value;
    }
    count++;
    p = end + strspn(end, " \t\r\n");
    if (*p != ',') {
      return *p ? 0 : count;
    }
  }
}


static bool isBlank(const char* line) {
  return line[strspn(line, " \t\r\n")] == '\0';
}


// one row of the table; false with a message
static bool addRow(cliControl* c, const mjModel* m, const char* line, const char* path,
                   int number) {
  const size_t width = (size_t)m->nu + 1;
  double* row = c->table + (size_t)c->rows * width;
  const size_t found = readRow(row, width, line);
  if (found != width) {
    cli_error("%s:%d: expected %d finite numbers (time and %d controls), found %d", path, number,
              (int)width, (int)m->nu, (int)found);
    return false;
  }
  if (c->rows > 0 && row[0] < row[-(long)width]) {
    cli_error("%s:%d: time %g comes after %g; times must not decrease", path, number, row[0],
              row[-(long)width]);
    return false;
  }
  c->rows++;
  return true;
}


// CSV rows: time, ctrl_0, ..., ctrl_{nu-1}; a first line that does not start with a number is a
// header
static bool readTable(cliControl* c, const mjModel* m, const char* path, cliExit* code) {
  FILE* f = cli_openText(path, code);
  if (!f) {
    return false;
  }
  *code = CLI_IO;
  size_t capacity = 0, line_size = 0;
  char* line = NULL;
  int number = 0;
  bool good = true;
  while (good && cli_readLine(&line, &line_size, f) >= 0) {
    char* end;
    const bool is_header = ++number == 1 && (strtod(line, &end), end == line);
    if (!is_header && !isBlank(line)) {
      good = growTable(c, &capacity, (size_t)m->nu + 1) && addRow(c, m, line, path, number);
    }
  }
  if (good && c->rows == 0) {
    cli_error("%s: no rows of time and controls", path);
    good = false;
  }
  free(line);
  fclose(f);
  return good;
}


// the keyframe after the word; false with a message
static bool findKey(cliControl* c, const mjModel* m, const char* text) {
  const char* name = text[8] ? text + 9 : NULL;
  c->key = name ? mj_name2id(m, mjOBJ_KEY, name) : 0;
  if (c->key >= 0 && c->key < m->nkey) {
    return true;
  }
  char others[400];
  cli_error("--ctrl %s: the model has no such keyframe%s", text,
            cli_otherNames(m, mjOBJ_KEY, name ? name : "", others));
  return false;
}


static bool unknownControl(const char* text) {
  cli_error("--ctrl %s: expected none, noise[:SCALE], keyframe[:NAME], csv:FILE or wave", text);
  return false;
}


bool cli_controlFrom(cliControl* c, const mjModel* m, const char* text, int seed, cliExit* code) {
  *c = (cliControl){.kind = CONTROL_NONE, .seed = seed, .scale = 0.01};
  *code = CLI_USAGE;
  if (!text || !strcmp(text, "none")) {
    return true;
  }
  if (!strncmp(text, "noise", 5)) {
    c->kind = CONTROL_NOISE;
    if (text[5] && text[5] != ':') {
      return unknownControl(text);
    }
    return text[5] == '\0' || cli_number("--ctrl noise", text + 6, &c->scale);
  }
  if (!strncmp(text, "keyframe", 8)) {
    c->kind = CONTROL_KEY;
    if (text[8] && text[8] != ':') {
      return unknownControl(text);
    }
    return findKey(c, m, text);
  }
  if (!strcmp(text, "wave")) {
    c->kind = CONTROL_WAVE;
    if (!cli_canWave(m)) {
      cli_error("--ctrl wave: only the embedded humanoid and models/humanoid.xml can");
    }
    return cli_canWave(m);
  }
  if (!strncmp(text, "csv:", 4)) {
    c->kind = CONTROL_TABLE;
    return readTable(c, m, text + 4, code);
  }
  return unknownControl(text);
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
  const size_t width = (size_t)m->nu + 1;
  int low = 0, high = c->rows;
  while (low < high) {
    const int middle = (low + high) / 2;
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
  } else if (c->kind == CONTROL_WAVE) {
    cli_wave(m, d);
  }
}


void cli_controlFree(cliControl* c) {
  free(c->table);
  c->table = NULL;
}
