// Meshes: from file or specification to the arrays of mjModel.
//
// The surface is read, checked and given a hull, normals and polygons where it stands; then it is
// moved by the user's reference frame and scale, and into its inertial frame, whose pose the model
// keeps.
#include "base/assert.h"
#include "compile/asset.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "compile/mesh.h"
#include "compile/placement.h"
#include "math/inline.h"
#include "math/libm.h"

//---------------------------------- reading -------------------------------------------------------

static cfFloats userFloats(cfPool* pool, const void* vec) {
  const cfFloats array = cfi_newFloats(pool, cfi_vecCount(vec, sizeof(float)));
  if (array.count) {
    memcpy(array.item, cfi_floats(vec), array.count * sizeof(float));
  }
  return array;
}


static cfInts userInts(cfPool* pool, const void* vec) {
  const cfInts array = cfi_newInts(pool, cfi_vecCount(vec, sizeof(int)));
  if (array.count) {
    memcpy(array.item, cfi_ints(vec), array.count * sizeof(int));
  }
  return array;
}


// what the specification gives; normals of triangles are only used to complete a file
static cfSurface userSurface(cfPool* pool, const mjsMesh* attr) {
  cfSurface s;
  s.vert = userFloats(pool, attr->uservert);
  s.normal = userFloats(pool, attr->usernormal);
  s.texcoord = userFloats(pool, attr->usertexcoord);
  s.face = userInts(pool, attr->userface);
  s.facenormal = userInts(pool, attr->userfacenormal);
  s.facetexcoord = userInts(pool, attr->userfacetexcoord);
  return s;
}


// nothing may be given by the file and by the user
static void rejectRepeated(cfDraft* draft, const cfPart* part, const cfSurface* file,
                           const cfSurface* user) {
  const struct {
    size_t in_file, by_user;
    const char* what;
  } pairs[] = {
      {file->normal.count, user->normal.count, "normal"},
      {file->texcoord.count, user->texcoord.count, "texcoord"},
      {file->face.count, user->face.count, "face"},
      {file->vert.count, user->vert.count, "vertex"},
      {file->facenormal.count, user->normal.count, "facenormal"},
      {file->facetexcoord.count, user->facetexcoord.count, "facetexcoord"},
  };
  for (size_t k = 0; k < sizeof(pairs) / sizeof(pairs[0]); k++) {
    if (pairs[k].in_file && pairs[k].by_user) {
      cfi_fail(draft, part, "repeated %s specification", pairs[k].what);
    }
  }
}


static void readSurfaceFile(cfDraft* draft, const cfMeshDraft* mesh, const char* type, cfFile file,
                            cfSurface* surface) {
  static const struct {
    const char* type;
    bool (*read)(cfFileReader* reader, bool is_mirrored, cfSurface* surface);
  } formats[] = {
      {"model/stl", cfi_readStl},
      {"model/obj", cfi_readObj},
      {"model/vnd.mujoco.msh", cfi_readMsh},
  };
  const double* scale = mesh->attr.scale;
  bool is_mirrored = !(scale[0] * scale[1] * scale[2] > 0);
  cfFileReader reader = {&draft->pool, file, ""};
  for (size_t k = 0; k < sizeof(formats) / sizeof(formats[0]); k++) {
    if (!strcmp(type, formats[k].type)) {
      if (!formats[k].read(&reader, is_mirrored, surface)) {
        cfi_fail(draft, &mesh->part, "%s", reader.error);
      }
      return;
    }
  }
  cfi_fail(draft, &mesh->part, "unsupported mesh type: '%s'; allowed: .obj .stl .msh", type);
}


static bool isUserEmpty(const cfSurface* user) {
  return !user->vert.count && !user->normal.count && !user->texcoord.count && !user->face.count &&
         !user->facenormal.count && !user->facetexcoord.count;
}


