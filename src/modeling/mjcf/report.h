// Messages about a model file: all independent errors of one pass, and warnings.
#ifndef CF_MJCF_REPORT_H
#define CF_MJCF_REPORT_H

#include <stdbool.h>

#include "mjcf/dom.h"

enum { CF_REPORT_MAX = 20 };

typedef struct {
  const cfDocument* doc;
  int nerror, nwarning;
  char errors[8000];
  char warnings[4000];
} cfReport;

// add an error or a warning; node may be NULL
void cfi_error(cfReport* report, const cfNode* node, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void cfi_warn(cfReport* report, const cfNode* node, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// one line for each liberty that the texts of a document took
void cfi_describeNotes(const cfDocument* doc, char* text, size_t size);

// copy a message into a caller's buffer
void cfi_copyMessage(char* to, int size, const char* message);

#endif  // CF_MJCF_REPORT_H
