// Building blocks of the compiler: solids, poses, principal axes, trees of boxes, pools.
#include "cf_test.h"

#include "compile/bodyinertia.h"
#include "compile/bvh.h"
#include "compile/placement.h"
#include "compile/solids.h"

//---------------------------------- solids --------------------------------------------------------

CF_TEST(shapeVolume__sphere__four_thirds_pi_cubed) {
  const double size[3] = {2, 0, 0};
  CF_NEAR(cfi_shapeVolume(mjGEOM_SPHERE, size, false), 4.0 / 3 * mjPI * 8, 1e-13);
  CF_NEAR(cfi_shapeVolume(mjGEOM_SPHERE, size, true), 16 * mjPI, 1e-13);
}


CF_TEST(shapeVolume__plane__is_zero) {
  const double size[3] = {1, 1, 1};
  CF_NEAR(cfi_shapeVolume(mjGEOM_PLANE, size, false), 0, 0);
}


// a shell is the derivative of the solid when all surfaces move outwards at the same speed
CF_TEST(shapeInertia__shells__match_difference_of_solids) {
  const int types[4] = {mjGEOM_SPHERE, mjGEOM_CAPSULE, mjGEOM_CYLINDER, mjGEOM_BOX};
  const double size[3] = {.3, .2, .4}, step = 1e-5;
  for (int t = 0; t < 4; t++) {
    double outer_size[3] = {size[0] + step, size[1] + step, size[2] + step}, inner[3], outer[3],
           shell[3];
    if (types[t] == mjGEOM_CAPSULE) {
      outer_size[1] = size[1];  // the half length of a capsule leaves out its caps
    }
    double area = cfi_shapeVolume(types[t], size, true);
    cfi_shapeInertia(shell, types[t], size, true, area);
    cfi_shapeInertia(inner, types[t], size, false, cfi_shapeVolume(types[t], size, false));
    cfi_shapeInertia(outer, types[t], outer_size, false,
                     cfi_shapeVolume(types[t], outer_size, false));
    for (int k = 0; k < 3; k++) {
      CF_NEAR((outer[k] - inner[k]) / step, shell[k], 2e-4 * shell[k]);
    }
  }
}


CF_TEST(fluidCoefficients__sphere__virtual_mass_is_half_the_displaced) {
  const double size[3] = {.2, 0, 0}, coefs[5] = {1, 2, 3, 4, 5};
  double fluid[mjNFLUID];
  cfi_fluidCoefficients(fluid, mjGEOM_SPHERE, size, 1, coefs);
  double displaced = 4.0 / 3 * mjPI * .008;
  for (int k = 0; k < 3; k++) {
    CF_NEAR(fluid[6 + k], displaced / 2, 1e-4 * displaced);
    CF_NEAR(fluid[9 + k], 0, 1e-10);
  }
  CF_NEAR(fluid[5], 5, 0);
}


//---------------------------------- poses ---------------------------------------------------------

CF_TEST(invertPose__applied_after_pose__gives_identity) {
  double pos[3] = {1, 2, 3}, quat[4] = {.5, .5, -.5, .5}, inv_pos[3], inv_quat[4];
  cfi_invertPose(inv_pos, inv_quat, pos, quat);
  cfi_appendPose(pos, quat, inv_pos, inv_quat);
  const double zero[3] = {0, 0, 0}, unit[4] = {1, 0, 0, 0};
  CF_NEAR_ARRAY(pos, zero, 3, 1e-15);
  CF_NEAR_ARRAY(quat, unit, 4, 1e-15);
}


CF_TEST(samePose__not_a_number__equals_nothing) {
  const double a[3] = {0, NAN, 0}, b[3] = {0, 0, 0};
  CF_TRUE(!cfi_samePose(a, b, NULL, NULL));
  CF_TRUE(cfi_samePose(b, b, NULL, NULL));
}


//---------------------------------- inertia -------------------------------------------------------

CF_TEST(principalAxes__turned_diagonal__is_recovered) {
  const double full[6] = {2.5, 2.5, 1, .5, 0, 0};  // diag(3, 2, 1) turned by 45 degrees about z
  double moment[3], quat[4];
  cfi_principalAxes(moment, quat, full);
  CF_NEAR(moment[0], 3, 1e-14);
  CF_NEAR(moment[1], 2, 1e-14);
  CF_NEAR(moment[2], 1, 1e-14);
}


