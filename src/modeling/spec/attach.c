// mjs_attach: a subtree and everything that refers to it go into another specification, with a
// prefix and a suffix around all names.  They move as they are (move.c) unless the receiving
// specification asks for copies, made here; only copies can be attached within one specification.
#include "spec/spec.h"

#include <string.h>

#include "base/assert.h"
#include "spec/keys.h"
#include "spec/move.h"
#include "spec/repeat.h"
#include "spec/resolve.h"
#include "spec/signature.h"
#include "spec/tree.h"

//---------------------------------- what is inside a frame ----------------------------------------

static bool isInside(const cfElement* frame, const cfElement* outer) {
  while (frame && frame != outer) {
    frame = frame->frame;
  }
  return frame != NULL;
}

// pairs of original and copied frame
typedef struct {
  cfList from, to;
} cfFrameMap;

static cfElement* mapped(const cfFrameMap* map, const cfElement* frame) {
  CF_ASSERT(map != NULL);
  for (int i = 0; i < map->from.count; i++) {
    if (map->from.item[i] == frame) {
      return map->to.item[i];
    }
  }
  return NULL;
}

static void addToMap(cfFrameMap* map, cfElement* from, cfElement* to) {
  cfi_pushElement(&map->from, from);
  cfi_pushElement(&map->to, to);
}

// copies of the frames inside a frame; their parents come before them or are set afterwards
static void copyFrames(const cfCopy* copy, cfElement* frame, cfElement* body, cfFrameMap* map) {
  const cfList* frames = &frame->body->part.body.child[1];
  const int count = frames->count;
  for (int i = 0; i < count; i++) {
    cfElement* source = frames->item[i];
    if (source != frame && isInside(source->frame, frame)) {
      cfElement* twin = cfi_copyRenamed(copy, source);
      cfi_addToBody(body, twin);
      addToMap(map, source, twin);
    }
  }
  for (int i = 1; i < map->from.count; i++) {
    map->to.item[i]->frame = mapped(map, map->from.item[i]->frame);
  }
}

// copies of what stands inside a frame, other than frames
static void copyInside(const cfCopy* copy, cfElement* frame, cfElement* body,
                       const cfFrameMap* map) {
  for (int slot = 0; slot < CF_TREE_KINDS; slot++) {
    if (cfi_treeTypes[slot] == mjOBJ_FRAME) {
      continue;
    }
    const cfList* list = &frame->body->part.body.child[slot];
    const int count = list->count;
    for (int i = 0; i < count; i++) {
      cfElement* source = list->item[i];
      if (!isInside(source->frame, frame)) {
        continue;
      }
      cfElement* twin;
      if (slot == 0) {
        twin = cfi_copyBody(copy, source, body);
      } else {
        // a joint that stands in the frame itself keeps its part in keyframes
        twin = cfi_copyRenamed(copy, source);
        cfi_copyKeyStates(twin, source);
        cfi_addToBody(body, twin);
      }
      twin->frame = mapped(map, source->frame);
    }
  }
}

//---------------------------------- classes and references ----------------------------------------

// classes of the other model become children of the root class
static void copyClasses(const cfCopy* copy) {
  cfList twins = {NULL, 0, 0};
  for (int i = 0; i < copy->from->defaults.count; i++) {
    cfElement* def = copy->from->defaults.item[i];
    cfElement* above = def->part.def.parent;
    cfString name;
    cfi_initString(&name);
    cfi_copyMember(&name, &def->name, CF_MEMBER_STRING);
    cfi_prefixSuffix(&name, copy->prefix, copy->suffix);
    cfElement* parent = above ? twins.item[above->id] : copy->to->defaults.item[0];
    cfElement* twin = cfi_newDefault(copy->to, cfi_text(&name), parent);
    if (!twin) {
      twin = cfi_findDefault(copy->to, cfi_text(&name));
    }
    for (int k = 0; k < CF_DEFAULT_KINDS && twin != copy->to->defaults.item[0]; k++) {
      cfi_copyAttributes(twin->part.def.proto[k], def->part.def.proto[k]);
      cfi_renameReferences(twin->part.def.proto[k], copy->prefix, copy->suffix, false);
    }
    cfi_pushElement(&twins, twin);
    cfi_freeString(&name);
  }
  cfi_freeList(&twins);
}

