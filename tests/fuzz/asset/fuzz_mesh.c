// Fuzz target: a mesh file of CF_FUZZ_FORMAT.
//
// Every input is read; a surface that comes of it is processed (checks, hull, normals, polygons,
// inertia, hierarchy) for a share of the inputs, and an octree is built or a whole model compiled,
// saved and loaded for smaller shares.  The input's bytes decide.
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "asset.h"
#include "compile/mesh.h"
#include "roll.h"

enum { MESH_SHARE = 4, OCTREE_SHARE = 16384, WHOLE_SHARE = 1024 };

static const struct {
  const char* format;
  bool (*read)(cfFileReader* reader, bool is_mirrored, cfSurface* surface);
  size_t (*mutate)(uint8_t* data, size_t size, size_t max, unsigned seed);
} formats[] = {
    {"obj", cfi_readObj, cf_mutateObj},
    {"stl", cfi_readStl, cf_mutateStl},
    {"msh", cfi_readMsh, cf_mutateMsh},
};


static int ownFormat(void) {
  for (int k = 0; k < 3; k++) {
    if (!strcmp(formats[k].format, CF_FUZZ_FORMAT)) {
      return k;
    }
  }
  abort();
}


static void require(bool condition, const char* what) {
  if (!condition) {
    fprintf(stderr, "mesh is wrong: %s\n", what);
    abort();
  }
}


static bool allBelow(const int* index, size_t count, int low, int high) {
  for (size_t i = 0; index && i < count; i++) {
    if (index[i] < low || index[i] >= high) {
      return false;
    }
  }
  return true;
}


// what the model relies on
static void checkMesh(const cfMeshData* mesh) {
  size_t ncorner = 3 * (size_t)mesh->nface;
  require(mesh->nvert >= 4 && mesh->nface > 0, "empty");
  require(cfi_allFinite(mesh->vert, 3 * (size_t)mesh->nvert), "vertices");
  require(cfi_allFinite(mesh->normal, 3 * (size_t)mesh->nnormal), "normals");
  require(cfi_allFinite(mesh->texcoord, 2 * (size_t)mesh->ntexcoord), "texture coordinates");
  require(allBelow(mesh->face, ncorner, 0, mesh->nvert), "triangles");
  require(allBelow(mesh->facenormal, ncorner, -1, mesh->nnormal), "indices of normals");
  require(allBelow(mesh->facetexcoord, ncorner, -1, mesh->ntexcoord),
          "indices of texture coordinates");
  require(allBelow(mesh->polyvert, (size_t)mesh->npolyvert, 0, mesh->nvert), "polygons");
  require(allBelow(mesh->polymap, (size_t)mesh->npolymap, 0, mesh->npoly), "map of polygons");
  for (int k = 0; k < 3; k++) {
    require(isfinite(mesh->pos[k]), "frame");
  }
}


// how the mesh is asked for
static void chooseTreatment(cfMeshDraft* part, cfMeshUse* use, unsigned choice) {
  mjs_defaultMesh(&part->attr);
  part->part.name = "a";
  part->attr.inertia = (mjtMeshInertia)(choice % 4);
  part->attr.smoothnormal = choice >> 2 & 1;
  part->attr.maxhullvert = (choice >> 3 & 3) ? -1 : 8;
  part->attr.scale[0] = (choice >> 5 & 3) ? 1 : -2;
  part->attr.refpos[1] = (choice >> 7 & 7) ? 0 : 0.5;
  part->attr.refquat[3] = (choice >> 10 & 7) ? 0 : 1;
  use->needs_hull = choice >> 13 & 1;
  use->needs_sdf = (choice * 0x9E3779B1u >> 16) % OCTREE_SHARE == 0;
}


static void processSurface(cfDraft* draft, const cfMeshDraft* part, cfMeshUse use,
                           cfSurface surface, bool is_obj) {
  cfMeshData mesh;
  memset(&mesh, 0, sizeof(mesh));
  cfi_buildMesh(draft, part, use, surface, is_obj, &mesh);
  checkMesh(&mesh);
}


int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static cfDraft draft;
  static cfMeshDraft part;
  const int format = ownFormat();
  const unsigned hash = cf_hashBytes(data, size);
  cfMeshUse use;
  chooseTreatment(&part, &use, hash);
  cfSurface surface;
  memset(&surface, 0, sizeof(surface));
  cfFileReader reader = {&draft.pool, {.name = "f", .data = data, .size = size}, ""};
  jmp_buf here;
  draft.escape = &here;
  draft.message[0] = 0;
  draft.nfailed = 0;
  bool is_read = formats[format].read(&reader, part.attr.scale[0] < 0, &surface);
  if (is_read && (hash >> 20) % MESH_SHARE == 0 && setjmp(here) == 0) {
    processSurface(&draft, &part, use, surface, format == 0);
  }
  cfi_poolFree(&draft.pool);
  if (is_read && (hash >> 20) % WHOLE_SHARE == 1) {
    cf_compileWhole(CF_FUZZ_FORMAT, data, size, hash);
  }
  return 0;
}


// mostly mutations that know the format, sometimes plain ones
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  size_t changed = seed % 8 ? formats[ownFormat()].mutate(data, size, max_size, seed) : 0;
  return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
