// PNG files, written by libspng.
#include <errno.h>
#include <string.h>

#include <spng.h>

#include "canvas.h"


static bool writeImage(const char* path, const void* pixels, size_t bytes,
                       struct spng_ihdr* header) {
  FILE* out = cfi_fileOpen(path, "wb");
  if (!out) {
    cli_error("%s: %s", path, strerror(errno));
    return false;
  }
  spng_ctx* png = spng_ctx_new(SPNG_CTX_ENCODER);
  int status = png ? spng_set_png_file(png, out) : SPNG_EMEM;
  status = status ? status : spng_set_ihdr(png, header);
  status =
      status ? status : spng_encode_image(png, pixels, bytes, SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
  spng_ctx_free(png);
  const bool is_written = !fclose(out) && !status;
  if (!is_written) {
    cli_error("%s: %s", path, status ? spng_strerror(status) : strerror(errno));
  }
  return is_written;
}


bool cli_writePng(const char* path, const unsigned char* rgb, int width, int height) {
  struct spng_ihdr header = {.width = (uint32_t)width,
                             .height = (uint32_t)height,
                             .bit_depth = 8,
                             .color_type = SPNG_COLOR_TYPE_TRUECOLOR};
  return writeImage(path, rgb, 3 * (size_t)width * (size_t)height, &header);
}


bool cli_writeGrayPng(const char* path, const uint16_t* gray, int width, int height) {
  struct spng_ihdr header = {.width = (uint32_t)width,
                             .height = (uint32_t)height,
                             .bit_depth = 16,
                             .color_type = SPNG_COLOR_TYPE_GRAYSCALE};
  return writeImage(path, gray, 2 * (size_t)width * (size_t)height, &header);
}
