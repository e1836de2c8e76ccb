// Which trees belong together: disjoint sets joined by the rows of the constraint Jacobian.
#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "constraint/island.h"

// representative of a tree's set, halving the path on the way
static int findRoot(int* parent, int tree) {
  CF_ASSERT(tree >= 0 && parent[tree] <= tree);
  while (parent[tree] != tree) {
    parent[tree] = parent[parent[tree]];
    tree = parent[tree];
  }
  return tree;
}


// join two sets under the smaller representative, so that it is the first tree of the island
static void joinTrees(int* parent, int a, int b) {
  CF_ASSERT(a >= 0 && b >= 0);
  a = findRoot(parent, a);
  b = findRoot(parent, b);
  if (a < b) {
    parent[b] = a;
  } else {
    parent[a] = b;
  }
}


// the two bodies that a row couples where type and id alone tell; false otherwise
static bool coupledBodies(const mjModel* m, const mjData* d, int row, int body[2]) {
  CF_ASSERT_INDEX(row, d->nefc);
  const int id = d->efc_id[row];
  switch (d->efc_type[row]) {
    case mjCNSTR_FRICTION_DOF:
      body[0] = body[1] = m->dof_bodyid[id];
      return true;
    case mjCNSTR_LIMIT_JOINT:
      body[0] = body[1] = m->jnt_bodyid[id];
      return true;
    case mjCNSTR_CONTACT_FRICTIONLESS:
    case mjCNSTR_CONTACT_PYRAMIDAL:
    case mjCNSTR_CONTACT_ELLIPTIC: {
      const int* geom = d->contact[id].geom;
      if (geom[0] < 0 || geom[1] < 0) {
        return false;
      }
      body[0] = m->geom_bodyid[geom[0]];
      body[1] = m->geom_bodyid[geom[1]];
      return true;
    }
    case mjCNSTR_EQUALITY:
      if (m->eq_type[id] != mjEQ_CONNECT && m->eq_type[id] != mjEQ_WELD) {
        return false;
      }
      body[0] = m->eq_obj1id[id];
      body[1] = m->eq_obj2id[id];
      if (m->eq_objtype[id] == mjOBJ_SITE) {
        body[0] = m->site_bodyid[body[0]];
        body[1] = m->site_bodyid[body[1]];
      }
      return true;
    default:
      return false;
  }
}


// join all trees whose dofs appear in a row; returns the first, -1 if there is none
static int joinRow(const mjModel* m, const mjData* d, int row, bool is_sparse, int* parent) {
  CF_ASSERT_INDEX(row, d->nefc);
  const int adr = is_sparse ? d->efc_J_rowadr[row] : row * (int)m->nv;
  const int n = is_sparse ? d->efc_J_rownnz[row] : (int)m->nv;
  int first = -1;
  for (int k = 0; k < n; k++) {
    if (!is_sparse && d->efc_J[adr + k] == 0) {
      continue;
    }
    const int tree = m->dof_treeid[is_sparse ? d->efc_J_colind[adr + k] : k];
    if (first < 0) {
      first = tree;
    } else if (tree != first) {
      joinTrees(parent, first, tree);
    }
  }
  return first;
}


// join what a row couples, return one of its trees
static int joinByRow(const mjModel* m, const mjData* d, int row, bool is_sparse, int* parent) {
  int body[2];
  if (!coupledBodies(m, d, row, body)) {
    return joinRow(m, d, row, is_sparse, parent);
  }
  const int tree1 = m->body_treeid[body[0]], tree2 = m->body_treeid[body[1]];
  if (tree1 >= 0 && tree2 >= 0 && tree1 != tree2) {
    joinTrees(parent, tree1, tree2);
  }
  return tree1 >= 0 ? tree1 : tree2;
}


// a contact that another thread has written to takes long to come: ask for it some rows before
static inline void askForContact(const mjData* d, int row) {
  enum { ROWS_AHEAD = 24 };
  const int next = row + ROWS_AHEAD;
  if (next < d->nefc && d->efc_type[next] >= mjCNSTR_CONTACT_FRICTIONLESS) {
    __builtin_prefetch(d->contact[d->efc_id[next]].geom);
  }
}


// rows of one constraint couple the same trees, except in flexes
static bool sameCoupling(const mjModel* m, const mjData* d, int row) {
  if (row == 0 || d->efc_type[row] != d->efc_type[row - 1] ||
      d->efc_id[row] != d->efc_id[row - 1]) {
    return false;
  }
  return d->efc_type[row] != mjCNSTR_EQUALITY || m->eq_type[d->efc_id[row]] < mjEQ_FLEX;
}


int cfi_labelTrees(const mjModel* m, mjData* d, int* tree_island, int* row_tree) {
  const bool is_sparse = mj_isSparse(m);
  mj_markStack(d);
  int* parent = mj_stackAllocInt(d, m->ntree);
  for (int tree = 0; tree < m->ntree; tree++) {
    parent[tree] = tree;
    tree_island[tree] = -1;
  }

  // join, and mark the trees that have rows
  const bool is_shared = d->threadpool;
  for (int row = 0; row < d->nefc; row++) {
    if (is_shared) {
      askForContact(d, row);
    }
    int tree =
        sameCoupling(m, d, row) ? row_tree[row - 1] : joinByRow(m, d, row, is_sparse, parent);
    if (tree < 0) {
      mju_error("constraint row %d moves no tree", row);
      tree = 0;
    }
    row_tree[row] = tree;
    tree_island[tree] = 0;
  }

  // a set counts when one of its trees was marked; number the sets by their first tree
  for (int tree = 0; tree < m->ntree; tree++) {
    if (tree_island[tree] == 0) {
      tree_island[findRoot(parent, tree)] = 0;
    }
  }
  int count = 0;
  for (int tree = 0; tree < m->ntree; tree++) {
    const int root = findRoot(parent, tree);
    CF_ASSERT(root <= tree);
    if (root == tree && tree_island[tree] == 0) {
      tree_island[tree] = count++;
    } else {
      tree_island[tree] = root == tree ? -1 : tree_island[root];
    }
  }
  mj_freeStack(d);
  return count;
}
