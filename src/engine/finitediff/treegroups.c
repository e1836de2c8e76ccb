#include "finitediff/treegroups.h"

#include <mujoco/mujoco.h>

#include "base/assert.h"

// pairs of trees that meet in a contact, an equality, a tendon or an actuator; the first walk
// counts them, the second writes them
typedef struct {
  const mjModel* m;
  int ntree, npair;
  int* pair;        // 2 x npair, NULL while counting
  bool is_coupled;  // some of them cannot be told
} treePairs;


static void joinTreePair(treePairs* p, int tree1, int tree2) {
  if (tree1 < 0 || tree2 < 0 || tree1 == tree2) {
    return;
  }
  if (p->pair) {
    p->pair[2 * p->npair] = tree1;
    p->pair[2 * p->npair + 1] = tree2;
  }
  p->npair++;
}


static void joinBodies(treePairs* p, int body1, int body2) {
  CF_ASSERT_INDEX(body1, p->m->nbody);
  CF_ASSERT_INDEX(body2, p->m->nbody);
  joinTreePair(p, p->m->body_treeid[body1], p->m->body_treeid[body2]);
}


static void joinSites(treePairs* p, int site1, int site2) {
  if (site1 >= 0 && site2 >= 0) {
    joinBodies(p, p->m->site_bodyid[site1], p->m->site_bodyid[site2]);
  }
}


// trees of two tendons, the second of which may be -1
static void joinTendons(treePairs* p, int tendon1, int tendon2) {
  CF_ASSERT_INDEX(tendon1, p->m->ntendon);
  const int tendon[2] = {tendon1, tendon2};
  const mjModel* m = p->m;
  for (int a = 0; a < 2; a++) {
    if (tendon[a] >= 0 && m->tendon_treenum[tendon[a]] > 2) {
      p->is_coupled = true;
      return;
    }
  }
  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < a; b++) {
      const int one = tendon[a / 2], two = tendon[b / 2];
      if (one >= 0 && two >= 0 && a % 2 < m->tendon_treenum[one] &&
          b % 2 < m->tendon_treenum[two]) {
        joinTreePair(p, m->tendon_treeid[2 * one + a % 2], m->tendon_treeid[2 * two + b % 2]);
      }
    }
  }
}


static void joinContacts(treePairs* p, const mjData* d) {
  for (int k = 0; k < d->ncon; k++) {
    const int* geom = d->contact[k].geom;
    if (geom[0] < 0 || geom[1] < 0) {
      p->is_coupled = true;
      return;
    }
    joinBodies(p, p->m->geom_bodyid[geom[0]], p->m->geom_bodyid[geom[1]]);
  }
}


static void joinEqualities(treePairs* p, const mjData* d) {
  const mjModel* m = p->m;
  for (int e = 0; e < m->neq; e++) {
    const int one = m->eq_obj1id[e], two = m->eq_obj2id[e];
    if (!d->eq_active[e]) {
      continue;
    }
    switch (m->eq_type[e]) {
      case mjEQ_CONNECT:
      case mjEQ_WELD:
        if (m->eq_objtype[e] == mjOBJ_SITE) {
          joinSites(p, one, two);
        } else {
          joinBodies(p, one, two);
        }
        break;
      case mjEQ_JOINT:
        if (two >= 0) {
          joinBodies(p, m->jnt_bodyid[one], m->jnt_bodyid[two]);
        }
        break;
      case mjEQ_TENDON:
        joinTendons(p, one, two);
        break;
      default:
        p->is_coupled = true;
    }
  }
}


static void joinActuators(treePairs* p) {
  const mjModel* m = p->m;
  for (int u = 0; u < m->nu; u++) {
    const int type = m->actuator_trntype[u], *id = m->actuator_trnid + 2 * u;
    if (type == mjTRN_SITE || type == mjTRN_SLIDERCRANK) {
      joinSites(p, id[0], id[1]);
    } else if (type == mjTRN_BODY) {
      p->is_coupled = true;
    }
  }
}


static void walkPairs(treePairs* p, const mjData* d) {
  p->npair = 0;
  joinContacts(p, d);
  joinEqualities(p, d);
  for (int t = 0; t < p->m->ntendon; t++) {
    joinTendons(p, t, -1);
  }
  joinActuators(p);
  p->is_coupled = p->is_coupled || p->m->nflex > 0;
}


// lists of neighbors from pairs; a tree may stand in a list more than once
static void listTreeNeighbors(cfTreeGroups* g, const treePairs* p) {
  for (int k = 0; k < 2 * p->npair; k++) {
    g->count[p->pair[k]]++;
  }
  int adr = 0;
  for (int t = 0; t < g->ntree; t++) {
    g->adr[t] = adr;
    adr += g->count[t];
    g->count[t] = 0;
  }
  for (int k = 0; k < p->npair; k++) {
    const int one = p->pair[2 * k], two = p->pair[2 * k + 1];
    g->neighbor[g->adr[one] + g->count[one]++] = two;
    g->neighbor[g->adr[two] + g->count[two]++] = one;
  }
}


// the first group without a tree that is less than three steps away; taken: last tree that found a
// group occupied
static int firstFree(const cfTreeGroups* g, int tree, int* taken) {
  CF_ASSERT_INDEX(tree, g->ntree);
  for (int a = 0; a < g->count[tree]; a++) {
    const int near = g->neighbor[g->adr[tree] + a];
    if (g->group[near] >= 0) {
      taken[g->group[near]] = tree;
    }
    for (int b = 0; b < g->count[near]; b++) {
      const int far = g->neighbor[g->adr[near] + b];
      if (g->group[far] >= 0) {
        taken[g->group[far]] = tree;
      }
    }
  }
  int group = 0;
  while (taken[group] == tree) {
    group++;
  }
  return group;
}


void cfi_groupTrees(cfTreeGroups* g, const mjModel* m, mjData* d) {
  treePairs p = {.m = m, .ntree = (int)m->ntree};
  walkPairs(&p, d);
  const int n = p.ntree;
  *g = (cfTreeGroups){.ntree = n, .ngroup = n, .is_coupled = p.is_coupled};
  g->group = mj_stackAllocInt(d, 4 * (size_t)n + 1);
  g->adr = g->group + n;
  g->count = g->adr + n;
  int* taken = g->count + n;
  for (int t = 0; t < n; t++) {
    g->group[t] = g->is_coupled ? t : -1;
    g->count[t] = 0;
    taken[t] = -1;
  }
  if (g->is_coupled || n == 1) {
    g->group[0] = 0;
    return;
  }
  p.pair = mj_stackAllocInt(d, 2 * (size_t)p.npair + 1);
  g->neighbor = mj_stackAllocInt(d, 2 * (size_t)p.npair + 1);
  walkPairs(&p, d);
  listTreeNeighbors(g, &p);
  g->ngroup = 0;
  for (int t = 0; t < n; t++) {
    g->group[t] = firstFree(g, t, taken);
    g->ngroup = g->group[t] >= g->ngroup ? g->group[t] + 1 : g->ngroup;
  }
}
