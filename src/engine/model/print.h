// Text output of models, data and scenes, in MuJoCo's format.
#ifndef CF_MODEL_PRINT_H
#define CF_MODEL_PRINT_H

#include <stdio.h>

#include <mujoco/mujoco.h>

#include "math/sparse.h"
#include "tables/fields.h"

// where numbers go and how they look; format is a printf conversion of one double
typedef struct {
  FILE* file;
  const char* format;
} cfPrinter;

// width of the column of names
enum { CF_NAME_WIDTH = 21 };

// open a file (NULL: standard output); false after a warning
bool cfi_openPrinter(cfPrinter* p, const char* filename);
void cfi_closePrinter(cfPrinter* p);

// the given format, or after a warning the default one where it is not a conversion of one double
void cfi_setFormat(cfPrinter* p, const char* format);

// a name in its column; indent blanks come first, and are part of the column in the second form
void cfi_printName(const cfPrinter* p, int indent, const char* name);
void cfi_printIndented(const cfPrinter* p, int indent, const char* name);

// one element of an array; integers have a blank before them
void cfi_printElement(const cfPrinter* p, cftType type, const void* array, mjtSize k);

// characters that the number 0 takes
int cfi_numberWidth(const cfPrinter* p);

// elements with a blank behind each, then a line end
void cfi_printList(const cfPrinter* p, cftType type, const void* array, mjtSize count);

// a title, then an array row by row; nothing where there are no elements
void cfi_printRows(const cfPrinter* p, const char* title, cftType type, const void* array,
                   mjtSize rows, mjtSize cols);

// a title, then "column: value" row by row; nothing where that would be too long to read
void cfi_printSparse(const cfPrinter* p, const char* title, cfPattern s, const mjtNum* value);

// a title, then a drawing with a mark per entry.  diagonal (may be NULL) says which entry of a row
// gets the mark of its own
void cfi_printPattern(const cfPrinter* p, const char* title, cfPattern s, const int* diagonal);

// a size as bytes or KB
void cfi_printMemory(const cfPrinter* p, size_t bytes);

#endif  // CF_MODEL_PRINT_H
