// A number that is none in any real field of a model: the binary file of such a model is accepted,
// as MuJoCo accepts it, holds the same bytes afterwards, and can be stepped, looked at and asked.
//
//   test_nan_fields          all models of models/, one place of every field
//   test_nan_fields all      the same, twenty places
//   test_nan_fields FILE…    these models
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "cf_folder.h"
#include "cf_guard.h"
#include "cf_reference.h"
#include "cf_test.h"
#include "model/layout.h"

static int max_places = 1, ncase, nmodel;
static char* tried;  // by field: was there a model that has it
static char doing[200];

// a step that does not end is told with the number that it was given
static void tellHang(int number) {
  (void)number;
  fprintf(stderr, "no end of %s\n", doing);
  _exit(1);
}


// everything that looks at a model; it may raise an error
static void useModel(const mjModel* m, mjData* d, mjvScene* scene) {
  const mjtNum from[3] = {0.1, 0.2, 3}, down[3] = {0, 0.1, -1};
  int geom;
  mjvOption options;
  mjvCamera camera;
  mj_step(m, d);
  mj_step(m, d);
  mj_inverse(m, d);
  mj_energyPos(m, d);
  mj_ray(m, d, from, down, NULL, 1, -1, &geom, NULL);
  mjv_defaultOption(&options);
  mjv_defaultCamera(&camera);
  memset(options.flags, 1, sizeof(options.flags));
  mjv_updateScene(m, d, &options, NULL, &camera, mjCAT_ALL, scene);
}


typedef struct {
  char* bytes;
  int nbyte;
} File;

static File saved(const mjModel* m) {
  const int nbyte = (int)mj_sizeModel(m);
  File file = {malloc((size_t)nbyte), nbyte};
  mj_saveModel(m, NULL, file.bytes, nbyte);
  return file;
}


static void tryOne(const mjModel* m, mjvScene* scene) {
  const File file = saved(m);
  ncase++;
  mjModel* again = mj_loadModelBuffer(file.bytes, file.nbyte);
  if (!again) {
    CF_FAIL("%s: refused, %s\n", doing, cf_warning_text);
  }
  const File other = saved(again);
  CF_EQ_INT(other.nbyte, file.nbyte);
  if (memcmp(file.bytes, other.bytes, (size_t)file.nbyte) != 0) {
    CF_FAIL("%s: other bytes when it is saved again\n", doing);
  }
  mjData* d = mj_makeData(again);
  alarm(20);
  CF_TRY_STATEMENT(useModel(again, d, scene));
  alarm(0);
  mj_deleteData(d);
  mj_deleteModel(again);
  free(file.bytes);
  free(other.bytes);
}


// what a tendon is wrapped from is an id in the form of a number, and parameters of our own models
// of actuators have ranges
static bool isNoPlainNumber(const mjModel* m, const char* field, mjtSize k) {
  if (!strcmp(field, "wrap_prm")) {
    return m->wrap_type[k] == mjWRAP_SPHERE || m->wrap_type[k] == mjWRAP_CYLINDER;
  }
  return !strcmp(field, "actuator_gainprm") && m->actuator_gaintype[k / mjNGAIN] == mjGAIN_USER;
}


// NaN in some places of one array
static void tryArray(mjModel* m, const cfFieldInfo* field, mjvScene* scene) {
  const mjtSize count = cfi_fieldCount(field, m, NULL);
  const mjtSize step = count > max_places ? count / max_places : 1;
  const mjtSize first = step > 1 ? ncase % step : 0;
  void* array = cfi_arrayOf(field, m);
  for (mjtSize k = first; k < count; k += step) {
    if (isNoPlainNumber(m, field->name, k)) {
      continue;
    }
    snprintf(doing, sizeof(doing), "%s[%lld] of %s", field->name, (long long)k, m->names);
    if (field->type == CF_TYPE_mjtNum) {
      mjtNum* x = (mjtNum*)array + k;
      const mjtNum old = *x;
      *x = NAN;
      tryOne(m, scene);
      *x = old;
    } else {
      float* x = (float*)array + k;
      const float old = *x;
      *x = NAN;
      tryOne(m, scene);
      *x = old;
    }
  }
}


static void tryModel(mjModel* m) {
  if (!m) {
    return;
  }
  nmodel++;
  mjvScene scene;
  mjv_defaultScene(&scene);
  mjv_makeScene(m, &scene, 5000);
  for (int f = 0; f < cfi_modelFields.count; f++) {
    const cfFieldInfo* field = cfi_modelFields.field + f;
    if ((field->type == CF_TYPE_mjtNum || field->type == CF_TYPE_float) &&
        cfi_fieldCount(field, m, NULL)) {
      tried[f] = 1;
      tryArray(m, field, &scene);
    }
  }
  mjv_freeScene(&scene);
  mj_deleteModel(m);
}


// models that are parts of others are not loaded
static void tryFile(const char* path, void* unused) {
  (void)unused;
  tryModel(mj_loadXML(path, NULL, NULL, 0));
}


// a flex with texture coordinates and the octree of a mesh, which no file has
static const char rare[] =
    "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><body name='b'><freejoint/><geom size='.1'/><geom type='sdf' mesh='m'/></body></worldbody><deformable>"
    "<flex name='f' dim='2' body='b' vertex='0 0 0 1 0 0 0 1 0' element='0 1 2' texcoord='0 0 1 1 0 1' "
    "elemtexcoord='0 1 2'/></deformable></mujoco>";

static void tryText(const char* text) {
  mjSpec* spec = mj_parseXMLString(text, NULL, NULL, 0);
  tryModel(mj_compile(spec, NULL));
  mj_deleteSpec(spec);
}


// real fields that no model has
static int countMissed(void) {
  int nmissed = 0;
  for (int f = 0; f < cfi_modelFields.count; f++) {
    const cfFieldInfo* field = cfi_modelFields.field + f;
    if ((field->type == CF_TYPE_mjtNum || field->type == CF_TYPE_float) && !tried[f]) {
      printf("no model has %s\n", field->name);
      nmissed++;
    }
  }
  return nmissed;
}


int main(int argc, char** argv) {
  tried = calloc((size_t)cfi_modelFields.count, 1);
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 30);  // arenas come from the heap that was there before
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  cf_guardClear();
  signal(SIGALRM, tellHang);
  max_places = argc > 1 ? 20 : max_places;
  const bool is_every = argc == 1 || !strcmp(argv[1], "all");
  for (int i = 1; i < argc && !is_every; i++) {
    tryModel(mj_loadXML(argv[i], NULL, NULL, 0));
  }
  if (is_every) {
    cf_visitModels(CF_SOURCE_DIR "/models", tryFile, NULL);
    tryText(rare);
  }
  const int nmissed = countMissed();
  printf("%d models, %d copies with one NaN each\n", nmodel, ncase);
  free(tried);
  return is_every && (nmissed || ncase < 10000);
}
