// PNG images: random files of every kind against the pixels that were written and against what the
// reference reads.
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>
#include <zlib.h>

#include "cf_reference.h"
#include "cf_test.h"
#include "compile/png.h"

#pragma GCC diagnostic ignored "-Wpedantic"

enum { ROOM = 1 << 20, MAX_SIDE = 90, PNG_START = 33 };  // signature and header

typedef struct {
  unsigned char data[ROOM];
  size_t size;
} memoryFile;

// what a file says about its pixels
typedef struct {
  unsigned width, height;
  int depth, color;  // bits per channel, color type
  int interlace;
} imageKind;

static unsigned long long noise = 88172645463325252ull;


static unsigned randomNumber(unsigned below) {
  noise ^= noise << 13;
  noise ^= noise >> 7;
  noise ^= noise << 17;
  return (unsigned)(noise >> 33) % below;
}


// noise, slopes, stripes or one value
static void fillBytes(unsigned char* data, size_t count) {
  const unsigned kind = randomNumber(4), period = 1 + randomNumber(40), value = randomNumber(256);
  for (size_t i = 0; i < count; i++) {
    const unsigned choices[4] = {randomNumber(256), (unsigned)(i / period), (unsigned)(i % period),
                                 value};
    data[i] = (unsigned char)choices[kind];
  }
}


//---------------------------------- writing -------------------------------------------------------

static void putBig(unsigned char* to, unsigned long value) {
  for (int k = 0; k < 4; k++) {
    to[k] = (unsigned char)(value >> (24 - 8 * k));
  }
}


static void putChunk(memoryFile* file, const char* type, const unsigned char* data, size_t size) {
  CF_TRUE(file->size + size + 12 <= ROOM);
  unsigned char* at = file->data + file->size;
  putBig(at, size);
  memcpy(at + 4, type, 4);
  if (size) {
    memcpy(at + 8, data, size);
  }
  putBig(at + 8 + size, crc32(0, at + 4, (uInt)(size + 4)));
  file->size += size + 12;
}


static void startPng(memoryFile* file, imageKind kind) {
  unsigned char header[13] = {0};
  putBig(header, kind.width);
  putBig(header + 4, kind.height);
  header[8] = (unsigned char)kind.depth;
  header[9] = (unsigned char)kind.color;
  header[12] = (unsigned char)kind.interlace;
  memcpy(file->data, "\x89PNG\r\n\x1a\n", 8);
  file->size = 8;
  putChunk(file, "IHDR", header, sizeof(header));
}


// pack the rows, spread over some chunks, and the end mark
static void endPng(memoryFile* file, const unsigned char* rows, size_t count) {
  static unsigned char packed[ROOM];
  uLongf size = sizeof(packed);
  CF_EQ_INT(compress2(packed, &size, rows, (uLong)count, (int)randomNumber(10)), Z_OK);
  for (size_t at = 0; at < size;) {
    size_t piece = randomNumber(2) ? size - at : 1 + randomNumber((unsigned)(size - at));
    putChunk(file, "IDAT", packed + at, piece);
    at += piece;
  }
  putChunk(file, "IEND", NULL, 0);
}


// what a filter subtracts from a byte
static int predicted(int filter, int left, int above, int corner) {
  const int guess = left + above - corner;
  const int to_left = abs(guess - left), to_above = abs(guess - above),
            to_corner = abs(guess - corner);
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) / 2;
    case 4:
      return to_left <= to_above && to_left <= to_corner ? left
             : to_above <= to_corner                     ? above
                                                         : corner;
    default:
      return 0;
  }
}


// one row as differences, the filter in front
static void filterRow(unsigned char* to, const unsigned char* row, const unsigned char* above,
                      size_t count, size_t channels) {
  const int filter = (int)randomNumber(5);
  *to++ = (unsigned char)filter;
  for (size_t i = 0; i < count; i++) {
    const bool is_first = i < channels;
    to[i] = (unsigned char)(row[i] - predicted(filter, is_first ? 0 : row[i - channels],
                                               above ? above[i] : 0,
                                               is_first || !above ? 0 : above[i - channels]));
  }
}


// 8 bits per channel, not interlaced
static void writePng(memoryFile* file, const unsigned char* pixels, unsigned width, unsigned height,
                     int channels) {
  static const int color[] = {0, 0, 4, 2, 6};
  static unsigned char rows[MAX_SIDE * (1 + 4 * MAX_SIDE)];
  const size_t count = width * (size_t)channels;
  for (unsigned r = 0; r < height; r++) {
    filterRow(rows + r * (1 + count), pixels + r * count, r ? pixels + (r - 1) * count : NULL,
              count, (size_t)channels);
  }
  startPng(file, (imageKind){width, height, 8, color[channels], 0});
  endPng(file, rows, height * (1 + count));
}


//---------------------------------- pixels as written ---------------------------------------------

