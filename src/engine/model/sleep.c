// Sleep and wake.
//
// tree_asleep[t] < 0: awake; -1 means ready to sleep, lower values count the slow steps still
// needed. tree_asleep[t] >= 0: asleep; the value is the next tree of a cycle that fell asleep
// together, so that waking one wakes all:   3 -> 5 -> 8 -> 3.
#include "model/sleep.h"

#include <math.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "base/likely.h"
#include "math/scan.h"

static bool sleepEnabled(const mjModel* m) {
  return CF_SELDOM((m->opt.enableflags & mjENBL_SLEEP) != 0);
}


// every |vec| * weight is below tolerance; NaN does not count as fast
static bool allSlow(const mjtNum* vec, const mjtNum* weight, int n, mjtNum tolerance) {
  CF_ASSERT(n >= 0);
  for (int k = 0; k < n; k++) {
    if (weight[k] * fabs(vec[k]) >= tolerance) {
      return false;
    }
  }
  return true;
}


// what holds for all trees, asked once instead of tree by tree; bits count, so that a negative zero
// written by the user is a change
typedef struct {
  bool no_force;     // applied to a body or a dof
  bool no_velocity;  // of any dof
} cfStillness;


static cfStillness findStillness(const mjModel* m, const mjData* d) {
  return (cfStillness){
      .no_force = cfi_allZeroBits(d->xfrc_applied, 6 * (int)m->nbody) &&
                  cfi_allZeroBits(d->qfrc_applied, (int)m->nv),
      .no_velocity = cfi_allZeroBits(d->qvel, (int)m->nv),
  };
}


static bool isPushed(const mjModel* m, const mjData* d, int tree) {
  return !cfi_allZeroBits(d->xfrc_applied + 6 * m->tree_bodyadr[tree], 6 * m->tree_bodynum[tree]) ||
         !cfi_allZeroBits(d->qfrc_applied + m->tree_dofadr[tree], m->tree_dofnum[tree]);
}


// velocity below tolerance, or exactly zero where tolerance is zero
static bool isSlow(const mjModel* m, const mjData* d, int tree, mjtNum tolerance) {
  CF_ASSERT_INDEX(tree, m->ntree);
  const int dof = m->tree_dofadr[tree], n = m->tree_dofnum[tree];
  return tolerance ? allSlow(d->qvel + dof, m->dof_length + dof, n, tolerance)
                   : cfi_allZeroBits(d->qvel + dof, n);
}


// policy allows it, nobody pushes, and it is slow
static inline bool mayTreeSleep(const mjModel* m, const mjData* d, int tree, mjtNum tolerance,
                                cfStillness still) {
  CF_ASSERT_INDEX(tree, m->ntree);
  const int policy = m->tree_sleep_policy[tree];
  return policy != mjSLEEP_NEVER && policy != mjSLEEP_AUTO_NEVER &&
         (still.no_force || !isPushed(m, d, tree)) &&
         (still.no_velocity || isSlow(m, d, tree, tolerance));
}


int cfi_sleepCycle(const int* tree_asleep, int ntree, int tree) {
  CF_ASSERT(ntree >= 0);
  int smallest = tree, at = tree;
  for (int hops = 0; hops <= ntree + 1; hops++) {
    if (at < 0 || at >= ntree) {
      return -1;
    }
    smallest = at < smallest ? at : smallest;
    at = tree_asleep[at];
    if (at == tree) {
      return smallest;
    }
  }
  return -1;
}


int cfi_wakeTree(int* tree_asleep, int ntree, int tree, int countdown) {
  CF_ASSERT(tree >= 0 && tree < ntree);
  if (tree_asleep[tree] < 0) {
    if (countdown < tree_asleep[tree]) {
      tree_asleep[tree] = countdown;
    }
    return 0;
  }

  // walk around the cycle; each tree is marked awake as it is left, so we stop where we began
  int woken = 0;
  for (int at = tree; tree_asleep[at] >= 0; woken++) {
    const int next = tree_asleep[at];
    if (next >= ntree) {
      mju_error("tree %d sleeps in a broken cycle: next is %d of %d", tree, next, ntree);
      return 0;
    }
    tree_asleep[at] = countdown;
    at = next;
  }
  return woken;
}


