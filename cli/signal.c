// Signals: named numbers of a simulation, sampled every step.
//   time, energy, ncon, qpos[:JOINT], qvel[:JOINT], ctrl[:ACTUATOR], sensor[:NAME], xpos:BODY,
//   com:BODY
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { KIND_ENERGY, KIND_NCON, KIND_QPOS, KIND_QVEL, KIND_CTRL, KIND_SENSOR, KIND_XPOS, KIND_COM };


static bool addSignal(cliSeries* s, int kind, int index, int component, const char* label) {
  if (s->count == SIGNAL_MAX) {
    fprintf(stderr, "cortenforge: at most %d signals; '%s' and what follows is left out\n",
            SIGNAL_MAX, label);
    return false;
  }
  cliSignal* g = &s->signal[s->count++];
  g->kind = kind;
  g->index = index;
  g->component = component;
  memccpy(g->label, label, 0, sizeof(g->label));
  g->label[sizeof(g->label) - 1] = 0;
  return true;
}


// numbers [adr, adr + n) of a vector, labelled name or name.k
static void addRange(cliSeries* s, int kind, int adr, int n, const char* base) {
  for (int k = 0; k < n; k++) {
    char label[160];
    if (n == 1) {
      snprintf(label, sizeof(label), "%s", base);
    } else {
      snprintf(label, sizeof(label), "%s.%d", base, k);
    }
    if (!addSignal(s, kind, adr + k, 0, label)) {
      return;
    }
  }
}


static int jointWidth(const mjModel* m, int joint, int kind) {
  static const int nq[] = {7, 4, 1, 1}, nv[] = {6, 3, 1, 1};
  const int type = m->jnt_type[joint];
  return kind == KIND_QPOS ? nq[type] : nv[type];
}


// one object of a named kind, for example the joint "knee"
static bool addNamed(cliSeries* s, const mjModel* m, int kind, int object, const char* name,
                     const char* text) {
  const int id = mj_name2id(m, object, name);
  if (id < 0) {
    fprintf(stderr, "cortenforge: signal '%s': the model has no %s '%s'\n", text,
            mju_type2Str(object), name);
    return false;
  }
  if (kind == KIND_QPOS || kind == KIND_QVEL) {
    addRange(s, kind, kind == KIND_QPOS ? m->jnt_qposadr[id] : m->jnt_dofadr[id],
             jointWidth(m, id, kind), text);
  } else if (kind == KIND_SENSOR) {
    addRange(s, kind, m->sensor_adr[id], m->sensor_dim[id], text);
  } else if (kind == KIND_CTRL) {
    addRange(s, kind, id, 1, text);
  } else {
    addRange(s, kind, 3 * id, 3, text);
  }
  return true;
}


static bool addOne(cliSeries* s, const mjModel* m, const char* text) {
  const struct {
    const char* word;
    int kind, object, size;
  } words[] = {
      {"qpos", KIND_QPOS, mjOBJ_JOINT, (int)m->nq},
      {"qvel", KIND_QVEL, mjOBJ_JOINT, (int)m->nv},
      {"ctrl", KIND_CTRL, mjOBJ_ACTUATOR, (int)m->nu},
      {"sensor", KIND_SENSOR, mjOBJ_SENSOR, (int)m->nsensordata},
      {"xpos", KIND_XPOS, mjOBJ_BODY, 3 * (int)m->nbody},
      {"com", KIND_COM, mjOBJ_BODY, 3 * (int)m->nbody},
  };
  if (!strcmp(text, "energy")) {
    return addSignal(s, KIND_ENERGY, 0, 0, "potential energy") &&
           addSignal(s, KIND_ENERGY, 1, 0, "kinetic energy");
  }
  if (!strcmp(text, "ncon")) {
    return addSignal(s, KIND_NCON, 0, 0, "contacts");
  }
  for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
    const size_t length = strlen(words[k].word);
    if (strncmp(text, words[k].word, length) != 0) {
      continue;
    }
    if (text[length] == ':') {
      return addNamed(s, m, words[k].kind, words[k].object, text + length + 1, text);
    }
    if (text[length] == '\0') {
      addRange(s, words[k].kind, 0, words[k].size, text);
      return true;
    }
  }
  fprintf(
      stderr,
      "cortenforge: unknown signal '%s': expected energy, ncon, qpos[:JOINT], qvel[:JOINT], ctrl[:ACTUATOR], "
      "sensor[:NAME], xpos:BODY or com:BODY\n",
      text);
  return false;
}


bool cli_addSignals(cliSeries* s, const mjModel* m, const char* list) {
  char copy[2000];
  if (strlen(list) >= sizeof(copy)) {
    fprintf(stderr, "cortenforge: the list of signals is too long\n");
    return false;
  }
  strcpy(copy, list);
  char* rest = NULL;
  for (char* word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    if (!addOne(s, m, word)) {
      return false;
    }
  }
  return true;
}


static double readSignal(const cliSignal* g, const mjData* d) {
  switch (g->kind) {
    case KIND_ENERGY:
      return d->energy[g->index];
    case KIND_NCON:
      return d->ncon;
    case KIND_QPOS:
      return d->qpos[g->index];
    case KIND_QVEL:
      return d->qvel[g->index];
    case KIND_CTRL:
      return d->ctrl[g->index];
    case KIND_SENSOR:
      return d->sensordata[g->index];
    case KIND_XPOS:
      return d->xpos[g->index];
    default:
      return d->subtree_com[g->index];
  }
}


bool cli_sample(cliSeries* s, const mjModel* m, const mjData* d) {
  (void)m;
  const size_t width = (size_t)s->count + 1;
  if (s->rows == s->capacity) {
    const int capacity = s->capacity ? 2 * s->capacity : 1024;
    double* grown = realloc(s->value, (size_t)capacity * width * sizeof(double));
    if (!grown) {
      return false;
    }
    s->value = grown;
    s->capacity = capacity;
  }
  double* row = s->value + (size_t)s->rows++ * width;
  row[0] = d->time;
  for (int k = 0; k < s->count; k++) {
    row[k + 1] = readSignal(&s->signal[k], d);
  }
  return true;
}


void cli_seriesFree(cliSeries* s) {
  free(s->value);
  s->value = NULL;
}
