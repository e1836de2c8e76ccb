// Colors that say something about the state.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_text.h"

// a joint beyond its range, drawn
static const char* const bent =
    "<mujoco><visual><rgba joint='0.1 0.2 0.3 0.4' constraint='0.9 0.5 0.7 0.6'/></visual>"
    "<worldbody><body><joint range='-10 10' limited='true'/><geom size='0.1' pos='0.5 0 0'/></body>"
    "</worldbody></mujoco>";

CF_TEST(jointColor__at_its_limit__mixed_with_the_constraint_color_by_impedance) {
  mjModel* m = cf_compileText(bent);
  mjData* d = mj_makeData(m);
  d->qpos[0] = 0.2;
  mj_forward(m, d);
  CF_EQ_INT(d->nefc, 1);
  const mjtNum share = d->efc_KBIP[2];
  CF_TRUE(share > 0.5 && share < 1);
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, 20);
  mjv_defaultOption(&opt);
  mjv_defaultFreeCamera(m, &cam);
  opt.flags[mjVIS_JOINT] = 1;
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  int joints = 0;
  for (int k = 0; k < scn.ngeom; k++) {
    const mjvGeom* g = scn.geoms + k;
    if (g->objtype != mjOBJ_JOINT) {
      continue;
    }
    joints++;
    for (int c = 0; c < 3; c++) {
      CF_NEAR(g->rgba[c], (1 - share) * m->vis.rgba.joint[c] + share * m->vis.rgba.constraint[c],
              1e-6);
    }
    CF_NEAR(g->rgba[3], 1, 0);
  }
  CF_EQ_INT(joints, 1);
  mjv_freeScene(&scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("vis/colors")
