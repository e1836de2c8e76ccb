// Save and reload.  With all digits the text of a saved model compiles to an equal model, for all
// own models and, where CF_SHARED_DIR names the shared folder, for all models in it.  With six
// digits the text is that of MuJoCo 3.5.0, character by character.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "cf_compare.h"
#include "cf_folder.h"
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
    {"plugins/touch.xml", "the reference object of a plugin's sensor"},
    {"extensions/shells.xml", "elastic2d of a flex with MuJoCo's models"},
    {"soft/bending.xml", "elastic2d"},
    {"soft/collisions.xml", "passive contacts of a flex"},
    {"soft/direct_flex.xml", "elastic2d"},
    {"sleep/perf/world.xml", "order of geoms in frames"},
    {"cube/cube_3x3x3.xml", "nchannel"},
    {"flex/gripper_trilinear.xml", "coordinates of nodes"},
    {"flex/sphere_passive.xml", "passive contacts of a flex"},
    {"flex/trampoline.xml", "elastic2d"},
    {"compile/alignfree.xml", "align of a free joint"},
    {"compile/flex_surface.xml", "elastic2d and passive contacts of a flex"},
    {"compile/fuse.xml", "trees of boxes of bodies that are gone"},
    {"compile/fuse_places.xml", "trees of boxes of bodies that are gone"},
    {"compile/inertia_bounds.xml", "settotalmass"},
    {"compile/inertia_true.xml", "inertiafromgeom of a body without geoms"},
    {"compile/mixed_1.xml", "sizes that a shape does not use"},
    {"compile/mixed_2.xml", "a geom that was fitted to a mesh is a primitive"},
    {"compile/mixed_3.xml", "settotalmass"},
    {"compile/mixed_4.xml", "a geom that was fitted to a mesh is a primitive"},
    {"compile/mixed_5.xml", "maxhullvert"},
    {"compile/mixed_6.xml", "sizes that a shape does not use"},
    {"compile/mixed_7.xml", "settotalmass"},
    {"compile/mixed_8.xml", "sizes that a shape does not use"},
    {"compile/mixed_9.xml", "sizes that a shape does not use"},
    {"compile/mixed_10.xml", "maxhullvert"},
    {"compile/mixed_11.xml", "maxhullvert"},
    {"compile/mixed_12.xml", "maxhullvert"},
    {"compile/mixed_13.xml", "sizes that a shape does not use"},
    {"compile/mixed_14.xml", "sizes that a shape does not use"},
    {"compile/mixed_15.xml", "sizes that a shape does not use"},
    {"compile/mixed_16.xml", "sizes that a shape does not use"},
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
  char* text;
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
  const char* why = whyLost(path);
  if (!again) {
    printf("%s: saved text does not compile: %s\n", path, error);
    return why != NULL;
  }
  const int differing = cf_differingModels(again, m, tolerance);
  if (differing && !why) {
    printf("%s: %d fields differ\n", path, differing);
  } else if (!differing && why) {
    printf("%s: equal, though %s\n", path, why);
  }
  mj_deleteModel(again);
  return (differing != 0) == (why != NULL);
}


static void tryFile(const char* path, void* context) {
  roundtripCount* count = (roundtripCount*)context;
  char error[2000] = "";
  mjSpec* spec = mj_parseXML(path, NULL, error, sizeof(error));
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (m) {
    count->loaded++;
    count->equal += isEqualAfterSaving(spec, m, path, count->text);
  }
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}


static roundtripCount tryAll(const char* folder) {
  roundtripCount count = {.text = (char*)malloc(TEXT_BYTES)};
  _mjPRIVATE__set_xml_precision(17);
  cf_visitModels(folder, tryFile, &count);
  _mjPRIVATE__set_xml_precision(6);
  free(count.text);
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


CF_TEST(roundtrip__models_of_the_compiler__equal) {
  mju_user_warning = ignoreWarning;
  roundtripCount count = tryAll(CF_SOURCE_DIR "/tests/data/compile");
  CF_TRUE(count.loaded >= 40);
  CF_EQ_INT(count.equal, count.loaded);
  mju_user_warning = NULL;
}


CF_LONG_TEST(roundtrip__shared_models__equal) {
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
