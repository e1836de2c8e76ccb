// Topology of flexes: edges, flaps, surface, layers, and which elements and vertices are neighbors.
//
// Orders are MuJoCo's: edges as elements first mention them, surface fragments by their sorted
// vertices, then by element.
#include "compile/flexdata.h"

#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/sort.h"

int cfi_flexEdgeCount(int dim) {
  CF_ASSERT(dim >= 1 && dim <= 3);
  return dim == 1 ? 1 : (dim == 2 ? 3 : 6);
}


const int (*cfi_flexEdgeEnds(int dim))[2] {
  static const int line[1][2] = {{0, 1}};
  static const int triangle[3][2] = {{1, 2}, {2, 0}, {0, 1}};  // each opposite its vertex
  static const int tetrahedron[6][2] = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {0, 3}, {1, 3}};
  return dim == 1 ? line : (dim == 2 ? triangle : tetrahedron);
}


//---------------------------------- edges ---------------------------------------------------------

// open hash table from pairs of vertices to edges
typedef struct {
  int* slot;  // edge, or -1
  size_t mask;
} edgeTable;


static edgeTable newEdgeTable(cfPool* pool, size_t count) {
  size_t room = 16;
  while (room < 2 * count) {
    room *= 2;
  }
  edgeTable table = {(int*)cfi_poolAlloc(pool, room, sizeof(int)), room - 1};
  memset(table.slot, -1, room * sizeof(int));
  return table;
}


// slot of an edge, empty where it is not in the table yet
static int* findEdgeSlot(edgeTable table, const cfFlexData* flex, int low, int high) {
  const uint64_t key = ((uint64_t)(uint32_t)low << 32 | (uint32_t)high) * 0x9E3779B97F4A7C15u;
  for (size_t at = (size_t)(key >> 20);; at++) {
    int* slot = table.slot + (at & table.mask);
    if (*slot < 0 || (flex->edge[2 * *slot] == low && flex->edge[2 * *slot + 1] == high)) {
      return slot;
    }
  }
}


// vertex of a triangle that an edge gets when it is first or again met
static void addFlap(cfFlexData* flex, int edge, bool is_new, const int end[2], int opposite) {
  int* flap = flex->flap + 4 * (size_t)edge;
  if (is_new) {
    flap[0] = end[0];
    flap[1] = end[1];
    flap[2] = opposite;
    flap[3] = -1;
  } else {
    flap[3] = opposite;
  }
}


void cfi_findFlexEdges(cfPool* pool, cfFlexData* flex) {
  const int count = cfi_flexEdgeCount(flex->dim), corners = flex->dim + 1;
  const int(*ends)[2] = cfi_flexEdgeEnds(flex->dim);
  const size_t most = (size_t)count * (size_t)flex->nelem;
  flex->edge = (int*)cfi_poolAlloc(pool, 2 * most, sizeof(int));
  flex->elemedge = (int*)cfi_poolAlloc(pool, most, sizeof(int));
  flex->flap = flex->dim == 2 ? (int*)cfi_poolAlloc(pool, 4 * most, sizeof(int)) : NULL;
  const edgeTable table = newEdgeTable(pool, most);
  for (size_t k = 0; k < most; k++) {
    const int local = (int)(k % (size_t)count);
    const int* vertex = flex->elem + (size_t)corners * (k / (size_t)count);
    const int end[2] = {vertex[ends[local][0]], vertex[ends[local][1]]};
    const int low = end[0] < end[1] ? end[0] : end[1], high = end[0] < end[1] ? end[1] : end[0];
    int* slot = findEdgeSlot(table, flex, low, high);
    const bool is_new = *slot < 0;
    if (is_new) {
      *slot = flex->nedge++;
      flex->edge[2 * *slot] = low;
      flex->edge[2 * *slot + 1] = high;
    }
    flex->elemedge[k] = *slot;
    if (flex->flap) {
      addFlap(flex, *slot, is_new, end, vertex[local]);
    }
  }
}


//---------------------------------- fragments -----------------------------------------------------

// a face of an element: vertex, side or triangle
typedef struct {
  int key[3];  // its vertices, increasing; unused ones are zero
  int elem;
  int vertex[3];  // in the order in which they face outwards
} flexFragment;

// two elements with a face in common
typedef struct {
  int elem[2];
  const int* key;  // the face
} flexNeighbors;

// what the faces of a flex say
typedef struct {
  flexFragment* fragment;  // sorted
  int count;
  flexNeighbors* pair;
  int npair;
  bool *is_border_elem, *is_border_fragment;
} flexFaces;


static int compareFragments(const void* a, const void* b) {
  const flexFragment *x = (const flexFragment*)a, *y = (const flexFragment*)b;
  for (int k = 0; k < 3; k++) {
    if (x->key[k] != y->key[k]) {
      return x->key[k] < y->key[k] ? -1 : 1;
    }
  }
  return (x->elem > y->elem) - (x->elem < y->elem);
}


static void orderVertices(int* a, int* b) {
  if (*a > *b) {
    const int swap = *a;
    *a = *b;
    *b = swap;
  }
}


