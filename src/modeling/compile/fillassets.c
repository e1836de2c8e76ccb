// Meshes, skins, height fields and textures into mjModel.
#include "compile/phases.h"

#include <string.h>

#include "compile/asset.h"
#include "compile/fill.h"

// copy `count` items; both may be NULL where there are none
#define COPY(to, from, count)                                \
  do {                                                       \
    if ((count) > 0) {                                       \
      memcpy((to), (from), (size_t)(count) * sizeof(*(to))); \
    }                                                        \
  } while (0)

// next free place in the arrays of all meshes
typedef struct {
  int vert, normal, texcoord, face, graph, poly, polyvert, polymap, bvh, oct;
} meshPlaces;


static void fillMeshHeader(mjModel* m, const cfMeshDraft* mesh, const meshPlaces* at) {
  const cfMeshData* p = mesh->data;
  const int i = mesh->part.id;
  const cfAssetRange ranges[] = {
      {m->mesh_polyadr, m->mesh_polynum, at->poly, p->npoly, false},
      {m->mesh_vertadr, m->mesh_vertnum, at->vert, p->nvert, false},
      {m->mesh_normaladr, m->mesh_normalnum, at->normal, p->nnormal, false},
      {m->mesh_texcoordadr, m->mesh_texcoordnum, at->texcoord, p->ntexcoord, true},
      {m->mesh_faceadr, m->mesh_facenum, at->face, p->nface, false},
      {m->mesh_graphadr, NULL, at->graph, p->ngraph, true},
      {m->mesh_bvhadr, m->mesh_bvhnum, at->bvh, p->bvh.count, true},
      {m->mesh_octadr, m->mesh_octnum, at->oct, p->octree.count, true},
  };
  cfi_setRanges(ranges, sizeof(ranges) / sizeof(ranges[0]), i);
  mju_copy3(m->mesh_scale + 3 * i, p->scale);
  mju_copy3(m->mesh_pos + 3 * i, p->pos);
  mju_copy4(m->mesh_quat + 4 * i, p->quat);
}


static void fillMeshSurface(mjModel* m, const cfMeshData* p, const meshPlaces* at) {
  COPY(m->mesh_vert + 3 * at->vert, p->vert, 3 * p->nvert);
  COPY(m->mesh_normal + 3 * at->normal, p->normal, 3 * p->nnormal);
  COPY(m->mesh_texcoord + 2 * at->texcoord, p->texcoord, 2 * p->ntexcoord);
  COPY(m->mesh_face + 3 * at->face, p->face, 3 * p->nface);
  COPY(m->mesh_facenormal + 3 * at->face, p->facenormal, 3 * p->nface);
  if (p->facetexcoord) {
    COPY(m->mesh_facetexcoord + 3 * at->face, p->facetexcoord, 3 * p->nface);
  }
  COPY(m->mesh_graph + at->graph, p->graph, p->ngraph);
}


// polygons; addresses become those of the whole model
static void fillMeshPolygons(mjModel* m, const cfMeshData* p, const meshPlaces* at) {
  COPY(m->mesh_polynormal + 3 * at->poly, p->polynormal, 3 * p->npoly);
  COPY(m->mesh_polyvertnum + at->poly, p->polyvertnum, p->npoly);
  COPY(m->mesh_polyvert + at->polyvert, p->polyvert, p->npolyvert);
  COPY(m->mesh_polymap + at->polymap, p->polymap, p->npolymap);
  for (int k = 0; k < p->npoly; k++) {
    m->mesh_polyvertadr[at->poly + k] = at->polyvert + p->polyvertadr[k];
  }
  for (int k = 0; k < p->nvert && p->polymapadr; k++) {
    m->mesh_polymapadr[at->vert + k] = at->polymap + p->polymapadr[k];
    m->mesh_polymapnum[at->vert + k] = p->polymapnum[k];
  }
}


static void fillMeshTrees(mjModel* m, const cfMeshData* p, const meshPlaces* at) {
  COPY(m->bvh_aabb + 6 * at->bvh, p->bvh.aabb, 6 * p->bvh.count);
  COPY(m->bvh_child + 2 * at->bvh, p->bvh.child, 2 * p->bvh.count);
  COPY(m->bvh_depth + at->bvh, p->bvh.depth, p->bvh.count);
  COPY(m->bvh_nodeid + at->bvh, p->bvh.nodeid, p->bvh.count);
  COPY(m->oct_aabb + 6 * at->oct, p->octree.aabb, 6 * p->octree.count);
  COPY(m->oct_child + 8 * at->oct, p->octree.child, 8 * p->octree.count);
  COPY(m->oct_depth + at->oct, p->octree.depth, p->octree.count);
  COPY(m->oct_coeff + 8 * at->oct, p->octree.coeff, 8 * p->octree.count);
}


