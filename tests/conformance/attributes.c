// Attributes with legal and illegal values, in both libraries: what one accepts the other accepts,
// and the models are equal.  The table of attributes says what there is to try: a new row is swept
// without a word here.
//
//   attributes                     a sample of everything, always the same
//   attributes CASES [FIRST [-v]]  so many, from another seed; -v prints every case
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "cf_compare.h"
#include "cf_reference.h"
#include "mjcf/dom.h"
#include "mjcf/grammar.h"
#include "sweep_known.h"

static const char* const paths[] = {
    "defaults/every_element",
    "defaults/classes",
    "actuators/every_target",
    "actuators/delays",
    "actuators/muscle_parameters",
    "actuators/cylinders",
    "actuators/adhesion",
    "assets/mesh_inline",
    "assets/mesh_builtin",
    "assets/materials",
    "assets/skins",
    "compiler/length_ranges",
    "compiler/sizes",
    "composites/cable",
    "contacts/pairs_excludes",
    "custom/values",
    "equality/connect",
    "equality/delta",
    "equality/joint_curves",
    "equality/tendon_ties",
    "frames/replicate",
    "frames/nested",
    "frames/attach",
    "keyframes/full_state",
    "sensors/frames",
    "sensors/joint_state",
    "sensors/contact_fields",
    "sensors/distances",
    "sensors/energy_clock",
    "sensors/imu",
    "sensors/inside_sites",
    "sensors/rangefinders",
    "sensors/subtrees",
    "sensors/tactile",
    "sensors/user",
    "soft/direct_flex",
    "soft/forms",
    "soft/strain",
    "tendons/pulleys",
    "tendons/wrap_sphere",
    "visual/everything",
    "visual/lights",
    "visual/orthographic",
    "fluid/ellipsoids",
    "joints/groups_user",
    "options/flags_off",
    "assets/mesh_inertia",
    "visual/cameras",
    "soft/rope",
    "composites/skinned_cable",
    "compiler/inertia_explicit",
    "equality/weld",
    "sensors/camera_projection",
};
enum { NPATH = sizeof(paths) / sizeof(paths[0]), EDITS = 4, TEXT_MAX = 1 << 20 };

//---------------------------------- chance --------------------------------------------------------

static uint64_t dice;

static unsigned roll(unsigned n) {
  dice ^= dice >> 12;
  dice ^= dice << 25;
  dice ^= dice >> 27;
  return (unsigned)((dice * 0x2545F4914F6CDD1Du >> 33) % n);
}

//---------------------------------- models as trees -----------------------------------------------

typedef struct {
  const cfNode* node;
  cftTag tag;
} place;

typedef struct {
  cfDocument* doc;
  char folder[1000];
  place* places;
  int nplace, room;
} baseModel;

static baseModel bases[NPATH];
static char reached[TAG_COUNT];

static void collect(baseModel* base, const cfNode* node, cftTag tag) {
  if (base->nplace == base->room) {
    base->room = 2 * base->room + 64;
    base->places = realloc(base->places, sizeof(place) * (size_t)base->room);
  }
  base->places[base->nplace++] = (place){node, tag};
  reached[tag] = 1;
  for (const cfNode* child = node->first; child; child = child->next) {
    const cftTag below = cfi_findTag(tag, child->tag);
    if (below != TAG_NONE) {
      collect(base, child, below);
    }
  }
}


static bool openBase(baseModel* base, const char* name) {
  char path[1000], text[60000];
  snprintf(path, sizeof(path), "%s/models/%s.xml", CF_SOURCE_DIR, name);
  FILE* file = fopen(path, "r");
  if (!file) {
    printf("no %s\n", path);
    return false;
  }
  const size_t length = fread(text, 1, sizeof(text), file);
  fclose(file);
  base->doc = cfi_newDocument();
  cfi_documentFile(base->doc, path, "");
  const cfNode* root = cfi_parseText(base->doc, text, length, 0);
  snprintf(base->folder, sizeof(base->folder), "%s", path);
  *strrchr(base->folder, '/') = 0;
  if (root) {
    collect(base, root, TAG_MUJOCO);
  }
  return root != NULL;
}