// the file, or the mesh made from it before with the same attributes
static cfFile loadMeshFile(cfDraft* draft, const cfMeshDraft* mesh, cfMeshUse use, bool is_kept) {
  const mjsMesh* a = &mesh->attr;
  char options[600];
  snprintf(options, sizeof(options), "mesh %.60s %a %a %a %a %a %a %a %a %a %a %d %d %d %d %d",
           cfi_text(a->content_type), a->scale[0], a->scale[1], a->scale[2], a->refpos[0],
           a->refpos[1], a->refpos[2], a->refquat[0], a->refquat[1], a->refquat[2], a->refquat[3],
           (int)a->inertia, a->smoothnormal, a->maxhullvert, use.needs_hull, use.needs_sdf);
  return cfi_loadFile(draft, (cfFileRequest){&mesh->part, cfi_settings(&mesh->part)->meshdir,
                                             mesh->file, is_kept ? options : NULL});
}


// what is given by file or specification; the file says where it came from
static cfSurface loadSurface(cfDraft* draft, const cfMeshDraft* mesh, cfMeshUse use, bool* is_obj,
                             cfFile* source) {
  const mjsMesh* attr = &mesh->attr;
  cfSurface user = userSurface(&draft->pool, attr);
  const char* given = cfi_text(attr->content_type);
  memset(source, 0, sizeof(*source));
  if (!mesh->file[0]) {
    if (mesh->plugin) {
      return cfi_fieldSurface(draft, mesh);
    }
    *is_obj = !strcmp(given, "model/obj");
    user.facenormal.count = 0;
    return user;
  }
  cfSurface surface;
  memset(&surface, 0, sizeof(surface));
  const cfFile file = loadMeshFile(draft, mesh, use, isUserEmpty(&user));
  *source = file;
  if (file.is_product) {
    return surface;
  }
  const char* type = cfi_contentType(&draft->pool, given, file.name);
  if (!type[0] && given[0]) {
    cfi_fail(draft, &mesh->part, "invalid content type: '%s'", given);
  }
  if (!type[0]) {
    cfi_fail(draft, &mesh->part, "unknown or unsupported mesh file: '%s'", file.name);
  }
  *is_obj = !strcmp(type, "model/obj");
  readSurfaceFile(draft, mesh, type, file, &surface);
  rejectRepeated(draft, &mesh->part, &surface, &user);

  // the user completes what the file does not have
  surface.normal = surface.normal.count ? surface.normal : user.normal;
  surface.texcoord = surface.texcoord.count ? surface.texcoord : user.texcoord;
  surface.face = surface.face.count ? surface.face : user.face;
  surface.vert = surface.vert.count ? surface.vert : user.vert;
  surface.facenormal = surface.facenormal.count ? surface.facenormal : user.facenormal;
  surface.facetexcoord = surface.facetexcoord.count ? surface.facetexcoord : user.facetexcoord;
  return surface;
}


//---------------------------------- checks --------------------------------------------------------

static void checkSurface(cfDraft* draft, const cfPart* part, const cfSurface* s, bool is_obj) {
  enum { MAX_NUMBERS = 1 << 29 };
  const size_t nvert = s->vert.count / 3;
  if (s->vert.count > MAX_NUMBERS || s->face.count > MAX_NUMBERS || s->normal.count > MAX_NUMBERS ||
      s->texcoord.count > MAX_NUMBERS) {
    cfi_fail(draft, part, "mesh is too large");
  }
  if (s->vert.count % 3) {
    cfi_fail(draft, part, "vertex data must be a multiple of 3");
  }
  if (s->vert.count < 12) {
    cfi_fail(draft, part, "at least 4 vertices required");
  }
  if (s->normal.count % 3) {
    cfi_fail(draft, part, "normal data must be a multiple of 3");
  }
  if (s->texcoord.count % 2) {
    cfi_fail(draft, part, "texcoord must be a multiple of 2");
  }
  if (!cfi_allFinite(s->texcoord.item, s->texcoord.count)) {
    cfi_fail(draft, part, "texture coordinates are not finite");
  }
  if (s->face.count % 3) {
    cfi_fail(draft, part, "face data must be a multiple of 3");
  }
  if (s->texcoord.count && s->texcoord.count != 2 * nvert && !s->facetexcoord.count && !is_obj) {
    cfi_fail(draft, part,
             "texcoord must be 2*nv if face texcoord indices are not provided in an OBJ file");
  }
  for (size_t i = 0; i < s->face.count; i++) {
    if (s->face.item[i] < 0 || (size_t)s->face.item[i] >= nvert) {
      cfi_fail(draft, part, "in face %d, vertex index %d does not exist", (int)(i / 3),
               s->face.item[i]);
    }
  }
}


