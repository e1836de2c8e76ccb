// Lists of elements, their order in the model, and the index of names.
#include "spec/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

// order in which the reference lists what hangs on a body does not matter across types; bodies
// first
const mjtObj cfi_treeTypes[CF_TREE_KINDS] = {mjOBJ_BODY, mjOBJ_FRAME,  mjOBJ_JOINT, mjOBJ_GEOM,
                                             mjOBJ_SITE, mjOBJ_CAMERA, mjOBJ_LIGHT};

int cfi_treeSlot(mjtObj type) {
  if (type == mjOBJ_XBODY) {
    type = mjOBJ_BODY;
  }
  for (int slot = 0; slot < CF_TREE_KINDS; slot++) {
    if (cfi_treeTypes[slot] == type) {
      return slot;
    }
  }
  return -1;
}

//---------------------------------- plain lists ---------------------------------------------------

void cfi_pushElement(cfList* list, cfElement* e) {
  CF_ASSERT(list->count <= list->room);
  if (list->count == list->room) {
    int room = list->room ? 2 * list->room : 8;
    cfElement** item = (cfElement**)realloc(list->item, (size_t)room * sizeof(cfElement*));
    if (!item) {
      mju_error("could not allocate a list of %d elements", room);
      abort();
    }
    list->item = item;
    list->room = room;
  }
  list->item[list->count++] = e;
}

void cfi_removeElement(cfList* list, cfElement* e) {
  CF_ASSERT(list->count > 0);
  int kept = 0;
  for (int i = 0; i < list->count; i++) {
    if (list->item[i] != e) {
      list->item[kept++] = list->item[i];
    }
  }
  list->count = kept;
}

void cfi_freeList(cfList* list) {
  free(list->item);
  *list = (cfList){NULL, 0, 0};
}

//---------------------------------- lists of a specification --------------------------------------

// frames have a type number beyond the objects and get the last list
static int listIndex(mjtObj type) {
  if (type == mjOBJ_XBODY) {
    return mjOBJ_BODY;
  }
  return type == mjOBJ_FRAME ? mjNOBJECT : (int)type < mjNOBJECT ? (int)type : -1;
}

// append everything that hangs directly on a body
static void listBody(cfSpec* spec, cfElement* body) {
  for (int slot = 1; slot < CF_TREE_KINDS; slot++) {
    cfList* list = &spec->list[listIndex(cfi_treeTypes[slot])];
    const cfList* child = &body->part.body.child[slot];
    for (int i = 0; i < child->count; i++) {
      child->item[i]->id = list->count;
      cfi_pushElement(list, child->item[i]);
    }
  }
}

// depth first over the bodies with an explicit stack of (body, next child)
static void walkTree(cfSpec* spec) {
  cfList* bodies = &spec->list[mjOBJ_BODY];
  cfList stack = {NULL, 0, 0};
  cfi_pushElement(&stack, spec->world);
  while (stack.count) {
    cfElement* body = stack.item[--stack.count];
    body->id = bodies->count;
    cfi_pushElement(bodies, body);
    listBody(spec, body);

    // last child first, so that the first child is taken next
    const cfList* child = &body->part.body.child[0];
    for (int i = child->count - 1; i >= 0; i--) {
      cfi_pushElement(&stack, child->item[i]);
    }
  }
  cfi_freeList(&stack);
}

cfList cfi_listSubtree(cfElement* root) {
  CF_ASSERT(root->head.elemtype == mjOBJ_BODY);
  cfList all = {NULL, 0, 0}, todo = {NULL, 0, 0};
  cfi_pushElement(&todo, root);
  while (todo.count) {
    cfElement* body = todo.item[--todo.count];
    cfi_pushElement(&all, body);
    for (int slot = 0; slot < CF_TREE_KINDS; slot++) {
      const cfList* child = &body->part.body.child[slot];
      for (int i = 0; i < child->count; i++) {
        cfi_pushElement(slot == 0 ? &todo : &all, child->item[i]);
      }
    }
  }
  cfi_freeList(&todo);
  return all;
}

void cfi_refreshTree(cfSpec* spec) {
  if (!spec->tree_stale) {
    return;
  }
  for (int slot = 0; slot < CF_TREE_KINDS; slot++) {
    spec->list[listIndex(cfi_treeTypes[slot])].count = 0;
  }
  walkTree(spec);
  spec->tree_stale = false;
}

const cfList* cfi_list(cfSpec* spec, mjtObj type) {
  static const cfList none = {NULL, 0, 0};
  const int index = listIndex(type);
  if (type == mjOBJ_DEFAULT) {
    return &spec->defaults;
  }
  if (index < 0) {
    return &none;
  }
  if (cfi_treeSlot(type) >= 0) {
    cfi_refreshTree(spec);
  }
  return &spec->list[index];
}

void cfi_changeSignature(cfSpec* spec) {
  CF_ASSERT(spec != NULL);
  spec->self.head.signature = spec->self.head.signature * 6364136223846793005u + ++spec->nedit;
}

// an element that comes to a specification that was compiled
static void unlistNew(cfElement* e) {
  e->is_unlisted = e->is_unlisted || e->spec->is_compiled;
  e->spec->has_unlisted = e->spec->has_unlisted || e->is_unlisted;
}

void cfi_addToSpec(cfSpec* spec, cfElement* e) {
  const int index = listIndex(e->head.elemtype);
  CF_ASSERT(index >= 0 && cfi_treeSlot(e->head.elemtype) < 0);
  cfList* list = &spec->list[index];
  e->spec = spec;
  e->id = list->count;
  cfi_pushElement(list, e);
  unlistNew(e);
  cfi_indexName(spec, e);
  cfi_changeSignature(spec);
}

