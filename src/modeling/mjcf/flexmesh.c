// Flexcomps from the surface of a mesh file; in three dimensions every triangle is joined with a
// point inside.
#include "mjcf/flexcomp.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/path.h"
#include "compile/surface.h"

mjResource* cfi_openFlexFile(cfFlexcomp* f) {
  cfReader* r = f->r;
  char error[300] = "";
  const cfElement* body = cfi_element(f->body->element);
  const char* name = r->spec->strippath ? cfi_fileName(f->file) : f->file;
  if (!name[0]) {
    cfi_badFlexcomp(f, "File is required");
    return NULL;
  }
  const char* path = cfi_documentPath(r->doc, cfi_text(cfi_compilerOf(body)->meshdir), name);
  mjResource* resource = mju_openResource(cfi_modelDirOf(body), path, r->vfs, error, sizeof(error));
  if (!resource) {
    cfi_badFlexcomp(f, "%s", error);
  }
  return resource;
}

//---------------------------------- surface -------------------------------------------------------

// vertices and triangles make sense
static bool checkReadSurface(cfFlexcomp* f, const cfSurface* s) {
  const size_t nvert = s->vert.count / 3;
  if (!nvert || !s->face.count) {
    return cfi_badFlexcomp(f, "Vertex and face data required");
  }
  for (size_t i = 0; i < s->vert.count; i++) {
    if (!isfinite(s->vert.item[i])) {
      return cfi_badFlexcomp(f, "vertex coordinate %d is not finite", (int)(i - i % 3));
    }
  }
  for (size_t i = 0; i < s->face.count; i++) {
    if (s->face.item[i] < 0 || (size_t)s->face.item[i] >= nvert) {
      return cfi_badFlexcomp(f, "face %d has vertex %d, number of vertices is %d", (int)(i / 3),
                             s->face.item[i], (int)nvert);
    }
  }
  if (nvert > CF_FLEXCOMP_MAX_POINTS) {
    return cfi_badFlexcomp(f, "mesh has too many vertices, at most %d are allowed",
                           CF_FLEXCOMP_MAX_POINTS);
  }
  return true;
}

// tetrahedron of a triangle and the origin, unless it is flat or inside out
static void addTetrahedron(cfFlexcomp* f, const int face[3]) {
  double edge[3][3], normal[3];
  for (int v = 0; v < 3; v++) {
    const double* p = cfi_doubles(&f->point) + 3 * ((size_t)face[v] + 1);
    for (int k = 0; k < 3; k++) {
      edge[v][k] = p[k] - f->origin[k];
    }
  }
  mju_cross(normal, edge[0], edge[1]);
  if (mju_dot3(normal, edge[2]) < mjMINVAL) {
    return;
  }
  int* element = (int*)cfi_growVec(&f->element, 4, sizeof(int));
  for (int v = 0; v < 3; v++) {
    element[v + 1] = face[v] + 1;
  }
}

static void takeSurface(cfFlexcomp* f, const cfSurface* s) {
  const bool is_solid = f->flex->dim == 3;
  cfi_assignVec(&f->point, is_solid ? f->origin : NULL, is_solid ? 3 : 0, sizeof(double));
  double* p = (double*)cfi_growVec(&f->point, s->vert.count, sizeof(double));
  for (size_t i = 0; i < s->vert.count; i++) {
    p[i] = s->vert.item[i];
  }
  if (s->texcoord.count) {
    cfi_assignVec(&f->texcoord, s->texcoord.item, s->texcoord.count, sizeof(float));
    cfi_assignVec(&f->elemtexcoord, s->facetexcoord.item, s->facetexcoord.count, sizeof(int));
  }
  if (!is_solid) {
    cfi_assignVec(&f->element, s->face.item, s->face.count, sizeof(int));
    return;
  }
  for (size_t i = 0; i + 2 < s->face.count; i += 3) {
    addTetrahedron(f, s->face.item + i);
  }
}

//---------------------------------- file ----------------------------------------------------------

// triangles of a file in memory, by its content type
static bool readSurface(cfFlexcomp* f, cfFileReader* reader, cfSurface* s) {
  const char* type = cfi_contentType(reader->pool, "", reader->file.name);
  const bool is_obj = strcmp(type, "model/obj") == 0;
  if (strcmp(type, "model/vnd.mujoco.msh") == 0) {
    return cfi_badFlexcomp(f, "legacy MSH files are not supported in flexcomp");
  }
  if (!type[0]) {
    return cfi_badFlexcomp(f, "unknown or unsupported mesh file: '%s'", reader->file.name);
  }
  if (!is_obj && strcmp(type, "model/stl") != 0) {
    return cfi_badFlexcomp(f, "unsupported mesh type: '%s'; allowed: .obj .stl", type);
  }
  if (!(is_obj ? cfi_readObj(reader, false, s) : cfi_readStl(reader, false, s))) {
    return cfi_badFlexcomp(f, "%s", reader->error);
  }
  if (!checkReadSurface(f, s)) {
    return false;
  }
  if (is_obj) {
    cfi_mergeVertices(reader->pool, s);
  }
  return true;
}

bool cfi_loadFlexMesh(cfFlexcomp* f) {
  if (f->flex->dim < 2 && f->file[0]) {
    return cfi_badFlexcomp(f, "Flex dim must be at least 2 for mesh");
  }
  mjResource* resource = cfi_openFlexFile(f);
  if (!resource) {
    return false;
  }
  const void* bytes = NULL;
  const int size = mju_readResource(resource, &bytes);
  cfPool pool;
  cfSurface surface;
  memset(&pool, 0, sizeof(pool));
  memset(&surface, 0, sizeof(surface));
  cfFileReader reader = {
      .pool = &pool,
      .file = {.name = resource->name, .data = (const unsigned char*)bytes, .size = (size_t)size}};
  const bool is_read = size < 0 ? cfi_badFlexcomp(f, "could not read file '%s'", resource->name)
                                : readSurface(f, &reader, &surface);
  if (is_read) {
    takeSurface(f, &surface);
  }
  cfi_poolFree(&pool);
  mju_closeResource(resource);
  return is_read;
}
