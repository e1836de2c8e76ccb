// Composite objects.  Only the cable is left: a chain of bodies along a curve, joined by ball
// joints, with an optional skin.  All other types are refused with a hint at what replaces them.
#include "mjcf/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

typedef enum { SHAPE_LINE, SHAPE_COS, SHAPE_SIN, SHAPE_ZERO } cftShape;

typedef struct {
  cfReader* r;
  const cfNode* node;
  const char* prefix;
  const char* initial;  // first joint: "ball", "free" or "none"
  int type, count[3];
  double offset[3], quat[4], size[3];
  cftShape curve[3];
  cfVec vertex;                    // floats, 3 per vertex
  cfElement *geom, *site, *joint;  // what the elements of the cable start as
  mjsFrame* frame;
  mjsPlugin plugin;  // passive force of every body, if active

  // skin
  bool has_skin, has_texcoord;
  const char* material;
  float rgba[4], inflate;
  int subgrid, group;
} cfCable;

//---------------------------------- attributes ----------------------------------------------------

// up to three words, one per coordinate
static void readCurve(cfCable* c) {
  static const char* const words[] = {"s", "cos(s)", "sin(s)", "0"};
  const char* text = cfi_attribute(c->node, "curve");
  cfVec split = {NULL, NULL, NULL};
  cfi_splitText(&split, text ? text : "");
  int count = cfi_countStrings(&split);
  if (count > 3) {
    cfi_error(c->r->report, c->node, "The curve array must have a maximum of 3 components");
    count = 0;
  }
  for (int i = 0; i < count; i++) {
    int shape = 0;
    while (shape < 4 && strcmp(words[shape], cfi_text(cfi_strings(&split) + i)) != 0) {
      shape++;
    }
    if (shape == 4) {
      cfi_error(c->r->report, c->node, "The curve array contains an invalid shape '%s'",
                cfi_text(cfi_strings(&split) + i));
      break;
    }
    c->curve[i] = (cftShape)shape;
  }
  cfi_freeMember(&split, CF_MEMBER_STRINGVEC);
}

static void readCableSkin(cfCable* c) {
  const cfNode* node = cfi_firstChild(c->node, "skin");
  cfReader* r = c->r;
  if (!node) {
    return;
  }
  int word = 0;
  double rgba[4] = {1, 1, 1, 1}, inflate = 0;
  c->has_skin = true;
  cfi_readWord(r, node, "texcoord", WORDS_BOOL, &word);
  c->has_texcoord = word == 1;
  c->material = cfi_attribute(node, "material");
  cfi_readNumbers(r, node, "rgba", rgba, 4, true);
  cfi_readDouble(r, node, "inflate", &inflate);
  cfi_readInt(r, node, "subgrid", &c->subgrid);
  cfi_readInt(r, node, "group", &c->group);
  for (int i = 0; i < 4; i++) {
    c->rgba[i] = (float)rgba[i];
  }
  if (c->group < 0 || c->group >= mjNGROUP) {
    cfi_error(r->report, node, "skin group must be between 0 and 5");
  }
}

// what geoms, sites and joints start as
static void readPrototypes(cfCable* c) {
  cfReader* r = c->r;
  cfSpec* spec = cfi_spec(r->spec);
  c->geom = cfi_newElement(spec, mjOBJ_GEOM);
  c->site = cfi_newElement(spec, mjOBJ_SITE);
  c->joint = cfi_newElement(spec, mjOBJ_JOINT);
  mjsGeom* geom = (mjsGeom*)c->geom->attr;
  mjsSite* site = (mjsSite*)c->site->attr;
  mjsJoint* joint = (mjsJoint*)c->joint->attr;
  geom->group = c->has_skin && c->type != CF_COMPOSITE_CABLE ? 3 : 0;
  site->group = joint->group = 3;

  const cfNode* child = cfi_firstChild(c->node, "geom");
  if (child) {
    cfi_readFields(r, child, FIELDS_GEOM, geom);
  }
  child = cfi_firstChild(c->node, "site");
  if (child) {
    cfi_readFields(r, child, FIELDS_SITE, site);
  }
  child = cfi_firstChild(c->node, "joint");
  if (child) {
    // the limited attribute is not read here: ball joints of a cable decide by their range
    int limited = joint->limited;
    if (cfi_require(r, child, "kind")) {
      int kind;
      cfi_readWord(r, child, "kind", WORDS_JOINTKIND, &kind);
    }
    cfi_readFields(r, child, FIELDS_JOINT, joint);
    joint->limited = limited;
    if (cfi_nextSibling(child, "joint")) {
      cfi_error(r->report, c->node, "Only particles are allowed to have multiple joints");
    }
  }
}

