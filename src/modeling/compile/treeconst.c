// Constants of kinematic trees: mass sums, the extent of each tree, tendons that cross trees, sleep
// policy.
#include "compile/constants.h"

#include <stdbool.h>

#include "base/assert.h"

void cfi_setMassSums(mjModel* m) {
  m->ngravcomp = 0;
  for (int b = m->nbody - 1; b >= 0; b--) {
    // children come after their parent and have already been added
    m->ngravcomp += m->body_gravcomp[b] > 0;
    m->body_subtreemass[b] = 0;
  }
  for (int b = m->nbody - 1; b >= 0; b--) {
    m->body_subtreemass[b] += m->body_mass[b];
    if (b) {
      m->body_subtreemass[m->body_parentid[b]] += m->body_subtreemass[b];
    }
  }
}


// tree that a tendon's wrap object moves with, -1 when it is static or no object at all
static int treeOfWrap(const mjModel* m, int wrap) {
  CF_ASSERT_INDEX(wrap, m->nwrap);
  const int id = m->wrap_objid[wrap];
  const int type = m->wrap_type[wrap];
  if (type == mjWRAP_JOINT) {
    return m->body_treeid[m->jnt_bodyid[id]];
  }
  if (type == mjWRAP_SITE) {
    return m->body_treeid[m->site_bodyid[id]];
  }
  if (type == mjWRAP_SPHERE || type == mjWRAP_CYLINDER) {
    return m->body_treeid[m->geom_bodyid[id]];
  }
  return -1;
}


// a body belongs to the tree of the dofs that move the body it is welded to
static int treeOfBody(const mjModel* m, int body) {
  const int weld = m->body_weldid[body];
  return m->body_dofnum[weld] ? m->dof_treeid[m->body_dofadr[weld]] : -1;
}


// first member and number of members of each tree, members listed in tree order
static void spanOfTrees(int ntree, int* adr, int* num, const int* tree_of, int count) {
  for (int t = 0; t < ntree; t++) {
    num[t] = 0;
  }
  int last = -1;
  for (int i = 0; i < count; i++) {
    if (tree_of[i] < 0) {
      continue;
    }
    if (tree_of[i] > last && last + 1 < ntree) {
      adr[++last] = i;
    }
    CF_ASSERT(last >= 0);
    num[last]++;
  }
}


// distinct trees along a tendon in order of appearance, the first two by name
static void treesOfTendon(mjModel* m, int tendon, int* last_seen) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  int* ids = m->tendon_treeid + 2 * tendon;
  int found = 0;
  ids[0] = ids[1] = -1;
  for (int k = 0; k < m->tendon_num[tendon]; k++) {
    const int tree = treeOfWrap(m, m->tendon_adr[tendon] + k);
    if (tree < 0 || last_seen[tree] == tendon) {
      continue;
    }
    last_seen[tree] = tendon;
    if (found < 2) {
      ids[found] = tree;
    }
    found++;
  }
  m->tendon_treenum[tendon] = found;
}


void cfi_setTrees(mjModel* m, mjData* d) {
  for (int b = 0; b < m->nbody; b++) {
    m->body_treeid[b] = treeOfBody(m, b);
  }
  spanOfTrees(m->ntree, m->tree_bodyadr, m->tree_bodynum, m->body_treeid, m->nbody);
  spanOfTrees(m->ntree, m->tree_dofadr, m->tree_dofnum, m->dof_treeid, m->nv);

  mj_markStack(d);
  int* last_seen = mj_stackAllocInt(d, m->ntree);
  for (int t = 0; t < m->ntree; t++) {
    last_seen[t] = -1;
  }
  for (int t = 0; t < m->ntendon; t++) {
    treesOfTendon(m, t, last_seen);
  }
  mj_freeStack(d);
}


// a tree without explicit policy stays awake for good
static void neverSleep(mjModel* m, int tree) {
  CF_ASSERT(tree < m->ntree);
  if (tree >= 0 && m->tree_sleep_policy[tree] == mjSLEEP_AUTO) {
    m->tree_sleep_policy[tree] = mjSLEEP_AUTO_NEVER;
  }
}


