// Skins: from a SKN file or the specification; weights of each vertex are scaled to a sum of one.
#include "base/assert.h"
#include "compile/asset.h"

#include <math.h>
#include <stdint.h>

#include "base/path.h"
#include "compile/placement.h"
#include "compile/surface.h"

enum { BONE_NAME_BYTES = 40 };

// header of a SKN file
typedef struct {
  int nvert, ntexcoord, nface, nbone;
} skinSizes;

// fixed part of a bone in a SKN file
typedef struct {
  char name[BONE_NAME_BYTES];
  float pos[3], quat[4];
  int nvert;
} skinBone;


// room for the arrays of `count` bones
static void newBones(cfPool* pool, cfSkinData* out, int count) {
  CF_ASSERT(count >= 0);
  const size_t n = (size_t)count + 1;
  out->nbone = count;
  out->bodyname = (const char**)cfi_poolAlloc(pool, n, sizeof(char*));
  out->bindpos = (float*)cfi_poolAlloc(pool, 3 * n, sizeof(float));
  out->bindquat = (float*)cfi_poolAlloc(pool, 4 * n, sizeof(float));
  out->bonevertnum = (int*)cfi_poolAlloc(pool, n, sizeof(int));
  out->bonevertid = (int**)cfi_poolAlloc(pool, n, sizeof(int*));
  out->bonevertweight = (float**)cfi_poolAlloc(pool, n, sizeof(float*));
}


//---------------------------------- SKN files -----------------------------------------------------

static bool readFileBone(cfFileReader* reader, cfCursor* cursor, cfSkinData* out, int i) {
  CF_ASSERT_INDEX(i, out->nbone);
  const char* file = reader->file.name;
  skinBone bone;
  if (!cfi_take(cursor, &bone, 1, sizeof(bone))) {
    return cfi_badFile(reader, "insufficient data in SKN file '%s', bone %d", file, i);
  }
  if (bone.nvert < 1) {
    return cfi_badFile(reader, "vertex count must be positive in SKN file '%s', bone %d", file, i);
  }
  if ((uint64_t)bone.nvert * 8 > cursor->left) {
    return cfi_badFile(reader, "insufficient vertex data in SKN file '%s', bone %d", file, i);
  }
  bone.name[BONE_NAME_BYTES - 1] = 0;
  out->bodyname[i] = cfi_poolText(reader->pool, bone.name);
  memcpy(out->bindpos + 3 * (size_t)i, bone.pos, sizeof(bone.pos));
  memcpy(out->bindquat + 4 * (size_t)i, bone.quat, sizeof(bone.quat));
  size_t n = (size_t)bone.nvert;
  out->bonevertnum[i] = bone.nvert;
  out->bonevertid[i] = (int*)cfi_poolAlloc(reader->pool, n, sizeof(int));
  out->bonevertweight[i] = (float*)cfi_poolAlloc(reader->pool, n, sizeof(float));
  return cfi_take(cursor, out->bonevertid[i], n, sizeof(int)) &&
         cfi_take(cursor, out->bonevertweight[i], n, sizeof(float));
}


static bool readSkn(cfFileReader* reader, cfSkinData* out) {
  const char* file = reader->file.name;
  cfCursor cursor = {reader->file.data, reader->file.size};
  skinSizes n;
  if (!cursor.left) {
    return cfi_badFile(reader, "SKN file '%s' is empty", file);
  }
  if (!cfi_take(&cursor, &n, 1, sizeof(n))) {
    return cfi_badFile(reader, "missing header in SKN file '%s'", file);
  }
  if (n.nvert < 0 || n.ntexcoord < 0 || n.nface < 0 || n.nbone < 0) {
    return cfi_badFile(reader, "negative size in header of SKN file '%s'", file);
  }
  const uint64_t need = 12 * (uint64_t)n.nvert + 8 * (uint64_t)n.ntexcoord + 12 * (uint64_t)n.nface;
  if (cursor.left < need || (cursor.left - need) / sizeof(skinBone) < (uint64_t)n.nbone) {
    return cfi_badFile(reader, "insufficient data in SKN file '%s'", file);
  }
  out->nvert = n.nvert;
  out->ntexcoord = n.ntexcoord;
  out->nface = n.nface;
  out->vert = cfi_newFloats(reader->pool, 3 * (size_t)n.nvert).item;
  out->texcoord = cfi_newFloats(reader->pool, 2 * (size_t)n.ntexcoord).item;
  out->face = cfi_newInts(reader->pool, 3 * (size_t)n.nface).item;
  cfi_take(&cursor, out->vert, 3 * (size_t)n.nvert, sizeof(float));
  cfi_take(&cursor, out->texcoord, 2 * (size_t)n.ntexcoord, sizeof(float));
  cfi_take(&cursor, out->face, 3 * (size_t)n.nface, sizeof(int));
  newBones(reader->pool, out, n.nbone);
  for (int i = 0; i < n.nbone; i++) {
    if (!readFileBone(reader, &cursor, out, i)) {
      return false;
    }
  }
  if (cursor.left) {
    return cfi_badFile(reader, "unexpected buffer size in SKN file '%s'", file);
  }
  return true;
}


