// Mutations of OBJ files, line by line: numbers and indices change, lines come, go and trade
// places.
#include <stdio.h>

#include "asset.h"
#include "roll.h"

enum { LINE_MAX = 200, LINES_MAX = 2048, TEXT_MAX = 1 << 16 };

typedef struct {
  cfDice dice;
  char text[TEXT_MAX];
  size_t size;
  size_t start[LINES_MAX + 1];  // of each line; the last one is the end
  size_t count;
} objFile;


static void splitLines(objFile* f) {
  f->count = 0;
  for (size_t k = 0; k < f->size && f->count < LINES_MAX; k++) {
    if (k == 0 || f->text[k - 1] == '\n') {
      f->start[f->count++] = k;
    }
  }
  f->start[f->count] = f->size;
}


// put text in the place of bytes [from, to)
static void replaceText(objFile* f, size_t from, size_t to, const char* text, size_t length) {
  if (f->size - (to - from) + length <= TEXT_MAX) {
    memmove(f->text + from + length, f->text + to, f->size - to);
    memmove(f->text + from, text, length);
    f->size += length - (to - from);
  }
}


static size_t writeNumber(cfDice* dice, char* to) {
  static const char* const odd[] = {"0",
                                    "-0",
                                    "1",
                                    "-1",
                                    ".5",
                                    "-.5",
                                    "1e38",
                                    "1e-38",
                                    "1e39",
                                    "1e999",
                                    "-1e999",
                                    "1e",
                                    "nan",
                                    "inf",
                                    "+1",
                                    "1.e2",
                                    ".",
                                    "-",
                                    "123456789012345678901234567890",
                                    "0.00000000000000000000000000001",
                                    "1e-400",
                                    "1e100001",
                                    "5e-324"};
  if (cf_roll(dice, 3)) {
    return (size_t)sprintf(to, "%d.%u", (int)cf_roll(dice, 7) - 3, cf_roll(dice, 1000));
  }
  return (size_t)sprintf(to, "%s", odd[cf_roll(dice, sizeof(odd) / sizeof(odd[0]))]);
}


static size_t writeIndex(cfDice* dice, char* to) {
  static const char* const odd[] = {
      "0", "-1", "-2",  "-100", "2147483647", "-2147483648", "2147483648", "99999999999999999999",
      "",  "x",  "1000"};
  if (cf_roll(dice, 12)) {
    return (size_t)sprintf(to, "%u", 1 + cf_roll(dice, 10));
  }
  return (size_t)sprintf(to, "%s", odd[cf_roll(dice, sizeof(odd) / sizeof(odd[0]))]);
}


// corner of a face in one of its four forms
static size_t writeCorner(cfDice* dice, char* to) {
  size_t n = writeIndex(dice, to);
  unsigned form = cf_roll(dice, 6);
  if (form < 3) {
    to[n++] = '/';
    n += form != 1 ? writeIndex(dice, to + n) : 0;
    if (form > 0) {
      to[n++] = '/';
      n += writeIndex(dice, to + n);
    }
  }
  return n;
}


static size_t writeLine(cfDice* dice, char* to) {
  static const char* const words[] = {"v", "v", "v", "vt", "vn", "f", "f", "f", "f", "l", "p"};
  static const char* const others[] = {"g\n",   "g a\n",    "o b\n", "o \n", "usemtl x\n",
                                       "s 1\n", "# text\n", "\n",    "\r",   "mtllib m\n"};
  if (!cf_roll(dice, 8)) {
    return (size_t)sprintf(to, "%s", others[cf_roll(dice, sizeof(others) / sizeof(others[0]))]);
  }
  const char* word = words[cf_roll(dice, sizeof(words) / sizeof(words[0]))];
  size_t n = (size_t)sprintf(to, "%s", word);
  unsigned count = word[0] == 'v' ? 3 : 3 + cf_roll(dice, cf_roll(dice, 4) ? 2 : 6);
  count -= cf_roll(dice, 16) ? 0 : 1;
  for (unsigned k = 0; k < count && n < LINE_MAX - 64; k++) {
    to[n++] = cf_roll(dice, 20) ? ' ' : '\t';
    n += word[0] == 'v' ? writeNumber(dice, to + n) : writeCorner(dice, to + n);
  }
  to[n++] = '\n';
  return n;
}


static void insertLine(objFile* f) {
  char line[LINE_MAX];
  size_t length = writeLine(&f->dice, line), at = f->start[cf_roll(&f->dice, f->count + 1)];
  replaceText(f, at, at, line, length);
}


static void dropLine(objFile* f) {
  size_t k = cf_roll(&f->dice, f->count);
  replaceText(f, f->start[k], f->start[k + 1], "", 0);
}


static void repeatLine(objFile* f) {
  size_t k = cf_roll(&f->dice, f->count), at = f->start[cf_roll(&f->dice, f->count + 1)];
  size_t length = f->start[k + 1] - f->start[k];
  char line[LINE_MAX];
  if (length <= LINE_MAX) {
    memcpy(line, f->text + f->start[k], length);
    replaceText(f, at, at, line, length);
  }
}


// another word in the place of one of a line's
static void changeWord(objFile* f) {
  size_t k = cf_roll(&f->dice, f->count), end = f->start[k + 1];
  size_t from = f->start[k] + cf_roll(&f->dice, end - f->start[k]);
  while (from > f->start[k] && f->text[from - 1] != ' ') {
    from--;
  }
  size_t to = from;
  while (to < end && f->text[to] != ' ' && f->text[to] != '\n') {
    to++;
  }
  char word[LINE_MAX];
  size_t length =
      f->text[f->start[k]] == 'v' ? writeNumber(&f->dice, word) : writeCorner(&f->dice, word);
  replaceText(f, from, to, word, length);
}


size_t cf_mutateObj(uint8_t* data, size_t size, size_t max, unsigned seed) {
  static void (*const changes[])(objFile*) = {insertLine, insertLine, dropLine,  repeatLine,
                                              changeWord, changeWord, changeWord};
  static objFile f;
  if (size > TEXT_MAX || size == 0) {
    return 0;
  }
  f.dice = cf_newDice(seed);
  memcpy(f.text, data, size);
  f.size = size;
  for (unsigned k = 1 + cf_roll(&f.dice, 5); k > 0; k--) {
    splitLines(&f);
    if (f.count) {
      changes[cf_roll(&f.dice, sizeof(changes) / sizeof(changes[0]))](&f);
    }
  }
  size_t length = f.size < max ? f.size : max;
  memcpy(data, f.text, length);
  return length;
}