// an asset without name is known by its file from now on
static void nameByFile(cfElement* e) {
  CF_ASSERT(e != NULL);
  const void* file = NULL;
  switch ((int)e->head.elemtype) {
    case mjOBJ_MESH:
      file = ((mjsMesh*)e->attr)->file;
      break;
    case mjOBJ_TEXTURE:
      file = ((mjsTexture*)e->attr)->file;
      break;
    case mjOBJ_HFIELD:
      file = ((mjsHField*)e->attr)->file;
      break;
    case mjOBJ_SKIN:
      file = ((mjsSkin*)e->attr)->file;
      break;
    default:
      break;
  }
  if (!file || cfi_length(&e->name)) {
    return;
  }
  const char *path = cfi_text(file), *base = path;
  for (const char* c = path; *c; c++) {
    base = *c == '/' || *c == '\\' ? c + 1 : base;
  }
  const char* dot = strrchr(base, '.');
  cfi_assignText(&e->name, base, dot ? (size_t)(dot - base) : strlen(base));
}

// all elements of one kind whose references can be found, or copies of them
static bool copyKind(const cfCopy* copy, mjtObj type) {
  enum { ELEMENTS_MAX = 1 << 19 };
  const cfList* list = &copy->from->list[type];
  int count = list->count;
  if (!copy->to->deepcopy) {
    for (int i = 0; i < count; i++) {
      nameByFile(list->item[i]);
    }
    return cfi_moveKind(copy, type);
  }

  // what refers to nothing is copied every time: its number doubles with every copy in the same
  // specification
  if (count + copy->to->list[type].count > ELEMENTS_MAX) {
    cfi_setError(copy->to, false, "Error: more than %d elements of type %s by attaching",
                 ELEMENTS_MAX, mju_type2Str(type));
    return false;
  }
  const bool is_inside = copy->from == copy->to;
  if (is_inside) {
    list = cfi_listToCopy(copy->to, type);
    count = list->count;
  }
  for (int i = 0; i < count; i++) {
    if (is_inside && !cfi_mayResolve(list->item[i], copy->prefix, copy->suffix)) {
      continue;
    }
    cfElement* twin = cfi_copyElement(copy->to, list->item[i]);
    twin->scope = list->item[i]->scope;
    nameByFile(twin);
    const bool has_own_name = type != mjOBJ_SKIN && type != mjOBJ_FLEX && cfi_length(&twin->name);
    if (has_own_name) {
      cfi_prefixSuffix(&twin->name, copy->prefix, copy->suffix);
    }
    cfi_renameInstanceOf(twin, copy->prefix, copy->suffix);
    if (!cfi_resolveReferences(twin, copy->prefix, copy->suffix)) {
      cfi_freeElement(twin);
      continue;
    }
    if (type == mjOBJ_MATERIAL) {
      cfi_renameReferences(twin, copy->prefix, copy->suffix, true);
    }
    if (copy->from != copy->to && cfi_length(&twin->classname) &&
        strcmp(cfi_text(&twin->classname), "main")) {
      cfi_prefixSuffix(&twin->classname, copy->prefix, copy->suffix);
    }
    if (cfi_find(copy->to, type, cfi_text(&twin->name))) {
      cfi_setError(copy->to, false, "Error: repeated name '%s' in %s", cfi_text(&twin->name),
                   mju_type2Str(type));
      cfi_freeElement(twin);
      return false;
    }
    cfi_linkCopiedPlugin(copy, list->item[i], twin);
    cfi_addToSpec(copy->to, twin);
    cfi_moveKeys(copy, list->item[i], twin);
  }
  return true;
}

