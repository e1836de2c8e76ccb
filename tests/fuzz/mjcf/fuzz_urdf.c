// The inside of a robot element.  Nothing may crash, leak or hang.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void quiet(const char* message) {
  (void)message;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const char head[] = "<robot name='r'>", tail[] = "</robot>";
  char error[2000];
  mju_user_warning = quiet;
  char* text = (char*)malloc(size + sizeof(head) + sizeof(tail));
  memcpy(text, head, sizeof(head) - 1);
  memcpy(text + sizeof(head) - 1, data, size);
  memcpy(text + sizeof(head) - 1 + size, tail, sizeof(tail));
  mj_deleteSpec(mj_parseXMLString(text, NULL, error, sizeof(error)));
  free(text);
  return 0;
}
