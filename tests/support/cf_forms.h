// Shapes and frames of worlds that differ: values of parameters drawn about those of a model, and a
// model edited by hand the same way.
#ifndef CF_FORMS_H
#define CF_FORMS_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <cortenforge/batch.h>

#include "cf_test.h"
#include "cf_text.h"

// a field of shapes or frames: numbers of an object, and what may be done to them
typedef struct {
  const char* name;
  int n;
  enum { CF_FORM_SIZE, CF_FORM_PLACE, CF_FORM_TURN, CF_FORM_AXIS, CF_FORM_MARGIN } kind;
} cfFormField;

static const cfFormField cf_form_fields[] = {
    {"geom_size", 3, CF_FORM_SIZE},     {"geom_pos", 3, CF_FORM_PLACE},
    {"geom_quat", 4, CF_FORM_TURN},     {"geom_margin", 1, CF_FORM_MARGIN},
    {"geom_gap", 1, CF_FORM_MARGIN},    {"site_size", 3, CF_FORM_SIZE},
    {"site_pos", 3, CF_FORM_PLACE},     {"site_quat", 4, CF_FORM_TURN},
    {"body_ipos", 3, CF_FORM_PLACE},    {"body_iquat", 4, CF_FORM_TURN},
    {"jnt_pos", 3, CF_FORM_PLACE},      {"jnt_axis", 3, CF_FORM_AXIS},
    {"pair_margin", 1, CF_FORM_MARGIN}, {"pair_gap", 1, CF_FORM_MARGIN},
    {"cam_pos", 3, CF_FORM_PLACE},      {"cam_quat", 4, CF_FORM_TURN},
};
enum { CF_NFORM = sizeof(cf_form_fields) / sizeof(cf_form_fields[0]) };


static inline mjtNum* cf_formArray(const mjModel* m, const char* name, int* count) {
  const struct {
    const char* name;
    mjtNum* array;
    mjtSize count;
  } list[] = {
      {"geom_size", m->geom_size, m->ngeom},     {"geom_pos", m->geom_pos, m->ngeom},
      {"geom_quat", m->geom_quat, m->ngeom},     {"geom_margin", m->geom_margin, m->ngeom},
      {"geom_gap", m->geom_gap, m->ngeom},       {"site_size", m->site_size, m->nsite},
      {"site_pos", m->site_pos, m->nsite},       {"site_quat", m->site_quat, m->nsite},
      {"body_ipos", m->body_ipos, m->nbody},     {"body_iquat", m->body_iquat, m->nbody},
      {"jnt_pos", m->jnt_pos, m->njnt},          {"jnt_axis", m->jnt_axis, m->njnt},
      {"pair_margin", m->pair_margin, m->npair}, {"pair_gap", m->pair_gap, m->npair},
      {"cam_pos", m->cam_pos, m->ncam},          {"cam_quat", m->cam_quat, m->ncam},
  };
  for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
    if (!strcmp(list[k].name, name)) {
      *count = (int)list[k].count;
      return list[k].array;
    }
  }
  CF_FAIL("no array %s\n", name);
  return NULL;
}


// may this object have other numbers than those of the model
static inline int cf_formIsFree(const mjModel* m, const cfFormField* f, int id) {
  if (!strcmp(f->name, "geom_size")) {
    return m->geom_type[id] != mjGEOM_MESH && m->geom_type[id] != mjGEOM_HFIELD &&
           m->geom_type[id] != mjGEOM_SDF;
  }
  if (!strncmp(f->name, "body_", 5)) {
    return id > 0 && !m->body_simple[id];
  }
  return strncmp(f->name, "jnt_", 4) != 0 ||
         (!m->body_simple[m->jnt_bodyid[id]] && m->jnt_type[id] != mjJNT_FREE);
}


// numbers of one object in a world; world 0 keeps those of the model
static inline void cf_drawForm(mjtNum* value, const cfFormField* f, int id, int world) {
  const mjtNum s = world ? sin(1.7 * world + 0.9 * id + f->n) : 0;
  mjtNum turn[4] = {cos(0.1 * s), 0, sin(0.1 * s), 0}, axis[3];
  switch (f->kind) {
    case CF_FORM_SIZE:
      for (int k = 0; k < f->n; k++) {
        value[k] *= 1 + 0.1 * s * cos(k);
      }
      break;
    case CF_FORM_PLACE:
      for (int k = 0; k < f->n; k++) {
        value[k] += 0.01 * s * cos(k);
      }
      break;
    case CF_FORM_TURN:
      if (s != 0) {
        mju_mulQuat(turn, value, turn);
        mju_copy4(value, turn);
        mju_normalize4(value);
      }
      break;
    case CF_FORM_AXIS:
      if (s != 0) {
        mju_rotVecQuat(axis, value, turn);
        mju_copy3(value, axis);
        mju_normalize3(value);
      }
      break;
    case CF_FORM_MARGIN:
      value[0] += 0.004 * s * s;
  }
}