// vertices in double precision
static double* convertVertices(cfDraft* draft, const cfPart* part, cfFloats vert) {
  CF_ASSERT(vert.count % 3 == 0);
  double* to = (double*)cfi_poolAlloc(&draft->pool, vert.count + 1, sizeof(double));
  for (size_t i = 0; i < vert.count; i++) {
    if (!isfinite(vert.item[i])) {
      cfi_fail(draft, part, "vertex coordinate %d is not finite", (int)(i / 3));
    }
    to[i] = vert.item[i];
  }
  return to;
}


//---------------------------------- completion ----------------------------------------------------

static cfInts copyFaces(cfPool* pool, const cfMesh* mesh, int factor) {
  const cfInts copy = cfi_newInts(pool, 3 * (size_t)mesh->nface);
  for (size_t i = 0; i < copy.count; i++) {
    copy.item[i] = factor * mesh->face[i];
  }
  return copy;
}


// an index of something that is not there becomes -1, none: nobody may read outside an array
// because of it
static void dropWrongIndices(cfInts index, size_t count) {
  for (size_t i = 0; i < index.count; i++) {
    if (index.item[i] < 0 || (size_t)index.item[i] >= count) {
      index.item[i] = -1;
    }
  }
}


// normals and the indices that belong to normals and texture coordinates
static void completeSurface(cfMesh* mesh, cfSurface* s) {
  cfPool* pool = &mesh->draft->pool;
  const cfPart* part = &mesh->part->part;
  const size_t ncorner = 3 * (size_t)mesh->nface;
  if (!s->normal.count) {
    s->normal = cfi_vertexNormals(mesh, mesh->part->attr.smoothnormal);
    s->facenormal = copyFaces(pool, mesh, 1);
  } else if (!s->facenormal.count) {
    s->facenormal = copyFaces(pool, mesh, (int)(s->normal.count / s->vert.count));
  }
  if (s->facenormal.count != ncorner) {
    cfi_fail(mesh->draft, part, "face data must have the same size as face normal data");
  }
  if (s->texcoord.count && !s->facetexcoord.count) {
    s->facetexcoord = copyFaces(pool, mesh, 1);
  }
  if (s->texcoord.count && s->facetexcoord.count != ncorner) {
    cfi_fail(mesh->draft, part, "face data must have the same size as face texcoord data");
  }
  dropWrongIndices(s->facenormal, s->normal.count / 3);
  dropWrongIndices(s->facetexcoord, s->texcoord.count / 2);
}


//---------------------------------- placement -----------------------------------------------------

// turn a single-precision vector
static void turnNormal(float n[3], const double R[9]) {
  double v[3] = {n[0], n[1], n[2]};
  cfi_mulMatVec3(v, R, v);
  for (int k = 0; k < 3; k++) {
    n[k] = (float)v[k];
  }
}


static void turnSurface(cfMesh* mesh, cfFloats normal, const double R[9]) {
  CF_ASSERT(mesh->nvert >= 0);
  for (int i = 0; i < mesh->nvert; i++) {
    cfi_mulMatVec3(mesh->vert + 3 * (size_t)i, R, mesh->vert + 3 * (size_t)i);
  }
  for (size_t i = 0; i < normal.count; i += 3) {
    turnNormal(normal.item + i, R);
  }
}


static void shiftSurface(cfMesh* mesh, const double by[3]) {
  for (int i = 0; i < mesh->nvert; i++) {
    cfi_subFrom3(mesh->vert + 3 * (size_t)i, by);
  }
}


static void scaleSurface(cfMesh* mesh, cfFloats normal, const double scale[3]) {
  for (size_t i = 0; i < 3 * (size_t)mesh->nvert; i++) {
    mesh->vert[i] *= scale[i % 3];
  }
  for (size_t i = 0; i < normal.count; i++) {
    normal.item[i] = (float)(normal.item[i] * scale[i % 3]);
  }
}


static void unitNormals(cfFloats normal) {
  for (size_t i = 0; i < normal.count; i += 3) {
    float* n = normal.item + i;
    const float square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    const bool is_short = !(square > mjMINVAL) || !isfinite(square);
    const float factor = is_short ? 0 : 1 / sqrtf(square);
    for (int k = 0; k < 3; k++) {
      n[k] = is_short ? (k == 2) : n[k] * factor;
    }
  }
}


