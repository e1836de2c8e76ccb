// Assets by name: who uses which mesh, height field, material and texture, and what may be thrown
// away.
#include "base/assert.h"
#include "compile/phases.h"

#include <stdint.h>
#include <string.h>

#include "compile/asset.h"
#include "compile/parallel.h"

//---------------------------------- meshes and height fields --------------------------------------

static cfPart* findAsset(cfDraft* draft, const cfPart* user, mjtObj type, const void* name,
                         const char* user_kind) {
  CF_ASSERT(user && name);
  if (cfi_isEmptyString(name)) {
    return NULL;
  }
  cfPart* asset = cfi_findPart(draft, type, cfi_text(name));
  if (!asset) {
    cfi_failUnknown(draft, user, type, cfi_text(name), "%s '%s' not found in %s %d",
                    mju_type2Str(type), cfi_text(name), user_kind, user->id);
  }
  return asset;
}


// geoms of explicit contact pairs collide whatever their masks say
static bool* geomsInPairs(cfDraft* draft) {
  bool* in_pair =
      (bool*)cfi_poolAlloc(&draft->pool, cfi_parts(draft, mjOBJ_GEOM)->count + 1, sizeof(bool));
  const cfPartList* pairs = cfi_parts(draft, mjOBJ_PAIR);
  for (int i = 0; i < pairs->count; i++) {
    const mjsPair* attr = &((const cfPairDraft*)pairs->item[i])->attr;
    const void* names[2] = {attr->geomname1, attr->geomname2};
    for (int k = 0; k < 2; k++) {
      const cfPart* geom = cfi_findPart(draft, mjOBJ_GEOM, cfi_text(names[k]));
      if (geom) {
        in_pair[geom->id] = true;
      }
    }
  }
  return in_pair;
}


void cfi_linkAssets(cfDraft* draft) {
  const cfPartList* geoms = cfi_parts(draft, mjOBJ_GEOM);
  const bool* in_pair = geomsInPairs(draft);
  for (int i = 0; i < geoms->count; i++) {
    cfGeomDraft* geom = (cfGeomDraft*)geoms->item[i];
    const mjsGeom* attr = &geom->attr;
    geom->mesh = (cfMeshDraft*)findAsset(draft, &geom->part, mjOBJ_MESH, attr->meshname, "geom");
    geom->source = geom->mesh;
    geom->hfield =
        (cfHFieldDraft*)findAsset(draft, &geom->part, mjOBJ_HFIELD, attr->hfieldname, "geom");
    geom->material = cfi_text(attr->material);
    if (!geom->mesh) {
      continue;
    }
    if (!geom->material[0]) {
      geom->material = cfi_text(geom->mesh->attr.material);
    }

    // what the mesh must offer
    geom->mesh->attr.needsdf |= attr->type == mjGEOM_SDF;
    const bool collides = attr->contype || attr->conaffinity || in_pair[i];
    const bool is_mesh = attr->type == mjGEOM_MESH || attr->type == mjGEOM_SDF;
    if (is_mesh && (collides || geom->mesh->attr.inertia == mjMESH_INERTIA_CONVEX)) {
      geom->mesh->needs_hull = true;
    }
  }
}


//---------------------------------- materials and textures ----------------------------------------

static int materialId(cfDraft* draft, const cfPart* user, const char* name, const char* user_kind) {
  if (!name[0]) {
    return -1;
  }
  const cfPart* material = cfi_findPart(draft, mjOBJ_MATERIAL, name);
  if (!material) {
    cfi_failUnknown(draft, user, mjOBJ_MATERIAL, name, "material '%s' not found in %s %d", name,
                    user_kind, user->id);
  }
  if (draft->compiler->discardvisual) {
    cfi_fail(draft, user, "object not found: material '%s' was discarded with all visuals", name);
  }
  return material->id;
}


