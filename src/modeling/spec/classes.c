// Default classes: each holds one element per kind whose attributes new elements start with.
#include "spec/spec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

// kinds in the order of their rank, and where the public part of a class points to its element
static const mjtObj default_types[CF_DEFAULT_KINDS] = {
    mjOBJ_JOINT, mjOBJ_GEOM,     mjOBJ_SITE, mjOBJ_CAMERA,   mjOBJ_LIGHT,  mjOBJ_FLEX,
    mjOBJ_MESH,  mjOBJ_MATERIAL, mjOBJ_PAIR, mjOBJ_EQUALITY, mjOBJ_TENDON, mjOBJ_ACTUATOR};
#define AT(member) offsetof(mjsDefault, member)
static const size_t default_places[CF_DEFAULT_KINDS] = {
    AT(joint), AT(geom),     AT(site), AT(camera),   AT(light),  AT(flex),
    AT(mesh),  AT(material), AT(pair), AT(equality), AT(tendon), AT(actuator)};
#undef AT

cfElement* cfi_defaultElement(const cfElement* def, mjtObj type) {
  for (int k = 0; k < CF_DEFAULT_KINDS; k++) {
    if (default_types[k] == type) {
      return def->part.def.proto[k];
    }
  }
  return NULL;
}

// element header and mjsDefault in one block
static cfElement* allocateClass(cfSpec* spec) {
  const size_t head = (sizeof(cfElement) + 15) / 16 * 16;
  char* block = (char*)calloc(1, head + sizeof(mjsDefault));
  if (!block) {
    mju_error("could not allocate a default class");
    abort();
  }
  cfElement* def = (cfElement*)(void*)block;
  def->head.elemtype = mjOBJ_DEFAULT;
  def->spec = spec;
  def->scope = &spec->scope;
  cfi_initString(&def->name);
  cfi_initString(&def->classname);
  cfi_initString(&def->info);
  def->attr = block + head;
  return def;
}

static void bindClass(cfElement* def) {
  CF_ASSERT(def->head.elemtype == mjOBJ_DEFAULT);
  mjsDefault* pub = (mjsDefault*)def->attr;
  pub->element = &def->head;
  for (int k = 0; k < CF_DEFAULT_KINDS; k++) {
    const void* attr = def->part.def.proto[k]->attr;
    memcpy((char*)pub + default_places[k], &attr, sizeof(attr));
  }
}

// new class that starts as a copy of its parent; NULL when the name is taken
cfElement* cfi_newDefault(cfSpec* spec, const char* name, cfElement* parent) {
  if (cfi_findDefault(spec, name)) {
    return NULL;
  }
  cfElement* def = allocateClass(spec);
  for (int k = 0; k < CF_DEFAULT_KINDS; k++) {
    def->part.def.proto[k] = cfi_newElement(spec, default_types[k]);
    if (parent) {
      cfi_copyAttributes(def->part.def.proto[k], parent->part.def.proto[k]);
    }
  }
  bindClass(def);
  def->part.def.parent = parent;
  if (parent) {
    cfi_pushElement(&parent->part.def.child, def);
  }
  def->id = spec->defaults.count;
  cfi_pushElement(&spec->defaults, def);
  cfi_setElementName(def, name);
  return def;
}

void cfi_freeDefault(cfElement* def) {
  for (int k = 0; k < CF_DEFAULT_KINDS; k++) {
    cfi_freeElement(def->part.def.proto[k]);
  }
  cfi_freeList(&def->part.def.child);
  cfi_freeElement(def);
}

void cfi_retireDefault(cfElement* def) {
  for (int k = 0; k < CF_DEFAULT_KINDS; k++) {
    cfi_retireElement(def->part.def.proto[k]);
  }
  cfi_freeList(&def->part.def.child);
  cfi_retireElement(def);
}

cfElement* cfi_findDefault(cfSpec* spec, const char* classname) {
  if (classname && !*classname) {
    // the empty name stands for the root class where that one is unnamed
    return spec->defaults.count && !cfi_length(&spec->defaults.item[0]->name)
               ? spec->defaults.item[0]
               : NULL;
  }
  cfElement* def = cfi_find(spec, mjOBJ_DEFAULT, classname);
  return def;
}

cfElement* cfi_defaultOf(const cfElement* e) {
  cfElement* def =
      cfi_length(&e->classname) ? cfi_findDefault(e->spec, cfi_text(&e->classname)) : NULL;
  return def ? def : e->spec->defaults.item[0];
}

mjsDefault* mjs_addDefault(mjSpec* s, const char* classname, const mjsDefault* parent) {
  cfSpec* spec = cfi_spec(s);
  cfElement* above = parent ? cfi_element(parent->element) : spec->defaults.item[0];
  cfElement* def = cfi_newDefault(spec, classname, above);
  return def ? (mjsDefault*)def->attr : NULL;
}

mjsDefault* mjs_getDefault(mjsElement* element) {
  const cfElement* def = cfi_defaultOf(cfi_element(element));
  return def ? (mjsDefault*)def->attr : NULL;
}

mjsDefault* mjs_findDefault(mjSpec* s, const char* classname) {
  cfElement* def = cfi_findDefault(cfi_spec(s), classname);
  return def ? (mjsDefault*)def->attr : NULL;
}

mjsDefault* mjs_getSpecDefault(mjSpec* s) {
  return (mjsDefault*)cfi_spec(s)->defaults.item[0]->attr;
}

void mjs_setDefault(mjsElement* element, const mjsDefault* def) {
  cfi_copyMember(&cfi_element(element)->classname, &cfi_element(def->element)->name,
                 CF_MEMBER_STRING);
}
