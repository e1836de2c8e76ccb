// Quaternions, poses, 6D vectors, eigenvalues: against the reference and by their identities.
#include "math/inline.h"
#include "mathtest.h"

enum { ROUNDS = 500 };

CF_TEST(quaternion__random__equals_reference) {
  CF_REFERENCE(mju_zero4);
  CF_REFERENCE(mju_unit4);
  CF_REFERENCE(mju_copy4);
  CF_REFERENCE(mju_normalize4);
  CF_REFERENCE(mju_rotVecQuat);
  CF_REFERENCE(mju_negQuat);
  CF_REFERENCE(mju_mulQuat);
  CF_REFERENCE(mju_mulQuatAxis);
  CF_REFERENCE(mju_axisAngle2Quat);
  CF_REFERENCE(mju_quat2Vel);
  CF_REFERENCE(mju_subQuat);
  CF_REFERENCE(mju_quat2Mat);
  CF_REFERENCE(mju_mat2Quat);
  CF_REFERENCE(mju_derivQuat);
  CF_REFERENCE(mju_quatIntegrate);
  CF_REFERENCE(mju_quatZ2Vec);
  CF_REFERENCE(mju_euler2Quat);
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum q[4], p[4], v[3], axis[3], m[9], x[9], y[9];
    const mjtNum s = 4 * randomNumber();
    randomQuat(q);
    randomQuat(p);
    randomFill(v, 3);
    randomFill(axis, 3);
    mju_normalize3(axis);
    mju_quat2Mat(m, q);
#define SAME(call_ours, call_theirs, count) \
  memset(x, 0, sizeof(x));                  \
  mju_copy4(x, p);                          \
  memcpy(y, x, sizeof(x));                  \
  call_ours;                                \
  call_theirs;                              \
  CF_CLOSE(x, y, count, 1e-14)
    SAME(mju_zero4(x), ref_mju_zero4(y), 4);
    SAME(mju_unit4(x), ref_mju_unit4(y), 4);
    SAME(mju_copy4(x, q), ref_mju_copy4(y, q), 4);
    SAME((x[0] *= 3, mju_normalize4(x)), (y[0] *= 3, ref_mju_normalize4(y)), 4);
    SAME(mju_rotVecQuat(x, v, q), ref_mju_rotVecQuat(y, v, q), 3);
    SAME(mju_negQuat(x, q), ref_mju_negQuat(y, q), 4);
    SAME(mju_mulQuat(x, q, p), ref_mju_mulQuat(y, q, p), 4);
    SAME(mju_mulQuatAxis(x, q, v), ref_mju_mulQuatAxis(y, q, v), 4);
    SAME(mju_axisAngle2Quat(x, axis, s), ref_mju_axisAngle2Quat(y, axis, s), 4);
    SAME(mju_quat2Vel(x, q, 0.1), ref_mju_quat2Vel(y, q, 0.1), 3);
    SAME(mju_subQuat(x, q, p), ref_mju_subQuat(y, q, p), 3);
    SAME(mju_quat2Mat(x, q), ref_mju_quat2Mat(y, q), 9);
    SAME(mju_mat2Quat(x, m), ref_mju_mat2Quat(y, m), 4);
    SAME(mju_derivQuat(x, q, v), ref_mju_derivQuat(y, q, v), 4);
    SAME(mju_quatIntegrate(x, v, s), ref_mju_quatIntegrate(y, v, s), 4);
    SAME(mju_quatZ2Vec(x, v), ref_mju_quatZ2Vec(y, v), 4);
    static const char* const orders[] = {"xyz", "zyx", "XYZ", "ZXZ", "xYz", "yzx", "YXy"};
    const char* order = orders[round % 7];
    SAME(mju_euler2Quat(x, v, order), ref_mju_euler2Quat(y, v, order), 4);
#undef SAME
  }
}