// body that a single-body transmission acts on, -1 for tendons and unknown types
static int bodyOfTransmission(const mjModel* m, int actuator) {
  CF_ASSERT_INDEX(actuator, m->nu);
  const int id = m->actuator_trnid[2 * actuator];
  switch ((mjtTrn)m->actuator_trntype[actuator]) {
    case mjTRN_JOINT:
    case mjTRN_JOINTINPARENT:
      return m->jnt_bodyid[id];
    case mjTRN_SITE:
    case mjTRN_SLIDERCRANK:
      return m->site_bodyid[id];
    case mjTRN_BODY:
      return id;
    default:
      return -1;
  }
}


// actuated trees do not fall asleep by themselves
static void keepActuatedAwake(mjModel* m) {
  for (int u = 0; u < m->nu; u++) {
    const int body = bodyOfTransmission(m, u);
    if (body >= 0) {
      neverSleep(m, m->body_treeid[body]);
    } else if (m->actuator_trntype[u] == mjTRN_TENDON) {
      const int tendon = m->actuator_trnid[2 * u];
      for (int k = 0; k < m->tendon_num[tendon]; k++) {
        neverSleep(m, treeOfWrap(m, m->tendon_adr[tendon] + k));
      }
    }
  }
}


// first tree along a tendon that the user allowed to sleep, or -1
static int sleeperOnTendon(const mjModel* m, int tendon) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  for (int k = 0; k < m->tendon_num[tendon]; k++) {
    const int tree = treeOfWrap(m, m->tendon_adr[tendon] + k);
    if (tree >= 0 && (m->tree_sleep_policy[tree] == mjSLEEP_ALLOWED ||
                      m->tree_sleep_policy[tree] == mjSLEEP_INIT)) {
      return tree;
    }
  }
  return -1;
}


// a tendon couples its trees when it spans three or more, or two with a spring or damper
static bool couplesTrees(const mjModel* m, int tendon) {
  const int spanned = m->tendon_treenum[tendon];
  const bool is_passive = m->tendon_stiffness[tendon] != 0 || m->tendon_damping[tendon] != 0;
  return spanned > 2 || (spanned == 2 && is_passive);
}


// trees coupled by a tendon stay awake; the user must not have asked otherwise
static void keepCoupledAwake(mjModel* m) {
  for (int t = 0; t < m->ntendon; t++) {
    if (!couplesTrees(m, t)) {
      continue;
    }
    const int sleeper = sleeperOnTendon(m, t);
    if (sleeper >= 0) {
      mju_error("mj_setConst: tree %d connected to tendon %d %s, sleeping not allowed", sleeper, t,
                m->tendon_treenum[t] > 2 ? "which spans more than 2 trees"
                                         : "with non-zero stiffness or damping");
    }
    for (int k = 0; k < m->tendon_num[t]; k++) {
      neverSleep(m, treeOfWrap(m, m->tendon_adr[t] + k));
    }
  }
}


// deformable objects keep every body of theirs awake
static void keepFlexAwake(mjModel* m) {
  for (int f = 0; f < m->nflex; f++) {
    const bool by_node = m->flex_interp[f] != 0;
    const int* body =
        by_node ? m->flex_nodebodyid + m->flex_nodeadr[f] : m->flex_vertbodyid + m->flex_vertadr[f];
    const int count = by_node ? m->flex_nodenum[f] : m->flex_vertnum[f];
    for (int k = 0; k < count; k++) {
      neverSleep(m, m->body_treeid[body[k]]);
    }
  }
}


void cfi_setSleepPolicy(mjModel* m, mjData* d) {
  (void)d;
  keepActuatedAwake(m);
  keepCoupledAwake(m);
  keepFlexAwake(m);

  // nothing speaks against sleeping for the rest
  for (int t = 0; t < m->ntree; t++) {
    if (m->tree_sleep_policy[t] == mjSLEEP_AUTO) {
      m->tree_sleep_policy[t] = mjSLEEP_AUTO_ALLOWED;
    }
  }
}
