// Strings and arrays with the memory layout of libc++; see vector.h.
#include "spec/vector.h"

#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"

// malloc that reports instead of returning NULL
static void* allocate(size_t bytes) {
  void* block = malloc(bytes ? bytes : 1);
  if (!block) {
    mju_error("could not allocate %zu bytes for a model specification", bytes);
    abort();
  }
  return block;
}

//---------------------------------- strings -------------------------------------------------------

void cfi_initString(cfString* s) {
  *s = (cfString){.small = {0, ""}};
}

static bool isLarge(const cfString* s) {
  return s->small.tag & 1;
}

void cfi_freeString(cfString* s) {
  if (isLarge(s)) {
    free(s->large.text);
  }
  cfi_initString(s);
}

// characters that fit without a new block
static size_t roomOf(const cfString* s) {
  return isLarge(s) ? s->large.capacity - 2 : sizeof(s->small.text) - 1;
}

void cfi_assignText(cfString* s, const char* text, size_t length) {
  CF_ASSERT(s && text);
  if (length > roomOf(s)) {
    const size_t capacity = (length + 16) / 16 * 16;
    char* fresh = (char*)allocate(capacity);
    memcpy(fresh, text, length);
    fresh[length] = 0;
    cfi_freeString(s);
    s->large.capacity = capacity + 1;
    s->large.length = length;
    s->large.text = fresh;
    return;
  }
  char* target = isLarge(s) ? s->large.text : s->small.text;
  memmove(target, text, length);
  target[length] = 0;
  if (isLarge(s)) {
    s->large.length = length;
  } else {
    s->small.tag = (unsigned char)(2 * length);
  }
}

void cfi_assignString(cfString* s, const char* text) {
  cfi_assignText(s, text ? text : "", text ? strlen(text) : 0);
}

void cfi_appendText(cfString* s, const char* text) {
  cfi_prefixSuffix(s, "", text);
}

void cfi_prefixSuffix(cfString* s, const char* prefix, const char* suffix) {
  const size_t before = prefix ? strlen(prefix) : 0, after = suffix ? strlen(suffix) : 0;
  if (before + after == 0) {
    return;
  }

  const size_t inner = cfi_length(s), length = before + inner + after;
  char* joined = (char*)allocate(length + 1);
  memcpy(joined, prefix ? prefix : "", before);
  memcpy(joined + before, cfi_text(s), inner);
  memcpy(joined + before + inner, suffix ? suffix : "", after);
  cfi_assignText(s, joined, length);
  free(joined);
}

//---------------------------------- arrays --------------------------------------------------------

static size_t usedBytes(const cfVec* v) {
  return v->begin ? (size_t)((char*)v->end - (char*)v->begin) : 0;
}

static size_t roomBytes(const cfVec* v) {
  return v->begin ? (size_t)((char*)v->limit - (char*)v->begin) : 0;
}

// make the room at least `bytes` large, contents moved bytewise
static void reserveBytes(cfVec* v, size_t bytes) {
  CF_ASSERT(v != NULL);
  if (bytes <= roomBytes(v)) {
    return;
  }
  const size_t used = usedBytes(v);
  const size_t room = roomBytes(v) * 2 > bytes ? roomBytes(v) * 2 : bytes;
  char* fresh = (char*)allocate(room);
  if (used) {
    memcpy(fresh, v->begin, used);
  }
  free(v->begin);
  v->begin = fresh;
  v->end = fresh + used;
  v->limit = fresh + room;
}

void cfi_assignVec(cfVec* v, const void* array, size_t count, size_t size) {
  CF_ASSERT(size > 0);
  const size_t bytes = count * size;
  reserveBytes(v, bytes);
  if (bytes && array) {
    memmove(v->begin, array, bytes);
  } else if (bytes) {
    memset(v->begin, 0, bytes);
  }
  v->end = v->begin ? (char*)v->begin + bytes : NULL;
}

void* cfi_growVec(cfVec* v, size_t count, size_t size) {
  CF_ASSERT(size > 0);
  const size_t used = usedBytes(v);
  reserveBytes(v, used + count * size);
  char* first = (char*)v->begin + used;
  if (count) {
    memset(first, 0, count * size);
  }
  v->end = v->begin ? first + count * size : NULL;
  return first;
}

