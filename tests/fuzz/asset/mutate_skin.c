// Mutations of height fields and skins that keep counts and arrays consistent with each other.
#include <stdbool.h>

#include "asset.h"
#include "roll.h"

//---------------------------------- height fields -------------------------------------------------

size_t cf_mutateHfield(uint8_t* data, size_t size, size_t max, unsigned seed) {
  cfDice dice = cf_newDice(seed);
  int sizes[2];
  if (size < sizeof(sizes)) {
    return 0;
  }
  memcpy(sizes, data, sizeof(sizes));
  size_t room = (max - sizeof(sizes)) / 4, count = (size - sizeof(sizes)) / 4;
  if (!cf_roll(&dice, 3)) {
    sizes[0] = (int)cf_roll(&dice, 9);
    sizes[1] = (int)cf_roll(&dice, 9);
  }
  size_t wanted = sizes[0] > 0 && sizes[1] > 0 ? (size_t)sizes[0] * (size_t)sizes[1] : count;
  wanted = wanted < room ? wanted : room;
  for (; count < wanted; count++) {
    memset(data + sizeof(sizes) + 4 * count, 0, 4);
  }
  for (unsigned k = 1 + cf_roll(&dice, 5); k > 0; k--) {
    cf_changeFloat(&dice, data + sizeof(sizes), wanted);
  }
  int* wrong = sizes + cf_roll(&dice, 2);
  *wrong = cf_roll(&dice, 32) ? *wrong : cf_edgeInt(&dice, *wrong);
  memcpy(data, sizes, sizeof(sizes));
  return sizeof(sizes) + 4 * wanted;
}


//---------------------------------- skins ---------------------------------------------------------

enum { BONES_MAX = 8, ITEMS_MAX = 64, NAME_BYTES = 40, VERT = 0, TEXCOORD, FACE };

typedef struct {
  char name[NAME_BYTES];
  float pose[7];
  int count;
  int vert[ITEMS_MAX];
  float weight[ITEMS_MAX];
} sknBone;

typedef struct {
  cfDice dice;
  int count[4];  // vertices, texture coordinates, triangles, bones
  uint32_t word[3][3 * ITEMS_MAX];
  sknBone bone[BONES_MAX];
} sknFile;

static const size_t width[3] = {3, 2, 3};


static bool take(const uint8_t** at, const uint8_t* end, void* to, size_t bytes) {
  if (bytes > (size_t)(end - *at)) {
    return false;
  }
  memcpy(to, *at, bytes);
  *at += bytes;
  return true;
}


static bool give(uint8_t** at, const uint8_t* end, const void* from, size_t bytes) {
  if (bytes > (size_t)(end - *at)) {
    return false;
  }
  memcpy(*at, from, bytes);
  *at += bytes;
  return true;
}


static bool unpackSkin(sknFile* f, const uint8_t* at, size_t size) {
  const uint8_t* end = at + size;
  if (!take(&at, end, f->count, sizeof(f->count))) {
    return false;
  }
  for (int k = 0; k < 4; k++) {
    if (f->count[k] < 0 || f->count[k] > (k < 3 ? ITEMS_MAX : BONES_MAX)) {
      return false;
    }
  }
  for (int k = 0; k < 3; k++) {
    if (!take(&at, end, f->word[k], 4 * width[k] * (size_t)f->count[k])) {
      return false;
    }
  }
  for (int k = 0; k < f->count[3]; k++) {
    sknBone* b = f->bone + k;
    if (!take(&at, end, b->name, NAME_BYTES) || !take(&at, end, b->pose, sizeof(b->pose)) ||
        !take(&at, end, &b->count, 4) || b->count < 0 || b->count > ITEMS_MAX ||
        !take(&at, end, b->vert, 4 * (size_t)b->count) ||
        !take(&at, end, b->weight, 4 * (size_t)b->count)) {
      return false;
    }
  }
  return true;
}


