// Address-sanitizer hooks: no-ops in ordinary builds.
#ifndef CF_BASE_SANITIZE_H
#define CF_BASE_SANITIZE_H

#if defined(__SANITIZE_ADDRESS__)
#define CF_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CF_ASAN 1
#endif
#endif
#ifndef CF_ASAN
#define CF_ASAN 0
#endif

#include <stddef.h>
#include <string.h>

#if CF_ASAN
#include <sanitizer/asan_interface.h>
// bytes kept unreadable on both sides of a scratch block
#define CF_RED_ZONE 32
#define CF_POISON(address, bytes) \
  __asan_poison_memory_region((const volatile void*)(address), (bytes))
#define CF_UNPOISON(address, bytes) \
  __asan_unpoison_memory_region((const volatile void*)(address), (bytes))
#else
#define CF_RED_ZONE 0
#define CF_POISON(address, bytes) ((void)(address), (void)(bytes))
#define CF_UNPOISON(address, bytes) ((void)(address), (void)(bytes))
#endif

// Copy a block that may have red zones inside: memcpy, which the sanitizer would report for them.
#if CF_ASAN
__attribute__((no_sanitize("address"), noinline, unused)) static void cfi_copyWithZones(
    void* dest, const void* src, size_t bytes) {
  // volatile, so that the loop does not become a call of memcpy
  volatile unsigned char* to = dest;
  const volatile unsigned char* from = src;
  for (size_t i = 0; i < bytes; i++) {
    to[i] = from[i];
  }
}
#else
static inline void cfi_copyWithZones(void* dest, const void* src, size_t bytes) {
  memcpy(dest, src, bytes);
}
#endif

#endif  // CF_BASE_SANITIZE_H
