// Options of `compare` and `race`: changed model options, sizes to leave out, controls of a step.
#include "yardstick.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mjxmacro.h>

// a model option by name; bits are added to what the model has, other values replace it
typedef struct {
  const char* name;
  size_t offset;
  bool adds_bits;
} optionKey;

static const optionKey option_keys[] = {
    {"integrator", offsetof(mjOption, integrator), false},
    {"solver", offsetof(mjOption, solver), false},
    {"cone", offsetof(mjOption, cone), false},
    {"jacobian", offsetof(mjOption, jacobian), false},
    {"iterations", offsetof(mjOption, iterations), false},
    {"noslip_iterations", offsetof(mjOption, noslip_iterations), false},
    {"disable", offsetof(mjOption, disableflags), true},
    {"enable", offsetof(mjOption, enableflags), true},
};
enum { OPTION_KEYS = sizeof(option_keys) / sizeof(option_keys[0]) };


// one "key=value" at the start of text; its key, or NULL if it is not understood
static const optionKey* readOption(const char* text, int* value) {
  const size_t length = strcspn(text, "=,");
  for (int k = 0; k < OPTION_KEYS && text[length] == '='; k++) {
    char* end;
    if (strlen(option_keys[k].name) != length || strncmp(option_keys[k].name, text, length)) {
      continue;
    }
    *value = (int)strtol(text + length + 1, &end, 0);
    return end != text + length + 1 && (*end == ',' || !*end) ? &option_keys[k] : NULL;
  }
  return NULL;
}


// behind the next comma, or NULL
static const char* nextItem(const char* text) {
  const char* comma = strchr(text, ',');
  return comma ? comma + 1 : NULL;
}


bool cli_checkOptions(const char* text) {
  for (const char* p = text; p; p = nextItem(p)) {
    int value;
    if (!readOption(p, &value)) {
      char keys[300] = "";
      for (int k = 0; k < OPTION_KEYS; k++) {
        const size_t used = strlen(keys);
        snprintf(keys + used, sizeof(keys) - used, " %s", option_keys[k].name);
      }
      cli_error("--option %s: expected KEY=NUMBER,... with the keys%s", p, keys);
      return false;
    }
  }
  return true;
}


void cli_changeOptions(mjOption* opt, const char* text) {
  for (const char* p = text; p; p = nextItem(p)) {
    int value;
    const optionKey* key = readOption(p, &value);
    if (key) {
      int* slot = (int*)((char*)opt + key->offset);
      *slot = key->adds_bits ? *slot | value : value;
    }
  }
}


// every size of mjModel by name
static mjtSize sizeNamed(const mjModel* m, const char* name, size_t length, bool* is_known) {
  *is_known = true;
#define X(size)                                                           \
  if (strlen(#size) == length + 1 && !strncmp(#size + 1, name, length)) { \
    return m ? (mjtSize)m->size : 0;                                      \
  }
  MJMODEL_SIZES
#undef X
  *is_known = false;
  return 0;
}


bool cli_checkExclude(const char* list) {
  for (const char* p = list; p; p = nextItem(p)) {
    bool is_known;
    sizeNamed(NULL, p, strcspn(p, ","), &is_known);
    if (!is_known) {
      cli_error("--exclude %s: expected sizes of a model without their n: flex, plugin, mesh, ...",
                p);
      return false;
    }
  }
  return true;
}


const char* cli_excludedBy(const mjModel* m, const char* list) {
  for (const char* p = list; p; p = nextItem(p)) {
    bool is_known;
    if (sizeNamed(m, p, strcspn(p, ","), &is_known) > 0) {
      return p;
    }
  }
  return NULL;
}


void cli_quasiControls(const mjModel* m, mjData* d, int k, double share) {
  for (int u = 0; u < m->nu; u++) {
    double low = -1, high = 1;
    if (m->actuator_ctrllimited[u]) {
      low = m->actuator_ctrlrange[2 * u];
      high = m->actuator_ctrlrange[2 * u + 1];
    }
    const double width = high - low;
    low += 0.5 * (1 - share) * width;
    d->ctrl[u] = low + share * width * mju_Halton(k + 1 + 7 * u, 2 + u % 3);
  }
}


bool cli_count(const char* option, const char* text, double low, double high, int* value) {
  double number;
  if (!text) {
    return true;
  }
  if (!cli_number(option, text, &number)) {
    return false;
  }
  if (number != floor(number) || number < low || number > high) {
    cli_error("%s %s: expected a whole number from %.0f to %.0f", option, text, low, high);
    return false;
  }
  *value = (int)number;
  return true;
}


bool cli_openCsv(FILE** out, const char* path) {
  *out = NULL;
  if (!cli_namesFile("--csv", path)) {
    return false;
  }
  *out = path ? cfi_fileOpen(path, "w") : NULL;
  if (path && !*out) {
    cli_error("%s: %s", path, strerror(errno));
  }
  return !path || *out;
}
