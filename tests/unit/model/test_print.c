// Texts of models, data and scenes: MuJoCo's format, to the character.
//
// Where the reference is there it prints our structs, so that numbers cannot differ and every
// difference is one of format.  Texts that it has printed stand in tests/data/print.
#include "cf_guard.h"

#include <mujoco/mujoco.h>
#include <unistd.h>

#include "cf_reference.h"
#include "cf_test.h"

enum { PRINT_MAX = 4000000 };

static char ours_path[64], theirs_path[64];
static const char* const formats[] = {"% -9.2g", "%+.1f", "%14.6e"};


// a whole file; the caller frees
static char* textOf(const char* path) {
  FILE* file = fopen(path, "r");
  char* text = calloc(1, PRINT_MAX);
  if (file) {
    text[fread(text, 1, PRINT_MAX - 1, file)] = '\0';
    fclose(file);
  }
  return text;
}


// equal, or the line in which they part
static void assertSameText(const char* ours, const char* theirs, const char* what) {
  int line = 1;
  for (size_t k = 0; ours[k] || theirs[k]; k++) {
    if (ours[k] != theirs[k]) {
      CF_FAIL("%s differs in line %d: '%.60s' instead of '%.60s'\n", what, line, ours + k,
              theirs + k);
    }
    line += ours[k] == '\n';
  }
  CF_TRUE(line > 1);
}


static void assertSameFiles(const char* what) {
  char *ours = textOf(ours_path), *theirs = textOf(theirs_path);
  assertSameText(ours, theirs, what);
  free(ours);
  free(theirs);
}


static void makePaths(void) {
  snprintf(ours_path, sizeof(ours_path), "/tmp/cf_print_ours_%d", (int)getpid());
  snprintf(theirs_path, sizeof(theirs_path), "/tmp/cf_print_theirs_%d", (int)getpid());
}


static void removeFiles(void) {
  unlink(ours_path);
  unlink(theirs_path);
}


static void compareScene(const mjModel* m, mjData* d) {
  mjvScene scene;
  mjvOption option;
  mjvCamera camera;
  mjv_defaultScene(&scene);
  mjv_makeScene(m, &scene, 2000);
  mjv_defaultOption(&option);
  mjv_defaultFreeCamera(m, &camera);
  option.label = mjLABEL_BODY;
  mjv_updateScene(m, d, &option, NULL, &camera, mjCAT_ALL, &scene);
  for (int transform = 0; transform < 2; transform++) {
    scene.enabletransform = (mjtByte)transform;
    mj_printScene(&scene, ours_path);
    CF_REF(mj_printScene)(&scene, theirs_path);
    assertSameFiles("scene");
  }
  mjv_freeScene(&scene);
}


// model, data and scene after a few steps, in every format
static void compareTexts(const char* name, int jacobian) {
  char path[600], error[500] = "";
  snprintf(path, sizeof(path), "%s/models/%s.xml", CF_SOURCE_DIR, name);
  mjModel* m = mj_loadXML(path, NULL, error, sizeof(error));
  CF_TRUE(m != NULL);
  m->opt.jacobian = jacobian;
  mjData* d = mj_makeData(m);
  for (int k = 0; k < 4; k++) {
    mj_step(m, d);
  }
  mj_forward(m, d);
  for (int k = 0; k < 3; k++) {
    mj_printFormattedModel(m, ours_path, formats[k]);
    CF_REF(mj_printFormattedModel)(m, theirs_path, formats[k]);
    assertSameFiles(name);
    mj_printFormattedData(m, d, ours_path, formats[k]);
    CF_REF(mj_printFormattedData)(m, d, theirs_path, formats[k]);
    assertSameFiles(name);
  }
  compareScene(m, d);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(print__models_of_every_kind__texts_of_the_reference) {
  static const char* const names[] = {"humanoid",
                                      "stack",
                                      "muscles",
                                      "sleepers",
                                      "custom/values",
                                      "assets/skins",
                                      "assets/textures",
                                      "assets/mesh_files",
                                      "sensors/frames",
                                      "soft/towel",
                                      "soft/nodes",
                                      "tendons/pulleys",
                                      "keyframes/full_state",
                                      "grasp",
                                      "terrain",
                                      "actuators/delays",
                                      "sensors/joint_state"};
  CF_NEED_REFERENCE();
  makePaths();
  for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
    compareTexts(names[k], mjJAC_AUTO);
  }
  compareTexts("stack", mjJAC_DENSE);
  compareTexts("stack", mjJAC_SPARSE);
  compareTexts("tendons/pulleys", mjJAC_SPARSE);
  removeFiles();
}


// recorded with the reference: mj_printModel and mj_printData of this model before the first step
static const char small_model[] =
    "<mujoco model='small'>"
    "<worldbody><geom name='floor' type='plane' size='1 1 .1'/>"
    "<body name='box' pos='0 0 1'><freejoint/><site name='s'/><geom size='.1 .1 .1' type='box'/></body>"
    "<body mocap='true'><geom size='.1' contype='0' conaffinity='0'/></body></worldbody>"
    "<actuator><motor name='m' site='s' gear='0 0 1' nsample='3' delay='.01'/></actuator>"
    "<custom><numeric name='n' data='1 2'/><text name='t' data='words'/></custom>"
    "<keyframe><key name='k' time='1' qpos='1 0 1 1 0 0 0'/></keyframe></mujoco>";


static void compareRecorded(const char* file) {
  char path[600];
  snprintf(path, sizeof(path), "%s/tests/data/print/%s", CF_SOURCE_DIR, file);
  char *ours = textOf(ours_path), *recorded = textOf(path);
  assertSameText(ours, recorded, file);
  free(ours);
  free(recorded);
}


CF_TEST(print__small_model__recorded_text) {
  makePaths();
  mjSpec* spec = mj_parseXMLString(small_model, NULL, NULL, 0);
  mjModel* m = mj_compile(spec, NULL);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  mj_printModel(m, ours_path);
  compareRecorded("small_model.txt");

  // memory that a stage takes is its own affair
  d->maxuse_stack = d->maxuse_arena = 0;
  mj_printFormattedData(m, d, ours_path, "%.3f");
  compareRecorded("small_data.txt");
  mj_deleteData(d);
  mj_deleteModel(m);
  mj_deleteSpec(spec);
  removeFiles();
}


CF_TEST(print__format_that_is_none__two_warnings_and_the_default) {
  static const char* const bad[] = {
      "%s", "%f%f", "x", "%--f", "%.3", "%*f", "%.123456789012345678f"};
  makePaths();
  mjSpec* spec = mj_makeSpec();
  mjModel* m = mj_compile(spec, NULL);
  for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
    cf_guardClear();
    mj_printFormattedModel(m, ours_path, bad[k]);
    CF_EQ_INT(cf_warning_count, 2);
    CF_HAS_STR(cf_warning_text, "WARNING: Received invalid float_format. Using default instead.");
  }
  cf_guardClear();
  mj_printFormattedModel(m, ours_path, NULL);
  CF_EQ_INT(cf_warning_count, 1);
  cf_guardClear();
  mj_deleteModel(m);
  mj_deleteSpec(spec);
  removeFiles();
}

CF_TEST_MAIN("model/print")
