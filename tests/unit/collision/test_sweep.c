// Broad phase against brute force; vector form against its scalar twin; orders.
#include "collidetest.h"
#include "collision/broad/broad.h"
#include "collision/broad/filter.h"
#include "collision/mid/mid.h"
#include "math/simd/boxes8.h"

enum { MANY = 300 };


CF_TEST(boxes8__random_lanes__bits_of_the_scalar_twin) {
  float number[10][16];
  for (int trial = 0; trial < 2000; trial++) {
    for (int k = 0; k < 160; k++) {
      number[k / 16][k % 16] = (float)((int)cf_uniform(0, 8)) * (trial & 1 ? 1.f : 0.37f);
    }
    const cfBoxBallLanes lanes = {{number[0], number[1], number[2]},
                                  {number[3], number[4], number[5]},
                                  {number[6], number[7], number[8]},
                                  number[9]};
    const cfBoxBall one = {{number[0][15], number[1][15], number[2][15]},
                           {number[3][15], number[4][15], number[5][15]},
                           {number[6][15], number[7][15], number[8][15]},
                           trial % 10 ? number[9][15] : INFINITY};
    CF_EQ_INT(cfi_boxes8(&lanes, trial % 8, &one), cfi_boxes8Scalar(&lanes, trial % 8, &one));
    CF_EQ_INT(cfi_balls8(&lanes, trial % 8, &one), cfi_balls8Scalar(&lanes, trial % 8, &one));
  }
}


// n balls on free bodies in a cube
static cfScene balls(int n, double cube) {
  static char text[60000];
  int used = snprintf(text, sizeof(text), "<mujoco><worldbody>");
  for (int k = 0; k < n; k++) {
    used += snprintf(text + used, sizeof(text) - (size_t)used,
                     "<body pos=\"%.4f %.4f %.4f\"><freejoint/><geom size=\"%.3f\"/></body>",
                     cf_uniform(0, cube), cf_uniform(0, cube), cf_uniform(0, 0.3 * cube),
                     cf_uniform(0.02, 0.2));
  }
  snprintf(text + used, sizeof(text) - (size_t)used, "</worldbody></mujoco>");
  return cf_sceneFromText(text);
}


static int touching(cfScene s, int i, int j) {
  const mjtNum distance = mju_dist3(s.d->geom_xpos + 3 * i, s.d->geom_xpos + 3 * j);
  return distance <= s.m->geom_size[3 * i] + s.m->geom_size[3 * j];
}


CF_TEST(sweep__few_and_many_bodies__contacts_of_all_touching_pairs_in_order) {
  const int sizes[] = {2, 3, 7, 8, 9, 63, 64, 65, 66, 200, MANY};
  for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
    const int n = sizes[k];
    cfScene s = balls(n, n > 60 ? 2 : 0.03 * n);
    int found = 0;
    for (int i = 0; i < n; i++) {
      for (int j = i + 1; j < n; j++) {
        if (touching(s, i, j)) {
          CF_TRUE(found < s.d->ncon);
          CF_EQ_INT(s.d->contact[found].geom[0], i);
          CF_EQ_INT(s.d->contact[found].geom[1], j);
          found++;
        }
      }
    }
    CF_EQ_INT(s.d->ncon, found);
    CF_TRUE(n < 60 || found > 10);
    cf_freeScene(s);
  }
}


CF_TEST(sweep__most_asleep__only_pairs_of_those_awake) {
  cfScene s = balls(MANY, 3);
  s.m->opt.enableflags |= mjENBL_SLEEP;
  s.d->nbody_awake = 1;
  for (int b = 1; b <= MANY; b++) {
    s.d->body_awake[b] = b % 10 ? mjS_ASLEEP : mjS_AWAKE;
    s.d->nbody_awake += b % 10 == 0;
  }
  mj_collision(s.m, s.d);
  int found = 0;
  for (int i = 0; i < MANY; i++) {
    for (int j = i + 1; j < MANY; j++) {
      if (touching(s, i, j) && ((i + 1) % 10 == 0 || (j + 1) % 10 == 0)) {
        CF_TRUE(found < s.d->ncon);
        CF_EQ_INT(s.d->contact[found].geom[0], i);
        CF_EQ_INT(s.d->contact[found].geom[1], j);
        found++;
      }
    }
  }
  CF_EQ_INT(s.d->ncon, found);
  CF_TRUE(found > 10);
  cf_freeScene(s);
}


// bodies of one to three capsules, in chains and alone, with planes of the world; several thousand
// of their poses
static const char clutter[] =
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
    "<body><geom size='.05 .1' type='capsule'/></body>"
    "<replicate count='6' offset='.21 .03 0'><body pos='0 0 .3'><freejoint/>"
    "<geom type='capsule' size='.03 .1'/><geom type='box' size='.02 .02 .02' pos='.1 0 0'/>"
    "<body pos='.1 0 .1'><joint/><geom size='.06'/>"
    "<body pos='0 .1 0'><joint axis='0 1 0'/><geom type='capsule' size='.02 .08'/>"
    "<geom size='.03' pos='0 .1 0' contype='0' conaffinity='0'/></body></body></body></replicate>"
    "</worldbody></mujoco>";

static int sumMarks(cfScene s) {
  int sum = 0;
  for (int k = 0; k < s.m->nbvh; k++) {
    sum += s.d->bvh_active[k];
  }
  return sum;
}


