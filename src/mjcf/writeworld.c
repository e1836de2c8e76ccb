// Bodies and what hangs on them.
//
// Elements come out type by type in their order, because that order gives them their ids.  Frames
// are opened and closed around them as needed; a frame that is needed twice is written twice.
#include "mjcf/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

// a body being written
typedef struct {
  cfElement* body;
  cfElement* frame;  // innermost frame that is open
  int next;          // next child body
} cfOpenBody;

typedef struct {
  cfWriter* w;
  cfOpenBody* level;
  int depth, room;
  bool* is_named;  // frames whose name has been written, by id
} cfWalk;

//---------------------------------- frames --------------------------------------------------------

static bool contains(const cfElement* outer, const cfElement* frame) {
  while (frame && frame != outer) {
    frame = frame->frame;
  }
  return frame == outer;
}

static void openFrameTag(cfWalk* walk, const cfElement* frame) {
  cfWriter* w = walk->w;
  mjsFrame copy = *(const mjsFrame*)frame->attr;
  cfi_openTag(&w->out, "frame");
  if (!walk->is_named[frame->id]) {
    cfi_writeName(w, frame);
    walk->is_named[frame->id] = true;
  }
  if (frame->scope != &w->spec->scope) {
    const mjsCompiler* compiler = cfi_compilerOf(frame);
    mjs_resolveOrientation(copy.quat, compiler->degree, compiler->eulerseq, &copy.alt);
    copy.alt.type = mjORIENTATION_QUAT;
  }
  cfi_writeFields(w, TAG_BODY_FRAME, &copy, cfi_pristine(w, mjOBJ_FRAME)->attr);
}

// close and open frames until `frame` is the innermost open one
static void switchFrame(cfWalk* walk, cfOpenBody* level, cfElement* frame) {
  while (level->frame && !contains(level->frame, frame)) {
    cfi_closeTag(&walk->w->out, "frame");
    level->frame = level->frame->frame;
  }
  while (level->frame != frame) {
    cfElement* inner = frame;
    while (inner->frame != level->frame) {
      inner = inner->frame;
    }
    openFrameTag(walk, inner);
    level->frame = inner;
  }
}

//---------------------------------- elements ------------------------------------------------------

// attributes written under other compiler settings: degrees or radians, order of Euler angles
static void translateOrientation(const cfWriter* w, const cfElement* e, double quat[4],
                                 mjsOrientation* alt) {
  const mjsCompiler* compiler = cfi_compilerOf(e);
  if (e->scope != &w->spec->scope && alt->type != mjORIENTATION_QUAT) {
    mjs_resolveOrientation(quat, compiler->degree, compiler->eulerseq, alt);
    alt->type = mjORIENTATION_QUAT;
  }
}

static void translateJoint(const cfWriter* w, const cfElement* e, mjsJoint* joint) {
  const bool from = cfi_compilerOf(e)->degree, to = w->spec->pub.compiler.degree;
  if (from == to || (joint->type != mjJNT_HINGE && joint->type != mjJNT_BALL)) {
    return;
  }
  const double factor = from ? mjPI / 180 : 180 / mjPI;
  joint->range[0] *= factor;
  joint->range[1] *= factor;
  if (joint->type == mjJNT_HINGE) {
    joint->ref *= factor;
    joint->springref *= factor;
  }
}

//---------------------------------- classes -------------------------------------------------------

// a class cannot be told to forget: undefined numbers and a plain quaternion must already be so in
// it
static bool canUndo(const cfElement* e, const cfElement* base) {
  switch ((int)e->head.elemtype) {
    case mjOBJ_GEOM: {
      const mjsGeom *geom = (const mjsGeom*)e->attr, *other = (const mjsGeom*)base->attr;
      return (isnan(other->fromto[0]) || !isnan(geom->fromto[0])) &&
             (isnan(other->mass) || !isnan(geom->mass)) &&
             (other->alt.type == mjORIENTATION_QUAT || geom->alt.type != mjORIENTATION_QUAT);
    }
    case mjOBJ_SITE: {
      const mjsSite *site = (const mjsSite*)e->attr, *other = (const mjsSite*)base->attr;
      return (isnan(other->fromto[0]) || !isnan(site->fromto[0])) &&
             (other->alt.type == mjORIENTATION_QUAT || site->alt.type != mjORIENTATION_QUAT);
    }
    case mjOBJ_CAMERA: {
      const mjsCamera *camera = (const mjsCamera*)e->attr, *other = (const mjsCamera*)base->attr;
      return other->alt.type == mjORIENTATION_QUAT || camera->alt.type != mjORIENTATION_QUAT;
    }
    default:
      return true;
  }
}