// rotation by the inverse of a quaternion; the identity stays exact
static void inverseRotation(double R[9], const double quat[4]) {
  const double inverse[4] = {quat[0], -quat[1], -quat[2], -quat[3]};
  cfi_quat2Mat(R, inverse);
}


// the user's reference frame becomes the origin, then sizes are scaled
static void placeInReference(cfMesh* mesh, cfFloats normal) {
  const mjsMesh* attr = &mesh->part->attr;
  const double *pos = attr->refpos, *quat = attr->refquat, *scale = attr->scale;
  if (pos[0] != 0 || pos[1] != 0 || pos[2] != 0) {
    shiftSurface(mesh, pos);
  }
  if (quat[0] != 1 || quat[1] != 0 || quat[2] != 0 || quat[3] != 0) {
    double unit[4], R[9], back[9];
    cfi_copy4(unit, quat);
    cfi_unit(unit, 4);
    cfi_quat2Mat(R, unit);
    cfi_transpose3(back, R);
    turnSurface(mesh, normal, back);
  }
  if (scale[0] != 1 || scale[1] != 1 || scale[2] != 1) {
    scaleSurface(mesh, normal, scale);
  }
  unitNormals(normal);
}


// a plugin computes distances in the frame of its own field
static void keepFrame(cfMeshData* out) {
  cfi_zero3(out->pos);
  out->quat[0] = 1;
  cfi_zero3(out->quat + 1);
}


// into the inertial frame; box around the vertices
static void placeInInertial(cfMesh* mesh, cfFloats normal, cfMeshData* out) {
  CF_ASSERT(mesh->nvert > 0);
  double R[9];
  shiftSurface(mesh, out->pos);
  inverseRotation(R, out->quat);
  turnSurface(mesh, normal, R);
  for (int k = 0; k < 3; k++) {
    out->aamm[k] = 1e10;
    out->aamm[3 + k] = -1e10;
  }
  for (size_t i = 0; i < 3 * (size_t)mesh->nvert; i++) {
    const size_t k = i % 3;
    out->aamm[k] = cfi_fmin(out->aamm[k], mesh->vert[i]);
    out->aamm[3 + k] = cfi_fmax(out->aamm[3 + k], mesh->vert[i]);
  }
}


//---------------------------------- hierarchy -----------------------------------------------------

// center of the circle through the corners of a triangle
static void circumcenter(double center[3], const double* p, const double* q, const double* r) {
  double a[3], b[3], normal[3], mix[3], out[3];
  cfi_sub3(a, p, r);
  cfi_sub3(b, q, r);
  cfi_cross(normal, a, b);
  const double aa = cfi_dot3(a, a), bb = cfi_dot3(b, b), area = cfi_norm3(normal);
  for (int k = 0; k < 3; k++) {
    mix[k] = aa * b[k] - bb * a[k];
  }
  cfi_cross(out, mix, normal);
  for (int k = 0; k < 3; k++) {
    center[k] = out[k] / (2 * area * area) + r[k];
  }
}


// box of a triangle as center and half size
static void triangleBox(double aabb[6], const double* p, const double* q, const double* r) {
  for (int k = 0; k < 3; k++) {
    const double low = cfi_fmin(cfi_fmin(p[k], q[k]), r[k]),
                 high = cfi_fmax(cfi_fmax(p[k], q[k]), r[k]);
    aabb[k] = 0.5 * (low + high);
    aabb[3 + k] = 0.5 * (high - low);
  }
}


static void buildFaceBvh(const cfMesh* mesh, cfMeshData* out) {
  CF_ASSERT(mesh->nface > 0);
  static const double origin[3] = {0, 0, 0}, identity[4] = {1, 0, 0, 0};
  cfPool* pool = &mesh->draft->pool;
  size_t nface = (size_t)mesh->nface;
  cfBvhItem* item = (cfBvhItem*)cfi_poolAlloc(pool, nface, sizeof(cfBvhItem));
  double* center = (double*)cfi_poolAlloc(pool, 3 * nface, sizeof(double));
  double* aabb = (double*)cfi_poolAlloc(pool, 6 * nface, sizeof(double));
  for (int i = 0; i < mesh->nface; i++) {
    const double *p = cfi_corner(mesh, mesh->face, i, 0), *q = cfi_corner(mesh, mesh->face, i, 1),
                 *r = cfi_corner(mesh, mesh->face, i, 2);
    circumcenter(center + 3 * (size_t)i, p, q, r);
    triangleBox(aabb + 6 * (size_t)i, p, q, r);
    item[i] = (cfBvhItem){aabb + 6 * (size_t)i, center + 3 * (size_t)i, NULL, i};
  }
  out->bvh = cfi_buildBvh(pool, item, mesh->nface, origin, identity);
}