CF_TEST(quaternion__edge_cases__equals_reference) {
  CF_REFERENCE(mju_rotVecQuat);
  CF_REFERENCE(mju_quat2Vel);
  CF_REFERENCE(mju_quatZ2Vec);
  CF_REFERENCE(mju_quatIntegrate);
  CF_REFERENCE(mju_normalize4);
  CF_REFERENCE(mju_mat2Quat);
  static const mjtNum quats[][4] = {{1, 0, 0, 0},        {0, 0, 0, 0},  {-1, 0, 0, 0},
                                    {0, 1, 0, 0},        {0, 0, 0, -1}, {1 + 1e-16, 0, 0, 0},
                                    {1e-20, 0, 1e-20, 0}};
  static const mjtNum vecs[][3] = {{0, 0, 0},      {0, 0, 1},     {0, 0, -1},
                                   {1e-17, 0, -1}, {1e-30, 0, 0}, {0, -2, 0}};
  for (int i = 0; i < 7; i++) {
    for (int j = 0; j < 6; j++) {
      mjtNum x[4] = {0}, y[4] = {0};
      mju_rotVecQuat(x, vecs[j], quats[i]);
      ref_mju_rotVecQuat(y, vecs[j], quats[i]);
      CF_NEAR_ARRAY(x, y, 3, 0);
      mju_quat2Vel(x, quats[i], 0.5);
      ref_mju_quat2Vel(y, quats[i], 0.5);
      CF_NEAR_ARRAY(x, y, 3, 0);
      mju_quatZ2Vec(x, vecs[j]);
      ref_mju_quatZ2Vec(y, vecs[j]);
      CF_NEAR_ARRAY(x, y, 4, 0);
      mju_copy4(x, quats[i]);
      mju_copy4(y, quats[i]);
      mju_quatIntegrate(x, vecs[j], 0.7);
      ref_mju_quatIntegrate(y, vecs[j], 0.7);
      CF_NEAR_ARRAY(x, y, 4, 0);
      mju_copy4(x, quats[i]);
      mju_copy4(y, quats[i]);
      CF_NEAR(mju_normalize4(x), ref_mju_normalize4(y), 0);
      CF_NEAR_ARRAY(x, y, 4, 0);
    }
  }

  // half turns: every branch of the conversion
  static const mjtNum turns[][9] = {{1, 0, 0, 0, -1, 0, 0, 0, -1},
                                    {-1, 0, 0, 0, 1, 0, 0, 0, -1},
                                    {-1, 0, 0, 0, -1, 0, 0, 0, 1},
                                    {0, 1, 0, 0, 0, 1, 1, 0, 0}};
  for (int i = 0; i < 4; i++) {
    mjtNum x[4], y[4];
    mju_mat2Quat(x, turns[i]);
    ref_mju_mat2Quat(y, turns[i]);
    CF_NEAR_ARRAY(x, y, 4, 0);
  }
}


CF_TEST(quaternion__through_matrix_and_back__same_rotation) {
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum q[4], back[4], R[9], RRt[9], eye[9];
    randomQuat(q);
    mju_quat2Mat(R, q);
    mju_mulMatMatT(RRt, R, R, 3, 3, 3);
    mju_eye(eye, 3);
    CF_NEAR_ARRAY(RRt, eye, 9, 1e-14);
    mju_mat2Quat(back, R);
    const mjtNum sign = q[0] * back[0] + q[1] * back[1] + q[2] * back[2] + q[3] * back[3];
    mju_scl(back, back, sign < 0 ? -1 : 1, 4);
    CF_NEAR_ARRAY(back, q, 4, 1e-14);
  }
}


CF_TEST(quaternion__rotation__agrees_with_matrix) {
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum q[4], v[3], R[9], by_quat[3], by_mat[3];
    randomQuat(q);
    randomFill(v, 3);
    mju_quat2Mat(R, q);
    mju_rotVecQuat(by_quat, v, q);
    mju_mulMatVec3(by_mat, R, v);
    CF_NEAR_ARRAY(by_quat, by_mat, 3, 1e-15);
  }
}


CF_TEST(subQuat__integrated_back__gives_first_quaternion) {
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum a[4], b[4], difference[3], R[9], Ra[9];
    randomQuat(a);
    randomQuat(b);
    mju_subQuat(difference, a, b);
    CF_TRUE(mju_norm3(difference) <= mjPI * (1 + 1e-15));
    mju_quatIntegrate(b, difference, 1);
    mju_quat2Mat(R, b);
    mju_quat2Mat(Ra, a);
    CF_NEAR_ARRAY(R, Ra, 9, 1e-14);
  }
}


