// Randomized worlds of `cortenforge batch`: a file says which parameters and states are drawn.
#include "randomize.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// uniform in 0..1, the next one of a sequence
static double uniform(uint64_t* sequence) {
  *sequence = *sequence * 6364136223846793005u + 1442695040888963407u;
  uint64_t x = *sequence;
  x = (x ^ x >> 33) * 0xFF51AFD7ED558CCDu;
  return (double)((x ^ x >> 33) >> 11) * 0x1p-53;
}


// numbers of an object in fields of which not all are possible; 0: another field
static int numbersOfObject(const char* name) {
  static const char* const triples[] = {"geom_size", "body_ipos", "jnt_pos", "jnt_axis",
                                        "light_dir"};
  int n = strstr(name, "quat") ? 4 : 0;
  for (size_t k = 0; k < sizeof(triples) / sizeof(triples[0]); k++) {
    n = strcmp(name, triples[k]) ? n : 3;
  }
  return n;
}


// may an object have other numbers than those of the model: sizes of meshes and the like are those
// of their assets, and inertias of simple bodies stay diagonal
static bool mayDiffer(const mjModel* m, const char* name, int id) {
  if (!strcmp(name, "geom_size")) {
    const int type = m->geom_type[id];
    return type != mjGEOM_MESH && type != mjGEOM_HFIELD && type != mjGEOM_SDF;
  }
  if (!strcmp(name, "body_ipos") || !strcmp(name, "body_iquat")) {
    return !m->body_simple[id];
  }
  return strncmp(name, "jnt_", 4) != 0 || !m->body_simple[m->jnt_bodyid[id]];
}


// what was drawn for `count` numbers of a world, as a model can have it: objects that cannot differ
// keep their numbers, directions and turns their unit length
static void makePossible(const mjModel* m, const char* name, size_t count, const mjtNum* before,
                         mjtNum* value) {
  const int n = numbersOfObject(name);
  for (int id = 0; n && id < (int)count / n; id++) {
    mjtNum* own = value + n * id;
    if (!mayDiffer(m, name, id)) {
      mju_copy(own, before + n * id, n);
    } else if (n == 4 || !strcmp(name, "jnt_axis") || !strcmp(name, "light_dir")) {
      mju_normalize(own, n);
    }
  }
}


// turns within positions of joints keep their unit length, too
static void makeTurns(const mjModel* m, mjtNum* qpos) {
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_type[j] == mjJNT_FREE || m->jnt_type[j] == mjJNT_BALL) {
      mju_normalize4(qpos + m->jnt_qposadr[j] + (m->jnt_type[j] == mjJNT_FREE ? 3 : 0));
    }
  }
}


// ---------------------------------------- the file

// one line of it: FIELD scale|add LOW HIGH
typedef struct {
  int number;
  char name[64];
  bool is_scale, is_state;
  double low, high;
} drawRule;

typedef struct {
  drawRule* rule;
  int count, room;
} drawRules;


// a new rule, or NULL with a message
static drawRule* newRule(drawRules* rules) {
  if (rules->count == rules->room) {
    const int room = rules->room ? 2 * rules->room : 16;
    drawRule* grown = realloc(rules->rule, (size_t)room * sizeof(drawRule));
    if (!grown) {
      cli_error("out of memory");
      return NULL;
    }
    rules->rule = grown;
    rules->room = room;
  }
  return rules->rule + rules->count++;
}


