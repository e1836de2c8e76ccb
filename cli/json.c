// JSON output: objects and arrays opened and closed in order, commas and indentation kept track of.
#include <math.h>

#include "cli.h"


static void printEscaped(FILE* out, const char* text) {
  fputc('"', out);
  for (const char* p = text; *p; p++) {
    if (*p == '"' || *p == '\\') {
      fprintf(out, "\\%c", *p);
    } else if ((unsigned char)*p < 0x20) {
      fprintf(out, "\\u%04x", *p);
    } else {
      fputc(*p, out);
    }
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
