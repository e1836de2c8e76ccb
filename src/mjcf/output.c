// Growing XML text with indentation.
#include "mjcf/output.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"

static void put(cfOutput* out, const char* text, size_t length) {
  CF_ASSERT(out && text);
  if (out->used + length + 1 > out->room) {
    const size_t room = 2 * (out->used + length + 1);
    char* grown = (char*)realloc(out->text, room);
    if (!grown) {
      mju_error("could not allocate %zu bytes for XML text", room);
      return;
    }
    out->text = grown;
    out->room = room;
  }
  memcpy(out->text + out->used, text, length);
  out->used += length;
  out->text[out->used] = 0;
}

static void puts0(cfOutput* out, const char* text) {
  put(out, text, strlen(text));
}

static void indent(cfOutput* out) {
  for (int i = 0; i < out->depth; i++) {
    puts0(out, "  ");
  }
}

// end the start tag before its first child
static void endStart(cfOutput* out) {
  if (out->is_open) {
    puts0(out, ">\n");
    out->is_open = false;
  }
}

// an empty line stands between the sections of a model
void cfi_openTag(cfOutput* out, const char* tag) {
  CF_ASSERT(out && tag);
  endStart(out);
  if (out->depth == 1 && out->nsection++) {
    puts0(out, "\n");
  }
  indent(out);
  puts0(out, "<");
  puts0(out, tag);
  out->is_open = true;
  out->depth++;
}

void cfi_closeTag(cfOutput* out, const char* tag) {
  CF_ASSERT(out->depth > 0);
  out->depth--;
  if (out->is_open) {
    puts0(out, "/>\n");
    out->is_open = false;
    return;
  }
  indent(out);
  puts0(out, "</");
  puts0(out, tag);
  puts0(out, ">\n");
}

cfOutputMark cfi_markOutput(const cfOutput* out) {
  return (cfOutputMark){out->used, out->depth, out->nsection, out->is_open};
}

void cfi_closeUnlessEmpty(cfOutput* out, const char* tag, cfOutputMark before, cfOutputMark start) {
  if (out->used != start.used) {
    cfi_closeTag(out, tag);
    return;
  }
  out->used = before.used;
  out->depth = before.depth;
  out->nsection = before.nsection;
  out->is_open = before.is_open;
  if (out->text) {
    out->text[out->used] = 0;
  }
}

void cfi_writeComment(cfOutput* out, const char* text) {
  endStart(out);
  indent(out);
  puts0(out, "<!--");
  puts0(out, text);
  puts0(out, "-->\n");
}

// characters that would end or change the value
static const char* escaped(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\n':
      return "&#10;";
    case '\t':
      return "&#9;";
    case '\r':
      return "&#13;";
    default:
      return NULL;
  }
}

static void startAttribute(cfOutput* out, const char* name) {
  CF_ASSERT(out->is_open);
  puts0(out, " ");
  puts0(out, name);
  puts0(out, "=\"");
}

void cfi_writeText(cfOutput* out, const char* name, const char* value) {
  CF_ASSERT(name && value);
  startAttribute(out, name);
  for (const char* p = value; *p; p++) {
    const char* entity = escaped(*p);
    if (entity) {
      puts0(out, entity);
    } else {
      put(out, p, 1);
    }
  }
  puts0(out, "\"");
}

//---------------------------------- numbers -------------------------------------------------------

// the decimal point does not depend on the locale
static void usePoint(char* text) {
  for (char* p = text; *p; p++) {
    if (*p == ',') {
      *p = '.';
    }
  }
}

void cfi_doubleText(char text[CF_DOUBLE_TEXT], double x) {
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, CF_DOUBLE_TEXT, "%.*g", digits, x);
    if (strtod(text, NULL) == x) {
      break;
    }
  }
  usePoint(text);
}

static void putDouble(cfOutput* out, double x) {
  char text[CF_DOUBLE_TEXT];
  cfi_doubleText(text, x);
  puts0(out, text);
}

static void putFloat(cfOutput* out, float x) {
  char text[40];
  for (int digits = 6; digits <= 9; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, (double)x);
    if (strtof(text, NULL) == x) {
      break;
    }
  }
  usePoint(text);
  puts0(out, text);
}

void cfi_writeDoubles(cfOutput* out, const char* name, const double* data, int count) {
  CF_ASSERT(name && count >= 0);
  startAttribute(out, name);
  for (int i = 0; i < count; i++) {
    puts0(out, i ? " " : "");
    putDouble(out, data[i]);
  }
  puts0(out, "\"");
}

void cfi_writeFloats(cfOutput* out, const char* name, const float* data, int count) {
  CF_ASSERT(name && count >= 0);
  startAttribute(out, name);
  for (int i = 0; i < count; i++) {
    puts0(out, i ? " " : "");
    putFloat(out, data[i]);
  }
  puts0(out, "\"");
}

void cfi_writeInts(cfOutput* out, const char* name, const int* data, int count) {
  CF_ASSERT(name && count >= 0);
  startAttribute(out, name);
  for (int i = 0; i < count; i++) {
    char text[20];
    snprintf(text, sizeof(text), "%s%d", i ? " " : "", data[i]);
    puts0(out, text);
  }
  puts0(out, "\"");
}