CF_TEST(derivQuat__against_finite_difference__agrees) {
  mjtNum q[4], moved[4], v[3], rate[4];
  const mjtNum h = 1e-7;
  randomQuat(q);
  randomFill(v, 3);
  mju_derivQuat(rate, q, v);

  // the derivative takes the velocity in the world frame, integration in the local one
  mjtNum inverse[4], local[3];
  mju_negQuat(inverse, q);
  mju_rotVecQuat(local, v, inverse);
  mju_copy4(moved, q);
  mju_quatIntegrate(moved, local, h);
  for (int k = 0; k < 4; k++) {
    CF_NEAR((moved[k] - q[k]) / h, rate[k], 1e-6);
  }
}


CF_TEST(quatZ2Vec__random__turns_z_into_vec) {
  for (int round = 0; round < ROUNDS; round++) {
    const mjtNum z[3] = {0, 0, 1};
    mjtNum v[3], q[4], turned[3];
    randomFill(v, 3);
    mju_quatZ2Vec(q, v);
    mju_rotVecQuat(turned, z, q);
    mju_normalize3(v);
    CF_NEAR_ARRAY(turned, v, 3, 1e-15);
  }
}


CF_TEST(mat2Rot__rotation_times_stretch__equals_reference_and_rotation) {
  for (int round = 0; round < 50; round++) {
    mjtNum q[4], R[9], A[9], found[4] = {1, 0, 0, 0}, Rfound[9];
    mjtNum stretch[9] = {1.5, 0.1, 0, 0.1, 1, 0.2, 0, 0.2, 0.8};
    const mjtNum axis[3] = {0.6, 0, 0.8};
    mju_axisAngle2Quat(q, axis, randomNumber());
    mju_quat2Mat(R, q);
    mju_mulMatMat(A, R, stretch, 3, 3, 3);
    const int iterations = mju_mat2Rot(found, A);
    CF_TRUE(iterations > 0 && iterations < 100);
    mju_quat2Mat(Rfound, found);
    CF_NEAR_ARRAY(Rfound, R, 9, 1e-8);
  }
  CF_REFERENCE(mju_mat2Rot);
  for (int round = 0; round < 50; round++) {
    mjtNum A[9], x[4] = {1, 0, 0, 0}, y[4] = {1, 0, 0, 0};
    randomFill(A, 9);
    // the iteration amplifies rounding where the matrix is nearly singular, hence not 1e-14
    const int ours = mju_mat2Rot(x, A), theirs = ref_mju_mat2Rot(y, A);
    CF_TRUE(abs(ours - theirs) <= 1);
    CF_NEAR_ARRAY(x, y, 4, 1e-7);
  }
}


CF_TEST(euler2Quat__intrinsic_and_reversed_extrinsic__same_rotation) {
  mjtNum angles[3], reversed[3], a[4], b[4];
  randomFill(angles, 3);
  for (int k = 0; k < 3; k++) {
    reversed[k] = angles[2 - k];
  }
  mju_euler2Quat(a, angles, "xyz");
  mju_euler2Quat(b, reversed, "ZYX");
  CF_NEAR_ARRAY(a, b, 4, 1e-15);
}

//------------------------------ poses and 6D vectors
//------------------------------------------------

CF_TEST(pose__random__equals_reference) {
  CF_REFERENCE(mju_mulPose);
  CF_REFERENCE(mju_negPose);
  CF_REFERENCE(mju_trnVecPose);
  CF_REFERENCE(mju_transformSpatial);
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum p1[3], q1[4], p2[3], q2[4], v[6], R[9], x[7], y[7];
    randomFill(p1, 3);
    randomFill(p2, 3);
    randomFill(v, 6);
    randomQuat(q1);
    randomQuat(q2);
    mju_quat2Mat(R, q2);
    mju_mulPose(x, x + 3, p1, q1, p2, q2);
    ref_mju_mulPose(y, y + 3, p1, q1, p2, q2);
    CF_CLOSE(x, y, 7, 1e-15);
    mju_negPose(x, x + 3, p1, q1);
    ref_mju_negPose(y, y + 3, p1, q1);
    CF_CLOSE(x, y, 7, 1e-15);
    mju_trnVecPose(x, p1, q1, v);
    ref_mju_trnVecPose(y, p1, q1, v);
    CF_CLOSE(x, y, 3, 1e-15);
    mju_transformSpatial(x, v, round % 2, p1, p2, round % 4 < 2 ? R : NULL);
    ref_mju_transformSpatial(y, v, round % 2, p1, p2, round % 4 < 2 ? R : NULL);
    CF_CLOSE(x, y, 6, 1e-15);
  }
}


