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

// the place behind an element; 0 for NULL, past the end where the list does not have it
static int placeBehind(const cfList* list, const cfElement* after) {
  int place = 0;
  while (after && place < list->count && cfi_shown(list->item[place]) != after) {
    place++;
  }
  return place + (after != NULL);
}

cfElement* cfi_nextListed(const cfList* list, const cfElement* after) {
  CF_ASSERT(list != NULL);
  const int place = placeBehind(list, after);
  return place < list->count ? cfi_shown(list->item[place]) : NULL;
}

cfElement* cfi_nextInTree(cfElement* root, mjtObj type, const cfElement* after) {
  const int slot = cfi_treeSlot(type);
  CF_ASSERT(root->head.elemtype == mjOBJ_BODY && slot >= 0);
  cfElement* next = NULL;
  bool is_behind = after == NULL;
  cfList todo = {NULL, 0, 0};
  cfi_pushElement(&todo, root);
  while (todo.count && !next) {
    cfElement* body = todo.item[--todo.count];

    // a body comes before what hangs on it, but the root is not below itself
    if (slot == 0 && body != root) {
      next = is_behind ? cfi_shown(body) : NULL;
      is_behind = is_behind || cfi_shown(body) == after;
    }
    const cfElement* living = livingBody(body);
    const cfList* list = &living->part.body.child[slot];
    const int place = is_behind || slot == 0 ? 0 : placeBehind(list, after);
    if (slot > 0 && place < list->count) {
      next = cfi_shown(list->item[place]);
    }
    is_behind = is_behind || (slot > 0 && place == list->count);
    const cfList* child = &living->part.body.child[0];
    for (int i = child->count - 1; i >= 0; i--) {
      cfi_pushElement(&todo, child->item[i]);
    }
  }
  cfi_freeList(&todo);
  return next;
}
