// The small binary models of tests/data/mjb, recorded with the reference.
#ifndef CF_MODELS_H
#define CF_MODELS_H

#include <stdio.h>
#include <stdlib.h>

#include <mujoco/mujoco.h>

static const char* const cf_model_names[] = {"empty", "rig",   "shapes",
                                             "cloth", "strip", "sleepers"};
enum { CF_NMODEL = 6 };

static inline const char* cf_modelPath(const char* name) {
  static char path[1000];
  snprintf(path, sizeof(path), "%s/tests/data/mjb/%s.mjb", CF_SOURCE_DIR, name);
  return path;
}

static inline mjModel* cf_loadTestModel(const char* name) {
  mjModel* m = mj_loadModel(cf_modelPath(name), NULL);
  if (!m) {
    printf("cannot load %s\n", cf_modelPath(name));
    exit(1);
  }
  return m;
}

// whole file; the caller frees
static inline char* cf_readTestFile(const char* name, size_t* nbyte) {
  FILE* file = fopen(cf_modelPath(name), "rb");
  if (!file) {
    printf("cannot read %s\n", cf_modelPath(name));
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  *nbyte = (size_t)ftell(file);
  rewind(file);
  char* bytes = malloc(*nbyte);
  if (fread(bytes, 1, *nbyte, file) != *nbyte) {
    exit(1);
  }
  fclose(file);
  return bytes;
}

#endif  // CF_MODELS_H
