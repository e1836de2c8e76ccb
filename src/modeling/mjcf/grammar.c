// Tables of MJCF and their lookups.
#include "mjcf/grammar.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

const cfTag cfi_tags[TAG_COUNT] = {
#define CF_TAG(id, parent, tag, times, group, place) \
  {tag, TAG_##parent, TIMES_##times, FIELDS_##group, place},
#include "tables/mjcf_elements.def"
#undef CF_TAG
};

//---------------------------------- keywords ------------------------------------------------------

static const cfKeyword keywords[] = {
#define CF_WORDS(set)
#define CF_KEYWORD(set, word, value) {#word, value},
#include "tables/mjcf_keywords.def"
#undef CF_WORDS
#undef CF_KEYWORD
};

// index of the first word of each set
enum {
#define CF_WORDS(set) KEYWORDS_##set, BEFORE_KEYWORDS_##set = KEYWORDS_##set - 1,
#define CF_KEYWORD(set, word, value) KEYWORD_##set##_##word,
#include "tables/mjcf_keywords.def"
#undef CF_WORDS
#undef CF_KEYWORD
  KEYWORDS
};
static const short first_keyword[WORDS_COUNT + 1] = {0,
#define CF_WORDS(set) KEYWORDS_##set,
#define CF_KEYWORD(set, word, value)
#include "tables/mjcf_keywords.def"
#undef CF_WORDS
#undef CF_KEYWORD
                                                     KEYWORDS};

const cfKeyword* cfi_keywords(cftWords set, int* count) {
  *count = first_keyword[set + 1] - first_keyword[set];
  return keywords + first_keyword[set];
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

//---------------------------------- attributes ----------------------------------------------------

// columns of the table as members of a row
#define FORM_EXACT .how = HOW_EXACT
#define FORM_UPTO .how = HOW_UPTO
#define FORM_KEY(set) .how = HOW_KEY, .words = WORDS_##set
#define FORM_KEYS(set) .how = HOW_KEYS, .words = WORDS_##set
#define FORM_TEXT .how = HOW_TEXT
#define FORM_WORDS .how = HOW_WORDS
#define FORM_DOUBLES .how = HOW_DOUBLES
#define FORM_FLOATS .how = HOW_FLOATS
#define FORM_INTS .how = HOW_INTS
#define FORM_QUAT .how = HOW_QUAT
#define FORM_ORIENT(kind) .how = HOW_ORIENT, .value = mjORIENTATION_##kind
#define FORM_REALS(count) .how = HOW_REALS, .value = count
#define FORM_UPTO_REALS(count) .how = HOW_UPTO_REALS, .value = count
#define FORM_ANY_REALS .how = HOW_ANY_REALS
#define FORM_INTEGERS(count) .how = HOW_INTEGERS, .value = count
#define FORM_UPTO_INTEGERS(count) .how = HOW_UPTO_INTEGERS, .value = count
#define FORM_ANY_INTEGERS .how = HOW_ANY_INTEGERS
#define FORM_OFF(bit) .how = HOW_OFF, .words = WORDS_ENABLE, .value = bit
#define FORM_ON(bit) .how = HOW_ON, .words = WORDS_ENABLE, .value = bit
#define READ_FIELD .is_read = true
#define READ_CALL(function) .call = function
#define READ_BY(function) .call = NULL
#define READ_LATER .call = NULL
#define SAVE_FIELD .is_saved = true
#define SAVE_TRIM .is_saved = true, .is_trimmed = true
#define SAVE_INITIAL .is_saved = true, .saved = SAVED_INITIAL
#define SAVE_ALWAYS .is_saved = true, .saved = SAVED_ALWAYS
#define SAVE_ELEMENT(when) .is_saved = true, .saved = SAVED_##when, .is_own = true
#define SAVE_CALL(function) .write = function
#define SAVE_BY(function) .is_saved = false
#define SAVE_NEVER .is_saved = false

static const cfRow rows[] = {
#define CF_ATTRIBUTE(group, places_, name_, form, type_, field, initial, read, save, model, back, \
                     unit_, doc_)                                                                 \
  {.name = #name_,                                                                                \
   .places = places_,                                                                             \
   FORM_##form,                                                                                   \
   .offset = offsetof(type_, field),                                                              \
   .size = sizeof(((type_*)0)->field),                                                            \
   .type = CF_SCALAR_TYPE(((type_*)0)->field),                                                    \
   READ_##read,                                                                                   \
   SAVE_##save,                                                                                   \
   .unit = unit_,                                                                                 \
   .doc = doc_},
#define CF_SPECIAL(group, places_, name_, form, read, save, unit_, doc_) \
  {.name = #name_,                                                       \
   .places = places_,                                                    \
   FORM_##form,                                                          \
   READ_##read,                                                          \
   SAVE_##save,                                                          \
   .unit = unit_,                                                        \
   .doc = doc_},
#define CF_EXTENSION(group, places_, id, name_, form, read, save, unit_, doc_) \
  {.name = name_,                                                              \
   .places = places_,                                                          \
   FORM_##form,                                                                \
   READ_##read,                                                                \
   SAVE_##save,                                                                \
   .is_ours = true,                                                            \
   .unit = unit_,                                                              \
   .doc = doc_},
#include "tables/mjcf_begin.h"
#include "tables/mjcf_attributes.def"
#include "tables/mjcf_end.h"
};

// index of each row, so that none stands twice, and of the first one of each group
enum {
#define CF_GROUP(group) ROWS_##group, BEFORE_ROWS_##group = ROWS_##group - 1,
#define CF_ATTRIBUTE(group, places, name, ...) ROW_##group##_##name,
#define CF_SPECIAL(group, places, name, ...) ROW_##group##_##name,
#define CF_EXTENSION(group, places, id, ...) ROW_##group##_##id,
#include "tables/mjcf_begin.h"
#include "tables/mjcf_attributes.def"
#include "tables/mjcf_end.h"
  ROWS
};
static const short first_row[FIELDS_COUNT + 1] = {0,
#define CF_GROUP(group) ROWS_##group,
#include "tables/mjcf_begin.h"
#include "tables/mjcf_attributes.def"
#include "tables/mjcf_end.h"
                                                  ROWS};

const cfRow* cfi_rows(cftFields fields, int* count) {
  *count = first_row[fields + 1] - first_row[fields];
  return rows + first_row[fields];
}

//---------------------------------- order of saving -----------------------------------------------

static const short saved_rows[] = {
#define CF_SAVED_GROUP(group)
#define CF_SAVED(group, name) ROW_##group##_##name,
#include "tables/mjcf_saved.def"
#undef CF_SAVED_GROUP
#undef CF_SAVED
    -1};

// place of the first row of each group in that list, plus one
enum {
#define CF_SAVED_GROUP(group) SAVED_##group, BEFORE_SAVED_##group = SAVED_##group - 1,
#define CF_SAVED(group, name) SAVED_##group##_##name,
#include "tables/mjcf_saved.def"
#undef CF_SAVED_GROUP
#undef CF_SAVED
  SAVED_ROWS
};
static const short first_saved[FIELDS_COUNT] = {
#define CF_SAVED_GROUP(group) [FIELDS_##group] = SAVED_##group + 1,
#define CF_SAVED(group, name)
#include "tables/mjcf_saved.def"
#undef CF_SAVED_GROUP
#undef CF_SAVED
};

const cfRow* cfi_savedRow(cftFields fields, int k) {
  CF_ASSERT(fields < FIELDS_COUNT && k >= 0);
  const int from = first_row[fields], end = first_row[fields + 1];
  const int place = first_saved[fields] ? first_saved[fields] - 1 + k : 0;
  const int row = first_saved[fields] ? (place < SAVED_ROWS ? saved_rows[place] : -1) : from + k;
  return row >= from && row < end ? &rows[row] : NULL;
}

const cfRow* cfi_findRow(cftTag tag, const char* name) {
  int count;
  const cfRow* row = cfi_rows(cfi_tags[tag].fields, &count);
  for (int i = 0; i < count; i++) {
    if (row[i].name[0] == name[0] && strcmp(row[i].name, name) == 0) {
      return cfi_allows(&row[i], tag) ? &row[i] : NULL;
    }
  }
  return NULL;
}

size_t cfi_orientationOffset(const cfRow* row) {
  static const size_t inside[] = {
      [mjORIENTATION_AXISANGLE] = offsetof(mjsOrientation, axisangle),
      [mjORIENTATION_XYAXES] = offsetof(mjsOrientation, xyaxes),
      [mjORIENTATION_ZAXIS] = offsetof(mjsOrientation, zaxis),
      [mjORIENTATION_EULER] = offsetof(mjsOrientation, euler),
  };
  CF_ASSERT(row->how == HOW_ORIENT);
  return row->offset - inside[row->value];
}

void cfi_listAttributes(cftTag tag, bool with_ours, char* list, size_t size) {
  int count;
  size_t used = 0;
  const cfRow* row = cfi_rows(cfi_tags[tag].fields, &count);
  list[0] = 0;
  for (int i = 0; i < count; i++) {
    if (cfi_allows(&row[i], tag) && (with_ours || !row[i].is_ours)) {
      used += (size_t)snprintf(list + used, size - used, "%s ", row[i].name);
      CF_ASSERT(used < size);
    }
  }
}

//---------------------------------- elements ------------------------------------------------------

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
  const size_t length = strlen(word);
  for (const char* p = list; *p;) {
    const size_t n = strcspn(p, " ");
    if (n == length && memcmp(p, word, n) == 0) {
      return true;
    }
    p += n;
    p += strspn(p, " ");
  }
  return false;
}

#undef FORM_EXACT
#undef FORM_UPTO
#undef FORM_KEY
#undef FORM_KEYS
#undef FORM_TEXT
#undef FORM_WORDS
#undef FORM_DOUBLES
#undef FORM_FLOATS
#undef FORM_INTS
#undef FORM_QUAT
#undef FORM_ORIENT
#undef FORM_REALS
#undef FORM_UPTO_REALS
#undef FORM_ANY_REALS
#undef FORM_INTEGERS
#undef FORM_UPTO_INTEGERS
#undef FORM_ANY_INTEGERS
#undef FORM_OFF
#undef FORM_ON
#undef READ_FIELD
#undef READ_CALL
#undef READ_BY
#undef READ_LATER
#undef SAVE_FIELD
#undef SAVE_TRIM
#undef SAVE_INITIAL
#undef SAVE_ALWAYS
#undef SAVE_ELEMENT
#undef SAVE_CALL
#undef SAVE_BY
#undef SAVE_NEVER
