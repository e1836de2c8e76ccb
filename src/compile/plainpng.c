// The common kind of PNG image in one go: 8 bits per channel, no palette, not interlaced.
//
// Everything else, and every file with something wrong in it, is left to libpng (png.c), whose
// verdict counts.
#include "compile/png.h"

#include <stdint.h>
#include <stdlib.h>

#include <zlib.h>

#include "base/assert.h"
#include "compile/inflate.h"

// what is needed of a file
typedef struct {
  int width, height, channels;
  bool has_transparency, is_srgb;
  const unsigned char* packed;  // image data, of all chunks together
  size_t npacked;
} plainPng;

typedef struct {
  const unsigned char *type, *data;
  size_t length;
} pngChunk;


//---------------------------------- chunks --------------------------------------------------------

static uint32_t bigEndian(const unsigned char* b) {
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}


static bool isChunk(pngChunk chunk, const char* type) {
  return !memcmp(chunk.type, type, 4);
}


// is a chunk type made of letters
static bool isNamed(const unsigned char type[4]) {
  for (int k = 0; k < 4; k++) {
    const unsigned char lower = type[k] | 32;
    if (lower < 'a' || lower > 'z') {
      return false;
    }
  }
  return true;
}


// the next chunk; false where there is none, its type is none or its checksum is wrong
static bool nextChunk(cfCursor* cursor, pngChunk* chunk) {
  enum { FRAME = 12 };
  if (cursor->left < FRAME) {
    return false;
  }
  const size_t length = bigEndian(cursor->at);
  if (length > cursor->left - FRAME) {
    return false;
  }
  *chunk = (pngChunk){cursor->at + 4, cursor->at + 8, length};
  cursor->at += length + FRAME;
  cursor->left -= length + FRAME;
  return isNamed(chunk->type) &&
         crc32(0, chunk->type, (uInt)(length + 4)) == bigEndian(chunk->data + length);
}


static bool readHeaderChunk(pngChunk chunk, plainPng* png) {
  static const int channels[] = {1, 0, 3, 0, 2, 0, 4};  // by color type
  enum { MAX_SIDE = 1 << 16, MAX_PIXELS = 1 << 28 };
  const unsigned char* d = chunk.data;
  if (!isChunk(chunk, "IHDR") || chunk.length != 13 || d[8] != 8 || d[9] > 6 || d[10] || d[11] ||
      d[12]) {
    return false;
  }
  const uint64_t width = bigEndian(d), height = bigEndian(d + 4);
  if (!width || !height || width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) {
    return false;
  }
  png->width = (int)width;
  png->height = (int)height;
  png->channels = channels[d[9]];
  return png->channels > 0;
}


// another piece of image data; all but the first are put behind each other in fresh memory
static bool addPacked(cfFileReader* reader, plainPng* png, pngChunk chunk) {
  if (!png->packed) {
    png->packed = chunk.data;
    png->npacked = chunk.length;
    return true;
  }
  const unsigned char* file = reader->file.data;
  const bool is_in_file = png->packed >= file && png->packed < file + reader->file.size;
  unsigned char* all = (unsigned char*)(uintptr_t)png->packed;
  if (is_in_file) {
    all = (unsigned char*)cfi_poolScratch(reader->pool, reader->file.size, 0);
    memcpy(all, png->packed, png->npacked);
  }
  memcpy(all + png->npacked, chunk.data, chunk.length);
  png->packed = all;
  png->npacked += chunk.length;
  return true;
}


// all chunks up to the end mark; false at anything unusual
static bool readChunks(cfFileReader* reader, plainPng* png) {
  static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  cfCursor cursor = {reader->file.data, reader->file.size};
  pngChunk chunk;
  if (cursor.left < 8 || memcmp(cursor.at, signature, 8) != 0) {
    return false;
  }
  cursor.at += 8;
  cursor.left -= 8;
  if (!nextChunk(&cursor, &chunk) || !readHeaderChunk(chunk, png)) {
    return false;
  }
  bool is_behind = false;  // data is over
  while (nextChunk(&cursor, &chunk)) {
    const bool is_data = isChunk(chunk, "IDAT"), is_optional = chunk.type[0] & 32;
    if (isChunk(chunk, "IEND")) {
      return png->packed != NULL;
    }
    if (is_data ? is_behind || !addPacked(reader, png, chunk) : !is_optional) {
      return false;
    }
    is_behind = png->packed && !is_data;
    png->has_transparency |= isChunk(chunk, "tRNS");
    png->is_srgb |= isChunk(chunk, "sRGB");
  }
  return false;
}


//---------------------------------- filters -------------------------------------------------------

// predictor of Paeth: the one of left, above, and left above that is closest to left + above - left
// above
static inline int closest(int left, int above, int corner) {
  const int to_left = abs(above - corner), to_above = abs(left - corner),
            to_corner = abs(left + above - 2 * corner);
  const int best = to_above <= to_corner ? above : corner;
  return to_left <= to_above && to_left <= to_corner ? left : best;
}


