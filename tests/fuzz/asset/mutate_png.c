// Mutations of PNG files, chunk by chunk: checksums are made anew, image data is packed anew.
#include <stdbool.h>
#include <stdlib.h>

#include <zlib.h>

#include "asset.h"
#include "roll.h"

enum { SIGNATURE = 8, FRAME = 12, CHUNKS_MAX = 64, CHUNK_BYTES = 4096, HEADER_BYTES = 13 };

typedef struct {
  uint8_t type[4];
  size_t size;
  uint8_t data[CHUNK_BYTES];
} pngChunk;

typedef struct {
  cfDice dice;
  pngChunk chunk[CHUNKS_MAX];
  int count;
} pngFile;


static uint32_t readBig(const uint8_t* p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}


static void writeBig(uint8_t* p, uint32_t value) {
  for (int k = 0; k < 4; k++) {
    p[k] = (uint8_t)(value >> (24 - 8 * k));
  }
}


//---------------------------------- file and chunks -----------------------------------------------

static void splitChunks(pngFile* f, const uint8_t* data, size_t size) {
  f->count = 0;
  for (size_t at = SIGNATURE; at + FRAME <= size && f->count < CHUNKS_MAX;) {
    size_t length = readBig(data + at);
    if (length > CHUNK_BYTES || length > size - at - FRAME) {
      return;
    }
    pngChunk* c = f->chunk + f->count++;
    memcpy(c->type, data + at + 4, 4);
    memcpy(c->data, data + at + 8, length);
    c->size = length;
    at += FRAME + length;
  }
}


// the file again; what does not fit is left out
static size_t joinChunks(const pngFile* f, uint8_t* data, size_t max) {
  static const uint8_t signature[SIGNATURE] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  size_t at = SIGNATURE;
  memcpy(data, signature, SIGNATURE);
  for (int k = 0; k < f->count; k++) {
    const pngChunk* c = f->chunk + k;
    if (at + FRAME + c->size > max) {
      break;
    }
    writeBig(data + at, (uint32_t)c->size);
    memcpy(data + at + 4, c->type, 4);
    memcpy(data + at + 8, c->data, c->size);
    writeBig(data + at + 8 + c->size,
             (uint32_t)crc32(crc32(0, c->type, 4), c->data, (uInt)c->size));
    at += FRAME + c->size;
  }
  return at;
}


static pngChunk* someChunk(pngFile* f) {
  return f->chunk + cf_roll(&f->dice, (size_t)f->count);
}


static pngChunk* findChunk(pngFile* f, const char* type) {
  for (int k = 0; k < f->count; k++) {
    if (!memcmp(f->chunk[k].type, type, 4)) {
      return f->chunk + k;
    }
  }
  return NULL;
}


// an empty chunk in front of number k
static pngChunk* insertChunk(pngFile* f, int k, const char* type) {
  if (f->count == CHUNKS_MAX) {
    return NULL;
  }
  memmove(f->chunk + k + 1, f->chunk + k, (size_t)(f->count - k) * sizeof(pngChunk));
  f->count++;
  memcpy(f->chunk[k].type, type, 4);
  f->chunk[k].size = 0;
  return f->chunk + k;
}


static void fillChunk(pngFile* f, pngChunk* c, size_t size) {
  c->size = size;
  for (size_t k = 0; k < size; k++) {
    c->data[k] = (uint8_t)cf_roll(&f->dice, 256);
  }
}


//---------------------------------- changes -------------------------------------------------------

static void addKnownChunk(pngFile* f) {
  static const struct {
    const char* type;
    size_t size;
  } known[] = {{"PLTE", 3},  {"PLTE", 48}, {"PLTE", 768}, {"tRNS", 1},  {"tRNS", 2}, {"tRNS", 6},
               {"tRNS", 16}, {"sRGB", 1},  {"gAMA", 4},   {"cHRM", 32}, {"bKGD", 1}, {"bKGD", 6},
               {"sBIT", 3},  {"sBIT", 4},  {"hIST", 32},  {"pHYs", 9},  {"tIME", 7}, {"tEXt", 9},
               {"iCCP", 40}, {"IDAT", 0},  {"IEND", 0},   {"sPLT", 20}, {"oFFs", 9}, {"iTXt", 12},
               {"abCD", 5},  {"ABCD", 0},  {"zTXt", 12}};
  size_t pick = cf_roll(&f->dice, sizeof(known) / sizeof(known[0]));
  pngChunk* c = insertChunk(f, (int)cf_roll(&f->dice, (size_t)f->count + 1), known[pick].type);
  if (c) {
    fillChunk(f, c, known[pick].size + (cf_roll(&f->dice, 8) ? 0 : cf_roll(&f->dice, 5)));
    if (c->size && cf_roll(&f->dice, 2)) {
      c->data[0] %= 5;
    }
  }
}


