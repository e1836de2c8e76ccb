// The private block behind the buffer of a model or a data: what we add to MuJoCo's structs.
//
// A part that wants to keep something with a model or a data takes one slot and fills it with a
// pointer and the class that knows how to copy and free it. Owners copy and free their slots.
#ifndef CF_MODEL_EXTENSION_H
#define CF_MODEL_EXTENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

#include "base/pace.h"

// how the content of a slot is copied, freed and, if it is of a model, kept in MJB files
typedef struct {
  const char* name;                    // in files too: at most 64 characters, never to be changed
  void* (*copy)(const void* content);  // NULL result: the copy starts with an empty slot
  void (*free)(void* content);

  // write the content into a buffer; NULL only counts.  Returns the bytes, 0: nothing to keep.
  // What was unpacked packs to the same bytes.  NULL for a class that is not kept in files.
  size_t (*pack)(const mjModel* m, const void* content, char* buffer);

  // add to the slot of a model that is complete but for its extensions what one entry at the front
  // of nbyte > 0 bytes of any origin says.  Returns the bytes that the entry takes, or 0 and a
  // reason: whatever is in the slot then is freed as usual.  `last` is -1 at first and else what
  // the entry before left there.
  size_t (*unpackEntry)(mjModel* m, int* last, const char* bytes, size_t nbyte, char* reason,
                        size_t nreason);
  int changes;  // of that form since its first version, which is 1 in files
} cfExtensionClass;

typedef struct {
  const cfExtensionClass* kind;  // NULL while the slot is empty
  void* content;
} cfExtensionSlot;

// slots are given out by this list
enum {
  CF_EXTENSION_BUILDER,    // exchangeable models chosen in the builder
  CF_EXTENSION_COLLISION,  // caches of the collision stage
  CF_EXTENSION_SOLVER,     // model: contact solver and its parameters
  CF_EXTENSION_BATCH,      // lanes and batches
  CF_EXTENSION_APART,      // data: what kept convex geoms apart
  CF_EXTENSION_FLEX,       // model: exchangeable models of flexes
  CF_EXTENSION_GAIN,       // model: exchangeable models of actuators
  CF_NEXTENSION
};

// classes that are kept in MJB files, by slot; NULL for the others.  The rooms that own them are
// below this one, so the table stands in src/api/extensions.c.
extern const cfExtensionClass* const cfi_extensionClasses[CF_NEXTENSION];

// the pool of a data during a step that shares nothing, and records of use before it
typedef struct {
  uintptr_t pool;  // 0: none is set aside
  size_t sharded;  // bytes of its stacks
  mjtSize maxuse_stack, maxuse_arena;
} cfPoolAside;

typedef struct {
  cfExtensionSlot slot[CF_NEXTENSION];
  cfPoolAside aside;  // data
  cfPace pace;        // data: whether its thread pool helps
  int bvh_end;        // data: entries of bvh_active from here on are zero
  const char*
      stiff_free;    // model: contact solver in use that knows no stiffness of flexes; NULL: none
  size_t drift_end;  // data: where the drift of the contact solver ends in the arena, 0: none
} cfExtension;

cfExtension* cfi_modelExtension(const mjModel* m);
cfExtension* cfi_dataExtension(const mjData* d);

// nodes up to this one may be marked in bvh_active
static inline void cfi_noteMarks(cfExtension* extension, int end) {
  if (extension->bvh_end < end) {
    extension->bvh_end = end;
  }
}

// fill the slot of a model from the entries of a section; false and a reason
bool cfi_unpackEntries(const cfExtensionClass* kind, mjModel* m, const char* bytes, size_t nbyte,
                       char* reason, size_t nreason);

// empty, copy into an empty one, free the contents
void cfi_clearExtension(cfExtension* extension);
void cfi_copyExtension(cfExtension* dest, const cfExtension* src);
void cfi_freeExtension(cfExtension* extension);

// bytes to allocate for a buffer of nbuffer bytes with the block behind it; 0 on overflow
size_t cfi_extendedBytes(mjtSize nbuffer);

#endif  // CF_MODEL_EXTENSION_H
