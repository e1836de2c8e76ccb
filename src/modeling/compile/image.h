// Images in memory, shared with the asset cache.
#ifndef CF_COMPILE_IMAGE_H
#define CF_COMPILE_IMAGE_H

#include "compile/assetfile.h"

// 8 bits per channel, rows from top to bottom
typedef struct {
  int width, height;
  bool is_srgb;
  unsigned char* data;  // from cfi_newPixels
} cfImage;

// memory for the pixels of an image; `channels` bytes each, not zeroed
unsigned char* cfi_newPixels(cfPool* pool, size_t pixels, size_t channels);

// keep an image for later compilations; not to be changed from then on
void cfi_keepImage(const cfFile* file, const cfImage* image);

// the image that was kept
cfImage cfi_keptImage(const cfFile* file);

#endif  // CF_COMPILE_IMAGE_H
