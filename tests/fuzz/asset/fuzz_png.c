// Fuzz target: a PNG image, read to one, three or four channels; for a share of the inputs a whole
// model with the image as a texture is compiled, saved and loaded.  The input's bytes decide.
#include <stdlib.h>
#include <string.h>

#include "asset.h"
#include "compile/png.h"
#include "roll.h"

enum { WHOLE_SHARE = 512 };


static size_t imageBytes(const cfImage* image, int nchannel) {
  return (size_t)image->width * (size_t)image->height * (size_t)nchannel;
}


// every pixel is there
static void touchPixels(const cfImage* image, int nchannel) {
  volatile unsigned char pixel = 0;
  for (size_t k = 0; k < imageBytes(image, nchannel); k++) {
    pixel = image->data[k];
  }
  (void)pixel;
}


int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int channels[] = {1, 3, 4};
  cfPool pool = {0};
  const unsigned hash = cf_hashBytes(data, size);
  const int nchannel = channels[hash % 3];
  cfFileReader reader = {.pool = &pool, .file = {.name = "f", .data = data, .size = size}};
  cfImage image;
  memset(&image, 0, sizeof(image));
  bool is_read = cfi_readPng(&reader, nchannel, &image);
  if (is_read) {
    touchPixels(&image, nchannel);
  }
  cfi_poolFree(&pool);
  if (is_read && (hash >> 20) % WHOLE_SHARE == 0) {
    cf_compileWhole("png", data, size, hash);
  }
  return 0;
}


// mostly mutations that know the format, sometimes plain ones
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  size_t changed = seed % 8 ? cf_mutatePng(data, size, max_size, seed) : 0;
  return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