static void linkTextures(cfDraft* draft, cfMaterialDraft* material) {
  const void* names = material->attr.textures;
  for (int k = 0; k < mjNTEXROLE; k++) {
    material->texid[k] = -1;
    const char* name = k < cfi_countStrings(names) ? cfi_text(cfi_strings(names) + k) : "";
    if (!name[0]) {
      continue;
    }
    const cfPart* texture = cfi_findPart(draft, mjOBJ_TEXTURE, name);
    if (!texture) {
      cfi_failUnknown(draft, &material->part, mjOBJ_TEXTURE, name,
                      "texture '%s' not found in material %d", name, material->part.id);
    }
    material->texid[k] = texture->id;
  }
}


// discarding visuals takes a geom's own material away, as MuJoCo does; other references to
// discarded materials are errors
void cfi_linkMaterials(cfDraft* draft) {
  const bool drops = draft->compiler->discardvisual;
  const cfPartList* geoms = cfi_parts(draft, mjOBJ_GEOM);
  for (int i = 0; i < geoms->count; i++) {
    cfGeomDraft* geom = (cfGeomDraft*)geoms->item[i];
    const bool is_dropped = drops && !cfi_isEmptyString(geom->attr.material);
    geom->matid = materialId(draft, &geom->part, is_dropped ? "" : geom->material, "geom");
  }
  const cfPartList* skins = cfi_parts(draft, mjOBJ_SKIN);
  for (int i = 0; i < skins->count; i++) {
    cfSkinDraft* skin = (cfSkinDraft*)skins->item[i];
    skin->matid = materialId(draft, &skin->part, cfi_text(skin->attr.material), "skin");
  }
  const cfPartList* sites = cfi_parts(draft, mjOBJ_SITE);
  for (int i = 0; i < sites->count; i++) {
    cfSiteDraft* site = (cfSiteDraft*)sites->item[i];
    site->matid = materialId(draft, &site->part, cfi_text(site->attr.material), "site");
  }
  const cfPartList* tendons = cfi_parts(draft, mjOBJ_TENDON);
  for (int i = 0; i < tendons->count; i++) {
    cfTendonDraft* tendon = (cfTendonDraft*)tendons->item[i];
    tendon->matid = materialId(draft, &tendon->part, cfi_text(tendon->attr.material), "tendon");
  }
  const cfPartList* materials = cfi_parts(draft, mjOBJ_MATERIAL);
  for (int i = 0; i < materials->count; i++) {
    linkTextures(draft, (cfMaterialDraft*)materials->item[i]);
  }
}


//---------------------------------- processing ----------------------------------------------------

static void compileMeshPart(cfDraft* draft, cfMeshDraft* mesh) {
  const cfMeshUse use = {mesh->needs_hull, mesh->attr.needsdf};
  mesh->is_visual = true;
  mesh->data = (cfMeshData*)cfi_poolAlloc(&draft->pool, 1, sizeof(cfMeshData));
  cfi_compileMesh(draft, mesh, use, mesh->data);
}


static void compileTexturePart(cfDraft* draft, cfTextureDraft* texture) {
  texture->data = (cfTextureData*)cfi_poolAlloc(&draft->pool, 1, sizeof(cfTextureData));
  cfi_compileTexture(draft, texture, texture->data);
}


// how long an asset may take, in microseconds, roughly
static int64_t costOf(const cfPart* part) {
  enum { FILE_COST = 1000, FIELD_COST = 50000, VERTICES_PER_MICROSECOND = 4 };
  if (part->type == mjOBJ_MESH) {
    const cfMeshDraft* mesh = (const cfMeshDraft*)part;
    const int64_t nvert = (int64_t)cfi_vecCount(mesh->attr.uservert, 3 * sizeof(float));
    return (mesh->file[0] ? FILE_COST : 0) + (mesh->plugin ? FIELD_COST : 0) +
           nvert / VERTICES_PER_MICROSECOND;
  }
  const mjsTexture* attr = &((const cfTextureDraft*)part)->attr;
  if (attr->builtin == mjBUILTIN_NONE) {
    return FILE_COST;
  }

  // pixels per microsecond: gradients take longest
  const int64_t speed =
      attr->builtin == mjBUILTIN_GRADIENT || attr->mark == mjMARK_RANDOM ? 100 : 1000;
  const int64_t height = attr->type == mjTEXTURE_2D ? attr->height : 6 * (int64_t)attr->width;
  return attr->width > 0 && height > 0 ? attr->width * height / speed : 0;
}


