// A model around one asset file: text, virtual files, compilation, binary model and back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "asset.h"

enum { CACHE_BYTES = 1 << 20 };

static const struct {
  const char *format, *asset, *user;
} formats[] = {
    {"obj", "<mesh name='a' file='f.obj' %s/>", "<body><geom type='mesh' mesh='a'/></body>"},
    {"stl", "<mesh name='a' file='f.stl' %s/>", "<body><geom type='mesh' mesh='a'/></body>"},
    {"msh", "<mesh name='a' file='f.msh' %s/>", "<body><geom type='mesh' mesh='a'/></body>"},
    {"skn", "<skin name='a' file='f.skn'/>", "<body name='b'/>"},
    {"png", "<texture name='a' type='2d' file='f.png'/>", ""},
    {"hfield", "<hfield name='a' file='f.hfield' size='1 1 1 1'/>",
     "<geom type='hfield' hfield='a'/>"},
};

// treatments of a mesh
static const char* const treatments[] = {"", "inertia='exact'", "inertia='convex'",
                                         "inertia='shell' maxhullvert='8'",
                                         "scale='-1 1 1' smoothnormal='true'"};


// what compiles can be saved and is accepted again
static void saveAndLoad(const mjModel* m) {
  int bytes = (int)mj_sizeModel(m);
  void* buffer = malloc((size_t)bytes);
  mj_saveModel(m, NULL, buffer, bytes);
  mjModel* again = mj_loadModelBuffer(buffer, bytes);
  if (!again) {
    fprintf(stderr, "compiled model is not accepted as a binary\n");
    abort();
  }
  mj_deleteModel(again);
  free(buffer);
}


void cf_compileWhole(const char* format, const uint8_t* data, size_t size, unsigned choice) {
  char asset[300], xml[800], name[40], error[1000];
  for (size_t k = 0; k < sizeof(formats) / sizeof(formats[0]); k++) {
    if (strcmp(formats[k].format, format) != 0) {
      continue;
    }
    snprintf(asset, sizeof(asset), formats[k].asset, treatments[choice % 5]);
    snprintf(xml, sizeof(xml),
             "<mujoco><size memory='100K'/><asset>%s</asset><worldbody>%s</worldbody></mujoco>",
             asset, formats[k].user);
  }
  mjVFS vfs;
  mj_setCacheCapacity(mj_getCache(), CACHE_BYTES);
  mj_defaultVFS(&vfs);
  snprintf(name, sizeof(name), "f.%s", format);
  mj_addBufferVFS(&vfs, name, data, (int)size);
  mj_addBufferVFS(&vfs, "model.xml", xml, (int)strlen(xml));
  mjModel* m = mj_loadXML("model.xml", &vfs, error, sizeof(error));
  if (m) {
    saveAndLoad(m);
    mj_deleteModel(m);
  }
  mj_deleteVFS(&vfs);
}
