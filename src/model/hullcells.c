// Lists of the vertices of hulls by direction.
#include "model/hullcells.h"

#include <stdbool.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "math/inline.h"
#include "model/extension.h"

// hulls with fewer vertices are searched whole; the larger ones have finer grids
enum { HULL_MIN = 33, FINE_FROM = 200, GRID_COARSE = 8, GRID_FINE = 12 };

// vertices looked at before those are dropped that one of the others hides
enum { REGION_MOST = 64 };

// one block for all meshes, counted by the data that share it: records, lists, what is listed
typedef struct {
  cfHullCells cells;
  atomic_int used;
} meshRegions;

typedef struct {
  atomic_int owners;
  int nmesh;
  meshRegions mesh[];
} hullRegions;


// ---------------------------------------- one list

// the directions of a cell: a box of points, of which those on the surface of the cube are meant
typedef struct {
  mjtNum center[3], half;
} directionBox;

static directionBox boxOfCell(int grid, int cell) {
  const mjtNum half = 1.0 / grid, rounding = 1e-9;
  const int k = cell % grid, j = cell / grid % grid, i = cell / grid / grid;
  return (directionBox){{(2 * i + 1) * half - 1, (2 * j + 1) * half - 1, (2 * k + 1) * half - 1},
                        half + rounding};
}


static void cornerAt(mjtNum res[3], const cfHullGraph* h, int vertex) {
  const float* v = h->vert + 3 * (size_t)h->global_id[vertex];
  cfi_set3(res, v[0], v[1], v[2]);
}


// is vertex u higher than v along all directions of a box, by more than some slack?
static bool isHidden(const cfHullGraph* h, int v, int u, const directionBox* box, mjtNum slack) {
  mjtNum low[3], rise[3];
  cornerAt(low, h, v);
  cornerAt(rise, h, u);
  cfi_subFrom3(rise, low);
  const mjtNum spread = (fabs(rise[0]) + fabs(rise[1]) + fabs(rise[2])) * box->half;
  return cfi_dot3(rise, box->center) - spread > slack;
}


// uphill from a vertex
static int highestFrom(const cfHullGraph* h, const mjtNum dir[3], int at) {
  mjtNum v[3];
  cornerAt(v, h, at);
  mjtNum most = cfi_dot3(dir, v);
  for (int before = -1; before != at;) {
    before = at;
    for (const int* e = h->edge + h->edge_adr[before]; *e >= 0; e++) {
      cornerAt(v, h, *e);
      const mjtNum height = cfi_dot3(dir, v);
      if (height > most) {
        most = height;
        at = *e;
      }
    }
  }
  return at;
}


// vertices that may be farthest along some direction
typedef struct {
  int n, vertex[REGION_MOST];
  bool is_full;  // some were left out
} hullRegion;

static bool isInRegion(const hullRegion* r, int vertex) {
  for (int k = 0; k < r->n; k++) {
    if (r->vertex[k] == vertex) {
      return true;
    }
  }
  return false;
}


static void addToRegion(hullRegion* r, int vertex) {
  r->is_full |= r->n == REGION_MOST;
  if (!r->is_full) {
    r->vertex[r->n++] = vertex;
  }
}


// the highest vertices along center and corners of a box; the last one is that of the center
enum { NRIVAL = 9 };

static void findRivals(int rival[NRIVAL], const cfHullGraph* h, const directionBox* box,
                       int start) {
  for (int k = 0; k < NRIVAL; k++) {
    const mjtNum out = k < 8 ? box->half : 0, *c = box->center;
    const mjtNum dir[3] = {c[0] + (k & 1 ? out : -out), c[1] + (k & 2 ? out : -out),
                           c[2] + (k & 4 ? out : -out)};
    rival[k] = start = highestFrom(h, dir, start);
  }
}


// the vertices that none of these hides: they hang together
static void growRegion(hullRegion* r, const cfHullGraph* h, const directionBox* box, int start,
                       mjtNum slack) {
  int rival[NRIVAL];
  findRivals(rival, h, box, start);
  addToRegion(r, rival[NRIVAL - 1]);
  for (int next = 0; next < r->n && !r->is_full; next++) {
    for (const int* e = h->edge + h->edge_adr[r->vertex[next]]; *e >= 0; e++) {
      bool is_hidden = false;
      for (int k = 0; k < NRIVAL && !is_hidden; k++) {
        is_hidden = isHidden(h, *e, rival[k], box, slack);
      }
      if (!is_hidden && !isInRegion(r, *e)) {
        addToRegion(r, *e);
      }
    }
  }
}


// those that no other one hides; returns how many, at most CF_CELL_MOST of which are kept
static int thinRegion(int kept[CF_CELL_MOST], const hullRegion* r, const cfHullGraph* h,
                      const directionBox* box, mjtNum slack) {
  int n = 0;
  for (int k = 0; k < r->n; k++) {
    bool is_hidden = false;
    for (int i = 0; i < r->n && !is_hidden; i++) {
      is_hidden = isHidden(h, r->vertex[k], r->vertex[i], box, slack);
    }
    if (!is_hidden && n++ < CF_CELL_MOST) {
      kept[n - 1] = r->vertex[k];
    }
  }
  return n;
}


static void writeCell(cfHullCell* cell, const int* kept, int n, const cfHullGraph* h) {
  CF_ASSERT(n > 0 && n <= CF_CELL_MOST);
  for (int k = 0; k < CF_CELL_MOST; k++) {
    cfHullList* part = cell->part + k / CF_CELL_FEW;
    const int at = k % CF_CELL_FEW, vertex = kept[k < n ? k : 0];
    const float* v = h->vert + 3 * (size_t)h->global_id[vertex];
    part->x[at] = k < n ? v[0] : NAN;
    part->y[at] = v[1], part->z[at] = v[2];
    part->vertex[at] = vertex;
  }
}


