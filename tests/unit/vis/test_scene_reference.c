// Scenes of this library and of the reference, geom by geom, for all flags, frames and labels.
#include "cf_test.h"

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "cf_models.h"
#include "cf_reference.h"

// functions of the reference are looked up by name
#pragma GCC diagnostic ignored "-Wpedantic"

enum { GEOMS_MAX = 5000 };


static bool isClose(const float* a, const float* b, int n) {
  for (int i = 0; i < n; i++) {
    if (!(fabsf(a[i] - b[i]) <= 1e-5f * (1 + fabsf(b[i])))) {
      return false;
    }
  }
  return true;
}


// what differs between two geoms, NULL if nothing does
static const char* differs(const mjvGeom* a, const mjvGeom* b) {
#define SAME(field)         \
  if (a->field != b->field) \
  return #field
  SAME(type);
  SAME(dataid);
  SAME(objtype);
  SAME(objid);
  SAME(category);
  SAME(matid);
  SAME(texcoord);
  SAME(segid);
#undef SAME
#define CLOSE(field, n)                \
  if (!isClose(a->field, b->field, n)) \
  return #field
  CLOSE(size, 3);
  CLOSE(pos, 3);
  CLOSE(mat, 9);
  CLOSE(rgba, 4);
#undef CLOSE
  if (!isClose(&a->emission, &b->emission, 4)) {
    return "emission, specular, shininess or reflectance";
  }
  return strcmp(a->label, b->label) ? "label" : NULL;
}


static void compareScenes(const char* what, const mjvScene* ours, const mjvScene* theirs) {
  int n = ours->ngeom < theirs->ngeom ? ours->ngeom : theirs->ngeom;
  for (int i = 0; i < n; i++) {
    const mjvGeom *a = ours->geoms + i, *b = theirs->geoms + i;
    const char* field = differs(a, b);
    if (field) {
      CF_FAIL("%s: geom %d of %d (type %d object %d %d) differs in %s\n", what, i, theirs->ngeom,
              b->type, b->objtype, b->objid, field);
    }
  }
  CF_EQ_INT(ours->ngeom, theirs->ngeom);
  CF_EQ_INT(ours->nlight, theirs->nlight);
  for (int f = 0; f < theirs->nflex; f++) {
    int adr = theirs->flexfaceadr[f], used = theirs->flexfaceused[f];
    CF_EQ_INT(ours->flexfaceadr[f], adr);
    CF_EQ_INT(ours->flexfaceused[f], used);
    CF_TRUE(isClose(ours->flexface + 9 * adr, theirs->flexface + 9 * adr, 9 * used));
    CF_TRUE(isClose(ours->flexnormal + 9 * adr, theirs->flexnormal + 9 * adr, 9 * used));
  }
}


typedef struct {
  mjModel* m;
  mjData* d;
  mjvScene ours, theirs;
  mjvCamera cam;
  mjvPerturb pert;
} cfStage;


static void compareWith(cfStage* s, const mjvOption* opt, const char* what) {
  s->theirs.ngeom = s->ours.ngeom = 0;
  mjv_updateScene(s->m, s->d, opt, &s->pert, &s->cam, mjCAT_ALL, &s->ours);
  CF_REF(mjv_updateScene)(s->m, s->d, opt, &s->pert, &s->cam, mjCAT_ALL, &s->theirs);
  compareScenes(what, &s->ours, &s->theirs);
}