CF_TEST(pose__times_its_inverse__identity) {
  mjtNum p[3], q[4], pi[3], qi[4], pos[3], quat[4];
  const mjtNum zero[3] = {0}, unit[4] = {1, 0, 0, 0};
  randomFill(p, 3);
  randomQuat(q);
  mju_negPose(pi, qi, p, q);
  mju_mulPose(pos, quat, p, q, pi, qi);
  CF_NEAR_ARRAY(pos, zero, 3, 1e-15);
  CF_NEAR_ARRAY(quat, unit, 4, 1e-15);
  mju_trnVecPose(pos, pi, qi, p);
  CF_NEAR_ARRAY(pos, zero, 3, 1e-15);
}


CF_TEST(spatial__cross_products__dual_to_each_other) {
  mjtNum v[6], m[6], f[6], vm[6], vf[6];
  randomFill(v, 6);
  randomFill(m, 6);
  randomFill(f, 6);
  cfi_crossMotion(vm, v, m);
  cfi_crossForce(vf, v, f);
  CF_NEAR(cfi_dot6(vm, f), -cfi_dot6(m, vf), 1e-14);
}


CF_TEST(spatial__power__same_in_every_frame) {
  mjtNum m[6], f[6], mt[6], ft[6], from[3], to[3], q[4], R[9];
  randomFill(m, 6);
  randomFill(f, 6);
  randomFill(from, 3);
  randomFill(to, 3);
  randomQuat(q);
  mju_quat2Mat(R, q);
  mju_transformSpatial(mt, m, 0, to, from, R);
  mju_transformSpatial(ft, f, 1, to, from, R);
  CF_NEAR(cfi_dot6(mt, ft), cfi_dot6(m, f), 1e-14);
}


CF_TEST(spatial__inertia_of_two_points__equals_reference_product) {
  CF_REFERENCE_AS(void (*)(mjtNum*, const mjtNum*, const mjtNum*), mju_mulInertVec);
  mjtNum moments[3] = {1, 2, 2.5}, q[4], R[9], offset[3], inert[10], v[6], x[6], y[6];
  randomQuat(q);
  mju_quat2Mat(R, q);
  randomFill(offset, 3);
  randomFill(v, 6);
  cfi_inertCom(inert, moments, R, offset, 3);
  cfi_mulInertVec(x, inert, v);
  ref_mju_mulInertVec(y, inert, v);
  CF_CLOSE(x, y, 6, 1e-15);

  // kinetic energy is positive and the inertia is symmetric
  mjtNum w[6], other[6];
  CF_TRUE(cfi_dot6(v, x) > 0);
  randomFill(w, 6);
  cfi_mulInertVec(other, inert, w);
  CF_NEAR(cfi_dot6(w, x), cfi_dot6(v, other), 1e-13);
}


CF_TEST(mulDofVec__several_axes__equals_matrix_product) {
  mjtNum dof[18], v[3], x[6], y[6];
  randomFill(dof, 18);
  randomFill(v, 3);
  for (int n = 0; n <= 3; n++) {
    cfi_mulDofVec(x, dof, v, n);
    mju_mulMatTVec(y, dof, v, n, 6);
    CF_NEAR_ARRAY(x, y, 6, 1e-15);
  }
}

//------------------------------ eigenvalues and derivatives
//-----------------------------------------