// a pair that gives no contact and marks nothing
static bool isIdle(cfScene s, const cfMover* a, const cfMover* b) {
  if (a->geom >= 0 && b->geom >= 0) {
    return cfi_farApart(s.m, s.d, a, b);
  }
  memset(s.d->bvh_active, 0, (size_t)s.m->nbvh);
  cfTreeScratch scratch = {.found = {.d = s.d}, .todo = {.d = s.d}};
  cfi_collideTrees(&scratch, s.m, s.d, a->id, b->id);
  return scratch.found.n == 0 && sumMarks(s) == 0;
}


static bool hasKey(const cfPairList* list, uint64_t key) {
  for (int k = 0; k < list->n; k++) {
    if (list->key[k] == key) {
      return true;
    }
  }
  return false;
}


static int moverOf(const cfMoverTable* t, int id) {
  int i = 0;
  while (t->mover[i].id != id) {
    i++;
  }
  return i;
}


CF_TEST(pairFew__random_poses__pairs_of_the_sweep_without_idle_ones) {
  cfScene s = cf_sceneFromText(clutter);
  int kept = 0, left = 0;
  for (int trial = 0; trial < 400; trial++) {
    for (int k = 0; k < s.m->nq; k++) {
      s.d->qpos[k] = cf_uniform(-0.4, 0.4);
    }
    mj_kinematics(s.m, s.d);
    mj_markStack(s.d);
    cfMoverTable t = cfi_listMovers(s.m, s.d);
    CF_TRUE(cfi_isFew(s.m, &t));
    cfPairList few = {.d = s.d}, swept = {.d = s.d};
    cfi_pairFew(&few, &t, s.m, s.d);
    CF_TRUE(cfi_boundMovers(&t, s.m, s.d));
    cfi_sweepMovers(&swept, &t, s.m);
    for (int k = 0; k < few.n; k++) {
      CF_TRUE(hasKey(&swept, few.key[k]));
    }
    for (int k = 0; k < swept.n; k++) {
      const uint64_t key = swept.key[k];
      const bool is_idle = isIdle(s, t.mover + moverOf(&t, cfi_pairFirst(key)),
                                  t.mover + moverOf(&t, cfi_pairSecond(key)));
      CF_TRUE(is_idle || hasKey(&few, key));
      kept += !is_idle;
      left += !hasKey(&few, key);
    }
    mj_freeStack(s.d);
  }
  CF_TRUE(kept > 1000 && left > 100);
  cf_freeScene(s);
}


CF_TEST(pairFew__balls_that_touch_to_the_last_bit__boxes_decide) {
  int met = 0, pairs = 0;
  cfScene s = balls(6, 1);
  for (int trial = 0; trial < 200; trial++) {
    for (int k = 0; k < 6; k++) {
      s.m->geom_rbound[k] = 0.1;
      mju_zero3(s.d->geom_xpos + 3 * k);
      s.d->geom_xpos[3 * k] = 0.2 * k + cf_uniform(-1e-8, 1e-8);
    }
    mj_markStack(s.d);
    cfMoverTable t = cfi_listMovers(s.m, s.d);
    cfPairList few = {.d = s.d}, swept = {.d = s.d};
    cfi_pairFew(&few, &t, s.m, s.d);
    CF_TRUE(cfi_boundMovers(&t, s.m, s.d));
    cfi_sweepMovers(&swept, &t, s.m);
    CF_EQ_INT(few.n, swept.n);
    met += few.n;
    pairs += 5;
    mj_freeStack(s.d);
  }
  CF_TRUE(met > pairs / 10 && met < pairs - pairs / 10);
  cf_freeScene(s);
}


// a program clears the masks of single geoms; those of their bodies stay, so they are movers still
CF_TEST(isFew__masks_of_single_geoms_cleared__each_takes_its_sphere) {
  cfScene s = cf_sceneFromText(
      "<mujoco><worldbody><body><freejoint/>"
      "<replicate count='40' offset='.01 0 0'><geom size='.02'/></replicate></body>"
      "<replicate count='40' offset='.01 0 0'><body><freejoint/><geom size='.02'/></body></replicate>"
      "</worldbody></mujoco>");
  for (int clears = 0; clears <= 1; clears++) {
    for (int g = 40; clears && g < 80; g++) {
      s.m->geom_contype[g] = s.m->geom_conaffinity[g] = 0;
    }
    mj_markStack(s.d);
    cfMoverTable t = cfi_listMovers(s.m, s.d);
    CF_EQ_INT(t.n, 41);
    CF_TRUE(!cfi_isFew(s.m, &t));
    mj_freeStack(s.d);
    mj_collision(s.m, s.d);
    CF_EQ_INT(s.d->ncon > 0, !clears);
  }
  cf_freeScene(s);
}


static int compareKeys(const void* a, const void* b) {
  const uint64_t p = *(const uint64_t*)a, q = *(const uint64_t*)b;
  return p < q ? -1 : p > q;
}


CF_TEST(sortPairs__any_length__ascending) {
  cfScene s = balls(2, 1);
  mj_markStack(s.d);
  for (int n = 0; n < 400; n += 13) {
    cfPairList list = {.d = s.d};
    uint64_t expected[400];
    for (int k = 0; k < n; k++) {
      cfi_addPair(&list, (int)cf_uniform(0, 50), (int)cf_uniform(0, 50));
      expected[k] = list.key[k];
    }
    cfi_sortPairs(&list, 50);
    qsort(expected, (size_t)n, sizeof(uint64_t), compareKeys);
    for (int k = 0; k < n; k++) {
      CF_TRUE(list.key[k] == expected[k]);
    }
  }
  mj_freeStack(s.d);
  cf_freeScene(s);
}


CF_TEST_MAIN("collision/sweep")
