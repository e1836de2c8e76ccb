// mjs_delete: remove an element, everything below it, and whatever cannot do without it.
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "spec/keys.h"
#include "spec/resolve.h"
#include "spec/signature.h"

static const mjtObj referring_types[] = {mjOBJ_PAIR,     mjOBJ_EXCLUDE,  mjOBJ_TENDON,
                                         mjOBJ_EQUALITY, mjOBJ_ACTUATOR, mjOBJ_SENSOR};
enum { REFERRING = sizeof(referring_types) / sizeof(referring_types[0]) };

static void renumber(cfList* list) {
  for (int i = 0; i < list->count; i++) {
    list->item[i]->id = i;
  }
}

static void removeFromSpec(cfSpec* spec, cfElement* e) {
  CF_ASSERT(spec && e && e->spec == spec);
  cfList* list = &spec->list[e->head.elemtype];
  cfi_dropName(spec, e);
  cfi_removeElement(list, e);
  renumber(list);
  cfi_retireElement(e);
}

// an element's own plugin instance goes with it
static void removePlugin(cfSpec* spec, const cfElement* e) {
  if (cfi_ownsInstance(e)) {
    removeFromSpec(spec, cfi_instanceOf(e));
  }
}

static void freeOne(cfSpec* spec, cfElement* e) {
  removePlugin(spec, e);
  cfi_dropName(spec, e);
  cfi_retireElement(e);
}

// a body with everything below it
static void freeSubtree(cfSpec* spec, cfElement* root) {
  cfList all = cfi_listSubtree(root);
  for (int i = 0; i < all.count; i++) {
    freeOne(spec, all.item[i]);
  }
  cfi_freeList(&all);
}

// elements that could be resolved before the deletion, one flag each: with the names of the last
// compilation, where there was one
static unsigned char* flagResolved(cfSpec* spec, mjtObj type) {
  const cfList* list = &spec->list[type];
  unsigned char* flag = (unsigned char*)calloc((size_t)list->count + 1, 1);
  for (int i = 0; flag && i < list->count; i++) {
    flag[i] = cfi_resolveListed(list->item[i]);
  }
  return flag;
}

// remove what could be resolved before and cannot any more
static void removeOrphans(cfSpec* spec, mjtObj type, const unsigned char* flag) {
  cfList* list = &spec->list[type];
  int kept = 0;
  for (int i = 0; i < list->count; i++) {
    cfElement* e = list->item[i];
    if (flag && flag[i] && !cfi_resolveReferences(e, "", "")) {
      freeOne(spec, e);
    } else {
      list->item[kept++] = e;
    }
  }
  list->count = kept;
  renumber(list);
}

bool cfi_dissolveKeys(cfSpec* spec) {
  cfList* keys = &spec->list[mjOBJ_KEY];
  if (!cfi_detachKeys(spec)) {
    return false;
  }
  for (int i = 0; i < keys->count; i++) {
    freeOne(spec, keys->item[i]);
  }
  keys->count = 0;
  return true;
}

// named plugin instances that nothing uses go with the body
static void removeUnusedInstances(cfSpec* spec) {
  cfList* list = &spec->list[mjOBJ_PLUGIN];
  int kept = 0;
  for (int i = 0; i < list->count; i++) {
    cfElement* e = list->item[i];
    if (cfi_length(&e->name) && !cfi_isInstanceUsed(spec, cfi_text(&e->name))) {
      cfi_unlinkInstance(spec, e);
      cfi_dropName(spec, e);
      cfi_retireElement(e);
    } else {
      list->item[kept++] = e;
    }
  }
  list->count = kept;
  renumber(list);
}

static bool deleteBody(cfSpec* spec, cfElement* body) {
  unsigned char* flag[REFERRING];
  if (!cfi_dissolveKeys(spec)) {
    return false;
  }
  for (int k = 0; k < REFERRING; k++) {
    flag[k] = flagResolved(spec, referring_types[k]);
  }
  cfi_removeElement(&body->body->part.body.child[0], body);
  freeSubtree(spec, body);
  spec->tree_stale = true;
  cfi_listNames(spec);
  for (int k = 0; k < REFERRING; k++) {
    removeOrphans(spec, referring_types[k], flag[k]);
    free(flag[k]);
  }
  removeUnusedInstances(spec);
  return true;
}

// what stood inside a frame stands outside it
static void releaseFrame(cfElement* frame) {
  for (int slot = 0; slot < CF_TREE_KINDS; slot++) {
    const cfList* list = &frame->body->part.body.child[slot];
    for (int i = 0; i < list->count; i++) {
      if (list->item[i]->frame == frame) {
        list->item[i]->frame = frame->frame;
      }
    }
  }
}

// a class with the classes below it; children always stand behind their parent
static void deleteClass(cfSpec* spec, cfElement* root) {
  cfList doomed = {NULL, 0, 0};
  cfi_pushElement(&doomed, root);
  for (int k = 0; k < doomed.count; k++) {
    const cfList* child = &doomed.item[k]->part.def.child;
    for (int i = 0; i < child->count; i++) {
      cfi_pushElement(&doomed, child->item[i]);
    }
  }
  cfi_removeElement(&root->part.def.parent->part.def.child, root);
  for (int k = 0; k < doomed.count; k++) {
    cfi_dropName(spec, doomed.item[k]);
    cfi_removeElement(&spec->defaults, doomed.item[k]);
    cfi_retireDefault(doomed.item[k]);
  }
  renumber(&spec->defaults);
  cfi_freeList(&doomed);
}

int mjs_delete(mjSpec* s, mjsElement* element) {
  cfSpec* spec = cfi_spec(s);
  if (!element) {
    cfi_setError(spec, false, "Error: Element is null.");
    return -1;
  }
  cfElement* e = cfi_element(element);
  if (e->spec != spec || e->is_parked) {
    cfi_setError(spec, false, "Error: element is not in this model");
    return -1;
  }
  if (element->elemtype == mjOBJ_MODEL || element->elemtype == mjOBJ_UNKNOWN) {
    cfi_setError(spec, false, "Error: models and parts of tendon paths cannot be deleted");
    return -1;
  }
  if (element->elemtype == mjOBJ_DEFAULT) {
    if (!e->part.def.parent) {
      cfi_setError(spec, false, "Error: cannot remove the global default ('main')");
      return -1;
    }
    deleteClass(spec, e);
    cfi_listNames(spec);
    return 0;  // classes are no part of the structure
  }
  if (element->elemtype == mjOBJ_BODY) {
    if (!e->body) {
      cfi_setError(spec, false, "Error: cannot remove the world body");
      return -1;
    }
    if (!deleteBody(spec, e)) {
      return -1;
    }
  } else if (cfi_treeSlot(element->elemtype) >= 0) {
    if (element->elemtype == mjOBJ_FRAME) {
      releaseFrame(e);
    }
    cfi_removeElement(&e->body->part.body.child[cfi_treeSlot(element->elemtype)], e);
    spec->tree_stale = true;
    freeOne(spec, e);
  } else {
    removePlugin(spec, e);
    if (element->elemtype == mjOBJ_PLUGIN) {
      cfi_unlinkInstance(spec, e);
    }
    removeFromSpec(spec, e);
  }
  cfi_listNames(spec);
  cfi_changeSignature(spec);
  cfi_settleSignature(spec);
  return 0;
}
