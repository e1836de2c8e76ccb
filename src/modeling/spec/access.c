// Finding, iterating and naming elements; conversions between element and struct.
#include "spec/spec.h"

#include <string.h>

#include "base/assert.h"
#include "spec/move.h"

//---------------------------------- from element to struct ----------------------------------------

#define CF_ELEMENT(object, name, field, home, rank)        \
  mjs##name* mjs_as##name(mjsElement* element) {           \
    if (!element || element->elemtype != mjOBJ_##object) { \
      return NULL;                                         \
    }                                                      \
    return (mjs##name*)cfi_element(element)->attr;         \
  }
#include "spec/elements.def"
#undef CF_ELEMENT

mjSpec* mjs_getSpec(mjsElement* element) {
  return &cfi_element(element)->spec->pub;
}

int mjs_getId(mjsElement* element) {
  if (!element) {
    return -1;
  }
  cfElement* e = cfi_element(element);
  if (cfi_treeSlot(element->elemtype) >= 0 && e->spec) {
    cfi_refreshTree(e->spec);
  }
  return e->id;
}

//---------------------------------- names ---------------------------------------------------------

mjString* mjs_getName(mjsElement* element) {
  return &cfi_element(element)->name;
}

int mjs_setName(mjsElement* element, const char* name) {
  cfElement* e = cfi_element(element);
  cfElement* other = cfi_find(e->spec, element->elemtype, name);
  if (element->elemtype != mjOBJ_DEFAULT && other && other != e) {
    cfi_setElementName(e, name);
    cfi_setError(e->spec, false, "Error: repeated name '%s' in %s", name,
                 mju_type2Str(element->elemtype));
    return -1;
  }
  cfi_setElementName(e, name);
  return 0;
}

//---------------------------------- find ----------------------------------------------------------

// last part of a path without its extension
static bool isFileStem(const char* path, const char* name) {
  CF_ASSERT(path && name);
  const char* base = path;
  for (const char* c = path; *c; c++) {
    if (*c == '/' || *c == '\\') {
      base = c + 1;
    }
  }
  const char* dot = strrchr(base, '.');
  const size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
  return strlen(name) == length && memcmp(base, name, length) == 0;
}

// an unnamed mesh or texture is known by its file
static cfElement* findByFile(cfSpec* spec, mjtObj type, const char* name) {
  const cfList* list = cfi_list(spec, type);
  for (int i = 0; i < list->count; i++) {
    cfElement* e = cfi_shown(list->item[i]);
    const void* file =
        type == mjOBJ_MESH ? ((mjsMesh*)e->attr)->file : ((mjsTexture*)e->attr)->file;
    if (!cfi_length(&e->name) && isFileStem(cfi_text(file), name)) {
      return e;
    }
  }
  return NULL;
}

// names may have been changed through the handle of mjs_getName: look at every one
static cfElement* findByScan(cfSpec* spec, mjtObj type, const char* name) {
  const cfList* list = cfi_list(spec, type);
  for (int i = 0; i < list->count; i++) {
    cfElement* e = cfi_shown(list->item[i]);
    if (strcmp(cfi_text(&e->name), name) == 0) {
      return e;
    }
  }
  return NULL;
}

mjsElement* mjs_findElement(mjSpec* s, mjtObj type, const char* name) {
  cfSpec* spec = cfi_spec(s);
  cfElement* e = cfi_shown(cfi_find(spec, type, name));
  if (!e || strcmp(cfi_text(&e->name), name) != 0) {
    e = findByScan(spec, type, name);
  }
  if (!e && (type == mjOBJ_MESH || type == mjOBJ_TEXTURE)) {
    e = findByFile(spec, type, name);
  }
  return e ? &e->head : NULL;
}

mjsBody* mjs_findBody(mjSpec* s, const char* name) {
  return mjs_asBody(mjs_findElement(s, mjOBJ_BODY, name));
}

mjsFrame* mjs_findFrame(mjSpec* s, const char* name) {
  return mjs_asFrame(mjs_findElement(s, mjOBJ_FRAME, name));
}

mjsBody* mjs_findChild(mjsBody* body, const char* name) {
  if (strcmp(cfi_text(&cfi_element(body->element)->name), name) == 0) {
    return body;
  }
  mjsElement* child = mjs_firstChild(body, mjOBJ_BODY, 1);
  while (child && strcmp(cfi_text(&cfi_element(child)->name), name) != 0) {
    child = mjs_nextChild(body, child, 1);
  }
  return mjs_asBody(child);
}

mjSpec* mjs_findSpec(mjSpec* s, const char* name) {
  for (cfSpecNode* node = cfi_spec(s)->children; node; node = node->next) {
    if (strcmp(cfi_text(&node->spec->modelname), name) == 0) {
      return &node->spec->pub;
    }
  }
  return NULL;
}