void cfi_clearStrings(cfVec* v) {
  const int count = cfi_countStrings(v);
  for (int i = 0; i < count; i++) {
    cfi_freeString(cfi_strings(v) + i);
  }
  v->end = v->begin;
}

cfString* cfi_pushString(cfVec* v, const char* text, size_t length) {
  cfString* fresh = (cfString*)cfi_growVec(v, 1, sizeof(cfString));
  cfi_initString(fresh);
  cfi_assignText(fresh, text, length);
  return fresh;
}

static bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

void cfi_splitText(cfVec* v, const char* text) {
  CF_ASSERT(v && text);
  cfi_clearStrings(v);
  while (text && *text) {
    while (isBlank(*text)) {
      text++;
    }
    const char* word = text;
    while (*text && !isBlank(*text)) {
      text++;
    }
    if (text > word) {
      cfi_pushString(v, word, (size_t)(text - word));
    }
  }
}

cfVec* cfi_pushVec(cfVec* v, const void* array, size_t count, size_t size) {
  CF_ASSERT(size > 0);
  cfVec* fresh = (cfVec*)cfi_growVec(v, 1, sizeof(cfVec));
  cfi_assignVec(fresh, array, count, size);
  return fresh;
}

//---------------------------------- members of any kind -------------------------------------------

size_t cfi_memberSize(cftMember kind) {
  return kind == CF_MEMBER_STRING ? sizeof(cfString) : sizeof(cfVec);
}

// bytes of one plain item
static size_t itemSize(cftMember kind) {
  switch (kind) {
    case CF_MEMBER_INTVEC:
    case CF_MEMBER_INTVECVEC:
      return sizeof(int);
    case CF_MEMBER_FLOATVEC:
    case CF_MEMBER_FLOATVECVEC:
      return sizeof(float);
    case CF_MEMBER_DOUBLEVEC:
      return sizeof(double);
    default:
      return 1;
  }
}

void cfi_initMember(void* member, cftMember kind) {
  if (kind == CF_MEMBER_STRING) {
    cfi_initString((cfString*)member);
  } else {
    *(cfVec*)member = (cfVec){NULL, NULL, NULL};
  }
}

// free what the items own, keep the room
static void releaseItems(cfVec* v, cftMember kind) {
  if (kind == CF_MEMBER_STRINGVEC) {
    cfi_clearStrings(v);
  } else if (kind == CF_MEMBER_INTVECVEC || kind == CF_MEMBER_FLOATVECVEC) {
    const int count = cfi_countVecs(v);
    for (int i = 0; i < count; i++) {
      free(cfi_vecs(v)[i].begin);
    }
    v->end = v->begin;
  }
}

void cfi_freeMember(void* member, cftMember kind) {
  if (kind == CF_MEMBER_STRING) {
    cfi_freeString((cfString*)member);
    return;
  }
  cfVec* v = (cfVec*)member;
  releaseItems(v, kind);
  free(v->begin);
  *v = (cfVec){NULL, NULL, NULL};
}

void cfi_copyMember(void* to, const void* from, cftMember kind) {
  CF_ASSERT(to && from && to != from);
  if (to == from) {
    return;
  }
  if (kind == CF_MEMBER_STRING) {
    cfi_assignText((cfString*)to, cfi_text(from), cfi_length(from));
    return;
  }

  cfVec* v = (cfVec*)to;
  const cfVec* source = (const cfVec*)from;
  releaseItems(v, kind);
  if (kind == CF_MEMBER_STRINGVEC) {
    const int count = cfi_countStrings(source);
    for (int i = 0; i < count; i++) {
      const cfString* text = cfi_strings(source) + i;
      cfi_pushString(v, cfi_text(text), cfi_length(text));
    }
  } else if (kind == CF_MEMBER_INTVECVEC || kind == CF_MEMBER_FLOATVECVEC) {
    const int count = cfi_countVecs(source);
    for (int i = 0; i < count; i++) {
      const cfVec* row = cfi_vecs(source) + i;
      cfi_pushVec(v, row->begin, cfi_vecCount(row, itemSize(kind)), itemSize(kind));
    }
  } else {
    const size_t size = itemSize(kind);
    cfi_assignVec(v, source->begin, cfi_vecCount(source, size), size);
  }
}