static bool readFile(const memoryFile* file, int nchannel, cfPool* pool, cfImage* image) {
  cfFileReader reader = {pool, {.name = "image", .data = file->data, .size = file->size}, ""};
  const bool is_read = cfi_readPng(&reader, nchannel, image);
  CF_TRUE(is_read == !reader.error[0]);
  return is_read;
}


static bool isReadable(const memoryFile* file) {
  cfPool pool = {.blocks = NULL};
  cfImage image;
  const bool is_read = readFile(file, 3, &pool, &image);
  cfi_poolFree(&pool);
  return is_read;
}


// channel of a pixel when an image is read with other channels than it was written
static unsigned char expectedChannel(const unsigned char* pixel, int channels, int k) {
  if (k == 3) {
    return channels % 2 ? 255 : pixel[channels - 1];
  }
  return channels < 3 ? pixel[0] : pixel[k];
}


static void expectImage(const memoryFile* file, const unsigned char* pixels, int channels,
                        int width, int height) {
  static const int wanted[] = {1, 3, 4};
  for (int n = 0; n < 3; n++) {
    cfPool pool = {.blocks = NULL};
    cfImage image;
    CF_TRUE(readFile(file, wanted[n], &pool, &image));
    CF_EQ_INT(image.width, width);
    CF_EQ_INT(image.height, height);
    for (int i = 0; i < width * height; i++) {
      for (int k = 0; k < wanted[n]; k++) {
        CF_EQ_INT(image.data[wanted[n] * i + k],
                  expectedChannel(pixels + channels * i, channels, k));
      }
    }
    cfi_poolFree(&pool);
  }
}


CF_TEST(png__random_images__pixels_as_written) {
  static unsigned char pixels[4 * MAX_SIDE * MAX_SIDE];
  memoryFile* file = (memoryFile*)malloc(sizeof(memoryFile));
  for (int round = 0; round < 300; round++) {
    const int width = 1 + (int)randomNumber(MAX_SIDE), height = 1 + (int)randomNumber(MAX_SIDE);
    const int channels = 1 + (int)randomNumber(4);
    fillBytes(pixels, (size_t)(width * height * channels));
    writePng(file, pixels, (unsigned)width, (unsigned)height, channels);
    expectImage(file, pixels, channels, width, height);
  }
  free(file);
}


CF_TEST(png__changed_bytes__refused_by_the_checksum) {
  static unsigned char pixels[3 * 20 * 20];
  memoryFile* file = (memoryFile*)malloc(sizeof(memoryFile));
  fillBytes(pixels, sizeof(pixels));
  writePng(file, pixels, 20, 20, 3);
  for (size_t i = 0; i < file->size; i++) {
    file->data[i] ^= 0x11;
    CF_TRUE(!isReadable(file));
    file->data[i] ^= 0x11;
  }
  free(file);
}


// a file with a chunk, whose checksum is right, between header and image data
static bool isReadableWith(const memoryFile* file, const char* type) {
  memoryFile* longer = (memoryFile*)malloc(sizeof(memoryFile));
  memcpy(longer->data, file->data, PNG_START);
  longer->size = PNG_START;
  putChunk(longer, type, NULL, 0);
  memcpy(longer->data + longer->size, file->data + PNG_START, file->size - PNG_START);
  longer->size += file->size - PNG_START;
  const bool is_read = isReadable(longer);
  free(longer);
  return is_read;
}


CF_TEST(png__unknown_chunks__read_when_optional) {
  static const unsigned char pixels[3 * 4 * 4] = {1, 2, 3};
  memoryFile* file = (memoryFile*)malloc(sizeof(memoryFile));
  writePng(file, pixels, 4, 4, 3);
  CF_TRUE(isReadableWith(file, "abCd"));
  CF_TRUE(!isReadableWith(file, "abcd"));
  CF_TRUE(!isReadableWith(file, "ab2d"));
  CF_TRUE(!isReadableWith(file, "ABCD"));
  free(file);
}


//---------------------------------- against the reference -----------------------------------------

static imageKind randomKind(void) {
  static const struct {
    unsigned char color, depth;
  } kinds[] = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1},
               {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}};
  const unsigned pick = randomNumber(sizeof(kinds) / sizeof(kinds[0]));
  return (imageKind){1 + randomNumber(40), 1 + randomNumber(40), kinds[pick].depth,
                     kinds[pick].color, (int)randomNumber(2)};
}


// noise as rows of one pass
static size_t noiseRows(unsigned char* rows, imageKind kind, unsigned width, unsigned height) {
  static const unsigned char channels[] = {1, 0, 3, 1, 2, 0, 4};
  const size_t bytes = ((size_t)kind.depth * channels[kind.color] * width + 7) / 8;
  if (!width || !height) {
    return 0;
  }
  for (unsigned r = 0; r < height; r++) {
    rows[r * (bytes + 1)] = (unsigned char)randomNumber(5);
    fillBytes(rows + r * (bytes + 1) + 1, bytes);
  }
  return height * (bytes + 1);
}


