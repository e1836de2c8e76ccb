// Labels of a scene.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_text.h"
#include "cf_view.h"

// two spheres on a floor, each an island, and a third that flies
static const char* const balls =
    "<mujoco><worldbody><geom type='plane' size='5 5 1'/>"
    "<body name='a' pos='0 0 0.099'><freejoint/><geom size='0.1'/></body>"
    "<body name='b' pos='1 0 0.099'><freejoint/><geom size='0.1'/><body name='lid' pos='0 0 .3'><geom size='0.05'/></body></body>"
    "<body name='c' pos='2 0 3'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>";

// geoms of a scene with labels of one kind
static mjvScene labeled(const mjModel* m, mjData* d, int label) {
  cfView v = cf_openView(m);
  v.opt.label = label;
  cf_draw(&v, m, d);
  return v.scn;
}


static int countLabel(const mjvScene* scn, const char* text) {
  int count = 0;
  for (int k = 0; k < scn->ngeom; k++) {
    count += strcmp(scn->geoms[k].label, text) == 0;
  }
  return count;
}


CF_TEST(islandLabels__two_islands__at_every_body_of_them) {
  mjModel* m = cf_compileText(balls);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  CF_EQ_INT(d->nisland, 2);
  mjvScene scn = labeled(m, d, mjLABEL_ISLAND);
  CF_EQ_INT(countLabel(&scn, "0"), 1);
  CF_EQ_INT(countLabel(&scn, "1"), 2);
  CF_EQ_INT(countLabel(&scn, "-1"), 0);
  mjv_freeScene(&scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(bodyLabels__named_bodies__once_each) {
  mjModel* m = cf_compileText(balls);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  mjvScene scn = labeled(m, d, mjLABEL_BODY);
  CF_EQ_INT(countLabel(&scn, "a"), 1);
  CF_EQ_INT(countLabel(&scn, "lid"), 1);
  CF_EQ_INT(countLabel(&scn, "world"), 0);
  mjv_freeScene(&scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("vis/labels")
