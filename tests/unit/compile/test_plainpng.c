// The own reader of common PNG images against images that libpng wrote, and the unpacking on its
// own.
#include <stdlib.h>
#include <string.h>

#include <png.h>
#include <zlib.h>

#include "cf_test.h"
#include "compile/inflate.h"
#include "compile/png.h"

enum { ROOM = 1 << 20, MAX_SIDE = 90 };

typedef struct {
  unsigned char data[ROOM];
  size_t size;
} memoryFile;

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


static void appendToFile(png_structp png, png_bytep data, size_t size) {
  memoryFile* file = (memoryFile*)png_get_io_ptr(png);
  CF_TRUE(file->size + size <= ROOM);
  memcpy(file->data + file->size, data, size);
  file->size += size;
}


static void flushNothing(png_structp png) {
  (void)png;
}


// write an image with random filters, packing and chunk size
static void writePng(memoryFile* file, const unsigned char* pixels, int width, int height,
                     int channels) {
  static const int color[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                              PNG_COLOR_TYPE_RGB_ALPHA};
  static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
                                PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  file->size = 0;
  png_set_write_fn(png, file, appendToFile, flushNothing);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, color[channels],
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, filters[randomNumber(6)]);
  png_set_compression_level(png, (int)randomNumber(10));
  png_set_compression_strategy(png, (int)randomNumber(5));
  png_set_compression_buffer_size(png, 20 + randomNumber(9000));
  png_write_info(png, info);
  for (int row = 0; row < height; row++) {
    png_write_row(png, pixels + (size_t)row * (size_t)(width * channels));
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
}


// channel of a pixel when an image is read with other channels than it was written
static unsigned char expectedChannel(const unsigned char* pixel, int channels, int k) {
  if (k == 3) {
    return channels % 2 ? 255 : pixel[channels - 1];
  }
  return channels < 3 ? pixel[0] : pixel[k];
}


static bool readPlain(const memoryFile* file, int nchannel, cfPool* pool, cfImage* image) {
  cfFileReader reader = {pool, {.name = "image", .data = file->data, .size = file->size}, ""};
  return cfi_readPlainPng(&reader, nchannel, image);
}


static void expectImage(const memoryFile* file, const unsigned char* pixels, int channels,
                        int width, int height) {
  static const int wanted[] = {1, 3, 4};
  for (int n = 0; n < 3; n++) {
    cfPool pool = {.blocks = NULL};
    cfImage image;
    CF_TRUE(readPlain(file, wanted[n], &pool, &image));
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


CF_TEST(plainPng__random_images__pixels_as_written) {
  static unsigned char pixels[4 * MAX_SIDE * MAX_SIDE];
  memoryFile* file = (memoryFile*)malloc(sizeof(memoryFile));
  for (int round = 0; round < 300; round++) {
    const int width = 1 + (int)randomNumber(MAX_SIDE), height = 1 + (int)randomNumber(MAX_SIDE);
    const int channels = 1 + (int)randomNumber(4);
    fillBytes(pixels, (size_t)(width * height * channels));
    writePng(file, pixels, width, height, channels);
    expectImage(file, pixels, channels, width, height);
  }
  free(file);
}


CF_TEST(plainPng__changed_bytes__refused_by_the_checksum) {
  static unsigned char pixels[3 * 20 * 20];
  memoryFile* file = (memoryFile*)malloc(sizeof(memoryFile));
  fillBytes(pixels, sizeof(pixels));
  writePng(file, pixels, 20, 20, 3);
  for (size_t i = 0; i < file->size; i++) {
    cfPool pool = {.blocks = NULL};
    cfImage image;
    file->data[i] ^= 0x11;
    CF_TRUE(!readPlain(file, 3, &pool, &image));
    file->data[i] ^= 0x11;
    cfi_poolFree(&pool);
  }
  free(file);
}


// an optional chunk, with a right checksum, in front of the image data: known by its name if that
// is made of letters
static bool readWithChunk(const memoryFile* file, const char* type) {
  enum { BEFORE = 33, FRAME = 12 };  // signature and header
  memoryFile* longer = (memoryFile*)malloc(sizeof(memoryFile));
  memset(longer->data + BEFORE, 0, FRAME);
  memcpy(longer->data, file->data, BEFORE);
  memcpy(longer->data + BEFORE + 4, type, 4);
  const unsigned long sum = crc32(0, (const unsigned char*)type, 4);
  for (int k = 0; k < 4; k++) {
    longer->data[BEFORE + 8 + k] = (unsigned char)(sum >> (24 - 8 * k));
  }
  memcpy(longer->data + BEFORE + FRAME, file->data + BEFORE, file->size - BEFORE);
  longer->size = file->size + FRAME;
  cfPool pool = {.blocks = NULL};
  cfImage image;
  const bool is_read = readPlain(longer, 3, &pool, &image);
  cfi_poolFree(&pool);
  free(longer);
  return is_read;
}


CF_TEST(plainPng__chunk_without_proper_name__left_to_libpng) {
  static const unsigned char pixels[3 * 4 * 4] = {1, 2, 3};
  memoryFile* file = (memoryFile*)malloc(sizeof(memoryFile));
  writePng(file, pixels, 4, 4, 3);
  CF_TRUE(readWithChunk(file, "abCd"));
  CF_TRUE(!readWithChunk(file, "ab2d"));
  CF_TRUE(!readWithChunk(file, "ABCD"));
  free(file);
}


CF_TEST(inflate__whatever_zlib_packed__comes_back) {
  enum { BYTES = 200000 };
  unsigned char *data = (unsigned char*)malloc(BYTES), *packed = (unsigned char*)malloc(2 * BYTES),
                *back = (unsigned char*)malloc(BYTES);
  for (int round = 0; round < 200; round++) {
    const size_t count = randomNumber(BYTES);
    for (size_t at = 0; at < count;) {
      const size_t piece = 1 + randomNumber((unsigned)(count - at));
      fillBytes(data + at, piece);
      at += piece;
    }
    uLongf size = 2 * BYTES;
    CF_EQ_INT(compress2(packed, &size, data, (uLong)count, (int)randomNumber(10)), Z_OK);
    CF_TRUE(cfi_inflate(packed, size, back, count));
    CF_EQ_BYTES(back, data, count);

    // neither more nor fewer bytes than asked for
    CF_TRUE(count == 0 || !cfi_inflate(packed, size, back, count - 1));
    CF_TRUE(!cfi_inflate(packed, size - 6, back, count));

    // the checksum is there and right
    CF_TRUE(!cfi_inflate(packed, size - 1, back, count));
    packed[size - 1 - randomNumber(4)] ^= (unsigned char)(1u << randomNumber(8));
    CF_TRUE(!cfi_inflate(packed, size, back, count));
  }
  free(data);
  free(packed);
  free(back);
}


// exact sizes on the heap, so that a sanitizer sees reads and writes outside
CF_TEST(inflate__changed_bits__stays_inside) {
  unsigned char data[3000], packed[4000];
  for (int round = 0; round < 3000; round++) {
    fillBytes(data, sizeof(data));
    uLongf size = sizeof(packed);
    compress2(packed, &size, data, sizeof(data), 1 + (int)randomNumber(9));
    unsigned char *in = (unsigned char*)malloc(size), *out = (unsigned char*)malloc(sizeof(data));
    memcpy(in, packed, size);
    in[2 + randomNumber((unsigned)size - 2)] ^= (unsigned char)(1u << randomNumber(8));
    cfi_inflate(in, size - randomNumber(4), out, sizeof(data));
    free(in);
    free(out);
  }
}


CF_TEST_MAIN("compile/plainpng")
