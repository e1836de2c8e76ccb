// Text output: formats, elements, rows.
#include "model/print.h"

#include <string.h>

#include "base/assert.h"

static const char default_format[] = "% -9.2g";

enum { FORMAT_MAX = 20 };


// what is wrong with a format for one float such as "% -9.2g", or NULL
static const char* formatFault(const char* format) {
  static const char flags[] = "-+ #0";
  size_t nflag = 0;
  if (strnlen(format, FORMAT_MAX + 1) > FORMAT_MAX) {
    return "Format string longer than limit of 20.";
  }
  if (*format++ != '%') {
    return "Format string must start with '%'.";
  }
  nflag = strspn(format, flags);
  for (size_t k = 0; k < nflag; k++) {
    if (memchr(format + k + 1, format[k], nflag - k - 1)) {
      return "Format string contains repeated flag.";
    }
  }
  format += nflag;
  format += strspn(format, "0123456789");
  if (*format == '.') {
    format += 1 + strspn(format + 1, "0123456789");
  }
  if (!*format || !strchr("fgGeE", *format)) {
    return "Format string specifier must be one of \"fgGeE\".";
  }
  return format[1] ? "Format string has text behind its specifier." : NULL;
}


bool cfi_openPrinter(cfPrinter* p, const char* filename, const char* format, const char* what) {
  p->file = filename ? fopen(filename, "w") : stdout;
  if (!p->file) {
    mju_warning("Could not open file '%s' for writing %s", filename, what);
    return false;
  }
  const char* fault = format ? formatFault(format) : "Format string is NULL.";
  if (fault) {
    mju_warning("%s Using default instead.", fault);
  }
  p->format = fault ? default_format : format;
  return true;
}


void cfi_closePrinter(cfPrinter* p) {
  if (p->file != stdout && fclose(p->file)) {
    mju_warning("Could not write the whole text file: disk full?");
  }
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"


static void printElement(cfPrinter* p, cftType type, const void* array, mjtSize k) {
  switch (type) {
    case CF_TYPE_mjtNum:
      fprintf(p->file, p->format, ((const mjtNum*)array)[k]);
      break;
    case CF_TYPE_float:
      fprintf(p->file, p->format, (double)((const float*)array)[k]);
      break;
    case CF_TYPE_int:
      fprintf(p->file, "%d", ((const int*)array)[k]);
      break;
    case CF_TYPE_mjtByte:
    case CF_TYPE_char:
      fprintf(p->file, "%d", ((const unsigned char*)array)[k]);
      break;
    case CF_TYPE_mjtSize:
      fprintf(p->file, "%lld", (long long)((const mjtSize*)array)[k]);
      break;
    case CF_TYPE_size_t:
    case CF_TYPE_uint64_t:
    case CF_TYPE_uintptr_t:
      fprintf(p->file, "%llu", (unsigned long long)((const uint64_t*)array)[k]);
      break;
    default:
      break;
  }
}


static void printRun(cfPrinter* p, cftType type, const void* array, mjtSize first, mjtSize count) {
  CF_ASSERT(first >= 0 && count >= 0);
  for (mjtSize k = first; k < first + count; k++) {
    fputc(' ', p->file);
    printElement(p, type, array, k);
  }
  fputc('\n', p->file);
}


void cfi_printElements(cfPrinter* p, const char* name, cftType type, const void* array,
                       mjtSize first, mjtSize count) {
  fprintf(p->file, "  %-21s", name);
  printRun(p, type, array, first, count);
}


void cfi_printRows(cfPrinter* p, const char* name, cftType type, const void* array, mjtSize rows,
                   mjtSize cols) {
  CF_ASSERT(rows >= 0 && cols >= 0);
  if (!array || !rows || !cols) {
    return;
  }
  fprintf(p->file, "%s\n", name);
  for (mjtSize r = 0; r < rows; r++) {
    fputc(' ', p->file);
    printRun(p, type, array, r * cols, cols);
  }
  fputc('\n', p->file);
}


void cfi_printMemory(cfPrinter* p, const char* name, mjtSize bytes) {
  static const char* const unit[] = {"bytes", "KB", "MB", "GB"};
  int scale = 0;
  while (scale < 3 && bytes >= 10240) {
    bytes /= 1024;
    scale++;
  }
  fprintf(p->file, "  %-13s %6lld %s\n", name, (long long)bytes, unit[scale]);
}