static flexFragment makeFragment(const cfFlexData* flex, int elem, int face) {
  static const int faces[3][4][3] = {
      {{0}, {1}}, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}}};
  const int* vertex = flex->elem + (flex->dim + 1) * (size_t)elem;
  flexFragment fragment = {.elem = elem};
  for (int k = 0; k < flex->dim; k++) {
    fragment.vertex[k] = fragment.key[k] = vertex[faces[flex->dim - 1][face][k]];
  }
  if (flex->dim > 1) {
    orderVertices(fragment.key, fragment.key + 1);
  }
  if (flex->dim > 2) {
    orderVertices(fragment.key + 1, fragment.key + 2);
    orderVertices(fragment.key, fragment.key + 1);
  }
  return fragment;
}


// is a fragment the face of the one before it, too
static bool isSameFace(const flexFaces* faces, int k) {
  return k > 0 && k < faces->count &&
         memcmp(faces->fragment[k].key, faces->fragment[k - 1].key,
                sizeof(faces->fragment[k].key)) == 0;
}


// faces in order, those of two elements and those of one
static flexFaces sortFaces(cfPool* pool, const cfFlexData* flex) {
  const int corners = flex->dim + 1;
  const size_t count = (size_t)corners * (size_t)flex->nelem;
  flexFaces faces = {.count = (int)count};
  faces.fragment = (flexFragment*)cfi_poolAlloc(pool, count, sizeof(flexFragment));
  faces.pair = (flexNeighbors*)cfi_poolAlloc(pool, count, sizeof(flexNeighbors));
  faces.is_border_fragment = (bool*)cfi_poolAlloc(pool, count, sizeof(bool));
  faces.is_border_elem = (bool*)cfi_poolAlloc(pool, (size_t)flex->nelem, sizeof(bool));
  for (int k = 0; k < faces.count; k++) {
    faces.fragment[k] = makeFragment(flex, k / corners, k % corners);
  }
  cfi_sort(faces.fragment, count, sizeof(flexFragment), compareFragments);
  for (int k = 0; k < faces.count; k++) {
    const flexFragment* fragment = faces.fragment + k;
    if (isSameFace(&faces, k)) {
      faces.pair[faces.npair++] =
          (flexNeighbors){{fragment[-1].elem, fragment->elem}, fragment->key};
    } else if (!isSameFace(&faces, k + 1)) {
      faces.is_border_fragment[k] = faces.is_border_elem[fragment->elem] = true;
    }
  }
  return faces;
}


static void collectShell(cfPool* pool, cfFlexData* flex, const flexFaces* faces) {
  const size_t most = (size_t)flex->dim * (size_t)faces->count;
  flex->shell = (int*)cfi_poolAlloc(pool, most, sizeof(int));
  for (int k = 0; k < faces->count; k++) {
    for (int i = 0; i < flex->dim && faces->is_border_fragment[k]; i++) {
      flex->shell[flex->nshell++] = faces->fragment[k].vertex[i];
    }
  }
}


//---------------------------------- neighbors -----------------------------------------------------

// steps from the surface of a solid, repeated until no neighbor offers a shorter way
static void findLayers(cfPool* pool, cfFlexData* flex, const flexFaces* faces) {
  flex->elemlayer = (int*)cfi_poolAlloc(pool, (size_t)flex->nelem, sizeof(int));
  for (int e = 0; e < flex->nelem && flex->dim == 3; e++) {
    flex->elemlayer[e] = faces->is_border_elem[e] ? 0 : flex->nelem + 1;
  }
  for (bool has_changed = flex->dim == 3; has_changed;) {
    has_changed = false;
    for (int k = 0; k < faces->npair; k++) {
      int* one = flex->elemlayer + faces->pair[k].elem[0];
      int* other = flex->elemlayer + faces->pair[k].elem[1];
      int* far = *one > *other ? one : other;
      const int shorter = (far == one ? *other : *one) + 1;
      if (*far > shorter) {
        *far = shorter;
        has_changed = true;
      }
    }
  }
}


// the vertex of an element that is not on a face
static int apexOf(const cfFlexData* flex, int elem, const int* face) {
  const int* vertex = flex->elem + (flex->dim + 1) * (size_t)elem;
  for (int k = 0; k < flex->dim; k++) {
    bool is_on_face = false;
    for (int i = 0; i < flex->dim; i++) {
      is_on_face |= vertex[k] == face[i];
    }
    if (!is_on_face) {
      return vertex[k];
    }
  }
  return vertex[flex->dim];
}


// at the border of lines and surfaces, each of two neighbors against the far vertex of the other
static void pairVertices(cfPool* pool, cfFlexData* flex, const flexFaces* faces) {
  flex->evpair = (int*)cfi_poolAlloc(pool, 4 * (size_t)faces->npair + 1, sizeof(int));
  for (int k = 0; k < faces->npair && flex->dim < 3; k++) {
    const flexNeighbors* pair = faces->pair + k;
    if (!faces->is_border_elem[pair->elem[0]] && !faces->is_border_elem[pair->elem[1]]) {
      continue;
    }
    for (int side = 0; side < 2; side++) {
      int* next = flex->evpair + 2 * (size_t)flex->nevpair++;
      next[0] = pair->elem[1 - side];
      next[1] = apexOf(flex, pair->elem[side], pair->key);
    }
  }
}


void cfi_findFlexSurface(cfPool* pool, cfFlexData* flex) {
  const flexFaces faces = sortFaces(pool, flex);
  collectShell(pool, flex, &faces);
  findLayers(pool, flex, &faces);
  pairVertices(pool, flex, &faces);
}
