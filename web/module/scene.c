// The abstract scene that the page draws.
#include "web.h"

enum { FIRST_GEOMS = 2000, MOST_GEOMS = 500000 };

void cfi_webStartScene(void) {
  const mjtSize likely = 3 * web.m->ngeom + 2 * web.m->nsite + FIRST_GEOMS;
  mjv_freeScene(&web.scene);
  mjv_makeScene(web.m, &web.scene, (int)(likely < MOST_GEOMS ? likely : MOST_GEOMS));
}


static void update(void* argument) {
  (void)argument;
  mjv_updateScene(web.m, web.d, &web.option, &web.perturb, &web.camera, mjCAT_ALL, &web.scene);
}


// Describe the present state as geoms; 0 on an error. A scene that is too small grows.
int EXPORT(cfw_scene)(void) {
  const int before = web.nwarning;
  bool is_done = cfi_webGuard(update, NULL);
  while (is_done && web.scene.status && web.scene.maxgeom < MOST_GEOMS) {
    const int room = 2 * web.scene.maxgeom;
    mjtByte flags[mjNRNDFLAG];
    for (int k = 0; k < mjNRNDFLAG; k++) {
      flags[k] = web.scene.flags[k];
    }
    mjv_freeScene(&web.scene);
    mjv_makeScene(web.m, &web.scene, room);
    for (int k = 0; k < mjNRNDFLAG; k++) {
      web.scene.flags[k] = flags[k];
    }
    web.nwarning = before;
    is_done = cfi_webGuard(update, NULL);
  }
  return is_done;
}
