// Any text: parse, save, parse what was saved, copy.  Nothing may crash, leak or hang.
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void quiet(const char* message) {
  (void)message;
}

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

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  char error[2000];
  mju_user_warning = quiet;
  char* text = (char*)malloc(size + 1);
  memcpy(text, data, size);
  text[size] = 0;
  mjSpec* spec = isHuge(text) ? NULL : mj_parseXMLString(text, NULL, error, sizeof(error));
  if (spec) {
    saveAndParse(spec);
    mj_deleteSpec(mj_copySpec(spec));
    mj_deleteSpec(spec);
  }
  free(text);
  return 0;
}