//---------------------------------- edits ---------------------------------------------------------

typedef struct {
  const cfNode* node;
  const cfRow* row;
  cftTag tag;
  char value[200];
  bool is_removed;
} edit;

typedef struct {
  const baseModel* base;
  edit edits[EDITS];
  int nedit;
} sweepCase;

// words that another attribute of that name has somewhere in the model: names of objects, files
static const char* wordElsewhere(const baseModel* base, const char* name) {
  const char* found = "main";
  for (int i = 0, n = 0; i < base->nplace; i++) {
    const char* value = cfi_attribute(base->places[i].node, name);
    if (value && roll((unsigned)++n) == 0) {
      found = value;
    }
  }
  return found;
}


static void putNumbers(char* value, size_t size, int count, bool is_integer) {
  size_t used = 0;
  for (int i = 0; i < count && used + 20 < size; i++) {
    const double x = is_integer ? (double)roll(4) : ((int)roll(61) - 20) / 20.0;
    used += (size_t)snprintf(value + used, size - used, "%s%g", i ? " " : "", x);
  }
}


// how many numbers the form asks for, 0 where it is no form of numbers
static int numbersOf(const cfRow* row, bool* is_integer) {
  *is_integer = row->how == HOW_INTS || row->how == HOW_INTEGERS || row->how == HOW_UPTO_INTEGERS ||
                row->how == HOW_ANY_INTEGERS;
  switch (row->how) {
    case HOW_EXACT:
    case HOW_UPTO:
      *is_integer = row->type == TYPE_INT;
      return row->size ? (int)(row->size / cfi_scalarSize(row->type)) : 1;
    case HOW_QUAT:
      return 4;
    case HOW_ORIENT:
      return (int)(row->size / sizeof(double));
    case HOW_REALS:
    case HOW_UPTO_REALS:
    case HOW_INTEGERS:
    case HOW_UPTO_INTEGERS:
      return row->value;
    case HOW_DOUBLES:
    case HOW_FLOATS:
    case HOW_INTS:
    case HOW_ANY_REALS:
    case HOW_ANY_INTEGERS:
      return 1 + (int)roll(4);
    default:
      return 0;
  }
}


static void chooseLegal(edit* e, const baseModel* base) {
  const cfRow* row = e->row;
  bool is_integer;
  const int numbers = numbersOf(row, &is_integer);
  int nword = 0;
  if (row->words != WORDS_NONE) {
    const cfKeyword* word = cfi_keywords(row->words, &nword);
    snprintf(e->value, sizeof(e->value), "%s", word[roll((unsigned)nword)].word);
  } else if (row->how == HOW_OFF || row->how == HOW_ON) {
    snprintf(e->value, sizeof(e->value), "%s", roll(2) ? "enable" : "disable");
  } else if (numbers) {
    putNumbers(e->value, sizeof(e->value), numbers, is_integer);
  } else {
    snprintf(e->value, sizeof(e->value), "%s", wordElsewhere(base, row->name));
  }
}


static void chooseOdd(edit* e) {
  static const char* const odd[] = {"",
                                    " ",
                                    "abc",
                                    "1 abc",
                                    "1,2",
                                    "nan",
                                    "inf",
                                    "1e400",
                                    "1.5",
                                    "-1",
                                    "0",
                                    "-0",
                                    "0x10",
                                    "1e3",
                                    "1 ",
                                    " 1",
                                    "+1",
                                    "1.",
                                    ".5",
                                    "1e",
                                    "true",
                                    "TRUE",
                                    "1 2 3 4 5 6 7 8 9 10 11 12 13",
                                    "2",
                                    "0 0 0",
                                    "0 0 0 0",
                                    "1 -1",
                                    "none",
                                    "3"};
  snprintf(e->value, sizeof(e->value), "%s", odd[roll(sizeof(odd) / sizeof(odd[0]))]);
}


