// Helpers of asset tests: models with files in memory, hashes of arrays, little builders of files.
#ifndef CF_ASSET_SUPPORT_H
#define CF_ASSET_SUPPORT_H

#include <stdint.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"

// 64-bit FNV-1a over the bytes of an array
static inline uint64_t hashBytes(const void* data, size_t size) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ ((const unsigned char*)data)[i]) * 1099511628211u;
  }
  return hash;
}
#define HASH(array, count) hashBytes((array), (size_t)(count) * sizeof(*(array)))


// compile a model that refers to one file in memory; NULL, or the model
static inline mjModel* compileWithFile(const char* xml, const char* name, const void* data,
                                       int size, char* error, int nerror) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  if (name) {
    mj_addBufferVFS(&vfs, name, data, size);
  }
  mj_addBufferVFS(&vfs, "model.xml", xml, (int)strlen(xml));
  mjModel* m = mj_loadXML("model.xml", &vfs, error, nerror);
  mj_deleteVFS(&vfs);
  return m;
}


// model that must compile
static inline mjModel* compileText(const char* xml) {
  char error[1000] = "";
  mjModel* m = compileWithFile(xml, NULL, NULL, 0, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  return m;
}


// bytes of a file in the making
typedef struct {
  unsigned char data[4096];
  int size;
} testFile;

static inline void putBytes(testFile* f, const void* data, size_t size) {
  memcpy(f->data + f->size, data, size);
  f->size += (int)size;
}
static inline void putInt(testFile* f, int value) {
  putBytes(f, &value, sizeof(value));
}
static inline void putFloat(testFile* f, double value) {
  float single = (float)value;
  putBytes(f, &single, sizeof(single));
}

#endif  // CF_ASSET_SUPPORT_H
