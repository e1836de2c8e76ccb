// Growing XML text with indentation.
#include "mjcf/output.h"

#include <limits.h>
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

// MuJoCo sets off whatever starts like a section: default classes of tendons and sensors of
// tendons and actuators too, but neither contact sensors nor classes with a name
static bool isSetOff(const cfOutput* out, const char* tag) {
  static const char* const sections[] = {
      "actuator", "asset",  "custom", "deformable", "equality", "extension", "keyframe",
      "option",   "sensor", "size",   "statistic",  "tendon",   "visual",    "worldbody"};
  if (strcmp(tag, "default") == 0 || strcmp(tag, "contact") == 0) {
    return out->depth == 1;
  }
  for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
    if (strncmp(tag, sections[i], strlen(sections[i])) == 0) {
      return true;
    }
  }
  return false;
}

void cfi_openTag(cfOutput* out, const char* tag) {
  CF_ASSERT(out && tag);
  endStart(out);
  if (isSetOff(out, tag)) {
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
  return (cfOutputMark){out->used, out->depth, out->is_open};
}

void cfi_closeUnlessEmpty(cfOutput* out, const char* tag, cfOutputMark before, cfOutputMark start) {
  if (out->used != start.used) {
    cfi_closeTag(out, tag);
    return;
  }
  out->used = before.used;
  out->depth = before.depth;
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
    case '\'':
      return "&apos;";
    default:
      return NULL;
  }
}

static void startAttribute(cfOutput* out, const char* name) {
  static const char prefix[] = "cortenforge:";
  CF_ASSERT(out->is_open);
  out->has_prefix = out->has_prefix || strncmp(name, prefix, sizeof(prefix) - 1) == 0;
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

void cfi_insertText(cfOutput* out, size_t place, const char* name, const char* value) {
  CF_ASSERT(place <= out->used);
  cfOutput inserted = {.is_open = true};
  cfi_writeText(&inserted, name, value);
  const size_t behind = out->used - place;
  put(out, inserted.text, inserted.used);
  memmove(out->text + place + inserted.used, out->text + place, behind);
  memcpy(out->text + place, inserted.text, inserted.used);
  free(inserted.text);
}

//---------------------------------- numbers -------------------------------------------------------

// digits of numbers in saved models, for the whole process as in MuJoCo
enum { DIGITS_USUAL = 6, DIGITS_MOST = 17 };
static _Atomic int xml_digits = DIGITS_USUAL;

int _mjPRIVATE__get_xml_precision(void) {
  return xml_digits;
}

void _mjPRIVATE__set_xml_precision(int precision) {
  xml_digits = precision;
}

static int usedDigits(void) {
  const int digits = xml_digits;
  return digits < 0 ? DIGITS_USUAL : digits > DIGITS_MOST ? DIGITS_MOST : digits;
}

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

static void putRounded(cfOutput* out, double x, int digits) {
  char text[40];
  snprintf(text, sizeof(text), "%.*g", digits, x);
  usePoint(text);
  puts0(out, text);
}

// whole numbers, also those missed by a hair, have all their digits
static void putNumber0(cfOutput* out, double x) {
  static const double hair = 1e-12;
  const double below = x - floor(x), above = ceil(x) - x;
  if (fabs(x) < INT_MAX && (below < hair || above < hair)) {
    char text[20];
    snprintf(text, sizeof(text), "%d", (int)(below < above ? floor(x) : ceil(x)));
    puts0(out, text);
  } else {
    putRounded(out, x, usedDigits());
  }
}

void cfi_writeDoubles(cfOutput* out, const char* name, const double* data, int count) {
  CF_ASSERT(name && count >= 0);
  startAttribute(out, name);
  for (int i = 0; i < count; i++) {
    puts0(out, i ? " " : "");
    putNumber0(out, data[i]);
  }
  puts0(out, "\"");
}

void cfi_writeFloats(cfOutput* out, const char* name, const float* data, int count) {
  CF_ASSERT(name && count >= 0);
  startAttribute(out, name);
  for (int i = 0; i < count; i++) {
    puts0(out, i ? " " : "");
    putNumber0(out, data[i]);
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

// long arrays: whole numbers are rounded like all others, never to less than the usual digits
static int arrayDigits(void) {
  const int digits = usedDigits();
  return digits < DIGITS_USUAL ? DIGITS_USUAL : digits;
}

void cfi_writeDoubleArray(cfOutput* out, const char* name, const double* data, int count) {
  CF_ASSERT(name && count >= 0);
  const int digits = arrayDigits();
  startAttribute(out, name);
  for (int i = 0; i < count; i++) {
    puts0(out, i ? " " : "");
    putRounded(out, data[i], digits);
  }
  puts0(out, "\"");
}

void cfi_writeFloatArray(cfOutput* out, const char* name, const float* data, int count, int row) {
  CF_ASSERT(name && count >= 0 && row >= 0);
  const int digits = arrayDigits();
  startAttribute(out, name);
  for (int i = 0; i < count; i++) {
    puts0(out, row && i % row == 0 ? "\n            " : i ? " " : "");
    putRounded(out, data[i], digits);
  }
  puts0(out, "\"");
}