//---------------------------------- entry ---------------------------------------------------------

// arrays of the model
static void storeSurface(const cfMesh* mesh, const cfSurface* s, cfMeshUse use, cfMeshData* out) {
  cfPool* pool = &mesh->draft->pool;
  cfi_copy3(out->scale, mesh->part->attr.scale);
  out->nvert = mesh->nvert;
  out->vert = (float*)cfi_poolAlloc(pool, 3 * (size_t)mesh->nvert, sizeof(float));
  for (size_t i = 0; i < 3 * (size_t)mesh->nvert; i++) {
    if (!(fabs(mesh->vert[i]) <= FLT_MAX)) {
      cfi_fail(mesh->draft, &mesh->part->part, "vertex %d is too far away", (int)(i / 3));
    }
    out->vert[i] = (float)mesh->vert[i];
  }
  out->nface = mesh->nface;
  out->face = (int*)cfi_poolCopy(pool, mesh->face, 3 * (size_t)mesh->nface, sizeof(int));
  out->facenormal = s->facenormal.item;
  out->nnormal = (int)(s->normal.count / 3);
  out->normal = s->normal.item;
  if (s->texcoord.count) {
    out->ntexcoord = (int)(s->texcoord.count / 2);
    out->texcoord = s->texcoord.item;
    out->facetexcoord = s->facetexcoord.item;
  }
  if (use.needs_hull || !s->face.count) {
    out->ngraph = mesh->nhull;
    out->graph = (int*)cfi_poolCopy(pool, mesh->hull, (size_t)mesh->nhull, sizeof(int));
  }
}


void cfi_buildMesh(cfDraft* draft, const cfMeshDraft* part, cfMeshUse use, cfSurface s, bool is_obj,
                   cfMeshData* out) {
  checkSurface(draft, &part->part, &s, is_obj);
  cfMesh mesh = {.draft = draft,
                 .part = part,
                 .inertia = part->attr.inertia,
                 .vert = convertVertices(draft, &part->part, s.vert),
                 .nvert = (int)(s.vert.count / 3),
                 .face = s.face.item,
                 .nface = (int)(s.face.count / 3)};
  if (mesh.inertia == mjMESH_INERTIA_EXACT) {
    cfi_checkOrientation(&mesh);
  }
  if (use.needs_hull || !mesh.nface || mesh.inertia == mjMESH_INERTIA_CONVEX) {
    cfi_buildHull(&mesh);
  }
  if (!mesh.nface) {
    mesh.face = mesh.hullface;
    mesh.nface = mesh.nhullface;
  }
  completeSurface(&mesh, &s);
  cfi_buildPolygons(&mesh, out);
  placeInReference(&mesh, s.normal);
  cfi_meshInertia(&mesh, out);
  if (part->plugin) {
    keepFrame(out);
  }
  placeInInertial(&mesh, s.normal, out);
  cfi_polygonNormals(&mesh, out);
  buildFaceBvh(&mesh, out);
  storeSurface(&mesh, &s, use, out);
  if (use.needs_sdf) {
    cfi_buildOctree(&mesh, out->aamm, &out->octree);
  }
}


void cfi_compileMesh(cfDraft* draft, const cfMeshDraft* part, cfMeshUse use, cfMeshData* out) {
  bool is_obj = false;
  cfFile source;
  cfSurface s = loadSurface(draft, part, use, &is_obj, &source);
  if (source.is_product) {
    cfi_unpackMesh(source.data, source.size, out);
    return;
  }
  cfi_buildMesh(draft, part, use, s, is_obj, out);
  if (source.key) {
    cfi_keepProduct(&source, cfi_packMesh(&draft->pool, out));
  }
}
