// Placement of a struct's arrays in one buffer, driven by the field tables.
//
// Every array starts at a multiple of 64 bytes; the buffer ends with the last array. This is the
// layout MuJoCo's nbuffer counts, so sizes agree. Behind the buffer sits the private extension.
#ifndef CF_MODEL_LAYOUT_H
#define CF_MODEL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

#include "tables/fields.h"

// bytes of one array; false when a dimension is negative or the product does not fit in 63 bits
bool cfi_arrayBytes(const cfFieldInfo* field, const mjModel* m, const mjData* d, mjtSize* bytes);

// bytes of all buffer arrays with their alignment gaps; on overflow false, and the array's name
bool cfi_bufferBytes(const cfFieldTable* table, const mjModel* m, mjtSize* bytes,
                     const char** name);

// point the owner's arrays into its buffer; under the address sanitizer gaps become unreadable
void cfi_placeArrays(const cfFieldTable* table, const mjModel* m, void* owner, void* buffer);

// the array that a field of owner points to
void* cfi_arrayOf(const cfFieldInfo* field, const void* owner);
void cfi_setArray(const cfFieldInfo* field, void* owner, void* array);

#endif  // CF_MODEL_LAYOUT_H
