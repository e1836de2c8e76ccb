// Fuzz target: any text.  Parse, save, parse what was saved, copy; a share of the inputs is
// compiled, saved as a binary model, loaded again and stepped.  Nothing may crash, leak or hang.
// The input's bytes decide.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "text.h"
#include "roll.h"

enum { COMPILE_SHARE = 4 };


// replicate multiplies: keep it small
static int isHuge(const char* text) {
  long product = 1;
  for (const char* p = strstr(text, "count"); p; p = strstr(p + 1, "count")) {
    const char* digit = p + strcspn(p, "0123456789");
    long value = strtol(digit, NULL, 10);
    product *= value > 1 ? (value > 1000 ? 1000 : value) : 1;
    if (product > 200) {
      return 1;
    }
  }
  return 0;
}


// only what was compiled is saved
static void saveAndParse(const mjSpec* spec) {
  enum { ROOM = 1 << 22 };
  static char text[ROOM];
  char error[1000];
  if (mj_saveXMLString(spec, text, ROOM, error, sizeof(error)) != 0) {
    return;
  }
  mjSpec* again = mj_parseXMLString(text, NULL, error, sizeof(error));
  mj_deleteSpec(again);
}


//---------------------------------- entry ---------------------------------------------------------

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char error[2000];
  mju_user_warning = cf_noteWarning;
  const unsigned hash = cf_hashBytes(data, size);
  char* text = (char*)malloc(size + 1);
  memcpy(text, data, size);
  text[size] = 0;
  mjSpec* spec = isHuge(text) ? NULL : mj_parseXMLString(text, NULL, error, sizeof(error));
  if (spec) {
    if (hash % COMPILE_SHARE == 0) {
      cf_compileLimited(spec, hash >> 8);
    }
    saveAndParse(spec);
    mj_deleteSpec(mj_copySpec(spec));
    mj_deleteSpec(spec);
  }
  free(text);
  return 0;
}


// mostly mutations that know the grammar, sometimes plain ones
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  size_t changed = seed % 8 ? cf_mutateMjcf(data, size, max_size, seed) : 0;
  return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
