// Cameras, mouse and perturbation: what can be said without a second implementation.
#include "cf_test.h"

#include <unistd.h>

#include <mujoco/mujoco.h>

static mjModel* model;
static mjData* data;

// a free body, a mocap body and a child, looked at from the side
static void prepare(void) {
  char error[300] = "";
  if (!model) {
    model = mj_loadXML(CF_SOURCE_DIR "/tests/data/stages.xml", NULL, error, sizeof(error));
    if (!model) {
      CF_FAIL("%s\n", error);
    }
    data = mj_makeData(model);
  }
  mj_resetData(model, data);
  mj_forward(model, data);
}


static void makeView(mjvScene* scn, mjvCamera* cam) {
  mjv_defaultScene(scn);
  mjv_makeScene(model, scn, 10);
  mjv_defaultFreeCamera(model, cam);
  mjv_updateCamera(model, data, cam, scn);
}


CF_TEST(defaultOption__fresh__first_three_groups_and_table_flags) {
  mjvOption opt;
  memset(&opt, 0x55, sizeof(opt));
  mjv_defaultOption(&opt);
  for (int i = 0; i < mjNGROUP; i++) {
    CF_EQ_INT(opt.geomgroup[i], i < 3);
    CF_EQ_INT(opt.skingroup[i], i < 3);
  }
  CF_EQ_INT(opt.flags[mjVIS_TEXTURE], 1);
  CF_EQ_INT(opt.flags[mjVIS_JOINT], 0);
  CF_EQ_INT(opt.bvh_depth, 1);
}


CF_TEST(makeScene__model_and_none__memory_and_flags) {
  prepare();
  mjvScene scn;
  mjv_defaultScene(&scn);
  mjv_makeScene(model, &scn, 100);
  CF_EQ_INT(scn.maxgeom, 100);
  CF_TRUE(scn.geoms && scn.geomorder);
  CF_EQ_INT(scn.flags[mjRND_SHADOW], 1);
  CF_NEAR(scn.scale, 1, 0);
  mjv_makeScene(NULL, &scn, 0);
  CF_TRUE(!scn.geoms && scn.nflex == 0 && scn.nskin == 0);
  mjv_freeScene(&scn);
}


CF_TEST(updateCamera__free__looks_at_the_center_from_its_distance) {
  prepare();
  mjvScene scn;
  mjvCamera cam;
  makeView(&scn, &cam);
  mjtNum head[3], forward[3], up[3], seen[3];
  mjv_cameraInModel(head, forward, up, &scn);
  mju_addScl3(seen, head, forward, cam.distance);
  CF_NEAR_ARRAY(seen, cam.lookat, 3, 1e-5);
  CF_NEAR(mju_dot3(forward, up), 0, 1e-7);
  CF_NEAR(mjv_frustumHeight(&scn), 2 * tan(model->vis.global.fovy * mjPI / 360), 1e-6);
  mjv_freeScene(&scn);
}


CF_TEST(room2model__transformed_scene__inverse_of_model2room) {
  prepare();
  mjvScene scn;
  mjvCamera cam;
  makeView(&scn, &cam);
  scn.enabletransform = 1;
  scn.scale = 2.5f;
  scn.translate[0] = 0.3f;
  scn.rotate[0] = 0.6f;
  scn.rotate[2] = 0.8f;
  const mjtNum pos[3] = {0.1, -0.7, 2}, quat[4] = {0.5, 0.5, -0.5, 0.5};
  mjtNum model_pos[3], model_quat[4], room_pos[3], room_quat[4];
  mjv_model2room(room_pos, room_quat, pos, quat, &scn);
  // scaling is applied after the pose, so positions only return after undoing it
  mju_scl3(room_pos, room_pos, 1.0 / scn.scale);
  mjv_room2model(model_pos, model_quat, room_pos, room_quat, &scn);
  mju_scl3(model_pos, model_pos, scn.scale);
  CF_NEAR_ARRAY(model_pos, pos, 3, 1e-6);
  CF_NEAR_ARRAY(model_quat, quat, 4, 1e-6);
  mjv_freeScene(&scn);
}


CF_TEST(alignToCamera__looking_along_x__y_turns_to_x) {
  const mjtNum vec[3] = {0, 1, 5}, forward[3] = {2, 0, -1};
  mjtNum res[3];
  mjv_alignToCamera(res, vec, forward);
  const mjtNum expected[3] = {1, 0, 5};
  CF_NEAR_ARRAY(res, expected, 3, 1e-15);
}


CF_TEST(moveCamera__rotate_and_zoom__stays_in_range) {
  prepare();
  mjvScene scn;
  mjvCamera cam;
  makeView(&scn, &cam);
  for (int i = 0; i < 20; i++) {
    mjv_moveCamera(model, mjMOUSE_ROTATE_V, 0.3, -0.4, &scn, &cam);
    mjv_moveCamera(model, mjMOUSE_ZOOM, 0, 0.5, &scn, &cam);
  }
  CF_TRUE(cam.azimuth >= -180 && cam.azimuth <= 180);
  CF_NEAR(cam.elevation, 89, 0);
  CF_NEAR(cam.distance, 0.01 * model->stat.extent, 1e-12);
  mjv_freeScene(&scn);
}


