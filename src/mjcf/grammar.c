// Tables of MJCF and their lookups.
#include "mjcf/grammar.h"

#include <stdint.h>
#include <string.h>

#include "base/assert.h"

const cfTag cfi_tags[TAG_COUNT] = {
#define CF_TAG(id, parent, tag, times, fields, attributes) \
  {tag, TAG_##parent, TIMES_##times, FIELDS_##fields, attributes},
#include "mjcf/grammar.def"
#undef CF_TAG
};

static const cfKeyword keywords[] = {
#define CF_KEYWORD(set, word, value) {WORDS_##set, #word, value},
#include "mjcf/keywords.def"
#undef CF_KEYWORD
};
enum { KEYWORDS = sizeof(keywords) / sizeof(keywords[0]) };

// type of a field, or of its items where it is an array
#define SCALAR_TYPE(field) \
  _Generic((field),           \
      double: TYPE_DOUBLE,    \
      double*: TYPE_DOUBLE,   \
      float: TYPE_FLOAT,      \
      float*: TYPE_FLOAT,     \
      int: TYPE_INT,          \
      int*: TYPE_INT,         \
      unsigned: TYPE_INT,     \
      unsigned char: TYPE_BYTE, \
      int64_t: TYPE_SIZE,     \
      default: TYPE_OTHER)

static const cfBinding bindings[] = {
#define CF_BIND(group, type, attribute, field, how, words) \
  {FIELDS_##group,                                         \
   #attribute,                                             \
   offsetof(type, field),                                  \
   sizeof(((type*)0)->field),                              \
   SCALAR_TYPE(((type*)0)->field),                         \
   HOW_##how,                                              \
   WORDS_##words},
#include "mjcf/bindings.def"
#undef CF_BIND
};
enum { BINDINGS = sizeof(bindings) / sizeof(bindings[0]) };

cftTag cfi_childrenOf(cftTag id) {
  return id == TAG_BODY_FRAME || id == TAG_BODY_REPLICATE ? TAG_BODY : id;
}

cftTag cfi_findTag(cftTag parent, const char* tag) {
  parent = cfi_childrenOf(parent);

  // the world has a tag of its own; bodies and classes stand inside themselves
  if (parent == TAG_MUJOCO && strcmp(tag, "worldbody") == 0) {
    return TAG_BODY;
  }
  if (parent == TAG_MUJOCO && strcmp(tag, "body") == 0) {
    return TAG_NONE;
  }
  if (parent >= 0 && cfi_tags[parent].times == TIMES_NESTED &&
      strcmp(tag, cfi_tags[parent].tag) == 0) {
    return parent;
  }
  for (int id = parent + 1; id < TAG_COUNT; id++) {
    if (cfi_tags[id].parent == parent && strcmp(cfi_tags[id].tag, tag) == 0) {
      return (cftTag)id;
    }
  }
  return TAG_NONE;
}

bool cfi_hasWord(const char* list, const char* word) {
  size_t length = strlen(word);
  for (const char* p = list; *p;) {
    size_t n = strcspn(p, " ");
    if (n == length && memcmp(p, word, n) == 0) {
      return true;
    }
    p += n;
    p += strspn(p, " ");
  }
  return false;
}

const cfKeyword* cfi_keywords(cftWords set, int* count) {
  int first = 0, last;
  while (first < KEYWORDS && keywords[first].set != set) {
    first++;
  }
  for (last = first; last < KEYWORDS && keywords[last].set == set;) {
    last++;
  }
  *count = last - first;
  return keywords + first;
}

const cfBinding* cfi_bindings(cftFields fields, int* count) {
  int first = 0, last;
  while (first < BINDINGS && bindings[first].fields != fields) {
    first++;
  }
  for (last = first; last < BINDINGS && bindings[last].fields == fields;) {
    last++;
  }
  *count = last - first;
  return bindings + first;
}

int cfi_wordValue(cftWords set, const char* word) {
  int count;
  const cfKeyword* row = cfi_keywords(set, &count);
  for (int i = 0; i < count; i++) {
    if (strcmp(row[i].word, word) == 0) {
      return row[i].value;
    }
  }
  return -1;
}

const char* cfi_valueWord(cftWords set, int value) {
  int count;
  const cfKeyword* row = cfi_keywords(set, &count);
  for (int i = 0; i < count; i++) {
    if (row[i].value == value) {
      return row[i].word;
    }
  }
  return "";
}
