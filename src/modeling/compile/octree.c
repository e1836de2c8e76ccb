// Octrees of meshes with the signed distance at the corners of their cells.
//
// A box somewhat larger than the mesh is divided into eight, breadth first, wherever a triangle
// touches it, to a fixed depth; then leaves are divided until neighbors differ by one level.  A
// corner in the middle of a coarser neighbor's edge or face hangs: its value is the mean of that
// edge's or face's corners, so that interpolation is continuous.
#include "compile/mesh.h"

#include <math.h>
#include <stdint.h>

#include "base/assert.h"
#include "compile/surfacedistance.h"
#include "math/inline.h"
#include "math/libm.h"

enum { MAX_LEVEL = 6, NOWHERE = -1 };

// a cell; its eight children stand one behind the other
typedef struct {
  double aamm[6];
  int level, parent, slot, first_child;
  int corner[8];  // points
} octCell;

// up to four points whose mean a hanging point takes
typedef struct {
  double pos[3];
  int mean[4], nmean;
  double value;
  bool is_known;
} octPoint;

typedef struct {
  const cfMesh* mesh;
  cfPool* pool;
  octCell* cell;
  int ncell, cell_room;
  octPoint* point;
  int npoint, point_room;
  int* table;  // hash table of points, -1 where empty
  size_t mask;
} octTree;

// triangles that may touch a cell: those that touch its parent
typedef struct {
  const int* item;
  int count;
} octTriangles;


// array with room for one more item
static void* roomForOne(cfPool* pool, void* array, int count, int* room, size_t size) {
  CF_ASSERT(count >= 0 && count <= *room);
  if (count < *room) {
    return array;
  }
  *room = *room ? 2 * *room : 64;
  void* larger = cfi_poolAlloc(pool, (size_t)*room, size);
  if (count) {
    memcpy(larger, array, (size_t)count * size);
  }
  return larger;
}


//---------------------------------- points --------------------------------------------------------

static size_t pointSlot(const octTree* t, const double pos[3]) {
  size_t slot = cfi_hashPoint(pos[0], pos[1], pos[2]) & t->mask;
  while (t->table[slot] >= 0) {
    const double* seen = t->point[t->table[slot]].pos;
    if (seen[0] == pos[0] && seen[1] == pos[1] && seen[2] == pos[2]) {
      break;
    }
    slot = (slot + 1) & t->mask;
  }
  return slot;
}


// keep the table at most half full
static void growTable(octTree* t) {
  if (t->table && 2 * (size_t)t->npoint < t->mask) {
    return;
  }
  t->mask = t->table ? 2 * t->mask + 1 : 1023;
  t->table = (int*)cfi_poolAlloc(t->pool, t->mask + 1, sizeof(int));
  memset(t->table, -1, (t->mask + 1) * sizeof(int));
  for (int i = 0; i < t->npoint; i++) {
    t->table[pointSlot(t, t->point[i].pos)] = i;
  }
}


static int findPoint(octTree* t, const double pos[3]) {
  CF_ASSERT(t->npoint <= t->point_room);
  growTable(t);
  const size_t slot = pointSlot(t, pos);
  if (t->table[slot] < 0) {
    t->point =
        (octPoint*)roomForOne(t->pool, t->point, t->npoint, &t->point_room, sizeof(octPoint));
    t->table[slot] = t->npoint;
    memset(t->point + t->npoint, 0, sizeof(octPoint));
    cfi_copy3(t->point[t->npoint++].pos, pos);
  }
  return t->table[slot];
}


//---------------------------------- cells ---------------------------------------------------------

static int addCell(octTree* t, int parent, int slot, const double aamm[6]) {
  CF_ASSERT(parent >= -1 && parent < t->ncell && slot >= -1 && slot < 8);
  t->cell = (octCell*)roomForOne(t->pool, t->cell, t->ncell, &t->cell_room, sizeof(octCell));
  octCell* c = t->cell + t->ncell;
  *c = (octCell){.level = parent < 0 ? 0 : t->cell[parent].level + 1,
                 .parent = parent,
                 .slot = slot,
                 .first_child = NOWHERE};
  cfi_copy6(c->aamm, aamm);
  for (int i = 0; i < 8; i++) {
    double pos[3];
    for (int k = 0; k < 3; k++) {
      pos[k] = aamm[i >> k & 1 ? 3 + k : k];
    }
    c->corner[i] = findPoint(t, pos);
  }
  return t->ncell++;
}


