// How a compilation ends early: one message that names the element and where it was written.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compile/draft.h"

// add formatted text at the end of the message, cut where the room ends
__attribute__((format(printf, 2, 3))) static void appendMessage(cfDraft* draft, const char* format, ...) {
  size_t used = strlen(draft->message);
  va_list args;
  va_start(args, format);
  vsnprintf(draft->message + used, sizeof(draft->message) - used, format, args);
  va_end(args);
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
}


_Noreturn void cfi_fail(cfDraft* draft, const cfPart* part, const char* format, ...) {
  snprintf(draft->message, sizeof(draft->message), "Error: ");
  size_t used = strlen(draft->message);
  va_list args;
  va_start(args, format);
  vsnprintf(draft->message + used, sizeof(draft->message) - used, format, args);
  va_end(args);
  if (part) {
    appendOrigin(draft, part);
  }
  longjmp(draft->escape, 1);
}
