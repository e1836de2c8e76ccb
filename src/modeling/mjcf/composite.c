// Composite objects.  Only the cable is left: a chain of bodies along a curve, joined by ball
// joints, with an optional skin.  All other types are refused with a hint at what replaces them.
#include "base/assert.h"
#include "mjcf/cable.h"

#include <string.h>

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
    cfi_readFields(r, child, geom);
  }
  child = cfi_firstChild(c->node, "site");
  if (child) {
    cfi_readFields(r, child, site);
  }
  child = cfi_firstChild(c->node, "joint");
  if (child) {
    // the limited attribute is not read here: ball joints of a cable decide by their range
    const int limited = joint->limited;
    if (cfi_require(r, child, "kind")) {
      int kind;
      cfi_readWord(r, child, "kind", WORDS_JOINTKIND, &kind);
    }
    cfi_readFields(r, child, joint);
    joint->limited = limited;

    // outdated, without effect on a cable, and checked as in MuJoCo
    double unused[mjNIMP];
    cfi_readNumbers(r, child, "solreffix", unused, mjNREF, false);
    cfi_readNumbers(r, child, "solimpfix", unused, mjNIMP, false);
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
  enum { MAX_COUNT = 1000000, MAX_BODIES = 65534 };
  int dim = 0;
  bool has_single = false;
  for (int i = 0; i < 3; i++) {
    if (c->count[i] < 1 || c->count[i] > MAX_COUNT) {
      *problem = "Positive counts expected in composite";
      return -1;
    }
  }
  const int vertices = cfi_countFloats(&c->vertex) / 3;
  const double square = c->size[0] * c->size[0] + c->size[1] * c->size[1] + c->size[2] * c->size[2];
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
  if ((double)c->count[0] * c->count[1] * c->count[2] >= MAX_BODIES) {
    *problem =
        "count of composite is too large: it makes a body for each point, fewer than 65534 are allowed";
    return -1;
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
  enum { MAX_SUBGRID = 100 };
  const char* problem = NULL;
  const int dim = checkCounts(c, &problem);
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
  const mjtGeom type = ((mjsGeom*)c->geom->attr)->type;
  if (type != mjGEOM_CYLINDER && type != mjGEOM_CAPSULE && type != mjGEOM_BOX) {
    return "Cable geom type must be sphere, capsule or box";
  }
  if (c->subgrid > MAX_SUBGRID) {
    return "skin subgrid of a cable is too fine";
  }
  return NULL;
}

//---------------------------------- all of it -----------------------------------------------------

void cfi_readComposite(cfReader* r, const cfNode* node, mjsBody* body, mjsFrame* frame) {
  CF_ASSERT(node && body);
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
    cfi_namePlugin(&c.plugin, "composite", c.prefix);
    cfi_makeCable(&c, body);
  }
  cfi_freeElement(c.geom);
  cfi_freeElement(c.site);
  cfi_freeElement(c.joint);
  cfi_freeMember(&c.vertex, CF_MEMBER_FLOATVEC);
  cfi_freeString(&plugin_name);
  cfi_freeString(&instance_name);
}