static void divideCell(octTree* t, int index) {
  CF_ASSERT_INDEX(index, t->ncell);
  double whole[6];
  cfi_copy6(whole, t->cell[index].aamm);
  t->cell[index].first_child = t->ncell;
  for (int slot = 0; slot < 8; slot++) {
    double part[6];
    for (int k = 0; k < 3; k++) {
      const double middle = (whole[3 + k] + whole[k]) / 2;
      const bool is_upper = slot >> k & 1;
      part[k] = is_upper ? middle : whole[k];
      part[3 + k] = is_upper ? whole[3 + k] : middle;
    }
    addCell(t, index, slot, part);
  }
}


static bool isUndivided(const octTree* t, int index) {
  return t->cell[index].first_child == NOWHERE;
}


//---------------------------------- triangles and boxes -------------------------------------------

// does the box's extent along an axis miss the triangle's
static bool missesAlong(const double* const v[3], const double aamm[6], int k) {
  CF_ASSERT_INDEX(k, 3);
  const bool is_below = v[0][k] < aamm[k] && v[1][k] < aamm[k] && v[2][k] < aamm[k];
  const bool is_above = v[0][k] > aamm[3 + k] && v[1][k] > aamm[3 + k] && v[2][k] > aamm[3 + k];
  return is_below || is_above;
}


// are all corners of the box on one side of the triangle's plane
static bool missesPlane(const double* v, const double normal[3], const double aamm[6],
                        const double size[3]) {
  double near[3], far[3];
  for (int k = 0; k < 3; k++) {
    const double critical = normal[k] > 0 ? size[k] : 0;
    near[k] = critical - v[k];
    far[k] = size[k] - critical - v[k];
  }
  const double base = cfi_dot3(normal, aamm);
  return (base + cfi_dot3(normal, near)) * (base + cfi_dot3(normal, far)) > 0;
}


// do triangle and box miss each other in the projection along an axis
static bool missesProjection(const double* const v[3], const double edge[3][3],
                             const double normal[3], const double aamm[6], const double size[3],
                             int axis) {
  CF_ASSERT_INDEX(axis, 3);
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  const double sign = normal[axis] >= 0 ? 1 : -1;
  for (int i = 0; i < 3; i++) {
    const double inward[2] = {-edge[i][c] * sign, edge[i][b] * sign};
    const double reach = -(inward[0] * v[i][b] + inward[1] * v[i][c]) +
                         cfi_fmax(0, size[b] * inward[0]) + cfi_fmax(0, size[c] * inward[1]);
    if (inward[0] * aamm[b] + inward[1] * aamm[c] + reach < 0) {
      return true;
    }
  }
  return false;
}


// overlap of a triangle and a box (Schwarz and Seidel 2010, "Fast parallel surface and solid
// voxelization")
static bool touchesBox(const cfMesh* mesh, int triangle, const double aamm[6]) {
  CF_ASSERT_INDEX(triangle, mesh->nface);
  const double* v[3];
  double edge[3][3], normal[3], size[3];
  for (int k = 0; k < 3; k++) {
    v[k] = cfi_corner(mesh, mesh->face, triangle, k);
    size[k] = aamm[3 + k] - aamm[k];
  }
  for (int k = 0; k < 3; k++) {
    if (missesAlong(v, aamm, k)) {
      return false;
    }
    cfi_sub3(edge[k], v[(k + 1) % 3], v[k]);
  }
  cfi_cross(normal, edge[0], edge[1]);
  if (missesPlane(v[0], normal, aamm, size)) {
    return false;
  }
  for (int k = 0; k < 3; k++) {
    if (missesProjection(v, (const double(*)[3])edge, normal, aamm, size, k)) {
      return false;
    }
  }
  return true;
}


static octTriangles touchingTriangles(const octTree* t, int index, octTriangles among) {
  octTriangles found = {NULL, 0};
  int* item = (int*)cfi_poolAlloc(t->pool, (size_t)among.count + 1, sizeof(int));
  for (int i = 0; i < among.count; i++) {
    if (touchesBox(t->mesh, among.item[i], t->cell[index].aamm)) {
      item[found.count++] = among.item[i];
    }
  }
  found.item = item;
  return found;
}


