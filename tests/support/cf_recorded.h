// Values recorded with MuJoCo 3.5.0: .ref files of tests/data, see record.py there.
#ifndef CF_RECORDED_H
#define CF_RECORDED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cf_test.h"

enum { CF_RECORDED_MAX = 4000 };

typedef struct {
  FILE* file;
  char name[100];
  int count;
  double value[CF_RECORDED_MAX];
} cfRecorded;


static inline cfRecorded* cf_openRecorded(const char* folder, const char* name) {
  char path[500];
  snprintf(path, sizeof(path), "%s/tests/data/%s/%s.ref", CF_SOURCE_DIR, folder, name);
  cfRecorded* r = calloc(1, sizeof(cfRecorded));
  r->file = fopen(path, "r");
  if (!r->file) {
    CF_FAIL("cannot open %s\n", path);
  }
  return r;
}


static inline void cf_closeRecorded(cfRecorded* r) {
  fclose(r->file);
  free(r);
}


// next array of the current state; 0 at its end, and at the end of the file
static inline int cf_nextArray(cfRecorded* r) {
  if (fscanf(r->file, "%99s", r->name) != 1 || !strcmp(r->name, "state")) {
    return 0;
  }
  if (fscanf(r->file, "%d", &r->count) != 1 || r->count > CF_RECORDED_MAX) {
    CF_FAIL("bad array %s\n", r->name);
  }
  for (int i = 0; i < r->count; i++) {
    if (fscanf(r->file, "%lf", r->value + i) != 1) {
      CF_FAIL("bad number in %s\n", r->name);
    }
  }
  return 1;
}


// largest difference to an array, relative to its largest number
static inline void cf_checkArray(const cfRecorded* r, const double* actual, double tolerance) {
  double scale = 1e-6;
  for (int i = 0; i < r->count; i++) {
    scale = fmax(scale, fabs(r->value[i]));
  }
  for (int i = 0; i < r->count; i++) {
    if (!(fabs(actual[i] - r->value[i]) <= tolerance * scale)) {
      CF_FAIL("%s[%d] is %.17g, recorded %.17g\n", r->name, i, actual[i], r->value[i]);
    }
  }
}

#endif  // CF_RECORDED_H
