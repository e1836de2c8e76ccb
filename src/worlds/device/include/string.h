// Device code: copies by words; small ones of known length stay with the compiler.
#pragma once
#include <stddef.h>
void cfi_deviceCopy(void* to, const void* from, size_t n);
void cfi_deviceMove(void* to, const void* from, size_t n);
void cfi_deviceFill(void* to, int value, size_t n);
int cfi_deviceCompare(const void* a, const void* b, size_t n);
#define CF_DEVICE_SMALL(n) (__builtin_constant_p(n) && (n) <= 128)
#define memcpy(to, from, n)                                       \
  (CF_DEVICE_SMALL(n) ? (void)__builtin_memcpy((to), (from), (n)) \
                      : cfi_deviceCopy((to), (from), (n)))
#define memset(to, c, n) \
  (CF_DEVICE_SMALL(n) ? (void)__builtin_memset((to), (c), (n)) : cfi_deviceFill((to), (c), (n)))
#define memmove(to, from, n) cfi_deviceMove((to), (from), (n))
#define memcmp(a, b, n) cfi_deviceCompare((a), (b), (n))
size_t strlen(const char*);
int strcmp(const char*, const char*);
int strncmp(const char*, const char*, size_t);
char* strncpy(char*, const char*, size_t);
char* strchr(const char*, int);
size_t strnlen(const char*, size_t);