// divide breadth first: children stand behind all cells of their parents' level
static void divideAtSurface(octTree* t, const double aamm[6]) {
  int* all = (int*)cfi_poolAlloc(t->pool, (size_t)t->mesh->nface, sizeof(int));
  for (int i = 0; i < t->mesh->nface; i++) {
    all[i] = i;
  }
  addCell(t, NOWHERE, NOWHERE, aamm);
  int room = 0, noted = 0;
  octTriangles* touching = NULL;  // per cell
  for (int i = 0; i < t->ncell && t->cell[i].level < MAX_LEVEL; i++) {
    touching = (octTriangles*)roomForOne(t->pool, touching, noted++, &room, sizeof(octTriangles));
    const int parent = t->cell[i].parent;
    octTriangles among = parent < 0 ? (octTriangles){all, t->mesh->nface} : touching[parent];
    touching[i] = touchingTriangles(t, i, among);
    if (touching[i].count) {
      divideCell(t, i);
    }
  }
}


//---------------------------------- neighbors -----------------------------------------------------

// directions are -x, +x, -y, +y, -z, +z
static int directionBit(int direction) {
  return 1 << direction / 2;
}


// sibling across the face of the first ancestor that has one; NOWHERE at the border of the root
static int siblingAcross(const octTree* t, int index, int direction) {
  CF_ASSERT(index >= 0 && index < t->ncell && direction >= 0 && direction < 6);
  const int bit = directionBit(direction), side = direction % 2;
  for (; t->cell[index].parent != NOWHERE; index = t->cell[index].parent) {
    const octCell* c = t->cell + index;
    if (side != ((c->slot & bit) != 0)) {
      return t->cell[c->parent].first_child + (c->slot ^ bit);
    }
  }
  return NOWHERE;
}


// leaf on the other side of a cell's face
static int leafAcross(const octTree* t, int index, int direction) {
  CF_ASSERT(index >= 0 && index < t->ncell && direction >= 0 && direction < 6);
  const int bit = directionBit(direction);
  int found = siblingAcross(t, index, direction);
  while (found != NOWHERE && !isUndivided(t, found)) {
    const double *here = t->cell[index].aamm, *there = t->cell[found].aamm;
    int slot = 0;
    for (int k = 0; k < 3; k++) {
      slot |= (here[k] + here[3 + k]) / 2 > (there[k] + there[3 + k]) / 2 ? 1 << k : 0;
    }
    slot = direction % 2 ? slot & ~bit : slot | bit;
    found = t->cell[found].first_child + slot;
  }
  return found;
}


// cells to divide, some more than once
typedef struct {
  int* item;
  int count, room;
} octCoarse;


static void noteCoarse(octTree* t, octCoarse* list, int index) {
  list->item = (int*)roomForOne(t->pool, list->item, list->count, &list->room, sizeof(int));
  list->item[list->count++] = index;
}


// leaves whose neighbor is more than one level finer
static void findCoarse(octTree* t, octCoarse* list) {
  list->count = 0;
  for (int i = 0; i < t->ncell; i++) {
    for (int direction = 0; isUndivided(t, i) && direction < 6; direction++) {
      const int other = leafAcross(t, i, direction);
      const int gap = other == NOWHERE ? 0 : t->cell[other].level - t->cell[i].level;
      if (gap > 1) {
        noteCoarse(t, list, i);
      } else if (gap < -1) {
        noteCoarse(t, list, other);
      }
    }
  }
}


static void balance(octTree* t) {
  octCoarse list = {NULL, 0, 0};
  for (findCoarse(t, &list); list.count; findCoarse(t, &list)) {
    for (int i = 0; i < list.count; i++) {
      if (isUndivided(t, list.item[i])) {
        divideCell(t, list.item[i]);
      }
    }
  }
}


//---------------------------------- hanging points ------------------------------------------------

// corners of the coarser cell around a point inside one of its edges or faces
static void hangPoint(octTree* t, int index, const octCell* coarse) {
  CF_ASSERT_INDEX(index, t->npoint);
  const double tolerance = 1e-9;
  octPoint* p = t->point + index;
  int fixed = 0, upper = 0, free_axis[3], nfree = 0;
  if (p->nmean) {
    return;
  }
  for (int k = 0; k < 3; k++) {
    const bool is_low = fabs(p->pos[k] - coarse->aamm[k]) < tolerance;
    const bool is_high = fabs(p->pos[k] - coarse->aamm[3 + k]) < tolerance;
    fixed += is_low || is_high;
    upper |= is_high ? 1 << k : 0;
    if (!is_low && !is_high) {
      free_axis[nfree++] = k;
    }
  }
  if (fixed == 2) {
    p->nmean = 2;
    p->mean[0] = coarse->corner[upper];
    p->mean[1] = coarse->corner[upper | 1 << free_axis[0]];
  } else if (fixed == 1) {
    // axes behind the face's, in cyclic order
    const int face = 3 - free_axis[0] - free_axis[1], b = (face + 1) % 3, c = (face + 2) % 3;
    p->nmean = 4;
    for (int j = 0; j < 4; j++) {
      p->mean[j] = coarse->corner[upper | (j & 1) << b | (j >> 1) << c];
    }
  }
}


