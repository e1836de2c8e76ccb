// Every model of a folder: it loads, runs fifty steps without a warning and stays finite, and its
// saved text compiles to the same model.
//
//   corpus FOLDER [NAME…]          folders called NAME are left out
// A model that the compiler refuses because of a part that is not there yet is a skip: it is named
// and counted, and the program then ends with 77.
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <mujoco/mujoco.h>


enum { STEPS = 50, TEXT_BYTES = 1 << 22, SKIPPED = 77 };

typedef struct {
  int passed, failed, skipped;
} corpusCount;

static char warning[1000];


static void keepWarning(const char* message) {
  snprintf(warning, sizeof(warning), "%s", message);
}


static bool fault(const char* path, const char* what, const char* detail) {
  printf("FAIL %s: %s %s\n", path, what, detail);
  return false;
}


static bool isFinite(const mjtNum* x, long n) {
  for (long i = 0; i < n; i++) {
    if (!isfinite(x[i])) {
      return false;
    }
  }
  return true;
}


// fifty steps from the first keyframe, or from the initial state
static bool runs(const mjModel* m, const char* path) {
  mjData* d = mj_makeData(m);
  if (m->nkey) {
    mj_resetDataKeyframe(m, d, 0);
  }
  for (int i = 0; i < STEPS; i++) {
    mj_step(m, d);
  }
  bool is_quiet = true;
  for (int i = 0; i < mjNWARNING; i++) {
    is_quiet = is_quiet && !d->warning[i].number;
  }
  const bool is_finite = isFinite(d->qpos, m->nq) && isFinite(d->qvel, m->nv) &&
                         isFinite(d->qacc, m->nv) && isFinite(d->sensordata, m->nsensordata);
  mj_deleteData(d);
  return (is_quiet || fault(path, "warning:", warning)) &&
         (is_finite || fault(path, "not finite", ""));
}


// the saved text, read as if it stood in the same folder, compiles to a model of the same sizes;
// how much of it is equal is seen with all digits (tests/unit/mjcf/test_roundtrip.c)
static bool survivesSaving(mjSpec* spec, const mjModel* m, const char* path, char* text) {
  char error[1000] = "", folder[1000];
  const char* slash = strrchr(path, '/');
  snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 0, path);
  if (mj_saveXMLString(spec, text, TEXT_BYTES, error, sizeof(error))) {
    return fault(path, "not saved:", error);
  }
  mjSpec* again = mj_parseXMLString(text, NULL, error, sizeof(error));
  if (!again) {
    return fault(path, "saved text refused:", error);
  }
  mjs_setString(again->modelfiledir, folder);
  mjModel* second = mj_compile(again, NULL);
  const bool is_equal = second && second->nq == m->nq && second->nv == m->nv &&
                        second->nu == m->nu && second->nbody == m->nbody &&
                        second->ngeom == m->ngeom && second->nsensordata == m->nsensordata &&
                        second->nkey == m->nkey && second->neq == m->neq;
  if (!is_equal) {
    fault(path, "saved and reloaded:", second ? "differs" : mjs_getError(again));
  }
  mj_deleteModel(second);
  mj_deleteSpec(again);
  return is_equal;
}


// the numbers of the model written back and saved: the text compiles to a model of the same sizes
static bool survivesCopyBack(mjSpec* spec, const mjModel* m, const char* path, char* text) {
  char error[1000] = "", folder[1000];
  const char* slash = strrchr(path, '/');
  snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path + 1) : 0, path);
  if (!mj_copyBack(spec, m)) {
    printf("note %s: not copied back\n", path);
    return true;
  }
  if (mj_saveXMLString(spec, text, TEXT_BYTES, error, sizeof(error))) {
    return fault(path, "not saved after copying back:", error);
  }
  mjSpec* again = mj_parseXMLString(text, NULL, error, sizeof(error));
  if (!again) {
    return fault(path, "text after copying back refused:", error);
  }
  mjs_setString(again->modelfiledir, folder);
  mjModel* second = mj_compile(again, NULL);
  const bool is_same = second && second->nq == m->nq && second->nv == m->nv &&
                       second->ngeom == m->ngeom && second->nu == m->nu;
  if (!is_same) {
    fault(path, "copied back and reloaded:", second ? "other sizes" : mjs_getError(again));
  }
  mj_deleteModel(second);
  mj_deleteSpec(again);
  return is_same;
}


// is the message about a part that nobody has written yet
static bool isMissingPart(const char* error) {
  const bool is_missing = strstr(error, "not supported yet") || strstr(error, "not implemented");
  return is_missing &&
         (strstr(error, "flex") || strstr(error, "plugin") || strstr(error, "extension"));
}


static void tryModel(const char* path, char* text, corpusCount* count) {
  char error[1000] = "";
  warning[0] = 0;
  mjSpec* spec = mj_parseXML(path, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (spec && !m) {
    snprintf(error, sizeof(error), "%s", mjs_getError(spec));
  }
  if (!m && isMissingPart(error)) {
    printf("skip %s: %.*s\n", path, (int)strcspn(error, "\n"), error);
    count->skipped++;
  } else if (m ? runs(m, path) && survivesSaving(spec, m, path, text) &&
                     survivesCopyBack(spec, m, path, text)
               : fault(path, "refused:", error)) {
    count->passed++;
  } else {
    count->failed++;
  }
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


// is a folder of this name left out; the list ends with NULL
static bool isLeftOut(const char* name, char** left_out) {
  for (; *left_out; left_out++) {
    if (!strcmp(name, *left_out)) {
      return true;
    }
  }
  return false;
}


static void tryFolder(const char* folder, char** left_out, char* text, corpusCount* count) {
  struct dirent** list;
  const int n = scandir(folder, &list, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    char path[1000];
    struct stat info;
    const char* extension = strrchr(list[i]->d_name, '.');
    snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
    if (list[i]->d_name[0] != '.' && !isLeftOut(list[i]->d_name, left_out) && !stat(path, &info)) {
      if (S_ISDIR(info.st_mode)) {
        tryFolder(path, left_out, text, count);
      } else if (extension && (!strcmp(extension, ".xml") || !strcmp(extension, ".urdf"))) {
        tryModel(path, text, count);
      }
    }
    free(list[i]);
  }
  if (n >= 0) {
    free(list);
  }
}


int main(int argc, char** argv) {
  if (argc < 2) {
    printf("usage: corpus FOLDER [NAME...]\n");
    return 2;
  }
  corpusCount count = {0, 0, 0};
  char* text = (char*)malloc(TEXT_BYTES);
  mju_user_warning = keepWarning;
  tryFolder(argv[1], argv + 2, text, &count);
  free(text);
  printf("%d models passed, %d failed, %d skipped\n", count.passed, count.failed, count.skipped);
  if (count.failed || !(count.passed + count.skipped)) {
    return 1;
  }
  return count.skipped ? SKIPPED : 0;
}