// threads for assets of these costs: one where the others could not take over enough to be worth
// their start
static int threadsFor(int64_t total, int64_t largest, int count) {
  enum { WORTH_A_THREAD = 5000 };
  return total - largest > WORTH_A_THREAD ? count : 1;
}


// meshes, then textures
static void compileAsset(cfDraft* draft, const void* argument, int index) {
  CF_ASSERT(index >= 0);
  cfPart* part = ((cfPart* const*)argument)[index];
  if (part->type == mjOBJ_MESH) {
    compileMeshPart(draft, (cfMeshDraft*)part);
  } else {
    compileTexturePart(draft, (cfTextureDraft*)part);
  }
}

// do two meshes come from the same file, as far as MuJoCo's cache looks?
static bool isSameFile(const cfMeshDraft* a, const cfMeshDraft* b) {
  return !strcmp(a->file, b->file) &&
         !strcmp(cfi_text(cfi_settings(&a->part)->meshdir),
                 cfi_text(cfi_settings(&b->part)->meshdir)) &&
         !strcmp(cfi_modelDirOf(a->part.origin), cfi_modelDirOf(b->part.origin));
}


static bool isSameProduct(const cfMeshDraft* kept, const cfMeshDraft* mesh) {
  return kept->attr.maxhullvert == mesh->attr.maxhullvert &&
         kept->attr.inertia == mesh->attr.inertia &&
         !memcmp(kept->attr.scale, mesh->attr.scale, sizeof(mesh->attr.scale)) &&
         (kept->needs_hull || !mesh->needs_hull);
}


// MuJoCo keeps the first mesh that it makes from a file, and gives it to the others of that file
// whose scale, kind of inertia and hull are the same: their reference frame, smoothing and own
// normals do not count.  Decided before meshes are made, so that it does not depend on threads
static void shareMeshFiles(cfDraft* draft) {
  const cfPartList* list = cfi_parts(draft, mjOBJ_MESH);
  for (int i = 1; i < list->count; i++) {
    cfMeshDraft* mesh = (cfMeshDraft*)list->item[i];
    for (int k = 0; k < i && mesh->file[0]; k++) {
      const cfMeshDraft* first = (const cfMeshDraft*)list->item[k];
      if (!isSameFile(first, mesh)) {
        continue;
      }
      if (isSameProduct(first, mesh)) {
        memcpy(mesh->attr.refpos, first->attr.refpos, sizeof(mesh->attr.refpos));
        memcpy(mesh->attr.refquat, first->attr.refquat, sizeof(mesh->attr.refquat));
        mesh->attr.smoothnormal = first->attr.smoothnormal;
        mesh->attr.uservert = first->attr.uservert;
        mesh->attr.usernormal = first->attr.usernormal;
        mesh->attr.usertexcoord = first->attr.usertexcoord;
        mesh->attr.userface = first->attr.userface;
        mesh->attr.userfacenormal = first->attr.userfacenormal;
        mesh->attr.userfacetexcoord = first->attr.userfacetexcoord;
      }
      break;
    }
  }
}


void cfi_compileAssets(cfDraft* draft) {
  static const mjtObj kinds[] = {mjOBJ_MESH, mjOBJ_TEXTURE};
  cfPartList all = {NULL, 0, 0};
  int64_t total = 0, largest = 0;
  shareMeshFiles(draft);
  for (int k = 0; k < 2; k++) {
    const cfPartList* list = cfi_parts(draft, kinds[k]);
    for (int i = 0; i < list->count; i++) {
      const int64_t cost = costOf(list->item[i]);
      cfi_pushPart(draft, &all, list->item[i]);
      total += cost;
      largest = cost > largest ? cost : largest;
    }
  }
  cfi_runPieces(draft, compileAsset, all.item, all.count, threadsFor(total, largest, all.count));
}


