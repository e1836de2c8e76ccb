// The same calls on this library and on the reference give the same view.
#include "cf_test.h"

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "cf_reference.h"

// functions of the reference are looked up by name
#pragma GCC diagnostic ignored "-Wpedantic"

static mjModel* model;
static mjData* data;
static unsigned seed = 1;

static double uniform(double low, double high) {
  return low + (high - low) * rand_r(&seed) / RAND_MAX;
}


// model, data and two equal scenes; false when there is no reference
static bool prepare(mjvScene scn[2], mjvCamera* cam) {
  char error[300] = "";
  CF_NEED_REFERENCE();
  if (!model) {
    model = mj_loadXML(CF_SOURCE_DIR "/tests/data/stages.xml", NULL, error, sizeof(error));
    if (!model) {
      CF_FAIL("%s\n", error);
    }
    data = mj_makeData(model);
  }
  mj_resetData(model, data);
  for (int i = 0; i < model->nv; i++) {
    data->qvel[i] = uniform(-1, 1);
  }
  mj_forward(model, data);
  mjv_defaultFreeCamera(model, cam);
  cam->azimuth = uniform(-180, 180);
  cam->elevation = uniform(-80, 20);
  for (int k = 0; k < 2; k++) {
    mjv_defaultScene(scn + k);
    mjv_makeScene(model, scn + k, 10);
  }
  return true;
}


static void release(mjvScene scn[2]) {
  mjv_freeScene(scn);
  mjv_freeScene(scn + 1);
}


CF_TEST(defaults__all_structs__equal) {
  CF_NEED_REFERENCE();
#define SAME(type, function)                   \
  {                                            \
    static type ours, theirs;                  \
    memset(&ours, 0, sizeof(ours));            \
    memset(&theirs, 0, sizeof(theirs));        \
    function(&ours);                           \
    CF_REF(function)(&theirs);                 \
    CF_EQ_BYTES(&ours, &theirs, sizeof(ours)); \
  }
  SAME(mjvOption, mjv_defaultOption)
  SAME(mjvCamera, mjv_defaultCamera)
  SAME(mjvPerturb, mjv_defaultPerturb)
  SAME(mjvFigure, mjv_defaultFigure)
  SAME(mjvScene, mjv_defaultScene)
#undef SAME
}


CF_TEST(updateCamera__free_tracking_and_fixed__equal) {
  mjvScene scn[2];
  mjvCamera cam;
  if (!prepare(scn, &cam)) {
    return;
  }
  for (int type = mjCAMERA_FREE; type <= mjCAMERA_FIXED; type++) {
    cam.type = type;
    cam.trackbodyid = 2;
    cam.fixedcamid = 0;
    mjv_updateCamera(model, data, &cam, scn);
    CF_REF(mjv_updateCamera)(model, data, &cam, scn + 1);
    for (int eye = 0; eye < 2; eye++) {
      CF_NEAR_ARRAY(scn[0].camera[eye].pos, scn[1].camera[eye].pos, 3, 1e-6);
      CF_NEAR_ARRAY(scn[0].camera[eye].forward, scn[1].camera[eye].forward, 3, 1e-6);
      CF_NEAR_ARRAY(scn[0].camera[eye].up, scn[1].camera[eye].up, 3, 1e-6);
      CF_NEAR(scn[0].camera[eye].frustum_top, scn[1].camera[eye].frustum_top, 1e-7);
      CF_NEAR(scn[0].camera[eye].frustum_far, scn[1].camera[eye].frustum_far, 1e-5);
    }
    mjv_makeLights(model, data, scn);
    CF_REF(mjv_makeLights)(model, data, scn + 1);
    CF_EQ_INT(scn[0].nlight, scn[1].nlight);
    CF_NEAR_ARRAY(scn[0].lights[0].pos, scn[1].lights[0].pos, 3, 1e-6);
    CF_NEAR(scn[0].lights[1].cutoff, scn[1].lights[1].cutoff, 0);
  }
  release(scn);
}


CF_TEST(moveCamera__all_actions__equal) {
  mjvScene scn[2];
  mjvCamera cam;
  if (!prepare(scn, &cam)) {
    return;
  }
  mjvCamera other = cam;
  for (int i = 0; i < 200; i++) {
    int action = mjMOUSE_ROTATE_V + i % 7;
    double dx = uniform(-0.2, 0.2), dy = uniform(-0.2, 0.2);
    mjv_updateCamera(model, data, &cam, scn);
    mjv_moveCamera(model, action, dx, dy, scn, &cam);
    CF_REF(mjv_moveCamera)(model, action, dx, dy, scn, &other);
    CF_NEAR_ARRAY(cam.lookat, other.lookat, 3, 1e-9);
    CF_NEAR(cam.distance, other.distance, 1e-9);
    CF_NEAR(cam.azimuth, other.azimuth, 1e-9);
    CF_NEAR(cam.elevation, other.elevation, 1e-9);
    other = cam;
  }
  release(scn);
}


