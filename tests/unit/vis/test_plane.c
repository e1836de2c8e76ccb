// Planes in a scene: a finite one stays, an infinite one follows the camera in whole cells.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_text.h"
#include "cf_view.h"

static const char* const planes =
    "<mujoco><statistic extent='2' center='0 0 0'/><asset>"
    "<texture name='t' type='2d' builtin='checker' width='8' height='8'/>"
    "<material name='m' texture='t' texrepeat='4 5'/></asset><worldbody>"
    "<geom name='finite' type='plane' size='2 3 1' pos='1 2 -1'/>"
    "<geom name='strip' type='plane' size='2 0 1' pos='1 2 -2' material='m'/>"
    "<geom name='endless' type='plane' size='0 0 1' pos='1 2 -3' material='m'/>"
    "<geom name='plain' type='plane' size='0 0 1' pos='1 2 -4'/></worldbody></mujoco>";

CF_TEST(planes__camera_far_away__finite_sides_stay_and_endless_ones_follow_in_cells) {
  mjModel* m = cf_compileText(planes);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  cfView v = cf_openView(m);
  v.cam.lookat[0] = 31.3;
  v.cam.lookat[1] = -47.9;
  mjv_updateCamera(m, d, &v.cam, &v.scn);
  cf_draw(&v, m, d);
  mjtNum eye[2];
  for (int k = 0; k < 2; k++) {
    eye[k] = 0.5 * (v.scn.camera[0].pos[k] + v.scn.camera[1].pos[k]);
  }
  CF_EQ_INT(v.scn.ngeom, 4);
  const mjtNum grid = 2.1 * m->vis.map.zfar * m->stat.extent / (mjMAXPLANEGRID - 2);
  const mjtNum cell[4][2] = {{0, 0}, {0, 2.0 / 5}, {2.0 / 4, 2.0 / 5}, {grid, grid}};
  for (int g = 0; g < 4; g++) {
    const float* pos = v.scn.geoms[g].pos;
    for (int k = 0; k < 2; k++) {
      const mjtNum home = k + 1, step = 2 * cell[g][k], moved = pos[k] - home;
      if (step == 0) {
        CF_NEAR(moved, 0, 0);
        continue;
      }
      CF_NEAR(moved / step, round(moved / step), 1e-3);
      CF_NEAR(pos[k], eye[k], 0.5 * step + 1e-3);
      CF_TRUE(fabs(moved) > 10);
    }
    CF_NEAR(pos[2], -1 - g, 1e-6);
  }
  mjv_freeScene(&v.scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("vis/plane")
