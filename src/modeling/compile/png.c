// PNG images by libspng: every format is expanded to 8-bit RGB or RGBA; a gray image is the red
// channel.
#include "compile/png.h"

#include <stdint.h>

#include <spng.h>

enum {
  MAX_SIDE = 1 << 16,
  MAX_PIXELS = 1 << 28,
  MAX_NOTES = 1 << 26,   // bytes of all chunks that are kept beside the image
  MAX_INFLATION = 1032,  // deflate packs no more than this many bytes into one
};


// note what the library says against the file; always false
static bool refusePng(cfFileReader* reader, const char* why) {
  return cfi_badFile(reader, "error decoding PNG file '%s': %s", reader->file.name, why);
}


// names of chunks are four letters, the third of them upper case
static bool isChunkName(const unsigned char* name) {
  for (int k = 0; k < 4; k++) {
    const unsigned char lower = name[k] | 32;
    if (lower < 'a' || lower > 'z') {
      return false;
    }
  }
  return !(name[2] & 32);
}


// walk over the chunks up to the end mark, which the library does not insist on; a chunk of that
// name, wherever it stands, declares the sRGB color space
static bool walkChunks(cfFileReader* reader, cfImage* image) {
  enum { SIGNATURE = 8, FRAME = 12 };
  const cfFile* file = &reader->file;
  image->is_srgb = false;
  for (size_t at = SIGNATURE; at + FRAME <= file->size;) {
    const unsigned char* chunk = file->data + at;
    const size_t length =
        (size_t)chunk[0] << 24 | (size_t)chunk[1] << 16 | (size_t)chunk[2] << 8 | chunk[3];
    if (!isChunkName(chunk + 4)) {
      return refusePng(reader, "invalid chunk name");
    }
    if (length > file->size - at - FRAME) {
      break;
    }
    if (!memcmp(chunk + 4, "IEND", 4)) {
      return true;
    }
    image->is_srgb |= !memcmp(chunk + 4, "sRGB", 4);
    at += FRAME + length;
  }
  return refusePng(reader, "unexpected end of file");
}


// channels of a pixel by color type; a palette has one
static const unsigned char png_channels[] = {1, 0, 3, 1, 2, 0, 4};


// bytes of the unpacked image, the filter byte of each row left out
static uint64_t unpackedBytes(const struct spng_ihdr* header) {
  const uint64_t bits = (uint64_t)header->bit_depth * png_channels[header->color_type];
  return (bits * header->width + 7) / 8 * header->height;
}


// size of the image; refuse what could not possibly be in the file before there is memory for it
static bool readPngHeader(spng_ctx* png, cfFileReader* reader, cfImage* image) {
  struct spng_ihdr header;
  const int status = spng_get_ihdr(png, &header);
  if (status) {
    return refusePng(reader, spng_strerror(status));
  }
  if ((uint64_t)header.width * header.height > MAX_PIXELS) {
    return refusePng(reader, "image is too large");
  }
  if (unpackedBytes(&header) > MAX_INFLATION * (uint64_t)reader->file.size) {
    return refusePng(reader, "not enough image data");
  }
  image->width = (int)header.width;
  image->height = (int)header.height;
  return true;
}


// are the bytes of the file the channels that are asked for, but for their number
static bool isPlain(spng_ctx* png, const struct spng_ihdr* header, int nchannel) {
  struct spng_trns trns;
  return header->bit_depth == 8 && header->color_type != SPNG_COLOR_TYPE_INDEXED &&
         (nchannel < 4 || spng_get_trns(png, &trns) != 0);
}


// channels that are asked for, from those that are there: gray counts as red, green and blue, and
// what has no alpha is opaque.  Both numbers are constants where this is called
static inline void chooseChannels(unsigned char* restrict to, int nchannel,
                                  const unsigned char* restrict from, int channels, size_t count) {
  const int green = channels < 3 ? 0 : 1, blue = channels < 3 ? 0 : 2;
  const bool has_alpha = channels % 2 == 0;
  for (size_t i = 0; i < count; i++, to += nchannel, from += channels) {
    to[0] = from[0];
    if (nchannel > 1) {
      to[1] = from[green];
      to[2] = from[blue];
    }
    if (nchannel > 3) {
      to[3] = has_alpha ? from[channels - 1] : 255;
    }
  }
}