static void readCable(cfCable* c) {
  cfReader* r = c->r;
  const cfNode* node = c->node;
  const char* initial = cfi_attribute(node, "initial");
  const char* prefix = cfi_attribute(node, "prefix");
  c->prefix = prefix ? prefix : "";
  c->initial = initial ? initial : "ball";
  if (cfi_require(r, node, "type")) {
    cfi_readWord(r, node, "type", WORDS_COMPOSITE, &c->type);
  }
  cfi_readInts(r, node, "count", c->count, 3, false);
  cfi_readNumbers(r, node, "offset", c->offset, 3, true);
  cfi_readNumbers(r, node, "quat", c->quat, 4, true);
  cfi_readNumbers(r, node, "size", c->size, 3, false);
  cfi_readVector(r, node, "vertex", &c->vertex, HOW_FLOATS);
  readCurve(c);
  readCableSkin(c);
  readPrototypes(c);
}

//---------------------------------- checks --------------------------------------------------------

// dimension, or -1 and a message
static int checkCounts(cfCable* c, const char** problem) {
  enum { MAX_COUNT = 1000000 };
  int dim = 0;
  bool has_single = false;
  for (int i = 0; i < 3; i++) {
    if (c->count[i] < 1 || c->count[i] > MAX_COUNT) {
      *problem = "Positive counts expected in composite";
      return -1;
    }
  }
  int vertices = cfi_countFloats(&c->vertex) / 3;
  double square = c->size[0] * c->size[0] + c->size[1] * c->size[1] + c->size[2] * c->size[2];
  if (square < mjMINVAL && vertices == 0) {
    *problem = "Positive spacing or length expected in composite";
    return -1;
  }
  if (cfi_countFloats(&c->vertex) > 0) {
    if (c->count[0] > 1) {
      *problem = "Either vertex or count can be specified, not both";
      return -1;
    }
    c->count[0] = vertices;
    c->count[1] = 1;
  }
  for (int i = 0; i < 3; i++) {
    if (c->count[i] > 1 && has_single) {
      *problem = "Singleton counts must come last";
      return -1;
    }
    dim += c->count[i] > 1;
    has_single = has_single || c->count[i] == 1;
  }
  return dim;
}

// what replaced the types that are gone
static const char* replacement(int type) {
  switch (type) {
    case CF_COMPOSITE_PARTICLE:
      return "The \"particle\" composite type is deprecated. Please use \"replicate\" instead.";
    case CF_COMPOSITE_GRID:
      return "The \"grid\" composite type is deprecated. Please use \"flex\" instead.";
    case CF_COMPOSITE_ROPE:
      return "The \"rope\" composite type is deprecated. Please use \"cable\" instead.";
    case CF_COMPOSITE_LOOP:
      return "The \"loop\" composite type is deprecated. Please use \"flexcomp\" instead.";
    case CF_COMPOSITE_CLOTH:
      return "The \"cloth\" composite type is deprecated. Please use \"shell\" instead.";
    default:
      return NULL;
  }
}

