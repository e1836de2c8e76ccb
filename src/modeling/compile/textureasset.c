// Textures: from the specification, by formula, from one image or from an image per face of a cube.
#include "compile/asset.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/path.h"
#include "compile/png.h"
#include "compile/texture.h"

enum { CUBE_SIDES = 6 };

// of one texture, and of all textures that are made by formula: a few characters ask for those
static const int64_t max_texture_bytes = (int64_t)1 << 30, max_made_bytes = (int64_t)3 << 27;

// a texture in the making
typedef struct {
  cfDraft* draft;
  const cfTextureDraft* part;
  cfTextureData* out;
} textureJob;


// bytes of a texture, checked against what is sensible; zeroed memory for at least three channels
static unsigned char* newTexture(cfDraft* draft, const cfTextureDraft* texture, int width,
                                 int height) {
  CF_ASSERT(width > 0 && height > 0);
  int64_t nchannel = texture->attr.nchannel < 3 ? 3 : texture->attr.nchannel;
  const int64_t pixels = (int64_t)width * height;
  if (pixels <= 0 || pixels > max_texture_bytes / nchannel) {
    cfi_fail(draft, &texture->part, "texture of %d x %d is too large", width, height);
  }
  return (unsigned char*)cfi_poolAlloc(&draft->pool, (size_t)pixels, (size_t)nchannel);
}


//---------------------------------- images --------------------------------------------------------

// width and height, then three bytes per pixel
static bool readRawImage(cfFileReader* reader, int nchannel, cfImage* image) {
  const char* name = reader->file.name;
  cfCursor cursor = {reader->file.data, reader->file.size};
  int sizes[2];
  if (!cursor.left) {
    return cfi_badFile(reader, "texture file is empty: '%s'", name);
  }
  if (!cfi_take(&cursor, sizes, 2, sizeof(int)) || sizes[0] < 1 || sizes[1] < 1) {
    return cfi_badFile(reader,
                       "Non-PNG texture, assuming custom binary file format,\n"
                       "non-positive texture dimensions in file '%s'",
                       name);
  }
  uint64_t pixels = (uint64_t)sizes[0] * (uint64_t)sizes[1];
  if (pixels > INT_MAX || cursor.left != 3 * pixels) {
    return cfi_badFile(reader,
                       "Non-PNG texture, assuming custom binary file format,\n"
                       "unexpected file size in file '%s'",
                       name);
  }
  if (nchannel != 3) {
    return cfi_badFile(reader, "custom texture file '%s' has 3 channels, not %d", name, nchannel);
  }
  *image = (cfImage){sizes[0], sizes[1], false, cfi_newPixels(reader->pool, (size_t)pixels, 3)};
  return cfi_take(&cursor, image->data, (size_t)pixels, 3);
}


// kept as it is, one row of bytes
static bool readKtxImage(cfFileReader* reader, int nchannel, cfImage* image) {
  const cfFile file = reader->file;
  if (!file.size || file.size > INT_MAX / 4) {
    return cfi_badFile(reader, "texture file is empty or too large: '%s'", file.name);
  }
  unsigned char* data = cfi_newPixels(reader->pool, file.size, (size_t)nchannel);
  memcpy(data, file.data, file.size);
  memset(data + file.size, 0, file.size * ((size_t)nchannel - 1));
  *image = (cfImage){(int)file.size, 1, false, data};
  return true;
}


static void swapPixels(unsigned char* a, unsigned char* b, size_t nchannel) {
  for (size_t k = 0; k < nchannel; k++) {
    unsigned char keep = a[k];
    a[k] = b[k];
    b[k] = keep;
  }
}


static void swapRows(unsigned char* a, unsigned char* b, size_t bytes) {
  unsigned char keep[1024];
  for (size_t done = 0; done < bytes; done += sizeof(keep)) {
    const size_t piece = bytes - done < sizeof(keep) ? bytes - done : sizeof(keep);
    memcpy(keep, a + done, piece);
    memcpy(a + done, b + done, piece);
    memcpy(b + done, keep, piece);
  }
}


