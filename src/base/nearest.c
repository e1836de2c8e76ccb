// Suggestions for misspelled words: the candidate with the fewest edits.
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"

// number of edits from a to b (insert, delete, replace, swap neighbors), counted up to short words
static int editDistance(const char* a, size_t na, const char* b, size_t nb) {
  CF_ASSERT(a && b);
  enum { MAX = 40 };
  int row[3][MAX + 1];
  if (na > MAX || nb > MAX) {
    return MAX;
  }
  for (size_t j = 0; j <= nb; j++) {
    row[0][j] = (int)j;
  }
  for (size_t i = 1; i <= na; i++) {
    int *current = row[i % 3], *above = row[(i + 2) % 3], *above2 = row[(i + 1) % 3];
    current[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      int best = above[j - 1] + (a[i - 1] != b[j - 1]);
      best = above[j] + 1 < best ? above[j] + 1 : best;
      best = current[j - 1] + 1 < best ? current[j - 1] + 1 : best;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          above2[j - 2] + 1 < best) {
        best = above2[j - 2] + 1;
      }
      current[j] = best;
    }
  }
  return row[na % 3][nb];
}


void cfi_tryWord(cfNearest* nearest, const char* word, const char* candidate, size_t length) {
  CF_ASSERT(nearest && word && candidate);
  const size_t given = strlen(word);
  const int limit = nearest->text[0] ? nearest->distance : given < 4 ? 2 : 3;
  if (length == 0 || length >= CF_WORD_MAX) {
    return;
  }
  const int distance = editDistance(candidate, length, word, given);
  if (distance < limit && distance < (int)(length > given ? length : given)) {
    nearest->distance = distance;
    memcpy(nearest->text, candidate, length);
    nearest->text[length] = 0;
  }
}


const char* cfi_nearestWord(const char* list, const char* word, char text[CF_WORD_MAX]) {
  CF_ASSERT(list && word);
  cfNearest nearest = {"", 0};
  for (const char* p = list; *p; p += strspn(p, " ")) {
    const size_t length = strcspn(p, " ");
    cfi_tryWord(&nearest, word, p, length);
    p += length;
  }
  memcpy(text, nearest.text, CF_WORD_MAX);
  return text;
}


const char* cfi_suggestion(const char* nearest, char hint[CF_WORD_MAX + 20]) {
  hint[0] = 0;
  if (nearest[0]) {
    snprintf(hint, CF_WORD_MAX + 20, "; did you mean '%s'?", nearest);
  }
  return hint;
}
