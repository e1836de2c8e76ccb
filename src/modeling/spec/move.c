// Attaching by reference: elements move into the other specification as they are, so that programs
// may go on editing them through the pointers they have.
//
// The specification they came from keeps stand-ins in their places, so that it has as many elements
// as before; programs see the elements themselves there (shown.c).  It can neither be compiled nor
// give them away again.
#include "spec/move.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "spec/keys.h"
#include "spec/resolve.h"

//---------------------------------- single elements -----------------------------------------------

// the element belongs to another specification from now on; its place in a compiled model is gone
static void changeOwner(cfElement* e, cfSpec* spec) {
  e->spec = spec;
  e->model_id = 0;
  memset(e->place, 0, sizeof(e->place));
  if (e->head.elemtype == mjOBJ_TENDON) {
    for (int i = 0; i < e->part.tendon.path.count; i++) {
      e->part.tendon.path.item[i]->spec = spec;
    }
  }
}

// the same for good; pointers that programs got from the old owner stay good as long as that lives
static void giveAway(const cfCopy* copy, cfElement* e) {
  changeOwner(e, copy->to);
  e->came_from = e->came_from ? e->came_from : copy->from;
}

// an instance of a plugin that is an element's own goes with it
static void moveInstance(const cfCopy* copy, const cfElement* e) {
  cfElement* instance = cfi_instanceOf(e);
  if (!instance || instance->spec != copy->from || !cfi_ownsInstance(e)) {
    return;
  }
  cfList* list = &copy->from->list[mjOBJ_PLUGIN];
  cfi_removeElement(list, instance);
  for (int i = 0; i < list->count; i++) {
    list->item[i]->id = i;
  }
  giveAway(copy, instance);
  cfi_addToSpec(copy->to, instance);
}

// element of the tree under its new name
static void adoptElement(const cfCopy* copy, cfElement* e) {
  cfi_dropName(e->spec, e);
  cfi_renameAttached(copy, e);
  giveAway(copy, e);
  moveInstance(copy, e);
  cfi_indexName(copy->to, e);
}

// a body with everything below it
static void adoptSubtree(const cfCopy* copy, cfElement* root) {
  cfList all = cfi_listSubtree(root);
  for (int i = 0; i < all.count; i++) {
    adoptElement(copy, all.item[i]);
  }
  cfi_freeList(&all);
}

//---------------------------------- stand-ins -----------------------------------------------------

static int placeInList(const cfList* list, const cfElement* e) {
  for (int i = 0; i < list->count; i++) {
    if (list->item[i] == e) {
      return i;
    }
  }
  return -1;
}

// everything on a copied subtree knows its original and where that went
static void markSubtree(cfElement* root, cfElement* source, const cfSpec* moved_to) {
  cfList todo = {NULL, 0, 0};  // pairs: stand-in, original
  cfi_pushElement(&todo, root);
  cfi_pushElement(&todo, source);
  while (todo.count) {
    cfElement* original = todo.item[--todo.count];
    cfElement* e = todo.item[--todo.count];
    e->moved_to = moved_to;
    e->original = original;
    for (int slot = 0; slot < CF_TREE_KINDS && e->head.elemtype == mjOBJ_BODY; slot++) {
      const cfList *child = &e->part.body.child[slot], *from = &original->part.body.child[slot];
      CF_ASSERT(child->count == from->count);
      for (int i = 0; i < child->count; i++) {
        cfi_pushElement(&todo, child->item[i]);
        cfi_pushElement(&todo, from->item[i]);
      }
    }
  }
  cfi_freeList(&todo);
}

// put a copy in the place of an element of the tree that has moved away
static cfElement* leaveStandIn(const cfCopy* copy, cfElement* e, cfElement* old_body) {
  const cfCopy inside = {.to = copy->from, .from = copy->from};
  const int slot = cfi_treeSlot(e->head.elemtype);
  cfList* list = &old_body->part.body.child[slot];
  const int place = placeInList(list, e);
  CF_ASSERT(place >= 0);
  cfElement* twin = slot == 0 ? cfi_copyBody(&inside, e, NULL) : cfi_copyRenamed(&inside, e);
  twin->body = old_body;
  if (slot > 0) {
    cfi_indexName(copy->from, twin);
  }
  markSubtree(twin, e, copy->to);
  list->item[place] = twin;
  copy->from->tree_stale = true;
  return twin;
}

