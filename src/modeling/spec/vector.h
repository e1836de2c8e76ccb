// Owned strings and arrays behind the opaque mjString, mjStringVec, ... of mjspec.h.
//
// C++ programs see these handles as std::string and std::vector, so the memory layout is the one of
// libc++, with which MuJoCo's own binaries are built: a vector is {begin, end, limit}; a string
// holds up to 22 characters in place, its first byte being twice the length, or else {capacity + 1,
// length, text}, capacity being even.  Memory comes from malloc as it does for operator new.  A
// client may therefore read and write them directly, as MuJoCo's Python package does.
#ifndef CF_SPEC_VECTOR_H
#define CF_SPEC_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

// text of any length; use cfi_text and cfi_length
typedef union {
  struct {
    size_t capacity;  // room with the final zero, plus one
    size_t length;
    char* text;
  } large;
  struct {
    unsigned char tag;  // twice the length; odd: the string is large
    char text[23];
  } small;
} cfString;

// array of ints, floats, doubles, bytes, cfStrings or cfVecs
typedef struct {
  void* begin;
  void* end;
  void* limit;
} cfVec;

// what a handle of mjspec.h points to
typedef enum {
  CF_MEMBER_STRING,
  CF_MEMBER_STRINGVEC,
  CF_MEMBER_INTVEC,
  CF_MEMBER_FLOATVEC,
  CF_MEMBER_DOUBLEVEC,
  CF_MEMBER_BYTEVEC,
  CF_MEMBER_INTVECVEC,
  CF_MEMBER_FLOATVECVEC,
} cftMember;

// strings
void cfi_initString(cfString* s);
void cfi_freeString(cfString* s);
void cfi_assignText(cfString* s, const char* text, size_t length);
void cfi_assignString(cfString* s, const char* text);
void cfi_appendText(cfString* s, const char* text);
void cfi_prefixSuffix(cfString* s, const char* prefix, const char* suffix);
static inline const char* cfi_text(const void* string) {
  const cfString* s = (const cfString*)string;
  return !s ? "" : s->small.tag & 1 ? s->large.text : s->small.text;
}
static inline size_t cfi_length(const void* string) {
  const cfString* s = (const cfString*)string;
  return !s ? 0 : s->small.tag & 1 ? s->large.length : s->small.tag / 2u;
}
static inline bool cfi_isEmptyString(const void* string) {
  return cfi_length(string) == 0;
}

// arrays of plain items of `size` bytes
static inline size_t cfi_vecCount(const void* vec, size_t size) {
  const cfVec* v = (const cfVec*)vec;
  return v && v->begin ? (size_t)((const char*)v->end - (const char*)v->begin) / size : 0;
}
static inline int cfi_countInts(const void* vec) {
  return (int)cfi_vecCount(vec, sizeof(int));
}
static inline int cfi_countFloats(const void* vec) {
  return (int)cfi_vecCount(vec, sizeof(float));
}
static inline int cfi_countDoubles(const void* vec) {
  return (int)cfi_vecCount(vec, sizeof(double));
}
static inline int cfi_countBytes(const void* vec) {
  return (int)cfi_vecCount(vec, 1);
}
static inline int cfi_countStrings(const void* vec) {
  return (int)cfi_vecCount(vec, sizeof(cfString));
}
static inline int cfi_countVecs(const void* vec) {
  return (int)cfi_vecCount(vec, sizeof(cfVec));
}

// first item, or NULL where the array is empty
static inline int* cfi_ints(const void* vec) {
  return (int*)((const cfVec*)vec)->begin;
}
static inline float* cfi_floats(const void* vec) {
  return (float*)((const cfVec*)vec)->begin;
}
static inline double* cfi_doubles(const void* vec) {
  return (double*)((const cfVec*)vec)->begin;
}
static inline unsigned char* cfi_bytes(const void* vec) {
  return (unsigned char*)((const cfVec*)vec)->begin;
}
static inline cfString* cfi_strings(const void* vec) {
  return (cfString*)((const cfVec*)vec)->begin;
}
static inline cfVec* cfi_vecs(const void* vec) {
  return (cfVec*)((const cfVec*)vec)->begin;
}

// replace the contents by `count` plain items; a NULL array gives zeros
void cfi_assignVec(cfVec* v, const void* array, size_t count, size_t size);

// add room for `count` plain items at the end, return the first of them (zeroed)
void* cfi_growVec(cfVec* v, size_t count, size_t size);

// string arrays and arrays of arrays
void cfi_clearStrings(cfVec* v);
cfString* cfi_pushString(cfVec* v, const char* text, size_t length);
void cfi_splitText(cfVec* v, const char* text);
cfVec* cfi_pushVec(cfVec* v, const void* array, size_t count, size_t size);

// life of a member of any kind
size_t cfi_memberSize(cftMember kind);
void cfi_initMember(void* member, cftMember kind);
void cfi_freeMember(void* member, cftMember kind);
void cfi_copyMember(void* to, const void* from, cftMember kind);

#endif  // CF_SPEC_VECTOR_H
