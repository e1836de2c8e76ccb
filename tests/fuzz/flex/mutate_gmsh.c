// Mutations of GMSH files: words of text files are changed, lines come, go and change places, and
// numbers of binary files, of four and eight bytes, go to their edges.
#include "gmsh.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "roll.h"

enum { FILE_MAX = 1 << 14 };

typedef struct {
  cfDice dice;
  uint8_t byte[FILE_MAX];
  size_t size, max;
} gmshBytes;


static void replaceBytes(gmshBytes* g, size_t from, size_t to, const void* bytes, size_t length) {
  if (from <= to && to <= g->size && g->size - (to - from) + length <= g->max) {
    memmove(g->byte + from + length, g->byte + to, g->size - to);
    memcpy(g->byte + from, bytes, length);
    g->size += length - (to - from);
  }
}


// is a byte part of a word, or of a line
static bool isInside(uint8_t c, bool is_line) {
  return c != '\n' && (is_line || (c != ' ' && c != '\r' && c != '\t'));
}


// a word or a line, around or behind a random place
static void pickPiece(gmshBytes* g, bool is_line, size_t* from, size_t* to) {
  size_t at = cf_roll(&g->dice, g->size + 1);
  while (at < g->size && !isInside(g->byte[at], is_line)) {
    at++;
  }
  *from = *to = at;
  while (*from > 0 && isInside(g->byte[*from - 1], is_line)) {
    --*from;
  }
  while (*to < g->size && isInside(g->byte[*to], is_line)) {
    ++*to;
  }
}


static void changeWord(gmshBytes* g) {
  static const char* const odd[] = {
      "nan",        "1e300",  "-1",        "0.1",    "",     "18446744073709551615",
      "2147483648", "$Nodes", "4.1",       "2.2",    "1 2",  "500000000",
      "0x2",        "-0",     "$EndNodes", "1e-300", "$End", "0 0 0 ",
      "9999999"};
  char word[40];
  size_t from, to;
  pickPiece(g, false, &from, &to);
  if (cf_roll(&g->dice, 3)) {
    snprintf(word, sizeof(word), cf_roll(&g->dice, 3) ? "%u" : "0.%u", cf_roll(&g->dice, 12));
  } else {
    snprintf(word, sizeof(word), "%s", odd[cf_roll(&g->dice, sizeof(odd) / sizeof(odd[0]))]);
  }
  replaceBytes(g, from, to, word, strlen(word));
}


static void dropLine(gmshBytes* g) {
  size_t from, to;
  pickPiece(g, true, &from, &to);
  replaceBytes(g, from, to + (to < g->size), "", 0);
}


static void copyLine(gmshBytes* g) {
  uint8_t line[200];
  size_t from, to, at, unused;
  pickPiece(g, true, &from, &to);
  const size_t length = to - from;
  if (length < sizeof(line)) {
    memcpy(line, g->byte + from, length);
    line[length] = '\n';
    pickPiece(g, true, &at, &unused);
    replaceBytes(g, at, at, line, length + 1);
  }
}


// an integer or a real, anywhere: most files that hold numbers as they are have them unaligned
static void changeBytes(gmshBytes* g) {
  if (g->size < 8) {
    return;
  }
  uint8_t* at = g->byte + cf_roll(&g->dice, g->size - 7);
  int32_t narrow;
  memcpy(&narrow, at, sizeof(narrow));
  const int64_t wide = narrow = cf_edgeInt(&g->dice, narrow);
  const double real = (double)cf_edgeFloat(&g->dice, (float)narrow);
  switch (cf_roll(&g->dice, 3)) {
    case 0:
      memcpy(at, &narrow, sizeof(narrow));
      break;
    case 1:
      memcpy(at, &wide, sizeof(wide));
      break;
    default:
      memcpy(at, &real, sizeof(real));
  }
}


size_t cf_mutateGmsh(uint8_t* data, size_t size, size_t max, unsigned seed) {
  static void (*const changes[])(gmshBytes*) = {changeWord, changeWord,  changeWord, dropLine,
                                                copyLine,   changeBytes, changeBytes};
  static gmshBytes g;
  if (size > FILE_MAX) {
    return size;
  }
  g.dice = cf_newDice(seed);
  g.size = size;
  g.max = max < FILE_MAX ? max : FILE_MAX;
  memcpy(g.byte, data, size);
  for (unsigned k = 1 + cf_roll(&g.dice, 3); k > 0; k--) {
    changes[cf_roll(&g.dice, sizeof(changes) / sizeof(changes[0]))](&g);
  }
  memcpy(data, g.byte, g.size);
  return g.size;
}
