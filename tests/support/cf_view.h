// A small scene to look into: its geoms, the options it is drawn with and a free camera.
#ifndef CF_VIEW_H
#define CF_VIEW_H

#include <mujoco/mujoco.h>

typedef struct {
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
} cfView;

// room for 100 geoms, default options, the model's free camera; mjv_freeScene(&v.scn) afterwards
static inline cfView cf_openView(const mjModel* m) {
  cfView v;
  mjv_defaultScene(&v.scn);
  mjv_makeScene(m, &v.scn, 100);
  mjv_defaultOption(&v.opt);
  mjv_defaultFreeCamera(m, &v.cam);
  return v;
}


// everything that the options show
static inline void cf_draw(cfView* v, const mjModel* m, mjData* d) {
  mjv_updateScene(m, d, &v->opt, NULL, &v->cam, mjCAT_ALL, &v->scn);
}

#endif  // CF_VIEW_H
