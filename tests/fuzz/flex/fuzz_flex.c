// Fuzz target: soft bodies.  The input is the text of a model, a zero byte and a GMSH file, which
// the text may name as a.msh; both are virtual files.  Parse; a share of the inputs is compiled,
// saved as a binary model, loaded again and stepped.  Nothing may crash, leak or hang.  The input's
// bytes decide.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "gmsh.h"
#include "mjcf/text.h"
#include "roll.h"

enum { COMPILE_SHARE = 4, CACHE_BYTES = 1 << 20, POINTS_MAX = 200, BODIES_MAX = 100 };


// points that flexcomp and replicate may make together: three numbers each multiply
static bool isHuge(const char* text) {
  double product = 1;
  for (const char* p = strstr(text, "count"); p; p = strstr(p + 1, "count")) {
    const char* at = p + strcspn(p, "\"'>");
    for (int k = 0; k < 3 && *at && *at != '>'; k++) {
      char* end;
      at += strcspn(at + 1, "0123456789>") + 1;
      const double value = strtod(at, &end);
      product *= value > 1 ? value : 1;
      at = end > at ? end : at;
    }
  }
  return product > POINTS_MAX;
}


// more bodies than are simulated in a moment; a flexcomp without a count has a thousand
static bool hasManyBodies(mjSpec* spec) {
  int count = 0;
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_BODY); e; e = mjs_nextElement(spec, e)) {
    count++;
  }
  return count > BODIES_MAX;
}


// where the text ends: at the first zero byte, or with the input
static size_t textLength(const uint8_t* data, size_t size) {
  const uint8_t* zero = memchr(data, 0, size);
  return zero ? (size_t)(zero - data) : size;
}


int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char error[2000];
  const size_t length = textLength(data, size);
  const unsigned hash = cf_hashBytes(data, size);
  char* text = (char*)malloc(length + 1);
  memcpy(text, data, length);
  text[length] = 0;
  if (!isHuge(text)) {
    mjVFS vfs;
    mju_user_warning = cf_noteWarning;
    mj_setCacheCapacity(mj_getCache(), CACHE_BYTES);
    mj_defaultVFS(&vfs);
    mj_addBufferVFS(&vfs, "model.xml", text, (int)length);
    if (length < size) {
      mj_addBufferVFS(&vfs, "a.msh", data + length + 1, (int)(size - length - 1));
    }
    mjSpec* spec = mj_parseXML("model.xml", &vfs, error, sizeof(error));
    if (spec && hash % COMPILE_SHARE == 0 && !hasManyBodies(spec)) {
      cf_compileLimited(spec, hash >> 8);
    }
    mj_deleteSpec(spec);
    mj_deleteVFS(&vfs);
  }
  free(text);
  return 0;
}


// the text and what follows it, in turn, by mutators that know their formats; sometimes plain
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  enum { ROOM = 1 << 14 };
  static uint8_t file[ROOM];
  const size_t length = textLength(data, size), rest = size - length;
  if (seed % 8 == 0 || rest > ROOM || rest >= max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  if (seed % 8 < 4 && rest > 1) {
    const size_t room = max_size - length - 1;
    return length + 1 + cf_mutateGmsh(data + length + 1, rest - 1, room, seed);
  }
  memcpy(file, data + length, rest);
  const size_t changed = cf_mutateMjcf(data, length, max_size - rest, seed);
  memmove(data + (changed ? changed : length), file, rest);
  return (changed ? changed : length) + rest;
}