int cfi_fillHullCell(cfHullCells* c, int cell, const cfHullGraph* h, int start) {
  CF_ASSERT_INDEX(cell, c->grid * c->grid * c->grid);
  CF_ASSERT_INDEX(start, c->nhull);
  unsigned short listed = CF_CELL_UNKNOWN;
  if (!atomic_compare_exchange_strong(c->listed + cell, &listed, CF_CELL_BUSY)) {
    return listed;
  }

  // a unit direction is at least 1 / sqrt(3) of the point of the box that it belongs to
  const mjtNum slack = 4 * c->drop;
  const directionBox box = boxOfCell(c->grid, cell);
  hullRegion region = {.n = 0, .is_full = false};
  growRegion(&region, h, &box, start, slack);
  int kept[CF_CELL_MOST];
  const int n = region.is_full ? CF_CELL_MOST + 1 : thinRegion(kept, &region, h, &box, slack);
  listed = CF_CELL_NONE;
  if (n <= CF_CELL_MOST) {
    const int place = atomic_fetch_add(c->used, 1);
    writeCell(c->cell + place, kept, n, h);
    listed = (unsigned short)(2 * place + (n > CF_CELL_FEW));
  }
  atomic_store_explicit(c->listed + cell, listed, memory_order_release);
  return listed;
}


// ---------------------------------------- all meshes

static void* shareRegions(const void* content) {
  hullRegions* r = (hullRegions*)(uintptr_t)content;
  atomic_fetch_add(&r->owners, 1);
  return r;
}


static void releaseRegions(void* content) {
  hullRegions* r = content;
  if (atomic_fetch_sub(&r->owners, 1) == 1) {
    mju_free(r);
  }
}


static const cfExtensionClass regions_class = {
    .name = "hull cells", .copy = shareRegions, .free = releaseRegions};


// cells along an edge of the cube for the hull of a mesh, 0: none
static int cellsAlong(const mjModel* m, int mesh) {
  const int nhull = m->mesh_graphadr[mesh] >= 0 ? m->mesh_graph[m->mesh_graphadr[mesh]] : 0;
  if (nhull < HULL_MIN) {
    return 0;
  }
  return nhull < FINE_FROM ? GRID_COARSE : GRID_FINE;
}


// a millionth of the radius about the frame of the mesh: neither rounding nor flaws of the hull
// reach as far
static mjtNum dropOf(const mjModel* m, int mesh) {
  const float* vert = m->mesh_vert + 3 * (size_t)m->mesh_vertadr[mesh];
  mjtNum most = 0;
  for (int k = 0; k < m->mesh_vertnum[mesh]; k++) {
    const mjtNum v[3] = {vert[3 * k], vert[3 * k + 1], vert[3 * k + 2]};
    most = cfi_max(most, cfi_dot3(v, v));
  }
  return 1e-6 * sqrt(most);
}


// cells of a grid, and those of them on the surface
static size_t allCells(int grid) {
  return (size_t)grid * (size_t)grid * (size_t)grid;
}


static size_t surfaceCells(int grid) {
  return allCells(grid) - (grid ? allCells(grid - 2) : 0);
}


static void layRegions(const mjModel* m, hullRegions* r, size_t nlist) {
  cfHullCell* cell = (cfHullCell*)(void*)(r->mesh + m->nmesh);
  atomic_ushort* listed = (atomic_ushort*)(void*)(cell + nlist);
  for (int k = 0; k < m->nmesh; k++) {
    const int grid = cellsAlong(m, k);
    r->mesh[k].cells =
        (cfHullCells){.grid = grid, .cell = cell, .listed = listed, .used = &r->mesh[k].used};
    atomic_init(&r->mesh[k].used, 0);
    for (size_t i = 0; i < allCells(grid); i++) {
      atomic_init(listed++, CF_CELL_UNKNOWN);
    }
    if (grid) {
      r->mesh[k].cells.nhull = m->mesh_graph[m->mesh_graphadr[k]];
      r->mesh[k].cells.drop = dropOf(m, k);
    }
    cell += surfaceCells(grid);
  }
}


void cfi_prepareHullCells(const mjModel* m, mjData* d) {
  cfExtensionSlot* slot = cfi_dataExtension(d)->slot + CF_EXTENSION_CELLS;
  CF_ASSERT(!slot->content);
  size_t ncell = 0, nlist = 0;
  for (int k = 0; k < m->nmesh; k++) {
    ncell += allCells(cellsAlong(m, k));
    nlist += surfaceCells(cellsAlong(m, k));
  }
  if (!ncell) {
    return;
  }
  hullRegions* r = cfi_tryMalloc(sizeof(hullRegions) + sizeof(meshRegions) * (size_t)m->nmesh +
                                 nlist * sizeof(cfHullCell) + ncell * sizeof(atomic_ushort));
  if (r) {
    atomic_init(&r->owners, 1);
    r->nmesh = (int)m->nmesh;
    layRegions(m, r, nlist);
    *slot = (cfExtensionSlot){&regions_class, r};
  }
}


cfHullCells* cfi_hullCells(const mjData* d, int mesh) {
  hullRegions* r = cfi_dataExtension(d)->slot[CF_EXTENSION_CELLS].content;
  return r && mesh < r->nmesh && r->mesh[mesh].cells.grid ? &r->mesh[mesh].cells : NULL;
}