int cfi_wake(const mjModel* m, mjData* d) {
  if (!sleepEnabled(m)) {
    // flag was cleared while trees slept
    const int sleeping = m->ntree - d->ntree_awake;
    for (int tree = 0; sleeping > 0 && tree < m->ntree; tree++) {
      d->tree_asleep[tree] = CF_FULLY_AWAKE;
    }
    return sleeping;
  }

  int tree = 0;
  while (tree < m->ntree && d->tree_asleep[tree] < 0) {
    tree++;
  }
  if (tree == m->ntree) {
    return 0;
  }

  // tree_awake set on a sleeping tree: its qpos was seen to change
  int woken = 0;
  const cfStillness still = findStillness(m, d);
  for (; tree < m->ntree; tree++) {
    if (d->tree_asleep[tree] >= 0 && (d->tree_awake[tree] || !mayTreeSleep(m, d, tree, 0, still))) {
      woken += cfi_wakeTree(d->tree_asleep, m->ntree, tree, CF_FULLY_AWAKE);
    }
  }
  return woken;
}


// one of two coupled trees is awake: wake the other with the countdown of the first
static int wakePartner(const mjModel* m, mjData* d, int tree1, int tree2) {
  CF_ASSERT((d->tree_awake[tree1] != 0) != (d->tree_awake[tree2] != 0));
  const int awake = d->tree_awake[tree1] ? tree1 : tree2;
  return cfi_wakeTree(d->tree_asleep, m->ntree, awake == tree1 ? tree2 : tree1,
                      d->tree_asleep[awake]);
}


int cfi_wakeCollision(const mjModel* m, mjData* d) {
  if (!sleepEnabled(m)) {
    return 0;
  }

  int woken = 0;
  for (const mjContact* con = d->contact; con < d->contact + d->ncon; con++) {
    if (con->geom[0] < 0 || con->geom[1] < 0) {
      continue;
    }
    const int body1 = m->geom_bodyid[con->geom[0]], body2 = m->geom_bodyid[con->geom[1]];
    const int tree1 = m->body_treeid[body1], tree2 = m->body_treeid[body2];
    if (tree1 < 0 || tree2 < 0) {
      continue;
    }

    const int num_awake = (d->tree_awake[tree1] != 0) + (d->tree_awake[tree2] != 0);
    if (num_awake == 1) {
      woken += wakePartner(m, d, tree1, tree2);
    } else if (num_awake == 0) {
      mju_error("contact between sleeping bodies %d and %d", body1, body2);
    }
  }
  return woken;
}


// number of violated length limits of a tendon, margins included
static int violatedLimits(const mjModel* m, const mjData* d, int tendon) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  if (!m->tendon_limited[tendon]) {
    return 0;
  }
  const mjtNum* range = m->tendon_range + 2 * tendon;
  const mjtNum length = d->ten_length[tendon], margin = m->tendon_margin[tendon];
  return (length - range[0] < margin) + (range[1] - length < margin);
}


int cfi_wakeTendon(const mjModel* m, mjData* d) {
  if (!sleepEnabled(m)) {
    return 0;
  }

  int woken = 0;
  for (int i = 0; i < m->ntendon; i++) {
    const int* tree = m->tendon_treeid + 2 * i;
    if (m->tendon_treenum[i] == 2 && d->tree_awake[tree[0]] != d->tree_awake[tree[1]] &&
        violatedLimits(m, d, i)) {
      woken += wakePartner(m, d, tree[0], tree[1]);
    }
  }
  return woken;
}


// the two trees that an equality couples, -1 for the world
static void equalityTrees(const mjModel* m, int eq, int tree[2]) {
  CF_ASSERT_INDEX(eq, m->neq);
  const int id[2] = {m->eq_obj1id[eq], m->eq_obj2id[eq]};
  for (int k = 0; k < 2; k++) {
    int body = -1;
    if (m->eq_type[eq] == mjEQ_JOINT) {
      body = id[k] < 0 ? -1 : m->jnt_bodyid[id[k]];
    } else {
      body = m->eq_objtype[eq] == mjOBJ_BODY ? id[k] : m->site_bodyid[id[k]];
    }
    tree[k] = body < 0 ? -1 : m->body_treeid[body];
  }
}


