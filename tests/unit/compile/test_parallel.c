// Assets on several threads: the same model and the same message as on one.
#include "asset_support.h"

#include <stdbool.h>
#include <stdio.h>

static const char* const images[] = {"rgb.png", "rgba.png",  "g8.png",
                                     "pal.png", "rgb16.png", "ga.png"};
enum { IMAGES = sizeof(images) / sizeof(images[0]), COPIES = 4 };


// many textures and meshes; files of other names stand where `spoiled` has a bit
static void writeModel(char* xml, size_t room, bool use_threads, unsigned spoiled) {
  size_t n = (size_t)snprintf(xml, room,
                              "<mujoco><compiler usethread=%s texturedir='%s/tests/data/image' "
                              "meshdir='%s/tests/data/mesh'/><asset>",
                              use_threads ? "'true' " : "'false'", CF_SOURCE_DIR, CF_SOURCE_DIR);
  for (int i = 0; i < IMAGES * COPIES; i++) {
    const char* name = spoiled >> i & 1 ? "images.xml" : images[i % IMAGES];
    n += (size_t)snprintf(
        xml + n, room - n,
        "<mesh name='m%d' file='prism.obj' scale='1 1 %d'/>"
        "<texture name='t%d' type='2d' content_type='image/png' file='%s' hflip='%s'/>",
        i, i + 1, i, name, i % 2 ? "true" : "false");
  }
  snprintf(xml + n, room - n,
           "</asset><worldbody><body><freejoint/><geom type='mesh' "
           "mesh='m1'/></body></worldbody></mujoco>");
}


static mjModel* compileMany(bool use_threads, unsigned spoiled, char* error, int nerror) {
  static char xml[20000];
  writeModel(xml, sizeof(xml), use_threads, spoiled);
  mj_clearCache(mj_getCache());
  return compileWithFile(xml, NULL, NULL, 0, error, nerror);
}


CF_TEST(assets__one_thread_or_many__same_model) {
  char error[1000] = "";
  mjModel* one = compileMany(false, 0, error, sizeof(error));
  CF_TRUE(one != NULL);
  for (int round = 0; round < 5; round++) {
    mjModel* many = compileMany(true, 0, error, sizeof(error));
    CF_TRUE(many != NULL);
    CF_EQ_INT(many->ntexdata, one->ntexdata);
    CF_EQ_INT(many->nmeshvert, one->nmeshvert);
    CF_TRUE(HASH(many->tex_data, many->ntexdata) == HASH(one->tex_data, one->ntexdata));
    CF_TRUE(HASH(many->mesh_vert, 3 * many->nmeshvert) == HASH(one->mesh_vert, 3 * one->nmeshvert));
    CF_TRUE(HASH(many->body_inertia, 3 * many->nbody) == HASH(one->body_inertia, 3 * one->nbody));
    mj_deleteModel(many);
  }
  mj_deleteModel(one);
}


CF_TEST(assets__several_bad_ones__first_in_order_is_named) {
  char error[1000] = "", expected[1000] = "";
  CF_TRUE(compileMany(false, 0x828010, expected, sizeof(expected)) == NULL);
  CF_HAS_STR(expected, "'t4'");
  for (int round = 0; round < 20; round++) {
    CF_TRUE(compileMany(true, 0x828010, error, sizeof(error)) == NULL);
    CF_EQ_STR(error, expected);
  }
}


CF_TEST(muscles__one_thread_or_many__same_ranges) {
  static const char xml[] =
      "<mujoco><compiler usethread='%s'><lengthrange timestep='.001'/></compiler><worldbody><site "
      "name='a' pos='0 0 1'/><body><joint "
      "axis='0 1 0' "
      "range='-60 90'/><geom size='.1' pos='.5 0 0'/><site name='b' pos='.4 0 .1'/><site name='c' "
      "pos='.4 0 "
      "-.1'/></body></worldbody><tendon><spatial name='s'><site site='a'/><site "
      "site='b'/></spatial><spatial "
      "name='t'><site site='a'/><site site='c'/></spatial></tendon><actuator><muscle "
      "tendon='s'/><muscle "
      "tendon='t'/><muscle tendon='s'/></actuator></mujoco>";
  char text[2000];
  snprintf(text, sizeof(text), xml, "false");
  mjModel* one = compileText(text);
  snprintf(text, sizeof(text), xml, "true");
  mjModel* many = compileText(text);
  CF_TRUE(one->actuator_lengthrange[0] < one->actuator_lengthrange[1]);
  for (int k = 0; k < 6; k++) {
    CF_NEAR(many->actuator_lengthrange[k], one->actuator_lengthrange[k], 0);
  }
  mj_deleteModel(one);
  mj_deleteModel(many);
}


CF_TEST_MAIN("compile/parallel")
