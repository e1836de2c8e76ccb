// Signals: named numbers of a simulation, sampled every step.
//   time, energy, ncon, qpos[:JOINT], qvel[:JOINT], ctrl[:ACTUATOR], sensor[:NAME], xpos[:BODY],
//   com[:BODY]
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { KIND_ENERGY, KIND_NCON, KIND_QPOS, KIND_QVEL, KIND_CTRL, KIND_SENSOR, KIND_XPOS, KIND_COM };


// false with a message when memory is out
static bool addSignal(cliSeries* s, int kind, int index, const char* label) {
  if (s->count == s->room) {
    const int room = s->room ? 2 * s->room : 64;
    cliSignal* grown = realloc(s->signal, (size_t)room * sizeof(cliSignal));
    if (!grown) {
      cli_error("out of memory for the signals");
      return false;
    }
    s->signal = grown;
    s->room = room;
  }
  s->signal[s->count] = (cliSignal){strdup(label), kind, index};
  return s->signal[s->count++].label;
}


// numbers [adr, adr + n) of a vector, labelled name or name.k
static bool addRange(cliSeries* s, int kind, int adr, int n, const char* base) {
  const size_t size = strlen(base) + 16;
  char* label = malloc(size);
  bool is_good = label;
  for (int k = 0; is_good && k < n; k++) {
    snprintf(label, size, n == 1 ? "%s" : "%s.%d", base, k);
    is_good = addSignal(s, kind, adr + k, label);
  }
  free(label);
  return is_good;
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
    char others[400];
    cli_error("signal '%s': the model has no %s '%s'%s", text, mju_type2Str(object), name,
              cli_otherNames(m, object, name, others));
    return false;
  }
  switch (kind) {
    case KIND_QPOS:
      return addRange(s, kind, m->jnt_qposadr[id], jointWidth(m, id, kind), text);
    case KIND_QVEL:
      return addRange(s, kind, m->jnt_dofadr[id], jointWidth(m, id, kind), text);
    case KIND_SENSOR:
      return addRange(s, kind, m->sensor_adr[id], m->sensor_dim[id], text);
    case KIND_CTRL:
      return addRange(s, kind, id, 1, text);
    default:
      return addRange(s, kind, 3 * id, 3, text);
  }
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
    return addSignal(s, KIND_ENERGY, 0, "potential energy") &&
           addSignal(s, KIND_ENERGY, 1, "kinetic energy");
  }
  if (!strcmp(text, "ncon")) {
    return addSignal(s, KIND_NCON, 0, "contacts");
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
      return addRange(s, words[k].kind, 0, words[k].size, text);
    }
  }
  cli_error(
      "unknown signal '%s': expected energy, ncon, qpos[:JOINT], qvel[:JOINT], ctrl[:ACTUATOR], sensor[:NAME], xpos[:BODY] or com[:BODY]",
      text);
  return false;
}


// the next item of a list, its end cut off; a backslash keeps a comma in a name
static char* nextItem(char** rest) {
  char *item = *rest, *end = *rest;
  for (const char* p = *rest;; p++) {
    if (*p == '\\' && p[1] == ',') {
      *end++ = *++p;
    } else if (*p == '\0' || *p == ',') {
      *rest = *p ? *rest + (p - item) + 1 : NULL;
      *end = '\0';
      return item;
    } else {
      *end++ = *p;
    }
  }
}


bool cli_addSignals(cliSeries* s, const mjModel* m, const char* list) {
  char* copy = strdup(list);
  bool is_good = copy;
  for (char* rest = copy; is_good && rest;) {
    is_good = addOne(s, m, nextItem(&rest));
  }
  free(copy);
  return is_good;
}


void cli_limitSignals(cliSeries* s, int most) {
  if (s->count > most) {
    cli_error("a plot has at most %d lines; '%s' and what follows is left out", most,
              s->signal[most].label);
  }
  while (s->count > most) {
    free(s->signal[--s->count].label);
  }
}


bool cli_isDerived(const cliSeries* s) {
  bool is_derived = false;
  for (int k = 0; k < s->count; k++) {
    const int kind = s->signal[k].kind;
    is_derived |= kind != KIND_QPOS && kind != KIND_QVEL && kind != KIND_CTRL;
  }
  return is_derived;
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
  for (int k = 0; k < s->count; k++) {
    free(s->signal[k].label);
  }
  free(s->signal);
  free(s->value);
  *s = (cliSeries){0};
}