CF_TEST(moveModel__all_actions__equal) {
  mjvScene scn[2];
  mjvCamera cam;
  if (!prepare(scn, &cam)) {
    return;
  }
  const mjtNum up[3] = {0, 0, 1};
  mjv_updateCamera(model, data, &cam, scn);
  mjv_updateCamera(model, data, &cam, scn + 1);
  scn[0].enabletransform = scn[1].enabletransform = 1;
  for (int i = 0; i < 100; i++) {
    int action = mjMOUSE_ROTATE_V + i % 7;
    double dx = uniform(-0.1, 0.1), dy = uniform(-0.1, 0.1);
    mjv_moveModel(model, action, dx, dy, up, scn);
    CF_REF(mjv_moveModel)(model, action, dx, dy, up, scn + 1);
    CF_NEAR_ARRAY(scn[0].translate, scn[1].translate, 3, 1e-4);
    CF_NEAR_ARRAY(scn[0].rotate, scn[1].rotate, 4, 1e-4);
    CF_NEAR(scn[0].scale, scn[1].scale, 1e-4);
    mjtNum ours[9], theirs[9];
    mjv_cameraInModel(ours, ours + 3, ours + 6, scn);
    CF_REF(mjv_cameraInModel)(theirs, theirs + 3, theirs + 6, scn);
    CF_NEAR_ARRAY(ours, theirs, 9, 1e-9);
  }
  release(scn);
}


CF_TEST(perturb__all_actions__equal_targets_and_forces) {
  mjvScene scn[2];
  mjvCamera cam;
  if (!prepare(scn, &cam)) {
    return;
  }
  mjv_updateCamera(model, data, &cam, scn);
  for (int body = 1; body < model->nbody; body++) {
    mjvPerturb ours, theirs;
    mjv_defaultPerturb(&ours);
    ours.select = body;
    ours.active = mjPERT_TRANSLATE | mjPERT_ROTATE;
    ours.localpos[0] = 0.01;
    theirs = ours;
    mjv_initPerturb(model, data, scn, &ours);
    CF_REF(mjv_initPerturb)(model, data, scn, &theirs);
    CF_NEAR(ours.localmass, theirs.localmass, 1e-9 * theirs.localmass);
    CF_NEAR(ours.scale, theirs.scale, 1e-9);
    for (int i = 0; i < 70; i++) {
      double dx = uniform(-0.2, 0.2), dy = uniform(-0.2, 0.2);
      mjv_movePerturb(model, data, mjMOUSE_ROTATE_V + i % 7, dx, dy, scn, &ours);
      CF_REF(mjv_movePerturb)(model, data, mjMOUSE_ROTATE_V + i % 7, dx, dy, scn, &theirs);
      CF_NEAR_ARRAY(ours.refpos, theirs.refpos, 3, 1e-8);
      CF_NEAR_ARRAY(ours.refquat, theirs.refquat, 4, 1e-8);
      theirs = ours;

      mjtNum force[6], scale;
      ours.active = 1 + i % 3;
      mjv_applyPerturbForce(model, data, &ours);
      mju_copy(force, data->xfrc_applied + 6 * body, 6);
      CF_REF(mjv_applyPerturbForce)(model, data, &ours);
      scale = 1 + mju_norm(force, 6);
      CF_NEAR_ARRAY(force, data->xfrc_applied + 6 * body, 6, 1e-9 * scale);
    }
  }
  release(scn);
}


CF_TEST(select__grid_of_points__equal) {
  mjvScene scn[2];
  mjvCamera cam;
  mjvOption opt;
  if (!prepare(scn, &cam)) {
    return;
  }
  mjv_defaultOption(&opt);
  int hits = 0;
  for (int orthographic = 0; orthographic < 2; orthographic++) {
    model->vis.global.orthographic = orthographic;
    model->vis.global.fovy = orthographic ? 3 : 45;
    mjv_updateCamera(model, data, &cam, scn);
    for (int i = 0; i < 400; i++) {
      mjtNum x = uniform(0, 1), y = uniform(0, 1), ours[3] = {0}, theirs[3] = {0};
      int id[2][3];
      int a = mjv_select(model, data, &opt, 1.3, x, y, scn, ours, id[0], id[0] + 1, id[0] + 2);
      int b = CF_REF(mjv_select)(model, data, &opt, 1.3, x, y, scn, theirs, id[1], id[1] + 1,
                                 id[1] + 2);
      CF_EQ_INT(a, b);
      CF_EQ_INT(id[0][0], id[1][0]);
      CF_NEAR_ARRAY(ours, theirs, 3, 1e-8);
      hits += a > 0;
    }
  }
  model->vis.global.orthographic = 0;
  model->vis.global.fovy = 45;
  CF_TRUE(hits > 5);
  release(scn);
}


CF_TEST(connector__random_points__equal) {
  CF_NEED_REFERENCE();
  static const int type[] = {mjGEOM_CAPSULE, mjGEOM_CYLINDER, mjGEOM_ARROW, mjGEOM_LINE};
  for (int i = 0; i < 100; i++) {
    mjtNum from[3], to[3], size[3];
    for (int k = 0; k < 3; k++) {
      from[k] = uniform(-1, 1);
      to[k] = uniform(-1, 1);
      size[k] = uniform(0, 1);
    }
    static mjvGeom ours, theirs;
    mjv_initGeom(&ours, i % 9, size, from, NULL, NULL);
    CF_REF(mjv_initGeom)(&theirs, i % 9, size, from, NULL, NULL);
    CF_EQ_BYTES(&ours, &theirs, sizeof(ours));
    mjv_connector(&ours, type[i % 4], 0.1, from, to);
    CF_REF(mjv_connector)(&theirs, type[i % 4], 0.1, from, to);
    CF_NEAR_ARRAY(ours.mat, theirs.mat, 9, 1e-6);
    CF_NEAR_ARRAY(ours.pos, theirs.pos, 3, 1e-6);
    CF_NEAR_ARRAY(ours.size, theirs.size, 3, 1e-6);
  }
}

CF_TEST_MAIN("vis/view_reference")
