// mujoco.sdf.*: instances of shapes, gradients, the trail of the search for contacts.
#include "field.h"

#include <math.h>

// points that the search visits are kept for the picture: as many as ten times the contacts of a
// pair, searched from as many starts
enum {
  TRAIL_POINTS = 10 * (mjMAXCONPAIR + 1) * (mjMAXCONPAIR + 1),
  TRAIL_PATHS = 10 * mjMAXCONPAIR,
};

typedef struct {
  const fieldShape* shape;
  mjtNum value[FIELD_MAX_KEYS];
  int npath, npoint;
  int end[TRAIL_PATHS];  // points up to the end of each path
  mjtNum point[TRAIL_POINTS][3];
} fieldInstance;

static const fieldShape* const all_shapes[] = {&bolt_shape, &bowl_shape, &gear_shape, &nut_shape,
                                               &torus_shape};
enum { SHAPES = sizeof(all_shapes) / sizeof(all_shapes[0]) };


//---------------------------------- values --------------------------------------------------------

void fieldValues(const fieldShape* shape, mjtNum* value, const char** text) {
  for (int k = 0; k < shape->nkey; k++) {
    char* end = NULL;
    value[k] = shape->initial[k];
    if (!text[k] || !text[k][0]) {
      continue;
    }
    value[k] = strtod(text[k], &end);
    if (end == text[k]) {
      mju_error("invalid attribute value for '%s'", shape->key[k]);
    }
  }
}


// shape of an instance by the name of its plugin
static const fieldShape* shapeOf(const mjModel* m, int instance) {
  const char* name = mjp_getPluginAtSlot(m->plugin[instance])->name;
  for (int k = 0; k < SHAPES; k++) {
    if (!strcmp(all_shapes[k]->name, name)) {
      return all_shapes[k];
    }
  }
  return NULL;
}


//---------------------------------- life ----------------------------------------------------------

static int noState(const mjModel* m, int instance) {
  (void)m;
  (void)instance;
  return 0;
}


static int initField(const mjModel* m, mjData* d, int instance) {
  const fieldShape* shape = shapeOf(m, instance);
  const char* text[FIELD_MAX_KEYS];
  d->plugin_data[instance] = 0;
  if (!shape) {
    return -1;
  }
  for (int k = 0; k < shape->nkey; k++) {
    text[k] = configText(m, instance, shape->key[k]);
    if (k < shape->nchecked && !isNumber(text[k])) {
      mju_warning("%s", shape->trouble);
      return -1;
    }
  }
  fieldInstance* field = (fieldInstance*)malloc(sizeof(fieldInstance));
  if (!field) {
    return -1;
  }
  field->shape = shape;
  field->npath = field->npoint = 0;
  fieldValues(shape, field->value, text);
  d->plugin_data[instance] = (uintptr_t)field;
  return 0;
}


static void destroyField(mjData* d, int instance) {
  free((void*)d->plugin_data[instance]);
  d->plugin_data[instance] = 0;
}


//---------------------------------- distance ------------------------------------------------------

static mjtNum distanceTo(const mjtNum point[3], const mjData* d, int instance) {
  const fieldInstance* field = (const fieldInstance*)d->plugin_data[instance];
  return field->shape->distance(point, field->value);
}


// forward differences, as far apart as a double allows
static void differences(mjtNum gradient[3], const mjtNum point[3], const fieldInstance* field) {
  static const mjtNum eps = 1e-8;
  const mjtNum here = field->shape->distance(point, field->value);
  for (int k = 0; k < 3; k++) {
    mjtNum moved[3] = {point[0], point[1], point[2]};
    moved[k] += eps;
    gradient[k] = (field->shape->distance(moved, field->value) - here) / eps;
  }
}


// every gradient is a step of the search: its point goes into the trail
static void gradientAt(mjtNum gradient[3], const mjtNum point[3], const mjData* d, int instance) {
  fieldInstance* field = (fieldInstance*)d->plugin_data[instance];
  if (field->shape->gradient) {
    field->shape->gradient(gradient, point, field->value);
    return;
  }
  if (field->npath && field->npoint < TRAIL_POINTS) {
    mju_copy3(field->point[field->npoint++], point);
    field->end[field->npath - 1] = field->npoint;
  }
  differences(gradient, point, field);
}


//---------------------------------- trail ---------------------------------------------------------

static void clearTrail(const mjModel* m, mjtNum* state, void* data, int instance) {
  (void)m;
  (void)state;
  (void)instance;
  fieldInstance* field = (fieldInstance*)data;
  if (field) {
    field->npath = field->npoint = 0;
  }
}


// a search starts
static void startPath(const mjModel* m, mjData* d, int instance, int capability) {
  (void)m;
  (void)capability;
  fieldInstance* field = (fieldInstance*)d->plugin_data[instance];
  if (field->npath < TRAIL_PATHS) {
    field->end[field->npath++] = field->npoint;
  }
}


