// Surfaces of flexes in a scene.
//
// Faces are triangles offset from the elements by the radius of the flex. "Faces" shows the
// elements as they are, with flat normals; "skin" shows the boundary with normals averaged at
// vertices.
#include <string.h>

#include "base/assert.h"
#include "math/inline.h"
#include "vis/painter.h"

// the faces of one flex while they are written
typedef struct {
  const mjtNum* vert;
  const mjtNum* vertnormal;  // averaged normals, NULL for flat faces
  mjtNum radius;
  bool is_flat;
  const float* texcoord;  // NULL if there is none
  float *face, *normal, *facetex;
  int count;
} cfFaceWriter;


static void triangleNormal(mjtNum normal[3], const mjtNum* vert, const int corner[3]) {
  mjtNum a[3], b[3];
  cfi_sub3(a, vert + 3 * corner[1], vert + 3 * corner[0]);
  cfi_sub3(b, vert + 3 * corner[2], vert + 3 * corner[0]);
  cfi_cross(normal, a, b);
  cfi_normalize3(normal);
}


static void writeTexcoord(cfFaceWriter* w, const int corner[3]) {
  for (int k = 0; w->texcoord && k < 3; k++) {
    memcpy(w->facetex + 6 * w->count + 2 * k, w->texcoord + 2 * corner[k], 2 * sizeof(float));
  }
}


// write one corner: vertex moved along `offset`, with a normal
static void writeCorner(cfFaceWriter* w, int k, int vertex, const mjtNum offset[3], mjtNum distance,
                        const mjtNum normal[3]) {
  CF_ASSERT(k >= 0 && k < 3 && vertex >= 0);
  float *point = w->face + 9 * w->count + 3 * k, *n = w->normal + 9 * w->count + 3 * k;
  for (int c = 0; c < 3; c++) {
    point[c] = (float)(w->vert[3 * vertex + c] + distance * offset[c]);
    n[c] = (float)normal[c];
  }
}


// a face with flat normals
static void writeFlat(cfFaceWriter* w, const int corner[3], const int tex[3]) {
  mjtNum normal[3];
  triangleNormal(normal, w->vert, corner);
  for (int k = 0; k < 3; k++) {
    writeCorner(w, k, corner[k], normal, w->radius, normal);
  }
  writeTexcoord(w, tex);
  w->count++;
}


// a face of the skin; side is 1 for the outside and -1 for the inside.  Lighting follows MuJoCo,
// where the offset alone says which way a face looks: without a radius all faces look inwards.
static void writeSmooth(cfFaceWriter* w, const int corner[3], const int tex[3], int side) {
  CF_ASSERT(side == 1 || side == -1);
  const mjtNum offset = side * w->radius;
  mjtNum flat[3], normal[3];
  triangleNormal(flat, w->vert, corner);
  for (int k = 0; k < 3; k++) {
    const mjtNum* smooth = w->vertnormal + 3 * corner[k];
    cfi_scl3(normal, w->is_flat ? flat : smooth, offset > 0 ? 1 : -1);
    writeCorner(w, k, corner[k], smooth, offset, normal);
  }
  writeTexcoord(w, tex);
  w->count++;
}


// half of the strip that closes the border of a surface: from one side at `from` to both at `to`;
// without a radius it has no area, and its normals are those of the outside
static void writeStrip(cfFaceWriter* w, int from, int to, int side) {
  CF_ASSERT(side == 1 || side == -1);
  const mjtNum offset = side * w->radius;
  mjtNum edge[3], normal[3];
  const int corner[3] = {from, to, to};
  cfi_sub3(edge, w->vert + 3 * to, w->vert + 3 * from);
  cfi_cross(normal, edge, w->vertnormal + 3 * to);
  cfi_scl3(normal, normal, offset < 0 ? -1 : 1);
  cfi_normalize3(normal);
  for (int k = 0; k < 3; k++) {
    writeCorner(w, k, corner[k], w->vertnormal + 3 * corner[k], (k == 1 ? -1 : 1) * offset, normal);
  }
  writeTexcoord(w, corner);
  w->count++;
}


