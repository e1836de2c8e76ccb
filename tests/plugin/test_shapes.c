// Signed distance fields of our plugins: values recorded with MuJoCo 3.5.0, gradients, instances.
#include <mujoco/mujoco.h>

#include "cf_test.h"

// defaults of every shape: half sizes of its box, distances at the points of probe()
static const struct {
  const char* name;
  double half[3], distance[8];
} recorded[] = {
    {"mujoco.sdf.bolt",
     {0.59999999999999998, 0.59999999999999998, 1},
     {0.139680582, 0.019150953375912355, 0.41904174599999999, 0.016057591756835854,
      0.69840291000000043, -0.16191650800000001, 0.97776407399999954, 0.2868774968089961}},
    {"mujoco.sdf.bowl",
     {1.02, 1.02, 1.02},
     {0.38955367753924175, 0.068630457654605195, 0.036264375932281101, 0.060098420434832059,
      0.3049728353853936, 0.52039015107601139, 0.67292601649724948, 0.29152673467329526}},
    {"mujoco.sdf.gear",
     {1.75, 1.75, 0.11000000000000001},
     {-0.084635135979999998, -0.020729728039999992, 0.062740629595144704, 0.17253806031033636,
      0.21421203351356621, 0.13772239081370052, 0.0075540481399999637, 0.72876238962020246}},
    {"mujoco.sdf.nut",
     {0.59999999999999998, 0.59999999999999998, 1},
     {0.139680582, 0.220638836, 0.41904174599999999, 0.016057591756835854, 0.69840291000000043,
      0.032857673710955958, 0.97776407399999954, 0.2868774968089961}},
    {"mujoco.sdf.torus",
     {0.5, 0.5, 0.14999999999999999},
     {-0.077776040234534632, -0.011936921776671772, -0.051998364830370833, -0.0029621517111746154,
      0.02743160302695738, -0.0081559460585032273, 0.013780888382100814, 0.14075201523267042}},
};
enum { SHAPE_COUNT = sizeof(recorded) / sizeof(recorded[0]) };


// a point of a low-discrepancy sequence over a box
static void probe(mjtNum p[3], const double half[3], int k) {
  static const double step[3] = {0.6180339887, 0.7548776662, 0.5698402910};
  for (int i = 0; i < 3; i++) {
    const double t = (k + 1.0) * step[i];
    p[i] = half[i] * (2 * (t - (int)t) - 1);
  }
}


// values of a plugin's keys where nothing is given, or one text for all
static void valuesOf(const mjpPlugin* plugin, const char* text, mjtNum* value) {
  const char *names[10], *texts[10];
  for (int k = 0; k < plugin->nattribute; k++) {
    names[k] = plugin->attributes[k];
    texts[k] = text;
  }
  plugin->sdf_attribute(value, names, texts);
}


CF_TEST(shapes__recorded_points__same_distances) {
  for (int s = 0; s < SHAPE_COUNT; s++) {
    const mjpPlugin* plugin = mjp_getPlugin(recorded[s].name, NULL);
    CF_TRUE(plugin && plugin->capabilityflags == mjPLUGIN_SDF);
    mjtNum value[10], box[6], p[3];
    valuesOf(plugin, "", value);
    plugin->sdf_aabb(box, value);
    CF_NEAR_ARRAY(box + 3, recorded[s].half, 3, 1e-15);
    for (int k = 0; k < 8; k++) {
      probe(p, recorded[s].half, k);
      CF_NEAR(plugin->sdf_staticdistance(p, value), recorded[s].distance[k], 1e-14);
    }
  }
}


static mjModel* shapeModel(const char* name, const char* config, char* error) {
  char xml[1000];
  snprintf(xml, sizeof(xml),
           "<mujoco><extension><plugin plugin='%s'><instance name='i'>%s</instance></plugin>"
           "</extension><asset><mesh name='m'><plugin instance='i'/></mesh></asset><worldbody>"
           "<body><freejoint/><geom type='sdf' mesh='m'><plugin instance='i'/></geom></body>"
           "</worldbody></mujoco>",
           name, config);
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, 1000);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (spec && !m) {
    snprintf(error, 1000, "%s", mjs_getError(spec));
  }
  mj_deleteSpec(spec);
  return m;
}


