// Meshes that collide: the fast tier keeps their vertices and the graphs of their hulls, once for
// all worlds.
#include "base/assert.h"
#include "team/tier.h"


bool cfi_isTeamHull(const mjModel* m, const cfTeamPair* pair, int npair, int mesh) {
  CF_ASSERT_INDEX(mesh, m->nmesh);
  for (int k = 0; k < npair; k++) {
    const int geom[2] = {pair[k].first, pair[k].second};
    for (int side = 0; side < 2; side++) {
      if (m->geom_type[geom[side]] == mjGEOM_MESH && m->geom_dataid[geom[side]] == mesh) {
        return true;
      }
    }
  }
  return false;
}


// two counts, addresses and names of vertices, their neighbors with an end each; not the faces
int cfi_teamGraphLength(const mjModel* m, int mesh) {
  CF_ASSERT_INDEX(mesh, m->nmesh);
  if (m->mesh_graphadr[mesh] < 0) {
    return 0;
  }
  const int* graph = m->mesh_graph + m->mesh_graphadr[mesh];
  return 2 + 3 * graph[0] + 3 * graph[1];
}


void cfi_teamHullShape(const mjModel* m, const cfTeamPair* pair, cfTeamShape* shape) {
  for (int mesh = 0; mesh < m->nmesh; mesh++) {
    if (cfi_isTeamHull(m, pair, shape->npair, mesh)) {
      shape->nhull++;
      shape->nhullvert += m->mesh_vertnum[mesh];
      shape->nhullgraph += cfi_teamGraphLength(m, mesh);
    }
  }
}
