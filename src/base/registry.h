// Append-only tables of extension objects (plugins, resource providers, decoders, catalogs).
//
// Objects are copied on registration, keep their address and slot for the life of the process, and
// are found by slot or by name, names without regard to case unless their class says otherwise. All
// functions are thread-safe.
//
// They stand one behind the other in blocks of CF_REGISTRY_BLOCK; a full table gets another block,
// so that it has no end and no object ever moves. Readers take no lock: an object and its block are
// complete before the count says so.
#ifndef CF_BASE_REGISTRY_H
#define CF_BASE_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/platform.h"

enum {
  CF_REGISTRY_BLOCK = 15,  // objects per block
  CF_KEY_MAX = 1024,       // bytes of a name, terminator included
};

// how a table treats its objects
typedef struct {
  const char* what;  // for messages, e.g. "plugin"
  size_t size;       // bytes of an object
  const char* (*key)(const void* object);
  bool (*equal)(const void* a, const void* b);
  bool (*copy)(void* dest, const void* src);  // deep copy of names; false when memory is short
  bool is_exact;                              // names with regard to case
} cfRegistryClass;

typedef struct cfRegistryBlock {
  struct cfRegistryBlock* next;
  max_align_t object[];  // CF_REGISTRY_BLOCK objects of the table's size
} cfRegistryBlock;

typedef struct {
  const cfRegistryClass* kind;
  cfRecursiveMutex mutex;
  atomic_int count;
  cfRegistryBlock *first, *last;
} cfRegistry;

#define CF_REGISTRY_INIT(kind) \
  { kind, CF_RECURSIVE_MUTEX_INIT, 0, NULL, NULL }

// slot of a copy of the object, or of the equal one that is there already; on failure mju_error (a
// different object of that name, name too long, no memory) and -1
int cfi_register(cfRegistry* registry, const void* object);

// the same without mju_error: on failure the reason goes to message
int cfi_tryRegister(cfRegistry* registry, const void* object, char* message, size_t nmessage);

// object in a slot, or NULL
const void* cfi_registered(cfRegistry* registry, int slot);

// object of that name, or NULL; its slot (or -1) goes to slot unless that is NULL
const void* cfi_findRegistered(cfRegistry* registry, const char* key, int* slot);

int cfi_registeredCount(cfRegistry* registry);

// equal without regard to case
bool cfi_sameName(const char* a, const char* b);

// copy of a string on the heap; NULL for NULL, for CF_KEY_MAX and more bytes, and without memory
char* cfi_copyName(const char* name);

#endif  // CF_BASE_REGISTRY_H
