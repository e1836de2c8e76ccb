// mjs_add...: new elements, initialized from their default class.
#include "spec/spec.h"

#include <string.h>

#include "base/assert.h"
#include "spec/signature.h"

// class to start from: the given one, else that of the surroundings
static cfElement* classFor(cfSpec* spec, const mjsDefault* def, const cfElement* body) {
  if (def) {
    return cfi_element(def->element);
  }
  return body ? cfi_defaultOf(body) : spec->defaults.item[0];
}

static cfElement* newFromClass(cfSpec* spec, mjtObj type, const cfElement* def) {
  CF_ASSERT(spec != NULL);
  cfElement* e = cfi_newElement(spec, type);
  const cfElement* proto = cfi_defaultElement(def, type);
  if (proto) {
    cfi_copyAttributes(e, proto);
  }
  cfi_copyMember(&e->classname, &def->name, CF_MEMBER_STRING);
  return e;
}

static void* addToSpec(mjSpec* s, mjtObj type, const mjsDefault* def) {
  cfSpec* spec = cfi_spec(s);
  cfElement* e = newFromClass(spec, type, classFor(spec, def, NULL));
  cfi_addToSpec(spec, e);
  cfi_settleSignature(spec);
  return e->attr;
}

cfElement* cfi_addChild(mjsBody* parent, mjtObj type, const mjsDefault* def) {
  cfElement* body = cfi_element(parent->element);
  cfElement* e = newFromClass(body->spec, type, classFor(body->spec, def, body));
  cfi_addToBody(body, e);
  cfi_settleSignature(body->spec);
  return e;
}

//---------------------------------- on a body -----------------------------------------------------

mjsBody* mjs_addBody(mjsBody* body, const mjsDefault* def) {
  cfElement* parent = cfi_element(body->element);
  cfElement* child = cfi_newElement(parent->spec, mjOBJ_BODY);

  // classes are inherited down the tree
  const cfString* classname = def ? &cfi_element(def->element)->name : &parent->classname;
  cfi_copyMember(&child->classname, classname, CF_MEMBER_STRING);
  cfi_addToBody(parent, child);
  cfi_settleSignature(parent->spec);
  return (mjsBody*)child->attr;
}

mjsFrame* mjs_addFrame(mjsBody* body, mjsFrame* parentframe) {
  cfElement* parent = cfi_element(body->element);
  cfElement* frame = cfi_newElement(parent->spec, mjOBJ_FRAME);
  frame->frame = parentframe ? cfi_element(parentframe->element) : NULL;
  cfi_addToBody(parent, frame);
  cfi_settleSignature(parent->spec);
  return (mjsFrame*)frame->attr;
}

// a free joint takes nothing from default classes
mjsJoint* mjs_addFreeJoint(mjsBody* body) {
  cfElement* parent = cfi_element(body->element);
  cfElement* e = cfi_newElement(parent->spec, mjOBJ_JOINT);
  cfi_assignString(&e->classname, "main");
  mjsJoint* joint = (mjsJoint*)e->attr;
  joint->type = mjJNT_FREE;
  cfi_addToBody(parent, e);
  cfi_settleSignature(parent->spec);
  return joint;
}

#define CF_ADD_TO_BODY(name, type)                                 \
  mjs##name* mjs_add##name(mjsBody* body, const mjsDefault* def) { \
    return (mjs##name*)cfi_addChild(body, type, def)->attr;        \
  }
CF_ADD_TO_BODY(Joint, mjOBJ_JOINT)
CF_ADD_TO_BODY(Geom, mjOBJ_GEOM)
CF_ADD_TO_BODY(Site, mjOBJ_SITE)
CF_ADD_TO_BODY(Camera, mjOBJ_CAMERA)
CF_ADD_TO_BODY(Light, mjOBJ_LIGHT)
#undef CF_ADD_TO_BODY

//---------------------------------- in the model --------------------------------------------------

#define CF_ADD_WITH_CLASS(name, type)                          \
  mjs##name* mjs_add##name(mjSpec* s, const mjsDefault* def) { \
    return (mjs##name*)addToSpec(s, type, def);                \
  }
CF_ADD_WITH_CLASS(Mesh, mjOBJ_MESH)
CF_ADD_WITH_CLASS(Material, mjOBJ_MATERIAL)
CF_ADD_WITH_CLASS(Pair, mjOBJ_PAIR)
CF_ADD_WITH_CLASS(Equality, mjOBJ_EQUALITY)
CF_ADD_WITH_CLASS(Tendon, mjOBJ_TENDON)
CF_ADD_WITH_CLASS(Actuator, mjOBJ_ACTUATOR)
#undef CF_ADD_WITH_CLASS

#define CF_ADD_PLAIN(name, type)                 \
  mjs##name* mjs_add##name(mjSpec* s) {          \
    return (mjs##name*)addToSpec(s, type, NULL); \
  }