static bool hasUserData(const mjsSkin* attr) {
  return cfi_countFloats(attr->vert) || cfi_countFloats(attr->texcoord) ||
         cfi_countInts(attr->face) || cfi_countStrings(attr->bodyname) ||
         cfi_countFloats(attr->bindpos) || cfi_countFloats(attr->bindquat) ||
         cfi_countVecs(attr->vertid) || cfi_countVecs(attr->vertweight);
}


static void loadSkin(cfDraft* draft, const cfSkinDraft* skin, cfSkinData* out) {
  if (hasUserData(&skin->attr)) {
    cfi_fail(draft, &skin->part, "Both skin data and file were specified: %s", skin->file);
  }
  if (strcasecmp(cfi_fileExtension(skin->file), ".skn") != 0) {
    cfi_fail(draft, &skin->part, "Unknown skin file type: %s", skin->file);
  }
  const cfFile file = cfi_loadFile(
      draft, (cfFileRequest){&skin->part, cfi_settings(&skin->part)->meshdir, skin->file, NULL});
  cfFileReader reader = {&draft->pool, file, ""};
  if (!readSkn(&reader, out)) {
    cfi_fail(draft, &skin->part, "%s", reader.error);
  }
}


//---------------------------------- specification -------------------------------------------------

static void checkUserSizes(cfDraft* draft, const cfSkinDraft* skin) {
  const mjsSkin* attr = &skin->attr;
  const size_t nbone = (size_t)cfi_countStrings(attr->bodyname);
  const struct {
    bool is_wrong;
    const char* message;
  } checks[] = {
      {cfi_countFloats(attr->vert) % 3, "Vertex data must be multiple of 3"},
      {cfi_countInts(attr->face) % 3, "Face data must be multiple of 3"},
      {cfi_countFloats(attr->texcoord) % 2, "Vertex and texcoord data incompatible size"},
      {(size_t)cfi_countFloats(attr->bindpos) != 3 * nbone, "Unexpected bindpos size in skin"},
      {(size_t)cfi_countFloats(attr->bindquat) != 4 * nbone, "Unexpected bindquat size in skin"},
      {(size_t)cfi_countVecs(attr->vertid) != nbone, "Unexpected vertid size in skin"},
      {(size_t)cfi_countVecs(attr->vertweight) != nbone, "Unexpected vertweight size in skin"},
  };
  for (size_t k = 0; k < sizeof(checks) / sizeof(checks[0]); k++) {
    if (checks[k].is_wrong) {
      cfi_fail(draft, &skin->part, "%s", checks[k].message);
    }
  }
}


static float* copyFloats(cfPool* pool, const void* vec) {
  return (float*)cfi_poolCopy(pool, cfi_floats(vec), (size_t)cfi_countFloats(vec), sizeof(float));
}


