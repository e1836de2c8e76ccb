// Binary mesh files: STL (triangles with their own corners) and MSH (indexed vertices).
#include "base/assert.h"
#include "compile/surface.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

cfFloats cfi_newFloats(cfPool* pool, size_t count) {
  return (cfFloats){(float*)cfi_poolAlloc(pool, count + 1, sizeof(float)), count};
}


cfInts cfi_newInts(cfPool* pool, size_t count) {
  return (cfInts){(int*)cfi_poolAlloc(pool, count + 1, sizeof(int)), count};
}


//---------------------------------- equal vertices ------------------------------------------------

// slot of a point in the table: of an equal one seen before, or an empty one
static size_t vertexSlot(const float* vert, const int* table, size_t mask, const float point[3]) {
  CF_ASSERT((mask & (mask + 1)) == 0);
  size_t slot = cfi_hashPoint(point[0], point[1], point[2]) & mask;
  while (table[slot] >= 0) {
    const float* seen = vert + 3 * (size_t)table[slot];
    if (seen[0] == point[0] && seen[1] == point[1] && seen[2] == point[2]) {
      break;
    }
    slot = (slot + 1) & mask;
  }
  return slot;
}


// vertices keep the order in which they come first
void cfi_mergeVertices(cfPool* pool, cfSurface* surface) {
  CF_ASSERT(surface->vert.count % 3 == 0);
  size_t nvert = surface->vert.count / 3, mask = 15;
  while (mask < 2 * nvert) {
    mask = 2 * mask + 1;
  }
  int* table = (int*)cfi_poolAlloc(pool, mask + 1, sizeof(int));
  int* moved = (int*)cfi_poolAlloc(pool, nvert + 1, sizeof(int));
  memset(table, -1, (mask + 1) * sizeof(int));
  float* vert = surface->vert.item;
  int kept = 0;
  for (size_t i = 0; i < nvert; i++) {
    const size_t slot = vertexSlot(vert, table, mask, vert + 3 * i);
    if (table[slot] < 0) {
      memmove(vert + 3 * (size_t)kept, vert + 3 * i, 3 * sizeof(float));
      table[slot] = kept++;
    }
    moved[i] = table[slot];
  }
  for (size_t i = 0; i < surface->face.count; i++) {
    surface->face.item[i] = moved[surface->face.item[i]];
  }
  surface->vert.count = 3 * (size_t)kept;
}


//---------------------------------- STL -----------------------------------------------------------

enum { STL_HEADER = 80, STL_MAX_FACES = 200000 };

#pragma pack(push, 1)
typedef struct {
  float normal[3], corner[3][3];
  uint16_t attribute;
} stlTriangle;
#pragma pack(pop)


static bool checkStl(cfFileReader* reader, int nface, size_t left) {
  const char* name = reader->file.name;
  if (nface < 1 || nface > STL_MAX_FACES) {
    return cfi_badFile(
        reader,
        "number of faces should be between 1 and %d in STL file '%s'; perhaps this is an "
        "ASCII file?",
        STL_MAX_FACES, name);
  }
  if (left != (size_t)nface * sizeof(stlTriangle)) {
    return cfi_badFile(reader, "STL file '%s' has wrong size; perhaps this is an ASCII file?",
                       name);
  }
  return true;
}


