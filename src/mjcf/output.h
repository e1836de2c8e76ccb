// Growing XML text with indentation.
#ifndef CF_MJCF_OUTPUT_H
#define CF_MJCF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char* text;
  size_t used, room;
  int depth;
  bool is_open;  // the last start tag still takes attributes
} cfOutput;

// <tag ...attributes... > children </tag>; an element without children is closed at once
void cfi_openTag(cfOutput* out, const char* tag);
void cfi_closeTag(cfOutput* out, const char* tag);
void cfi_writeText(cfOutput* out, const char* name, const char* value);
void cfi_writeComment(cfOutput* out, const char* text);

// numbers with as many digits as it takes to read the same value back
void cfi_writeDoubles(cfOutput* out, const char* name, const double* data, int count);
void cfi_writeFloats(cfOutput* out, const char* name, const float* data, int count);
void cfi_writeInts(cfOutput* out, const char* name, const int* data, int count);

#endif  // CF_MJCF_OUTPUT_H
