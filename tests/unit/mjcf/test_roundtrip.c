// Save and reload.  With all digits the text of a saved model compiles to an equal model, for all
// own models and, where CF_SHARED_DIR names the shared folder, for all models in it.  With six
// digits the text is that of MuJoCo 3.5.0, character by character.
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
#include "mjcf/output.h"

enum { TEXT_BYTES = 1 << 26 };

// quaternions are made unit again, poses of meshes undone and redone, weights of skins (floats)
// made to sum up to one, and what is closer to a whole number than 1e-12 is written as one
static const double tolerance = 2e-7;

// what MuJoCo's text, which is ours, does not keep of a model (docs/saving.md)
static const struct {
  const char *model, *why;
} lost[] = {
    {"assets/mesh_fit.xml", "a geom that was fitted to a mesh is a primitive"},
    {"assets/mesh_inline.xml", "maxhullvert"},
    {"assets/textures.xml", "nchannel"},
    {"compiler/align_free.xml", "align of a free joint"},
    {"compiler/fuse_static.xml", "trees of boxes of bodies that are gone"},
    {"compiler/length_ranges.xml", "how length ranges are computed"},
    {"compiler/length_ranges_user.xml", "how length ranges are computed"},
    {"compiler/total_mass.xml", "settotalmass"},
    {"defaults/every_element.xml", "a geom that was fitted to a mesh is a primitive"},
    {"soft/bending.xml", "elastic2d"},
    {"soft/collisions.xml", "passive contacts of a flex"},
    {"soft/direct_flex.xml", "elastic2d"},
    {"sleep/perf/world.xml", "order of geoms in frames"},
    {"cube/cube_3x3x3.xml", "nchannel"},
    {"flex/gripper_trilinear.xml", "coordinates of nodes"},
    {"flex/sphere_passive.xml", "passive contacts of a flex"},
    {"flex/trampoline.xml", "elastic2d"},
};

static const char* whyLost(const char* path) {
  for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
    const size_t a = strlen(path), b = strlen(lost[i].model);
    if (b && a >= b && !strcmp(path + a - b, lost[i].model)) {
      return lost[i].why;
    }
  }
  return NULL;
}

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
  const char* why = whyLost(path);
  if (differing && !why) {
    printf("%s: %d fields differ\n", path, differing);
  } else if (!differing && why) {
    printf("%s: equal, though %s\n", path, why);
  }
  mj_deleteModel(again);
  return (differing != 0) == (why != NULL);
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
  _mjPRIVATE__set_xml_precision(17);
  tryFolder(folder, text, &count);
  _mjPRIVATE__set_xml_precision(6);
  free(text);
  printf("%d models of %s loaded, %d as expected after saving and reloading\n", count.loaded,
         folder, count.equal);
  return count;
}


static void ignoreWarning(const char* message) {
  (void)message;
}


CF_TEST(roundtrip__own_models__equal) {
  mju_user_warning = ignoreWarning;
  roundtripCount own = tryAll(CF_SOURCE_DIR "/models");
  CF_TRUE(own.loaded >= 100);
  CF_EQ_INT(own.equal, own.loaded);
  mju_user_warning = NULL;
}


CF_TEST(roundtrip__shared_models__equal) {
  CF_NEED_SHARED();
  char folder[1000];
  snprintf(folder, sizeof(folder), "%s/models", cf_sharedFolder());
  mju_user_warning = ignoreWarning;
  roundtripCount count = tryAll(folder);
  CF_TRUE(count.loaded > 100);

  CF_EQ_INT(count.equal, count.loaded);
  mju_user_warning = NULL;
}

CF_TEST_MAIN("mjcf/roundtrip")