void cfi_addToBody(cfElement* body, cfElement* e) {
  const int slot = cfi_treeSlot(e->head.elemtype);
  CF_ASSERT(slot >= 0 && body->head.elemtype == mjOBJ_BODY);
  e->spec = body->spec;
  e->body = body;
  cfi_pushElement(&body->part.body.child[slot], e);
  body->spec->tree_stale = true;
  unlistNew(e);
  cfi_indexName(body->spec, e);
  cfi_changeSignature(body->spec);
}

//---------------------------------- name index ----------------------------------------------------
// Open addressing, capacity a power of two, at most half full.  Removed places hold a tombstone.
// Two elements with one name may both stand in the table; the lookup returns the first in id order
// only if names are unique, which the compiler checks.

static cfElement tombstone;

static size_t hashName(mjtObj type, const char* name) {
  size_t h = 1469598103934665603ull ^ (size_t)type;
  for (; *name; name++) {
    h = (h ^ (unsigned char)*name) * 1099511628211ull;
  }
  return h ^ (h >> 29);
}

// walk the places where a name may stand; *step counts from 0
static cfElement** probeSlot(const cfList* table, size_t hash, int step) {
  return &table->item[(hash + (size_t)step) & (size_t)(table->room - 1)];
}

static void insertName(cfList* table, cfElement* e) {
  CF_ASSERT(table && e);
  const size_t hash = hashName(e->head.elemtype, cfi_text(&e->name));
  for (int step = 0;; step++) {
    cfElement** place = probeSlot(table, hash, step);
    if (!*place) {
      *place = e;
      table->count++;
      return;
    }
    if (*place == e) {
      return;
    }
  }
}

// count includes tombstones, so the table is rebuilt before it fills up
static void growIndex(cfSpec* spec) {
  cfList* table = &spec->index[0];
  int live = 0;
  for (int i = 0; i < table->room; i++) {
    live += table->item[i] && table->item[i] != &tombstone;
  }
  cfList fresh = {NULL, 0, 64};
  while (fresh.room < 4 * (live + 1)) {
    fresh.room *= 2;
  }
  fresh.item = (cfElement**)calloc((size_t)fresh.room, sizeof(cfElement*));
  if (!fresh.item) {
    mju_error("could not allocate an index of %d names", fresh.room);
    abort();
  }
  for (int i = 0; i < table->room; i++) {
    if (table->item[i] && table->item[i] != &tombstone) {
      insertName(&fresh, table->item[i]);
    }
  }
  cfi_freeList(table);
  *table = fresh;
}

void cfi_indexName(cfSpec* spec, cfElement* e) {
  if (!spec || !cfi_length(&e->name) || e->is_parked) {
    return;
  }
  if (2 * (spec->index[0].count + 1) > spec->index[0].room) {
    growIndex(spec);
  }
  insertName(&spec->index[0], e);
  e->is_indexed = true;
}

void cfi_dropName(cfSpec* spec, cfElement* e) {
  cfList* table = spec ? &spec->index[0] : NULL;
  if (!table || !table->room || !e->is_indexed) {
    return;
  }
  e->is_indexed = false;
  const size_t hash = hashName(e->head.elemtype, cfi_text(&e->name));
  for (int step = 0; step < table->room && cfi_length(&e->name); step++) {
    cfElement** place = probeSlot(table, hash, step);
    if (!*place) {
      break;
    }
    if (*place == e) {
      *place = &tombstone;
      return;
    }
  }

  // a program may have changed the text behind our back: look everywhere
  for (int i = 0; i < table->room; i++) {
    if (table->item[i] == e) {
      table->item[i] = &tombstone;
    }
  }
}

cfElement* cfi_find(cfSpec* spec, mjtObj type, const char* name) {
  const cfList* table = &spec->index[0];
  if (type == mjOBJ_XBODY) {
    type = mjOBJ_BODY;
  }
  if (!table->room || !name || !*name) {
    return NULL;
  }
  const size_t hash = hashName(type, name);
  for (int step = 0; step < table->room; step++) {
    cfElement* e = *probeSlot(table, hash, step);
    if (!e) {
      return NULL;
    }
    if (e != &tombstone && e->head.elemtype == type && strcmp(cfi_text(&e->name), name) == 0) {
      return e;
    }
  }
  return NULL;
}

//---------------------------------- names of the last compilation ---------------------------------

void cfi_unlistName(cfElement* e) {
  if (!e->spec || !e->spec->is_compiled || e->is_unlisted) {
    return;
  }
  e->is_unlisted = e->spec->has_unlisted = true;
  e->listed_name = cfi_length(&e->name) ? strdup(cfi_text(&e->name)) : NULL;
}

void cfi_listNames(cfSpec* spec) {
  for (int k = 0; spec->has_unlisted && k < CF_LISTS; k++) {
    const cfList* list = cfi_list(spec, k == mjNOBJECT ? mjOBJ_FRAME : (mjtObj)k);
    for (int i = 0; i < list->count; i++) {
      list->item[i]->is_unlisted = false;
      free(list->item[i]->listed_name);
      list->item[i]->listed_name = NULL;
    }
  }
  spec->has_unlisted = false;
}

cfElement* cfi_findListed(cfSpec* spec, mjtObj type, const char* name) {
  cfElement* e = cfi_find(spec, type, name);
  if (!spec->has_unlisted || !spec->is_compiled || (e && !e->is_unlisted)) {
    return e;
  }
  const cfList* list = cfi_list(spec, type);
  for (int i = 0; i < list->count; i++) {
    const char* listed = list->item[i]->listed_name;
    if (listed && strcmp(listed, name) == 0) {
      return list->item[i];
    }
  }
  return NULL;
}