// the field of one world, into n numbers
static inline void cf_drawForms(mjtNum* value, const mjModel* m, const cfFormField* f, int world) {
  int count;
  const mjtNum* shared = cf_formArray(m, f->name, &count);
  mju_copy(value, shared, f->n * count);
  for (int id = 0; id < count; id++) {
    if (cf_formIsFree(m, f, id)) {
      cf_drawForm(value + f->n * id, f, id, world);
    }
  }
}


// draw a field in all worlds of a batch
static inline void cf_setForms(cfBatch* batch, const cfFormField* f, int nworld) {
  const mjModel* m = cf_batchModel(batch);
  int count;
  cf_formArray(m, f->name, &count);
  const size_t n = (size_t)(count * f->n);
  mjtNum* value = calloc(n * (size_t)nworld + 1, sizeof(mjtNum));
  for (int w = 0; w < nworld; w++) {
    cf_drawForms(value + n * (size_t)w, m, f, w);
  }
  if (!cf_batchSet(batch, f->name, NULL, nworld, CF_ORDER_WORLD, value)) {
    CF_FAIL("%s: %s\n", f->name, cf_batchError(batch));
  }
  free(value);
}


// ---------------------------------------- an edited model

// corners of a geom's box in the inertial frame of its body
static inline void cf_coverGeom(const mjModel* m, int geom, mjtNum low[3], mjtNum high[3]) {
  const int body = m->geom_bodyid[geom];
  mjtNum back_pos[3], back_quat[4];
  mju_negPose(back_pos, back_quat, m->body_ipos + 3 * body, m->body_iquat + 4 * body);
  for (int corner = 0; corner < 8; corner++) {
    mjtNum x[3], in_body[3], in_tree[3];
    for (int k = 0; k < 3; k++) {
      const mjtNum half = m->geom_aabb[6 * geom + 3 + k];
      x[k] = m->geom_aabb[6 * geom + k] + (corner >> k & 1 ? half : -half);
    }
    mju_trnVecPose(in_body, m->geom_pos + 3 * geom, m->geom_quat + 4 * geom, x);
    mju_trnVecPose(in_tree, back_pos, back_quat, in_body);
    for (int k = 0; k < 3; k++) {
      low[k] = mju_min(low[k], in_tree[k]);
      high[k] = mju_max(high[k], in_tree[k]);
    }
  }
}


// boxes of a body's tree: around all geoms below a node
static inline void cf_coverNode(mjModel* m, int body, int node, mjtNum low[3], mjtNum high[3]) {
  const int adr = m->body_bvhadr[body], *child = m->bvh_child + 2 * (adr + node);
  if (child[0] < 0) {
    cf_coverGeom(m, m->bvh_nodeid[adr + node], low, high);
    return;
  }
  cf_coverNode(m, body, child[0], low, high);
  cf_coverNode(m, body, child[1], low, high);
}


// what somebody who edits a model has to do: bounds by the textbook, no frame taken for another,
// then mj_setConst
static inline void cf_finishForms(mjModel* m, mjData* d) {
  for (int g = 0; g < m->ngeom; g++) {
    const mjtNum *s = m->geom_size + 3 * g, x = s[0], y = s[1], z = s[2];
    mjtNum *r = m->geom_rbound + g, *half = m->geom_aabb + 6 * g + 3;
    switch (m->geom_type[g]) {
      case mjGEOM_SPHERE:
        *r = half[0] = half[1] = half[2] = x;
        break;
      case mjGEOM_CAPSULE:
        half[0] = half[1] = x;
        *r = half[2] = x + y;
        break;
      case mjGEOM_ELLIPSOID:
        *r = mju_max(mju_max(x, y), z);
        mju_copy3(half, s);
        break;
      case mjGEOM_CYLINDER:
        *r = mju_sqrt(x * x + y * y);
        half[0] = half[1] = x;
        half[2] = y;
        break;
      case mjGEOM_BOX:
        *r = mju_norm3(s);
        mju_copy3(half, s);
    }
  }
  for (int i = 0; i < m->nbody; i++) {
    m->body_margin[i] = 0;
    for (int g = m->body_geomadr[i]; g < m->body_geomadr[i] + m->body_geomnum[i]; g++) {
      m->body_margin[i] = mju_max(m->body_margin[i], m->geom_margin[g]);
    }
    for (int node = 0; node < m->body_bvhnum[i]; node++) {
      mjtNum low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
      mjtNum* box = m->bvh_aabb + 6 * (m->body_bvhadr[i] + node);
      cf_coverNode(m, i, node, low, high);
      for (int k = 0; k < 3; k++) {
        box[k] = 0.5 * (low[k] + high[k]);
        box[3 + k] = 0.5 * (high[k] - low[k]);
      }
    }
  }
  mj_setConst(m, d);
}


