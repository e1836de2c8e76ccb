// Polygons of meshes: triangles with the same normal joined along their edges.
//
// Planes are kept in a red-black tree ordered by their normals, larger coordinates first; normals
// closer than a small angle count as equal.  That equality is not transitive, so which plane a
// triangle of a curved surface joins depends on the path down the tree: a triangle is looked up by
// lower bound, entered by three-way comparison, and left out where the two disagree.  The tree is
// the textbook's (Cormen et al., Introduction to Algorithms, ch. 13), which fixes the result.
#include "base/assert.h"
#include "compile/mesh.h"

#include <math.h>

#include "compile/placement.h"
#include "math/inline.h"

// cosine above which two normals are equal
static const double SAME_PLANE = 0.99999872;

enum { NONE = -1 };

// directed edge on the border of a plane's triangles; an island is a set of triangles joined so far
typedef struct {
  int from, to, island;
} polyEdge;

// triangles with one normal, and a node of the tree
typedef struct {
  double normal[3];
  polyEdge* edge;
  int nedge, room, nisland;
  int parent, child[2];
  bool is_red;
} polyPlane;

// all planes of a mesh
typedef struct {
  cfPool* pool;
  polyPlane* plane;
  int count, root;
} polyTree;


//---------------------------------- tree ----------------------------------------------------------

// does normal a come before normal b
static bool comesBefore(const double a[3], const double b[3]) {
  if (a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > SAME_PLANE) {
    return false;
  }
  for (int k = 0; k < 3; k++) {
    if (fabs(a[k] - b[k]) > mjMINVAL) {
      return a[k] > b[k];
    }
  }
  return false;
}


// first plane that does not come before the normal, if it is equal to it
static int findPlane(const polyTree* t, const double normal[3]) {
  int found = NONE;
  for (int n = t->root; n != NONE;) {
    const bool is_right = comesBefore(t->plane[n].normal, normal);
    found = is_right ? found : n;
    n = t->plane[n].child[is_right];
  }
  return found != NONE && comesBefore(normal, t->plane[found].normal) ? NONE : found;
}


// which child of its parent a node is
static int sideOf(const polyTree* t, int n) {
  return t->plane[t->plane[n].parent].child[1] == n;
}


// let a node sink to the given side; its other child takes its place
static void rotate(polyTree* t, int n, int side) {
  CF_ASSERT(n >= 0 && n < t->count && (side == 0 || side == 1));
  polyPlane* p = t->plane;
  const int up = p[n].child[!side], inner = p[up].child[side], above = p[n].parent;
  if (above == NONE) {
    t->root = up;
  } else {
    p[above].child[sideOf(t, n)] = up;
  }
  p[up].parent = above;
  p[up].child[side] = n;
  p[n].parent = up;
  p[n].child[!side] = inner;
  if (inner != NONE) {
    p[inner].parent = n;
  }
}


// restore the colors above a new red node
static void rebalance(polyTree* t, int n) {
  CF_ASSERT_INDEX(n, t->count);
  polyPlane* p = t->plane;
  while (n != t->root && p[p[n].parent].is_red) {
    int parent = p[n].parent, above = p[parent].parent;
    const int side = sideOf(t, parent), uncle = p[above].child[!side];
    if (uncle != NONE && p[uncle].is_red) {
      p[parent].is_red = p[uncle].is_red = false;
      p[above].is_red = above != t->root;
      n = above;
      continue;
    }
    if (sideOf(t, n) != side) {
      rotate(t, parent, side);
      parent = n;
    }
    p[parent].is_red = false;
    p[above].is_red = true;
    rotate(t, above, !side);
    return;
  }
}


// enter a plane that has no equal on its way down; false when it has one
static bool insertPlane(polyTree* t, const double normal[3]) {
  int parent = NONE, side = 0;
  for (int n = t->root; n != NONE; n = t->plane[n].child[side]) {
    const bool is_left = comesBefore(normal, t->plane[n].normal);
    if (!is_left && !comesBefore(t->plane[n].normal, normal)) {
      return false;
    }
    parent = n;
    side = !is_left;
  }
  const int fresh = t->count++;
  polyPlane* p = t->plane + fresh;
  *p = (polyPlane){.parent = parent, .child = {NONE, NONE}, .is_red = parent != NONE};
  cfi_copy3(p->normal, normal);
  if (parent == NONE) {
    t->root = fresh;
  } else {
    t->plane[parent].child[side] = fresh;
  }
  rebalance(t, fresh);
  return true;
}


