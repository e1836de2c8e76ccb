// Append-only tables of extension objects (plugins, resource providers, decoders, catalogs).
#include "base/registry.h"

#include <stdio.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/memory.h"

enum { FAULT_MAX = 256 };


bool cfi_sameName(const char* a, const char* b) {
  return a && b ? !strcasecmp(a, b) : a == b;
}


char* cfi_copyName(const char* name) {
  CF_ASSERT(name != NULL);
  const size_t length = name ? strnlen(name, CF_KEY_MAX) : CF_KEY_MAX;
  char* copy = length < CF_KEY_MAX ? cfi_tryMalloc(length + 1) : NULL;
  if (copy) {
    memcpy(copy, name, length);
    copy[length] = 0;
  }
  return copy;
}


int cfi_registeredCount(cfRegistry* registry) {
  return atomic_load_explicit(&registry->count, memory_order_acquire);
}


// place of an object inside its block
static void* objectIn(const cfRegistry* registry, cfRegistryBlock* block, int index) {
  CF_ASSERT(block && index >= 0 && index < CF_REGISTRY_BLOCK);
  return (char*)block->object + (size_t)index * registry->kind->size;
}


const void* cfi_registered(cfRegistry* registry, int slot) {
  if (slot < 0 || slot >= cfi_registeredCount(registry)) {
    return NULL;
  }
  cfRegistryBlock* block = registry->first;
  for (; slot >= CF_REGISTRY_BLOCK; slot -= CF_REGISTRY_BLOCK) {
    block = block->next;
  }
  return objectIn(registry, block, slot);
}


static bool isKey(const cfRegistryClass* kind, const char* a, const char* b) {
  return kind->is_exact ? !strcmp(a, b) : cfi_sameName(a, b);
}


const void* cfi_findRegistered(cfRegistry* registry, const char* key, int* slot) {
  CF_ASSERT(registry != NULL);
  const int count = key && *key ? cfi_registeredCount(registry) : 0;
  for (int k = 0; k < count; k++) {
    const void* object = cfi_registered(registry, k);
    if (isKey(registry->kind, registry->kind->key(object), key)) {
      if (slot) {
        *slot = k;
      }
      return object;
    }
  }
  if (slot) {
    *slot = -1;
  }
  return NULL;
}


// room behind the last object, in a new block where the last one is full; NULL without memory
static void* nextObject(cfRegistry* registry, int count) {
  const int index = count % CF_REGISTRY_BLOCK;
  const bool is_full = count && !index && !registry->last->next;
  if (!registry->first || is_full) {
    const size_t bytes = sizeof(cfRegistryBlock) + (size_t)CF_REGISTRY_BLOCK * registry->kind->size;
    cfRegistryBlock* block = cfi_tryMalloc(bytes);
    if (!block) {
      return NULL;
    }
    memset(block, 0, bytes);
    *(is_full ? &registry->last->next : &registry->first) = block;
  }
  if (!index) {
    registry->last = count ? registry->last->next : registry->first;
  }
  return objectIn(registry, registry->last, index);
}


// add under the lock; on failure -1 and a message
static int appendObject(cfRegistry* registry, const void* object, char* message, size_t nmessage) {
  const cfRegistryClass* kind = registry->kind;
  const char* key = kind->key(object);
  if (strnlen(key, CF_KEY_MAX) == CF_KEY_MAX) {
    snprintf(message, nmessage, "name of %s has more than %d characters", kind->what,
             CF_KEY_MAX - 1);
    return -1;
  }

  int slot;
  const void* present = cfi_findRegistered(registry, key, &slot);
  if (present) {
    if (kind->equal(present, object)) {
      return slot;
    }
    snprintf(message, nmessage, "%s '%.100s' is already registered", kind->what, key);
    return -1;
  }

  const int count = cfi_registeredCount(registry);
  void* copy = nextObject(registry, count);
  if (!copy || !kind->copy(copy, object)) {
    snprintf(message, nmessage,
             "%s '%.100s': could not be copied (out of memory, or a name of "
             "more than %d characters)",
             kind->what, key, CF_KEY_MAX - 1);
    return -1;
  }
  atomic_store_explicit(&registry->count, count + 1, memory_order_release);
  return count;
}


int cfi_tryRegister(cfRegistry* registry, const void* object, char* message, size_t nmessage) {
  CF_ASSERT(registry && object && message && nmessage > 0);
  cfi_lockAgain(&registry->mutex);
  const int slot = appendObject(registry, object, message, nmessage);
  cfi_unlockAgain(&registry->mutex);
  return slot;
}


int cfi_register(cfRegistry* registry, const void* object) {
  char message[FAULT_MAX];
  const int slot = cfi_tryRegister(registry, object, message, sizeof(message));

  // raised after unlocking: an error handler may not return
  if (slot < 0) {
    mju_error("%s", message);
  }
  return slot;
}
