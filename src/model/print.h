// Text output of models and data.
#ifndef CF_MODEL_PRINT_H
#define CF_MODEL_PRINT_H

#include <stdio.h>

#include <mujoco/mujoco.h>

#include "tables/fields.h"

// where numbers go and how they look; format is a printf conversion of one double
typedef struct {
  FILE* file;
  const char* format;
} cfPrinter;

// open a file (NULL: standard output) and check the format; false after a warning
bool cfi_openPrinter(cfPrinter* p, const char* filename, const char* format, const char* what);
void cfi_closePrinter(cfPrinter* p);

// name in a column, then elements [first, first+count) of an array of the type, then a line end
void cfi_printElements(cfPrinter* p, const char* name, cftType type, const void* array,
                       mjtSize first, mjtSize count);

// a title, then an array row by row
void cfi_printRows(cfPrinter* p, const char* name, cftType type, const void* array, mjtSize rows,
                   mjtSize cols);

// one line "name  value", scaled to bytes, KB, MB or GB
void cfi_printMemory(cfPrinter* p, const char* name, mjtSize bytes);

#endif  // CF_MODEL_PRINT_H
