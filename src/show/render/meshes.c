// Meshes as display lists: list 2k is mesh k, list 2k+1 its convex hull.
#include "base/assert.h"
#include "render/assets.h"
#include "render/gl.h"
#include "render/matrix.h"
#include "render/shapes.h"

// below this cosine between the normal of a vertex and that of its face, an edge is meant to be
// sharp
static const double sharp_cosine = 0.8;

// arrays of one mesh; texcoord is NULL if it has none
typedef struct {
  const float *vert, *normal, *texcoord;
  int vertnum, texcoordnum;
} meshArrays;


static meshArrays arraysOf(const mjModel* m, int mesh) {
  CF_ASSERT_INDEX(mesh, m->nmesh);
  const int texcoord = m->mesh_texcoordadr[mesh];
  return (meshArrays){m->mesh_vert + 3 * m->mesh_vertadr[mesh],
                      m->mesh_normal + 3 * m->mesh_normaladr[mesh],
                      texcoord >= 0 ? m->mesh_texcoord + 2 * texcoord : NULL, m->mesh_vertnum[mesh],
                      m->mesh_texcoordnum[mesh]};
}


// one triangle of the mesh itself.  Textured meshes keep their normals; the others get that of the
// face where it is far off
static void emitMeshFace(const mjModel* m, const meshArrays* mesh, int face) {
  const int* vert = m->mesh_face + 3 * face;
  const int* normal = m->mesh_facenormal + 3 * face;
  const int* texcoord = m->mesh_facetexcoord + 3 * face;
  float flat[3];
  cfi_faceNormal(flat, mesh->vert + 3 * vert[0], mesh->vert + 3 * vert[1],
                 mesh->vert + 3 * vert[2]);
  for (int k = 0; k < 3; k++) {
    const float* smooth = mesh->normal + 3 * normal[k];
    bool is_sharp = false;
    if (mesh->texcoord) {
      cfi_gl.TexCoord2fv(mesh->texcoord + 2 * texcoord[k]);
    } else {
      is_sharp = cfi_dotf(smooth, flat) < sharp_cosine;
    }
    cfi_gl.Normal3fv(is_sharp ? flat : smooth);
    cfi_gl.Vertex3fv(mesh->vert + 3 * vert[k]);
  }
}


// one triangle of the convex hull, flat
static void emitHullFace(const meshArrays* mesh, const int vert[3]) {
  float flat[3];
  cfi_faceNormal(flat, mesh->vert + 3 * vert[0], mesh->vert + 3 * vert[1],
                 mesh->vert + 3 * vert[2]);
  cfi_gl.Normal3fv(flat);
  for (int k = 0; k < 3; k++) {
    CF_ASSERT_INDEX(vert[k], mesh->vertnum);
    if (mesh->texcoord && vert[k] < mesh->texcoordnum) {
      cfi_gl.TexCoord2fv(mesh->texcoord + 2 * vert[k]);
    }
    cfi_gl.Vertex3fv(mesh->vert + 3 * vert[k]);
  }
}


// the graph of a hull starts with the numbers of vertices and faces; two arrays of vertices and one
// of edges stand before the faces
static void emitHull(const meshArrays* mesh, const int* graph) {
  const int vertices = graph[0], faces = graph[1];
  const int* face = graph + 2 + 3 * vertices + 3 * faces;
  for (int i = 0; i < faces; i++) {
    emitHullFace(mesh, face + 3 * i);
  }
}


void mjr_uploadMesh(const mjModel* m, const mjrContext* con, int meshid) {
  if (!cfi_canUpload("mjr_uploadMesh", "mesh", meshid, m->nmesh)) {
    return;
  }
  const unsigned int list = con->baseMesh + 2 * (unsigned int)meshid;
  const meshArrays mesh = arraysOf(m, meshid);
  cfi_gl.DeleteLists(list, 2);

  const int first = m->mesh_faceadr[meshid], faces = m->mesh_facenum[meshid];
  cfi_gl.NewList(list, GL_COMPILE);
  cfi_gl.Begin(GL_TRIANGLES);
  for (int face = first; face < first + faces; face++) {
    emitMeshFace(m, &mesh, face);
  }
  cfi_gl.End();
  cfi_gl.EndList();

  if (m->mesh_graphadr[meshid] >= 0) {
    cfi_gl.NewList(list + 1, GL_COMPILE);
    cfi_gl.Begin(GL_TRIANGLES);
    emitHull(&mesh, m->mesh_graph + m->mesh_graphadr[meshid]);
    cfi_gl.End();
    cfi_gl.EndList();
  }
  cfi_checkGl("mjr_uploadMesh");
}


bool cfi_makeMeshes(const mjModel* m, mjrContext* con) {
  if (!cfi_newLists(&con->baseMesh, &con->rangeMesh, 2 * (int)m->nmesh)) {
    return false;
  }
  for (int i = 0; i < m->nmesh; i++) {
    mjr_uploadMesh(m, con, i);
  }
  return true;
}