// from the frame of the mesh, in which fields are, to the world
typedef struct {
  mjtNum mat[9], pos[3];
} fieldFrame;

static fieldFrame frameOf(const mjModel* m, const mjData* d, int geom) {
  fieldFrame f;
  mjtNum local[9], moved[3];
  mju_quat2Mat(local, m->geom_quat + 4 * geom);
  mju_mulMatMatT(f.mat, d->geom_xmat + 9 * geom, local, 3, 3, 3);
  mju_mulMatVec3(moved, f.mat, m->geom_pos + 3 * geom);
  mju_sub3(f.pos, d->geom_xpos + 3 * geom, moved);
  return f;
}


static void toWorld(const fieldFrame* f, const mjtNum point[3], mjtNum world[3]) {
  mju_mulMatVec3(world, f->mat, point);
  mju_addTo3(world, f->pos);
}


// the next geom of a scene, NULL with a warning where it is full
static mjvGeom* nextGeom(mjData* d, mjvScene* scn) {
  if (scn->ngeom >= scn->maxgeom) {
    mj_warning(d, mjWARN_VGEOMFULL, scn->maxgeom);
    return NULL;
  }
  return scn->geoms + scn->ngeom++;
}


// a ball at each end of a path, blue where it starts and red where it ends, and lines between
static bool showPath(const mjModel* m, mjData* d, mjvScene* scn, const fieldFrame* f,
                     const mjtNum (*point)[3], int count, int path) {
  mjtNum from[3], to[3];
  const mjtNum radius = 0.2 * m->stat.meansize, size[3] = {radius, radius, radius};
  for (int end = 0; end < 2; end++) {
    mjvGeom* ball = nextGeom(d, scn);
    if (!ball) {
      return false;
    }
    const float rgba[4] = {(float)end, 0, (float)!end, 1};
    toWorld(f, point[end ? count - 1 : 0], from);
    mjv_initGeom(ball, mjGEOM_SPHERE, size, from, NULL, rgba);
  }
  for (int k = 0; k + 1 < count; k++) {
    mjvGeom* line = nextGeom(d, scn);
    if (!line) {
      return false;
    }
    const float share = (float)((k + 1.) / (count - 1.));
    const float rgba[4] = {share, 0, 1 - share, 1};
    toWorld(f, point[k], from);
    toWorld(f, point[k + 1], to);
    for (int axis = 0; axis < 3; axis++) {
      to[axis] = from[axis] + .95 * (to[axis] - from[axis]);
    }
    mjv_initGeom(line, mjGEOM_NONE, NULL, NULL, NULL, rgba);
    mjv_connector(line, mjGEOM_LINE, 2, from, to);
    line->objtype = mjOBJ_UNKNOWN;
    line->objid = path;
    line->category = mjCAT_DECOR;
    line->segid = scn->ngeom - 1;
  }
  return true;
}


static void showTrail(const mjModel* m, mjData* d, const mjvOption* opt, mjvScene* scn,
                      int instance) {
  const fieldInstance* field = (const fieldInstance*)d->plugin_data[instance];
  int geom = 0, start = 0;
  if (!opt->flags[mjVIS_SDFITER] || !field->npath || !m->ngeom) {
    return;
  }
  while (geom + 1 < m->ngeom && m->geom_plugin[geom] != instance) {
    geom++;
  }
  const fieldFrame f = frameOf(m, d, geom);
  for (int k = 0; k < field->npath; k++) {
    const int count = field->end[k] - start;
    if (count > 0 && !showPath(m, d, scn, &f, field->point + start, count, k)) {
      return;
    }
    start = field->end[k];
  }
}


//---------------------------------- registration --------------------------------------------------

mjPLUGIN_LIB_INIT {
  for (int k = 0; k < SHAPES; k++) {
    const fieldShape* shape = all_shapes[k];
    mjpPlugin plugin;
    mjp_defaultPlugin(&plugin);
    plugin.name = shape->name;
    plugin.nattribute = shape->nkey;
    plugin.attributes = (const char* const*)shape->key;
    plugin.capabilityflags = mjPLUGIN_SDF;
    plugin.nstate = noState;
    plugin.init = initField;
    plugin.destroy = destroyField;
    plugin.reset = clearTrail;
    plugin.compute = startPath;
    plugin.visualize = showTrail;
    plugin.sdf_distance = distanceTo;
    plugin.sdf_gradient = gradientAt;
    plugin.sdf_staticdistance = shape->distance;
    plugin.sdf_aabb = shape->box;
    plugin.sdf_attribute = shape->values;
    mjp_registerPlugin(&plugin);
  }
}