static void chooseEdit(edit* e, const baseModel* base) {
  int count = 0;
  do {
    const place p = base->places[roll((unsigned)base->nplace)];
    const cfRow* row = cfi_rows(cfi_tags[p.tag].fields, &count);
    *e = (edit){.node = p.node, .tag = p.tag};
    e->row = count ? row + roll((unsigned)count) : NULL;
  } while (!count || !cfi_allows(e->row, e->tag) || e->row->is_ours);
  const unsigned kind = roll(10);
  if (kind == 0) {
    e->is_removed = true;
  } else if (kind < 6) {
    chooseLegal(e, base);
  } else {
    chooseOdd(e);
  }
}

//---------------------------------- texts ---------------------------------------------------------

typedef struct {
  char* text;
  size_t used;
} output;

__attribute__((format(printf, 2, 3))) static void put(output* out, const char* format, ...) {
  va_list args;
  va_start(args, format);
  out->used += (size_t)vsnprintf(out->text + out->used, TEXT_MAX - out->used, format, args);
  va_end(args);
}


static void putAttribute(output* out, const char* name, const char* value) {
  put(out, " %s=\"", name);
  for (const char* c = value; *c; c++) {
    put(out, *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '"' ? "&quot;" : "%c", *c);
  }
  put(out, "\"");
}


static void putNode(output* out, const sweepCase* c, const cfNode* node) {
  put(out, "<%s", node->tag);
  for (int i = 0; i < node->nattribute; i++) {
    bool is_edited = false;
    for (int k = 0; k < c->nedit; k++) {
      is_edited = is_edited || (c->edits[k].node == node &&
                                !strcmp(c->edits[k].row->name, node->attribute[i].name));
    }
    if (!is_edited) {
      putAttribute(out, node->attribute[i].name, node->attribute[i].value);
    }
  }
  for (int k = 0; k < c->nedit; k++) {
    if (c->edits[k].node == node && !c->edits[k].is_removed) {
      putAttribute(out, c->edits[k].row->name, c->edits[k].value);
    }
  }
  put(out, ">");
  for (const cfNode* child = node->first; child; child = child->next) {
    putNode(out, c, child);
  }
  put(out, "</%s>\n", node->tag);
}

//---------------------------------- cases ---------------------------------------------------------

typedef struct {
  int next, turn;
  int ncompared, nrefused, nknown, nfailed, ngiven_up;
  char doing[1000];
} sharedState;

static sharedState* shared;
static bool is_talking;

static bool isTwice(const sweepCase* c) {
  for (int i = 0; i < c->nedit; i++) {
    for (int k = 0; k < i; k++) {
      if (c->edits[i].node == c->edits[k].node && c->edits[i].row == c->edits[k].row) {
        return true;
      }
    }
  }
  return false;
}


static sweepCase chooseCase(uint64_t seed) {
  sweepCase c;
  dice = seed * 0x9E3779B97F4A7C15u + 1;
  roll(2);
  do {
    c = (sweepCase){.base = bases + roll(NPATH)};
    c.nedit = roll(3) ? 1 : 2 + (int)roll(EDITS - 1);
    for (int k = 0; k < c.nedit; k++) {
      chooseEdit(c.edits + k, c.base);
    }
  } while (isTwice(&c));
  return c;
}


static void describe(const sweepCase* c, char* text, size_t size) {
  size_t used = (size_t)snprintf(text, size, "%s", paths[c->base - bases]);
  for (int k = 0; k < c->nedit && used < size; k++) {
    const edit* e = c->edits + k;
    used += (size_t)snprintf(text + used, size - used, "; %s line %d %s%s%s%s", e->node->tag,
                             e->node->line, e->row->name, e->is_removed ? " removed" : "='",
                             e->value, e->is_removed ? "" : "'");
  }
}


// differences that stand in docs/switching.md
static bool isKnown(const sweepCase* c, bool ours, bool theirs, const char* message) {
  for (int k = 0; k < c->nedit; k++) {
    const edit* e = c->edits + k;
    if (cf_isKnownDifference(e->node->tag, e->row->name, e->is_removed ? NULL : e->value, ours,
                             theirs, message)) {
      return true;
    }
  }
  return false;
}


