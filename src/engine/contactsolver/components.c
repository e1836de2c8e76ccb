#include "contactsolver/components.h"

#include "base/assert.h"
#include "math/dense.h"
#include "math/scalar.h"

// ---------------------------------------- which trees belong together

// representative of a tree; paths are halved on the way
static int rootOfTree(int* parent, int tree) {
  while (parent[tree] != tree) {
    tree = parent[tree] = parent[parent[tree]];
  }
  return tree;
}


// Join the trees of some dofs, the lowest tree of a set being its representative.
static void joinComponents(int* parent, mjtByte* is_part, const int* dof_treeid, const int* dof,
                           int n) {
  for (int k = 0; k < n; k++) {
    const int a = rootOfTree(parent, dof_treeid[dof[0]]);
    const int b = rootOfTree(parent, dof_treeid[dof[k]]);
    CF_ASSERT(a >= 0 && b >= 0);
    parent[a > b ? a : b] = a > b ? b : a;
    is_part[dof_treeid[dof[k]]] = 1;
  }
}


// Number the sets of trees that have a block or a clique; label: component of each tree or -1.
static int labelTrees(const cfEffective* e, const cfContactBlocks* blocks, int* label) {
  const mjModel* m = e->m;
  const int ntree = (int)m->ntree;
  int count = 0;
  mj_markStack(e->d);
  int* parent = mj_stackAllocInt(e->d, (size_t)ntree + 1);
  mjtByte* is_part = mj_stackAllocByte(e->d, (size_t)ntree + 1, 1);
  for (int t = 0; t < ntree; t++) {
    parent[t] = t;
    is_part[t] = 0;
  }
  for (int k = 0; k < blocks->count; k++) {
    // contacts of one pair share a list; a block without dofs has the list of the next one, too
    if (k > 0 && blocks->block[k].dof == blocks->block[k - 1].dof &&
        blocks->block[k].ndof == blocks->block[k - 1].ndof) {
      continue;
    }
    joinComponents(parent, is_part, m->dof_treeid, blocks->block[k].dof, blocks->block[k].ndof);
  }
  for (int k = 0; k < e->nclique; k++) {
    joinComponents(parent, is_part, m->dof_treeid, e->clique[k].dof, e->clique[k].n);
  }
  for (int t = 0; t < ntree; t++) {
    const int root = rootOfTree(parent, t);
    label[t] = root == t ? (is_part[t] ? count++ : -1) : label[root];
  }
  mj_freeStack(e->d);
  return count;
}


// ---------------------------------------- lists

// Sort n objects by their component, in their order; those of component -1 are left out.
static cfPartition sortByComponent(mjData* d, int ncomponent, const int* of_object, int n) {
  cfPartition p = {mj_stackAllocInt(d, (size_t)ncomponent + 1), mj_stackAllocInt(d, (size_t)n + 1)};
  int total = 0;
  cfi_zeroInt(p.adr, ncomponent + 1);
  for (int k = 0; k < n; k++) {
    if (of_object[k] >= 0) {
      p.adr[of_object[k]]++;
    }
  }
  for (int c = 0; c <= ncomponent; c++) {
    const int here = c < ncomponent ? p.adr[c] : 0;
    p.adr[c] = total;
    total += here;
  }
  for (int k = 0; k < n; k++) {
    if (of_object[k] >= 0) {
      p.list[p.adr[of_object[k]]++] = k;
    }
  }
  for (int c = ncomponent; c > 0; c--) {
    p.adr[c] = p.adr[c - 1];
  }
  p.adr[0] = 0;
  return p;
}


cfComponents cfi_components(const cfEffective* e, const cfContactBlocks* blocks) {
  const mjModel* m = e->m;
  mjData* d = e->d;
  const int nv = (int)m->nv, most = cfi_maxInt(nv, cfi_maxInt(blocks->count, e->nclique));
  int* label = mj_stackAllocInt(d, (size_t)m->ntree + 1);
  int* of = mj_stackAllocInt(d, (size_t)most + 1);
  cfComponents c = {.count = labelTrees(e, blocks, label)};
  c.local = mj_stackAllocInt(d, (size_t)nv + 1);
  for (int i = 0; i < nv; i++) {
    of[i] = label[m->dof_treeid[i]];
    c.local[i] = -1;
  }
  c.dofs = sortByComponent(d, c.count, of, nv);
  for (int k = 0; k < blocks->count; k++) {
    const cfContactBlock* block = blocks->block + k;
    of[k] = block->ndof ? label[m->dof_treeid[block->dof[0]]] : -1;
  }
  c.blocks = sortByComponent(d, c.count, of, blocks->count);
  for (int k = 0; k < e->nclique; k++) {
    of[k] = e->clique[k].n ? label[m->dof_treeid[e->clique[k].dof[0]]] : -1;
  }
  c.cliques = sortByComponent(d, c.count, of, e->nclique);
  for (int k = 0; k < c.count; k++) {
    for (int i = c.dofs.adr[k]; i < c.dofs.adr[k + 1]; i++) {
      c.local[c.dofs.list[i]] = i - c.dofs.adr[k];
    }
  }
  return c;
}