static size_t packSkin(const sknFile* f, uint8_t* data, size_t max) {
  uint8_t* at = data;
  const uint8_t* end = data + max;
  bool fits = give(&at, end, f->count, sizeof(f->count));
  for (int k = 0; k < 3; k++) {
    fits = fits && give(&at, end, f->word[k], 4 * width[k] * (size_t)f->count[k]);
  }
  for (int k = 0; k < f->count[3]; k++) {
    const sknBone* b = f->bone + k;
    fits = fits && give(&at, end, b->name, NAME_BYTES) &&
           give(&at, end, b->pose, sizeof(b->pose)) && give(&at, end, &b->count, 4) &&
           give(&at, end, b->vert, 4 * (size_t)b->count) &&
           give(&at, end, b->weight, 4 * (size_t)b->count);
  }
  return fits ? (size_t)(at - data) : 0;
}


// a new vertex hangs on the last bone, so that it is held
static void addVertex(sknFile* f) {
  if (f->count[VERT] < ITEMS_MAX && f->count[3]) {
    sknBone* b = f->bone + f->count[3] - 1;
    if (b->count < ITEMS_MAX) {
      b->vert[b->count] = f->count[VERT];
      b->weight[b->count++] = 0.5f;
    }
    f->count[VERT]++;
    f->count[TEXCOORD] += f->count[TEXCOORD] && f->count[TEXCOORD] < ITEMS_MAX;
  }
}


static void toggleTexture(sknFile* f) {
  f->count[TEXCOORD] = f->count[TEXCOORD] ? 0 : f->count[VERT];
}


static void changeFaces(sknFile* f) {
  f->count[FACE] += f->count[FACE] < ITEMS_MAX && cf_roll(&f->dice, 2);
  f->count[FACE] -= f->count[FACE] > 1 && !cf_roll(&f->dice, 4);
  uint32_t* index = f->word[FACE] + cf_roll(&f->dice, 3 * (size_t)f->count[FACE]);
  *index = cf_roll(&f->dice, 8) ? cf_roll(&f->dice, (size_t)f->count[VERT])
                                : (uint32_t)cf_edgeInt(&f->dice, 0);
}


static void changeNumbers(sknFile* f) {
  int k = (int)cf_roll(&f->dice, 2);
  cf_changeFloat(&f->dice, (uint8_t*)f->word[k], width[k] * (size_t)f->count[k]);
}


static void changeBone(sknFile* f) {
  if (!f->count[3]) {
    return;
  }
  sknBone* b = f->bone + cf_roll(&f->dice, (size_t)f->count[3]);
  switch (cf_roll(&f->dice, 5)) {
    case 0:
      cf_changeFloat(&f->dice, (uint8_t*)b->pose, 7);
      break;
    case 1:
      b->vert[cf_roll(&f->dice, ITEMS_MAX)] = cf_edgeInt(&f->dice, 0);
      break;
    case 2:
      strcpy(b->name, cf_roll(&f->dice, 3) ? "b" : "world");
      break;
    case 3:
      b->count = (int)cf_roll(&f->dice, ITEMS_MAX / 8);
      break;
    default:
      cf_changeFloat(&f->dice, (uint8_t*)b->weight, (size_t)b->count);
      break;
  }
}


static void addBone(sknFile* f) {
  if (f->count[3] && f->count[3] < BONES_MAX) {
    f->bone[f->count[3]] = f->bone[cf_roll(&f->dice, (size_t)f->count[3])];
    f->count[3]++;
  }
}


size_t cf_mutateSkn(uint8_t* data, size_t size, size_t max, unsigned seed) {
  static void (*const changes[])(sknFile*) = {addVertex,  toggleTexture, changeFaces, changeNumbers,
                                              changeBone, changeBone,    addBone};
  static sknFile f;
  memset(&f, 0, sizeof(f));
  f.dice = cf_newDice(seed);
  if (!unpackSkin(&f, data, size)) {
    return 0;
  }
  for (unsigned k = 1 + cf_roll(&f.dice, 5); k > 0; k--) {
    changes[cf_roll(&f.dice, sizeof(changes) / sizeof(changes[0]))](&f);
  }
  size_t length = packSkin(&f, data, max);
  if (length && !cf_roll(&f.dice, 32)) {
    int which = (int)cf_roll(&f.dice, 4), wrong = cf_edgeInt(&f.dice, f.count[which]);
    memcpy(data + 4 * (size_t)which, &wrong, sizeof(wrong));
  }
  return length;
}