static const char* checkCable(cfCable* c) {
  const char* problem = NULL;
  int dim = checkCounts(c, &problem);
  if (dim < 0) {
    return problem;
  }
  if (c->plugin.active && c->type != CF_COMPOSITE_CABLE) {
    return "Only cable composite supports plugins";
  }
  if (c->plugin.active && strcmp(cfi_text(c->plugin.plugin_name), "mujoco.elasticity.cable") != 0) {
    return "Only mujoco.elasticity.cable is supported by composites";
  }
  if (replacement(c->type)) {
    return replacement(c->type);
  }
  if (dim != 1) {
    return "Cable must be one-dimensional";
  }
  mjtGeom type = ((mjsGeom*)c->geom->attr)->type;
  if (type != mjGEOM_CYLINDER && type != mjGEOM_CAPSULE && type != mjGEOM_BOX) {
    return "Cable geom type must be sphere, capsule or box";
  }
  if (c->subgrid > 0 && type == mjGEOM_BOX) {
    return "skin subgrid of a cable is not supported yet";
  }
  return NULL;
}

//---------------------------------- curve ---------------------------------------------------------

// vertices along the curve, kept in single precision
static void makeVertices(cfCable* c) {
  if (cfi_countFloats(&c->vertex)) {
    return;
  }
  int edges = c->count[0] - 1;
  for (int i = 0; i < c->count[0]; i++) {
    double v[3];
    for (int k = 0; k < 3; k++) {
      double phase = mjPI * i * c->size[2] / edges;
      v[k] = c->curve[k] == SHAPE_LINE  ? i * c->size[0] / edges
             : c->curve[k] == SHAPE_COS ? c->size[1] * cos(phase)
             : c->curve[k] == SHAPE_SIN ? c->size[1] * sin(phase)
                                        : 0;
    }
    mju_rotVecQuat(v, v, c->quat);
    float* vertex = (float*)cfi_growVec(&c->vertex, 3, sizeof(float));
    for (int k = 0; k < 3; k++) {
      vertex[k] = (float)v[k];
    }
  }
}

// vector from vertex i to the next one, zero beyond the ends
static void edgeVector(const cfCable* c, int i, double edge[3]) {
  const float* vertex = cfi_floats(&c->vertex);
  bool is_inside = i >= 0 && i + 1 < c->count[0];
  for (int k = 0; k < 3; k++) {
    edge[k] = is_inside ? vertex[3 * (i + 1) + k] - vertex[3 * i + k] : 0;
  }
}

// divide by the length, which is returned; tiny vectors stay as they are
static double unit(double v[3]) {
  double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  if (square < 1e-14) {
    return 0;
  }
  double length = sqrt(square);
  if (fabs(length - 1) > 1e-14) {
    v[0] /= length;
    v[1] /= length;
    v[2] /= length;
  }
  return length;
}

// orientation of edge i: x along it, the normal carried on without twist
static void moveFrame(const cfCable* c, int i, double quat[4], double normal[3]) {
  double tangent[3], before[3], after[3], binormal[3];
  edgeVector(c, i, tangent);
  edgeVector(c, i - 1, before);
  edgeVector(c, i + 1, after);
  unit(tangent);
  unit(before);
  unit(after);
  if (i == 0) {
    mju_cross(binormal, tangent, after);
    unit(binormal);
    mju_cross(normal, binormal, tangent);
    unit(normal);
  } else {
    double turn[4];
    mju_cross(binormal, before, tangent);
    double sine = unit(binormal);
    mju_axisAngle2Quat(turn, binormal, atan2(sine, mju_dot3(before, tangent)));
    mju_rotVecQuat(normal, normal, turn);
    unit(normal);
    mju_cross(binormal, tangent, normal);
    unit(binormal);
  }
  double mat[9];
  for (int k = 0; k < 3; k++) {
    mat[3 * k] = tangent[k];
    mat[3 * k + 1] = normal[k];
    mat[3 * k + 2] = binormal[k];
  }
  mju_mat2Quat(quat, mat);
}