// ---------------------------------------- a model

// every shape on a plane and on each other, bodies of several geoms, zones of touch; %s: sizes of
// the geoms by their order, and what the fast tier has not
static const char* const cf_heap_xml =
    "<mujoco><option timestep='0.004'/><worldbody>"
    "<geom name='floor' type='plane' size='5 5 .1' pos='0 0 -.02'/>"
    "<geom name='step' type='box' size='%s' pos='.6 0 .05' euler='0 5 3'/>"
    "<site name='high' pos='0 .9 .8'/>"
    "<body pos='0 0 .12'><freejoint/><geom name='ball' size='%s' mass='1'/>"
    "<site name='zone' size='.15' type='sphere'/></body>"
    "<body pos='.02 .01 .35'><freejoint/><inertial pos='.01 0 .02' mass='1.5' "
    "diaginertia='.01 .012 .014'/><geom name='stick' type='capsule' size='%s' euler='80 10 0'/>"
    "<geom name='knob' type='ellipsoid' size='%s' pos='.2 0 .02' euler='10 20 30'/>"
    "<geom name='end' type='sphere' size='%s' pos='-.15 .02 .05'/></body>"
    "<body pos='.55 .05 .3'><freejoint/><geom name='log' type='cylinder' size='%s' euler='85 0 20' "
    "mass='2'/></body>"
    "<body pos='-.6 0 .3' euler='0 0 30'><joint name='hinge' axis='0 1 .2' pos='0 0 .1'/>"
    "<geom name='plate' type='box' size='%s' mass='1' pos='0 0 -.05'/>"
    "<geom name='rod' type='capsule' size='%s' pos='.2 0 -.1' euler='0 90 0' mass='.5'/>"
    "<site name='low' pos='.1 0 0'/><body pos='.5 0 -.1'><joint axis='0 1 0' range='-60 60'/>"
    "<geom size='.06' mass='.3'/><site name='tip' pos='.02 0 0' size='.08'/></body></body>"
    "</worldbody>%s"
    "<contact><pair geom1='rod' geom2='stick'/></contact>"
    "<sensor><touch site='zone'/><touch site='tip'/><accelerometer site='tip'/>"
    "<framepos objtype='geom' objname='knob'/></sensor></mujoco>";
static const char* const cf_heap_rope =
    "<tendon><spatial name='rope' stiffness='20' springlength='.5'><site site='high'/>"
    "<geom geom='ball'/><site site='low'/></spatial></tendon>"
    "<sensor><tendonpos tendon='rope'/><rangefinder site='high'/></sensor>";

enum { CF_NHEAP = 8 };
static const char* const cf_heap_names[CF_NHEAP] = {"step", "ball", "stick", "knob",
                                                    "end",  "log",  "plate", "rod"};
static const mjtNum cf_heap_sizes[CF_NHEAP][3] = {{.3, .2, .1},   {.1, 0, 0},   {.05, .15, 0},
                                                  {.1, .07, .06}, {.06, 0, 0},  {.08, .12, 0},
                                                  {.1, .15, .05}, {.04, .15, 0}};


// the heap with the sizes of a world, NULL: the usual ones
static inline mjModel* cf_loadHeap(mjtNum (*size)[3], bool has_rope) {
  char text[CF_NHEAP][100], xml[4000];
  for (int k = 0; k < CF_NHEAP; k++) {
    const mjtNum* s = size ? size[k] : cf_heap_sizes[k];
    snprintf(text[k], sizeof(text[k]), "%.17g %.17g %.17g", s[0], s[1], s[2]);
  }
  snprintf(xml, sizeof(xml), cf_heap_xml, text[0], text[1], text[2], text[3], text[4], text[5],
           text[6], text[7], has_rope ? cf_heap_rope : "");
  return cf_compileText(xml);
}

#endif  // CF_FORMS_H