// mirror an image left to right, top to bottom
static void flipImage(const mjsTexture* attr, unsigned char* data, int width, int height) {
  CF_ASSERT(width > 0 && height > 0);
  const size_t n = (size_t)attr->nchannel, stride = n * (size_t)width;
  for (int row = 0; attr->hflip && row < height; row++) {
    unsigned char* line = data + (size_t)row * stride;
    for (int col = 0; col < width / 2; col++) {
      swapPixels(line + n * (size_t)col, line + n * (size_t)(width - 1 - col), n);
    }
  }
  for (int row = 0; attr->vflip && row < height / 2; row++) {
    swapRows(data + (size_t)row * stride, data + (size_t)(height - 1 - row) * stride, stride);
  }
}


// read, flip and keep
static cfImage freshImage(textureJob* job, cfFile file,
                          bool (*read)(cfFileReader*, int, cfImage*)) {
  const mjsTexture* attr = &job->part->attr;
  cfFileReader reader = {&job->draft->pool, file, ""};
  cfImage image = {0, 0, false, NULL};
  if (!read(&reader, attr->nchannel, &image)) {
    cfi_fail(job->draft, &job->part->part, "%s", reader.error);
  }
  flipImage(attr, image.data, image.width, image.height);
  cfi_keepImage(&file, &image);
  return image;
}


static cfImage loadImage(textureJob* job, const char* name) {
  const mjsTexture* attr = &job->part->attr;
  const cfPart* part = &job->part->part;
  const char* type = cfi_contentType(&job->draft->pool, cfi_text(attr->content_type), name);
  const bool is_png = !strcmp(type, "image/png"), is_ktx = !strcmp(type, "image/ktx");
  if (type[0] && !is_png && !is_ktx && strcmp(type, "image/vnd.mujoco.texture") != 0) {
    cfi_fail(job->draft, part, "unsupported content type: '%s'", type);
  }
  if (is_ktx && (attr->hflip || attr->vflip)) {
    cfi_fail(job->draft, part, "cannot flip KTX textures");
  }
  if (attr->nchannel != 1 && attr->nchannel != 3 && attr->nchannel != 4) {
    cfi_fail(job->draft, part, "Unsupported number of channels: %d", attr->nchannel);
  }
  char options[200];
  snprintf(options, sizeof(options), "image %.100s %d %d %d", type, attr->nchannel, attr->hflip,
           attr->vflip);
  const cfFile file = cfi_loadFile(
      job->draft, (cfFileRequest){part, cfi_settings(part)->texturedir, name, options});
  bool (*read)(cfFileReader*, int, cfImage*) = is_png   ? cfi_readPng
                                               : is_ktx ? readKtxImage
                                                        : readRawImage;
  const cfImage image = file.is_product ? cfi_keptImage(&file) : freshImage(job, file, read);

  // the first image decides
  if (job->out->colorspace == mjCOLORSPACE_AUTO) {
    job->out->colorspace = image.is_srgb ? mjCOLORSPACE_SRGB : mjCOLORSPACE_LINEAR;
  }
  return image;
}


//---------------------------------- cubes ---------------------------------------------------------

static void sizeCube(textureJob* job, int width) {
  CF_ASSERT(width > 0);
  if (width >= INT_MAX / CUBE_SIDES) {
    cfi_fail(job->draft, &job->part->part, "Invalid width of cube texture");
  }
  job->out->width = width;
  job->out->height = CUBE_SIDES * width;
}


static void makeCube(textureJob* job, int width) {
  sizeCube(job, width);
  job->out->data = newTexture(job->draft, job->part, width, job->out->height);
}


static unsigned char* cubeSide(const textureJob* job, int side) {
  const size_t width = (size_t)job->out->width;
  return job->out->data + (size_t)side * width * width * (size_t)job->part->attr.nchannel;
}


