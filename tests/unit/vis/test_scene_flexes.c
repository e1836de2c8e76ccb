// Surfaces of flexes in a scene against the reference: every geometry, radius, kind of skin, layer
// and combination of the flags that concern flexes, in the reference's own states.
#include "cf_test.h"

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "cf_reference.h"

// functions of the reference are looked up by name
#pragma GCC diagnostic ignored "-Wpedantic"

static const int flags[] = {mjVIS_FLEXVERT, mjVIS_FLEXEDGE, mjVIS_FLEXFACE, mjVIS_FLEXSKIN};
enum { COMBINATIONS = 16, LAYERS = 3, GEOMS_MAX = 200 };

// what is compared, and how many scenes were
typedef struct {
  const mjModel* m;
  mjData* d;
  mjvScene ours, theirs;
  const char* name;
  int compared, lit;
} twinScenes;


static void compareFloats(const twinScenes* s, const char* field, const float* ours,
                          const float* theirs, int n) {
  for (int i = 0; i < n; i++) {
    if (!(fabsf(ours[i] - theirs[i]) <= 1e-5f)) {
      CF_FAIL("%s: %s[%d] is %g, %g in the reference\n", s->name, field, i, (double)ours[i],
              (double)theirs[i]);
    }
  }
}


static void compareSurface(const twinScenes* s, int flex) {
  const int adr = s->theirs.flexfaceadr[flex], used = s->theirs.flexfaceused[flex];
  CF_EQ_INT(s->ours.flexfaceadr[flex], adr);
  CF_EQ_INT(s->ours.flexfaceused[flex], used);
  compareFloats(s, "flexface", s->ours.flexface + 9 * adr, s->theirs.flexface + 9 * adr, 9 * used);
  compareFloats(s, "flexnormal", s->ours.flexnormal + 9 * adr, s->theirs.flexnormal + 9 * adr,
                9 * used);
  if (s->m->flex_texcoordadr[flex] >= 0) {
    compareFloats(s, "flextexcoord", s->ours.flextexcoord + 6 * adr,
                  s->theirs.flextexcoord + 6 * adr, 6 * used);
  }
}


static void compareOnce(twinScenes* s, const mjvOption* opt) {
  mjvCamera cam;
  mjv_defaultFreeCamera(s->m, &cam);
  mjv_updateScene(s->m, s->d, opt, NULL, &cam, mjCAT_ALL, &s->ours);
  CF_REF(mjv_updateScene)(s->m, s->d, opt, NULL, &cam, mjCAT_ALL, &s->theirs);
  s->compared++;
  CF_EQ_INT(s->ours.ngeom, s->theirs.ngeom);
  // with all flags off neither library touches the surfaces
  if (!opt->flags[flags[0]] && !opt->flags[flags[1]] && !opt->flags[flags[2]] &&
      !opt->flags[flags[3]]) {
    return;
  }
  CF_EQ_INT(s->ours.flexvertopt, s->theirs.flexvertopt);
  CF_EQ_INT(s->ours.flexedgeopt, s->theirs.flexedgeopt);
  CF_EQ_INT(s->ours.flexfaceopt, s->theirs.flexfaceopt);
  CF_EQ_INT(s->ours.flexskinopt, s->theirs.flexskinopt);
  compareFloats(s, "flexvert", s->ours.flexvert, s->theirs.flexvert, 3 * (int)s->m->nflexvert);
  for (int f = 0; f < s->m->nflex; f++) {
    compareSurface(s, f);
    s->lit += s->theirs.flexfaceused[f] > 0;
  }
}


static void compareViews(twinScenes* s) {
  mjvOption opt;
  mjv_defaultOption(&opt);
  for (int k = 0; k < COMBINATIONS * LAYERS; k++) {
    for (int bit = 0; bit < 4; bit++) {
      opt.flags[flags[bit]] = k >> bit & 1;
    }
    opt.flex_layer = k / COMBINATIONS;
    compareOnce(s, &opt);
  }
}


// one model of the reference, at rest and bent
static void compareModel(twinScenes* s, const char* xml, const char* name) {
  char error[500] = "";
  mjSpec* spec = CF_REF(mj_parseXMLString)(xml, NULL, error, sizeof(error));
  mjModel* m = spec ? CF_REF(mj_compile)(spec, NULL) : NULL;
  if (!m) {
    CF_FAIL("%s: %s\n", name, spec ? CF_REF(mjs_getError)(spec) : error);
  }
  s->m = m;
  s->name = name;
  s->d = CF_REF(mj_makeData)(m);
  mjv_makeScene(m, &s->ours, GEOMS_MAX);
  CF_REF(mjv_makeScene)(m, &s->theirs, GEOMS_MAX);
  for (int bent = 0; bent < 2; bent++) {
    for (int k = 0; bent && k < m->nq; k++) {
      s->d->qpos[k] += 0.01 * sin(3.0 * k);
    }
    CF_REF(mj_forward)(m, s->d);
    compareViews(s);
  }
  mjv_freeScene(&s->ours);
  CF_REF(mjv_freeScene)(&s->theirs);
  CF_REF(mj_deleteData)(s->d);
  CF_REF(mj_deleteModel)(m);
  CF_REF(mj_deleteSpec)(spec);
}


CF_TEST(scene__every_kind_of_flex__surface_and_normals_equal) {
  CF_NEED_REFERENCE();
  // grids and boxes, with and without coordinates of a texture
  static const struct {
    const char* form;
    int dim;
  } shape[] = {{"type=\"grid\" count=\"5 1 1\" spacing=\".1 .1 .1\"", 1},
               {"type=\"circle\" count=\"8 1 1\" spacing=\".1 .1 .1\"", 1},
               {"type=\"grid\" count=\"4 3 1\" spacing=\".1 .1 .1\"", 2},
               {"type=\"disc\" count=\"4 4 1\" spacing=\".1 .1 .1\"", 2},
               {"type=\"grid\" count=\"4 3 3\" spacing=\".1 .1 .1\"", 3},
               {"type=\"box\" count=\"4 4 4\" spacing=\".1 .1 .1\"", 3},
               {"type=\"ellipsoid\" count=\"5 5 5\" spacing=\".1 .1 .1\"", 3}};
  static const char* const radius[] = {"0", "1e-6", "0.02"};
  static twinScenes s;
  for (int k = 0; k < 7 * 3 * 2 * 2; k++) {
    const int kind = k % 7, size = k / 7 % 3;
    const bool is_flat = k / 21 % 2, has_texture = k / 42 % 2 && shape[kind].dim > 1;
    char xml[1000], name[300];
    snprintf(name, sizeof(name), "%s dim=\"%d\" radius=\"%s\" flatskin=\"%s\"%s", shape[kind].form,
             shape[kind].dim, radius[size], is_flat ? "true" : "false",
             has_texture ? " material=\"cloth\"" : "");
    snprintf(xml, sizeof(xml),
             "<mujoco><asset><texture name=\"cloth\" type=\"2d\" builtin=\"flat\" width=\"4\" "
             "height=\"4\"/><material name=\"cloth\" texture=\"cloth\"/></asset><worldbody>"
             "<flexcomp name=\"f\" mass=\"1\" %s/></worldbody></mujoco>",
             name);
    compareModel(&s, xml, name);
  }
  printf("%d scenes compared, %d surfaces\n", s.compared, s.lit);
  CF_TRUE(s.compared == 84 * 2 * COMBINATIONS * LAYERS);
  CF_TRUE(s.lit > s.compared / 4);
}

CF_TEST_MAIN("vis/scene_flexes")
