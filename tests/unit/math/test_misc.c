// Scalars, strings, sorting, sequences, muscles, shapes.
#include "math/muscle.h"
#include "math/scalar.h"
#include "math/shape.h"
#include "mathtest.h"

CF_TEST(scalars__random__equals_reference) {
  CF_REFERENCE(mju_min);
  CF_REFERENCE(mju_max);
  CF_REFERENCE(mju_clip);
  CF_REFERENCE(mju_sign);
  CF_REFERENCE(mju_round);
  CF_REFERENCE(mju_isBad);
  CF_REFERENCE(mju_sigmoid);
  CF_REFERENCE(mju_springDamper);
  CF_REFERENCE(mju_Halton);
  for (int round = 0; round < 500; round++) {
    const mjtNum a = 3 * randomNumber(), b = randomNumber(), c = b + 1 + randomNumber();
    CF_NEAR(mju_min(a, b), ref_mju_min(a, b), 0);
    CF_NEAR(mju_max(a, b), ref_mju_max(a, b), 0);
    CF_NEAR(mju_clip(a, b, c), ref_mju_clip(a, b, c), 0);
    CF_NEAR(cfi_clip(a, b, c), ref_mju_clip(a, b, c), 0);
    CF_NEAR(mju_sign(a), ref_mju_sign(a), 0);
    CF_EQ_INT(mju_round(7 * a), ref_mju_round(7 * a));
    CF_EQ_INT(mju_round(0.5 * (int)(7 * a)), ref_mju_round(0.5 * (int)(7 * a)));
    CF_EQ_INT(mju_isBad(a * 1e10), ref_mju_isBad(a * 1e10));
    CF_NEAR(mju_sigmoid(a), ref_mju_sigmoid(a), 0);
    CF_NEAR(mju_sigmoid(c / 3), ref_mju_sigmoid(c / 3), 1e-15);
    CF_NEAR(mju_Halton(round, 2 + round % 5), ref_mju_Halton(round, 2 + round % 5), 0);

    // overdamped, underdamped and critical
    const mjtNum k = 4 + 3 * a, damping = 4 + 4 * b;
    CF_NEAR(mju_springDamper(a, b, k, damping, 0.1), ref_mju_springDamper(a, b, k, damping, 0.1),
            1e-13);
    CF_NEAR(mju_springDamper(a, b, damping * damping / 4, damping, 0.1),
            ref_mju_springDamper(a, b, damping * damping / 4, damping, 0.1), 1e-13);
  }
}


CF_TEST(isBad__nan_inf_and_limit__only_the_limit_is_good) {
  CF_EQ_INT(mju_isBad(NAN), 1);
  CF_EQ_INT(mju_isBad(INFINITY), 1);
  CF_EQ_INT(mju_isBad(-INFINITY), 1);
  CF_EQ_INT(mju_isBad(1e10), 0);
  CF_EQ_INT(mju_isBad(-1e10), 0);
  CF_EQ_INT(mju_isBad(1.0000001e10), 1);
  CF_EQ_INT(mju_isBad(0), 0);
}


CF_TEST(sigmoid__ends_and_middle__smooth_step) {
  CF_NEAR(mju_sigmoid(-1), 0, 0);
  CF_NEAR(mju_sigmoid(0), 0, 0);
  CF_NEAR(mju_sigmoid(0.5), 0.5, 1e-16);
  CF_NEAR(mju_sigmoid(1), 1, 0);
  CF_NEAR(mju_sigmoid(2), 1, 0);
  CF_NEAR(mju_sigmoid(0.3) + mju_sigmoid(0.7), 1, 1e-15);
}


CF_TEST(power__small_exponents__as_the_library_call) {
  for (int k = 0; k < 5; k++) {
    CF_NEAR(cfi_power(0.7, k), pow(0.7, k), 1e-16);
  }
}


CF_TEST(standardNormal__same_seed__equals_reference_and_has_unit_variance) {
  double sum = 0, square = 0;
  srand(7);
  for (int k = 0; k < 20000; k++) {
    mjtNum second;
    const mjtNum first = mju_standardNormal(&second);
    sum += first + second;
    square += first * first + second * second;
  }
  CF_NEAR(sum / 40000, 0, 0.02);
  CF_NEAR(square / 40000, 1, 0.03);
  CF_REFERENCE(mju_standardNormal);
  for (unsigned seed = 1; seed < 20; seed++) {
    mjtNum x[2], y[2];
    srand(seed);
    x[0] = mju_standardNormal(x + 1);
    srand(seed);
    y[0] = ref_mju_standardNormal(y + 1);
    CF_CLOSE(x, y, 2, 1e-15);
  }
}


CF_TEST(Halton__bases_two_and_three__known_values) {
  const mjtNum two[5] = {0, 0.5, 0.25, 0.75, 0.125};
  for (int k = 0; k < 5; k++) {
    CF_NEAR(mju_Halton(k, 2), two[k], 0);
  }
  CF_NEAR(mju_Halton(5, 3), 2.0 / 3 + 1.0 / 9, 1e-15);
}


