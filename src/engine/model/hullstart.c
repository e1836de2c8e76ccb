// Starts of searches over convex hulls.
#include "model/hullstart.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/assert.h"
#include "base/memory.h"

// one block for all meshes, counted by the data that share it
typedef struct {
  atomic_int owners;
  int nmesh;
  int start[][CF_HULL_DIRECTIONS];
} hullStarts;


static void* shareStarts(const void* content) {
  hullStarts* s = (hullStarts*)(uintptr_t)content;
  atomic_fetch_add(&s->owners, 1);
  return s;
}


static void releaseStarts(void* content) {
  hullStarts* s = content;
  if (atomic_fetch_sub(&s->owners, 1) == 1) {
    mju_free(s);
  }
}


static const cfExtensionClass starts_class = {
    .name = "hull starts", .copy = shareStarts, .free = releaseStarts};


// the hull of a mesh: vertices and their neighbors
typedef struct {
  const float* vert;
  const int *edge_adr, *global_id, *edge;
} cornerGraph;

static mjtNum reachAlong(const cornerGraph* h, const mjtNum dir[3], int vertex) {
  const float* v = h->vert + 3 * h->global_id[vertex];
  return dir[0] * (mjtNum)v[0] + dir[1] * (mjtNum)v[1] + dir[2] * (mjtNum)v[2];
}


// uphill from a vertex
static int farthestFrom(const cornerGraph* h, const mjtNum dir[3], int at) {
  CF_ASSERT(at >= 0);
  mjtNum most = reachAlong(h, dir, at);
  for (bool moves = true; moves;) {
    moves = false;
    for (const int* e = h->edge + h->edge_adr[at]; *e >= 0; e++) {
      const mjtNum value = reachAlong(h, dir, *e);
      if (value > most) {
        most = value;
        at = *e;
        moves = true;
        break;
      }
    }
  }
  return at;
}


void cfi_findHullStarts(const mjModel* m, int mesh, int start[CF_HULL_DIRECTIONS]) {
  CF_ASSERT_INDEX(mesh, m->nmesh);
  CF_ASSERT(m->mesh_graphadr[mesh] >= 0);
  const int* graph = m->mesh_graph + m->mesh_graphadr[mesh];
  const int *edge_adr = graph + 2, *global_id = edge_adr + graph[0];
  const cornerGraph h = {m->mesh_vert + 3 * (size_t)m->mesh_vertadr[mesh], edge_adr, global_id,
                         global_id + graph[0]};
  for (int k = 0, at = 0; k < CF_HULL_DIRECTIONS; k++) {
    const mjtNum dir[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
    start[k] = at = farthestFrom(&h, dir, at);
  }
}


void cfi_prepareHullStarts(const mjModel* m, mjData* d) {
  cfExtensionSlot* slot = cfi_dataExtension(d)->slot + CF_EXTENSION_COLLISION;
  CF_ASSERT(!slot->content);
  if (!m->nmeshgraph) {
    return;
  }
  hullStarts* s = cfi_tryMalloc(sizeof(hullStarts) + sizeof(s->start[0]) * (size_t)m->nmesh);
  if (!s) {
    return;
  }
  atomic_init(&s->owners, 1);
  s->nmesh = (int)m->nmesh;
  for (int k = 0; k < s->nmesh; k++) {
    if (m->mesh_graphadr[k] >= 0) {
      cfi_findHullStarts(m, k, s->start[k]);
    }
  }
  *slot = (cfExtensionSlot){&starts_class, s};
}


const int* cfi_hullStarts(const mjData* d, int mesh) {
  const hullStarts* s = cfi_dataExtension(d)->slot[CF_EXTENSION_COLLISION].content;
  return s && mesh < s->nmesh ? s->start[mesh] : NULL;
}
