// Convex hulls of meshes by Qhull, in the layout of mjModel.mesh_graph:
//
//   numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert],
//   edge_localid[numvert + 3*numface], face_globalid[3*numface]
//
// edge_localid lists the neighbors of each hull vertex, closed by -1.
#include "base/assert.h"
#include "base/platform.h"
#include "compile/mesh.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <libqhull_r/qhull_ra.h>

// parts of the graph
typedef struct {
  int* graph;
  int numvert, numface, nedge;
  int *edgeadr, *globalid, *edge, *face;
} hullGraph;


// run Qhull; its exit code. What it has to say goes to its error stream.
static int runQhull(qhT* qh, const cfMesh* mesh) {
  char option[64];
  if (mesh->part->attr.maxhullvert > -1) {
    // vertices are counted from the first simplex on
    snprintf(option, sizeof(option), "qhull Qt TA%d", mesh->part->attr.maxhullvert - 4);
  } else {
    snprintf(option, sizeof(option), "qhull Qt");
  }
  const int code = setjmp(qh->errexit);
  qh->NOerrexit = False;
  if (!code) {
    qh_initflags(qh, option);
    qh_init_B(qh, mesh->vert, mesh->nvert, 3, False);
    qh_qhull(qh);
    qh_triangulate(qh);
    qh_vertexneighbors(qh);
  }
  qh->NOerrexit = True;
  return code;
}


static hullGraph newGraph(cfPool* pool, int numvert, int numface) {
  CF_ASSERT(numvert >= 4 && numface >= 4);
  hullGraph g = {NULL, numvert, numface, numvert + 3 * numface, NULL, NULL, NULL, NULL};
  g.graph = (int*)cfi_poolAlloc(pool, 2 + 2 * (size_t)numvert + g.nedge + 3 * (size_t)numface,
                                sizeof(int));
  g.graph[0] = numvert;
  g.graph[1] = numface;
  g.edgeadr = g.graph + 2;
  g.globalid = g.edgeadr + numvert;
  g.edge = g.globalid + numvert;
  g.face = g.edge + g.nedge;
  return g;
}


static bool listHas(const int* list, int count, int value) {
  CF_ASSERT(count >= 0);
  for (int i = 0; i < count; i++) {
    if (list[i] == value) {
      return true;
    }
  }
  return false;
}


// other corners of the triangles around a vertex, each once; number of them, -1 when they do not
// fit
static int listNeighbors(qhT* qh, vertexT* center, int* to, int room) {
  CF_ASSERT(room >= 0);
  facetT *neighbor, **neighborp;
  vertexT *vertex, **vertexp;
  int count = 0;
  FOREACHneighbor_(center) {
    FOREACHvertex_(neighbor->vertices) {
      const int id = qh_pointid(qh, vertex->point);
      if (vertex == center || listHas(to, count, id)) {
        continue;
      }
      if (count == room) {
        return -1;
      }
      to[count++] = id;
    }
  }
  return count;
}


// vertices with their neighbors, as ids of the mesh; false when the hull is no closed surface
static bool fillEdges(qhT* qh, hullGraph* g) {
  vertexT* vertex;
  int i = 0, adr = 0;
  FORALLvertices {
    if (i >= g->numvert || adr >= g->nedge) {
      return false;
    }
    g->edgeadr[i] = adr;
    g->globalid[i++] = qh_pointid(qh, vertex->point);
    const int count = listNeighbors(qh, vertex, g->edge + adr, g->nedge - adr - 1);
    if (count < 0) {
      return false;
    }
    adr += count;
    g->edge[adr++] = -1;
  }
  return i == g->numvert && adr == g->nedge;
}


// triangles, counterclockwise seen from outside; false when a facet is no triangle
static bool fillFaces(qhT* qh, hullGraph* g) {
  CF_ASSERT(g->face != NULL);
  facetT* facet;
  vertexT *vertex, **vertexp;
  int* to = g->face;
  FORALLfacets {
    int k = 0;
    FOREACHvertex_(facet->vertices) {
      if (k == 3 || to == g->face + 3 * g->numface) {
        return false;
      }
      const bool is_turned = facet->toporient && k < 2;
      to[is_turned ? 1 - k : k] = qh_pointid(qh, vertex->point);
      k++;
    }
    if (k != 3) {
      return false;
    }
    to += 3;
  }
  return to == g->face + 3 * g->numface;
}


// ids of the mesh become places in the list of hull vertices; false when one is not there
static bool localizeEdges(cfPool* pool, hullGraph* g, int nvert) {
  CF_ASSERT(g->numvert <= nvert);
  int* place = (int*)cfi_poolAlloc(pool, (size_t)nvert, sizeof(int));
  for (int i = 0; i < g->numvert; i++) {
    if (g->globalid[i] < 0 || g->globalid[i] >= nvert) {
      return false;
    }
    place[g->globalid[i]] = i + 1;
  }
  for (int i = 0; i < g->nedge; i++) {
    if (g->edge[i] == -1) {
      continue;
    }
    if (g->edge[i] < 0 || g->edge[i] >= nvert || !place[g->edge[i]]) {
      return false;
    }
    g->edge[i] = place[g->edge[i]] - 1;
  }
  return true;
}


// first line of what Qhull said
static void tidyReport(char* text) {
  const size_t n = strcspn(text, "\r\n");
  text[n] = 0;
}


void cfi_buildHull(cfMesh* mesh) {
  cfPool* pool = &mesh->draft->pool;
  cfTextFile stream;
  if (!cfi_textOpen(&stream)) {
    cfi_fail(mesh->draft, &mesh->part->part, "out of memory for the convex hull");
  }
  qhT qh;
  qh_zero(&qh, stream.file);
  qh_init_A(&qh, NULL, stream.file, stream.file, 0, NULL);
  const int code = runQhull(&qh, mesh);
  hullGraph g = {0};
  bool is_good = !code;
  if (is_good) {
    g = newGraph(pool, qh.num_vertices, qh.num_facets);
    is_good = fillEdges(&qh, &g) && fillFaces(&qh, &g);
  }
  int long_bytes, long_count;
  qh_freeqhull(&qh, !qh_ALL);
  qh_memfreeshort(&qh, &long_count, &long_bytes);
  char* report = cfi_textClose(&stream);

  char reason[200] = "";
  if (report) {
    tidyReport(report);
    snprintf(reason, sizeof(reason), "%s", report);
  }
  free(report);
  if (code) {
    cfi_fail(
        mesh->draft, &mesh->part->part, "qhull error: %s%s", reason,
        strstr(reason, "Initial simplex is flat")
            ? "; a flat mesh has no convex hull: give it a thickness, or inertia=\"shell\" and "
              "geoms that do not collide"
            : "");
  }
  if (!is_good || !localizeEdges(pool, &g, mesh->nvert)) {
    cfi_fail(mesh->draft, &mesh->part->part,
             "convex hull of mesh '%s' is not a closed triangle surface", mesh->part->part.name);
  }
  mesh->hull = g.graph;
  mesh->nhull = 2 + 3 * g.numvert + 6 * g.numface;
  mesh->hullface = g.face;
  mesh->nhullface = g.numface;
}