CF_TEST(eig3__random_symmetric__equals_reference_and_decomposes) {
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum A[9], value[3], R[9], q[4], back[9];
    randomFill(A, 9);
    mju_symmetrize(A, A, 3);
    CF_TRUE(mju_eig3(value, R, q, A) < 500);
    CF_TRUE(value[0] >= value[1] - 1e-11 && value[1] >= value[2] - 1e-11);
    for (int i = 0; i < 9; i++) {
      back[i] = 0;
      for (int k = 0; k < 3; k++) {
        back[i] += R[3 * (i / 3) + k] * value[k] * R[3 * (i % 3) + k];
      }
    }
    // the iteration stops when the next rotation is below 1e-6
    CF_NEAR_ARRAY(back, A, 9, 1e-5);
  }
  CF_REFERENCE(mju_eig3);
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum A[9], x[16], y[16];
    randomFill(A, 9);
    mju_symmetrize(A, A, 3);
    if (round % 5 == 0) {
      A[1] = A[3] = A[2] = A[6] = 0;
    }
    CF_EQ_INT(mju_eig3(x, x + 3, x + 12, A), ref_mju_eig3(y, y + 3, y + 12, A));
    CF_CLOSE(x, y, 16, 1e-14);
  }
}


CF_TEST(quaternion_derivatives__random__equals_reference) {
  CF_REFERENCE(mjd_subQuat);
  CF_REFERENCE(mjd_quatIntegrate);
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum a[4], b[4], v[3], x[21], y[21];
    randomQuat(a);
    randomQuat(b);
    randomFill(v, 3);
    mjd_subQuat(a, round % 7 ? b : a, x, x + 9);
    ref_mjd_subQuat(a, round % 7 ? b : a, y, y + 9);
    CF_CLOSE(x, y, 18, 1e-14);
    const mjtNum scale = round % 3 ? randomNumber() : 0.01 * randomNumber();
    mjd_quatIntegrate(v, scale, x, x + 9, x + 18);
    ref_mjd_quatIntegrate(v, scale, y, y + 9, y + 18);
    CF_CLOSE(x, y, 21, 1e-14);
  }
}


CF_TEST(quaternion_derivatives__against_finite_differences__agree) {
  const mjtNum h = 1e-6;
  mjtNum a[4], b[4], base[3], moved[3], D[9];
  randomQuat(a);
  mju_copy4(b, a);
  const mjtNum away[3] = {0.5, -0.3, 0.8};
  mju_quatIntegrate(b, away, 1);
  mju_subQuat(base, a, b);
  mjd_subQuat(a, b, D, NULL);
  for (int k = 0; k < 3; k++) {
    mjtNum step[3] = {0, 0, 0}, q[4];
    step[k] = h;
    mju_copy4(q, a);
    mju_quatIntegrate(q, step, 1);
    mju_subQuat(moved, q, b);
    for (int r = 0; r < 3; r++) {
      CF_NEAR((moved[r] - base[r]) / h, D[3 * r + k], 1e-5);
    }
  }
}


// every square near one, double by double: the answer is that of the root
CF_TEST(unit_square__doubles_around_one__answers_as_the_root_does) {
  int unit = 0;
  mjtNum square = 1;
  for (int k = 0; k < 100; k++) {
    square = nextafter(square, 0);
  }
  for (int k = 0; k < 200; k++, square = nextafter(square, 2)) {
    const int as_root = !(fabs(sqrt(square) - 1) > mjMINVAL);
    CF_EQ_INT(cfi_isUnitSquare(square), as_root);
    unit += as_root;
  }
  CF_EQ_INT(unit, 18 + 1 + 9);
  CF_EQ_INT(cfi_isUnitSquare(NAN), 1);
  CF_EQ_INT(cfi_isUnitSquare(INFINITY), 0);
}


// the quaternion in a lane is scaled as the one in memory is, bit by bit
CF_TEST(unitize__any_length__bits_of_normalize) {
  const mjtNum lengths[] = {0, 1e-16, 1e-8, 0.5, 1 - 1e-15, 1, 1 + 1e-15, 1 + 1e-14, 3, 1e200};
  for (int round = 0; round < ROUNDS; round++) {
    mjtNum a[4], b[4];
    randomQuat(a);
    mju_scl(a, a, lengths[round % 10], 4);
    mju_copy4(b, a);
    cfi_unitize4(a);
    cfi_normalize4(b);
    CF_TRUE(memcmp(a, b, sizeof(a)) == 0);
  }
}

CF_TEST_MAIN("math/rotation")