CF_TEST(pyramid__random__round_trip_and_equals_reference) {
  for (int dim = 3; dim <= 6; dim++) {
    mjtNum force[6], mu[5], pyramid[10], back[6];
    for (int k = 0; k < 5; k++) {
      mu[k] = 0.5 + 0.4 * randomNumber();
    }
    force[0] = 10;
    for (int k = 1; k < dim; k++) {
      force[k] = mu[k - 1] * 10 / (dim - 1) * randomNumber();
    }
    mju_encodePyramid(pyramid, force, mu, dim);
    mju_decodePyramid(back, pyramid, mu, dim);
    CF_NEAR_ARRAY(back, force, dim, 1e-14);
  }
  mjtNum normal, edge = 3;
  mju_decodePyramid(&normal, &edge, NULL, 1);
  CF_NEAR(normal, 3, 0);
  CF_REFERENCE(mju_encodePyramid);
  CF_REFERENCE(mju_decodePyramid);
  for (int dim = 2; dim <= 6; dim++) {
    mjtNum force[6], mu[5], x[10], y[10];
    randomFill(force, 6);
    randomFill(mu, 5);
    mju_encodePyramid(x, force, mu, dim);
    ref_mju_encodePyramid(y, force, mu, dim);
    CF_CLOSE(x, y, 2 * (dim - 1), 0);
    randomFill(x, 10);
    mju_decodePyramid(force, x, mu, dim);
    ref_mju_decodePyramid(y, x, mu, dim);
    CF_CLOSE(force, y, dim, 0);
  }
}


CF_TEST(insertionSort__random_and_equal__ascending_permutation) {
  for (int n = 0; n < 40; n++) {
    mjtNum list[40], sum = 0;
    int whole[40], total = 0;
    for (int i = 0; i < n; i++) {
      list[i] = randomInt(10);
      whole[i] = randomInt(10) - 5;
      sum += list[i];
      total += whole[i];
    }
    mju_insertionSort(list, n);
    mju_insertionSortInt(whole, n);
    for (int i = 0; i < n; i++) {
      CF_TRUE(i == 0 || (list[i - 1] <= list[i] && whole[i - 1] <= whole[i]));
      sum -= list[i];
      total -= whole[i];
    }
    CF_NEAR(sum, 0, 0);
    CF_EQ_INT(total, 0);
  }

  // equal numbers keep their order: -0 and 0 compare equal
  mjtNum zeros[3] = {1, 0.0, -0.0};
  mju_insertionSort(zeros, 3);
  CF_TRUE(!signbit(zeros[0]) && signbit(zeros[1]) && zeros[2] == 1);
}

//------------------------------ strings
//-------------------------------------------------------------

CF_TEST(types__names__round_trip_and_equal_reference) {
  CF_EQ_STR(mju_type2Str(mjOBJ_ACTUATOR), "actuator");
  CF_EQ_STR(mju_type2Str(mjOBJ_FRAME), "frame");
  CF_TRUE(mju_type2Str(-1) == NULL && mju_type2Str(mjNOBJECT) == NULL && mju_type2Str(0) == NULL);
  CF_EQ_INT(mju_str2Type("nothing"), mjOBJ_UNKNOWN);
  for (int type = 1; type < mjNOBJECT; type++) {
    CF_EQ_INT(mju_str2Type(mju_type2Str(type)), type);
  }
  CF_REFERENCE(mju_type2Str);
  CF_REFERENCE(mju_str2Type);
  for (int type = 0; type < 110; type++) {
    const char *ours = mju_type2Str(type), *theirs = ref_mju_type2Str(type);
    CF_TRUE((ours == NULL) == (theirs == NULL));
    if (ours) {
      CF_EQ_STR(ours, theirs);
      CF_EQ_INT(mju_str2Type(ours), ref_mju_str2Type(theirs));
    }
  }
}


CF_TEST(writeNumBytes__whole_units__largest_unit_that_divides) {
  CF_EQ_STR(mju_writeNumBytes(0), "0");
  CF_EQ_STR(mju_writeNumBytes(1023), "1023");
  CF_EQ_STR(mju_writeNumBytes(1024), "1K");
  CF_EQ_STR(mju_writeNumBytes(1025), "1025");
  CF_EQ_STR(mju_writeNumBytes((size_t)3 << 30), "3G");
  CF_EQ_STR(mju_writeNumBytes((size_t)1 << 60), "1E");
  CF_EQ_STR(mju_writeNumBytes((size_t)2047 << 10), "2047K");
  CF_REFERENCE(mju_writeNumBytes);
  for (int round = 0; round < 300; round++) {
    const size_t n = (size_t)randomInt(5000) << randomInt(50);
    CF_EQ_STR(mju_writeNumBytes(n), ref_mju_writeNumBytes(n));
  }
}