// default view, each flag inverted, everything shown, every label and frame
static void compareViews(cfStage* s, const char* name) {
  char what[200];
  mjvOption opt;
  mjv_defaultOption(&opt);
  compareWith(s, &opt, name);
  for (int i = 0; i < mjNVISFLAG; i++) {
    snprintf(what, sizeof(what), "%s, flag %s", name, mjVISSTRING[i][0]);
    opt.flags[i] ^= 1;
    compareWith(s, &opt, what);
    opt.flags[i] ^= 1;
  }
  memset(opt.flags, 1, sizeof(opt.flags));
  memset(opt.geomgroup, 1, sizeof(opt.geomgroup));
  memset(opt.sitegroup, 1, sizeof(opt.sitegroup));
  for (int label = 0; label < mjNLABEL; label++) {
    snprintf(what, sizeof(what), "%s, all, label %s", name, mjLABELSTRING[label]);
    opt.label = label;
    opt.frame = label % mjNFRAME;
    opt.bvh_depth = label % 4;
    opt.flags[mjVIS_FLEXSKIN] = label % 2;
    opt.flags[mjVIS_INERTIA] = label % 3 > 0;
    compareWith(s, &opt, what);
  }
}


// the reference computes the state, so that nothing but the scene can differ
static void compareModel(mjModel* m, const char* name) {
  static cfStage s;
  memset(&s, 0, sizeof(s));
  s.m = m;
  s.d = CF_REF(mj_makeData)(m);
  for (int i = 0; i < m->nu; i++) {
    s.d->ctrl[i] = 0.3;
  }
  for (int i = 0; i < m->nv; i++) {
    s.d->qvel[i] = 0.1 * sin(i);
  }
  if (m->nbody > 1) {
    s.d->xfrc_applied[6] = 3;
  }
  for (int i = 0; i < 5; i++) {
    CF_REF(mj_step)(m, s.d);
  }
  CF_REF(mj_forward)(m, s.d);
  mjv_defaultFreeCamera(m, &s.cam);
  mjv_defaultPerturb(&s.pert);
  mjv_makeScene(m, &s.ours, GEOMS_MAX);
  CF_REF(mjv_makeScene)(m, &s.theirs, GEOMS_MAX);
  mjv_updateCamera(m, s.d, &s.cam, &s.ours);
  mjv_updateCamera(m, s.d, &s.cam, &s.theirs);
  if (m->nbody > 1) {
    s.pert.select = 1;
    s.pert.active = mjPERT_TRANSLATE | mjPERT_ROTATE;
    CF_REF(mjv_initPerturb)(m, s.d, &s.ours, &s.pert);
  }
  compareViews(&s, name);
  mjv_freeScene(&s.ours);
  CF_REF(mjv_freeScene)(&s.theirs);
  CF_REF(mj_deleteData)(s.d);
}


CF_TEST(scene__binary_test_models__equal) {
  CF_NEED_REFERENCE();
  for (int i = 0; i < CF_NMODEL; i++) {
    mjModel* m = cf_loadTestModel(cf_model_names[i]);
    compareModel(m, cf_model_names[i]);
    mj_deleteModel(m);
  }
}


CF_TEST(scene__stages_model__equal) {
  char error[300] = "";
  CF_NEED_REFERENCE();
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/tests/data/stages.xml", NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  compareModel(m, "stages");
  mj_deleteModel(m);
}


// more models, read by the reference; those it cannot load are left out, and those with height
// fields, for which it shows the volumes of a mesh of the same number
CF_TEST(scene__shared_models__equal) {
  CF_NEED_REFERENCE();
  CF_NEED_SHARED();
  const char* folder = cf_sharedFolder();
  char path[2000], line[1000], error[500];
  snprintf(path, sizeof(path), "%s/models/MANIFEST.csv", folder);
  FILE* list = fopen(path, "r");
  int compared = 0;
  while (list && fgets(line, sizeof(line), list)) {
    line[strcspn(line, ",\n")] = 0;
    snprintf(path, sizeof(path), "%s/models/%s", folder, line);
    mjModel* m = strstr(line, ".xml") ? CF_REF(mj_loadXML)(path, NULL, error, sizeof(error)) : NULL;
    if (m && m->nplugin == 0 && m->nhfield == 0 && m->nv < 1000) {
      compareModel(m, line);
      compared++;
    }
    CF_REF(mj_deleteModel)(m);
  }
  if (list) {
    fclose(list);
  }
  printf("%d scenes compared\n", compared);
  CF_TRUE(compared > 100);
}

CF_TEST_MAIN("vis/scene_reference")
