// The private block behind the buffer of a model or a data: what we add to MuJoCo's structs.
//
// A part that wants to keep something with a model or a data takes one slot and fills it with a
// pointer and the class that knows how to copy and free it. Owners copy and free their slots.
#ifndef CF_MODEL_EXTENSION_H
#define CF_MODEL_EXTENSION_H

#include <stddef.h>

#include <mujoco/mujoco.h>

// how the content of a slot is copied and freed
typedef struct {
  const char* name;
  void* (*copy)(const void* content);  // NULL result: the copy starts with an empty slot
  void (*free)(void* content);
} cfExtensionClass;

typedef struct {
  const cfExtensionClass* kind;  // NULL while the slot is empty
  void* content;
} cfExtensionSlot;

// slots are given out by this list
enum {
  CF_EXTENSION_BUILDER,    // exchangeable models chosen in the builder
  CF_EXTENSION_COLLISION,  // caches of the collision stage
  CF_EXTENSION_SOLVER,     // caches of the solver
  CF_EXTENSION_BATCH,      // lanes and batches
  CF_EXTENSION_APART,      // data: what kept convex geoms apart
  CF_EXTENSION_FLEX,       // model: exchangeable models of flexes
  CF_NEXTENSION = 8
};

typedef struct {
  cfExtensionSlot slot[CF_NEXTENSION];
  int bvh_end;  // data: entries of bvh_active from here on are zero
} cfExtension;

cfExtension* cfi_modelExtension(const mjModel* m);
cfExtension* cfi_dataExtension(const mjData* d);

// nodes up to this one may be marked in bvh_active
static inline void cfi_noteMarks(cfExtension* extension, int end) {
  extension->bvh_end = extension->bvh_end < end ? end : extension->bvh_end;
}

// empty, copy into an empty one, free the contents
void cfi_clearExtension(cfExtension* extension);
void cfi_copyExtension(cfExtension* dest, const cfExtension* src);
void cfi_freeExtension(cfExtension* extension);

// bytes to allocate for a buffer of nbuffer bytes with the block behind it; 0 on overflow
size_t cfi_extendedBytes(mjtSize nbuffer);

#endif  // CF_MODEL_EXTENSION_H