// smallest plane of a subtree, and the next one in order
static int leftmost(const polyTree* t, int n) {
  while (n != NONE && t->plane[n].child[0] != NONE) {
    n = t->plane[n].child[0];
  }
  return n;
}

static int nextPlane(const polyTree* t, int n) {
  if (t->plane[n].child[1] != NONE) {
    return leftmost(t, t->plane[n].child[1]);
  }
  while (t->plane[n].parent != NONE && sideOf(t, n)) {
    n = t->plane[n].parent;
  }
  return t->plane[n].parent;
}


//---------------------------------- borders -------------------------------------------------------

static void pushEdge(cfPool* pool, polyPlane* p, polyEdge edge) {
  if (p->nedge == p->room) {
    const int room = p->room ? 2 * p->room : 4;
    polyEdge* larger = (polyEdge*)cfi_poolAlloc(pool, (size_t)room, sizeof(polyEdge));
    if (p->nedge) {
      memcpy(larger, p->edge, (size_t)p->nedge * sizeof(polyEdge));
    }
    p->edge = larger;
    p->room = room;
  }
  p->edge[p->nedge++] = edge;
}


// take an edge off the border: the island it belonged to, or NONE
static int cutEdge(polyPlane* p, int from, int to) {
  for (int i = 0; i < p->nedge; i++) {
    if (p->edge[i].from == from && p->edge[i].to == to) {
      const int island = p->edge[i].island;
      memmove(p->edge + i, p->edge + i + 1, (size_t)(p->nedge - i - 1) * sizeof(polyEdge));
      p->nedge--;
      return island;
    }
  }
  return NONE;
}


// two islands become one, with the smaller number; later ones move up
static int joinIslands(polyPlane* p, int a, int b) {
  CF_ASSERT(a != b);
  const int kept = a < b ? a : b, gone = a < b ? b : a;
  for (int i = 0; i < p->nedge; i++) {
    int* island = &p->edge[i].island;
    *island = *island == gone ? kept : *island - (*island > gone);
  }
  p->nisland--;
  return kept;
}


// edges that a triangle shares with the border vanish, the others become border
static void addTriangleToPlane(cfPool* pool, polyPlane* p, const int corner[3]) {
  bool is_shared[3];
  int island = NONE;
  for (int k = 0; k < 3; k++) {
    const int other = cutEdge(p, corner[(k + 1) % 3], corner[k]);
    is_shared[k] = other != NONE;
    if (island == NONE) {
      island = other;
    } else if (is_shared[k] && other != island) {
      island = joinIslands(p, island, other);
    }
  }
  if (island == NONE) {
    island = p->nisland++;
  }
  for (int k = 0; k < 3; k++) {
    if (!is_shared[k]) {
      pushEdge(pool, p, (polyEdge){corner[k], corner[(k + 1) % 3], island});
    }
  }
}


//---------------------------------- outlines ------------------------------------------------------

// polygons found so far
typedef struct {
  cfInts vert, size;  // room for all
  int nvert, count;
} polyList;


// border edge of an island that leaves a vertex; the very first edge is where walks begin
static int leavingEdge(const polyPlane* p, int island, int vert) {
  CF_ASSERT(island >= 0 && vert >= 0);
  for (int i = 1; i < p->nedge; i++) {
    if (p->edge[i].island == island && p->edge[i].from == vert) {
      return i;
    }
  }
  return NONE;
}


// walk around an island from its first edge; the number of vertices, 0 when the walk does not close
static int walkIsland(const polyPlane* p, int island, int* path) {
  int start = 0;
  while (start < p->nedge && p->edge[start].island != island) {
    start++;
  }
  if (start == p->nedge) {
    return 0;
  }
  int count = 2;
  path[0] = p->edge[start].from;
  path[1] = p->edge[start].to;
  for (int i = 0; i < p->nedge; i++) {
    const int e = leavingEdge(p, island, path[count - 1]);
    if (e == NONE) {
      return 0;
    }
    if (p->edge[e].to == path[0]) {
      return count;
    }
    path[count++] = p->edge[e].to;
  }
  return 0;
}


static void addPolygon(polyList* list, const int* path, int count) {
  if (count >= 3) {
    memcpy(list->vert.item + list->nvert, path, (size_t)count * sizeof(int));
    list->size.item[list->count++] = count;
    list->nvert += count;
  }
}


