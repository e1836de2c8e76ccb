// Checks of flexes: vertices, edges and elements are numbered within their flex.
#include "base/assert.h"
#include "model/checker.h"

// edges per element of dimension 1, 2, 3
static const int element_nedge[4] = {0, 1, 3, 6};


// num blocks of width elements from adr on lie in [0, bound)
static bool checkStride(const cfChecker* c, const char* name, int flex, mjtSize adr, mjtSize num,
                        int width, mjtSize bound) {
  return !num || (adr >= 0 && adr + num * width <= bound) ||
         cfi_complain(c, "%s[%d] out of bounds: %lld elements from %lld on are not in %lld", name,
                      flex, (long long)num * width, (long long)adr, (long long)bound);
}


// indices in [low, bound); an empty list may start anywhere
static bool checkSome(const cfChecker* c, const char* name, const int* array, mjtSize first,
                      mjtSize count, mjtSize low, mjtSize bound) {
  return !count || cfi_checkIndices(c, name, array, first, count, low, bound);
}


static bool checkElements(const cfChecker* c, int f) {
  CF_ASSERT_INDEX(f, c->m->nflex);
  const mjModel* m = c->m;
  const int dim = m->flex_dim[f], nelem = m->flex_elemnum[f];
  const mjtSize data = m->flex_elemdataadr[f], ndata = (mjtSize)nelem * (dim + 1);
  const mjtSize edge = m->flex_elemedgeadr[f], nedge = (mjtSize)nelem * element_nedge[dim];
  const mjtSize shell = m->flex_shelldataadr[f], nshell = (mjtSize)m->flex_shellnum[f] * dim;
  if (m->flex_shellnum[f] < 0 ||
      !checkStride(c, "flex_elemdataadr", f, data, nelem, dim + 1, m->nflexelemdata) ||
      !checkStride(c, "flex_elemedgeadr", f, edge, nelem, element_nedge[dim], m->nflexelemedge) ||
      !checkStride(c, "flex_shelldataadr", f, shell, m->flex_shellnum[f], dim, m->nflexshelldata)) {
    return m->flex_shellnum[f] >= 0 ? false : cfi_complain(c, "flex_shellnum[%d] is negative", f);
  }
  return checkSome(c, "flex_elem", m->flex_elem, data, ndata, 0, m->flex_vertnum[f]) &&
         checkSome(c, "flex_elemedge", m->flex_elemedge, edge, nedge, 0, m->flex_edgenum[f]) &&
         checkSome(c, "flex_shell", m->flex_shell, shell, nshell, 0, m->flex_vertnum[f]);
}


static bool checkTexcoords(const cfChecker* c, int f) {
  const mjModel* m = c->m;
  const mjtSize adr = m->flex_texcoordadr[f];
  const mjtSize count = (mjtSize)m->flex_elemnum[f] * (m->flex_dim[f] + 1);
  if (adr == -1) {
    return true;
  }
  return cfi_checkValue(c, "flex_texcoordadr", f, adr, 0, m->nflextexcoord + 1) &&
         checkSome(c, "flex_elemtexcoord", m->flex_elemtexcoord, m->flex_elemdataadr[f], count, 0,
                   m->nflextexcoord - adr);
}


static bool checkEdges(const cfChecker* c, int f) {
  CF_ASSERT_INDEX(f, c->m->nflex);
  const mjModel* m = c->m;
  const mjtSize first = 2 * (mjtSize)m->flex_edgeadr[f], count = 2 * (mjtSize)m->flex_edgenum[f];
  if (!checkSome(c, "flex_edge", m->flex_edge, first, count, 0, m->flex_vertnum[f]) ||
      !checkSome(c, "flex_edgeflap", m->flex_edgeflap, first, count, -1, m->flex_vertnum[f])) {
    return false;
  }
  for (int k = 0; k < m->flex_vertnum[f]; k++) {
    const int vertex = m->flex_vertadr[f] + k;
    if (!checkSome(c, "flex_vertedge", m->flex_vertedge, m->flex_vertedgeadr[vertex],
                   m->flex_vertedgenum[vertex], 0, m->flex_edgenum[f])) {
      return false;
    }
  }
  return true;
}


// element-vertex pairs of self-collision
static bool checkFlexPairs(const cfChecker* c, int f) {
  const mjModel* m = c->m;
  for (int k = 0; k < m->flex_evpairnum[f]; k++) {
    const mjtSize pair = m->flex_evpairadr[f] + k;
    if (!cfi_checkValue(c, "flex_evpair", 2 * pair, m->flex_evpair[2 * pair], 0,
                        m->flex_elemnum[f]) ||
        !cfi_checkValue(c, "flex_evpair", 2 * pair + 1, m->flex_evpair[2 * pair + 1], 0,
                        m->flex_vertnum[f])) {
      return false;
    }
  }
  return true;
}


// vertices sit on bodies, or are interpolated from a grid of nodes that do
static bool checkSupport(const cfChecker* c, int f) {
  const mjModel* m = c->m;
  const int order = m->flex_interp[f], nodes = (order + 1) * (order + 1) * (order + 1);
  if (order && !cfi_checkEqual(c, "flex_nodenum", f, m->flex_nodenum[f], nodes)) {
    return false;
  }
  // one dense matrix for the whole grid stands in place of those of its elements
  const mjtSize dense = 9 * (mjtSize)nodes * nodes, start = 21 * (mjtSize)m->flex_elemadr[f];
  if (order && m->flex_elemnum[f] && m->flex_stiffness[start] != 0 &&
      start + dense > 21 * m->nflexelem) {
    return cfi_complain(c, "flex_stiffness: flex %d has no room for the matrix of its %d nodes", f,
                        nodes);
  }
  return order || checkSome(c, "flex_vertbodyid", m->flex_vertbodyid, m->flex_vertadr[f],
                            m->flex_vertnum[f], 0, m->nbody);
}


bool cfi_checkFlexes(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int f = 0; f < m->nflex; f++) {
    if (!cfi_checkValue(c, "flex_dim", f, m->flex_dim[f], 1, 4) ||
        !cfi_checkValue(c, "flex_vertnum", f, m->flex_vertnum[f], 1, m->nflexvert + 1) ||
        !checkElements(c, f) || !checkTexcoords(c, f) || !checkEdges(c, f) ||
        !checkFlexPairs(c, f) || !checkSupport(c, f)) {
      return false;
    }
  }
  return true;
}
