// What programs see of a specification that gave elements away: they walk its lists and its tree
// and meet the elements themselves, as in MuJoCo, never the stand-ins (move.c).
#include "spec/move.h"

#include "base/assert.h"

cfElement* cfi_shown(cfElement* e) {
  while (e && e->original) {
    e = e->original;
  }
  return e;
}

// the children to be walked: those that the body has now, wherever it is; one that was deleted
// there has none any more, its stand-in has
static const cfElement* livingBody(const cfElement* e) {
  while (e->original && !e->original->is_parked) {
    e = e->original;
  }
  return e;
}

// True if one of the first `count` elements is shown as this one.
static bool isAmong(const cfList* list, int count, const cfElement* e) {
  for (int k = 0; k < count; k++) {
    if (cfi_shown(list->item[k]) == e) {
      return true;
    }
  }
  return false;
}

// The element that is shown after another, NULL past the last.  One that was attached to its own
// specification is shown by its stand-in, too: it counts where it comes first, else a walk that
// continues from an element would go in circles.
cfElement* cfi_nextListed(const cfList* list, const cfElement* after) {
  CF_ASSERT(list != NULL);
  int place = 0;
  while (after && place < list->count && cfi_shown(list->item[place]) != after) {
    place++;
  }
  for (place += after != NULL; place < list->count; place++) {
    cfElement* e = cfi_shown(list->item[place]);
    if (!isAmong(list, place, e)) {
      return e;
    }
  }
  return NULL;
}

// Append what hangs on a body and below it: bodies before what hangs on them, without the root.
static void listShownTree(cfElement* root, int slot, cfList* all) {
  cfList todo = {NULL, 0, 0};
  cfi_pushElement(&todo, root);
  while (todo.count) {
    cfElement* body = todo.item[--todo.count];
    const cfElement* living = livingBody(body);
    const cfList *list = &living->part.body.child[slot], *child = &living->part.body.child[0];
    if (slot == 0 && body != root) {
      cfi_pushElement(all, body);
    }
    for (int i = 0; slot > 0 && i < list->count; i++) {
      cfi_pushElement(all, list->item[i]);
    }
    for (int i = child->count - 1; i >= 0; i--) {
      cfi_pushElement(&todo, child->item[i]);
    }
  }
  cfi_freeList(&todo);
}

cfElement* cfi_nextInTree(cfElement* root, mjtObj type, const cfElement* after) {
  const int slot = cfi_treeSlot(type);
  CF_ASSERT(root->head.elemtype == mjOBJ_BODY && slot >= 0);
  cfList all = {NULL, 0, 0};
  listShownTree(root, slot, &all);
  cfElement* next = cfi_nextListed(&all, after);
  cfi_freeList(&all);
  return next;
}