CF_ADD_PLAIN(Flex, mjOBJ_FLEX)
CF_ADD_PLAIN(HField, mjOBJ_HFIELD)
CF_ADD_PLAIN(Skin, mjOBJ_SKIN)
CF_ADD_PLAIN(Texture, mjOBJ_TEXTURE)
CF_ADD_PLAIN(Exclude, mjOBJ_EXCLUDE)
CF_ADD_PLAIN(Sensor, mjOBJ_SENSOR)
CF_ADD_PLAIN(Numeric, mjOBJ_NUMERIC)
CF_ADD_PLAIN(Text, mjOBJ_TEXT)
CF_ADD_PLAIN(Tuple, mjOBJ_TUPLE)
CF_ADD_PLAIN(Key, mjOBJ_KEY)
CF_ADD_PLAIN(Plugin, mjOBJ_PLUGIN)
#undef CF_ADD_PLAIN

//---------------------------------- paths of tendons ----------------------------------------------

static cfElement* addWrap(mjsTendon* tendon, mjtWrap type, const char* target, double prm) {
  cfElement* owner = cfi_element(tendon->element);
  cfElement* wrap = cfi_newElement(owner->spec, mjOBJ_UNKNOWN);
  ((mjsWrap*)wrap->attr)->type = type;
  wrap->part.wrap.tendon = owner;
  wrap->part.wrap.prm = prm;
  wrap->id = owner->part.tendon.path.count;
  wrap->scope = owner->scope;
  cfi_assignString(&wrap->name, target);
  cfi_pushElement(&owner->part.tendon.path, wrap);
  return wrap;
}

mjsWrap* mjs_wrapSite(mjsTendon* tendon, const char* name) {
  return (mjsWrap*)addWrap(tendon, mjWRAP_SITE, name, 0)->attr;
}

// sphere stands for any geom until the compiler has looked at its type
mjsWrap* mjs_wrapGeom(mjsTendon* tendon, const char* name, const char* sidesite) {
  cfElement* wrap = addWrap(tendon, mjWRAP_SPHERE, name, 0);
  cfi_assignString(&wrap->part.wrap.sidesite, sidesite);
  return (mjsWrap*)wrap->attr;
}

mjsWrap* mjs_wrapJoint(mjsTendon* tendon, const char* name, double coef) {
  return (mjsWrap*)addWrap(tendon, mjWRAP_JOINT, name, coef)->attr;
}

mjsWrap* mjs_wrapPulley(mjsTendon* tendon, double divisor) {
  return (mjsWrap*)addWrap(tendon, mjWRAP_PULLEY, "", divisor)->attr;
}

int mjs_getWrapNum(const mjsTendon* tendon) {
  return cfi_element(tendon->element)->part.tendon.path.count;
}

mjsWrap* mjs_getWrap(const mjsTendon* tendon, int i) {
  const cfList* path = &cfi_element(tendon->element)->part.tendon.path;
  if (i < 0 || i >= path->count) {
    mju_error("Wrap index out of range (0, %d)", path->count);
    return NULL;
  }
  return (mjsWrap*)path->item[i]->attr;
}

mjsElement* mjs_getWrapTarget(mjsWrap* wrap) {
  static const struct {
    mjtWrap wrap;
    mjtObj object;
  } target[] = {{mjWRAP_SPHERE, mjOBJ_GEOM},
                {mjWRAP_CYLINDER, mjOBJ_GEOM},
                {mjWRAP_SITE, mjOBJ_SITE},
                {mjWRAP_JOINT, mjOBJ_JOINT}};
  cfElement* e = cfi_element(wrap->element);
  for (size_t i = 0; i < sizeof(target) / sizeof(target[0]); i++) {
    if (target[i].wrap == wrap->type) {
      return mjs_findElement(&e->spec->pub, target[i].object, cfi_text(&e->name));
    }
  }
  return NULL;
}

mjsSite* mjs_getWrapSideSite(mjsWrap* wrap) {
  cfElement* e = cfi_element(wrap->element);
  const bool is_geom = wrap->type == mjWRAP_SPHERE || wrap->type == mjWRAP_CYLINDER;
  if (!is_geom || !cfi_length(&e->part.wrap.sidesite)) {
    return NULL;
  }
  mjsElement* site = mjs_findElement(&e->spec->pub, mjOBJ_SITE, cfi_text(&e->part.wrap.sidesite));
  if (!site) {
    mju_warning("Could not find side site %s for wrap %s in spec", cfi_text(&e->part.wrap.sidesite),
                cfi_text(&e->name));
  }
  return mjs_asSite(site);
}

// parameter that only one kind of wrap has; others get 1 and a warning
static double wrapParameter(mjsWrap* wrap, mjtWrap type, const char* attribute, const char* kind) {
  cfElement* e = cfi_element(wrap->element);
  if (wrap->type != type) {
    mju_warning("Querying %s attribute of non-%s wrap: %s", attribute, kind, cfi_text(&e->name));
    return 1;
  }
  return e->part.wrap.prm;
}

double mjs_getWrapDivisor(mjsWrap* wrap) {
  return wrapParameter(wrap, mjWRAP_PULLEY, "divisor", "pulley");
}

double mjs_getWrapCoef(mjsWrap* wrap) {
  return wrapParameter(wrap, mjWRAP_JOINT, "coef", "joint");
}