// one line of the file; false with a message
static bool readRule(drawRules* rules, cfBatch* batch, const char* path, int number, char* line) {
  char how[8], rest[2];
  line[strcspn(line, "#\n")] = 0;
  if (!line[strspn(line, " \t\r")]) {
    return true;
  }
  drawRule* r = newRule(rules);
  if (!r) {
    return false;
  }
  const int n = sscanf(line, "%63s %7s %lf %lf %1s", r->name, how, &r->low, &r->high, rest);
  r->number = number;
  r->is_scale = n >= 2 && !strcmp(how, "scale");
  if (n != 4 || (!r->is_scale && strcmp(how, "add")) || !(r->low <= r->high) || isinf(r->low) ||
      isinf(r->high)) {
    cli_error("%s:%d: expected FIELD scale|add LOW HIGH", path, number);
    return false;
  }
  cfBatchField field;
  if (!cf_batchField(batch, r->name, &field)) {
    cli_error("%s:%d: %s", path, number, cf_batchError(batch));
    return false;
  }
  r->is_state = !field.is_parameter;
  if (!field.is_writable || field.element != CF_ELEMENT_NUM) {
    cli_error("%s:%d: '%s' %s", path, number, r->name,
              field.is_writable ? "is not made of real numbers" : "is a result of the step");
    return false;
  }
  return true;
}


// all lines; false with a message and *code set
static bool readRules(drawRules* rules, cfBatch* batch, const char* path, cliExit* code) {
  FILE* file = cli_openText(path, code);
  if (!file) {
    return false;
  }
  char* line = NULL;
  size_t size = 0;
  bool is_good = true;
  *code = CLI_USAGE;
  for (int number = 1; is_good && cli_readLine(&line, &size, file) >= 0; number++) {
    is_good = readRule(rules, batch, path, number, line);
  }
  if (is_good && ferror(file)) {
    cli_error("cannot read %s", path);
    *code = CLI_IO;
    is_good = false;
  }
  free(line);
  fclose(file);
  return is_good;
}


// ---------------------------------------- drawing

// one draw per world and number
static bool drawField(cfBatch* batch, const drawRule* r, uint64_t* sequence) {
  const mjModel* m = cf_batchModel(batch);
  cfBatchField field;
  const int n = cf_batchSize(batch);
  if (!cf_batchField(batch, r->name, &field)) {
    return false;
  }
  const size_t count = (size_t)field.count * (size_t)n;
  mjtNum *value = malloc(sizeof(mjtNum) * (count + 1)),
         *before = malloc(sizeof(mjtNum) * (count + 1));
  bool is_good = value && before && cf_batchGet(batch, r->name, NULL, n, CF_ORDER_WORLD, before);
  for (size_t k = 0; is_good && k < count; k++) {
    const double draw = r->low + (r->high - r->low) * uniform(sequence);
    value[k] = r->is_scale ? before[k] * draw : before[k] + draw;
  }
  for (size_t k = 0; is_good && k < count; k += (size_t)field.count) {
    makePossible(m, r->name, (size_t)field.count, before + k, value + k);
    if (!strcmp(r->name, "qpos")) {
      makeTurns(m, value + k);
    }
  }
  is_good = is_good && cf_batchSet(batch, r->name, NULL, n, CF_ORDER_WORLD, value);
  free(value);
  free(before);
  return is_good;
}


// parameters first, then a reset, for which some of them matter, then states
cliExit cli_randomize(cfBatch* batch, const char* path, double seed) {
  cliExit code = CLI_OK;
  drawRules rules = {NULL, 0, 0};
  bool is_good = readRules(&rules, batch, path, &code);
  uint64_t sequence = (uint64_t)seed;
  for (int pass = 0; pass < 2 && is_good; pass++) {
    for (int k = 0; k < rules.count && is_good; k++) {
      if (rules.rule[k].is_state == pass) {
        is_good = drawField(batch, rules.rule + k, &sequence);
        if (!is_good) {
          cli_error("%s:%d: %s", path, rules.rule[k].number, cf_batchError(batch));
        }
      }
    }
    if (pass == 0 && is_good && !cf_batchReset(batch, NULL, -1)) {
      cli_error("%s", cf_batchError(batch));
      code = CLI_BAD_MODEL;
      is_good = false;
    }
  }
  free(rules.rule);
  return is_good ? CLI_OK : code;
}