// wake what one equality asks for
static int wakeCoupled(const mjModel* m, mjData* d, int tree1, int tree2) {
  CF_ASSERT(tree1 >= -1 && tree1 < m->ntree && tree2 >= -1 && tree2 < m->ntree);
  if (tree1 < 0 || tree2 < 0 || tree1 == tree2 || (d->tree_awake[tree1] && d->tree_awake[tree2])) {
    return 0;
  }

  // both asleep in one cycle may go on sleeping
  if (!d->tree_awake[tree1] && !d->tree_awake[tree2] &&
      cfi_sleepCycle(d->tree_asleep, m->ntree, tree1) ==
          cfi_sleepCycle(d->tree_asleep, m->ntree, tree2)) {
    return 0;
  }

  int woken = 0;
  const int tree[2] = {tree1, tree2};
  for (int k = 0; k < 2; k++) {
    if (!d->tree_awake[tree[k]]) {
      woken += cfi_wakeTree(d->tree_asleep, m->ntree, tree[k], CF_FULLY_AWAKE);
    }
  }
  return woken;
}


int cfi_wakeEquality(const mjModel* m, mjData* d) {
  if (!sleepEnabled(m)) {
    return 0;
  }

  int woken = 0;
  for (int eq = 0; eq < m->neq; eq++) {
    if (!d->eq_active[eq]) {
      continue;
    }
    if (m->eq_type[eq] == mjEQ_TENDON || m->eq_type[eq] == mjEQ_FLEX ||
        m->eq_type[eq] == mjEQ_FLEXVERT) {
      mju_error("mj_wakeEquality: %s equality does not yet support sleeping",
                m->eq_type[eq] == mjEQ_TENDON ? "tendon" : "flex");
      continue;
    }
    int tree[2];
    equalityTrees(m, eq, tree);
    woken += wakeCoupled(m, d, tree[0], tree[1]);
  }
  return woken;
}


// link trees into a cycle and stop them
static void sleepTogether(const mjModel* m, mjData* d, const int* tree, int n) {
  for (int k = 0; k < n; k++) {
    CF_ASSERT(d->tree_asleep[tree[k]] == -1);
    d->tree_asleep[tree[k]] = tree[k + 1 < n ? k + 1 : 0];
    mju_zero(d->qvel + m->tree_dofadr[tree[k]], m->tree_dofnum[tree[k]]);
    mju_zero(d->qacc + m->tree_dofadr[tree[k]], m->tree_dofnum[tree[k]]);
  }
}


// one step of the countdown of every awake tree
static void countDown(const mjModel* m, mjData* d) {
  const cfStillness still = d->ntree_awake ? findStillness(m, d) : (cfStillness){true, true};
  for (int tree = 0; tree < m->ntree; tree++) {
    int* state = d->tree_asleep + tree;
    if (*state >= 0) {
      continue;
    }
    if (!mayTreeSleep(m, d, tree, m->opt.sleep_tolerance, still)) {
      *state = CF_FULLY_AWAKE;
    } else if (*state < -1) {
      ++*state;
    }
  }
}


// all trees of a list are ready
static bool allReady(const mjData* d, const int* tree, int n) {
  for (int k = 0; k < n; k++) {
    CF_ASSERT(d->tree_asleep[tree[k]] < 0);
    if (d->tree_asleep[tree[k]] != -1) {
      return false;
    }
  }
  return true;
}


int cfi_sleep(const mjModel* m, mjData* d) {
  // rows without islands: nobody knows what belongs together
  if (!sleepEnabled(m) || (d->nefc && !d->nisland)) {
    return 0;
  }
  countDown(m, d);

  // islands sleep as one
  int slept = 0, in_islands = 0;
  for (int island = 0; island < d->nisland; island++) {
    const int n = d->island_ntree[island];
    const int* tree = d->map_itree2tree + d->island_itreeadr[island];
    if (allReady(d, tree, n)) {
      sleepTogether(m, d, tree, n);
      slept += n;
    }
    in_islands += n;
  }

  // trees without constraints sleep alone
  for (int k = in_islands; k < m->ntree; k++) {
    const int tree = d->nisland ? d->map_itree2tree[k] : k;
    if (d->tree_asleep[tree] == -1) {
      sleepTogether(m, d, &tree, 1);
      slept++;
    }
  }
  return slept;
}
