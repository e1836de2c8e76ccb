// Growing XML text with indentation.
#ifndef CF_MJCF_OUTPUT_H
#define CF_MJCF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mjexport.h>

typedef struct {
  char* text;
  size_t used, room;
  int depth;
  bool is_open;     // the last start tag still takes attributes
  bool has_prefix;  // attributes with our prefix were written
} cfOutput;

// <tag ...attributes... > children </tag>; an element without children is closed at once
void cfi_openTag(cfOutput* out, const char* tag);
void cfi_closeTag(cfOutput* out, const char* tag);

// a tag that is taken back if nothing was written into it: marks before it was opened and after
typedef struct {
  size_t used;
  int depth;
  bool is_open;
} cfOutputMark;
cfOutputMark cfi_markOutput(const cfOutput* out);
void cfi_closeUnlessEmpty(cfOutput* out, const char* tag, cfOutputMark before, cfOutputMark start);

void cfi_writeText(cfOutput* out, const char* name, const char* value);

// an attribute at a place where one may stand, after what follows has been written
void cfi_insertText(cfOutput* out, size_t place, const char* name, const char* value);
void cfi_writeComment(cfOutput* out, const char* text);

// numbers with as many digits as it takes to read the same value back
enum { CF_DOUBLE_TEXT = 40 };
void cfi_doubleText(char text[CF_DOUBLE_TEXT], double x);

// digits of numbers, 6 at first; exported without a declaration in mujoco.h, as MuJoCo does
MJAPI int _mjPRIVATE__get_xml_precision(void);
MJAPI void _mjPRIVATE__set_xml_precision(int precision);

void cfi_writeDoubles(cfOutput* out, const char* name, const double* data, int count);
void cfi_writeFloats(cfOutput* out, const char* name, const float* data, int count);
void cfi_writeInts(cfOutput* out, const char* name, const int* data, int count);

// arrays of any length: at least six digits; a line per `row` numbers, 0 for one line
void cfi_writeDoubleArray(cfOutput* out, const char* name, const double* data, int count);
void cfi_writeFloatArray(cfOutput* out, const char* name, const float* data, int count, int row);

#endif  // CF_MJCF_OUTPUT_H