//---------------------------------- elements ------------------------------------------------------

// name of a part of the cable: first, last or by number
static void partName(const cfCable* c, const char* kind, int i, char* name, size_t size) {
  int last = c->count[0] - 2;
  if (i == 0 || i > last) {
    snprintf(name, size, "%s%s_first", c->prefix, kind);
  } else if (i == last) {
    snprintf(name, size, "%s%s_last", c->prefix, kind);
  } else {
    snprintf(name, size, "%s%s_%d", c->prefix, kind, i);
  }
}

static void nameElement(cfCable* c, mjsElement* element, const char* name) {
  if (cfi_find(cfi_spec(c->r->spec), element->elemtype, name)) {
    cfi_error(c->r->report, c->node, "repeated name '%s' in %s", name,
              mju_type2Str(element->elemtype));
    return;
  }
  cfi_setElementName(cfi_element(element), name);
  cfi_setOrigin(c->r, c->node, element);
}

static void addCableGeom(cfCable* c, mjsBody* body, int i, double length) {
  char name[300];
  mjsGeom* geom = mjs_addGeom(body, NULL);
  cfi_copyAttributes(cfi_element(geom->element), c->geom);
  snprintf(name, sizeof(name), "%sG%d", c->prefix, i);
  nameElement(c, geom->element, name);
  if (geom->type == mjGEOM_BOX) {
    geom->pos[0] = geom->size[0] = length / 2;
    geom->pos[1] = geom->pos[2] = 0;
  } else {
    memset(geom->fromto, 0, sizeof(geom->fromto));
    geom->fromto[3] = length;
  }
}

static void addCableJoint(cfCable* c, mjsBody* body, int i) {
  char name[300];
  if (i == 0 && strcmp(c->initial, "none") == 0) {
    return;
  }
  mjsJoint* joint = mjs_addJoint(body, NULL);
  cfi_copyAttributes(cfi_element(joint->element), c->joint);
  joint->type = mjJNT_BALL;
  if (i == 0 && strcmp(c->initial, "free") == 0) {
    joint->type = mjJNT_FREE;
    joint->damping = joint->armature = joint->frictionloss = 0;
  }
  partName(c, "J", i, name, sizeof(name));
  nameElement(c, joint->element, name);
}

static void addEndSite(cfCable* c, mjsBody* body, int i, double length) {
  char name[300];
  bool is_last = i == c->count[0] - 2;
  if (i > 0 && !is_last) {
    return;
  }
  mjsSite* site = mjs_addSite(body, NULL);
  cfi_copyAttributes(cfi_element(site->element), c->site);
  partName(c, "S", i, name, sizeof(name));
  nameElement(c, site->element, name);
  site->pos[0] = is_last ? length : 0;
  site->pos[1] = site->pos[2] = 0;
  site->quat[0] = 1;
  site->quat[1] = site->quat[2] = site->quat[3] = 0;
}

static void addExclusion(cfCable* c, int i) {
  char name[300];
  if (i == c->count[0] - 2) {
    return;
  }
  mjsExclude* exclude = mjs_addExclude(c->r->spec);
  partName(c, "B", i, name, sizeof(name));
  mjs_setString(exclude->bodyname1, name);
  partName(c, "B", i + 1, name, sizeof(name));
  mjs_setString(exclude->bodyname2, name);
}

// pose of body i in the one before it; the first one stands in the parent
static void placeBody(cfCable* c, mjsBody* body, int i, const double quat[4],
                      const double before[4]) {
  if (i == 0) {
    for (int k = 0; k < 3; k++) {
      body->pos[k] = c->offset[k] + cfi_floats(&c->vertex)[k];
    }
    memcpy(body->quat, quat, sizeof(body->quat));
    mjs_setFrame(body->element, c->frame);
    return;
  }
  double edge[3], inverse[4];
  edgeVector(c, i - 1, edge);
  body->pos[0] = unit(edge);
  mju_negQuat(inverse, before);
  mju_mulQuat(body->quat, inverse, quat);
}

