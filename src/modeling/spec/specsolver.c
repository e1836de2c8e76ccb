#include "spec/specsolver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

static const char solver_blanks[] = " \t\r\n";


// a part of a word; what is too long ends in dots, so that it is neither a name nor a number
static void copyWordPart(char part[CF_SOLVER_WORD], const char* text, size_t length) {
  const bool is_long = length >= CF_SOLVER_WORD;
  snprintf(part, CF_SOLVER_WORD, "%.*s%s", (int)(is_long ? CF_SOLVER_WORD - 4 : length), text,
           is_long ? "..." : "");
}


void cfi_fillSolverWord(cfSolverWord* word, const char* solver, const char* parameter,
                        const char* value) {
  const char* start = value + strspn(value, solver_blanks);
  size_t length = strlen(start);
  while (length && strchr(solver_blanks, start[length - 1])) {
    length--;
  }
  copyWordPart(word->solver, solver, strlen(solver));
  copyWordPart(word->parameter, parameter, strlen(parameter));
  copyWordPart(word->value, start, length);
}


bool cfi_nextSolverWord(const char** text, const char* solver, cfSolverWord* word) {
  CF_ASSERT(text && *text);
  const char* start = *text + strspn(*text, solver_blanks);
  const size_t length = strcspn(start, solver_blanks);
  *text = start + length;
  if (length == 0) {
    return false;
  }
  const size_t head = strcspn(start, ":="), name_end = strcspn(start, "=");
  const bool has_solver = head < length && start[head] == ':';
  const size_t from = has_solver ? head + 1 : 0, end = name_end < length ? name_end : length;
  const size_t value = end < length ? end + 1 : length;
  copyWordPart(word->solver, has_solver ? start : solver, has_solver ? head : strlen(solver));
  copyWordPart(word->parameter, start + from, end > from ? end - from : 0);
  copyWordPart(word->value, start + value, length - value);
  return true;
}


bool cfi_hasSolverWord(const cfString* text, const char* solver, const char* parameter) {
  const char* at = cfi_text(text);
  for (cfSolverWord word; cfi_nextSolverWord(&at, "", &word);) {
    if (strcmp(word.solver, solver) == 0 && strcmp(word.parameter, parameter) == 0) {
      return true;
    }
  }
  return false;
}


void cfi_setSolverWord(cfString* text, const cfSolverWord* word) {
  const size_t room = strlen(cfi_text(text)) + 3 * CF_SOLVER_WORD + 4;
  char* next = malloc(room);
  if (!next) {
    mju_error("no memory for parameters of a contact solver");
    return;
  }
  size_t used = 0;
  const char* at = cfi_text(text);
  next[0] = 0;
  for (cfSolverWord old; cfi_nextSolverWord(&at, "", &old);) {
    if (strcmp(old.solver, word->solver) != 0 || strcmp(old.parameter, word->parameter) != 0) {
      used += (size_t)snprintf(next + used, room - used, "%s:%s=%s ", old.solver, old.parameter,
                               old.value);
    }
  }
  snprintf(next + used, room - used, "%s:%s=%s", word->solver, word->parameter, word->value);
  cfi_assignString(text, next);
  free(next);
}
