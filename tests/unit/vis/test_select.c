// What lies under the mouse: skins.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_text.h"
#include "cf_view.h"

// two square skins one above the other, each on a body of its own that has no geom to hit
static const char* const sheets =
    "<mujoco><statistic extent='2' center='0 0 0'/><worldbody>"
    "<body name='low' pos='0 0 0'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><joint/></body>"
    "<body name='high' pos='0 0 %s'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><joint/></body></worldbody><deformable>"
    "<skin name='one' vertex='-1 -1 0  1 -1 0  1 1 0  -1 1 0' face='0 1 2  0 2 3'>"
    "<bone body='low' bindpos='0 0 0' bindquat='1 0 0 0' vertid='0 1 2 3' vertweight='1 1 1 1'/></skin>"
    "<skin name='two' vertex='-1 -1 0  1 -1 0  1 1 0  -1 1 0' face='0 1 2  0 2 3'>"
    "<bone body='high' bindpos='0 0 0' bindquat='1 0 0 0' vertid='0 1 2 3' vertweight='1 1 1 1'/></skin>"
    "</deformable></mujoco>";

static void checkNearest(const char* height, const char* body, int skin) {
  char xml[2000];
  snprintf(xml, sizeof(xml), sheets, height);
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  cfView v = cf_openView(m);
  v.cam.elevation = -80;
  v.opt.flags[mjVIS_SKIN] = 1;
  cf_draw(&v, m, d);
  mjtNum point[3];
  int geomid = 7, flexid = 7, skinid = 7;
  const int found = mjv_select(m, d, &v.opt, 1, 0.5, 0.5, &v.scn, point, &geomid, &flexid, &skinid);
  CF_EQ_INT(found, mj_name2id(m, mjOBJ_BODY, body));
  CF_EQ_INT(skinid, skin);
  CF_EQ_INT(geomid, -1);
  CF_EQ_INT(flexid, -1);
  v.opt.flags[mjVIS_SKIN] = 0;
  CF_EQ_INT(mjv_select(m, d, &v.opt, 1, 0.5, 0.5, &v.scn, point, &geomid, &flexid, &skinid), -1);
  mjv_freeScene(&v.scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(select__two_skins__the_nearer_one_and_its_bone) {
  checkNearest("0.3", "high", 1);
  checkNearest("-0.3", "low", 0);
}


CF_TEST_MAIN("vis/select")