static void makeChain(cfCable* c, mjsBody* body) {
  double normal[3] = {0, 1, 0}, before[4] = {1, 0, 0, 0};
  char name[300];
  for (int i = 0; i < c->count[0] - 1 && c->r->report->nerror == 0; i++) {
    double quat[4], edge[3];
    moveFrame(c, i, quat, normal);
    edgeVector(c, i, edge);
    double length = sqrt(mju_dot3(edge, edge));

    body = mjs_addBody(body, NULL);
    partName(c, "B", i, name, sizeof(name));
    nameElement(c, body->element, name);
    placeBody(c, body, i, quat, before);
    memcpy(before, quat, sizeof(before));
    addCableGeom(c, body, i, length);
    if (c->plugin.active) {
      body->plugin.active = 1;
      body->plugin.element = c->plugin.element;
      cfi_copyMember(body->plugin.plugin_name, c->plugin.plugin_name, CF_MEMBER_STRING);
      cfi_copyMember(body->plugin.name, c->plugin.name, CF_MEMBER_STRING);
    }
    addCableJoint(c, body, i);
    addExclusion(c, i);
    addEndSite(c, body, i, length);
  }
}

//---------------------------------- skin ----------------------------------------------------------
// Two sheets of count x 2 vertices, upper and lower, closed around the border.

static void addFace(mjsSkin* skin, int a, int b, int c) {
  int* face = (int*)cfi_growVec((cfVec*)skin->face, 3, sizeof(int));
  face[0] = a;
  face[1] = b;
  face[2] = c;
}

// two triangles between the edge a-b of one sheet and the same edge of the other
static void addBorder(mjsSkin* skin, int sheet, int a, int b) {
  addFace(skin, a, b, sheet + b);
  addFace(skin, a, sheet + b, sheet + a);
}

static void addSheets(const cfCable* c, mjsSkin* skin) {
  enum { WIDTH = 2 };
  int rows = c->count[0], sheet = rows * WIDTH;
  for (int side = 0; side < 2; side++) {
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < WIDTH; column++) {
        cfi_growVec((cfVec*)skin->vert, 3, sizeof(float));
        if (c->has_texcoord) {
          float* uv = (float*)cfi_growVec((cfVec*)skin->texcoord, 2, sizeof(float));
          uv[0] = (float)row / (float)(rows - 1);
          uv[1] = (float)column;
        }
        int corner = side * sheet + row * WIDTH + column;
        if (row < rows - 1 && column == 0) {
          int right = corner + 1, up = corner + WIDTH, across = up + 1;
          addFace(skin, corner, side ? across : up, side ? up : across);
          addFace(skin, corner, side ? right : across, side ? across : right);
        }
      }
    }
  }

  // long borders, then the two ends
  for (int row = 0; row < rows - 1; row++) {
    int a = row * WIDTH, b = a + WIDTH;
    addFace(skin, a, sheet + b, b);
    addFace(skin, a, sheet + a, sheet + b);
  }
  for (int row = 0; row < rows - 1; row++) {
    addBorder(skin, sheet, row * WIDTH + 1, row * WIDTH + WIDTH + 1);
  }
  addBorder(skin, sheet, 0, 1);
  int a = (rows - 1) * WIDTH, b = a + 1;
  addFace(skin, a, sheet + b, b);
  addFace(skin, a, sheet + a, sheet + b);
}

