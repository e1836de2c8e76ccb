// Images in memory: a header in front of the pixels makes one block of both that can be kept.
#include "compile/image.h"

#include <stdint.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"

typedef struct {
  int width, height, is_srgb, pad;
} imageHeader;


unsigned char* cfi_newPixels(cfPool* pool, size_t pixels, size_t channels) {
  CF_ASSERT(channels > 0 && channels <= 4);
  if (pixels > SIZE_MAX / 16) {
    mju_error("image is too large");
  }
  return cfi_newProduct(pool, sizeof(imageHeader) + pixels * channels) + sizeof(imageHeader);
}


void cfi_keepImage(const cfFile* file, const cfImage* image) {
  const imageHeader header = {image->width, image->height, image->is_srgb, 0};
  unsigned char* product = image->data - sizeof(header);
  memcpy(product, &header, sizeof(header));
  cfi_keepProduct(file, product);
}


cfImage cfi_keptImage(const cfFile* file) {
  imageHeader header;
  CF_ASSERT(file->is_product && file->size >= sizeof(header));
  memcpy(&header, file->data, sizeof(header));
  unsigned char* pixels = (unsigned char*)(uintptr_t)file->data + sizeof(header);
  return (cfImage){header.width, header.height, header.is_srgb != 0, pixels};
}