// the class an element with attributes `attr` is written with: its own or the nearest one above
// that fits
static const cfElement* writtenClass(const cfElement* e, const void* attr) {
  cfElement twin = *e;
  twin.attr = (void*)(size_t)attr;
  const cfElement* def = cfi_defaultOf(e);
  while (def->part.def.parent && !canUndo(&twin, cfi_defaultElement(def, e->head.elemtype))) {
    def = def->part.def.parent;
  }
  return def;
}

// name and class; returns the element of the class to compare with
static const cfElement* writeIdentity(cfWriter* w, const cfElement* e, const void* attr,
                                      const char* classname) {
  const cfElement* def = writtenClass(e, attr);
  cfi_writeName(w, e);
  if (strcmp(cfi_text(&def->name), classname) != 0) {
    cfi_writeText(&w->out, "class", cfi_text(&def->name));
  }
  return cfi_classElement(w, def, e->head.elemtype);
}

//---------------------------------- leaves --------------------------------------------------------

// a free joint that takes nothing from classes
static bool isPlainFree(cfWriter* w, const mjsJoint* joint) {
  mjsJoint base = *(const mjsJoint*)cfi_pristine(w, mjOBJ_JOINT)->attr;
  base.element = joint->element;
  base.userdata = joint->userdata;
  base.info = joint->info;
  base.type = mjJNT_FREE;
  base.group = joint->group;
  base.align = joint->align;
  return joint->type == mjJNT_FREE && memcmp(joint, &base, sizeof(base)) == 0 &&
         cfi_countDoubles(joint->userdata) == 0;
}

static void writeJoint(cfWriter* w, const cfElement* e, const char* classname) {
  mjsJoint copy = *(const mjsJoint*)e->attr;
  if (isPlainFree(w, &copy)) {
    cfi_openTag(&w->out, "freejoint");
    cfi_writeName(w, e);
    cfi_writeFields(w, TAG_BODY_FREEJOINT, &copy, cfi_pristine(w, mjOBJ_JOINT)->attr);
    cfi_closeTag(&w->out, "freejoint");
    return;
  }
  translateJoint(w, e, &copy);
  cfi_openTag(&w->out, "joint");
  cfi_writeName(w, e);
  cfi_writeClass(w, e, classname);
  cfi_writeFields(w, TAG_BODY_JOINT, &copy,
                  cfi_defaultElement(cfi_defaultOf(e), mjOBJ_JOINT)->attr);
  cfi_closeTag(&w->out, "joint");
}

static void writeGeom(cfWriter* w, const cfElement* e, const char* classname) {
  mjsGeom copy = *(const mjsGeom*)e->attr;
  translateOrientation(w, e, copy.quat, &copy.alt);
  cfi_openTag(&w->out, "geom");
  const cfElement* base = writeIdentity(w, e, &copy, classname);
  cfi_writeFields(w, TAG_BODY_GEOM, &copy, base->attr);
  cfi_writeContactValues(w, e, base);
  cfi_writePlugin(w, "plugin", &copy.plugin);
  cfi_closeTag(&w->out, "geom");
}

static void writeSite(cfWriter* w, const cfElement* e, const char* classname) {
  mjsSite copy = *(const mjsSite*)e->attr;
  translateOrientation(w, e, copy.quat, &copy.alt);
  cfi_openTag(&w->out, "site");
  const cfElement* base = writeIdentity(w, e, &copy, classname);
  cfi_writeFields(w, TAG_BODY_SITE, &copy, base->attr);
  cfi_closeTag(&w->out, "site");
}

static void writeCamera(cfWriter* w, const cfElement* e, const char* classname) {
  cfElement twin = *e;
  mjsCamera copy = *(const mjsCamera*)e->attr;
  translateOrientation(w, e, copy.quat, &copy.alt);
  twin.attr = &copy;
  cfi_openTag(&w->out, "camera");
  cfi_writeCamera(w, TAG_BODY_CAMERA, &twin, writeIdentity(w, e, &copy, classname));
  cfi_closeTag(&w->out, "camera");
}

static void writeLight(cfWriter* w, const cfElement* e, const char* classname) {
  cfi_openTag(&w->out, "light");
  cfi_writeName(w, e);
  cfi_writeClass(w, e, classname);
  cfi_writeFields(w, TAG_BODY_LIGHT, e->attr,
                  cfi_defaultElement(cfi_defaultOf(e), mjOBJ_LIGHT)->attr);
  cfi_closeTag(&w->out, "light");
}

