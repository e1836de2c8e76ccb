// Placement of a struct's arrays in one buffer, driven by the field tables.
#include "model/layout.h"

#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/sanitize.h"

enum { ARRAY_ALIGNMENT = 64 };


// distance to the next aligned offset
static mjtSize gapAfter(mjtSize offset) {
  return -offset & (ARRAY_ALIGNMENT - 1);
}


bool cfi_arrayBytes(const cfFieldInfo* field, const mjModel* m, const mjData* d, mjtSize* bytes) {
  CF_ASSERT(d || !cfi_fieldInArena(field));
  mjtSize shape[2], count;
  field->shape(m, d, shape);
  if (shape[0] < 0 || shape[1] < 0) {
    return false;
  }
  return !__builtin_mul_overflow(shape[0], shape[1], &count) &&
         !__builtin_mul_overflow(count, (mjtSize)field->size, bytes);
}


bool cfi_bufferBytes(const cfFieldTable* table, const mjModel* m, mjtSize* bytes,
                     const char** name) {
  mjtSize end = 0;
  for (int k = 0; k < table->count; k++) {
    const cfFieldInfo* field = table->field + k;
    if (cfi_fieldInArena(field)) {
      continue;
    }
    mjtSize size;
    if (!cfi_arrayBytes(field, m, NULL, &size) ||
        __builtin_add_overflow(end + gapAfter(end), size, &end) ||
        end > PTRDIFF_MAX - ARRAY_ALIGNMENT) {
      *name = field->name;
      return false;
    }
  }
  *bytes = end;
  return true;
}


void* cfi_arrayOf(const cfFieldInfo* field, const void* owner) {
  CF_ASSERT(field && owner);
  void* array;
  memcpy(&array, (const char*)owner + field->offset, sizeof(array));
  return array;
}


void cfi_setArray(const cfFieldInfo* field, void* owner, void* array) {
  memcpy((char*)owner + field->offset, &array, sizeof(array));
}


void cfi_placeArrays(const cfFieldTable* table, const mjModel* m, void* owner, void* buffer) {
  char* base = buffer;
  CF_ASSERT((uintptr_t)base % ARRAY_ALIGNMENT == 0);
  mjtSize end = 0;
  for (int k = 0; k < table->count; k++) {
    const cfFieldInfo* field = table->field + k;
    if (cfi_fieldInArena(field)) {
      cfi_setArray(field, owner, NULL);
      continue;
    }
    mjtSize gap = gapAfter(end), size = 0;
    CF_ASSERT(gap >= 0 && gap < ARRAY_ALIGNMENT);
    cfi_arrayBytes(field, m, NULL, &size);
    CF_POISON(base + end, (size_t)gap);
    cfi_setArray(field, owner, base + end + gap);
    end += gap + size;
  }
}
