// Every field of small models, compiled here and recorded with MuJoCo 3.5.0 (tools/record_mjb.py
// tests/data/compile).
#include "cf_test.h"

#include "cf_compare.h"

static char* dataPath(const char* name, const char* extension) {
  static char path[1000];
  snprintf(path, sizeof(path), "%s/tests/data/compile/%s.%s", CF_SOURCE_DIR, name, extension);
  return path;
}


static void checkRecorded(const char* name) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(dataPath(name, "xml"), NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s: %s\n", name, error);
  }
  mjModel* ref = mj_loadModel(dataPath(name, "mjb"), NULL);
  CF_TRUE(ref);
  int differing = cf_differingModels(m, ref, 1e-10);
  mj_deleteModel(m);
  mj_deleteModel(ref);
  if (differing) {
    CF_FAIL("%s: %d fields differ\n", name, differing);
  }
}


#define RECORDED(name)                          \
  CF_TEST(name##__compiled__equals_reference) { \
    checkRecorded(#name);                       \
  }

RECORDED(orient_degree)
RECORDED(orient_radian)
RECORDED(solids)
RECORDED(inertial)
RECORDED(inertia_true)
RECORDED(inertia_bounds)
RECORDED(fuse)
RECORDED(discard)
RECORDED(alignfree)
RECORDED(frames)
RECORDED(joints)
RECORDED(simple)
RECORDED(equality)
RECORDED(tendons)
RECORDED(actuators)
RECORDED(sensors)
RECORDED(keyframes)
RECORDED(custom)
RECORDED(pairs)
RECORDED(cameras)
RECORDED(options)
RECORDED(fluid)
RECORDED(sleepers)
RECORDED(still)
RECORDED(cable)
RECORDED(replicas)
RECORDED(fuse_places)
RECORDED(flex_lines)
RECORDED(flex_surface)
RECORDED(flex_solid)
RECORDED(flex_nodes)

// whatever the grammar offers, put together at random
RECORDED(mixed_1)
RECORDED(mixed_2)
RECORDED(mixed_3)
RECORDED(mixed_4)
RECORDED(mixed_5)
RECORDED(mixed_6)
RECORDED(mixed_7)
RECORDED(mixed_8)
RECORDED(mixed_9)
RECORDED(mixed_10)
RECORDED(mixed_11)
RECORDED(mixed_12)
RECORDED(mixed_13)
RECORDED(mixed_14)
RECORDED(mixed_15)
RECORDED(mixed_16)


// the signature is not part of a binary model
CF_TEST(signature__structure__is_the_recorded_hash) {
  static const struct {
    const char* name;
    uint64_t signature;
  } recorded[] = {{"still", 6487031594035008576u},
                  {"sensors", 13579666312444530496u},
                  {"keyframes", 4730013663283347503u},
                  {"frames", 5006811483900647147u}};
  for (size_t k = 0; k < sizeof(recorded) / sizeof(recorded[0]); k++) {
    mjModel* m = mj_loadXML(dataPath(recorded[k].name, "xml"), NULL, NULL, 0);
    CF_TRUE(m);
    CF_EQ_INT(m->signature, recorded[k].signature);
    mj_deleteModel(m);
  }
}

CF_TEST_MAIN("compile/recorded")
