// Which vertices of a hull may be farthest along a direction: directions are sorted into the cells
// of a grid on the cube around the origin, and every cell lists the vertices that are farthest, or
// almost, along some direction in it.
//
// Made with every mjData and shared by its copies.  A list is made when its cell is first asked
// for, by whichever thread comes first; while it is made, and where it would be long, there is none
// and the vertex is looked for otherwise.  A list never changes which vertex is found.
#ifndef CF_MODEL_HULLCELLS_H
#define CF_MODEL_HULLCELLS_H

#include <math.h>
#include <stdatomic.h>

#include <mujoco/mujoco.h>

enum { CF_CELL_FEW = 8, CF_CELL_MOST = 16 };  // vertices in a short and in a long list

// behind the last vertex: no numbers, which are not higher than anything
typedef struct {
  float x[CF_CELL_FEW], y[CF_CELL_FEW], z[CF_CELL_FEW];
  int vertex[CF_CELL_FEW];  // numbers in the hull
} cfHullList;

typedef struct {
  cfHullList part[CF_CELL_MOST / CF_CELL_FEW];
} cfHullCell;

typedef struct {
  int nhull, grid;        // vertices of the hull; cells along each edge of the cube
  mjtNum drop;            // vertices that differ by less are not told apart
  atomic_ushort* listed;  // by cell of the grid: the list among `cell` of those on the surface,
                          // times two, plus one if it is long; or one of the constants below
  atomic_int* used;       // lists that were given out
  cfHullCell* cell;
} cfHullCells;

enum { CF_CELL_UNKNOWN = 0xFFFF, CF_CELL_BUSY = 0xFFFE, CF_CELL_NONE = 0xFFFD };

// a hull as the lists are made from: vertices of the mesh, neighbors on the hull as in mesh_graph
typedef struct {
  const float* vert;
  const int *edge_adr, *global_id, *edge;
} cfHullGraph;


// cell of a direction; -1 if it has none
static inline int cfi_directionCell(int grid, mjtNum x, mjtNum y, mjtNum z) {
  const mjtNum ax = fabs(x), ay = fabs(y), az = fabs(z), xy = ax > ay ? ax : ay;
  const mjtNum longest = xy > az ? xy : az, half = 0.5 * grid;
  if (!(longest > mjMINVAL && ax + ay + az < mjMAXVAL)) {
    return -1;
  }
  const mjtNum scale = half / longest;
  const int i = (int)(x * scale + half), j = (int)(y * scale + half), k = (int)(z * scale + half);
  const int last = grid - 1;
  return ((i < last ? i : last) * grid + (j < last ? j : last)) * grid + (k < last ? k : last);
}


// devices have no lists
#ifdef CF_DEVICE

static inline cfHullCells* cfi_hullCells(const mjData* d, int mesh) {
  (void)d, (void)mesh;
  return NULL;
}


static inline void cfi_prepareHullCells(const mjModel* m, mjData* d) {
  (void)m, (void)d;
}

#else

// make the list of a cell; returns what is listed of it then.  start: a vertex of the hull
int cfi_fillHullCell(cfHullCells* cells, int cell, const cfHullGraph* graph, int start);

// lists of one mesh; NULL: none
cfHullCells* cfi_hullCells(const mjData* d, int mesh);

// fill the slot of d; leaves it empty where there is no hull or no memory
void cfi_prepareHullCells(const mjModel* m, mjData* d);

#endif  // CF_DEVICE

#endif  // CF_MODEL_HULLCELLS_H
