// Broad phase against brute force; vector form against its scalar twin; orders.
#include "collidetest.h"
#include "collision/broad/broad.h"
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
