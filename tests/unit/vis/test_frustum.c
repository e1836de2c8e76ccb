// The frustum of a camera: twelve edges and eight triangles that meet in eight corners.
#include "cf_test.h"

#include <mujoco/mujoco.h>

#include "cf_text.h"
#include "cf_view.h"

static const char* const looking =
    "<mujoco><statistic extent='2' meansize='0.5'/><visual><map znear='0.05'/><scale frustum='3'/></visual><worldbody>"
    "<camera name='c' pos='1 2 3' euler='20 30 40' %s/><geom size='0.1'/></worldbody></mujoco>";

// corner k of the image at a depth, counterclockwise from the lower left
static void cornerAt(mjtNum corner[3], const mjData* d, const mjtNum half[4], int k, mjtNum depth) {
  const mjtNum local[3] = {k == 0 || k == 3 ? -half[0] : half[1], k < 2 ? -half[2] : half[3],
                           -depth};
  mju_mulMatVec3(corner, d->cam_xmat, local);
  mju_addTo3(corner, d->cam_xpos);
}


// lines of a scene that lead from one point to the other
static int countLines(const mjvScene* scn, const mjtNum from[3], const mjtNum to[3]) {
  int count = 0;
  for (int k = 0; k < scn->ngeom; k++) {
    const mjvGeom* g = scn->geoms + k;
    double off = 0;
    for (int j = 0; j < 3; j++) {
      off = fmax(off, fabs(g->pos[j] - from[j]));
      off = fmax(off, fabs(g->pos[j] + g->size[2] * g->mat[3 * j + 2] - to[j]));
    }
    count += g->type == mjGEOM_LINE && off < 1e-5;
  }
  return count;
}


// the camera with these attributes has the half extents left, right, bottom, top at depth 1
static void checkFrustum(const char* attributes, const mjtNum half[4]) {
  char xml[1000];
  snprintf(xml, sizeof(xml), looking, attributes);
  mjModel* m = cf_compileText(xml);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  cfView v = cf_openView(m);
  v.opt.flags[mjVIS_CAMERA] = 1;
  cf_draw(&v, m, d);
  const mjtNum znear = 0.05 * 2, zfar = 3 * 0.5;
  float vertical[2], horizontal[2], clip[2];
  v.cam.type = mjCAMERA_FIXED;
  v.cam.fixedcamid = 0;
  mjv_cameraFrustum(vertical, horizontal, clip, m, &v.cam);
  for (int k = 0; k < 2; k++) {
    CF_NEAR(horizontal[k], m->cam_sensorsize[0] ? znear * half[k] : 0, 1e-7);
    CF_NEAR(vertical[k], znear * half[2 + k], 1e-7);
  }
  CF_NEAR(clip[0], znear, 1e-7);
  CF_NEAR(clip[1], m->vis.map.zfar * 2, 1e-5);
  int lines = 0, triangles = 0;
  for (int k = 0; k < 4; k++) {
    mjtNum front[2][3], back[2][3], near_half[4], far_half[4];
    mju_scl(near_half, half, znear, 4);
    mju_scl(far_half, half, zfar, 4);
    for (int j = 0; j < 2; j++) {
      cornerAt(front[j], d, near_half, (k + j) % 4, znear);
      cornerAt(back[j], d, far_half, (k + j) % 4, zfar);
    }
    CF_EQ_INT(countLines(&v.scn, front[0], front[1]), 1);
    CF_EQ_INT(countLines(&v.scn, back[0], back[1]), 1);
    CF_EQ_INT(countLines(&v.scn, front[0], back[0]), 1);
  }
  for (int k = 0; k < v.scn.ngeom; k++) {
    lines += v.scn.geoms[k].type == mjGEOM_LINE;
    triangles += v.scn.geoms[k].type == mjGEOM_TRIANGLE;
  }
  CF_EQ_INT(lines, 12);
  CF_EQ_INT(triangles, 8);
  mjv_freeScene(&v.scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(frustum__angle_of_view__edges_between_neighboring_corners) {
  const mjtNum t = tan(30 * mjPI / 180);
  checkFrustum("fovy='60' resolution='40 20'", (mjtNum[4]){2 * t, 2 * t, t, t});
}


CF_TEST(frustum__shifted_lens__sides_of_different_width) {
  checkFrustum("resolution='40 20' sensorsize='0.04 0.02' focal='0.05 0.05' principal='0.01 0.005'",
               (mjtNum[4]){0.2, 0.6, 0.1, 0.3});
}


CF_TEST_MAIN("vis/frustum")