bool cfi_readStl(cfFileReader* reader, bool is_mirrored, cfSurface* surface) {
  const float max_coordinate = 1 << 30;
  cfCursor cursor = {reader->file.data, reader->file.size};
  unsigned char header[STL_HEADER];
  int nface = 0;
  if (!cursor.left) {
    return cfi_badFile(reader, "STL file '%s' is empty", reader->file.name);
  }
  if (!cfi_take(&cursor, header, 1, STL_HEADER) || !cfi_take(&cursor, &nface, 1, sizeof(nface))) {
    return cfi_badFile(reader, "invalid header in STL file '%s'", reader->file.name);
  }
  if (!checkStl(reader, nface, cursor.left)) {
    return false;
  }

  // corners in the order of the file; triangles name the second and third one in reverse when
  // mirrored
  const size_t ncorner = 3 * (size_t)nface;
  surface->vert = cfi_newFloats(reader->pool, 3 * ncorner);
  surface->face = cfi_newInts(reader->pool, ncorner);
  stlTriangle triangle;
  for (size_t i = 0; cfi_take(&cursor, &triangle, 1, sizeof(triangle)); i++) {
    memcpy(surface->vert.item + 9 * i, triangle.corner, sizeof(triangle.corner));
    for (int j = 0; j < 3; j++) {
      surface->face.item[3 * i + j] = (int)(3 * i) + (is_mirrored ? (3 - j) % 3 : j);
    }
  }
  for (size_t i = 0; i < surface->vert.count; i++) {
    if (fabsf(surface->vert.item[i]) > max_coordinate) {
      return cfi_badFile(reader, "vertex in STL file '%s' exceed maximum bounds",
                         reader->file.name);
    }
    if (!isfinite(surface->vert.item[i])) {
      return cfi_badFile(reader, "vertex coordinate %d is not finite in STL file '%s'",
                         (int)(i - i % 3), reader->file.name);
    }
  }
  cfi_mergeVertices(reader->pool, surface);
  return true;
}


//---------------------------------- MSH -----------------------------------------------------------

// header of a MSH file: what it holds
typedef struct {
  int nvert, nnormal, ntexcoord, nface;
} mshSizes;


static bool checkMsh(cfFileReader* reader, const mshSizes* n, size_t left) {
  const char* name = reader->file.name;
  if (n->nvert < 4 || n->nface < 0 || n->nnormal < 0 || n->ntexcoord < 0 ||
      (n->nnormal > 0 && n->nnormal != n->nvert) ||
      (n->ntexcoord > 0 && n->ntexcoord != n->nvert)) {
    return cfi_badFile(reader, "invalid sizes in MSH file '%s'", name);
  }
  if (n->nvert >= INT_MAX / 12 || n->nface >= INT_MAX / 12) {
    return cfi_badFile(reader, "too large sizes in MSH file '%s'.", name);
  }
  const uint64_t words = 3 * (uint64_t)n->nvert + 3 * (uint64_t)n->nnormal +
                         2 * (uint64_t)n->ntexcoord + 3 * (uint64_t)n->nface;
  if (left != 4 * words) {
    return cfi_badFile(reader, "unexpected file size in MSH file '%s'", name);
  }
  return true;
}


static cfFloats takeFloats(cfFileReader* reader, cfCursor* cursor, size_t count) {
  const cfFloats array = cfi_newFloats(reader->pool, count);
  cfi_take(cursor, array.item, count, sizeof(float));
  return array;
}


static cfInts copyInts(cfPool* pool, cfInts from) {
  const cfInts array = cfi_newInts(pool, from.count);
  memcpy(array.item, from.item, from.count * sizeof(int));
  return array;
}


bool cfi_readMsh(cfFileReader* reader, bool is_mirrored, cfSurface* surface) {
  cfCursor cursor = {reader->file.data, reader->file.size};
  mshSizes n;
  if (!cursor.left) {
    return cfi_badFile(reader, "MSH file '%s' is empty", reader->file.name);
  }
  if (!cfi_take(&cursor, &n, 1, sizeof(n))) {
    return cfi_badFile(reader, "missing header in MSH file '%s'", reader->file.name);
  }
  if (!checkMsh(reader, &n, cursor.left)) {
    return false;
  }
  surface->vert = takeFloats(reader, &cursor, 3 * (size_t)n.nvert);
  surface->normal = takeFloats(reader, &cursor, 3 * (size_t)n.nnormal);
  surface->texcoord = takeFloats(reader, &cursor, 2 * (size_t)n.ntexcoord);
  surface->face = cfi_newInts(reader->pool, 3 * (size_t)n.nface);
  cfi_take(&cursor, surface->face.item, surface->face.count, sizeof(int));

  // normals and texture coordinates belong to vertices; their triangles are not reversed
  surface->facenormal = copyInts(reader->pool, surface->face);
  if (n.ntexcoord) {
    surface->facetexcoord = copyInts(reader->pool, surface->face);
  }
  for (int i = 0; is_mirrored && i < n.nface; i++) {
    int* corner = surface->face.item + 3 * (size_t)i;
    const int second = corner[1];
    corner[1] = corner[2];
    corner[2] = second;
  }
  return true;
}