// a row that was written as differences; `above` is the finished row before, zeros for the first.
// channels is a constant where this is called, so that the loops over it vanish
static inline void addLeft(unsigned char* to, const unsigned char* from, size_t count,
                           size_t channels) {
  memcpy(to, from, channels);
  for (size_t i = channels; i < count; i++) {
    to[i] = (unsigned char)(from[i] + to[i - channels]);
  }
}


static inline void addMean(unsigned char* to, const unsigned char* from, const unsigned char* above,
                           size_t count, size_t channels) {
  for (size_t i = 0; i < count; i++) {
    const int left = i < channels ? 0 : to[i - channels];
    to[i] = (unsigned char)(from[i] + (left + above[i]) / 2);
  }
}


static inline void addClosest(unsigned char* to, const unsigned char* from,
                              const unsigned char* above, size_t count, size_t channels) {
  int left[4] = {0, 0, 0, 0}, corner[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < count; i += channels) {
    for (size_t k = 0; k < channels; k++) {
      const int up = above[i + k];
      left[k] = (from[i + k] + closest(left[k], up, corner[k])) & 255;
      corner[k] = up;
      to[i + k] = (unsigned char)left[k];
    }
  }
}


static void addAbove(unsigned char* restrict to, const unsigned char* from,
                     const unsigned char* restrict above, size_t count) {
  for (size_t i = 0; i < count; i++) {
    to[i] = (unsigned char)(from[i] + above[i]);
  }
}


// undo the filter of one row; the first byte of `from` names it. False when it is unknown
static inline bool undoFilter(unsigned char* to, const unsigned char* from,
                              const unsigned char* above, size_t count, size_t channels) {
  const int filter = *from++;
  switch (filter) {
    case 0:
      memcpy(to, from, count);
      return true;
    case 1:
      addLeft(to, from, count, channels);
      return true;
    case 2:
      addAbove(to, from, above, count);
      return true;
    case 3:
      addMean(to, from, above, count, channels);
      return true;
    case 4:
      addClosest(to, from, above, count, channels);
      return true;
    default:
      return false;
  }
}


static bool undoRow(unsigned char* to, const unsigned char* from, const unsigned char* above,
                    size_t count, int channels) {
  switch (channels) {
    case 1:
      return undoFilter(to, from, above, count, 1);
    case 2:
      return undoFilter(to, from, above, count, 2);
    case 3:
      return undoFilter(to, from, above, count, 3);
    default:
      return undoFilter(to, from, above, count, 4);
  }
}


//---------------------------------- pixels --------------------------------------------------------

// pixels with other channels: gray becomes red, green and blue alike, missing opacity is full
static void convertPixels(unsigned char* to, int nto, const unsigned char* from, int nfrom,
                          size_t count) {
  const bool is_gray = nfrom < 3, has_alpha = nfrom % 2 == 0;
  const int green = is_gray ? 0 : 1, blue = is_gray ? 0 : 2;
  for (size_t i = 0; i < count; i++, to += nto, from += nfrom) {
    to[0] = from[0];
    if (nto > 1) {
      to[1] = from[green];
      to[2] = from[blue];
    }
    if (nto > 3) {
      to[3] = has_alpha ? from[nfrom - 1] : 255;
    }
  }
}


// rows of differences to pixels
static bool unfilterImage(const plainPng* png, const unsigned char* rows, unsigned char* spare,
                          int nchannel, unsigned char* pixels) {
  const size_t width = (size_t)png->width, stride = width * (size_t)png->channels;
  const bool is_direct = nchannel == png->channels;
  memset(spare, 0, 2 * stride);
  const unsigned char* above = spare;
  for (int row = 0; row < png->height; row++) {
    unsigned char* target = pixels + (size_t)row * width * (size_t)nchannel;
    unsigned char* to = is_direct ? target : spare + (size_t)(row % 2 ? 0 : 1) * stride;
    if (!undoRow(to, rows + (size_t)row * (stride + 1), above, stride, png->channels)) {
      return false;
    }
    if (!is_direct) {
      convertPixels(target, nchannel, to, png->channels, width);
    }
    above = to;
  }
  return true;
}


bool cfi_readPlainPng(cfFileReader* reader, int nchannel, cfImage* image) {
  CF_ASSERT(nchannel == 1 || nchannel == 3 || nchannel == 4);
  plainPng png = {0};
  if (!readChunks(reader, &png) || (png.has_transparency && nchannel == 4)) {
    return false;
  }
  const size_t stride = (size_t)png.width * (size_t)png.channels;
  const size_t bytes = (stride + 1) * (size_t)png.height;
  if (bytes > 1032 * (uint64_t)png.npacked) {
    return false;
  }
  unsigned char* rows = (unsigned char*)cfi_poolScratch(reader->pool, bytes + 2 * stride, 1);
  const size_t pixels = (size_t)png.width * (size_t)png.height;
  image->data = cfi_newPixels(reader->pool, pixels, (size_t)nchannel);
  image->width = png.width;
  image->height = png.height;
  image->is_srgb = png.is_srgb;
  return cfi_inflate(png.packed, png.npacked, rows, bytes) &&
         unfilterImage(&png, rows, rows + bytes, nchannel, image->data);
}