CF_TEST(shapes__instances__gradient_is_the_slope_of_the_distance) {
  char error[1000] = "";
  for (int s = 0; s < SHAPE_COUNT; s++) {
    mjModel* m = shapeModel(recorded[s].name, "", error);
    if (!m) {
      CF_FAIL("%s\n", error);
    }
    mjData* d = mj_makeData(m);
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[0]);
    for (int k = 0; k < (CF_SANITIZED ? 1 : 8); k++) {
      mjtNum p[3], g[3], ahead[3], behind[3];
      probe(p, recorded[s].half, k);
      CF_NEAR(plugin->sdf_distance(p, d, 0), recorded[s].distance[k], 1e-14);
      plugin->sdf_gradient(g, p, d, 0);
      for (int i = 0; i < 3; i++) {
        mju_copy3(ahead, p);
        mju_copy3(behind, p);
        ahead[i] += 1e-6;
        behind[i] -= 1e-6;
        const double slope =
            (plugin->sdf_distance(ahead, d, 0) - plugin->sdf_distance(behind, d, 0)) / 2e-6;
        CF_NEAR(g[i], slope, 1e-5);
      }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}


CF_TEST(shapes__values__numbers_or_a_reason) {
  char error[1000] = "";
  CF_TRUE(!shapeModel("mujoco.sdf.torus", "<config key='radius1' value='wide'/>", error));
  CF_HAS_STR(error, "invalid attribute value for 'radius1'");
  CF_TRUE(!shapeModel("mujoco.sdf.torus", "<config key='radius1' value='1x'/>", error));
  CF_HAS_STR(error, "Invalid radius1 or radius2 parameters in Torus plugin");
  CF_TRUE(!shapeModel("mujoco.sdf.gear", "<config key='cogs' value='3'/>", error));
  CF_HAS_STR(error, "unrecognized attribute 'plugin:cogs' for plugin mujoco.sdf.gear'");
  mjModel* m = shapeModel("mujoco.sdf.torus", "<config key='radius2' value=' .1 '/>", error);
  CF_TRUE(m != NULL);
  CF_NEAR(m->geom_aabb[5], .1, 1e-3);
  mj_deleteModel(m);
}


// the trail of the search: a ball at either end of every path, lines between
CF_TEST(shapes__scene__the_search_is_shown_where_asked_for) {
  char error[1000];
  mjModel* m = shapeModel("mujoco.sdf.nut", "", error);
  mjData* d = mj_makeData(m);
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, 100);
  mjv_defaultOption(&opt);
  mjv_defaultCamera(&cam);
  mj_forward(m, d);
  const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[0]);
  const mjtNum path[3][3] = {{1, 0, 0}, {.8, 0, 0}, {.6, 0, 0}};
  mjtNum g[3];
  plugin->compute(m, d, 0, mjPLUGIN_SDF);
  for (int k = 0; k < 3; k++) {
    plugin->sdf_gradient(g, path[k], d, 0);
  }
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  const int plain = scn.ngeom;
  opt.flags[mjVIS_SDFITER] = 1;
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  CF_EQ_INT(scn.ngeom - plain, 4);
  double balls = 0;
  int lines = 0;
  for (int i = 0; i < scn.ngeom; i++) {
    balls += scn.geoms[i].type == mjGEOM_SPHERE ? scn.geoms[i].pos[0] : 0;
    lines += scn.geoms[i].type == mjGEOM_LINE;
  }
  CF_NEAR(balls, 1 + .6, 1e-6);
  CF_EQ_INT(lines, 2);

  // a new search forgets the last one
  plugin->reset(m, NULL, (void*)d->plugin_data[0], 0);
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  CF_EQ_INT(scn.ngeom, plain);
  mjv_freeScene(&scn);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST_MAIN("plugin/shapes")