//---------------------------------- trees ---------------------------------------------------------

cfElement* cfi_moveBody(const cfCopy* copy, cfElement* body, cfElement* parent) {
  cfElement *old_body = body->body, *old_frame = body->frame;
  CF_ASSERT(old_body && copy->from != copy->to);
  adoptSubtree(copy, body);
  leaveStandIn(copy, body, old_body)->frame = old_frame;
  cfi_addToBody(parent, body);
  return body;
}

// is a frame the outer one, or inside it
static bool isWithin(const cfElement* frame, const cfElement* outer) {
  while (frame && frame != outer) {
    frame = frame->frame;
  }
  return frame != NULL;
}

cfElement* cfi_moveFrame(const cfCopy* copy, cfElement* frame, cfElement* body) {
  cfElement* old_body = frame->body;
  cfList moving = {NULL, 0, 0}, twins = {NULL, 0, 0};
  CF_ASSERT(old_body && copy->from != copy->to);

  // the frame itself first, then what is inside it, frames before others
  static const int slots[CF_TREE_KINDS] = {1, 0, 2, 3, 4, 5, 6};
  cfi_pushElement(&moving, frame);
  for (int k = 0; k < CF_TREE_KINDS; k++) {
    const cfList* list = &old_body->part.body.child[slots[k]];
    for (int i = 0; i < list->count; i++) {
      if (list->item[i] != frame && isWithin(list->item[i]->frame, frame)) {
        cfi_pushElement(&moving, list->item[i]);
      }
    }
  }
  for (int i = 0; i < moving.count; i++) {
    cfElement* e = moving.item[i];
    if (e->head.elemtype == mjOBJ_BODY) {
      adoptSubtree(copy, e);
    } else {
      adoptElement(copy, e);
    }
    cfi_pushElement(&twins, leaveStandIn(copy, e, old_body));
    cfi_addToBody(body, e);
  }

  // stand-ins stand in the stand-ins of their frames
  for (int i = 0; i < moving.count; i++) {
    int place = placeInList(&moving, moving.item[i]->frame);
    twins.item[i]->frame = place >= 0 ? twins.item[place] : moving.item[i]->frame;
  }
  frame->frame = NULL;
  cfi_freeList(&moving);
  cfi_freeList(&twins);
  return frame;
}

//---------------------------------- what refers to them -------------------------------------------

// try to find what an element refers to in the other specification; its names change for good, as
// in MuJoCo
static bool follows(const cfCopy* copy, cfElement* e) {
  const mjtObj type = e->head.elemtype;
  const char* prefix = e->is_renamed ? "" : copy->prefix;
  const char* suffix = e->is_renamed ? "" : copy->suffix;
  cfi_dropName(copy->from, e);
  if (type != mjOBJ_SKIN && type != mjOBJ_FLEX && cfi_length(&e->name)) {
    cfi_prefixSuffix(&e->name, prefix, suffix);
  }
  cfi_renameInstanceOf(e, prefix, suffix);
  e->spec = copy->to;
  for (int i = 0; type == mjOBJ_TENDON && i < e->part.tendon.path.count; i++) {
    e->part.tendon.path.item[i]->spec = copy->to;
  }
  bool is_found = cfi_resolveReferences(e, prefix, suffix);
  if (is_found && type == mjOBJ_MATERIAL) {
    cfi_renameReferences(e, prefix, suffix, true);
  }
  if (cfi_length(&e->classname) && strcmp(cfi_text(&e->classname), "main")) {
    cfi_prefixSuffix(&e->classname, prefix, suffix);
  }
  e->is_renamed = !is_found;
  return is_found;
}