static inline void convertFrom(int channels, unsigned char* to, int nchannel,
                               const unsigned char* from, size_t count) {
  if (nchannel == 1) {
    chooseChannels(to, 1, from, channels, count);
  } else if (nchannel == 3) {
    chooseChannels(to, 3, from, channels, count);
  } else {
    chooseChannels(to, 4, from, channels, count);
  }
}


static void convertPixels(unsigned char* to, int nchannel, const unsigned char* from, int channels,
                          size_t count) {
  switch (channels) {
    case 1:
      convertFrom(1, to, nchannel, from, count);
      break;
    case 2:
      convertFrom(2, to, nchannel, from, count);
      break;
    case 3:
      convertFrom(3, to, nchannel, from, count);
      break;
    default:
      convertFrom(4, to, nchannel, from, count);
  }
}


// pixels as the library gives them in a format, and the chunks behind them up to the end mark
static bool readAs(spng_ctx* png, cfFileReader* reader, int format, unsigned char* to,
                   size_t bytes) {
  int status = spng_decode_image(png, to, bytes, format, SPNG_DECODE_TRNS);
  if (!status) {
    status = spng_decode_chunks(png);
  }
  return !status || refusePng(reader, spng_strerror(status));
}


// all pixels.  What needs no more than a choice of channels is left as it is by the library, whose
// conversions take longer than its unpacking
static bool readPixels(spng_ctx* png, cfFileReader* reader, int nchannel, cfImage* image) {
  struct spng_ihdr header;
  spng_get_ihdr(png, &header);
  const size_t count = (size_t)image->width * (size_t)image->height;
  image->data = cfi_newPixels(reader->pool, count, (size_t)nchannel);
  int format = SPNG_FMT_PNG, channels = png_channels[header.color_type];
  if (!isPlain(png, &header, nchannel)) {
    format = nchannel == 4 ? SPNG_FMT_RGBA8 : SPNG_FMT_RGB8;
    channels = nchannel == 4 ? 4 : 3;
  }
  if (channels == nchannel) {
    return readAs(png, reader, format, image->data, count * (size_t)channels);
  }
  unsigned char* pixels =
      (unsigned char*)cfi_poolScratch(reader->pool, count * (size_t)channels, 0);
  if (!readAs(png, reader, format, pixels, count * (size_t)channels)) {
    return false;
  }
  convertPixels(image->data, nchannel, pixels, channels, count);
  return true;
}


static bool decodePng(spng_ctx* png, cfFileReader* reader, int nchannel, cfImage* image) {
  spng_set_image_limits(png, MAX_SIDE, MAX_SIDE);
  spng_set_chunk_limits(png, MAX_NOTES, MAX_NOTES);
  spng_set_crc_action(png, SPNG_CRC_ERROR, SPNG_CRC_ERROR);
  spng_set_png_buffer(png, reader->file.data, reader->file.size);
  return readPngHeader(png, reader, image) && walkChunks(reader, image) &&
         readPixels(png, reader, nchannel, image);
}


bool cfi_readPng(cfFileReader* reader, int nchannel, cfImage* image) {
  if (!reader->file.size) {
    return cfi_badFile(reader, "empty PNG file '%s'", reader->file.name);
  }
  // every chunk has its CRC: no need for a second checksum over the unpacked data
  spng_ctx* png = spng_ctx_new(SPNG_CTX_IGNORE_ADLER32);
  if (!png) {
    return cfi_badFile(reader, "out of memory for PNG file '%s'", reader->file.name);
  }
  const bool is_good = decodePng(png, reader, nchannel, image);
  spng_ctx_free(png);
  return is_good;
}