CF_TEST(applyPerturbPose__paused_child_of_free_body__child_reaches_its_target) {
  prepare();
  mjvScene scn;
  mjvCamera cam;
  mjvPerturb pert;
  makeView(&scn, &cam);
  mjv_defaultPerturb(&pert);
  pert.select = mj_name2id(model, mjOBJ_BODY, "ball");
  mjv_initPerturb(model, data, &scn, &pert);
  pert.active = mjPERT_TRANSLATE;
  pert.refpos[2] += 0.5;
  mjv_applyPerturbPose(model, data, &pert, 1);
  mj_kinematics(model, data);
  CF_NEAR_ARRAY(data->xipos + 3 * pert.select, pert.refpos, 3, 1e-12);

  // a mocap body moves while the simulation runs
  pert.select = mj_name2id(model, mjOBJ_BODY, "target");
  mjv_applyPerturbPose(model, data, &pert, 0);
  CF_NEAR_ARRAY(data->mocap_pos, pert.refpos, 3, 1e-12);
  mjv_freeScene(&scn);
}


CF_TEST(applyPerturbForce__pull_up__body_rises_to_its_target) {
  prepare();
  mjvScene scn;
  mjvCamera cam;
  mjvPerturb pert;
  makeView(&scn, &cam);
  mjv_defaultPerturb(&pert);
  pert.select = mj_name2id(model, mjOBJ_BODY, "ball");
  mjv_initPerturb(model, data, &scn, &pert);
  pert.active = mjPERT_TRANSLATE;
  pert.refselpos[2] += 1;
  mjtNum before = data->xipos[3 * pert.select + 2];
  int flags = model->opt.disableflags;
  model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_GRAVITY;
  for (int i = 0; i < 500; i++) {
    mjv_applyPerturbForce(model, data, &pert);
    mj_step(model, data);
  }
  model->opt.disableflags = flags;
  CF_NEAR(data->xipos[3 * pert.select + 2], before + 1, 0.2);
  mjv_freeScene(&scn);
}


CF_TEST(select__center_of_view__body_under_the_mouse) {
  prepare();
  mjvScene scn;
  mjvCamera cam;
  mjvOption opt;
  makeView(&scn, &cam);
  mjv_defaultOption(&opt);
  int body = mj_name2id(model, mjOBJ_BODY, "ball");
  mju_copy3(cam.lookat, data->xpos + 3 * body);
  mjv_updateCamera(model, data, &cam, &scn);
  mjtNum point[3];
  int geom, flex, skin;
  CF_EQ_INT(mjv_select(model, data, &opt, 1.5, 0.5, 0.5, &scn, point, &geom, &flex, &skin), body);
  CF_EQ_INT(geom, mj_name2id(model, mjOBJ_GEOM, "ball"));
  CF_EQ_INT(flex, -1);
  CF_EQ_INT(skin, -1);
  CF_NEAR(mju_dist3(point, data->xpos + 3 * body), 0.1, 1e-6);
  mjv_freeScene(&scn);
}


CF_TEST(connector__capsule_and_arrow__between_the_points) {
  const mjtNum from[3] = {1, 2, 3}, to[3] = {1, 2, 5};
  mjvGeom geom;
  mjv_initGeom(&geom, mjGEOM_CAPSULE, NULL, NULL, NULL, NULL);
  mjv_connector(&geom, mjGEOM_CAPSULE, 0.05, from, to);
  CF_NEAR(geom.pos[2], 4, 1e-6);
  CF_NEAR(geom.size[2], 1, 1e-6);
  mjv_connector(&geom, mjGEOM_ARROW, 0.05, from, to);
  CF_NEAR(geom.pos[2], 3, 1e-6);
  CF_NEAR(geom.size[2], 2, 1e-6);
  CF_NEAR(geom.mat[8], 1, 1e-6);
}


CF_TEST(makeLights__headlight_and_lamp__in_this_order) {
  prepare();
  mjvScene scn;
  mjvCamera cam;
  makeView(&scn, &cam);
  mjv_makeLights(model, data, &scn);
  CF_EQ_INT(scn.nlight, 2);
  CF_EQ_INT(scn.lights[0].headlight, 1);
  CF_EQ_INT(scn.lights[1].id, 0);
  CF_NEAR(scn.lights[1].pos[2], 3, 1e-6);
  mjv_freeScene(&scn);
}


CF_TEST(printScene__one_view__lists_geoms_lights_and_cameras) {
  prepare();
  mjvScene scn;
  mjvCamera cam;
  mjvOption opt;
  mjv_defaultScene(&scn);
  mjv_makeScene(model, &scn, 100);
  mjv_defaultFreeCamera(model, &cam);
  mjv_defaultOption(&opt);
  mjv_updateCamera(model, data, &cam, &scn);
  mjv_updateScene(model, data, &opt, NULL, &cam, mjCAT_ALL, &scn);
  CF_TRUE(scn.ngeom >= model->ngeom);

  char path[] = "/tmp/cf_sceneXXXXXX", text[200] = "";
  int file = mkstemp(path);
  CF_TRUE(file >= 0);
  mj_printFormattedScene(&scn, path, "%.3f");
  CF_TRUE(read(file, text, sizeof(text) - 1) > 0);
  close(file);
  unlink(path);
  CF_HAS_STR(text, "GEOMS ");
  CF_HAS_STR(text, "GEOM 0");
  CF_HAS_STR(text, "objtype");
  mjv_freeScene(&scn);
}

CF_TEST_MAIN("vis/view")