// one color all over a face; memory is zero already
static void fillSide(unsigned char* data, size_t width, const unsigned char* color,
                     size_t nchannel) {
  static const unsigned char black[4] = {0, 0, 0, 0};
  if (!memcmp(color, black, nchannel)) {
    return;
  }
  for (size_t i = 0; i < width; i++) {
    memcpy(data + nchannel * i, color, nchannel);
  }
  for (size_t row = 1; row < width; row++) {
    memcpy(data + nchannel * width * row, data, nchannel * width);
  }
}


// faces without image have the first color
static void fillMissing(textureJob* job, const bool is_loaded[CUBE_SIDES]) {
  unsigned char color[4] = {0, 0, 0, 255};
  cfi_colorBytes(color, job->part->attr.rgb1);
  for (int side = 0; side < CUBE_SIDES; side++) {
    if (!is_loaded[side]) {
      fillSide(cubeSide(job, side), (size_t)job->out->width, color,
               (size_t)job->part->attr.nchannel);
    }
  }
}


// copy a square of an image
static void copySquare(textureJob* job, int side, const cfImage* image, int row, int col) {
  CF_ASSERT(side >= 0 && side < CUBE_SIDES && row >= 0 && col >= 0);
  const size_t n = (size_t)job->part->attr.nchannel, width = (size_t)job->out->width;
  for (size_t i = 0; i < width; i++) {
    const unsigned char* from =
        image->data + n * (((size_t)row + i) * (size_t)image->width + (size_t)col);
    memcpy(cubeSide(job, side) + n * i * width, from, n * width);
  }
}


// squares of a grid, named by a letter each
static void cutGrid(textureJob* job, const cfImage* image) {
  static const char letters[] = "RLUDFB";
  const mjsTexture* attr = &job->part->attr;
  bool is_loaded[CUBE_SIDES] = {false};
  for (int k = 0; k < attr->gridsize[0] * attr->gridsize[1]; k++) {
    const char symbol = attr->gridlayout[k];
    const char* letter = symbol ? strchr(letters, symbol) : NULL;
    if (!letter && symbol != '.') {
      cfi_fail(job->draft, &job->part->part, "gridlayout symbol is not among '.RLUDFB' in texture");
    }
    if (letter) {
      int side = (int)(letter - letters);
      copySquare(job, side, image, job->out->width * (k / attr->gridsize[1]),
                 job->out->width * (k % attr->gridsize[1]));
      is_loaded[side] = true;
    }
  }
  fillMissing(job, is_loaded);
}


// one image: the same for every face, or a grid
static void loadCube(textureJob* job) {
  const int* grid = job->part->attr.gridsize;
  if (grid[0] < 1 || grid[1] < 1 || grid[0] > 12 || grid[1] > 12 || grid[0] * grid[1] > 12) {
    cfi_fail(job->draft, &job->part->part,
             "gridsize must be non-zero and no more than 12 squares in texture");
  }
  const cfImage image = loadImage(job, job->part->file);
  if (image.width / grid[1] != image.height / grid[0] || image.width % grid[1] ||
      image.height % grid[0]) {
    cfi_fail(job->draft, &job->part->part,
             "PNG size must be integer multiple of gridsize in texture '%s' (id %d)",
             job->part->file, job->part->part.id);
  }
  if (grid[0] == 1 && grid[1] == 1) {
    job->out->width = job->out->height = image.width;
    job->out->data = image.data;
  } else {
    makeCube(job, image.width / grid[1]);
    cutGrid(job, &image);
  }
}


static const char* sideFile(const textureJob* job, int side) {
  CF_ASSERT_INDEX(side, CUBE_SIDES);
  const void* files = job->part->attr.cubefiles;
  const char* name = side < cfi_countStrings(files) ? cfi_text(cfi_strings(files) + side) : "";
  return job->draft->spec->pub.strippath ? cfi_fileName(name) : name;
}