// noise as image data: one pass, or the seven of Adam
static size_t noiseImage(unsigned char* rows, imageKind kind) {
  static const unsigned start[7][2] = {{0, 0}, {4, 0}, {0, 4}, {2, 0}, {0, 2}, {1, 0}, {0, 1}};
  static const unsigned step[7][2] = {{8, 8}, {8, 8}, {4, 8}, {4, 4}, {2, 4}, {2, 2}, {1, 2}};
  if (!kind.interlace) {
    return noiseRows(rows, kind, kind.width, kind.height);
  }
  size_t size = 0;
  for (int pass = 0; pass < 7; pass++) {
    const unsigned width = (kind.width + step[pass][0] - 1 - start[pass][0]) / step[pass][0];
    const unsigned height = (kind.height + step[pass][1] - 1 - start[pass][1]) / step[pass][1];
    size += noiseRows(rows + size, kind, width, height);
  }
  return size;
}


// chunks that may change what is seen
static void putAncillary(memoryFile* file, imageKind kind) {
  unsigned char palette[3 * 256], clear[256] = {0}, gamma[4];
  if (randomNumber(3) == 0) {
    putChunk(file, "sRGB", (const unsigned char*)"", 1);
  }
  if (randomNumber(3) == 0) {
    putBig(gamma, 30000 + randomNumber(70000));
    putChunk(file, "gAMA", gamma, 4);
  }
  if (kind.color == 3) {
    fillBytes(palette, sizeof(palette));
    putChunk(file, "PLTE", palette, 3u << kind.depth);
  }
  if (kind.color < 4 && randomNumber(2)) {
    const size_t size = kind.color == 0   ? 2
                        : kind.color == 2 ? 6
                                          : 1 + randomNumber(1u << kind.depth);
    for (size_t k = 0; k < size; k++) {
      const bool is_low = kind.color == 3 || k % 2 || kind.depth == 16;
      clear[k] = (unsigned char)(is_low ? randomNumber(kind.color == 3 ? 256 : 4) : 0);
    }
    putChunk(file, "tRNS", clear, size);
  }
}


static void randomFile(memoryFile* file) {
  static unsigned char rows[ROOM / 2];
  const imageKind kind = randomKind();
  startPng(file, kind);
  putAncillary(file, kind);
  endPng(file, rows, noiseImage(rows, kind));
}


static mjModel* modelOf(const memoryFile* file, int nchannel, bool is_reference) {
  char xml[300], error[300] = "";
  snprintf(xml, sizeof(xml),
           "<mujoco><asset><texture name='t' type='2d' file='f.png' nchannel='%d'/></asset>"
           "<worldbody/></mujoco>",
           nchannel);
  mjVFS vfs;
  mjModel* m;
  if (is_reference) {
    CF_REF(mj_defaultVFS)(&vfs);
    CF_REF(mj_addBufferVFS)(&vfs, "m.xml", xml, (int)strlen(xml));
    CF_REF(mj_addBufferVFS)(&vfs, "f.png", file->data, (int)file->size);
    m = CF_REF(mj_loadXML)("m.xml", &vfs, error, sizeof(error));
    CF_REF(mj_deleteVFS)(&vfs);
  } else {
    mj_defaultVFS(&vfs);
    mj_addBufferVFS(&vfs, "m.xml", xml, (int)strlen(xml));
    mj_addBufferVFS(&vfs, "f.png", file->data, (int)file->size);
    m = mj_loadXML("m.xml", &vfs, error, sizeof(error));
    mj_deleteVFS(&vfs);
  }
  return m;
}


static void compareTextures(const memoryFile* file, int round) {
  static const int wanted[] = {1, 3, 4};
  const int nchannel = wanted[randomNumber(3)];
  mjModel *ours = modelOf(file, nchannel, false), *theirs = modelOf(file, nchannel, true);
  const bool is_same =
      !ours == !theirs && (!ours || (ours->ntexdata == theirs->ntexdata &&
                                     ours->tex_colorspace[0] == theirs->tex_colorspace[0] &&
                                     ours->tex_width[0] == theirs->tex_width[0] &&
                                     !memcmp(ours->tex_data, theirs->tex_data, ours->ntexdata)));
  if (!is_same) {
    CF_FAIL("image %d: color type %d, depth %d, interlace %d, %d channels: ours %s, theirs %s\n",
            round, file->data[25], file->data[24], file->data[28], nchannel,
            ours ? "read" : "refused", theirs ? "read" : "refused");
  }
  mj_deleteModel(ours);
  if (theirs) {
    CF_REF(mj_deleteModel)(theirs);
  }
}


CF_TEST(png__random_images_of_every_kind__as_the_reference) {
  if (!cf_referenceOpen()) {
    return;
  }
  memoryFile* file = (memoryFile*)malloc(sizeof(memoryFile));
  for (int round = 0; round < 600; round++) {
    randomFile(file);
    compareTextures(file, round);
  }
  free(file);
}

CF_TEST_MAIN("compile/png")
