// Fuzz target: what we add to models.  The input is the text of a model, a zero byte and lines that
// are calls of the builder: a letter, words, numbers.  The text is parsed; a builder with the calls
// builds a simulation of it, which is stepped, saved as text and as a binary, and both are read
// again.  Nothing may crash, leak or hang.
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cortenforge/builder.h>
#include <cortenforge/contact.h>

#include "mjcf/text.h"
#include "roll.h"

enum { WORD_MAX = 40, NUMBERS_MAX = 20, LINES_MAX = 20, TEXT_BYTES = 1 << 16, STEPS = 2 };

static jmp_buf extension_error;


static void jumpOut(const char* message) {
  (void)message;
  longjmp(extension_error, 1);
}


// elements that make many others of themselves have targets of their own
static bool isForOthers(const char* text) {
  static const char* const words[] = {"replicate", "composite", "flexcomp", "attach",
                                      "texture",   "hfield",    "include",  "plugin"};
  for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
    if (strstr(text, words[k])) {
      return true;
    }
  }
  return false;
}


// the next word of a line; NULL for "-", as a program passes it for everything that is not named
static const char* nextWord(const char** line, char* word) {
  *line += strspn(*line, " ");
  const size_t length = strcspn(*line, " \n");
  snprintf(word, WORD_MAX, "%.*s", (int)(length < WORD_MAX ? length : WORD_MAX - 1), *line);
  *line += length;
  return strcmp(word, "-") ? word : NULL;
}


static int numbersOf(const char* line, mjtNum* number) {
  int count = 0;
  for (char* end; count < NUMBERS_MAX; line = end, count++) {
    number[count] = strtod(line, &end);
    if (end == line) {
      break;
    }
  }
  return count;
}


static void callBuilder(cfSimBuilder* builder, const char* line) {
  char first[WORD_MAX], second[WORD_MAX];
  mjtNum number[NUMBERS_MAX];
  const char kind = *line ? *line++ : 0;
  const char* object = nextWord(&line, first);
  switch (kind) {
    case 'b':
      cf_withBending(builder, object, nextWord(&line, second));
      break;
    case 'e':
      cf_withElasticity(builder, object, nextWord(&line, second));
      break;
    case 'g': {
      const char* model = nextWord(&line, second);
      cf_withGain(builder, object, model, number, numbersOf(line, number));
      break;
    }
    case 's':
      cf_withContactSolver(builder, object, number, numbersOf(line, number));
      break;
    case 'p':
      cf_withPreset(builder, object);
      break;
    case 'i':
      cf_withIntegrator(builder, atoi(first));
      break;
    case 't':
      cf_withTimestep(builder, strtod(first, NULL));
      break;
    default:
      break;
  }
}


// passes of xpbd that take no time
static void limitPasses(mjModel* m) {
  const mjtNum substeps = cf_contactParameter(m, "xpbd", "substeps", mjOBJ_MODEL, 0);
  const mjtNum iterations = cf_contactParameter(m, "xpbd", "iterations", mjOBJ_MODEL, 0);
  cf_setContactParameter(m, "xpbd", "substeps", mjOBJ_MODEL, 0, substeps > 4 ? 4 : substeps, NULL,
                         0);
  cf_setContactParameter(m, "xpbd", "iterations", mjOBJ_MODEL, 0, iterations > 4 ? 4 : iterations,
                         NULL, 0);
}


// some steps; the library may raise an error, such as a small arena being full
static void stepSim(cfSim* sim) {
  limitPasses(cf_simModel(sim));
  mju_user_error = jumpOut;
  if (setjmp(extension_error) == 0) {
    for (int k = 0; k < STEPS; k++) {
      cf_simStep(sim);
    }
  }
  mju_user_error = NULL;
}


static void saveModels(const mjSpec* spec, const mjModel* m) {
  static char text[TEXT_BYTES];
  char error[1000];
  if (mj_saveXMLString(spec, text, sizeof(text), error, sizeof(error)) == 0) {
    mj_deleteSpec(mj_parseXMLString(text, NULL, error, sizeof(error)));
  }
  const int bytes = (int)mj_sizeModel(m);
  void* buffer = malloc((size_t)bytes);
  mj_saveModel(m, NULL, buffer, bytes);
  mj_deleteModel(mj_loadModelBuffer(buffer, bytes));
  free(buffer);
}


static void buildAndRun(mjSpec* spec, const char* calls) {
  char error[2000];
  cfSimBuilder* builder = cf_simBuilder();
  cf_limitSpec(spec);
  cf_withSpec(builder, spec);
  for (int k = 0; k < LINES_MAX && calls; k++) {
    callBuilder(builder, calls);
    calls = strchr(calls, '\n');
    calls = calls ? calls + 1 : NULL;
  }
  cfSim* sim = cf_build(builder, error, sizeof(error));
  if (sim) {
    saveModels(spec, cf_simModel(sim));
    stepSim(sim);
    cf_freeSim(sim);
  }
  cf_freeSimBuilder(builder);
}


int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char error[2000];
  char* text = (char*)malloc(size + 2);
  memcpy(text, data, size);
  text[size] = text[size + 1] = 0;
  mju_user_warning = cf_noteWarning;
  mjSpec* spec = isForOthers(text) ? NULL : mj_parseXMLString(text, NULL, error, sizeof(error));
  if (spec) {
    buildAndRun(spec, strlen(text) < size ? text + strlen(text) + 1 : "");
  }
  mj_deleteSpec(spec);
  free(text);
  return 0;
}


// the text by its grammar, or everything byte by byte
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  enum { ROOM = 1 << 12 };
  static uint8_t calls[ROOM];
  const uint8_t* zero = memchr(data, 0, size);
  const size_t length = zero ? (size_t)(zero - data) : size, rest = size - length;
  if (seed % 4 == 0 || rest > ROOM || rest >= max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  memcpy(calls, data + length, rest);
  const size_t changed = cf_mutateMjcf(data, length, max_size - rest, seed);
  memmove(data + (changed ? changed : length), calls, rest);
  return (changed ? changed : length) + rest;
}
