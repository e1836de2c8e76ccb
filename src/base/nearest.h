// Suggestions for misspelled words.
#ifndef CF_BASE_NEAREST_H
#define CF_BASE_NEAREST_H

#include <stddef.h>

enum { CF_WORD_MAX = 64 };

// the most similar word so far; all zero before the first candidate
typedef struct {
  char text[CF_WORD_MAX];  // "" while none is close
  int distance;            // edits from the misspelled word
} cfNearest;

// keep the candidate, `length` bytes, if it is closer to `word` than what was kept before
void cfi_tryWord(cfNearest* nearest, const char* word, const char* candidate, size_t length);

// the word of a blank-separated list that is most like the given one, "" if none is close
const char* cfi_nearestWord(const char* list, const char* word, char text[CF_WORD_MAX]);

// "; did you mean 'TEXT'?", or "" for an empty text
const char* cfi_suggestion(const char* nearest, char hint[CF_WORD_MAX + 20]);

#endif  // CF_BASE_NEAREST_H