CF_TEST(strncpy__shorter_and_longer__always_terminated) {
  char text[6];
  memset(text, 'x', 6);
  CF_TRUE(mju_strncpy(text, "ab", 6) == text);
  CF_EQ_BYTES(text, "ab\0\0\0", 6);
  CF_EQ_STR(mju_strncpy(text, "abcdefgh", 6), "abcde");
  CF_EQ_STR(mju_strncpy(text, "abcdefgh", 1), "");
  mju_strncpy(text, "zz", 0);
  CF_EQ_STR(text, "");
}

//------------------------------ muscles
//-------------------------------------------------------------

CF_TEST(muscle__random__equals_reference) {
  CF_REFERENCE(mju_muscleGain);
  CF_REFERENCE(mju_muscleBias);
  CF_REFERENCE(mju_muscleDynamics);
  for (int round = 0; round < 1000; round++) {
    const mjtNum range[2] = {0.2 + 0.1 * randomNumber(), 0.8 + 0.1 * randomNumber()};
    const mjtNum prm[9] = {0.75, 1.05, round % 2 ? -1 : 30, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
    const mjtNum len = 0.5 + 0.6 * randomNumber(), vel = 3 * randomNumber();
    const mjtNum gain = ref_mju_muscleGain(len, vel, range, 2, prm);
    const mjtNum bias = ref_mju_muscleBias(len, range, 2, prm);
    CF_NEAR(mju_muscleGain(len, vel, range, 2, prm), gain, 1e-14 * fabs(gain));
    CF_NEAR(mju_muscleBias(len, range, 2, prm), bias, 1e-14 * fabs(bias));
    const mjtNum dyn[3] = {0.01, 0.04, round % 3 ? 0 : 0.3};
    const mjtNum ctrl = 2 * randomNumber(), act = 2 * randomNumber();
    const mjtNum rate = ref_mju_muscleDynamics(ctrl, act, dyn);
    CF_NEAR(mju_muscleDynamics(ctrl, act, dyn), rate, 1e-14 * fabs(rate));
  }
}


CF_TEST(muscleGainLength__joints_of_the_curve__continuous) {
  CF_NEAR(cfi_muscleGainLength(0.5, 0.5, 1.6), 0, 0);
  CF_NEAR(cfi_muscleGainLength(1, 0.5, 1.6), 1, 0);
  CF_NEAR(cfi_muscleGainLength(0.75, 0.5, 1.6), 0.5, 1e-15);
  CF_NEAR(cfi_muscleGainLength(1.3, 0.5, 1.6), 0.5, 1e-12);
  CF_NEAR(cfi_muscleGainLength(1.3 + 1e-12, 0.5, 1.6), 0.5, 1e-11);
  CF_NEAR(cfi_muscleGainLength(1.7, 0.5, 1.6), 0, 0);
}

//------------------------------ shapes
//--------------------------------------------------------------

CF_TEST(shape__random_points__inside_and_outside_agree_with_definition) {
  const mjtNum pos[3] = {0.1, -0.2, 0.3}, size[3] = {0.3, 0.5, 0.7};
  mjtNum q[4], R[9];
  randomQuat(q);
  mju_quat2Mat(R, q);
  for (int round = 0; round < 500; round++) {
    mjtNum p[3], point[3], axes[3];
    randomFill(p, 3);
    mju_mulMatVec3(point, R, p);
    mju_addTo3(point, pos);
    const double ring = sqrt(p[0] * p[0] + p[1] * p[1]), z = fabs(p[2]);
    const int box = fabs(p[0]) < 0.3 && fabs(p[1]) < 0.5 && z < 0.7;
    CF_EQ_INT(cfi_insideGeom(pos, R, size, mjGEOM_BOX, point), box);
    CF_EQ_INT(cfi_insideGeom(pos, R, size, mjGEOM_PLANE, point), p[2] < 0);
    CF_EQ_INT(cfi_insideGeom(pos, R, size, mjGEOM_SPHERE, point), mju_norm3(p) < 0.3);
    CF_EQ_INT(cfi_insideGeom(pos, R, size, mjGEOM_CYLINDER, point), ring < 0.3 && z < 0.5);
    CF_EQ_INT(cfi_insideGeom(pos, R, size, mjGEOM_CAPSULE, point),
              hypot(ring, z > 0.5 ? z - 0.5 : 0) < 0.3);
    const mjtNum scaled[3] = {p[0] / 0.3, p[1] / 0.5, p[2] / 0.7};
    CF_EQ_INT(cfi_insideGeom(pos, R, size, mjGEOM_ELLIPSOID, point), mju_norm3(scaled) < 1);
    CF_EQ_INT(cfi_insideGeom(pos, R, size, mjGEOM_MESH, point), 0);
    cfi_geomSemiAxes(axes, size, mjGEOM_CAPSULE);
    CF_NEAR(axes[2], 0.8, 1e-16);
  }
}

CF_TEST_MAIN("math/misc")
