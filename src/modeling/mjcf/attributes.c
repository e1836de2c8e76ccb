// Reading attribute values into fields, as their rows say (mjcf_attributes.def).
#include "mjcf/reader.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/nearest.h"
#include "mjcf/number.h"

//---------------------------------- numbers -------------------------------------------------------

static cftNumber nextOf(const char** cursor, cftHow how, void* item) {
  switch (how) {
    case HOW_FLOATS:
      return cfi_nextFloat(cursor, (float*)item);
    case HOW_INTS:
      return cfi_nextInt(cursor, (int*)item);
    default:
      return cfi_nextDouble(cursor, (double*)item);
  }
}

static size_t sizeOf(cftHow how) {
  return how == HOW_FLOATS ? sizeof(float) : how == HOW_INTS ? sizeof(int) : sizeof(double);
}

// the word at which reading stopped, cut to a handy length
static void badWord(const char* cursor, char word[40]) {
  cursor += strspn(cursor, " \t\n\r\v\f");
  snprintf(word, 40, "%.*s", (int)(strcspn(cursor, " \t\n\r\v\f") & 0xffff), cursor);
}

static void reportNumber(cfReader* r, const cfNode* node, const char* name, cftNumber problem,
                         const char* cursor, cftHow how) {
  char word[40];
  badWord(cursor, word);
  if (problem == CF_NUMBER_TOO_LARGE) {
    cfi_error(r->report, node, "number is too large in attribute '%s': '%s'", name, word);
  } else {
    cfi_error(r->report, node, "bad format in attribute '%s': '%s' is not %s", name, word,
              how == HOW_INTS ? "an integer" : "a number");
  }
}

static bool isNan(cftHow how, const void* item) {
  return (how == HOW_DOUBLES && isnan(*(const double*)item)) ||
         (how == HOW_FLOATS && isnan(*(const float*)item));
}

// every number of a text; -1 and a report when one is bad
static int readAll(cfReader* r, const cfNode* node, const char* name, const char* text, cfVec* data,
                   cftHow how) {
  const char* cursor = text;
  bool has_nan = false;
  cfi_assignVec(data, NULL, 0, sizeOf(how));
  for (;;) {
    double item = 0;
    cftNumber status = nextOf(&cursor, how, &item);
    if (status == CF_NUMBER_END) {
      break;
    }
    if (status != CF_NUMBER_OK) {
      reportNumber(r, node, name, status, cursor, how);
      return -1;
    }
    has_nan = has_nan || isNan(how, &item);
    memcpy(cfi_growVec(data, 1, sizeOf(how)), &item, sizeOf(how));
  }
  if (has_nan) {
    mju_warning("XML contains a 'NaN'. Please check it carefully.");
  }
  return (int)cfi_vecCount(data, sizeOf(how));
}

int cfi_readVector(cfReader* r, const cfNode* node, const char* name, cfVec* data, cftHow how) {
  const char* text = cfi_attribute(node, name);
  if (!text) {
    return 0;
  }
  cfVec read = {NULL, NULL, NULL};
  int count = readAll(r, node, name, text, &read, how);
  if (count > 0) {
    cfi_assignVec(data, read.begin, (size_t)count, sizeOf(how));
  }
  free(read.begin);
  return count > 0 ? count : 0;
}

// numbers into a fixed array; how many there must be is part of the message
static int readFixed(cfReader* r, const cfNode* node, const char* name, const char* text,
                     void* data, int max, bool exact, cftHow how) {
  cfVec read = {NULL, NULL, NULL};
  int count = readAll(r, node, name, text, &read, how);
  if (count == 0 && max == 1 && exact && how == HOW_INTS) {
    cfi_error(r->report, node, "problem reading attribute '%s': there is no integer in it", name);
  } else if (count > max) {
    cfi_error(r->report, node, "attribute '%s' has too much data: %d numbers, expected %s%d", name,
              count, exact ? "" : "at most ", max);
    count = -1;
  } else if (exact && count > 0 && count < max) {
    cfi_error(r->report, node, "attribute '%s' does not have enough data: %d of %d numbers", name,
              count, max);
    count = -1;
  } else if (count > 0) {
    memcpy(data, read.begin, (size_t)count * sizeOf(how));
  }
  free(read.begin);
  return count > 0 ? count : 0;
}

