// PNG images by libpng: every format is expanded to 8-bit RGB or RGBA; a gray image is the red
// channel.
#include "compile/png.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#include <png.h>

enum { MAX_SIDE = 1 << 16, MAX_PIXELS = 1 << 28 };

// decoding in progress
typedef struct {
  cfFileReader* reader;
  cfCursor cursor;
  png_structp png;
  png_infop info;
  int nchannel;  // 3 or 4
} pngDecoder;


static void onPngError(png_structp png, png_const_charp message) {
  cfFileReader* reader = (cfFileReader*)png_get_error_ptr(png);
  cfi_badFile(reader, "error decoding PNG file '%s': %s", reader->file.name, message);
  png_longjmp(png, 1);
}


static void onPngWarning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}


static void readPngBytes(png_structp png, png_bytep to, size_t count) {
  cfCursor* cursor = (cfCursor*)png_get_io_ptr(png);
  if (!cfi_take(cursor, to, count, 1)) {
    png_error(png, "unexpected end of file");
  }
}


// does the file declare the sRGB color space: a chunk of that name among the others
static bool declaresSrgb(cfFile file) {
  enum { SIGNATURE = 8, CHUNK = 12 };
  size_t at = SIGNATURE;
  while (at + CHUNK <= file.size) {
    const unsigned char* chunk = file.data + at;
    size_t length =
        (size_t)chunk[0] << 24 | (size_t)chunk[1] << 16 | (size_t)chunk[2] << 8 | chunk[3];
    if (!memcmp(chunk + 4, "sRGB", 4)) {
      return true;
    }
    if (!memcmp(chunk + 4, "IEND", 4) || length > file.size - at - CHUNK) {
      return false;
    }
    at += CHUNK + length;
  }
  return false;
}


// size; refuse what could not possibly be in the file: deflate packs no more than 1032 bytes into
// one
static void readPngHeader(pngDecoder* d, cfImage* image) {
  png_read_info(d->png, d->info);
  uint64_t width = png_get_image_width(d->png, d->info),
           height = png_get_image_height(d->png, d->info);
  uint64_t bytes = png_get_rowbytes(d->png, d->info) * height;
  if (width * height > MAX_PIXELS) {
    png_error(d->png, "image is too large");
  }
  if (bytes > 1032 * (uint64_t)d->reader->file.size) {
    png_error(d->png, "not enough image data");
  }
  image->width = (int)width;
  image->height = (int)height;
}


// all rows
static void readPngRows(pngDecoder* d, const cfImage* image, unsigned char* pixels) {
  png_set_expand(d->png);
  png_set_strip_16(d->png);
  png_set_gray_to_rgb(d->png);
  if (d->nchannel == 4) {
    png_set_add_alpha(d->png, 0xFF, PNG_FILLER_AFTER);
  } else {
    png_set_strip_alpha(d->png);
  }
  int passes = png_set_interlace_handling(d->png);
  png_read_update_info(d->png, d->info);
  size_t stride = (size_t)d->nchannel * (size_t)image->width;
  if (png_get_rowbytes(d->png, d->info) != stride) {
    png_error(d->png, "unsupported pixel format");
  }
  for (int pass = 0; pass < passes; pass++) {
    for (int row = 0; row < image->height; row++) {
      png_read_row(d->png, pixels + (size_t)row * stride, NULL);
    }
  }
  png_read_end(d->png, NULL);
}


// both steps, the second once there is memory; false after an error
static bool guardedHeader(pngDecoder* d, cfImage* image) {
  if (setjmp(png_jmpbuf(d->png))) {
    return false;
  }
  png_set_user_limits(d->png, MAX_SIDE, MAX_SIDE);
  png_set_crc_action(d->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);

  // every chunk has its CRC: no need for a second checksum over the unpacked data
  png_set_option(d->png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
  png_set_read_fn(d->png, &d->cursor, readPngBytes);
  readPngHeader(d, image);
  return true;
}


static bool guardedRows(pngDecoder* d, const cfImage* image, unsigned char* pixels) {
  if (setjmp(png_jmpbuf(d->png))) {
    return false;
  }
  readPngRows(d, image, pixels);
  return true;
}


// keep the first of three channels
static void keepRed(unsigned char* pixel, size_t count) {
  for (size_t i = 0; i < count; i++) {
    pixel[i] = pixel[3 * i];
  }
}


bool cfi_readAnyPng(cfFileReader* reader, int nchannel, cfImage* image) {
  pngDecoder d = {
      reader, {reader->file.data, reader->file.size}, NULL, NULL, nchannel == 4 ? 4 : 3};
  d.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, onPngError, onPngWarning);
  d.info = d.png ? png_create_info_struct(d.png) : NULL;
  bool is_good = d.info != NULL;
  if (!is_good) {
    cfi_badFile(reader, "out of memory for PNG file '%s'", reader->file.name);
  }
  is_good = is_good && guardedHeader(&d, image);
  if (is_good) {
    size_t count = (size_t)image->width * (size_t)image->height;
    image->data = cfi_newPixels(reader->pool, count, (size_t)d.nchannel);
    is_good = guardedRows(&d, image, image->data);
    if (nchannel == 1) {
      keepRed(image->data, count);
    }
    image->is_srgb = declaresSrgb(reader->file);
  }
  png_destroy_read_struct(&d.png, &d.info, NULL);
  return is_good;
}


bool cfi_readPng(cfFileReader* reader, int nchannel, cfImage* image) {
  if (!reader->file.size) {
    return cfi_badFile(reader, "empty PNG file '%s'", reader->file.name);
  }
  return cfi_readPlainPng(reader, nchannel, image) || cfi_readAnyPng(reader, nchannel, image);
}
