// Checks of the kinematic tree: what follows from parents and joints has to be there as it follows.
#include <string.h>

#include "model/checker.h"

// coordinates and degrees of freedom per joint type
static const int joint_nq[4] = {7, 4, 1, 1};
static const int joint_nv[4] = {6, 3, 1, 1};


// objects of a body follow each other in the order of the bodies
static bool checkRun(const cfChecker* c, const char* name, int body, const int* adr, const int* num,
                     mjtSize* next) {
  if (num[body] && !cfi_checkEqual(c, name, body, adr[body], *next)) {
    return false;
  }
  *next += num[body];
  return true;
}


static bool checkBodies(const cfChecker* c) {
  const mjModel* m = c->m;
  mjtSize joint = 0, dof = 0, geom = 0;
  for (int b = 0; b < m->nbody; b++) {
    // parents come first; a body without joints moves with its parent
    const int parent = m->body_parentid[b];
    if (!cfi_checkValue(c, "body_parentid", b, parent, 0, b ? b : 1)) {
      return false;
    }
    const int root = b && parent ? m->body_rootid[parent] : b;
    const int weld = b && !m->body_jntnum[b] ? m->body_weldid[parent] : b;
    if (!cfi_checkEqual(c, "body_rootid", b, m->body_rootid[b], root) ||
        !cfi_checkEqual(c, "body_weldid", b, m->body_weldid[b], weld) ||
        !checkRun(c, "body_jntadr", b, m->body_jntadr, m->body_jntnum, &joint) ||
        !checkRun(c, "body_dofadr", b, m->body_dofadr, m->body_dofnum, &dof) ||
        !checkRun(c, "body_geomadr", b, m->body_geomadr, m->body_geomnum, &geom)) {
      return false;
    }
  }
  return cfi_checkEqual(c, "njnt", 0, m->njnt, joint) && cfi_checkEqual(c, "nv", 0, m->nv, dof) &&
         cfi_checkEqual(c, "ngeom", 0, m->ngeom, geom) &&
         cfi_checkEqual(c, "body_jntnum", 0, m->body_jntnum[0], 0);
}


// each body's joints and geoms name it
static bool checkOwners(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int b = 0; b < m->nbody; b++) {
    for (int j = m->body_jntadr[b]; j < m->body_jntadr[b] + m->body_jntnum[b]; j++) {
      if (!cfi_checkEqual(c, "jnt_bodyid", j, m->jnt_bodyid[j], b)) {
        return false;
      }
    }
    for (int g = m->body_geomadr[b]; g < m->body_geomadr[b] + m->body_geomnum[b]; g++) {
      if (!cfi_checkEqual(c, "geom_bodyid", g, m->geom_bodyid[g], b)) {
        return false;
      }
    }
  }
  return true;
}


// coordinates and dofs follow each other in the order of the joints
static bool checkJoints(const cfChecker* c) {
  const mjModel* m = c->m;
  mjtSize q = 0, v = 0;
  for (int j = 0; j < m->njnt; j++) {
    const int type = m->jnt_type[j];
    if (!cfi_checkEqual(c, "jnt_qposadr", j, m->jnt_qposadr[j], q) ||
        !cfi_checkEqual(c, "jnt_dofadr", j, m->jnt_dofadr[j], v)) {
      return false;
    }
    if (v + joint_nv[type] > m->nv) {
      return cfi_complain(c, "joint %d needs dofs up to %lld, nv is %lld", j,
                          (long long)v + joint_nv[type], (long long)m->nv);
    }
    for (int k = 0; k < joint_nv[type]; k++, v++) {
      if (!cfi_checkEqual(c, "dof_jntid", v, m->dof_jntid[v], j) ||
          !cfi_checkEqual(c, "dof_bodyid", v, m->dof_bodyid[v], m->jnt_bodyid[j])) {
        return false;
      }
    }
    q += joint_nq[type];
  }
  return cfi_checkEqual(c, "nq", 0, m->nq, q) && cfi_checkEqual(c, "nv", 0, m->nv, v);
}


