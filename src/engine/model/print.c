// Text output: formats, elements, rows, sparse matrices.
#include "model/print.h"

#include <string.h>

#include "base/assert.h"
#include "base/platform.h"

static const char default_format[] = "% -9.2g";

enum {
  FORMAT_MAX = 20,     // longest format that is accepted
  READABLE_MAX = 300,  // rows or columns of a sparse matrix that is still printed
};

//---------------------------------- formats and files ---------------------------------------------


// is this a format for one double such as "% -9.2g"?  Warns where it is not
static bool isFormat(const char* format) {
  static const char flags[] = "-+ #0";
  const char* const whole = format;
  if (strnlen(format, FORMAT_MAX + 1) > FORMAT_MAX) {
    mju_warning("Format string longer than limit of %d.", FORMAT_MAX);
    return false;
  }
  if (*format++ != '%') {
    mju_warning("Format string must start with '%%'.");
    return false;
  }
  const size_t nflag = strspn(format, flags);
  for (size_t k = 0; k < nflag; k++) {
    if (memchr(format + k + 1, format[k], nflag - k - 1)) {
      mju_warning("Format string contains repeated flag.");
      return false;
    }
  }
  format += nflag;
  format += strspn(format, "0123456789");
  if (*format == '.') {
    format += 1 + strspn(format + 1, "0123456789");
  }
  if (!*format || !strchr("fgGeE", *format)) {
    mju_warning("Format string specifier must be one of \"fgGeE\".");
    return false;
  }
  if (format[1]) {
    mju_warning("Unable to match format string %s with expected pattern for a single float.",
                whole);
    return false;
  }
  return true;
}


void cfi_setFormat(cfPrinter* p, const char* format) {
  const bool good = format && isFormat(format);
  if (!good) {
    mju_warning("WARNING: Received invalid float_format. Using default instead.");
  }
  p->format = good ? format : default_format;
}


bool cfi_openPrinter(cfPrinter* p, const char* filename) {
  p->file = filename ? cfi_fileOpen(filename, "w") : stdout;
  if (!p->file) {
    mju_warning("Could not open file '%s' for writing mjModel", filename);
  }
  return p->file != NULL;
}


void cfi_closePrinter(cfPrinter* p) {
  if (p->file == stdout) {
    fflush(stdout);
    return;
  }
  const bool is_cut = ferror(p->file);
  if (fclose(p->file) || is_cut) {
    mju_warning("Could not write the whole text file: disk full?");
  }
}

//---------------------------------- elements and rows ---------------------------------------------

#pragma GCC diagnostic ignored "-Wformat-nonliteral"


void cfi_printName(const cfPrinter* p, int indent, const char* name) {
  fprintf(p->file, "%*s%-*s", indent, "", CF_NAME_WIDTH, name);
}


void cfi_printIndented(const cfPrinter* p, int indent, const char* name) {
  CF_ASSERT(indent >= 0 && indent < CF_NAME_WIDTH);
  fprintf(p->file, "%*s%-*s", indent, "", CF_NAME_WIDTH - indent, name);
}


void cfi_printElement(const cfPrinter* p, cftType type, const void* array, mjtSize k) {
  switch (type) {
    case CF_TYPE_mjtNum:
      fprintf(p->file, p->format, ((const mjtNum*)array)[k]);
      break;
    case CF_TYPE_float:
      fprintf(p->file, p->format, (double)((const float*)array)[k]);
      break;
    case CF_TYPE_int:
      fprintf(p->file, " %d", ((const int*)array)[k]);
      break;
    case CF_TYPE_mjtByte:
      fprintf(p->file, " %d", ((const unsigned char*)array)[k]);
      break;
    case CF_TYPE_mjtSize:
      fprintf(p->file, " %lld", (long long)((const mjtSize*)array)[k]);
      break;
    default:
      CF_ASSERT(!"a type of which texts have no elements");
      break;
  }
}


int cfi_numberWidth(const cfPrinter* p) {
  return snprintf(NULL, 0, p->format, 0.0);
}


void cfi_printList(const cfPrinter* p, cftType type, const void* array, mjtSize count) {
  CF_ASSERT(count >= 0);
  for (mjtSize k = 0; k < count; k++) {
    cfi_printElement(p, type, array, k);
    fputc(' ', p->file);
  }
  fputc('\n', p->file);
}


void cfi_printRows(const cfPrinter* p, const char* title, cftType type, const void* array,
                   mjtSize rows, mjtSize cols) {
  CF_ASSERT(rows >= 0 && cols >= 0);
  if (!array || !rows || !cols) {
    return;
  }
  const bool real = type == CF_TYPE_mjtNum || type == CF_TYPE_float;
  fprintf(p->file, "%s\n", title);
  for (mjtSize k = 0; k < rows * cols; k++) {
    if (k % cols == 0) {
      fputc(' ', p->file);
    }
    if (real) {
      fputc(' ', p->file);
    }
    cfi_printElement(p, type, array, k);
    if (k % cols == cols - 1) {
      fputc('\n', p->file);
    }
  }
  fputc('\n', p->file);
}

//---------------------------------- sparse matrices -----------------------------------------------


void cfi_printSparse(const cfPrinter* p, const char* title, cfPattern s, const mjtNum* value) {
  if (!value || !s.nr || s.nr > READABLE_MAX) {
    return;
  }
  fprintf(p->file, "%s\n", title);
  for (int r = 0; r < s.nr; r++) {
    fputs("  ", p->file);
    for (int k = s.rowadr[r]; k < s.rowadr[r] + s.rownnz[r]; k++) {
      fprintf(p->file, "  %2d: ", s.colind[k]);
      fprintf(p->file, p->format, value[k]);
    }
    fputc('\n', p->file);
  }
  fputc('\n', p->file);
}


// the line above and below a drawing
static void printEdge(const cfPrinter* p, int cols) {
  for (int c = 0; c < cols + 2; c++) {
    fputc('-', p->file);
  }
  fputc('\n', p->file);
}


// a row is drawn as far as its columns ascend
void cfi_printPattern(const cfPrinter* p, const char* title, cfPattern s, const int* diagonal) {
  if (!s.nr || !s.nc || s.nc > READABLE_MAX) {
    return;
  }
  fprintf(p->file, "%s\n", title);
  printEdge(p, s.nc);
  for (int r = 0; r < s.nr; r++) {
    char row[READABLE_MAX + 1];
    memset(row, ' ', (size_t)s.nc);
    row[s.nc] = '\0';
    for (int k = 0, last = -1; k < s.rownnz[r] && s.colind[s.rowadr[r] + k] > last; k++) {
      const int c = last = s.colind[s.rowadr[r] + k];
      CF_ASSERT(c < s.nc);
      row[c] = diagonal && diagonal[r] == k ? 'D' : 'x';
    }
    fprintf(p->file, " %s |", row);
    if (s.rowsuper && s.rowsuper[r] > 0) {
      fprintf(p->file, " %d", s.rowsuper[r]);
    }
    fputc('\n', p->file);
  }
  printEdge(p, s.nc);
  fputc('\n', p->file);
}


void cfi_printMemory(const cfPrinter* p, size_t bytes) {
  if (bytes < 1024) {
    fprintf(p->file, "%5zu bytes", bytes);
  } else {
    fprintf(p->file, "%7.0f KB", (double)bytes / 1024);
  }
}