static void outlinePlane(cfPool* pool, const polyPlane* p, polyList* list) {
  if (p->nedge == 3) {
    const int path[3] = {p->edge[0].from, p->edge[1].from, p->edge[2].from};
    addPolygon(list, path, 3);
    return;
  }
  int* path = (int*)cfi_poolAlloc(pool, (size_t)p->nedge + 2, sizeof(int));
  for (int i = 0; i < p->nisland; i++) {
    addPolygon(list, path, walkIsland(p, i, path));
  }
}


//---------------------------------- entry ---------------------------------------------------------

// normal of a triangle; one without area has no proper normal, and stays without
static void planeNormal(double normal[3], const double* a, const double* b, const double* c) {
  const double length = cfi_triangleNormal(normal, a, b, c);
  if (length < CF_EPS) {
    cfi_set3(normal, 1, 0, 0);
  }
  for (int k = 0; k < 3; k++) {
    normal[k] /= length;
  }
}


// vertices to the polygons around them
static void mapPolygons(cfPool* pool, const cfMesh* mesh, cfMeshData* out) {
  const size_t nvert = (size_t)mesh->nvert;
  out->polymapadr = (int*)cfi_poolAlloc(pool, nvert, sizeof(int));
  out->polymapnum = (int*)cfi_poolAlloc(pool, nvert, sizeof(int));
  out->polymap = (int*)cfi_poolAlloc(pool, (size_t)out->npolyvert + 1, sizeof(int));
  out->npolymap = out->npolyvert;
  for (int i = 0; i < out->npolyvert; i++) {
    out->polymapnum[out->polyvert[i]]++;
  }
  for (size_t v = 1; v < nvert; v++) {
    out->polymapadr[v] = out->polymapadr[v - 1] + out->polymapnum[v - 1];
  }
  int* filled = (int*)cfi_poolAlloc(pool, nvert, sizeof(int));
  for (int i = 0; i < out->npoly; i++) {
    for (int k = 0; k < out->polyvertnum[i]; k++) {
      const int v = out->polyvert[out->polyvertadr[i] + k];
      out->polymap[out->polymapadr[v] + filled[v]++] = i;
    }
  }
}


static void storePolygons(cfPool* pool, const polyList* list, cfMeshData* out) {
  out->npoly = list->count;
  out->npolyvert = list->nvert;
  out->polyvert = list->vert.item;
  out->polyvertnum = list->size.item;
  out->polyvertadr = (int*)cfi_poolAlloc(pool, (size_t)list->count + 1, sizeof(int));
  out->polynormal = (mjtNum*)cfi_poolAlloc(pool, 3 * (size_t)list->count + 1, sizeof(mjtNum));
  for (int i = 1; i < list->count; i++) {
    out->polyvertadr[i] = out->polyvertadr[i - 1] + out->polyvertnum[i - 1];
  }
}


void cfi_buildPolygons(const cfMesh* mesh, cfMeshData* out) {
  CF_ASSERT(mesh->nface > 0 && out);
  cfPool* pool = &mesh->draft->pool;
  const int* face = mesh->hull ? mesh->hullface : mesh->face;
  const int nface = mesh->hull ? mesh->nhullface : mesh->nface;
  polyTree t = {pool, (polyPlane*)cfi_poolAlloc(pool, (size_t)nface + 1, sizeof(polyPlane)), 0,
                NONE};
  for (int i = 0; i < nface; i++) {
    double normal[3];
    planeNormal(normal, cfi_corner(mesh, face, i, 0), cfi_corner(mesh, face, i, 1),
                cfi_corner(mesh, face, i, 2));
    int plane = findPlane(&t, normal);
    if (plane == NONE && insertPlane(&t, normal)) {
      plane = t.count - 1;
    }
    if (plane != NONE) {
      addTriangleToPlane(pool, t.plane + plane, face + 3 * (size_t)i);
    }
  }

  // a border has no more edges than its triangles
  polyList list = {cfi_newInts(pool, 6 * (size_t)nface), cfi_newInts(pool, 3 * (size_t)nface), 0,
                   0};
  for (int n = leftmost(&t, t.root); n != NONE; n = nextPlane(&t, n)) {
    outlinePlane(pool, t.plane + n, &list);
  }
  storePolygons(pool, &list, out);
  mapPolygons(pool, mesh, out);
}


void cfi_polygonNormals(const cfMesh* mesh, cfMeshData* out) {
  for (int i = 0; i < out->npoly; i++) {
    const int* v = out->polyvert + out->polyvertadr[i];
    planeNormal(out->polynormal + 3 * (size_t)i, mesh->vert + 3 * (size_t)v[0],
                mesh->vert + 3 * (size_t)v[1], mesh->vert + 3 * (size_t)v[2]);
  }
}