// everything outside the tree that can follow the copied elements
static bool copyReferences(const cfCopy* copy) {
  static const mjtObj assets[] = {mjOBJ_MESH,     mjOBJ_SKIN,    mjOBJ_HFIELD, mjOBJ_TEXTURE,
                                  mjOBJ_MATERIAL, mjOBJ_NUMERIC, mjOBJ_TEXT};
  static const mjtObj others[] = {mjOBJ_FLEX,     mjOBJ_PAIR,     mjOBJ_EXCLUDE, mjOBJ_TENDON,
                                  mjOBJ_EQUALITY, mjOBJ_ACTUATOR, mjOBJ_SENSOR,  mjOBJ_TUPLE};
  for (size_t i = 0; i < sizeof(assets) / sizeof(assets[0]) && copy->from != copy->to; i++) {
    if (!copyKind(copy, assets[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
    if (!copyKind(copy, others[i])) {
      return false;
    }
  }
  return true;
}

static void joinPlugins(const cfCopy* copy) {
  const cfVec *from = &copy->from->plugins, *to = &copy->to->plugins;
  for (int i = 0; i < cfi_countInts(from) && copy->from != copy->to; i++) {
    bool is_known = false;
    for (int k = 0; k < cfi_countInts(to); k++) {
      is_known = is_known || cfi_ints(to)[k] == cfi_ints(from)[i];
    }
    if (!is_known) {
      *(int*)cfi_growVec(&copy->to->plugins, 1, sizeof(int)) = cfi_ints(from)[i];
    }
  }
}

// before and after the copy of the tree
static bool beginAttach(const cfCopy* copy, const cfElement* child, const cfElement* parent) {
  if (!copy->to->deepcopy && !cfi_mayMove(copy, child, parent)) {
    return false;
  }
  if (!cfi_splitKeys(copy)) {
    return false;
  }
  if (copy->from != copy->to) {
    cfi_keepSpec(copy->to, copy->from);
    copyClasses(copy);
  }
  return true;
}

static bool endAttach(const cfCopy* copy) {
  copy->from->is_attached = copy->from->is_attached || !copy->to->deepcopy;
  if (!copyReferences(copy)) {
    return false;
  }
  cfi_copyNamedInstances(copy);
  joinPlugins(copy);
  cfi_joinKeys(copy);
  cfi_expandKeys(copy->to);
  return true;
}

//---------------------------------- attach --------------------------------------------------------

static cfElement* attachBody(const cfCopy* copy, cfElement* frame, cfElement* child) {
  if (!beginAttach(copy, child, frame->body)) {
    return NULL;
  }
  // a world stays where it is
  const bool is_copied = copy->to->deepcopy || !child->body;
  cfElement* twin =
      is_copied ? cfi_copyBody(copy, child, frame->body) : cfi_moveBody(copy, child, frame->body);
  twin->frame = frame;
  return endAttach(copy) ? twin : NULL;
}

// orientation as a quaternion; one that is wrong stays for the compiler to complain about
static void settleOrientation(double quat[4], mjsOrientation* alt, const mjsCompiler* compiler) {
  if (!mjs_resolveOrientation(quat, compiler->degree, compiler->eulerseq, alt)) {
    alt->type = mjORIENTATION_QUAT;
  }
  mju_normalize4(quat);
}

// the pose of a frame that leaves its body, with the frames that it stood in
static void takeOuterFrames(cfElement* twin, const cfElement* outer) {
  mjsFrame* frame = (mjsFrame*)twin->attr;
  settleOrientation(frame->quat, &frame->alt, cfi_compilerOf(twin));
  for (; outer; outer = outer->frame) {
    mjsFrame around = *(const mjsFrame*)outer->attr;
    mjtNum pos[3], quat[4];
    settleOrientation(around.quat, &around.alt, cfi_compilerOf(outer));
    mju_mulPose(pos, quat, around.pos, around.quat, frame->pos, frame->quat);
    mju_copy3(frame->pos, pos);
    mju_copy4(frame->quat, quat);
  }
}

// copy of a frame with everything inside it; in the same specification it keeps its place in the
// frames around it, or where these are of another body, with which they may go, as part of its pose
static cfElement* copyFrame(const cfCopy* copy, cfElement* body, cfElement* child) {
  cfFrameMap map = {{NULL, 0, 0}, {NULL, 0, 0}};
  cfElement* twin = cfi_copyRenamed(copy, child);
  const bool is_around = copy->from == copy->to && child->frame;
  twin->frame = is_around && child->frame->body == body ? child->frame : NULL;
  if (is_around && !twin->frame) {
    takeOuterFrames(twin, child->frame);
  }
  cfi_addToBody(body, twin);
  addToMap(&map, child, twin);
  copyFrames(copy, child, body, &map);
  copyInside(copy, child, body, &map);
  cfi_freeList(&map.from);
  cfi_freeList(&map.to);
  return twin;
}

static cfElement* attachFrame(const cfCopy* copy, cfElement* body, cfElement* child) {
  if (!beginAttach(copy, child, body)) {
    return NULL;
  }
  cfElement* twin =
      copy->to->deepcopy ? copyFrame(copy, body, child) : cfi_moveFrame(copy, child, body);
  return endAttach(copy) ? twin : NULL;
}

// a whole model hangs on one frame that holds everything in its world
static cfElement* gatherWorld(cfSpec* child) {
  cfElement* frame = cfi_element(mjs_addFrame((mjsBody*)child->world->attr, NULL)->element);
  for (int slot = 0; slot < CF_TREE_KINDS; slot++) {
    const cfList* list = &child->world->part.body.child[slot];
    for (int i = 0; i < list->count; i++) {
      const cfElement* e = list->item[i];
      if (!e->frame && e != frame && !e->moved_to) {
        list->item[i]->frame = frame;
      }
    }
  }
  return frame;
}

// a frame at the place of a site
static cfElement* siteFrame(cfElement* site) {
  mjsSite* from = (mjsSite*)site->attr;
  const mjsCompiler* compiler = &site->spec->pub.compiler;
  mjsFrame* parent = site->frame ? (mjsFrame*)site->frame->attr : NULL;
  mjsFrame* frame = mjs_addFrame((mjsBody*)site->body->attr, parent);
  memcpy(frame->pos, from->pos, sizeof(frame->pos));
  memcpy(frame->quat, from->quat, sizeof(frame->quat));
  mjs_resolveOrientation(frame->quat, compiler->degree, compiler->eulerseq, &from->alt);
  return cfi_element(frame->element);
}

static mjsElement* refuse(cfSpec* spec, const char* reason) {
  cfi_setError(spec, false, "Error: %s", reason);
  return NULL;
}

// does a body, or what is inside a frame, have another body in it
static bool holds(const cfElement* child, const cfElement* body) {
  const bool is_frame = child->head.elemtype == mjOBJ_FRAME;
  for (; body; body = body->body) {
    if (body == child || (is_frame && body->body == child->body && isInside(body->frame, child))) {
      return true;
    }
  }
  return false;
}

static mjsElement* attachTo(const cfCopy* copy, cfElement* parent, cfElement* child) {
  cfElement* frame = parent->head.elemtype == mjOBJ_SITE ? siteFrame(parent) : parent;
  cfElement* twin;
  if (child->head.elemtype == mjOBJ_BODY) {
    twin = attachBody(copy, frame, child);
  } else {
    twin = attachFrame(copy, frame->body, child);
    if (twin) {
      twin->frame = frame;
    }
  }
  return twin ? &twin->head : NULL;
}

// by the kind of the place
static mjsElement* attachByKind(const cfCopy* copy, cfElement* above, cfElement* below) {
  const bool is_body = below->head.elemtype == mjOBJ_BODY,
             is_frame = below->head.elemtype == mjOBJ_FRAME;
  switch ((int)above->head.elemtype) {
    case mjOBJ_FRAME:
    case mjOBJ_SITE:
      return is_body || is_frame ? attachTo(copy, above, below)
                                 : refuse(above->spec, "child element is not a body or frame");
    case mjOBJ_BODY:
      if (is_frame) {
        cfElement* twin = attachFrame(copy, above, below);
        return twin ? &twin->head : NULL;
      }
      return refuse(above->spec, "child element is not a frame");
    default:
      return refuse(above->spec, "parent element is not a frame, body or site");
  }
}

mjsElement* mjs_attach(mjsElement* parent, const mjsElement* child, const char* prefix,
                       const char* suffix) {
  if (!parent || !child) {
    mju_error("%s element is null", parent ? "child" : "parent");
    return NULL;
  }
  cfElement *above = cfi_element(parent), *below = cfi_element(child);
  if (above->is_parked || below->is_parked) {
    return refuse(above->spec, "element is not in a model any more");
  }
  if (child->elemtype == mjOBJ_MODEL) {
    below = gatherWorld((cfSpec*)(void*)below);
  }
  const cfCopy copy = {.to = above->spec,
                       .from = below->spec,
                       .is_attach = true,
                       .prefix = prefix ? prefix : "",
                       .suffix = suffix ? suffix : ""};
  if (holds(below, parent->elemtype == mjOBJ_BODY ? above : above->body)) {
    return refuse(above->spec, "an element cannot be attached to what is inside it");
  }
  mjsElement* attached = attachByKind(&copy, above, below);
  copy.to->has_unlisted = copy.to->has_unlisted || copy.from->has_unlisted;
  cfi_listNames(copy.to);
  if (attached) {
    cfi_settleSignature(copy.to);
  }
  return attached;
}
