// Colors that say something about the state.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_text.h"
#include "cf_view.h"

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
  cfView v = cf_openView(m);
  v.opt.flags[mjVIS_JOINT] = 1;
  cf_draw(&v, m, d);
  int joints = 0;
  for (int k = 0; k < v.scn.ngeom; k++) {
    const mjvGeom* g = v.scn.geoms + k;
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
  mjv_freeScene(&v.scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}


// an activation within its own range, of the third actuator
CF_TEST(actuatorColor__activation_between_its_limits__mixed_by_its_share_of_the_range) {
  mjModel* m = cf_compileText(
      "<mujoco><worldbody><body><joint name='j'/><geom size='0.1' pos='0.5 0 0'/></body></worldbody>"
      "<actuator><motor joint='j'/><motor joint='j'/><general joint='j' dyntype='integrator' actlimited='true' "
      "actrange='-4 2'/></actuator></mujoco>");
  mjData* d = mj_makeData(m);
  const mjtNum activation[2] = {-3, 0.5}, share[2] = {0.75, 0.25};
  for (int k = 0; k < 2; k++) {
    d->act[0] = activation[k];
    mj_forward(m, d);
    cfView v = cf_openView(m);
    v.opt.flags[mjVIS_ACTUATOR] = v.opt.flags[mjVIS_ACTIVATION] = 1;
    cf_draw(&v, m, d);
    const float* extreme = k ? m->vis.rgba.actuatorpositive : m->vis.rgba.actuatornegative;
    int found = 0;
    for (int i = 0; i < v.scn.ngeom; i++) {
      const mjvGeom* g = v.scn.geoms + i;
      for (int c = 0; g->objtype == mjOBJ_ACTUATOR && g->objid == 2 && c < 4; c++) {
        CF_NEAR(g->rgba[c], share[k] * extreme[c] + (1 - share[k]) * m->vis.rgba.actuator[c], 1e-6);
        found++;
      }
    }
    CF_EQ_INT(found, 4);
    mjv_freeScene(&v.scn);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("vis/colors")