// an image per face
static void loadSides(textureJob* job) {
  const cfPart* part = &job->part->part;
  bool is_loaded[CUBE_SIDES] = {false};
  if (job->out->type == mjTEXTURE_2D) {
    cfi_fail(job->draft, part, "Cannot load 2D texture from separate files, texture");
  }
  for (int side = 0; side < CUBE_SIDES; side++) {
    const char* name = sideFile(job, side);
    if (!name[0]) {
      continue;
    }
    const cfImage image = loadImage(job, name);
    if (image.width != image.height) {
      cfi_fail(job->draft, part, "Non-square PNG file '%s' in cube or skybox id %d", name,
               part->id);
    }
    if (!job->out->data) {
      makeCube(job, image.width);
    } else if (job->out->width != image.width) {
      cfi_fail(job->draft, part, "PNG file '%s' has incompatible size in texture id %d", name,
               part->id);
    }
    copySquare(job, side, &image, 0, 0);
    is_loaded[side] = true;
  }
  if (!job->out->data) {
    cfi_fail(job->draft, part, "No cubefiles_ defined in cube or skybox texture");
  }
  fillMissing(job, is_loaded);
}


//---------------------------------- entry ---------------------------------------------------------

// pixels given by the user
static void copyPixels(textureJob* job) {
  const mjsTexture* attr = &job->part->attr;
  const int64_t given = cfi_countBytes(attr->data);
  const int64_t expected = (int64_t)attr->width * attr->height;
  if (attr->nchannel < 1 || attr->nchannel > 4 || expected > INT_MAX / 4 ||
      given != attr->nchannel * expected) {
    cfi_fail(job->draft, &job->part->part,
             "Texture buffer has incorrect size, given %d expected %d x %d x %d", (int)given,
             attr->nchannel, attr->width, attr->height);
  }
  job->out->data =
      (unsigned char*)cfi_poolCopy(&job->draft->pool, cfi_bytes(attr->data), (size_t)given, 1);
  flipImage(attr, job->out->data, attr->width, attr->height);
}


static void makeBuiltin(textureJob* job) {
  cfTextureData* out = job->out;
  const cfPart* part = &job->part->part;
  if (out->width < 1) {
    cfi_fail(job->draft, part, "Invalid width of builtin texture");
  }
  if (out->type == mjTEXTURE_2D && out->height < 1) {
    cfi_fail(job->draft, part, "Invalid height of builtin texture");
  }
  if (out->type != mjTEXTURE_2D) {
    sizeCube(job, out->width);
  }
  job->draft->made_bytes += (double)out->width * out->height * 3;
  if (job->draft->made_bytes > (double)max_made_bytes) {
    cfi_fail(
        job->draft, part,
        "texture of %d x %d is too large: builtin textures may take %.0f bytes together, with it they take %.0f",
        out->width, out->height, (double)max_made_bytes, job->draft->made_bytes);
  }
  out->data = newTexture(job->draft, job->part, out->width, out->height);
  cfi_paintTexture(&job->part->attr, out);
}


void cfi_compileTexture(cfDraft* draft, const cfTextureDraft* texture, cfTextureData* out) {
  const mjsTexture* attr = &texture->attr;
  textureJob job = {draft, texture, out};
  *out = (cfTextureData){attr->type,  attr->colorspace, attr->height,
                         attr->width, attr->nchannel,   NULL};
  if (attr->nchannel < 1 || attr->nchannel > 4) {
    cfi_fail(draft, &texture->part, "Unsupported number of channels: %d", attr->nchannel);
  }
  if (cfi_countBytes(attr->data)) {
    copyPixels(&job);
  } else if (attr->builtin != mjBUILTIN_NONE) {
    makeBuiltin(&job);
  } else if (!texture->file[0]) {
    loadSides(&job);
  } else if (attr->type == mjTEXTURE_2D) {
    const cfImage image = loadImage(&job, texture->file);
    out->width = image.width;
    out->height = image.height;
    out->data = image.data;
  } else {
    loadCube(&job);
  }
}
