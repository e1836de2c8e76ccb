// Device code: no heap.
#pragma once
#include <stddef.h>
__attribute__((noreturn)) void cfi_deviceStop(const char* message);
static inline int abs(int x) {
  return x < 0 ? -x : x;
}
#define abort() cfi_deviceStop("abort")
#define RAND_MAX 2147483647
int rand(void);