int cfi_readNumbers(cfReader* r, const cfNode* node, const char* name, double* data, int max,
                    bool exact) {
  const char* text = cfi_attribute(node, name);
  return text ? readFixed(r, node, name, text, data, max, exact, HOW_DOUBLES) : 0;
}

int cfi_readInts(cfReader* r, const cfNode* node, const char* name, int* data, int max,
                 bool exact) {
  const char* text = cfi_attribute(node, name);
  return text ? readFixed(r, node, name, text, data, max, exact, HOW_INTS) : 0;
}

bool cfi_readDouble(cfReader* r, const cfNode* node, const char* name, double* value) {
  return cfi_readNumbers(r, node, name, value, 1, true) == 1;
}

bool cfi_readInt(cfReader* r, const cfNode* node, const char* name, int* value) {
  return cfi_readInts(r, node, name, value, 1, true) == 1;
}

//---------------------------------- words and texts -----------------------------------------------

static void listWords(cftWords words, char* list, size_t size) {
  int count;
  const cfKeyword* row = cfi_keywords(words, &count);
  list[0] = 0;
  for (int i = 0; i < count; i++) {
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", i ? " " : "", row[i].word);
  }
}

static void reportWord(cfReader* r, const cfNode* node, const char* name, const char* word,
                       cftWords words) {
  char list[400], nearest[CF_WORD_MAX], hint[CF_WORD_MAX + 20];
  listWords(words, list, sizeof(list));
  cfi_error(r->report, node, "invalid keyword: '%s' in attribute '%s', allowed: %s%s", word, name,
            list, cfi_suggestion(cfi_nearestWord(list, word, nearest), hint));
}

bool cfi_readWord(cfReader* r, const cfNode* node, const char* name, cftWords words, int* value) {
  const char* text = cfi_attribute(node, name);
  if (!text) {
    return false;
  }
  const int found = cfi_wordValue(words, text);
  if (found < 0) {
    reportWord(r, node, name, text, words);
    return false;
  }
  *value = found;
  return true;
}

int cfi_readWords(cfReader* r, const cfNode* node, const char* name, cftWords words, int* data,
                  int max) {
  const char* text = cfi_attribute(node, name);
  if (!text) {
    return 0;
  }
  cfVec split = {NULL, NULL, NULL};
  cfi_splitText(&split, text);
  int count = 0, total = cfi_countStrings(&split);
  for (int i = 0; i < total; i++) {
    const char* word = cfi_text(&cfi_strings(&split)[i]);
    const int value = cfi_wordValue(words, word);
    bool is_repeated = false;
    for (int k = 0; k < count; k++) {
      is_repeated = is_repeated || data[k] == value;
    }
    if (value < 0) {
      reportWord(r, node, name, word, words);
    } else if (is_repeated) {
      cfi_error(r->report, node, "duplicate keyword: '%s' in attribute '%s'", word, name);
    } else if (count < max) {
      data[count++] = value;
    }
  }
  cfi_freeMember(&split, CF_MEMBER_STRINGVEC);
  return count;
}

bool cfi_require(cfReader* r, const cfNode* node, const char* name) {
  if (cfi_attribute(node, name)) {
    return true;
  }
  cfi_error(r->report, node, "required attribute missing: '%s'", name);
  return false;
}

static bool isBlankText(const char* text) {
  return !text[strspn(text, " \t\n\r\v\f")];
}

bool cfi_requireNumbers(cfReader* r, const cfNode* node, const char* name) {
  const char* text = cfi_attribute(node, name);
  if (text && !isBlankText(text)) {
    return true;
  }
  cfi_error(r->report, node, "required attribute missing: '%s'%s", name,
            text ? ", there is no number in it" : "");
  return false;
}

const char* cfi_readText(cfReader* r, const cfNode* node, const char* name, bool required) {
  const char* text = cfi_attribute(node, name);
  if (!text && required) {
    cfi_require(r, node, name);
  }
  return text;
}

