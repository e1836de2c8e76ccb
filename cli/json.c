// JSON output: objects and arrays opened and closed in order, commas and indentation kept track of.
#include <math.h>

#include "cli.h"


// bytes of the character of UTF-8 that starts here, 0 if there is none: no overlong forms, no
// surrogates, nothing above U+10FFFF
static int characterLength(const unsigned char* p) {
  const int length = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
  for (int k = 1; k < length; k++) {
    if ((p[k] & 0xC0) != 0x80) {
      return 0;
    }
  }
  const bool is_bad = p[0] > 0xF4 || (p[0] == 0xE0 && p[1] < 0xA0) ||
                      (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
                      (p[0] == 0xF4 && p[1] > 0x8F);
  return is_bad ? 0 : length;
}


// names of models may hold any bytes: those that are not UTF-8 are taken as Latin-1
static void printEscaped(FILE* out, const char* text) {
  fputc('"', out);
  for (const unsigned char* p = (const unsigned char*)text; *p;) {
    const int length = characterLength(p);
    if (*p == '"' || *p == '\\') {
      fprintf(out, "\\%c", *p);
    } else if (*p < 0x20 || !length) {
      fprintf(out, "\\u%04x", *p);
    } else {
      fwrite(p, 1, (size_t)length, out);
    }
    p += length ? length : 1;
  }
  fputc('"', out);
}


// comma after an earlier item, new line, indentation, key
static void beginItem(cliJson* j, const char* key) {
  if (j->has_item[j->depth]) {
    fputc(',', j->out);
  }
  if (j->depth) {
    fprintf(j->out, "\n%*s", 2 * j->depth, "");
  }
  j->has_item[j->depth] = true;
  if (key) {
    printEscaped(j->out, key);
    fputs(": ", j->out);
  }
}


static bool has_json;


bool cli_hasJson(void) {
  return has_json;
}


void cli_jsonOpen(cliJson* j, const char* key, char bracket) {
  has_json |= j->out == stdout;
  beginItem(j, key);
  fputc(bracket, j->out);
  j->depth++;
  j->has_item[j->depth] = false;
}


void cli_jsonClose(cliJson* j, char bracket) {
  j->depth--;
  fprintf(j->out, "\n%*s%c", 2 * j->depth, "", bracket);
  if (!j->depth) {
    fputc('\n', j->out);
  }
}


void cli_jsonText(cliJson* j, const char* key, const char* value) {
  beginItem(j, key);
  printEscaped(j->out, value);
}


void cli_jsonNumber(cliJson* j, const char* key, double value) {
  beginItem(j, key);
  if (isfinite(value)) {
    fprintf(j->out, "%.17g", value);
  } else {
    fputs("null", j->out);
  }
}


void cli_jsonInt(cliJson* j, const char* key, long long value) {
  beginItem(j, key);
  fprintf(j->out, "%lld", value);
}
