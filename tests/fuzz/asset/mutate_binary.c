// Mutations of binary mesh files, STL and MSH, that keep counts and arrays consistent with each
// other.
#include <stdbool.h>
#include <stdlib.h>

#include "asset.h"
#include "roll.h"

//---------------------------------- STL -----------------------------------------------------------

enum { STL_HEAD = 84, STL_TRIANGLE = 50, STL_CORNERS = 12, STL_CORNER = 12 };

typedef struct {
  cfDice dice;
  uint8_t* triangle;
  size_t count, room;
} stlFile;


static uint8_t* someTriangle(stlFile* f) {
  return f->triangle + STL_TRIANGLE * (size_t)cf_roll(&f->dice, f->count);
}


static uint8_t* someCorner(stlFile* f) {
  return someTriangle(f) + STL_CORNERS + STL_CORNER * cf_roll(&f->dice, 3);
}


static void addTriangle(stlFile* f) {
  if (f->count < f->room) {
    memmove(f->triangle + STL_TRIANGLE * f->count, someTriangle(f), STL_TRIANGLE);
    f->count++;
  }
}


static void dropTriangle(stlFile* f) {
  if (f->count > 1) {
    uint8_t* last = f->triangle + STL_TRIANGLE * --f->count;
    memmove(someTriangle(f), last, STL_TRIANGLE);
  }
}


// a corner moves to where another one is
static void joinCorners(stlFile* f) {
  memmove(someCorner(f), someCorner(f), STL_CORNER);
}


static void turnTriangle(stlFile* f) {
  uint8_t* first = someTriangle(f) + STL_CORNERS;
  uint8_t keep[STL_CORNER];
  memcpy(keep, first, STL_CORNER);
  memcpy(first, first + STL_CORNER, STL_CORNER);
  memcpy(first + STL_CORNER, keep, STL_CORNER);
}


static void moveCorner(stlFile* f) {
  cf_changeFloat(&f->dice, someCorner(f), 3);
}


size_t cf_mutateStl(uint8_t* data, size_t size, size_t max, unsigned seed) {
  static void (*const changes[])(stlFile*) = {addTriangle, dropTriangle, joinCorners, turnTriangle,
                                              moveCorner,  moveCorner,   moveCorner};
  if (size < STL_HEAD + STL_TRIANGLE) {
    return 0;
  }
  stlFile f = {cf_newDice(seed), data + STL_HEAD, (size - STL_HEAD) / STL_TRIANGLE,
               (max - STL_HEAD) / STL_TRIANGLE};
  for (unsigned k = 1 + cf_roll(&f.dice, 5); k > 0; k--) {
    changes[cf_roll(&f.dice, sizeof(changes) / sizeof(changes[0]))](&f);
  }
  int count = (int)f.count;
  count = cf_roll(&f.dice, 32) ? count : cf_edgeInt(&f.dice, count);
  memcpy(data + STL_HEAD - sizeof(count), &count, sizeof(count));
  return STL_HEAD + STL_TRIANGLE * f.count;
}


//---------------------------------- MSH -----------------------------------------------------------

enum { MSH_WORDS = 4096, VERT = 0, NORMAL, TEXCOORD, FACE };

// the four arrays, apart from each other; numbers of four bytes
typedef struct {
  cfDice dice;
  int count[4];
  uint32_t word[4][MSH_WORDS];
} mshFile;

static const int width[4] = {3, 3, 2, 3};


static bool unpackMsh(mshFile* f, const uint8_t* data, size_t size) {
  if (size < sizeof(f->count)) {
    return false;
  }
  memcpy(f->count, data, sizeof(f->count));
  size_t at = sizeof(f->count);
  for (int k = 0; k < 4; k++) {
    if (f->count[k] < 0 || f->count[k] > MSH_WORDS / 4) {
      return false;
    }
    size_t bytes = 4 * (size_t)(width[k] * f->count[k]);
    if (bytes > size - at) {
      return false;
    }
    memcpy(f->word[k], data + at, bytes);
    at += bytes;
  }
  return true;
}


static size_t packMsh(const mshFile* f, uint8_t* data, size_t max) {
  size_t at = sizeof(f->count);
  for (int k = 0; k < 4; k++) {
    size_t bytes = 4 * (size_t)(width[k] * f->count[k]);
    if (bytes > max - at) {
      return 0;
    }
    memcpy(data + at, f->word[k], bytes);
    at += bytes;
  }
  memcpy(data, f->count, sizeof(f->count));
  return at;
}


// one more or one less of an array; normals and texture coordinates follow the vertices, or are
// dropped
static void resizeMsh(mshFile* f, int k, int by) {
  int count = f->count[k] + by;
  if (count < 0 || count > MSH_WORDS / 4) {
    return;
  }
  if (by > 0 && f->count[k]) {
    size_t from = (size_t)width[k] * cf_roll(&f->dice, (size_t)f->count[k]);
    memcpy(f->word[k] + width[k] * f->count[k], f->word[k] + from, 4 * (size_t)width[k]);
  }
  f->count[k] = count;
}


static void resizeVertices(mshFile* f) {
  int by = cf_roll(&f->dice, 2) ? 1 : -1;
  resizeMsh(f, VERT, by);
  for (int k = NORMAL; k <= TEXCOORD; k++) {
    if (f->count[k]) {
      resizeMsh(f, k, f->count[VERT] - f->count[k] ? by : 0);
    }
  }
}


static void toggleMsh(mshFile* f) {
  int k = cf_roll(&f->dice, 2) ? NORMAL : TEXCOORD;
  f->count[k] = f->count[k] ? 0 : f->count[VERT];
}


static void resizeFaces(mshFile* f) {
  resizeMsh(f, FACE, cf_roll(&f->dice, 3) ? 1 : -1);
}


static void changeIndex(mshFile* f) {
  if (f->count[FACE]) {
    uint32_t* index = f->word[FACE] + cf_roll(&f->dice, 3 * (size_t)f->count[FACE]);
    *index = cf_roll(&f->dice, 8) ? cf_roll(&f->dice, (size_t)f->count[VERT])
                                  : (uint32_t)cf_edgeInt(&f->dice, (int)*index);
  }
}


static void changeNumber(mshFile* f) {
  int k = (int)cf_roll(&f->dice, 5);
  k = k > TEXCOORD ? VERT : k;
  cf_changeFloat(&f->dice, (uint8_t*)f->word[k], (size_t)(width[k] * f->count[k]));
}


size_t cf_mutateMsh(uint8_t* data, size_t size, size_t max, unsigned seed) {
  static void (*const changes[])(mshFile*) = {
      resizeVertices, toggleMsh, resizeFaces, changeIndex, changeIndex, changeNumber, changeNumber};
  static mshFile f;
  memset(&f, 0, sizeof(f));
  f.dice = cf_newDice(seed);
  if (!unpackMsh(&f, data, size)) {
    return 0;
  }
  for (unsigned k = 1 + cf_roll(&f.dice, 5); k > 0; k--) {
    changes[cf_roll(&f.dice, sizeof(changes) / sizeof(changes[0]))](&f);
  }
  size_t length = packMsh(&f, data, max);
  if (length && !cf_roll(&f.dice, 32)) {
    int which = (int)cf_roll(&f.dice, 4), wrong = cf_edgeInt(&f.dice, f.count[which]);
    memcpy(data + sizeof(int) * (size_t)which, &wrong, sizeof(wrong));
  }
  return length;
}