//---------------------------------- fields --------------------------------------------------------

static void storeInt(void* field, cftScalar type, int value) {
  switch (type) {
    case TYPE_DOUBLE:
      *(double*)field = value;
      break;
    case TYPE_BYTE:
      *(mjtByte*)field = (mjtByte)value;
      break;
    case TYPE_SIZE:
      *(int64_t*)field = value;
      break;
    default:
      CF_ASSERT(type == TYPE_INT);
      *(int*)field = value;
      break;
  }
}

static void readNumberField(cfReader* r, const cfNode* node, const cfRow* row, const char* text,
                            void* field, bool exact) {
  static const cftHow how[] = {
      [TYPE_DOUBLE] = HOW_DOUBLES, [TYPE_FLOAT] = HOW_FLOATS, [TYPE_INT] = HOW_INTS};
  CF_ASSERT(row->type == TYPE_DOUBLE || row->type == TYPE_FLOAT || row->type == TYPE_INT);
  const int count = (int)(row->size / cfi_scalarSize(row->type));
  readFixed(r, node, row->name, text, field, count, exact, how[row->type]);
}

static void readQuat(cfReader* r, const cfNode* node, const char* name, double quat[4]) {
  double read[4];
  if (cfi_readNumbers(r, node, name, read, 4, true) != 4) {
    return;
  }
  if (read[0] == 0 && read[1] == 0 && read[2] == 0 && read[3] == 0) {
    cfi_error(r->report, node, "zero quaternion is not allowed");
    return;
  }
  memcpy(quat, read, sizeof(read));
}

// an alternative to a quaternion
static void readOrientation(cfReader* r, const cfNode* node, const cfRow* row, void* target) {
  mjsOrientation* alt = (mjsOrientation*)(void*)((char*)target + cfi_orientationOffset(row));
  double* field = (double*)(void*)((char*)target + row->offset);
  if (cfi_readNumbers(r, node, row->name, field, (int)(row->size / sizeof(double)), true)) {
    alt->type = (mjtOrientation)row->value;
  }
}

static void readField(cfReader* r, const cfNode* node, const cfRow* row, const char* text,
                      void* target) {
  void* field = (char*)target + row->offset;
  int value;
  switch (row->how) {
    case HOW_EXACT:
      readNumberField(r, node, row, text, field, true);
      break;
    case HOW_UPTO:
      readNumberField(r, node, row, text, field, false);
      break;
    case HOW_KEY:
      if (cfi_readWord(r, node, row->name, row->words, &value)) {
        storeInt(field, row->type, value);
      }
      break;
    case HOW_TEXT:
      cfi_assignString(*(cfString**)field, text);
      break;
    case HOW_WORDS:
      cfi_splitText(*(cfVec**)field, text);
      break;
    case HOW_QUAT:
      readQuat(r, node, row->name, (double*)field);
      break;
    case HOW_ORIENT:
      readOrientation(r, node, row, target);
      break;
    default:
      CF_ASSERT(row->how == HOW_DOUBLES || row->how == HOW_FLOATS || row->how == HOW_INTS);
      cfi_readVector(r, node, row->name, *(cfVec**)field, row->how);
      break;
  }
}

void cfi_readFields(cfReader* r, const cfNode* node, void* target) {
  int orientations = 0, calls = 0;
  for (int i = 0; i < node->nattribute; i++) {
    const cfRow* row = node->attribute[i].row;
    if (row && row->is_read) {
      // as in MuJoCo, a quaternion counts without numbers too
      orientations += row->how == HOW_QUAT ||
                      (row->how == HOW_ORIENT && !isBlankText(node->attribute[i].value));
      readField(r, node, row, node->attribute[i].value, target);
    }
    calls += row && row->call;
  }
  if (orientations > 1) {
    cfi_error(r->report, node, "multiple orientation specifiers are not allowed");
  }
  for (int i = 0; i < node->nattribute && calls; i++) {
    const cfRow* row = node->attribute[i].row;
    if (row && row->call) {
      row->call(r, node, row, node->attribute[i].value, target);
    }
  }
}