static void dropChunk(pngFile* f) {
  pngChunk* c = someChunk(f);
  memmove(c, c + 1, (size_t)(f->chunk + f->count - c - 1) * sizeof(pngChunk));
  f->count--;
}


static void swapChunks(pngFile* f) {
  static pngChunk keep;
  pngChunk *a = someChunk(f), *b = someChunk(f);
  keep = *a;
  memmove(a, b, sizeof(pngChunk));
  *b = keep;
}


static void repeatChunk(pngFile* f) {
  static pngChunk keep;
  keep = *someChunk(f);
  pngChunk* c = insertChunk(f, (int)cf_roll(&f->dice, (size_t)f->count + 1), "IDAT");
  if (c) {
    *c = keep;
  }
}


static void changeBytes(pngFile* f) {
  pngChunk* c = someChunk(f);
  c->size = c->size ? LLVMFuzzerMutate(c->data, c->size, CHUNK_BYTES) : c->size;
}


// size, depth, color type, interlace
static void changeHeader(pngFile* f) {
  static const uint8_t depths[] = {1, 2, 4, 8, 16, 3, 0}, colors[] = {0, 2, 3, 4, 6, 1, 7};
  pngChunk* c = findChunk(f, "IHDR");
  if (!c || c->size < HEADER_BYTES) {
    return;
  }
  switch (cf_roll(&f->dice, 5)) {
    case 0:
    case 1: {
      uint8_t* side = c->data + 4 * cf_roll(&f->dice, 2);
      writeBig(side, (uint32_t)cf_edgeInt(&f->dice, (int)readBig(side)));
      break;
    }
    case 2:
      c->data[8] = depths[cf_roll(&f->dice, sizeof(depths))];
      break;
    case 3:
      c->data[9] = colors[cf_roll(&f->dice, sizeof(colors))];
      break;
    default:
      c->data[12] = (uint8_t)cf_roll(&f->dice, 3);
      break;
  }
}


// bytes of the rows of an image, filter bytes included; interlaced ones have a little more, so that
// room is added
static size_t rowBytes(const uint8_t* header) {
  static const size_t channels[] = {1, 0, 3, 1, 2, 0, 4, 0};
  size_t width = readBig(header), height = readBig(header + 4);
  if (width > 256 || height > 256) {
    return 0;
  }
  size_t bytes = height * ((width * header[8] * channels[header[9] & 7] + 7) / 8 + 1);
  return header[12] ? 2 * bytes + 8 * height : bytes;
}


// image data that fits the header: packed rows of noise, or of few values, in one chunk or two
static void packImage(pngFile* f) {
  static uint8_t rows[1 << 18];
  pngChunk* header = findChunk(f, "IHDR");
  pngChunk* image = findChunk(f, "IDAT");
  size_t size = header && header->size >= HEADER_BYTES ? rowBytes(header->data) : 0;
  if (!image || !size || size > sizeof(rows)) {
    return;
  }
  unsigned values = cf_roll(&f->dice, 3) ? 5 : 256;
  for (size_t k = 0; k < size; k++) {
    rows[k] = (uint8_t)cf_roll(&f->dice, values);
  }
  uLongf packed = CHUNK_BYTES;
  if (compress2(image->data, &packed, rows, (uLong)size, (int)cf_roll(&f->dice, 10)) != Z_OK) {
    return;
  }
  image->size = packed;
  if (packed > 4 && !cf_roll(&f->dice, 4)) {
    size_t cut = cf_roll(&f->dice, packed);
    pngChunk* rest = insertChunk(f, (int)(image - f->chunk) + 1, "IDAT");
    if (rest) {
      memcpy(rest->data, image->data + cut, packed - cut);
      rest->size = packed - cut;
      image->size = cut;
    }
  }
}


size_t cf_mutatePng(uint8_t* data, size_t size, size_t max, unsigned seed) {
  static void (*const changes[])(pngFile*) = {addKnownChunk, dropChunk,    swapChunks,  repeatChunk,
                                              changeBytes,   changeHeader, changeHeader};
  static pngFile f;
  f.dice = cf_newDice(seed);
  splitChunks(&f, data, size);
  if (!f.count || max < SIGNATURE) {
    return 0;
  }
  for (unsigned k = 1 + cf_roll(&f.dice, 3); k > 0 && f.count; k--) {
    changes[cf_roll(&f.dice, sizeof(changes) / sizeof(changes[0]))](&f);
  }
  if (cf_roll(&f.dice, 2)) {
    packImage(&f);
  }
  return joinChunks(&f, data, max);
}