static void markHanging(octTree* t) {
  for (int i = 0; i < t->ncell; i++) {
    for (int direction = 0; isUndivided(t, i) && direction < 6; direction++) {
      const int other = leafAcross(t, i, direction);
      if (other == NOWHERE || t->cell[other].level >= t->cell[i].level) {
        continue;
      }
      const int axis = direction / 2, side = direction % 2;
      for (int j = 0; j < 4; j++) {
        const int corner = side << axis | (j & 1) << (axis + 1) % 3 | (j >> 1) << (axis + 2) % 3;
        hangPoint(t, t->cell[i].corner[corner], t->cell + other);
      }
    }
  }
}


//---------------------------------- values --------------------------------------------------------

static void evaluatePoint(octTree* t, const cfDistanceField* field, octPoint* p) {
  if (!p->nmean) {
    p->value = cfi_signedDistance(field, p->pos);
  } else {
    double sum = 0;
    for (int k = 0; k < p->nmean; k++) {
      if (!t->point[p->mean[k]].is_known) {
        cfi_fail(t->mesh->draft, &t->mesh->part->part, "sdf coefficient computation failed");
      }
      sum += t->point[p->mean[k]].value;
    }
    p->value = sum / p->nmean;
  }
  p->is_known = true;
}


// coarse levels first: what a hanging point needs is known when it comes
static void evaluate(octTree* t) {
  const cfDistanceField* field = cfi_newDistanceField(t->mesh);
  int* queue = (int*)cfi_poolAlloc(t->pool, (size_t)t->ncell, sizeof(int));
  int count = 1;
  for (int i = 0; i < count; i++) {
    const octCell* c = t->cell + queue[i];
    for (int k = 0; k < 8; k++) {
      octPoint* p = t->point + c->corner[k];
      if (!p->is_known) {
        evaluatePoint(t, field, p);
      }
      if (c->first_child != NOWHERE) {
        queue[count++] = c->first_child + k;
      }
    }
  }
  CF_ASSERT(count == t->ncell);
}


static void storeTree(const octTree* t, cfOctree* out) {
  const size_t n = (size_t)t->ncell;
  out->count = t->ncell;
  out->aabb = (mjtNum*)cfi_poolAlloc(t->pool, 6 * n, sizeof(mjtNum));
  out->child = (int*)cfi_poolAlloc(t->pool, 8 * n, sizeof(int));
  out->depth = (int*)cfi_poolAlloc(t->pool, n, sizeof(int));
  out->coeff = (mjtNum*)cfi_poolAlloc(t->pool, 8 * n, sizeof(mjtNum));
  for (size_t i = 0; i < n; i++) {
    const octCell* c = t->cell + i;
    out->depth[i] = c->level;
    for (int k = 0; k < 3; k++) {
      out->aabb[6 * i + k] = (c->aamm[k] + c->aamm[3 + k]) / 2;
      out->aabb[6 * i + 3 + k] = (c->aamm[3 + k] - c->aamm[k]) / 2;
    }
    for (int k = 0; k < 8; k++) {
      out->child[8 * i + k] = c->first_child == NOWHERE ? -1 : c->first_child + k;
      out->coeff[8 * i + k] = t->point[c->corner[k]].value;
    }
  }
}


void cfi_buildOctree(const cfMesh* mesh, const double aamm[6], cfOctree* out) {
  const double larger = 1.1;
  octTree t = {.mesh = mesh, .pool = &mesh->draft->pool};
  double box[6];
  for (int k = 0; k < 3; k++) {
    const double center = (aamm[k] + aamm[3 + k]) / 2, half = (aamm[3 + k] - aamm[k]) / 2;
    box[k] = center - larger * half;
    box[3 + k] = center + larger * half;
  }
  divideAtSurface(&t, box);
  balance(&t);
  markHanging(&t);
  evaluate(&t);
  storeTree(&t, out);
}
