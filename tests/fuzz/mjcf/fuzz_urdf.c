// Fuzz target: the inside of a robot element.  Parse; a share of the inputs is compiled, saved as a
// binary model, loaded again and stepped.  Nothing may crash, leak or hang.  The input's bytes
// decide.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "roll.h"
#include "text.h"

enum { COMPILE_SHARE = 4 };


int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const char head[] = "<robot name='r'>", tail[] = "</robot>";
  char error[2000];
  mju_user_warning = cf_noteWarning;
  const unsigned hash = cf_hashBytes(data, size);
  char* text = (char*)malloc(size + sizeof(head) + sizeof(tail));
  memcpy(text, head, sizeof(head) - 1);
  memcpy(text + sizeof(head) - 1, data, size);
  memcpy(text + sizeof(head) - 1 + size, tail, sizeof(tail));
  mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof(error));
  if (spec && hash % COMPILE_SHARE == 0) {
    cf_compileLimited(spec, hash >> 8);
  }
  mj_deleteSpec(spec);
  free(text);
  return 0;
}


// mostly mutations that know the format, sometimes plain ones
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  size_t changed = seed % 8 ? cf_mutateUrdf(data, size, max_size, seed) : 0;
  return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
