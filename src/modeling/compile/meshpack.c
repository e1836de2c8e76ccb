// Finished meshes as one block of bytes: the struct, then its arrays.
#include "compile/mesh.h"

#include <stdint.h>

#include "base/assert.h"
#include "compile/assetfile.h"

enum { PACK_ALIGNMENT = 16 };

// an array of a mesh: where its pointer and its count stand
typedef struct {
  size_t pointer, count, factor, bytes;
} packedArray;

#define ARRAY(field, counter, factor)                                   \
  {                                                                     \
    offsetof(cfMeshData, field), offsetof(cfMeshData, counter), factor, \
        sizeof(*((cfMeshData*)0)->field)                                \
  }

static const packedArray arrays[] = {
    ARRAY(vert, nvert, 3),
    ARRAY(normal, nnormal, 3),
    ARRAY(texcoord, ntexcoord, 2),
    ARRAY(face, nface, 3),
    ARRAY(facenormal, nface, 3),
    ARRAY(facetexcoord, nface, 3),
    ARRAY(graph, ngraph, 1),
    ARRAY(polynormal, npoly, 3),
    ARRAY(polyvertadr, npoly, 1),
    ARRAY(polyvertnum, npoly, 1),
    ARRAY(polyvert, npolyvert, 1),
    ARRAY(polymapadr, nvert, 1),
    ARRAY(polymapnum, nvert, 1),
    ARRAY(polymap, npolymap, 1),
    ARRAY(bvh.aabb, bvh.count, 6),
    ARRAY(bvh.child, bvh.count, 2),
    ARRAY(bvh.depth, bvh.count, 1),
    ARRAY(bvh.nodeid, bvh.count, 1),
    ARRAY(octree.aabb, octree.count, 6),
    ARRAY(octree.child, octree.count, 8),
    ARRAY(octree.depth, octree.count, 1),
    ARRAY(octree.coeff, octree.count, 8),
};
enum { ARRAYS = sizeof(arrays) / sizeof(arrays[0]) };
#undef ARRAY


static size_t alignUp(size_t size) {
  return (size + PACK_ALIGNMENT - 1) / PACK_ALIGNMENT * PACK_ALIGNMENT;
}


static void** arrayPointer(cfMeshData* mesh, const packedArray* a) {
  return (void**)(void*)((char*)mesh + a->pointer);
}


// bytes of an array, 0 where there is none
static size_t arrayBytes(cfMeshData* mesh, const packedArray* a) {
  CF_ASSERT(mesh && a);
  int count;
  memcpy(&count, (const char*)mesh + a->count, sizeof(count));
  return *arrayPointer(mesh, a) ? (size_t)count * a->factor * a->bytes : 0;
}


const unsigned char* cfi_packMesh(cfPool* pool, const cfMeshData* mesh) {
  cfMeshData header = *mesh;
  size_t size = alignUp(sizeof(header));
  for (int k = 0; k < ARRAYS; k++) {
    size += alignUp(arrayBytes(&header, arrays + k));
  }
  unsigned char* block = cfi_newProduct(pool, size);
  memcpy(block, &header, sizeof(header));
  unsigned char* to = block + alignUp(sizeof(header));
  for (int k = 0; k < ARRAYS; k++) {
    size_t bytes = arrayBytes(&header, arrays + k);
    if (bytes) {
      memcpy(to, *arrayPointer(&header, arrays + k), bytes);
    }
    to += alignUp(bytes);
  }
  return block;
}


void cfi_unpackMesh(const unsigned char* data, size_t size, cfMeshData* mesh) {
  CF_ASSERT(size >= sizeof(*mesh));
  memcpy(mesh, data, sizeof(*mesh));
  unsigned char* at = (unsigned char*)(uintptr_t)data + alignUp(sizeof(*mesh));
  for (int k = 0; k < ARRAYS; k++) {
    const size_t bytes = arrayBytes(mesh, arrays + k);
    *arrayPointer(mesh, arrays + k) = bytes ? at : NULL;
    at += alignUp(bytes);
  }
  CF_ASSERT(at == data + size);
}