static void runCase(const sweepCase* c, output* out) {
  char error[2][1000] = {"", ""};
  mjModel* m[2];
  out->used = 0;
  putNode(out, c, c->base->places[0].node);
  if (chdir(c->base->folder)) {
    exit(1);
  }
  // MuJoCo 3.5.0 takes a mesh from its cache whatever else the element says
  CF_REF(mj_clearCache)(CF_REF(mj_getCache)());
  for (int k = 0; k < 2; k++) {
    shared->turn = k;
    mjSpec* (*parse)(const char*, const mjVFS*, char*, int) =
        k ? CF_REF(mj_parseXMLString) : mj_parseXMLString;
    mjSpec* spec = parse(out->text, NULL, error[k], sizeof(error[k]));
    m[k] = !spec ? NULL : k ? CF_REF(mj_compile)(spec, NULL) : mj_compile(spec, NULL);
    if (spec && !m[k]) {
      snprintf(error[k], sizeof(error[k]), "%s",
               k ? CF_REF(mjs_getError)(spec) : mjs_getError(spec));
    }
    k ? CF_REF(mj_deleteSpec)(spec) : mj_deleteSpec(spec);
  }
  bool is_equal = !m[0] == !m[1];
  if (m[0] && m[1]) {
    is_equal = !cf_differingModels(m[0], m[1], 1e-8);
    shared->ncompared++;
  } else if (is_equal) {
    shared->nrefused++;
  }
  if (!is_equal && isKnown(c, m[0], m[1], error[0][0] ? error[0] : error[1])) {
    shared->nknown++;
  } else if (!is_equal) {
    shared->nfailed++;
    printf("differs: %s\n  ours:   %s\n  theirs: %s\n", shared->doing, m[0] ? "accepted" : error[0],
           m[1] ? "accepted" : error[1]);
  }
  mj_deleteModel(m[0]);
  CF_REF(mj_deleteModel)(m[1]);
}


static void quiet(const char* message) {
  (void)message;
}


// end this process after so many seconds of its own work, however busy the machine is; 0 for never
static void limitTime(int seconds) {
  const struct itimerval limit = {{0, 0}, {seconds, 0}};
  setitimer(ITIMER_PROF, &limit, NULL);
}


// the cases from shared->next on, until all are done or one is not survived
static void runSome(int ncase, uint64_t first) {
  output out = {malloc(TEXT_MAX), 0};
  const struct rlimit memory = {(rlim_t)6 << 30, (rlim_t)6 << 30};
  setrlimit(RLIMIT_AS, &memory);
  while (shared->next < ncase) {
    const sweepCase c = chooseCase(first + (uint64_t)shared->next++);
    describe(&c, shared->doing, sizeof(shared->doing));
    if (is_talking) {
      printf("%s\n", shared->doing);
    }
    limitTime(10);
    runCase(&c, &out);
    limitTime(0);
    fflush(stdout);
  }
  _exit(0);
}


int main(int argc, char** argv) {
  const int ncase = argc > 1 ? atoi(argv[1]) : 3000;
  const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  is_talking = argc > 3;
  if (!cf_referenceOpen()) {
    return cf_skipCode();
  }
  for (int i = 0; i < NPATH; i++) {
    if (!openBase(bases + i, paths[i])) {
      return 1;
    }
  }
  mju_user_warning = quiet;
  *(void (**)(const char*))cf_referenceSymbol("mju_user_warning") = quiet;
  shared = (sharedState*)mmap(NULL, sizeof(sharedState), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  while (shared->next < ncase && shared->nfailed < 40) {
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      runSome(ncase, first);
    }
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
      shared->turn ? shared->ngiven_up++ : shared->nfailed++;
      if (!shared->turn) {
        printf("not survived here (signal %d): %s\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0,
               shared->doing);
      }
    }
  }
  // plugins need their libraries, which are not there in both
  int nmissed = 0;
  for (int t = 0; t < TAG_COUNT; t++) {
    if (!reached[t] && !cfi_hasWord("extension plugin instance config", cfi_tags[t].tag)) {
      nmissed++;
      printf("in no model: <%s>\n", cfi_tags[t].tag);
    }
  }
  printf(
      "%d cases: %d models compared, %d refused by both, %d known; the reference ended %d; %d failed\n",
      shared->next, shared->ncompared, shared->nrefused, shared->nknown, shared->ngiven_up,
      shared->nfailed);
  return shared->nfailed != 0 || nmissed != 0;
}
