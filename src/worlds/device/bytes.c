// Copies on a device, by words where everything is aligned to them, and the few string functions.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uintptr_t alignmentOf(const void* a, const void* b, size_t n) {
  return (uintptr_t)a | (uintptr_t)b | n;
}


__attribute__((noinline)) void cfi_deviceCopy(void* to, const void* from, size_t n) {
  const uintptr_t alignment = alignmentOf(to, from, n);
  if ((alignment & 7) == 0) {
    for (size_t k = 0; k < n / 8; k++) {
      ((uint64_t*)to)[k] = ((const uint64_t*)from)[k];
    }
  } else if ((alignment & 3) == 0) {
    for (size_t k = 0; k < n / 4; k++) {
      ((uint32_t*)to)[k] = ((const uint32_t*)from)[k];
    }
  } else {
    for (size_t k = 0; k < n; k++) {
      ((char*)to)[k] = ((const char*)from)[k];
    }
  }
}


__attribute__((noinline)) void cfi_deviceMove(void* to, const void* from, size_t n) {
  if ((uintptr_t)to <= (uintptr_t)from) {
    cfi_deviceCopy(to, from, n);
    return;
  }
  if ((alignmentOf(to, from, n) & 7) == 0) {
    for (size_t k = n / 8; k-- > 0;) {
      ((uint64_t*)to)[k] = ((const uint64_t*)from)[k];
    }
  } else {
    for (size_t k = n; k-- > 0;) {
      ((char*)to)[k] = ((const char*)from)[k];
    }
  }
}


__attribute__((noinline)) void cfi_deviceFill(void* to, int value, size_t n) {
  const uintptr_t alignment = (uintptr_t)to | n;
  const uint64_t word = 0x0101010101010101u * (unsigned char)value;
  if ((alignment & 7) == 0) {
    for (size_t k = 0; k < n / 8; k++) {
      ((uint64_t*)to)[k] = word;
    }
  } else if ((alignment & 3) == 0) {
    for (size_t k = 0; k < n / 4; k++) {
      ((uint32_t*)to)[k] = (uint32_t)word;
    }
  } else {
    for (size_t k = 0; k < n; k++) {
      ((char*)to)[k] = (char)value;
    }
  }
}


int cfi_deviceCompare(const void* a, const void* b, size_t n) {
  const unsigned char *x = a, *y = b;
  for (size_t k = 0; k < n; k++) {
    if (x[k] != y[k]) {
      return x[k] < y[k] ? -1 : 1;
    }
  }
  return 0;
}


size_t strlen(const char* s) {
  size_t n = 0;
  while (s[n]) {
    n++;
  }
  return n;
}


int strcmp(const char* a, const char* b) {
  while (*a && *a == *b) {
    a++, b++;
  }
  return (unsigned char)*a - (unsigned char)*b;
}


int strncmp(const char* a, const char* b, size_t n) {
  while (n && *a && *a == *b) {
    a++, b++, n--;
  }
  return n ? (unsigned char)*a - (unsigned char)*b : 0;
}