//---------------------------------- parents -------------------------------------------------------

mjsBody* mjs_getParent(mjsElement* element) {
  cfElement* e = cfi_element(element);
  return cfi_treeSlot(element->elemtype) >= 0 && e->body ? (mjsBody*)e->body->attr : NULL;
}

mjsFrame* mjs_getFrame(mjsElement* element) {
  cfElement* e = cfi_element(element);
  return cfi_treeSlot(element->elemtype) >= 0 && e->frame ? (mjsFrame*)e->frame->attr : NULL;
}

int mjs_setFrame(mjsElement* dest, mjsFrame* frame) {
  if (!frame || !dest) {
    return -1;
  }
  cfElement* e = cfi_element(dest);
  cfElement* f = cfi_element(frame->element);
  for (const cfElement* outer = f; outer; outer = outer->frame) {
    if (outer == e) {
      cfi_setError(e->spec, false, "Error: a frame cannot stand inside itself");
      return -1;
    }
  }
  if (f->body && e->body != f->body) {
    cfi_setError(e->spec, false, "Error: Frame and body '%s' have mismatched parents",
                 cfi_text(&e->name));
    return -1;
  }
  e->frame = f;
  return 0;
}

//---------------------------------- iteration -----------------------------------------------------

// is `body` below `root`, or the root itself
static bool isInSubtree(const cfElement* body, const cfElement* root) {
  while (body && body != root) {
    body = body->body;
  }
  return body != NULL;
}

// first element from place `start` on whose parent passes; the list is depth first
static mjsElement* nextBelow(cfElement* root, mjtObj type, int start, bool recurse) {
  CF_ASSERT(root && start >= 0);
  const cfList* list = cfi_list(root->spec, type);
  for (int i = start; i < list->count; i++) {
    cfElement* parent = list->item[i]->body;
    if (parent && (recurse ? isInSubtree(parent, root) : parent == root)) {
      return &list->item[i]->head;
    }
  }
  return NULL;
}

// children of one body in their order, or of a whole subtree depth first
static mjsElement* nextIn(cfElement* root, mjtObj type, cfElement* child, bool recurse) {
  const int slot = cfi_treeSlot(type);
  if (slot < 0) {
    cfi_setError(
        root->spec, false,
        "Error: Body.NextChild supports the types: body, frame, geom, site, light, camera");
    return NULL;
  }
  if (root->spec->is_attached) {
    cfElement* next = recurse ? cfi_nextInTree(root, type, child)
                              : cfi_nextListed(&root->part.body.child[slot], child);
    return next ? &next->head : NULL;
  }
  if (recurse) {
    return nextBelow(root, type, child ? mjs_getId(&child->head) + 1 : 0, true);
  }

  const cfList* list = &root->part.body.child[slot];
  int place = 0;
  while (child && place < list->count && list->item[place] != child) {
    place++;
  }
  place += child != NULL;
  return place < list->count ? &list->item[place]->head : NULL;
}

mjsElement* mjs_firstChild(mjsBody* body, mjtObj type, int recurse) {
  return nextIn(cfi_element(body->element), type, NULL, recurse);
}

mjsElement* mjs_nextChild(mjsBody* body, mjsElement* child, int recurse) {
  return nextIn(cfi_element(body->element), child->elemtype, cfi_element(child), recurse);
}

// the element behind another in a specification that gave some away
static mjsElement* nextShown(cfSpec* spec, mjtObj type, cfElement* after) {
  cfElement* world = spec->world;
  if (type == mjOBJ_BODY && !after) {
    return &world->head;
  }
  cfElement* next = cfi_treeSlot(type) < 0
                        ? cfi_nextListed(cfi_list(spec, type), after)
                        : cfi_nextInTree(world, type, after == world ? NULL : after);
  return next ? &next->head : NULL;
}

mjsElement* mjs_firstElement(mjSpec* s, mjtObj type) {
  cfSpec* spec = cfi_spec(s);
  if (spec->is_attached) {
    return nextShown(spec, type, NULL);
  }
  const cfList* list = cfi_list(spec, type);
  return list->count ? &list->item[0]->head : NULL;
}

mjsElement* mjs_nextElement(mjSpec* s, mjsElement* element) {
  cfSpec* spec = cfi_spec(s);
  if (spec->is_attached) {
    return nextShown(spec, element->elemtype, cfi_element(element));
  }
  const cfList* list = cfi_list(spec, element->elemtype);
  const int id = cfi_element(element)->id;
  if (id < 0 || id >= list->count || list->item[id] != cfi_element(element)) {
    return NULL;
  }
  return id + 1 < list->count ? &list->item[id + 1]->head : NULL;
}