bool cfi_moveKind(const cfCopy* copy, mjtObj type) {
  cfList* list = &copy->from->list[type];
  for (int i = 0; i < list->count; i++) {
    cfElement* e = list->item[i];
    if (e->moved_to) {
      continue;
    }
    if (!follows(copy, e)) {
      changeOwner(e, copy->from);
      cfi_indexName(copy->from, e);
      continue;
    }
    cfElement* twin = cfi_copyElement(copy->from, e);
    twin->scope = e->scope;
    twin->id = i;
    twin->moved_to = copy->to;
    twin->original = e;
    list->item[i] = twin;
    cfi_indexName(copy->from, twin);
    const bool is_repeated = cfi_find(copy->to, type, cfi_text(&e->name)) != NULL;
    giveAway(copy, e);
    moveInstance(copy, e);
    cfi_addToSpec(copy->to, e);
    if (is_repeated) {
      cfi_setError(copy->to, false, "Error: repeated name '%s' in %s", cfi_text(&e->name),
                   mju_type2Str(type));
      return false;
    }
  }
  return true;
}

//---------------------------------- refusals ------------------------------------------------------

// MuJoCo's words for an element that would stand in a list twice
static bool refuseTwice(const cfCopy* copy, const cfElement* e, int position) {
  cfString name;
  cfi_initString(&name);
  cfi_copyMember(&name, &e->name, CF_MEMBER_STRING);
  if (cfi_length(&name) && cfi_treeSlot(e->head.elemtype) >= 0) {
    cfi_prefixSuffix(&name, copy->prefix, copy->suffix);
  }
  char place[60] = "";
  if (e->source.line) {
    snprintf(place, sizeof(place), ", line %d", e->source.line);
  }
  cfi_setError(copy->to, false,
               "Error: incompatible id in %s array, position %d\nElement name '%s', id %d%s",
               mju_type2Str(e->head.elemtype), position, cfi_text(&name), e->id, place);
  cfi_freeString(&name);
  return false;
}

// place at which a body is met for the second time when it also hangs on another body
static int secondPlace(cfSpec* spec, const cfElement* child, const cfElement* parent) {
  const cfList* bodies = cfi_list(spec, mjOBJ_BODY);
  int ends[2] = {0, 0}, sizes = 0;
  for (int i = 0; i < bodies->count; i++) {
    for (const cfElement* b = bodies->item[i]; b; b = b->body) {
      ends[0] = b == parent ? i + 1 : ends[0];
      ends[1] = b == child ? i + 1 : ends[1];
      sizes += b == child;
    }
  }
  return ends[0] > child->id ? ends[0] : child->id + sizes;
}

bool cfi_mayMove(const cfCopy* copy, const cfElement* child, const cfElement* parent) {
  static const mjtObj types[] = {mjOBJ_MESH,     mjOBJ_SKIN,    mjOBJ_HFIELD, mjOBJ_TEXTURE,
                                 mjOBJ_MATERIAL, mjOBJ_NUMERIC, mjOBJ_TEXT,   mjOBJ_FLEX,
                                 mjOBJ_PAIR,     mjOBJ_EXCLUDE, mjOBJ_TENDON, mjOBJ_EQUALITY,
                                 mjOBJ_ACTUATOR, mjOBJ_SENSOR,  mjOBJ_TUPLE};
  if (copy->from == copy->to) {
    const bool is_body = child->head.elemtype == mjOBJ_BODY;
    const int count = cfi_list(copy->to, child->head.elemtype)->count;
    return refuseTwice(copy, child, is_body ? secondPlace(copy->to, child, parent) : count);
  }
  if (child->moved_to) {
    return refuseTwice(copy, child, cfi_list(copy->to, child->head.elemtype)->count);
  }
  for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
    const cfList* list = &copy->from->list[types[k]];
    for (int i = 0; i < list->count; i++) {
      if (list->item[i]->moved_to == copy->to) {
        return refuseTwice(copy, list->item[i], copy->to->list[types[k]].count + i);
      }
    }
  }
  return true;
}
