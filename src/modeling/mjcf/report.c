// Messages about a model file.
#include "mjcf/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

// append formatted text, keep the buffer terminated; false when it is full
static bool append(char* buffer, size_t size, const char* format, va_list args) {
  const size_t used = strlen(buffer);
  if (used + 1 >= size) {
    return false;
  }
  vsnprintf(buffer + used, size - used, format, args);
  return true;
}

__attribute__((format(printf, 3, 4))) static void appendf(char* buffer, size_t size,
                                                          const char* format, ...) {
  va_list args;
  va_start(args, format);
  append(buffer, size, format, args);
  va_end(args);
}

// where it is: element, line and column, its name, its file
static void appendPlace(char* buffer, size_t size, const cfReport* report, const cfNode* node,
                        const char* before, const char* after) {
  if (!node) {
    appendf(buffer, size, "%s", after);
    return;
  }
  const char* name = cfi_attribute(node, "name");
  const char* file = report->doc && report->doc->nfiles ? report->doc->files[node->file] : "";
  appendf(buffer, size, "%sElement '%s', line %d, column %d", before, node->tag, node->line,
          node->column);
  if (name && *name) {
    appendf(buffer, size, ", name '%s'", name);
  }
  if (*file) {
    appendf(buffer, size, " (%s:%d:%d)", file, node->line, node->column);
  }
  appendf(buffer, size, "%s", after);
}

// where complaints of one kind go, and how they look: warnings stay on one line
typedef struct {
  char* buffer;
  size_t size;
  int* count;
  const char *start, *before_place, *end;
} complaintKind;

static void addComplaint(complaintKind kind, const cfReport* report, const cfNode* node,
                         const char* format, va_list args) {
  if (++*kind.count <= CF_REPORT_MAX) {
    appendf(kind.buffer, kind.size, "%s", kind.start);
    append(kind.buffer, kind.size, format, args);
    appendPlace(kind.buffer, kind.size, report, node, kind.before_place, kind.end);
  }
}

static complaintKind errorsOf(cfReport* r) {
  return (complaintKind){r->errors, sizeof(r->errors), &r->nerror, "XML Error: ", "\n", "\n"};
}

static complaintKind warningsOf(cfReport* r) {
  return (complaintKind){r->warnings, sizeof(r->warnings), &r->nwarning, "XML Warning: ", ", ",
                         "; "};
}

void cfi_error(cfReport* report, const cfNode* node, const char* format, ...) {
  CF_ASSERT(report && format);
  va_list args;
  va_start(args, format);
  addComplaint(errorsOf(report), report, node, format, args);
  va_end(args);
}

void cfi_warn(cfReport* report, const cfNode* node, const char* format, ...) {
  va_list args;
  va_start(args, format);
  addComplaint(warningsOf(report), report, node, format, args);
  va_end(args);
}

//---------------------------------- notes ---------------------------------------------------------

static const char* const liberties[CF_XML_NNOTE] = {
    [CF_XML_NO_SPACE] = "no white space between two attributes",
    [CF_XML_COMMENT_DASHES] = "\"--\" inside a comment",
    [CF_XML_BARE_AMPERSAND] = "\"&\" that starts no known entity is taken as it stands",
    [CF_XML_ANGLE_IN_VALUE] = "\"<\" in the value of an attribute",
    [CF_XML_SECOND_ROOT] = "elements behind the root are ignored",
    [CF_XML_OUTER_TEXT] = "text outside the root is ignored",
    [CF_XML_NOT_UTF8] = "bytes that are not UTF-8 are taken as they stand",
    [CF_XML_CONTROL] = "control characters",
    [CF_XML_LATE_DECLARATION] = "the declaration <?...?> is not the first thing",
    [CF_XML_DOCTYPE] = "<!...> is ignored, its entities are not known",
    [CF_XML_SPACED_TAG] = "white space between \"<\" and the name of an element",
    [CF_XML_CLOSING_TAG] = "a closing tag with attributes or a second slash",
    [CF_XML_STRAY_CLOSING] = "a closing tag behind the root: what follows is ignored",
    [CF_XML_ZERO] = "a zero byte: what follows is ignored"};

void cfi_describeNotes(const cfDocument* doc, char* text, size_t size) {
  CF_ASSERT(doc && size > 0);
  text[0] = 0;
  for (int i = 0; i < CF_XML_NNOTE; i++) {
    const cfXmlNote* n = doc->notes + i;
    if (n->count) {
      const char* file = doc->files[n->file];
      appendf(text, size, "%.200s%s%d:%d: %s", file, *file ? ":" : "", n->line, n->column,
              liberties[i]);
      appendf(text, size, n->count > 1 ? " (%d times)\n" : "\n", n->count);
    }
  }
}

void cfi_copyMessage(char* to, int size, const char* message) {
  if (to && size > 0) {
    snprintf(to, (size_t)size, "%s", message);
  }
}
