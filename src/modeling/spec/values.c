// mjs_set... and mjs_get...: strings and arrays behind the handles of mjspec.h.
#include "spec/spec.h"

#include <string.h>

#include "base/assert.h"

void mjs_setBuffer(mjByteVec* dest, const void* array, int size) {
  cfi_assignVec((cfVec*)dest, array, (size_t)size, 1);
}

void mjs_setString(mjString* dest, const char* text) {
  cfi_assignString((cfString*)dest, text);
}

void mjs_setStringVec(mjStringVec* dest, const char* text) {
  cfi_splitText((cfVec*)dest, text);
}

mjtByte mjs_setInStringVec(mjStringVec* dest, int i, const char* text) {
  if (i < 0 || i >= cfi_countStrings(dest)) {
    mju_error("Requested index in mjs_setInStringVec is out of bounds");
    return 0;
  }
  cfi_assignString(cfi_strings(dest) + i, text);
  return 1;
}

void mjs_appendString(mjStringVec* dest, const char* text) {
  cfi_pushString((cfVec*)dest, text, strlen(text));
}

void mjs_setInt(mjIntVec* dest, const int* array, int size) {
  cfi_assignVec((cfVec*)dest, array, (size_t)size, sizeof(int));
}

void mjs_appendIntVec(mjIntVecVec* dest, const int* array, int size) {
  cfi_pushVec((cfVec*)dest, array, (size_t)size, sizeof(int));
}

void mjs_setFloat(mjFloatVec* dest, const float* array, int size) {
  cfi_assignVec((cfVec*)dest, array, (size_t)size, sizeof(float));
}

void mjs_appendFloatVec(mjFloatVecVec* dest, const float* array, int size) {
  cfi_pushVec((cfVec*)dest, array, (size_t)size, sizeof(float));
}

void mjs_setDouble(mjDoubleVec* dest, const double* array, int size) {
  cfi_assignVec((cfVec*)dest, array, (size_t)size, sizeof(double));
}

const char* mjs_getString(const mjString* source) {
  return cfi_text(source);
}

const double* mjs_getDouble(const mjDoubleVec* source, int* size) {
  if (size) {
    *size = cfi_countDoubles(source);
  }
  return cfi_doubles(source);
}
