// Public functions on quaternions and other representations of rotations.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "math/libm.h"
#include "math/quat.h"

void mju_zero4(mjtNum res[4]) {
  cfi_set4(res, 0, 0, 0, 0);
}


void mju_unit4(mjtNum res[4]) {
  cfi_unitQuat(res);
}


void mju_copy4(mjtNum res[4], const mjtNum data[4]) {
  cfi_copy4(res, data);
}


mjtNum mju_normalize4(mjtNum vec[4]) {
  return cfi_normalize4(vec);
}


void mju_rotVecQuat(mjtNum res[3], const mjtNum vec[3], const mjtNum quat[4]) {
  // the null vector stays exactly null, whatever the quaternion
  if (vec[0] == 0 && vec[1] == 0 && vec[2] == 0) {
    cfi_zero3(res);
  } else {
    cfi_rotVecQuat(res, vec, quat);
  }
}


void mju_negQuat(mjtNum res[4], const mjtNum quat[4]) {
  cfi_negQuat(res, quat);
}


void mju_mulQuat(mjtNum res[4], const mjtNum quat1[4], const mjtNum quat2[4]) {
  cfi_mulQuat(res, quat1, quat2);
}


void mju_mulQuatAxis(mjtNum res[4], const mjtNum quat[4], const mjtNum axis[3]) {
  cfi_mulQuatAxis(res, quat, axis);
}


void mju_axisAngle2Quat(mjtNum res[4], const mjtNum axis[3], mjtNum angle) {
  cfi_axisAngle2Quat(res, axis, angle);
}


void mju_quat2Vel(mjtNum res[3], const mjtNum quat[4], mjtNum dt) {
  cfi_quat2Vel(res, quat, dt);
}


void mju_subQuat(mjtNum res[3], const mjtNum qa[4], const mjtNum qb[4]) {
  cfi_subQuat(res, qa, qb);
}


void mju_quat2Mat(mjtNum res[9], const mjtNum quat[4]) {
  cfi_quat2Mat(res, quat);
}


void mju_mat2Quat(mjtNum quat[4], const mjtNum mat[9]) {
  cfi_mat2Quat(quat, mat);
}


void mju_derivQuat(mjtNum res[4], const mjtNum quat[4], const mjtNum vel[3]) {
  cfi_derivQuat(res, quat, vel);
}


void mju_quatIntegrate(mjtNum quat[4], const mjtNum vel[3], mjtNum scale) {
  cfi_quatIntegrate(quat, vel, scale);
}


// shortest rotation that takes the z axis to vec: axis z x vec, angle from its sine and cosine;
// none to a vector that is not a number
void mju_quatZ2Vec(mjtNum quat[4], const mjtNum vec[3]) {
  mjtNum target[3];
  cfi_copy3(target, vec);
  cfi_unitQuat(quat);
  if (cfi_normalize3(target) < mjMINVAL) {
    return;
  }

  if (isnan(target[2])) {
    cfi_set4(quat, NAN, NAN, NAN, NAN);
    return;
  }

  mjtNum axis[3] = {-target[1], target[0], 0};
  const mjtNum sine = cfi_normalize3(axis), cosine = target[2];
  if (!(sine < mjMINVAL)) {
    cfi_axisAngle2Quat(quat, axis, cfi_atan2(sine, cosine));
  } else if (cosine < 0) {
    // opposite: half a turn about x
    cfi_set4(quat, 0, 1, 0, 0);
  }
}


// one correction of the polar rotation (Mueller et al. 2016): omega turns the columns of R towards
// those of A; returns its size, with omega normalized
static mjtNum polarCorrection(mjtNum omega[3], const mjtNum R[9], const mjtNum A[9]) {
  mjtNum torque[3][3], along[3];
  for (int k = 0; k < 3; k++) {
    mjtNum r[3], a[3];
    cfi_column3(r, R, k);
    cfi_column3(a, A, k);
    cfi_cross(torque[k], r, a);
    along[k] = cfi_dot3(r, a);
  }

  const mjtNum trace = along[0] + along[1] + along[2];
  cfi_add3(omega, torque[0], torque[1]);
  cfi_addTo3(omega, torque[2]);
  cfi_scl3(omega, omega, 1.0 / (fabs(trace) + mjMINVAL));
  return cfi_normalize3(omega);
}


// rotation closest to an arbitrary matrix, improved from the given quaternion; returns iterations
int mju_mat2Rot(mjtNum quat[4], const mjtNum mat[9]) {
  enum { max_iterations = 500 };
  const mjtNum small_turn = 1e-9;
  int done = 0;
  while (done < max_iterations) {
    mjtNum R[9], omega[3], turn[4];
    cfi_quat2Mat(R, quat);
    const mjtNum angle = polarCorrection(omega, R, mat);
    if (angle < small_turn) {
      break;
    }
    cfi_axisAngle2Quat(turn, omega, angle);
    cfi_mulQuat(quat, turn, quat);
    cfi_normalize4(quat);
    done++;
  }
  return done;
}


// rotations about the axes named in seq; lower case: axes move along, upper case: axes stay
void mju_euler2Quat(mjtNum quat[4], const mjtNum euler[3], const char* seq) {
  static const char letters[] = "xyzXYZ";
  if (!seq || strnlen(seq, 4) != 3) {
    mju_error("mju_euler2Quat: seq must contain exactly 3 characters");
    return;
  }

  mjtNum total[4] = {1, 0, 0, 0};
  for (int k = 0; k < 3; k++) {
    const char* letter = strchr(letters, seq[k]);
    if (!letter) {
      mju_error("mju_euler2Quat: seq[%d] is '%c', should be one of x, y, z, X, Y, Z", k, seq[k]);
      return;
    }

    const int index = (int)(letter - letters);
    mjtNum turn[4] = {cfi_cos(euler[k] / 2), 0, 0, 0};
    turn[1 + index % 3] = cfi_sin(euler[k] / 2);
    if (index < 3) {
      cfi_mulQuat(total, total, turn);
    } else {
      cfi_mulQuat(total, turn, total);
    }
  }
  cfi_copy4(quat, total);
}
