// One elliptic contact of three rows: the short chain against the code for any dimension.
#include <math.h>

#include <mujoco/mujoco.h>

#include "cf_test.h"
#include "solver/dualcone.h"
#include "solver/dualplanar.h"

// a number in [-1, 1), the same in every run
static mjtNum randomNumber(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (mjtNum)(*seed >> 8) / (1 << 23) - 1;
}


// G G' + R, well conditioned if R is not small
static void randomBlock(mjtNum block[9], mjtNum R, unsigned* seed) {
  mjtNum G[9];
  for (int k = 0; k < 9; k++) {
    G[k] = randomNumber(seed);
  }
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      block[3 * r + c] = G[3 * r] * G[3 * c] + G[3 * r + 1] * G[3 * c + 1] + (r == c ? R : 0);
    }
  }
}


// forces after a turn, by the code for any dimension
static void turnAny(mjtNum force[3], const mjtNum block[9], const mjContact* con,
                    const mjtNum old[3], const mjtNum res[3]) {
  for (int k = 0; k < 3; k++) {
    force[k] = old[k];
  }
  cfi_moveAlongRay(force, 1 / block[0], block, res, 3);
  cfi_bestFriction(force, con, block, res, old, 3);
}


// both ways from random forces; how many contacts stick, slide and come off
typedef struct {
  int sticks, slides, off;
} cfPlanarCount;

static void comparePlanar(mjtNum scale, mjtNum R, unsigned seed, cfPlanarCount* count) {
  mjContact con = {.dim = 3, .mu = 0.8, .friction = {0.8, 0.5}};
  for (int trial = 0; trial < 500; trial++) {
    mjtNum block[9], expected[3];
    randomBlock(block, R, &seed);
    const mjtNum normal = trial % 4 ? scale * (1 + randomNumber(&seed)) : 0;
    const mjtNum old[3] = {normal, 0.3 * normal * randomNumber(&seed),
                           0.3 * normal * randomNumber(&seed)};
    const mjtNum res[3] = {scale * randomNumber(&seed), scale * randomNumber(&seed),
                           scale * randomNumber(&seed)};
    turnAny(expected, block, &con, old, res);

    cfPlanar planar;
    cfi_beginPlanar(&planar, block, 1 / block[0], con.friction);
    const cfPush force =
        cfi_planarTurn(&planar, (cfPush){old[0], old[1], old[2]}, (cfPush){res[0], res[1], res[2]});
    const mjtNum noise = 1e-11 * (scale + fabs(expected[0]));
    CF_NEAR(force.n, expected[0], noise);
    CF_NEAR(force.x, expected[1], noise);
    CF_NEAR(force.y, expected[2], noise);
    const mjtNum x = force.x / con.friction[0], y = force.y / con.friction[1];
    const bool is_off = force.n <= 0, slides = sqrt(x * x + y * y) > force.n * (1 - 1e-9);
    count->off += is_off;
    count->slides += !is_off && slides;
    count->sticks += !is_off && !slides;
  }
}


CF_TEST(planarContact__random_forces__those_of_any_dimension) {
  cfPlanarCount count = {0, 0, 0};
  comparePlanar(10, 0.3, 1, &count);
  comparePlanar(1e-3, 0.3, 2, &count);
  comparePlanar(1e4, 1, 3, &count);
  CF_TRUE(count.sticks > 50 && count.slides > 50 && count.off > 50);
}


CF_TEST(planarContact__friction_without_curvature__those_of_any_dimension) {
  cfPlanarCount count = {0, 0, 0};
  const mjtNum block[9] = {2, 0, 0, 0, 1e-6, 0, 0, 0, 1e-6}, mu[2] = {1, 1};
  cfPlanar planar;
  cfi_beginPlanar(&planar, block, 0.5, mu);
  CF_TRUE(!planar.is_plain);
  const cfPush force = cfi_planarTurn(&planar, (cfPush){1, 0, 0}, (cfPush){-1, 1, 1});
  CF_NEAR(force.n, 1.5, 1e-15);
  CF_NEAR(force.x, 0, 0);
  CF_NEAR(force.y, 0, 0);

  // next to no force: still those of any dimension
  comparePlanar(1e-9, 0.3, 4, &count);
}


CF_TEST_MAIN("solver/dualplanar")