// bones move with bodies
static void linkSkin(cfDraft* draft, cfSkinDraft* skin) {
  const cfSkinData* data = skin->data;
  skin->bodyid = (int*)cfi_poolAlloc(&draft->pool, data->nbone + 1, sizeof(int));
  for (int k = 0; k < data->nbone; k++) {
    const cfPart* body = cfi_findPart(draft, mjOBJ_BODY, data->bodyname[k]);
    if (!body) {
      cfi_failUnknown(draft, &skin->part, mjOBJ_BODY, data->bodyname[k],
                      "unknown body '%s' in skin", data->bodyname[k]);
    }
    skin->bodyid[k] = body->id;
  }
}


void cfi_compileLateAssets(cfDraft* draft) {
  const cfPartList* skins = cfi_parts(draft, mjOBJ_SKIN);
  for (int i = 0; i < skins->count; i++) {
    cfSkinDraft* skin = (cfSkinDraft*)skins->item[i];
    skin->data = (cfSkinData*)cfi_poolAlloc(&draft->pool, 1, sizeof(cfSkinData));
    cfi_compileSkin(draft, skin, skin->data);
    linkSkin(draft, skin);
  }
  const cfPartList* hfields = cfi_parts(draft, mjOBJ_HFIELD);
  for (int i = 0; i < hfields->count; i++) {
    cfHFieldDraft* hfield = (cfHFieldDraft*)hfields->item[i];
    hfield->data = (cfHFieldData*)cfi_poolAlloc(&draft->pool, 1, sizeof(cfHFieldData));
    cfi_compileHField(draft, hfield, hfield->data);
  }
}


//---------------------------------- visual elements -----------------------------------------------

void cfi_dropMaterials(cfDraft* draft) {
  cfi_parts(draft, mjOBJ_MATERIAL)->count = 0;
  cfi_parts(draft, mjOBJ_TEXTURE)->count = 0;
}


// keep those parts of a list for which `keep` is set; ids follow
static void keepParts(cfPartList* list, const bool* keep) {
  CF_ASSERT(list && keep);
  int left = 0;
  for (int i = 0; i < list->count; i++) {
    if (keep[list->item[i]->id]) {
      list->item[left++] = list->item[i];
    }
  }
  list->count = left;
}


// inertia of a body that loses geoms is as good as given from now on
static void keepInertia(cfBodyDraft* body, const bool* keep_geom) {
  for (int i = 0; i < body->geoms.count; i++) {
    if (!keep_geom[body->geoms.item[i]->id]) {
      body->attr.explicitinertial = 1;
    }
  }
}


void cfi_dropVisual(cfDraft* draft) {
  cfPartList *geoms = cfi_parts(draft, mjOBJ_GEOM), *meshes = cfi_parts(draft, mjOBJ_MESH);
  bool* keep_geom = (bool*)cfi_poolAlloc(&draft->pool, geoms->count + 1, sizeof(bool));
  bool* keep_mesh = (bool*)cfi_poolAlloc(&draft->pool, meshes->count + 1, sizeof(bool));
  for (int i = 0; i < geoms->count; i++) {
    const cfGeomDraft* geom = (const cfGeomDraft*)geoms->item[i];
    keep_geom[i] = !geom->is_visual;
    if (keep_geom[i] && geom->source) {
      geom->source->is_visual = false;
    }
  }
  for (int i = 0; i < meshes->count; i++) {
    keep_mesh[i] = !((const cfMeshDraft*)meshes->item[i])->is_visual;
  }
  const cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  for (int i = 0; i < bodies->count; i++) {
    keepInertia(cfi_bodyAt(draft, i), keep_geom);
    keepParts(&cfi_bodyAt(draft, i)->geoms, keep_geom);
  }
  keepParts(geoms, keep_geom);
  keepParts(meshes, keep_mesh);
  cfi_renumber(geoms);
  cfi_renumber(meshes);
}