static void userSkin(cfDraft* draft, const cfSkinDraft* skin, cfSkinData* out) {
  const mjsSkin* attr = &skin->attr;
  cfPool* pool = &draft->pool;
  checkUserSizes(draft, skin);
  out->nvert = cfi_countFloats(attr->vert) / 3;
  out->ntexcoord = cfi_countFloats(attr->texcoord) / 2;
  out->nface = cfi_countInts(attr->face) / 3;
  out->vert = copyFloats(pool, attr->vert);
  out->texcoord = copyFloats(pool, attr->texcoord);
  out->face = (int*)cfi_poolCopy(pool, cfi_ints(attr->face), 3 * (size_t)out->nface, sizeof(int));
  newBones(pool, out, cfi_countStrings(attr->bodyname));
  for (int i = 0; i < out->nbone; i++) {
    const cfVec *id = cfi_vecs(attr->vertid) + i, *weight = cfi_vecs(attr->vertweight) + i;
    const int count = cfi_countInts(id);
    if (cfi_countFloats(weight) != count || !count) {
      cfi_fail(draft, &skin->part, "vertid and vertweight must have same non-zero size in skin");
    }
    out->bodyname[i] = cfi_text(cfi_strings(attr->bodyname) + i);
    out->bonevertnum[i] = count;
    out->bonevertid[i] = (int*)cfi_poolCopy(pool, cfi_ints(id), (size_t)count, sizeof(int));
    out->bonevertweight[i] = copyFloats(pool, weight);
  }
  out->bindpos = copyFloats(pool, attr->bindpos);
  out->bindquat = copyFloats(pool, attr->bindquat);
}


//---------------------------------- weights -------------------------------------------------------

static void checkSkin(cfDraft* draft, const cfSkinDraft* skin, const cfSkinData* out) {
  if (!out->nvert || !out->nface || !out->nbone) {
    cfi_fail(draft, &skin->part, "Missing data in skin");
  }
  if (out->ntexcoord && out->ntexcoord != out->nvert) {
    cfi_fail(draft, &skin->part, "Vertex and texcoord data incompatible size");
  }
  bool is_finite = cfi_allFinite(out->vert, 3 * (size_t)out->nvert) &&
                   cfi_allFinite(out->texcoord, 2 * (size_t)out->ntexcoord) &&
                   cfi_allFinite(out->bindpos, 3 * (size_t)out->nbone) &&
                   cfi_allFinite(out->bindquat, 4 * (size_t)out->nbone);
  for (int i = 0; i < out->nbone; i++) {
    is_finite = is_finite && cfi_allFinite(out->bonevertweight[i], (size_t)out->bonevertnum[i]);
  }
  if (!is_finite) {
    cfi_fail(draft, &skin->part, "numbers are not finite in skin");
  }
  for (size_t i = 0; i < 3 * (size_t)out->nface; i++) {
    if (out->face[i] < 0 || out->face[i] >= out->nvert) {
      cfi_fail(draft, &skin->part, "in face %d, vertex index %d does not exist in skin",
               (int)(i / 3), out->face[i]);
    }
  }
}


// every vertex must be held; its weights become shares
static void shareWeights(cfDraft* draft, const cfSkinDraft* skin, cfSkinData* out) {
  float* total = (float*)cfi_poolAlloc(&draft->pool, (size_t)out->nvert, sizeof(float));
  for (int i = 0; i < out->nbone; i++) {
    for (int k = 0; k < out->bonevertnum[i]; k++) {
      const int v = out->bonevertid[i][k];
      if (v < 0 || v >= out->nvert) {
        cfi_fail(draft, &skin->part, "vertid %d out of range in skin", v);
      }
      total[v] += out->bonevertweight[i][k];
    }
  }
  for (int v = 0; v < out->nvert; v++) {
    if (!(total[v] > mjMINVAL) || isinf(total[v])) {
      cfi_fail(draft, &skin->part, "vertex %d must have positive total weight in skin", v);
    }
  }
  for (int i = 0; i < out->nbone; i++) {
    for (int k = 0; k < out->bonevertnum[i]; k++) {
      out->bonevertweight[i][k] /= total[out->bonevertid[i][k]];
    }
  }
}


static void unitBindPoses(cfSkinData* out) {
  for (int i = 0; i < out->nbone; i++) {
    float* q = out->bindquat + 4 * (size_t)i;
    double unit[4] = {q[0], q[1], q[2], q[3]};
    cfi_unit(unit, 4);
    for (int k = 0; k < 4; k++) {
      q[k] = (float)unit[k];
    }
  }
}


void cfi_compileSkin(cfDraft* draft, const cfSkinDraft* skin, cfSkinData* out) {
  if (skin->file[0]) {
    loadSkin(draft, skin, out);
  } else {
    userSkin(draft, skin, out);
  }
  checkSkin(draft, skin, out);
  shareWeights(draft, skin, out);
  unitBindPoses(out);
}
