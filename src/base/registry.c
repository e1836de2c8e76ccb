// Append-only tables of extension objects (plugins, resource providers, decoders).
#include "base/registry.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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


const void* cfi_registered(cfRegistry* registry, int slot) {
  return slot >= 0 && slot < cfi_registeredCount(registry) ? registry->slot[slot] : NULL;
}


const void* cfi_findRegistered(cfRegistry* registry, const char* key, int* slot) {
  CF_ASSERT(registry != NULL);
  const int count = key && *key ? cfi_registeredCount(registry) : 0;
  for (int k = 0; k < count; k++) {
    if (cfi_sameName(registry->kind->key(registry->slot[k]), key)) {
      if (slot) {
        *slot = k;
      }
      return registry->slot[k];
    }
  }
  if (slot) {
    *slot = -1;
  }
  return NULL;
}


// add under the lock; on failure -1 and a message
static int appendObject(cfRegistry* registry, const void* object, char message[FAULT_MAX]) {
  const cfRegistryClass* kind = registry->kind;
  const char* key = kind->key(object);
  if (strnlen(key, CF_KEY_MAX) == CF_KEY_MAX) {
    snprintf(message, FAULT_MAX, "name of %s has more than %d characters", kind->what,
             CF_KEY_MAX - 1);
    return -1;
  }

  int slot;
  const void* present = cfi_findRegistered(registry, key, &slot);
  if (present) {
    if (kind->equal(present, object)) {
      return slot;
    }
    snprintf(message, FAULT_MAX, "%s '%.100s' is already registered", kind->what, key);
    return -1;
  }

  const int count = cfi_registeredCount(registry);
  if (count == CF_REGISTRY_MAX) {
    snprintf(message, FAULT_MAX, "%s '%.100s': no more than %d can be registered", kind->what, key,
             CF_REGISTRY_MAX);
    return -1;
  }
  void* copy = cfi_tryMalloc(kind->size);
  if (!copy || !kind->copy(copy, object)) {
    mju_free(copy);
    snprintf(message, FAULT_MAX,
             "%s '%.100s': could not be copied (out of memory, or a name of "
             "more than %d characters)",
             kind->what, key, CF_KEY_MAX - 1);
    return -1;
  }
  CF_ASSERT(count < CF_REGISTRY_MAX && !registry->slot[count]);
  registry->slot[count] = copy;
  atomic_store_explicit(&registry->count, count + 1, memory_order_release);
  return count;
}


int cfi_register(cfRegistry* registry, const void* object) {
  CF_ASSERT(registry && object);
  char message[FAULT_MAX];
  pthread_mutex_lock(&registry->mutex);
  const int slot = appendObject(registry, object, message);
  pthread_mutex_unlock(&registry->mutex);

  // raised after unlocking: an error handler may not return
  if (slot < 0) {
    mju_error("%s", message);
  }
  return slot;
}
