// Checks of geoms, meshes, height fields, textures and skins.
#include "base/assert.h"
#include "model/checker.h"


static bool isContactDim(int dim) {
  return dim == 1 || dim == 3 || dim == 4 || dim == 6;
}


// meshes and height fields need their data; other types may keep the mesh they were fitted to
static bool checkGeoms(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int g = 0; g < m->ngeom; g++) {
    const int type = m->geom_type[g];
    const bool is_hfield = type == mjGEOM_HFIELD;
    const bool needs_data = is_hfield || type == mjGEOM_MESH || type == mjGEOM_SDF;
    if (!cfi_checkValue(c, "geom_dataid", g, m->geom_dataid[g], needs_data ? 0 : -1,
                        is_hfield ? m->nhfield : m->nmesh)) {
      return false;
    }
    if (!isContactDim(m->geom_condim[g])) {
      return cfi_complain(c, "geom_condim[%d] out of bounds: it is %d, expected 1, 3, 4 or 6", g,
                          m->geom_condim[g]);
    }
  }
  return true;
}


//---------------------------------- meshes --------------------------------------------------------

// faces name vertices of their own mesh, and normals and texture coordinates or -1 for none
static bool checkFaces(const cfChecker* c, int mesh) {
  const mjModel* m = c->m;
  const mjtSize first = 3 * (mjtSize)m->mesh_faceadr[mesh],
                count = 3 * (mjtSize)m->mesh_facenum[mesh];
  const int ntexcoord = m->mesh_texcoordnum[mesh];
  return cfi_checkIndices(c, "mesh_face", m->mesh_face, first, count, 0, m->mesh_vertnum[mesh]) &&
         cfi_checkIndices(c, "mesh_facenormal", m->mesh_facenormal, first, count, -1,
                          m->mesh_normalnum[mesh]) &&
         (!ntexcoord || cfi_checkIndices(c, "mesh_facetexcoord", m->mesh_facetexcoord, first, count,
                                         -1, ntexcoord));
}


// polygons name vertices of their mesh, vertices name polygons of their mesh
static bool checkPolygons(const cfChecker* c, int mesh) {
  CF_ASSERT_INDEX(mesh, c->m->nmesh);
  const mjModel* m = c->m;
  for (int k = 0; k < m->mesh_polynum[mesh]; k++) {
    const int polygon = m->mesh_polyadr[mesh] + k;
    if (!cfi_checkIndices(c, "mesh_polyvert", m->mesh_polyvert, m->mesh_polyvertadr[polygon],
                          m->mesh_polyvertnum[polygon], 0, m->mesh_vertnum[mesh])) {
      return false;
    }
  }
  for (int k = 0; k < m->mesh_vertnum[mesh]; k++) {
    const int vertex = m->mesh_vertadr[mesh] + k;
    if (!cfi_checkIndices(c, "mesh_polymap", m->mesh_polymap, m->mesh_polymapadr[vertex],
                          m->mesh_polymapnum[vertex], 0, m->mesh_polynum[mesh])) {
      return false;
    }
  }
  return true;
}


// edges of one hull vertex: local ids up to a -1
static bool checkHullEdges(const cfChecker* c, const int* edges, mjtSize nedge, mjtSize start,
                           mjtSize nvert, mjtSize offset) {
  if (!cfi_checkValue(c, "mesh_graph (edge address)", offset, start, 0, nedge)) {
    return false;
  }
  for (mjtSize k = start; k < nedge; k++) {
    if (edges[k] == -1) {
      return true;
    }
    if (!cfi_checkValue(c, "mesh_graph (edge)", offset + k, edges[k], 0, nvert)) {
      return false;
    }
  }
  return cfi_complain(c, "mesh_graph: the edges of a vertex at %lld do not end", (long long)offset);
}


