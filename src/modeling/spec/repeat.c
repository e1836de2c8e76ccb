// What the copies of a replicate have to look at.
//
// An element outside the tree follows a copy when the name that it refers to exists with the suffix
// of the copy.  Where no name has such a suffix before the first copy, that is so for what refers
// to the subtree, and for what earlier copies brought along never: n copies take n steps instead of
// n^2 or n times the elements of the model.  Where something outside has, or below with a second
// one, only the latter holds; otherwise everything has to be looked at.
#include "spec/repeat.h"

#include <ctype.h>
#include <string.h>

#include "base/assert.h"
#include "spec/resolve.h"

// kinds whose elements follow by a name alone
static const mjtObj named_kinds[] = {mjOBJ_PAIR,   mjOBJ_EXCLUDE,  mjOBJ_EQUALITY,
                                     mjOBJ_TENDON, mjOBJ_ACTUATOR, mjOBJ_SENSOR};
enum { NAMED_KINDS = sizeof(named_kinds) / sizeof(named_kinds[0]) };

// length of a name without a separator and a number of so many digits at its end; -1: has none
static int withoutNumber(const char* name, int length, const char* separator, int digits) {
  const int tail = (int)strlen(separator), rest = length - digits - tail;
  if (rest < 0 || strncmp(name + rest, separator, (size_t)tail) != 0) {
    return -1;
  }
  for (int k = length - digits; k < length; k++) {
    if (!isdigit((unsigned char)name[k])) {
      return -1;
    }
  }
  return rest;
}

static bool isBelowElement(const cfElement* e, const cfElement* subtree) {
  while (e && e != subtree) {
    e = e->body;
  }
  return e != NULL;
}

// what names with numbers leave to be told
typedef enum { TELL_ALL, TELL_EARLIER, TELL_NOTHING } telling;

static telling tellName(const cfElement* e, const cfElement* subtree, const char* separator,
                        int digits) {
  const char* name = cfi_text(&e->name);
  const int once = withoutNumber(name, (int)strlen(name), separator, digits);
  if (once < 0) {
    return TELL_ALL;
  }
  return isBelowElement(e, subtree) || withoutNumber(name, once, separator, digits) >= 0
             ? TELL_NOTHING
             : TELL_EARLIER;
}

static telling tellNames(cfSpec* spec, const cfElement* subtree, const char* separator,
                         int digits) {
  telling worst = TELL_ALL;
  for (int k = 0; k < CF_LISTS; k++) {
    const cfList* list = cfi_list(spec, k == mjNOBJECT ? mjOBJ_FRAME : (mjtObj)k);
    for (int i = 0; i < list->count; i++) {
      const telling one = tellName(list->item[i], subtree, separator, digits);
      worst = one > worst ? one : worst;
    }
  }
  return worst;
}

// may an element refer to the subtree, or to something outside the tree that may?
static bool mayReferTo(cfElement* e, const cfElement* subtree) {
  mjtObj type = mjOBJ_UNKNOWN;
  const cfString* name = cfi_decisiveName(e, &type);
  const bool is_inside_tree = type == mjOBJ_XBODY || cfi_treeSlot(type) >= 0;
  return !name || !cfi_length(name) || !is_inside_tree ||
         isBelowElement(cfi_find(e->spec, type, cfi_text(name)), subtree);
}

static bool hasFollower(const cfList* list) {
  for (int i = 0; i < list->count; i++) {
    if (cfi_followsAlways(list->item[i])) {
      return true;
    }
  }
  return false;
}

void cfi_beginCopies(cfSpec* spec, const cfElement* subtree, const char* separator, int digits) {
  CF_ASSERT(digits > 0);
  const telling told = tellNames(spec, subtree, separator, digits);
  for (int k = 0; k < NAMED_KINDS; k++) {
    const cfList* list = cfi_list(spec, named_kinds[k]);
    cfRepeated* r = spec->repeated + k;
    r->is_listed = told != TELL_NOTHING && !hasFollower(list);
    for (int i = 0; i < list->count && r->is_listed; i++) {
      if (told == TELL_EARLIER || mayReferTo(list->item[i], subtree)) {
        cfi_pushElement(&r->list, list->item[i]);
      }
    }
  }
}

void cfi_endCopies(cfSpec* spec) {
  for (int k = 0; k < NAMED_KINDS; k++) {
    cfi_freeList(&spec->repeated[k].list);
    spec->repeated[k] = (cfRepeated){.is_listed = false};
  }
}

const cfList* cfi_listToCopy(const cfSpec* spec, mjtObj type) {
  for (int k = 0; k < NAMED_KINDS; k++) {
    if (named_kinds[k] == type && spec->repeated[k].is_listed) {
      return &spec->repeated[k].list;
    }
  }
  return &spec->list[type];
}
