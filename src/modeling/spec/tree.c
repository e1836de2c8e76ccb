// Copies of bodies and their contents.
#include "spec/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "spec/keys.h"
#include "spec/signature.h"

static void renameClass(cfElement* e, const cfCopy* copy) {
  if (cfi_length(&e->classname) && strcmp(cfi_text(&e->classname), "main") != 0 &&
      copy->from != copy->to) {
    cfi_prefixSuffix(&e->classname, copy->prefix, copy->suffix);
  }
}

// in a copied specification the instances stand where they stood; an attached element gets a copy
// of its own one, or finds one by name
void cfi_linkCopiedPlugin(const cfCopy* copy, const cfElement* source, cfElement* e) {
  cfElement* instance = cfi_instanceOf(source);
  if (!instance) {
    return;
  }
  if (!copy->is_attach && instance->spec == copy->from) {
    CF_ASSERT(instance->id < copy->to->list[mjOBJ_PLUGIN].count);
    cfi_pluginOf(e)->element = &copy->to->list[mjOBJ_PLUGIN].item[instance->id]->head;
  } else if (cfi_ownsInstance(source)) {
    cfElement* twin = cfi_copyElement(copy->to, instance);
    twin->scope = instance->scope;
    cfi_addToSpec(copy->to, twin);
    cfi_pluginOf(e)->element = &twin->head;
  } else {
    cfi_pluginOf(e)->element = NULL;
  }
}

void cfi_renameAttached(const cfCopy* copy, cfElement* e) {
  if (cfi_length(&e->name)) {
    cfi_prefixSuffix(&e->name, copy->prefix, copy->suffix);
  }
  renameClass(e, copy);
  cfi_renameReferences(e, copy->prefix, copy->suffix, copy->from != copy->to);
}

cfElement* cfi_copyRenamed(const cfCopy* copy, const cfElement* source) {
  cfElement* e = cfi_copyElement(copy->to, source);
  cfi_linkCopiedPlugin(copy, source, e);
  e->scope = source->scope;
  if (!copy->is_attach && source->scope == &copy->from->scope) {
    e->scope = &copy->to->scope;
  }
  if (copy->is_attach) {
    cfi_renameAttached(copy, e);
    cfi_moveKeys(copy, (cfElement*)(size_t)source, e);
  } else {
    cfi_copyKeyStates(source, e);
  }
  return e;
}

// the copy of a frame stands at the same place among the copied body's frames
static cfElement* mapFrame(const cfElement* source_body, const cfElement* body,
                           const cfElement* frame) {
  CF_ASSERT(source_body && body);
  const cfList* from = &source_body->part.body.child[1];
  const cfList* to = &body->part.body.child[1];
  for (int i = 0; frame && i < from->count; i++) {
    if (from->item[i] == frame) {
      return to->item[i];
    }
  }
  return NULL;
}

// everything on a body except child bodies; frames come first because the others refer to them
static void copyContents(const cfCopy* copy, const cfElement* source, cfElement* body) {
  for (int slot = 1; slot < CF_TREE_KINDS; slot++) {
    const cfList* list = &source->part.body.child[slot];
    for (int i = 0; i < list->count; i++) {
      cfi_addToBody(body, cfi_copyRenamed(copy, list->item[i]));
    }
  }
  for (int slot = 1; slot < CF_TREE_KINDS; slot++) {
    const cfList* list = &source->part.body.child[slot];
    for (int i = 0; i < list->count; i++) {
      body->part.body.child[slot].item[i]->frame = mapFrame(source, body, list->item[i]->frame);
    }
  }
}

cfElement* cfi_copyBody(const cfCopy* copy, const cfElement* source, cfElement* parent) {
  CF_ASSERT(source->head.elemtype == mjOBJ_BODY);
  cfElement* root = NULL;
  cfList todo = {NULL, 0, 0};  // pairs: original, copied parent

  cfi_pushElement(&todo, (cfElement*)(size_t)source);
  cfi_pushElement(&todo, parent);
  while (todo.count) {
    cfElement* above = todo.item[--todo.count];
    cfElement* original = todo.item[--todo.count];
    cfElement* body = cfi_copyRenamed(copy, original);
    if (above) {
      cfi_addToBody(above, body);
      if (root) {
        body->frame = mapFrame(original->body, above, original->frame);
      }
    } else {
      cfi_indexName(copy->to, body);
      copy->to->tree_stale = true;
    }
    root = root ? root : body;
    copyContents(copy, original, body);

    // last child first: siblings must be added in their order
    const cfList* child = &original->part.body.child[0];
    for (int i = child->count - 1; i >= 0; i--) {
      cfi_pushElement(&todo, child->item[i]);
      cfi_pushElement(&todo, body);
    }
  }
  cfi_freeList(&todo);
  return root;
}

//---------------------------------- body to frame -------------------------------------------------

// contents of a body move to its parent, into a new frame at the body's place
static void moveContents(cfElement* body, cfElement* parent, cfElement* frame) {
  for (int slot = 0; slot < CF_TREE_KINDS; slot++) {
    cfList* list = &body->part.body.child[slot];
    for (int i = 0; i < list->count; i++) {
      cfElement* e = list->item[i];
      e->body = parent;
      e->frame = e->frame ? e->frame : frame;
      cfi_pushElement(&parent->part.body.child[slot], e);
    }
    list->count = 0;
  }
}

// as in MuJoCo, alternative orientations of the body are lost
mjsFrame* cfi_bodyToFrame(cfElement* body) {
  cfElement* parent = body->body;
  CF_ASSERT(parent != NULL);
  const mjsBody* attr = (const mjsBody*)body->attr;
  mjsFrame* outer = body->frame ? (mjsFrame*)body->frame->attr : NULL;
  mjsFrame* frame = mjs_addFrame((mjsBody*)parent->attr, outer);
  memcpy(frame->pos, attr->pos, sizeof(frame->pos));
  memcpy(frame->quat, attr->quat, sizeof(frame->quat));
  moveContents(body, parent, cfi_element(frame->element));
  cfi_removeElement(&parent->part.body.child[0], body);
  cfi_dropName(body->spec, body);
  parent->spec->tree_stale = true;
  cfi_changeSignature(parent->spec);
  cfi_settleSignature(parent->spec);
  cfi_retireElement(body);  // programs may have pointers to it
  return frame;
}
