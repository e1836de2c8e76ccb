// How a compilation ends early: messages that name the element and where it was written.
//
// A failing element does not keep its neighbors from being checked: messages gather, the first one
// first, until the phase is over.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/nearest.h"
#include "compile/draft.h"

enum { MAX_FAILURES = 10 };  // more messages help nobody

// add formatted text at the end of the message, cut where the room ends
static void appendList(cfDraft* draft, const char* format, va_list args) {
  const size_t used = strlen(draft->message);
  vsnprintf(draft->message + used, sizeof(draft->message) - used, format, args);
}


__attribute__((format(printf, 2, 3))) static void appendMessage(cfDraft* draft, const char* format,
                                                                ...) {
  va_list args;
  va_start(args, format);
  appendList(draft, format, args);
  va_end(args);
}


// column, kind of element and file of an element that was read from a text
static void appendSource(cfDraft* draft, const cfElement* origin) {
  const cfSource at = origin->source;
  const cfVec* files = origin->scope ? origin->scope->files : NULL;
  const char* kind =
      origin->head.elemtype == mjOBJ_FRAME ? "frame" : mju_type2Str((int)origin->head.elemtype);
  appendMessage(draft, ", column %d, element '%s'", at.column, kind ? kind : "");
  if (files && at.file < cfi_countStrings(files) &&
      !cfi_isEmptyString(cfi_strings(files) + at.file)) {
    appendMessage(draft, " (%s:%d:%d)", cfi_text(cfi_strings(files) + at.file), at.line, at.column);
  }
}


// which element, and its place in the text; lines of its info after the first follow
static void appendOrigin(cfDraft* draft, const cfPart* part) {
  appendMessage(draft, "\nElement name '%s', id %d", part->name, part->id);
  const cfElement* origin = part->origin;
  if (!origin) {
    return;
  }
  const char* info = cfi_text(&origin->info);
  const int first = (int)strcspn(info, "\n");
  if (first) {
    appendMessage(draft, ", %.*s", first, info);
  } else if (origin->source.line > 0) {
    appendMessage(draft, ", line %d", origin->source.line);
  }
  if (origin->source.line > 0) {
    appendSource(draft, origin);
  }
  appendMessage(draft, "%s", info + first);
}


static void beginMessage(cfDraft* draft, const char* format, va_list args) {
  appendMessage(draft, draft->nfailed++ ? "\nError: " : "Error: ");
  appendList(draft, format, args);
}


_Noreturn static void endMessage(cfDraft* draft, const cfPart* part) {
  if (part) {
    appendOrigin(draft, part);
  }
  longjmp(*draft->escape, 1);
}


_Noreturn void cfi_fail(cfDraft* draft, const cfPart* part, const char* format, ...) {
  va_list args;
  va_start(args, format);
  beginMessage(draft, format, args);
  va_end(args);
  endMessage(draft, part);
}


// a similar name of that type, or the type of which there is one
static void appendSimilar(cfDraft* draft, mjtObj type, const char* name) {
  const bool is_known = type > mjOBJ_UNKNOWN && type < mjNOBJECT;
  const cfPartList* list = cfi_parts(draft, type == mjOBJ_XBODY || !is_known ? mjOBJ_BODY : type);
  cfNearest nearest = {"", 0};
  char hint[CF_WORD_MAX + 20];
  for (int i = 0; is_known && i < list->count; i++) {
    cfi_tryWord(&nearest, name, list->item[i]->name, strlen(list->item[i]->name));
  }
  appendMessage(draft, "%s", cfi_suggestion(nearest.text, hint));
  for (int other = 1; other < mjNOBJECT && !nearest.text[0]; other++) {
    if (cfi_findPart(draft, other, name)) {
      appendMessage(draft, "; there is a %s of that name", mju_type2Str(other));
      break;
    }
  }
}


_Noreturn void cfi_failUnknown(cfDraft* draft, const cfPart* part, mjtObj type, const char* name,
                               const char* format, ...) {
  va_list args;
  va_start(args, format);
  beginMessage(draft, format, args);
  va_end(args);
  appendSimilar(draft, type, name);
  endMessage(draft, part);
}


void cfi_guard(cfDraft* draft, cfElementPhase* phase, cfPart* part) {
  CF_ASSERT(phase && part);
  jmp_buf here;
  jmp_buf* const outer = draft->escape;
  draft->escape = &here;
  if (setjmp(here) == 0) {
    phase(draft, part);
  }
  draft->escape = outer;
  if (draft->nfailed >= MAX_FAILURES) {
    cfi_stopIfFailed(draft);
  }
}


void cfi_guardList(cfDraft* draft, cfElementPhase* phase, mjtObj type) {
  const cfPartList* list = cfi_parts(draft, type);
  for (int i = 0; i < list->count; i++) {
    cfi_guard(draft, phase, list->item[i]);
  }
  cfi_stopIfFailed(draft);
}


void cfi_stopIfFailed(cfDraft* draft) {
  if (draft->nfailed) {
    longjmp(*draft->escape, 1);
  }
}
