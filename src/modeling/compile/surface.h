// A triangle surface as files and specifications give it.
#ifndef CF_COMPILE_SURFACE_H
#define CF_COMPILE_SURFACE_H

#include <stdint.h>
#include <string.h>

#include "compile/assetfile.h"

// arrays of numbers; count counts the numbers
typedef struct {
  float* item;
  size_t count;
} cfFloats;
typedef struct {
  int* item;
  size_t count;
} cfInts;

// an empty array is one that was not given
typedef struct {
  cfFloats vert, normal, texcoord;        // 3, 3, 2 numbers each
  cfInts face, facenormal, facetexcoord;  // 3 per triangle
} cfSurface;

// array of `count` zeros
cfFloats cfi_newFloats(cfPool* pool, size_t count);
cfInts cfi_newInts(cfPool* pool, size_t count);

// for tables of points; both zeros are the same
static inline uint64_t cfi_hashPoint(double x, double y, double z) {
  const double value[3] = {x + 0.0, y + 0.0, z + 0.0};
  uint64_t hash = 0;
  for (int k = 0; k < 3; k++) {
    uint64_t bits;
    memcpy(&bits, value + k, sizeof(bits));
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 31;
  }
  return hash;
}

// readers of file formats; mirrored: scaling turns the surface inside out, so triangles are
// reversed. false with a message in the reader where the file is no good
bool cfi_readObj(cfFileReader* reader, bool is_mirrored, cfSurface* surface);
bool cfi_readStl(cfFileReader* reader, bool is_mirrored, cfSurface* surface);
bool cfi_readMsh(cfFileReader* reader, bool is_mirrored, cfSurface* surface);

// let triangles share vertices that stand at the same place
void cfi_mergeVertices(cfPool* pool, cfSurface* surface);

#endif  // CF_COMPILE_SURFACE_H
