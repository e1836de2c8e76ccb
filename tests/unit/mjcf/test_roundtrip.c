// Save and reload: the text of a saved model compiles to an equal model, for all own models and,
// where CF_SHARED_DIR names the shared folder, for all models in it.
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <mujoco/mujoco.h>

#include "cf_compare.h"
#include "cf_reference.h"
#include "cf_test.h"

enum { TEXT_BYTES = 1 << 26 };

// numbers are printed with as many digits as they need, so nothing is lost
static const double tolerance = 0;

typedef struct {
  int loaded, equal;
} roundtripCount;


// folder of a file
static void folderOf(const char* path, char* folder, size_t room) {
  const char* slash = strrchr(path, '/');
  snprintf(folder, room, "%.*s", slash ? (int)(slash - path + 1) : 0, path);
}


// compile the text as if it stood where the first model stands
static mjModel* compileAgain(const char* text, const char* path, char* error, int nerror) {
  char folder[2000];
  folderOf(path, folder, sizeof(folder));
  mjSpec* spec = mj_parseXMLString(text, NULL, error, nerror);
  if (!spec) {
    return NULL;
  }
  mjs_setString(spec->modelfiledir, folder);
  mjModel* m = mj_compile(spec, NULL);
  if (!m) {
    snprintf(error, (size_t)nerror, "%s", mjs_getError(spec));
  }
  mj_deleteSpec(spec);
  return m;
}


static bool isEqualAfterSaving(mjSpec* spec, const mjModel* m, const char* path, char* text) {
  char error[2000] = "";
  if (mj_saveXMLString(spec, text, TEXT_BYTES, error, sizeof(error))) {
    printf("%s: not saved: %s\n", path, error);
    return false;
  }
  mjModel* again = compileAgain(text, path, error, sizeof(error));
  if (!again) {
    printf("%s: saved text does not compile: %s\n", path, error);
    return false;
  }
  const int differing = cf_differingModels(again, m, tolerance);
  if (differing) {
    printf("%s: %d fields differ\n", path, differing);
  }
  mj_deleteModel(again);
  return !differing;
}


static void tryFile(const char* path, char* text, roundtripCount* count) {
  char error[2000] = "";
  mjSpec* spec = mj_parseXML(path, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (m) {
    count->loaded++;
    count->equal += isEqualAfterSaving(spec, m, path, text);
  }
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


static void tryFolder(const char* folder, char* text, roundtripCount* count) {
  struct dirent** list;
  const int n = scandir(folder, &list, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    char path[2000];
    struct stat info;
    const char* name = list[i]->d_name;
    const char* extension = strrchr(name, '.');
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (name[0] != '.' && !stat(path, &info)) {
      if (S_ISDIR(info.st_mode)) {
        tryFolder(path, text, count);
      } else if (extension && (!strcmp(extension, ".xml") || !strcmp(extension, ".urdf"))) {
        tryFile(path, text, count);
      }
    }
    free(list[i]);
  }
  if (n >= 0) {
    free(list);
  }
}


static roundtripCount tryAll(const char* folder) {
  roundtripCount count = {0, 0};
  char* text = (char*)malloc(TEXT_BYTES);
  tryFolder(folder, text, &count);
  free(text);
  printf("%d models of %s loaded, %d equal after saving and reloading\n", count.loaded, folder,
         count.equal);
  return count;
}


static void ignoreWarning(const char* message) {
  (void)message;
}


CF_TEST(roundtrip__own_models__equal) {
  mju_user_warning = ignoreWarning;
  roundtripCount own = tryAll(CF_SOURCE_DIR "/models"),
                 data = tryAll(CF_SOURCE_DIR "/tests/data/compile");
  CF_TRUE(own.loaded >= 10 && data.loaded >= 20);
  CF_EQ_INT(own.equal, own.loaded);
  CF_EQ_INT(data.equal, data.loaded);
  mju_user_warning = NULL;
}


CF_TEST(roundtrip__shared_models__equal) {
  CF_NEED_SHARED();
  char folder[1000];
  snprintf(folder, sizeof(folder), "%s/models", cf_sharedFolder());
  mju_user_warning = ignoreWarning;
  roundtripCount count = tryAll(folder);
  CF_TRUE(count.loaded > 100);

  // MuJoCo 3.5.0's text cannot hold the nodes of flex/gripper_trilinear.xml: saved and reloaded by
  // itself the model differs in the same fields (flex_node, flex_node0, flex_stiffness,
  // flex_centered)
  const int lost = 1;
  CF_EQ_INT(count.equal, count.loaded - lost);
  mju_user_warning = NULL;
}

CF_TEST_MAIN("mjcf/roundtrip")