// number of dofs that the joints of a body have
static bool checkBodyDofs(const cfChecker* c) {
  const mjModel* m = c->m;
  for (int b = 0; b < m->nbody; b++) {
    int count = 0;
    for (int k = 0; k < m->body_jntnum[b]; k++) {
      count += joint_nv[m->jnt_type[m->body_jntadr[b] + k]];
    }
    if (!cfi_checkEqual(c, "body_dofnum", b, m->body_dofnum[b], count)) {
      return false;
    }
  }
  return true;
}


// last dof of the chain that ends in a body, -1 when nothing moves it
static int lastDofOfBody(const mjModel* m, int body) {
  const int mover = m->body_weldid[body];
  return m->body_dofnum[mover] ? m->body_dofadr[mover] + m->body_dofnum[mover] - 1 : -1;
}


// dofs hang on the dof before them in their chain; a simple run counts down to its end
static bool checkDofs(const cfChecker* c) {
  const mjModel* m = c->m;
  mjtSize run = 0;
  for (mjtSize v = m->nv - 1; v >= 0; v--) {
    const int body = m->dof_bodyid[v];
    const bool is_first = v == m->body_dofadr[body];
    const mjtSize parent = is_first ? lastDofOfBody(m, m->body_parentid[body]) : v - 1;
    run = m->body_simple[body] ? run + 1 : 0;
    if (!cfi_checkEqual(c, "dof_parentid", v, m->dof_parentid[v], parent) ||
        !cfi_checkEqual(c, "dof_simplenum", v, m->dof_simplenum[v], run)) {
      return false;
    }
  }
  return true;
}


// a tree is a run of dofs from one without parent on, and the bodies they move
static bool checkTreeIds(const cfChecker* c) {
  const mjModel* m = c->m;
  mjtSize tree = -1;
  for (mjtSize v = 0; v < m->nv; v++) {
    tree += m->dof_parentid[v] < 0;
    if (!cfi_checkEqual(c, "dof_treeid", v, m->dof_treeid[v], tree)) {
      return false;
    }
  }
  if (!cfi_checkEqual(c, "ntree", 0, m->ntree, tree + 1)) {
    return false;
  }
  for (int b = 0; b < m->nbody; b++) {
    const int dof = lastDofOfBody(m, b);
    if (!cfi_checkEqual(c, "body_treeid", b, m->body_treeid[b],
                        dof < 0 ? -1 : m->dof_treeid[dof])) {
      return false;
    }
  }
  return true;
}


// the spans of a tree hold its own bodies and dofs
static bool checkTreeSpans(const cfChecker* c) {
  const mjModel* m = c->m;
  mjtSize nbody = 0, nv = 0;
  for (int t = 0; t < m->ntree; t++) {
    for (int k = 0; k < m->tree_bodynum[t]; k++) {
      const int body = m->tree_bodyadr[t] + k;
      if (m->body_treeid[body] != t) {
        return cfi_complain(c, "tree_bodyadr[%d] and tree_bodynum[%d] take in body %d of tree %d",
                            t, t, body, m->body_treeid[body]);
      }
    }
    for (int k = 0; k < m->tree_dofnum[t]; k++) {
      const int dof = m->tree_dofadr[t] + k;
      if (m->dof_treeid[dof] != t) {
        return cfi_complain(c, "tree_dofadr[%d] and tree_dofnum[%d] take in dof %d of tree %d", t,
                            t, dof, m->dof_treeid[dof]);
      }
    }
    nbody += m->tree_bodynum[t];
    nv += m->tree_dofnum[t];
  }
  return nbody <= m->nbody && cfi_checkEqual(c, "tree_dofnum (sum)", 0, nv, m->nv);
}


bool cfi_checkTrees(const cfChecker* c) {
  return checkBodies(c) && checkOwners(c) && checkJoints(c) && checkBodyDofs(c) && checkDofs(c) &&
         checkTreeIds(c) && checkTreeSpans(c);
}
