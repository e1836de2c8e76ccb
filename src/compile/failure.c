// How a compilation ends early: messages that name the element and where it was written.
//
// A failing element does not keep its neighbors from being checked: messages gather, the first one
// first, until the phase is over.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "compile/draft.h"

enum { MAX_FAILURES = 10 };  // more messages help nobody

// add formatted text at the end of the message, cut where the room ends
__attribute__((format(printf, 2, 3))) static void appendMessage(cfDraft* draft, const char* format,
                                                                ...) {
  const size_t used = strlen(draft->message);
  va_list args;
  va_start(args, format);
  vsnprintf(draft->message + used, sizeof(draft->message) - used, format, args);
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


// which element, and its place in the text
static void appendOrigin(cfDraft* draft, const cfPart* part) {
  appendMessage(draft, "\nElement name '%s', id %d", part->name, part->id);
  const cfElement* origin = part->origin;
  if (!origin) {
    return;
  }
  if (!cfi_isEmptyString(&origin->info)) {
    appendMessage(draft, ", %s", cfi_text(&origin->info));
  } else if (origin->source.line > 0) {
    appendMessage(draft, ", line %d", origin->source.line);
  }
  if (origin->source.line > 0) {
    appendSource(draft, origin);
  }
}


_Noreturn void cfi_fail(cfDraft* draft, const cfPart* part, const char* format, ...) {
  appendMessage(draft, draft->nfailed++ ? "\nError: " : "Error: ");
  const size_t used = strlen(draft->message);
  va_list args;
  va_start(args, format);
  vsnprintf(draft->message + used, sizeof(draft->message) - used, format, args);
  va_end(args);
  if (part) {
    appendOrigin(draft, part);
  }
  longjmp(*draft->escape, 1);
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
