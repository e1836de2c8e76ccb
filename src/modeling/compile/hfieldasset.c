// Height fields: elevations from an image, a binary file or the specification, scaled to [0, 1].
#include "base/assert.h"
#include "compile/asset.h"

#include <math.h>
#include <stdint.h>

#include "compile/placement.h"
#include "compile/png.h"

enum { MAX_CELLS = 1 << 28 };


static float* newElevations(cfPool* pool, int nrow, int ncol) {
  return (float*)cfi_poolAlloc(pool, (size_t)nrow * (size_t)ncol, sizeof(float));
}


// binary file: rows, columns, elevations from bottom to top
static bool readBinaryField(cfFileReader* reader, cfHFieldData* out) {
  const char* name = reader->file.name;
  cfCursor cursor = {reader->file.data, reader->file.size};
  int sizes[2];
  if (!cursor.left) {
    return cfi_badFile(reader, "empty hfield file '%s'", name);
  }
  if (!cfi_take(&cursor, sizes, 2, sizeof(int))) {
    return cfi_badFile(reader, "hfield missing header '%s'", name);
  }
  if (sizes[0] < 1 || sizes[1] < 1) {
    return cfi_badFile(reader, "non-positive hfield dimensions in file '%s'", name);
  }
  uint64_t cells = (uint64_t)sizes[0] * (uint64_t)sizes[1];
  if (cells > MAX_CELLS || cursor.left != 4 * cells) {
    return cfi_badFile(reader, "unexpected file size in file '%s'", name);
  }
  out->nrow = sizes[0];
  out->ncol = sizes[1];
  out->data = newElevations(reader->pool, out->nrow, out->ncol);
  return cfi_take(&cursor, out->data, (size_t)cells, sizeof(float));
}


// gray values of an image, whose first row is the top
static bool readImageField(cfFileReader* reader, cfHFieldData* out) {
  cfImage image;
  if (!cfi_readPng(reader, 1, &image)) {
    return false;
  }
  out->nrow = image.height;
  out->ncol = image.width;
  out->data = newElevations(reader->pool, out->nrow, out->ncol);
  const size_t ncol = (size_t)image.width;
  for (size_t row = 0; row < (size_t)image.height; row++) {
    const unsigned char* from = image.data + ((size_t)image.height - 1 - row) * ncol;
    for (size_t col = 0; col < ncol; col++) {
      out->data[row * ncol + col] = from[col];
    }
  }
  return true;
}


static void loadField(cfDraft* draft, const cfHFieldDraft* hfield, cfHFieldData* out) {
  const char* type =
      cfi_contentType(&draft->pool, cfi_text(hfield->attr.content_type), hfield->file);
  bool is_png = !strcmp(type, "image/png");
  if (type[0] && !is_png && strcmp(type, "image/vnd.mujoco.hfield") != 0) {
    cfi_fail(draft, &hfield->part, "unsupported content type: '%s'", type);
  }
  const cfFile file = cfi_loadFile(
      draft,
      (cfFileRequest){&hfield->part, cfi_settings(&hfield->part)->meshdir, hfield->file, NULL});
  cfFileReader reader = {&draft->pool, file, ""};
  if (!(is_png ? readImageField : readBinaryField)(&reader, out)) {
    cfi_fail(draft, &hfield->part, "%s", reader.error);
  }
}


static void userField(cfDraft* draft, const cfHFieldDraft* hfield, cfHFieldData* out) {
  const mjsHField* attr = &hfield->attr;
  const int count = cfi_countFloats(attr->userdata);
  if (!count) {
    return;
  }
  if (attr->nrow < 1 || attr->ncol < 1 || (int64_t)attr->nrow * attr->ncol != count ||
      hfield->file[0]) {
    cfi_fail(draft, &hfield->part, "elevation data length must match nrow*ncol");
  }
  out->nrow = attr->nrow;
  out->ncol = attr->ncol;
  out->data =
      (float*)cfi_poolCopy(&draft->pool, cfi_floats(attr->userdata), (size_t)count, sizeof(float));
}


// lowest elevation becomes 0, highest 1
static void normalizeField(cfDraft* draft, const cfHFieldDraft* hfield, cfHFieldData* out) {
  CF_ASSERT(out->nrow > 0 && out->ncol > 0);
  float low = 1e10f, high = -1e10f;
  const size_t count = (size_t)out->nrow * (size_t)out->ncol;
  if (!cfi_allFinite(out->data, count)) {
    cfi_fail(draft, &hfield->part, "elevations are not finite in hfield '%s'", hfield->file);
  }
  for (size_t i = 0; i < count; i++) {
    low = out->data[i] < low ? out->data[i] : low;
    high = out->data[i] > high ? out->data[i] : high;
  }
  // the difference of finite elevations may still be beyond a float
  const float range = high - low;
  if (low > high || !isfinite(range)) {
    cfi_fail(draft, &hfield->part, "invalid data range in hfield '%s'", hfield->file);
  }
  for (size_t i = 0; i < count; i++) {
    out->data[i] -= low;
    if (range > CF_EPS) {
      out->data[i] /= range;
    }
  }
}


void cfi_compileHField(cfDraft* draft, const cfHFieldDraft* hfield, cfHFieldData* out) {
  userField(draft, hfield, out);
  for (int k = 0; k < 4; k++) {
    out->size[k] = hfield->attr.size[k];
    if (out->size[k] <= 0) {
      cfi_fail(draft, &hfield->part, "size parameter is not positive in hfield");
    }
  }
  if (hfield->file[0]) {
    loadField(draft, hfield, out);
  }
  if (!out->data) {
    cfi_fail(draft, &hfield->part, "hfield not specified; give it a file, or nrow and ncol");
  }
  normalizeField(draft, hfield, out);
}
