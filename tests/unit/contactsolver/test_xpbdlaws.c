// What mechanics promises, kept by position-based contacts: chains, friction laws, overlaps,
// stacks, limits, grips, momentum.  Scenes and numbers of Newton's method: bench/solverlaws.h.
#include "cf_test.h"

#include <cortenforge/cortenforge.h>

#include "../../../bench/solverlaws.h"
#include "cf_text.h"

static const sceneSolver laws_soft = {"xpbd", "xpbd", {4, 10}, 2};
static const sceneSolver laws_rigid = {"xpbd rigid", "xpbd", {4, 10, 0}, 3};


// the long runs are left to `make soak`, which sets CF_LONG
static bool isLong(void) {
  return getenv("CF_LONG") != NULL;
}


// more substeps, smaller gaps; no energy out of nothing
static void expectChain(bool is_weld, double ratio, int least, int most) {
  double last = INFINITY;
  for (int n = least; n <= most; n *= 4) {
    const sceneSolver way = {"xpbd rigid", "xpbd", {n, 10, 0}, 3};
    const lawResult result = lawChain(&way, is_weld, ratio, isLong() ? 1 : 0.7);
    CF_TRUE(result.is_finite);
    CF_TRUE(result.value[0] < 0.5 * last);
    CF_TRUE(result.value[1] < 0.01);
    last = result.value[0];
  }
  CF_TRUE(last < 1e-3);
}


CF_TEST(xpbdChain__connects__gap_shrinks_with_substeps_and_energy_does_not_grow) {
  for (double ratio = 1; ratio <= 1000; ratio *= 10) {
    expectChain(false, ratio, 1, 16);
  }
}


CF_TEST(xpbdChain__welds__gap_shrinks_with_substeps_and_energy_does_not_grow) {
  for (double ratio = 1; ratio <= 1000; ratio *= 10) {
    expectChain(true, ratio, 1, 16);
  }
}


// one or two substeps of 2 ms: joints visited one by one opened by 0.3 m, and gained energy
CF_TEST(xpbdChain__heavy_end_and_few_substeps__closed_without_energy_gained) {
  for (int k = 0; k < 4; k++) {
    const sceneSolver way = {"xpbd rigid", "xpbd", {1 + k / 2, 10, 0}, 3};
    const lawResult result = lawChain(&way, k % 2, 1000, 2);
    CF_TRUE(result.is_finite);
    CF_TRUE(result.value[0] < 1e-4);
    CF_TRUE(result.value[1] < 0.01);
  }
}


CF_LONG_TEST(xpbdChain__64_substeps__as_well) {
  for (double ratio = isLong() ? 1 : 1000; ratio <= 1000; ratio *= 10) {
    expectChain(false, ratio, 4, 64);
    expectChain(true, ratio, 4, 64);
  }
}


CF_TEST(xpbdFriction__sliding__largest_dissipation_in_the_ellipse) {
  static const double mu[3][2] = {{0.5, 0.5}, {1, 0.2}, {0.1, 0.8}};
  for (int k = 0; k < 6; k++) {
    const sceneSolver* way = k % 2 ? &laws_soft : &laws_rigid;
    const lawResult result = lawSlide(way, mu[k / 2][0], mu[k / 2][1], 0.3 + 0.5 * (k / 2));
    CF_TRUE(result.value[0] < 2e-3);
    CF_TRUE(result.value[1] < 2e-3);
  }
}


CF_TEST(xpbdFriction__spinning_and_rolling__torque_of_the_law) {
  static const double mu[3] = {0.01, 1e-3, 1e-4};
  for (int k = 0; k < 6; k++) {
    const sceneSolver* way = k % 2 ? &laws_soft : &laws_rigid;
    CF_TRUE(lawSpin(way, 4, false, mu[k / 2]).value[0] < 1e-6);
    CF_TRUE(lawSpin(way, 6, false, mu[k / 2]).value[0] < 1e-6);
    CF_TRUE(lawSpin(way, 6, true, mu[k / 2]).value[0] < 5e-3);
  }
}


CF_TEST(xpbdOverlap__spheres_and_boxes__do_not_fly_apart) {
  for (unsigned seed = 1; seed <= 3; seed++) {
    CF_TRUE(lawOverlap(&laws_soft, 20, false, seed).value[0] < 1);
    CF_TRUE(lawOverlap(&laws_rigid, 20, false, seed).value[0] < 1);
  }
  CF_TRUE(lawOverlap(&laws_soft, 2, true, 1).value[0] < 1);
  CF_TRUE(lawOverlap(&laws_rigid, 5, true, 1).value[0] < 1);

  // the speed is that of the attribute, pair by pair
  const sceneSolver slow = {"xpbd rigid", "xpbd", {4, 10, 0, 0, 0, 1e-4, 0.1}, 7};
  const lawResult result = lawOverlap(&slow, 2, true, 1);
  CF_TRUE(result.value[2] < 0.1 && result.value[2] > 0.04);
}


CF_LONG_TEST(xpbdStack__equal_boxes__16_of_16_random_stacks_stand) {
  const double seconds = isLong() ? 10 : 0.5;
  for (unsigned seed = 1; seed <= 16; seed++) {
    CF_TRUE(lawStack(&laws_rigid, 8, 0.01, seed, seconds).value[0] < 0.002);
    CF_TRUE(lawStack(&laws_soft, 8, 0.01, seed, seconds).value[0] < 0.03);
  }
}


// corners that coincide: contacts as deep as a box is thick, which are none
CF_TEST(xpbdStack__boxes_exactly_above_each_other__stand) {
  CF_TRUE(lawStack(&laws_rigid, 10, 0, 1, 2).value[0] < 0.002);
  CF_TRUE(lawStack(&laws_soft, 10, 0, 1, 2).value[0] < 0.015);
}


CF_TEST(xpbdLimit__steady_torque__steady_force) {
  CF_TRUE(lawLimit(&laws_soft).value[0] < 1e-6);
  const lawResult result = lawLimit(&laws_rigid);
  CF_TRUE(result.value[0] < 1e-6);
  CF_TRUE(result.value[1] < 3e-4);
}


CF_TEST(xpbdGrip__box_within_its_cone__is_not_dropped_when_shaken) {
  CF_TRUE(lawGrip(&laws_soft, 3).value[0] < 2e-3);
  CF_TRUE(lawGrip(&laws_rigid, 3).value[0] < 2e-3);
}


CF_TEST(xpbdHit__off_center__linear_and_angular_momentum_stay) {
  for (int k = 0; k < 12; k++) {
    const lawResult result = lawHit(k % 2 ? &laws_soft : &laws_rigid, k / 4, k & 2 ? 0.5 : 1e-4);
    CF_TRUE(result.value[0] < 1e-12);
    CF_TRUE(result.value[1] < 1e-3);
  }
}


CF_TEST(xpbdCradle__restitution_1__energy_stays) {
  for (int k = 0; k < 4; k++) {
    const lawResult result =
        lawCradle(k % 2 ? &laws_soft : &laws_rigid, k < 2 ? 0 : 1e-3, isLong() ? 10 : 4);
    CF_TRUE(result.value[0] > 0.95);
    CF_TRUE(result.value[1] < 1.05);
  }
}


CF_TEST_MAIN("contactsolver/xpbdlaws")