// every vertex hangs on one body, at the side of its box
static void addBones(const cfCable* c, mjsSkin* skin) {
  const mjsGeom* geom = (const mjsGeom*)c->geom->attr;
  int rows = c->count[0], sheet = 2 * rows;
  for (int row = 0; row < rows; row++) {
    for (int column = 0; column < 2; column++) {
      char name[300];
      partName(c, "B", row == rows - 1 ? rows - 2 : row, name, sizeof(name));
      mjs_appendString(skin->bodyname, name);
      float* pos = (float*)cfi_growVec((cfVec*)skin->bindpos, 3, sizeof(float));
      float* quat = (float*)cfi_growVec((cfVec*)skin->bindquat, 4, sizeof(float));
      pos[0] = row == rows - 1 ? (float)(-2 * geom->size[0]) : 0;
      pos[1] = (float)(column ? geom->size[1] : -geom->size[1]);
      quat[0] = 1;
      const int id[2] = {2 * row + column, sheet + 2 * row + column};
      const float weight[2] = {1, 1};
      mjs_appendIntVec(skin->vertid, id, 2);
      mjs_appendFloatVec(skin->vertweight, weight, 2);
    }
  }
}

static void makeSkin(cfCable* c) {
  const mjsGeom* geom = (const mjsGeom*)c->geom->attr;
  char name[300];
  if (geom->type != mjGEOM_BOX) {
    return;
  }
  mjsSkin* skin = mjs_addSkin(c->r->spec);
  snprintf(name, sizeof(name), "%sSkin", c->prefix);
  nameElement(c, skin->element, name);
  mjs_setString(skin->material, c->material ? c->material : "");
  memcpy(skin->rgba, c->rgba, sizeof(skin->rgba));
  skin->inflate = (float)(2 * geom->size[2]);
  skin->group = c->group;
  addSheets(c, skin);
  addBones(c, skin);
}

//---------------------------------- all of it -----------------------------------------------------

static void makeCable(cfCable* c, mjsBody* body) {
  char name[300];
  mjsText* text = mjs_addText(c->r->spec);
  snprintf(name, sizeof(name), "composite_%s", c->prefix);
  nameElement(c, text->element, name);
  snprintf(name, sizeof(name), "rope_%s", c->prefix);
  mjs_setString(text->data, name);
  makeVertices(c);
  makeChain(c, body);
  makeSkin(c);
}

// an instance without a name is called after the composite
static void namePlugin(cfCable* c) {
  if (c->plugin.active && cfi_isEmptyString(c->plugin.name)) {
    cfString name;
    cfi_initString(&name);
    cfi_assignString(&name, c->prefix);
    cfi_prefixSuffix(&name, "composite", "");
    cfi_copyMember(c->plugin.name, &name, CF_MEMBER_STRING);
    cfi_setElementName(cfi_element(c->plugin.element), cfi_text(&name));
    cfi_freeString(&name);
  }
}

void cfi_readComposite(cfReader* r, const cfNode* node, mjsBody* body, mjsFrame* frame) {
  cfString plugin_name, instance_name;
  cfi_initString(&plugin_name);
  cfi_initString(&instance_name);
  cfCable c = {.r = r,
               .node = node,
               .frame = frame,
               .count = {1, 1, 1},
               .quat = {1, 0, 0, 0},
               .size = {1, 0, 0},
               .curve = {SHAPE_ZERO, SHAPE_ZERO, SHAPE_ZERO},
               .rgba = {1, 1, 1, 1},
               .plugin = {.name = &instance_name, .plugin_name = &plugin_name}};
  int errors = r->report->nerror;
  readCable(&c);
  const cfNode* plugin = cfi_firstChild(node, "plugin");
  if (plugin) {
    cfi_readPlugin(r, plugin, &c.plugin);
  }
  const char* problem = r->report->nerror == errors ? checkCable(&c) : NULL;
  if (problem) {
    cfi_error(r->report, node, "%s", problem);
  } else if (r->report->nerror == errors) {
    namePlugin(&c);
    makeCable(&c, body);
  }
  cfi_freeElement(c.geom);
  cfi_freeElement(c.site);
  cfi_freeElement(c.joint);
  cfi_freeMember(&c.vertex, CF_MEMBER_FLOATVEC);
  cfi_freeString(&plugin_name);
  cfi_freeString(&instance_name);
}