static void fillMeshes(cfDraft* draft) {
  mjModel* m = draft->model;
  meshPlaces at = {0};

  // trees of meshes stand behind those of bodies
  for (int b = 0; b < m->nbody; b++) {
    at.bvh += m->body_bvhnum[b];
  }
  for (int i = 0; i < m->nmesh; i++) {
    const cfMeshDraft* mesh = (const cfMeshDraft*)cfi_parts(draft, mjOBJ_MESH)->item[i];
    const cfMeshData* p = mesh->data;
    fillMeshHeader(m, mesh, &at);
    fillMeshSurface(m, p, &at);
    fillMeshPolygons(m, p, &at);
    fillMeshTrees(m, p, &at);
    at = (meshPlaces){at.vert + p->nvert,         at.normal + p->nnormal,
                      at.texcoord + p->ntexcoord, at.face + p->nface,
                      at.graph + p->ngraph,       at.poly + p->npoly,
                      at.polyvert + p->npolyvert, at.polymap + p->npolymap,
                      at.bvh + p->bvh.count,      at.oct + p->octree.count};
  }
}


// next free place in the arrays of all skins
typedef struct {
  int vert, texcoord, face, bone, bonevert;
} skinPlaces;


static void fillSkin(mjModel* m, const cfSkinDraft* skin, skinPlaces* at) {
  const cfSkinData* p = skin->data;
  const int i = skin->part.id;
  cfi_fillElement(m, FIELDS_SKIN, skin, i);
  m->skin_vertadr[i] = at->vert;
  m->skin_vertnum[i] = p->nvert;
  m->skin_texcoordadr[i] = p->ntexcoord ? at->texcoord : -1;
  m->skin_faceadr[i] = at->face;
  m->skin_facenum[i] = p->nface;
  m->skin_boneadr[i] = at->bone;
  m->skin_bonenum[i] = p->nbone;
  COPY(m->skin_vert + 3 * at->vert, p->vert, 3 * p->nvert);
  COPY(m->skin_texcoord + 2 * at->texcoord, p->texcoord, 2 * p->ntexcoord);
  COPY(m->skin_face + 3 * at->face, p->face, 3 * p->nface);
  COPY(m->skin_bonebindpos + 3 * at->bone, p->bindpos, 3 * p->nbone);
  COPY(m->skin_bonebindquat + 4 * at->bone, p->bindquat, 4 * p->nbone);
  COPY(m->skin_bonebodyid + at->bone, skin->bodyid, p->nbone);
  for (int k = 0; k < p->nbone; k++) {
    m->skin_bonevertadr[at->bone + k] = at->bonevert;
    m->skin_bonevertnum[at->bone + k] = p->bonevertnum[k];
    COPY(m->skin_bonevertid + at->bonevert, p->bonevertid[k], p->bonevertnum[k]);
    COPY(m->skin_bonevertweight + at->bonevert, p->bonevertweight[k], p->bonevertnum[k]);
    at->bonevert += p->bonevertnum[k];
  }
  at->vert += p->nvert;
  at->texcoord += p->ntexcoord;
  at->face += p->nface;
  at->bone += p->nbone;
}


static void fillHFields(cfDraft* draft) {
  mjModel* m = draft->model;
  for (int i = 0, adr = 0; i < m->nhfield; i++) {
    const cfHFieldData* p = ((const cfHFieldDraft*)cfi_parts(draft, mjOBJ_HFIELD)->item[i])->data;
    mju_copy4(m->hfield_size + 4 * i, p->size);
    m->hfield_nrow[i] = p->nrow;
    m->hfield_ncol[i] = p->ncol;
    m->hfield_adr[i] = adr;
    COPY(m->hfield_data + adr, p->data, p->nrow * p->ncol);
    adr += p->nrow * p->ncol;
  }
}


static void fillTextures(cfDraft* draft) {
  mjModel* m = draft->model;
  mjtSize adr = 0;
  for (int i = 0; i < m->ntex; i++) {
    const cfTextureData* p =
        ((const cfTextureDraft*)cfi_parts(draft, mjOBJ_TEXTURE)->item[i])->data;
    const mjtSize bytes = (mjtSize)p->nchannel * p->width * p->height;
    m->tex_type[i] = p->type;
    m->tex_colorspace[i] = p->colorspace;
    m->tex_height[i] = p->height;
    m->tex_width[i] = p->width;
    m->tex_nchannel[i] = p->nchannel;
    m->tex_adr[i] = adr;
    COPY(m->tex_data + adr, p->data, bytes);
    adr += bytes;
  }
}


void cfi_fillAssets(cfDraft* draft) {
  fillMeshes(draft);
  skinPlaces at = {0};
  const cfPartList* skins = cfi_parts(draft, mjOBJ_SKIN);
  for (int i = 0; i < skins->count; i++) {
    fillSkin(draft->model, (const cfSkinDraft*)skins->item[i], &at);
  }
  fillHFields(draft);
  fillTextures(draft);
}

#undef COPY