// a triangle shows both sides, a tetrahedron its four faces
static void writeElement(cfFaceWriter* w, int dim, const int* vertex, const int* tex) {
  CF_ASSERT(dim >= 1 && dim <= 3);
  static const int side[6][3] = {{0, 1, 2}, {0, 2, 1}, {0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  const int first = dim == 2 ? 0 : 2, end = dim == 2 ? 2 : 6;
  for (int s = first; s < end; s++) {
    const int corner[3] = {vertex[side[s][0]], vertex[side[s][1]], vertex[side[s][2]]};
    const int corner_tex[3] = {tex[side[s][0]], tex[side[s][1]], tex[side[s][2]]};
    writeFlat(w, corner, corner_tex);
  }
}


static void writeElements(cfFaceWriter* w, const mjModel* m, int flex, int layer) {
  CF_ASSERT_INDEX(flex, m->nflex);
  const int dim = m->flex_dim[flex];
  for (int e = 0; e < m->flex_elemnum[flex]; e++) {
    const int data = m->flex_elemdataadr[flex] + e * (dim + 1);
    if (dim == 2 || m->flex_elemlayer[m->flex_elemadr[flex] + e] == layer) {
      writeElement(w, dim, m->flex_elem + data, m->flex_elemtexcoord + data);
    }
  }
}


// triangles of the boundary: elements of a surface, shell of a solid
static int boundary(const mjModel* m, int flex, const int** triangle) {
  CF_ASSERT_INDEX(flex, m->nflex);
  const bool is_surface = m->flex_dim[flex] == 2;
  *triangle = is_surface ? m->flex_elem + m->flex_elemdataadr[flex]
                         : m->flex_shell + m->flex_shelldataadr[flex];
  return is_surface ? m->flex_elemnum[flex] : m->flex_shellnum[flex];
}


static void averageNormals(mjtNum* sum, const mjtNum* vert, int nvert, const int* triangle,
                           int ntriangle) {
  CF_ASSERT(nvert >= 0 && ntriangle >= 0);
  mju_zero(sum, 3 * nvert);
  for (int t = 0; t < ntriangle; t++) {
    mjtNum normal[3];
    triangleNormal(normal, vert, triangle + 3 * t);
    for (int k = 0; k < 3; k++) {
      cfi_addTo3(sum + 3 * triangle[3 * t + k], normal);
    }
  }
  for (int v = 0; v < nvert; v++) {
    cfi_normalize3(sum + 3 * v);
  }
}


static void writeSkin(cfFaceWriter* w, const mjModel* m, mjData* d, int flex) {
  CF_ASSERT_INDEX(flex, m->nflex);
  const bool is_surface = m->flex_dim[flex] == 2;
  const int* triangle;
  const int n = boundary(m, flex, &triangle), nvert = m->flex_vertnum[flex];
  const int* tex = is_surface ? m->flex_elemtexcoord + m->flex_elemdataadr[flex] : triangle;
  mj_markStack(d);
  mjtNum* normals = mj_stackAllocNum(d, 3 * (size_t)nvert);
  averageNormals(normals, w->vert, nvert, triangle, n);
  w->vertnormal = normals;
  for (int t = 0; t < n; t++) {
    const int *c = triangle + 3 * t, *x = tex + 3 * t;
    writeSmooth(w, c, x, 1);
    if (is_surface) {
      writeSmooth(w, (const int[3]){c[0], c[2], c[1]}, (const int[3]){x[0], x[2], x[1]}, -1);
    }
  }
  for (int s = 0; is_surface && s < m->flex_shellnum[flex]; s++) {
    const int* end = m->flex_shell + m->flex_shelldataadr[flex] + 2 * s;
    writeStrip(w, end[0], end[1], 1);
    writeStrip(w, end[1], end[0], -1);
  }
  w->vertnormal = NULL;
  mj_freeStack(d);
}


static void updateFlex(const mjModel* m, mjData* d, mjvScene* scn, const mjvOption* opt, int flex) {
  CF_ASSERT_INDEX(flex, m->nflex);
  const bool has_texture = m->flex_texcoordadr[flex] >= 0;
  const int adr = scn->flexfaceadr[flex];
  const bool is_shown = opt->flags[mjVIS_FLEXFACE] || opt->flags[mjVIS_FLEXSKIN];
  if (m->flex_dim[flex] == 1 || !is_shown) {
    scn->flexfaceused[flex] = 0;
    return;
  }
  cfFaceWriter w = {
      .vert = d->flexvert_xpos + 3 * m->flex_vertadr[flex],
      .radius = m->flex_radius[flex],
      .is_flat = m->flex_flatskin[flex],
      .texcoord = has_texture ? m->flex_texcoord + 2 * m->flex_texcoordadr[flex] : NULL,
      .face = scn->flexface + 9 * adr,
      .normal = scn->flexnormal + 9 * adr,
      .facetex = scn->flextexcoord + 6 * adr};
  if (opt->flags[mjVIS_FLEXSKIN]) {
    writeSkin(&w, m, d, flex);
  } else {
    writeElements(&w, m, flex, opt->flex_layer);
  }
  scn->flexfaceused[flex] = w.count;
}


void cfi_updateFlexes(const mjModel* m, mjData* d, mjvScene* scn, const mjvOption* opt) {
  static const int flag[4] = {mjVIS_FLEXVERT, mjVIS_FLEXEDGE, mjVIS_FLEXFACE, mjVIS_FLEXSKIN};
  mjtByte* const shown[4] = {&scn->flexvertopt, &scn->flexedgeopt, &scn->flexfaceopt,
                             &scn->flexskinopt};
  for (int k = 0; k < 4; k++) {
    *shown[k] = opt->flags[flag[k]];
  }
  if (m->nflex) {
    mju_n2f(scn->flexvert, d->flexvert_xpos, 3 * (int)m->nflexvert);
  }
  for (int f = 0; f < m->nflex; f++) {
    updateFlex(m, d, scn, opt, f);
  }
}
