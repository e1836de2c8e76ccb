// Small pieces that device code is made of: copies by words, string functions, noise.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cf_test.h"
#include "device/noise.h"

// under names of their own, beside those of the C library
void cfi_deviceCopy(void* to, const void* from, size_t n);
void cfi_deviceMove(void* to, const void* from, size_t n);
void cfi_deviceFill(void* to, int value, size_t n);
int cfi_deviceCompare(const void* a, const void* b, size_t n);
size_t deviceLength(const char* s);
int deviceOrder(const char* a, const char* b);
int deviceOrderUpTo(const char* a, const char* b, size_t n);
#define strlen deviceLength
#define strcmp deviceOrder
#define strncmp deviceOrderUpTo
#include "device/bytes.c"
#undef strlen
#undef strcmp
#undef strncmp

enum { ROOM = 64 };


static void expectBytes(const unsigned char* found, const unsigned char* expected, const char* what,
                        int to, int from, int n) {
  if (memcmp(found, expected, ROOM)) {
    CF_FAIL("%s of %d bytes from %d to %d\n", what, n, from, to);
  }
}


CF_TEST(bytes__every_alignment_and_length__as_the_C_library) {
  _Alignas(16) unsigned char start[ROOM], found[ROOM], expected[ROOM];
  for (int k = 0; k < ROOM; k++) {
    start[k] = (unsigned char)(7 * k + 1);
  }
  for (int to = 0; to < 16; to++) {
    for (int n = 0; n < 33; n++) {
      memcpy(found, start, ROOM);
      memcpy(expected, start, ROOM);
      cfi_deviceFill(found + to, 0xa5, (size_t)n);
      memset(expected + to, 0xa5, (size_t)n);
      expectBytes(found, expected, "fill", to, 0, n);
      for (int from = 0; from < 16; from++) {
        memcpy(found, start, ROOM);
        memcpy(expected, start, ROOM);
        cfi_deviceMove(found + to, found + from, (size_t)n);
        memmove(expected + to, expected + from, (size_t)n);
        expectBytes(found, expected, "move", to, from, n);
        cfi_deviceCopy(found + to, start + from, (size_t)n);
        memcpy(expected + to, start + from, (size_t)n);
        expectBytes(found, expected, "copy", to, from, n);
        const int order = memcmp(found + from, start + to, (size_t)n);
        const int ours = cfi_deviceCompare(found + from, start + to, (size_t)n);
        CF_TRUE((order > 0) == (ours > 0) && (order < 0) == (ours < 0));
      }
    }
  }
}


CF_TEST(strings__compared_and_measured__as_the_C_library) {
  static const char* const words[] = {"", "a", "ab", "abc", "abd", "b", "\xc3\xa4"};
  enum { COUNT = sizeof(words) / sizeof(words[0]) };
  for (int i = 0; i < COUNT; i++) {
    CF_TRUE(deviceLength(words[i]) == strlen(words[i]));
    for (int k = 0; k < COUNT; k++) {
      const int whole = strcmp(words[i], words[k]), ours = deviceOrder(words[i], words[k]);
      CF_TRUE((whole > 0) == (ours > 0) && (whole < 0) == (ours < 0));
      for (size_t n = 0; n < 4; n++) {
        const int part = strncmp(words[i], words[k], n),
                  found = deviceOrderUpTo(words[i], words[k], n);
        CF_TRUE((part > 0) == (found > 0) && (part < 0) == (found < 0));
      }
    }
  }
}


// without strength, noise only lets controls fall back to the middle of their range
CF_TEST(noise__of_no_strength__controls_fall_back_to_the_middle_of_their_own_range) {
  static const char xml[] =
      "<mujoco><option timestep='.1'/><worldbody><body><joint name='j'/><geom size='.1'/></body>"
      "</worldbody><actuator><motor joint='j'/><motor joint='j' ctrlrange='1 3'/><motor joint='j'/>"
      "<motor joint='j' ctrlrange='-6 2'/></actuator></mujoco>";
  char error[500] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  CF_TRUE(m != NULL);
  mjData* d = mj_makeData(m);
  const cfNoise noise = {.rate = 0.1, .seed = 3};
  mju_fill(d->ctrl, 5, m->nu);
  cfi_addNoise(&noise, m, d, 2, 7);
  const mjtNum keep = exp(-1);
  CF_NEAR_ARRAY(d->ctrl, ((mjtNum[]){5 * keep, 2 + 3 * keep, 5 * keep, -2 + 7 * keep}), 4, 1e-12);
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


CF_TEST_MAIN("device_pieces")