// convex hull: {nvert, nface, edgeadr[nvert], globalid[nvert], edges[nvert + 3*nface],
// faces[3*nface]}
static bool checkHull(const cfChecker* c, int mesh) {
  CF_ASSERT_INDEX(mesh, c->m->nmesh);
  const mjModel* m = c->m;
  const mjtSize adr = m->mesh_graphadr[mesh];
  if (adr == -1) {
    return true;
  }
  if (!cfi_checkValue(c, "mesh_graphadr", mesh, adr, 0, m->nmeshgraph - 1)) {
    return false;
  }
  const int* graph = m->mesh_graph + adr;
  const mjtSize nvert = graph[0], nface = graph[1];
  if (nvert < 1 || nface < 0 || adr + 2 + 3 * nvert + 6 * nface > m->nmeshgraph) {
    return cfi_complain(c, "mesh_graph of mesh %d: %lld vertices and %lld faces do not fit in %lld",
                        mesh, (long long)nvert, (long long)nface, (long long)m->nmeshgraph);
  }
  const mjtSize edges = 2 + 2 * nvert, nedge = nvert + 3 * nface, faces = edges + nedge;
  for (mjtSize k = 0; k < nvert; k++) {
    if (!checkHullEdges(c, graph + edges, nedge, graph[2 + k], nvert, adr + 2 + k)) {
      return false;
    }
  }
  return cfi_checkIndices(c, "mesh_graph (vertex)", m->mesh_graph, adr + 2 + nvert, nvert, 0,
                          m->mesh_vertnum[mesh]) &&
         cfi_checkIndices(c, "mesh_graph (face)", m->mesh_graph, adr + faces, 3 * nface, 0,
                          m->mesh_vertnum[mesh]);
}


static bool checkMeshes(const cfChecker* c) {
  for (int mesh = 0; mesh < c->m->nmesh; mesh++) {
    if (!cfi_checkValue(c, "mesh_vertnum", mesh, c->m->mesh_vertnum[mesh], 1,
                        c->m->nmeshvert + 1) ||
        !checkFaces(c, mesh) || !checkPolygons(c, mesh) || !checkHull(c, mesh)) {
      return false;
    }
  }
  return true;
}

//---------------------------------- fields and images ---------------------------------------------


// a block of rows*cols*depth elements in [0, bound)
static bool checkBlock(const cfChecker* c, const char* name, int index, mjtSize adr,
                       const int dims[3], mjtSize bound) {
  mjtSize count = 1;
  for (int k = 0; k < 3; k++) {
    if (dims[k] < 0 || __builtin_mul_overflow(count, (mjtSize)dims[k], &count)) {
      return cfi_complain(c, "%s[%d] out of bounds: size %d x %d x %d", name, index, dims[0],
                          dims[1], dims[2]);
    }
  }
  return (adr >= 0 && adr <= bound && count <= bound - adr) ||
         cfi_complain(c, "%s[%d] out of bounds: %lld elements from %lld on are not in %lld", name,
                      index, (long long)count, (long long)adr, (long long)bound);
}


static bool checkHfields(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int h = 0; h < m->nhfield; h++) {
    const int dims[3] = {m->hfield_nrow[h], m->hfield_ncol[h], 1};
    if (dims[0] < 1 || dims[1] < 1) {
      return cfi_complain(c, "hfield %d has %d rows and %d columns", h, dims[0], dims[1]);
    }
    if (!checkBlock(c, "hfield_adr", h, m->hfield_adr[h], dims, m->nhfielddata)) {
      return false;
    }
  }
  return true;
}


static bool checkTextures(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int t = 0; t < m->ntex; t++) {
    const int dims[3] = {m->tex_height[t], m->tex_width[t], m->tex_nchannel[t]};
    if (!checkBlock(c, "tex_adr", t, m->tex_adr[t], dims, m->ntexdata)) {
      return false;
    }
  }
  return true;
}


static bool checkSkins(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int s = 0; s < m->nskin; s++) {
    const int nvert = m->skin_vertnum[s], texcoord = m->skin_texcoordadr[s];
    if (texcoord != -1 && (texcoord < 0 || texcoord > m->nskintexvert - nvert)) {
      return cfi_complain(c, "skin_texcoordadr[%d] out of bounds: it is %d", s, texcoord);
    }
    if (!cfi_checkIndices(c, "skin_face", m->skin_face, 3 * (mjtSize)m->skin_faceadr[s],
                          3 * (mjtSize)m->skin_facenum[s], 0, nvert)) {
      return false;
    }
    for (int k = 0; k < m->skin_bonenum[s]; k++) {
      const int bone = m->skin_boneadr[s] + k;
      if (!cfi_checkIndices(c, "skin_bonevertid", m->skin_bonevertid, m->skin_bonevertadr[bone],
                            m->skin_bonevertnum[bone], 0, nvert)) {
        return false;
      }
    }
  }
  return true;
}


bool cfi_checkShapes(const cfChecker* c) {
  return checkGeoms(c) && checkMeshes(c) && checkHfields(c) && checkTextures(c) && checkSkins(c);
}