static void writeLeaf(cfWriter* w, const cfElement* e, const char* classname) {
  switch ((int)e->head.elemtype) {
    case mjOBJ_JOINT:
      writeJoint(w, e, classname);
      break;
    case mjOBJ_GEOM:
      writeGeom(w, e, classname);
      break;
    case mjOBJ_SITE:
      writeSite(w, e, classname);
      break;
    case mjOBJ_CAMERA:
      writeCamera(w, e, classname);
      break;
    default:
      CF_ASSERT(e->head.elemtype == mjOBJ_LIGHT);
      writeLight(w, e, classname);
      break;
  }
}

//---------------------------------- bodies --------------------------------------------------------

static const char* className(const cfElement* e) {
  return cfi_text(&cfi_defaultOf(e)->name);
}

static void writeInertial(cfWriter* w, const cfElement* e) {
  mjsBody copy = *(const mjsBody*)e->attr;
  if (!copy.explicitinertial) {
    return;
  }
  translateOrientation(w, e, copy.iquat, &copy.ialt);
  if (!isnan(copy.fullinertia[0])) {
    // a full matrix says it all; the frame that stands beside it in URDF is not looked at
    memcpy(copy.iquat, (const double[4]){1, 0, 0, 0}, sizeof(copy.iquat));
  }
  cfi_openTag(&w->out, "inertial");
  mjsBody base = *(const mjsBody*)cfi_pristine(w, mjOBJ_BODY)->attr;
  base.mass = copy.mass + 1;  // always written
  cfi_writeFields(w, TAG_BODY_INERTIAL, &copy, &base);
  cfi_closeTag(&w->out, "inertial");
}

// start tag of a body and everything on it except bodies
static void openBodyTag(cfWalk* walk, cfOpenBody* level) {
  cfWriter* w = walk->w;
  const cfElement* body = level->body;
  const bool is_world = body == w->spec->world;
  cfi_openTag(&w->out, is_world ? "worldbody" : "body");
  if (!is_world) {
    mjsBody copy = *(const mjsBody*)body->attr;
    translateOrientation(w, body, copy.quat, &copy.alt);
    cfi_writeName(w, body);
    if (strcmp(className(body), className(body->body)) != 0) {
      cfi_writeText(&w->out, "childclass", className(body));
    }
    cfi_writeFields(w, TAG_BODY, &copy, cfi_pristine(w, mjOBJ_BODY)->attr);
    writeInertial(w, body);
    cfi_writePlugin(w, "plugin", &copy.plugin);
  }
  for (int slot = 1; slot < CF_TREE_KINDS; slot++) {
    const cfList* list = &body->part.body.child[slot];
    for (int i = 0; i < list->count && cfi_treeTypes[slot] != mjOBJ_FRAME; i++) {
      switchFrame(walk, level, list->item[i]->frame);
      writeLeaf(w, list->item[i], className(body));
    }
  }
}

static void pushBody(cfWalk* walk, cfElement* body) {
  if (walk->depth == walk->room) {
    const int room = walk->room ? 2 * walk->room : 64;
    cfOpenBody* level = (cfOpenBody*)realloc(walk->level, (size_t)room * sizeof(cfOpenBody));
    if (!level) {
      mju_error("could not allocate memory for writing bodies");
      return;
    }
    walk->level = level;
    walk->room = room;
  }
  walk->level[walk->depth++] = (cfOpenBody){body, NULL, 0};
  openBodyTag(walk, &walk->level[walk->depth - 1]);
}

// frames nobody stands in still have a name and a place
static void writeEmptyFrames(cfWalk* walk, cfOpenBody* level) {
  const cfList* frames = &level->body->part.body.child[1];
  for (int i = 0; i < frames->count; i++) {
    if (cfi_length(&frames->item[i]->name) && !walk->is_named[frames->item[i]->id]) {
      switchFrame(walk, level, frames->item[i]);
    }
  }
}

void cfi_writeWorld(cfWriter* w) {
  const cfList* frames = cfi_list(w->spec, mjOBJ_FRAME);
  cfWalk walk = {.w = w, .is_named = (bool*)calloc((size_t)frames->count + 1, sizeof(bool))};
  if (!walk.is_named) {
    mju_error("could not allocate memory for writing bodies");
    return;
  }
  pushBody(&walk, w->spec->world);
  while (walk.depth) {
    cfOpenBody* level = &walk.level[walk.depth - 1];
    const cfList* bodies = &level->body->part.body.child[0];
    if (level->next < bodies->count) {
      cfElement* child = bodies->item[level->next++];
      switchFrame(&walk, level, child->frame);
      pushBody(&walk, child);
      continue;
    }
    writeEmptyFrames(&walk, level);
    switchFrame(&walk, level, NULL);
    cfi_closeTag(&w->out, level->body == w->spec->world ? "worldbody" : "body");
    walk.depth--;
  }
  free(walk.level);
  free(walk.is_named);
}