CF_TEST(diagonalizeInertia__negative_moment__is_refused) {
  const double full[6] = {1, 1, -1, 0, 0, 0};
  double moment[3], quat[4];
  CF_HAS_STR(cfi_diagonalizeInertia(quat, moment, full), "positive eigenvalues");
}


CF_TEST(addInertiaAbout__point_mass__follows_parallel_axes) {
  cfMassPart part = {.mass = 2, .pos = {1, 2, 3}, .quat = {1, 0, 0, 0}};
  const double center[3] = {0, 0, 0}, expected[6] = {26, 20, 10, -4, -6, -12};
  double full[6] = {0};
  cfi_addInertiaAbout(full, &part, center);
  CF_NEAR_ARRAY(full, expected, 6, 1e-15);
}


//---------------------------------- trees ---------------------------------------------------------

CF_TEST(buildBvh__random_boxes__cover_every_item_once) {
  enum { COUNT = 257 };
  static double aabb[COUNT][6], pos[COUNT][3];
  static cfBvhItem item[COUNT];
  const double origin[3] = {.1, .2, .3}, quat[4] = {.8, .6, 0, 0}, unit[4] = {1, 0, 0, 0};
  unsigned seed = 3;
  for (int i = 0; i < COUNT; i++) {
    for (int k = 0; k < 3; k++) {
      seed = seed * 1664525u + 1013904223u;
      pos[i][k] = (double)(seed >> 8) / (1 << 24);
      aabb[i][3 + k] = .01;
    }
    item[i] = (cfBvhItem){aabb[i], pos[i], unit, i};
  }
  cfPool pool = {0};
  cfBvh tree = cfi_buildBvh(&pool, item, COUNT, origin, quat);
  CF_EQ_INT(tree.count, 2 * COUNT - 1);
  bool seen[COUNT] = {false};
  for (int n = 0; n < tree.count; n++) {
    if (tree.nodeid[n] >= 0) {
      CF_TRUE(!seen[tree.nodeid[n]]);
      seen[tree.nodeid[n]] = true;
      continue;
    }

    // children lie inside, one level deeper
    for (int side = 0; side < 2; side++) {
      int child = tree.child[2 * n + side];
      CF_EQ_INT(tree.depth[child], tree.depth[n] + 1);
      for (int k = 0; k < 3; k++) {
        double gap = fabs(tree.aabb[6 * child + k] - tree.aabb[6 * n + k]);
        CF_TRUE(gap + tree.aabb[6 * child + 3 + k] <= tree.aabb[6 * n + 3 + k] + 1e-12);
      }
    }
  }
  cfi_poolFree(&pool);
}


CF_TEST(buildBvh__equal_positions__split_by_order) {
  const double aabb[6] = {0, 0, 0, 1, 1, 1}, pos[3] = {0, 0, 0}, unit[4] = {1, 0, 0, 0};
  cfBvhItem item[4];
  for (int i = 0; i < 4; i++) {
    item[i] = (cfBvhItem){aabb, pos, unit, i};
  }
  cfPool pool = {0};
  cfBvh tree = cfi_buildBvh(&pool, item, 4, pos, unit);
  const int expected[7] = {-1, -1, 0, 1, -1, 2, 3};
  for (int n = 0; n < 7; n++) {
    CF_EQ_INT(tree.nodeid[n], expected[n]);
  }
  cfi_poolFree(&pool);
}


CF_TEST(poolAlloc__many_sizes__zeroed_and_aligned) {
  cfPool pool = {0};
  for (size_t bytes = 1; bytes < 300000; bytes = bytes * 3 + 1) {
    unsigned char* memory = cfi_poolAlloc(&pool, bytes, 1);
    CF_EQ_INT((size_t)memory % 16, 0);
    for (size_t i = 0; i < bytes; i++) {
      CF_EQ_INT(memory[i], 0);
      memory[i] = 0xff;
    }
  }
  cfi_poolFree(&pool);
}

CF_TEST_MAIN("compile/parts")
